//! The native halves of the script's objects. An object's class is its brand.
//!
//! A canvas and its context share one `Surface`. JavaScript values are held only here, where the
//! interpreter's collector can trace them; no closure holds one.

use super::budget::Charge;
use ::canvas::{Bitmap, Context2d, Filters, Gradient, MeasuredText, Path, Pattern, Vector};
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::Constructor;
use rquickjs::{Ctx, JsLifetime, Object, Result};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A bitmap with its drawing state, and what it counts for.
pub(super) struct Surface {
    pub context: RefCell<Context2d>,
    pub charge: RefCell<Charge>,
}

/// HTMLCanvasElement or OffscreenCanvas: JavaScript knows which, the pixels do not care.
pub(super) struct CanvasObject<'js> {
    pub surface: Rc<Surface>,
    /// Made by the first getContext('2d').
    pub context: RefCell<Option<Object<'js>>>,
}

/// A 2D context. The paints are the script's own objects, for the getters to give back.
pub(super) struct ContextObject<'js> {
    pub surface: Rc<Surface>,
    pub canvas: Object<'js>,
    pub paints: RefCell<Paints<'js>>,
    /// What open layers count for, the innermost last.
    pub layers: RefCell<Vec<Charge>>,
}

/// The objects in use: gradients and patterns, `None` while a colour is.
#[derive(Clone, Default)]
pub(super) struct PaintPair<'js> {
    pub fill: Option<Object<'js>>,
    pub stroke: Option<Object<'js>>,
    /// The CanvasFilter in use; `None` while it is text.
    pub filter: Option<Object<'js>>,
}

/// Follows save() and restore() beside the native state stack.
#[derive(Default)]
pub(super) struct Paints<'js> {
    pub now: PaintPair<'js>,
    saved: Vec<PaintPair<'js>>,
    /// Saves that found no room.
    unsaved: u64,
}

/// As deep as the native stack; where the two should differ, getters trust the native one.
const MAX_SAVED: usize = 1 << 16;

impl<'js> Paints<'js> {
    pub fn save(&mut self) {
        if self.saved.len() < MAX_SAVED {
            self.saved.push(self.now.clone());
        } else {
            self.unsaved += 1;
        }
    }

    /// Returns what went out of use, for the caller to drop when nothing is borrowed.
    pub fn restore(&mut self) -> PaintPair<'js> {
        if self.unsaved > 0 {
            self.unsaved -= 1;
            return PaintPair::default();
        }
        match self.saved.pop() {
            Some(saved) => std::mem::replace(&mut self.now, saved),
            None => PaintPair::default(),
        }
    }
}

/// What an Image shows.
pub(super) enum Shown {
    Nothing,
    Broken,
    Picture(Rc<Bitmap>, Charge),
    Vector(
        Rc<Vector>,
        #[expect(dead_code, reason = "gives the pixels back when it goes")] Charge,
    ),
}

/// HTMLImageElement.
pub(super) struct ImageObject {
    pub shown: RefCell<Shown>,
}

/// ImageBitmap; without pixels when it is closed.
pub(super) struct BitmapObject {
    pub held: RefCell<Option<(Rc<Bitmap>, Charge)>>,
}

pub(super) struct PathObject {
    pub path: RefCell<Path>,
}

pub(super) struct GradientObject {
    pub gradient: Gradient,
}

/// What TextMetrics can still be asked.
pub(super) struct MeasuredObject {
    pub text: MeasuredText,
}

/// CanvasFilter.
pub(super) struct FilterObject {
    pub filters: Arc<Filters>,
}

pub(super) struct PatternObject {
    pub pattern: Pattern,
    /// A pattern holds a copy of its picture; the object that made the copy is charged for it.
    pub _charge: Option<Charge>,
}

impl<'js> ContextObject<'js> {
    /// After reset() and resizing.
    pub fn forget_paints(&self) {
        if let Ok(mut layers) = self.layers.try_borrow_mut() {
            layers.clear();
        }
        if let Ok(mut paints) = self.paints.try_borrow_mut() {
            // Dropped after the borrow: freeing a paint may run the collector.
            let old = std::mem::take(&mut *paints);
            drop(paints);
            drop(old);
        }
    }
}

impl<'js> Trace<'js> for CanvasObject<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        if let Ok(context) = self.context.try_borrow()
            && let Some(context) = &*context
        {
            tracer.mark(context.as_value());
        }
    }
}

impl<'js> Trace<'js> for ContextObject<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        tracer.mark(self.canvas.as_value());
        let Ok(paints) = self.paints.try_borrow() else {
            return;
        };
        for pair in paints.saved.iter().chain(std::iter::once(&paints.now)) {
            for object in [&pair.fill, &pair.stroke, &pair.filter].into_iter().flatten() {
                tracer.mark(object.as_value());
            }
        }
    }
}

// SAFETY: the lifetime parameter is that of the JavaScript values inside, and only it changes.
#[allow(
    unsafe_code,
    reason = "the interpreter's lifetime trait can only be implemented so"
)]
unsafe impl<'js> JsLifetime<'js> for CanvasObject<'js> {
    type Changed<'to> = CanvasObject<'to>;
}

// SAFETY: as above.
#[allow(
    unsafe_code,
    reason = "the interpreter's lifetime trait can only be implemented so"
)]
unsafe impl<'js> JsLifetime<'js> for ContextObject<'js> {
    type Changed<'to> = ContextObject<'to>;
}

macro_rules! without_values {
    ($($class:ident),*) => {$(
        impl<'js> Trace<'js> for $class {
            fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
        }

        // SAFETY: the type holds no JavaScript value and has no lifetime.
        #[allow(unsafe_code, reason = "the interpreter's lifetime trait can only be implemented so")]
        unsafe impl<'js> JsLifetime<'js> for $class {
            type Changed<'to> = $class;
        }
    )*};
}

without_values!(
    PathObject,
    GradientObject,
    PatternObject,
    FilterObject,
    MeasuredObject,
    ImageObject,
    BitmapObject
);

macro_rules! class {
    ($($class:ty = $name:literal),*) => {$(
        impl<'js> JsClass<'js> for $class {
            const NAME: &'static str = $name;
            type Mutable = Readable;

            // Constructors, where there are any, are JavaScript.
            fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
                Ok(None)
            }
        }
    )*};
}

class!(
    CanvasObject<'js> = "Canvas",
    ContextObject<'js> = "Context2d",
    PathObject = "Path2D",
    GradientObject = "CanvasGradient",
    PatternObject = "CanvasPattern",
    FilterObject = "CanvasFilter",
    MeasuredObject = "MeasuredText",
    ImageObject = "HTMLImageElement",
    BitmapObject = "ImageBitmap"
);
