//! QuickJS bindings of the canvas for `run_javascript` and tools.
//!
//! Natively: the objects behind the script's (`objects`), and every call whose arguments are plain
//! numbers, strings or those objects, as members of the prototypes themselves: one crossing a call.
//! In JavaScript (`js/`): the interfaces, and calls with dictionaries, sequences and defaults.
//! Nothing but the interfaces and `getCanvas` appears on the global object; for tools not even they
//! do, but are what the module `canvas` gives.
//!
//! Not here: saving the picture.

mod budget;
mod call;
mod context;
mod fonts;
mod images;
mod objects;
mod paths;
mod pictures;
mod surface;
#[cfg(test)]
mod tests;
mod text;

use ::canvas::{CanvasError, Format};
use budget::{Budget, Charge};
use call::Call;
use objects::{GradientObject, PatternObject, Surface};
use rquickjs::{Class, Ctx, Error, Function, Object, Result};
use std::cell::RefCell;
use std::rc::Rc;

/// What one script may use.
#[derive(Clone, Copy, Debug)]
pub struct CanvasLimits {
    /// All canvases and patterns of the script together.
    pub pixels: u64,
}

/// PNG bytes, width, height.
pub type Exported = std::result::Result<(Vec<u8>, u32, u32), CanvasError>;

/// The host's side of a context's canvases.
pub struct CanvasHost {
    budget: Rc<Budget>,
    /// The getCanvas() canvas. It outlives its JavaScript object: it is to be exported.
    main: RefCell<Option<Rc<Surface>>>,
}

/// In order of evaluation; each is one function of the natives and of what the earlier ones share.
const PARTS: [&str; 12] = [
    "canvas/interfaces.js",
    "canvas/matrix.js",
    "canvas/geometry.js",
    "canvas/elements.js",
    "canvas/image.js",
    "canvas/text.js",
    "canvas/pictures.js",
    "canvas/path.js",
    "canvas/filters.js",
    "canvas/context.js",
    "canvas/canvas.js",
    "canvas/fonts.js",
];

impl CanvasHost {
    /// Defines the globals. Where a `Blob` global is wanted to give toBlob(), it must exist before.
    pub fn install(ctx: &Ctx<'_>, limits: CanvasLimits) -> Result<Rc<CanvasHost>> {
        CanvasHost::install_on(ctx, limits, &ctx.globals())
    }

    /// The same as members of an object.
    pub fn install_on<'js>(
        ctx: &Ctx<'js>,
        limits: CanvasLimits,
        target: &Object<'js>,
    ) -> Result<Rc<CanvasHost>> {
        let host = Rc::new(CanvasHost {
            budget: Budget::new(limits.pixels),
            main: RefCell::new(None),
        });
        let native = natives(ctx, &host)?;
        native.set("globals", target.clone())?;
        let shared = Object::new(ctx.clone())?;
        for part in PARTS {
            let factory: Function = crate::node::script(ctx, part)?;
            factory.call::<_, ()>((native.clone(), shared.clone()))?;
        }
        Ok(host)
    }

    /// The size now of the getCanvas() canvas; `None` when the script has not asked for it.
    pub fn main_canvas(&self) -> Option<(u32, u32)> {
        self.main.try_borrow().ok()?.as_ref()?.size()
    }

    /// The getCanvas() canvas as PNG, with its size.
    pub fn export_png(&self) -> Option<Exported> {
        let (width, height) = self.main_canvas()?;
        let main = self.main.try_borrow().ok()?;
        let png = main.as_ref()?.encoded(Format::Png)?;
        Some(png.map(|png| (png, width, height)))
    }

    /// The next getCanvas() makes another canvas.
    pub fn begin_anew(&self) {
        self.main.replace(None);
    }

    fn limit(&self) -> u64 {
        self.budget.limit()
    }

    /// Pixels for a new bitmap.
    fn charge(&self, call: &Call<'_, '_>, width: u32, height: u32) -> Result<Charge> {
        self.charge_pixels(call, u64::from(width) * u64::from(height))
    }

    fn charge_pixels(&self, call: &Call<'_, '_>, pixels: u64) -> Result<Charge> {
        self.make_room(call, pixels, pixels);
        self.budget.charge(pixels).ok_or_else(|| self.over_limit(call))
    }

    /// The old bitmap goes before the new one comes, so only the difference has to fit.
    fn recharge(&self, call: &Call<'_, '_>, charge: &mut Charge, width: u32, height: u32) -> Result<()> {
        let (old, new) = (charge.pixels(), u64::from(width) * u64::from(height));
        self.make_room(call, new, new.saturating_sub(old));
        charge.change(new).ok_or_else(|| self.over_limit(call))
    }

    /// A canvas and its context know each other, so that they count until the collector has found them, which
    /// does not see pixels. It is called where they would not fit, and before so many came that memory which
    /// is in use already could have served.
    fn make_room(&self, call: &Call<'_, '_>, new: u64, more: u64) {
        let full = !self.budget.fits(more) && new <= self.limit();
        if full || self.budget.is_due(new) {
            call.ctx().run_gc();
            self.budget.collected();
        }
    }

    fn over_limit(&self, call: &Call<'_, '_>) -> Error {
        let limit = self.limit();
        call.range_error(&format!(
            "canvas pixel limit exceeded: all canvases together may have {limit} pixels"
        ))
    }
}

/// Everything native, in one object that only our JavaScript sees.
fn natives<'js>(ctx: &Ctx<'js>, host: &Rc<CanvasHost>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let group = |name: &str| -> Result<Object<'js>> {
        let group = Object::new(ctx.clone())?;
        native.set(name, group.clone())?;
        Ok(group)
    };
    let context = group("context")?;
    context::define(&context)?;
    paths::define_on_contexts(&context)?;
    images::define(&context, host)?;
    paths::define_on_paths(&group("path")?)?;
    surface::define(&group("canvas")?)?;
    if let Some(prototype) = Class::<GradientObject>::prototype(ctx)? {
        images::define_on_gradients(&prototype)?;
        native.set("gradientPrototype", prototype)?;
    }
    if let Some(prototype) = Class::<PatternObject>::prototype(ctx)? {
        native.set("patternPrototype", prototype)?;
    }
    context::define_internal(&native, host)?;
    paths::define_internal(&native)?;
    images::define_internal(&native, host)?;
    pictures::define_internal(&native, host)?;
    fonts::define_internal(&native)?;
    text::define_internal(&native)?;
    surface::define_internal(&native, host)?;
    Ok(native)
}
