//! Canvases as such: creation, size, their context, encoding.

use super::CanvasHost;
use super::call::{Call, getter, method};
use super::objects::{CanvasObject, ContextObject, Paints, Surface};
use ::canvas::{Canvas, CanvasError, Context2d, Format, encode};
use base64::Engine as _;
use rquickjs::convert::List;
use rquickjs::{ArrayBuffer, Class, Object, Result};
use std::cell::RefCell;
use std::rc::Rc;

impl Surface {
    /// `None` while it is being drawn on, which no caller of the bindings can see.
    pub fn size(&self) -> Option<(u32, u32)> {
        let context = self.context.try_borrow().ok()?;
        Some((context.canvas().width(), context.canvas().height()))
    }

    /// While layers are open nothing may read the canvas.
    pub fn check_readable(&self, c: &Call<'_, '_>) -> Result<()> {
        let context = self.context.try_borrow().map_err(|_| c.busy())?;
        match context.has_layers() {
            true => Err(c.raise(CanvasError::OpenLayer)),
            false => Ok(()),
        }
    }

    /// `None` as above.
    pub fn encoded(&self, format: Format) -> Option<std::result::Result<Vec<u8>, CanvasError>> {
        Some(encode(self.context.try_borrow().ok()?.canvas().bitmap(), format))
    }
}

/// Getters that need no conversion; setters are JavaScript, their conversions differ.
pub(super) fn define(target: &Object<'_>) -> Result<()> {
    getter(target, "width", |c| Ok(size_of(c)?.0))?;
    getter(target, "height", |c| Ok(size_of(c)?.1))
}

/// Members that JavaScript wraps.
pub(super) fn define_internal(target: &Object<'_>, host: &Rc<CanvasHost>) -> Result<()> {
    // (prototype, width, height, main)
    let shared = Rc::clone(host);
    method(target, "newCanvas", 4, move |c| {
        let surface = shared.new_surface(c, c.size(1)?, c.size(2)?)?;
        if c.truth(3)? {
            shared.main.replace(Some(Rc::clone(&surface)));
        }
        Class::instance_proto(
            CanvasObject {
                surface,
                context: RefCell::new(None),
            },
            c.plain_object(0)?,
        )
    })?;
    // () -> whether the one of getCanvas() is still to be exported
    let shared = Rc::clone(host);
    method(target, "hasMain", 0, move |c| {
        let main = shared.main.try_borrow().map_err(|_| c.busy())?;
        Ok(main.is_some())
    })?;
    let shared = Rc::clone(host);
    method(target, "resize", 3, move |c| resize(c, &shared))?;
    method(target, "contextOf", 5, context_of)?;
    method(target, "hasContext", 1, |c| {
        let canvas = canvas_argument(c)?;
        let canvas = canvas.borrow();
        let context = canvas.context.try_borrow().map_err(|_| c.busy())?;
        Ok(context.is_some())
    })?;
    // (canvas) -> whether it keeps shapes
    method(target, "records", 1, |c| {
        let canvas = canvas_argument(c)?;
        let surface = Rc::clone(&canvas.borrow().surface);
        let context = surface.context.try_borrow().map_err(|_| c.busy())?;
        Ok(context.records())
    })?;
    // (canvas) -> ArrayBuffer
    method(target, "svgOf", 1, |c| {
        let canvas = canvas_argument(c)?;
        let surface = Rc::clone(&canvas.borrow().surface);
        let svg = surface
            .context
            .try_borrow_mut()
            .map_err(|_| c.busy())?
            .to_svg()
            .map_err(|e| c.raise(e))?;
        ArrayBuffer::new_copy(c.ctx().clone(), svg.into_bytes())
    })?;
    // (canvas, type, quality?, small?) -> [the type that it became, ArrayBuffer]
    method(target, "encode", 2, |c| {
        let (format, bytes) = encoded(c)?;
        Ok(List((
            format.mime(),
            ArrayBuffer::new_copy(c.ctx().clone(), bytes)?,
        )))
    })?;
    method(target, "dataUrl", 2, |c| {
        let (format, bytes) = encoded(c)?;
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        Ok(format!("data:{};base64,{text}", format.mime()))
    })
}

fn encoded(c: &Call<'_, '_>) -> Result<(Format, Vec<u8>)> {
    let mime = c.text(1)?;
    // What is not a number is as good as not there.
    let quality = c.given(2).and_then(|v| v.as_number());
    let format = match Format::of_type(&mime, quality) {
        Format::Png if c.truth(3)? => Format::SmallPng,
        format => format,
    };
    let canvas = canvas_argument(c)?;
    canvas.borrow().surface.check_readable(c)?;
    let bytes = canvas.borrow().surface.encoded(format).ok_or_else(|| c.busy())?;
    Ok((format, bytes.map_err(|e| c.raise(e))?))
}

impl CanvasHost {
    fn new_surface<'js>(&self, c: &Call<'_, 'js>, width: u32, height: u32) -> Result<Rc<Surface>> {
        let charge = self.charge(c, width, height)?;
        let canvas = Canvas::new(width, height).map_err(|e| c.raise(e))?;
        let context = RefCell::new(Context2d::new(canvas));
        Ok(Rc::new(Surface {
            context,
            charge: RefCell::new(charge),
        }))
    }
}

fn canvas_argument<'js>(c: &Call<'_, 'js>) -> Result<Class<'js, CanvasObject<'js>>> {
    c.maybe_object(0)
        .ok_or_else(|| c.type_error("Illegal invocation"))
}

fn size_of(c: &Call<'_, '_>) -> Result<(u32, u32)> {
    c.this::<CanvasObject>()?
        .borrow()
        .surface
        .size()
        .ok_or_else(|| c.busy())
}

/// (canvas, width, height): also with the same size everything is reset.
fn resize<'js>(c: &Call<'_, 'js>, host: &CanvasHost) -> Result<()> {
    let (width, height) = (c.size(1)?, c.size(2)?);
    let canvas = canvas_argument(c)?;
    let canvas = canvas.borrow();
    let surface = &canvas.surface;
    let mut charge = surface.charge.try_borrow_mut().map_err(|_| c.busy())?;
    let before = charge.pixels();
    host.recharge(c, &mut charge, width, height)?;
    let resized = surface
        .context
        .try_borrow_mut()
        .map_err(|_| c.busy())?
        .resize(width, height);
    if let Err(error) = resized {
        charge.change(before);
        return Err(c.raise(error));
    }
    drop(charge);
    let context = canvas.context.try_borrow().map_err(|_| c.busy())?.clone();
    if let Some(context) = context.as_ref().and_then(Class::<ContextObject>::from_object) {
        context.borrow().forget_paints();
    }
    Ok(())
}

/// (canvas, prototype, alpha, space, vector) -> always the same context; the others count the first time.
fn context_of<'js>(c: &Call<'_, 'js>) -> Result<Object<'js>> {
    let canvas = canvas_argument(c)?;
    if let Some(context) = &*canvas.borrow().context.try_borrow().map_err(|_| c.busy())? {
        return Ok(context.clone());
    }
    let (alpha, space, vector) = (c.truth(2)?, c.space(3)?, c.truth(4)?);
    let surface = Rc::clone(&canvas.borrow().surface);
    let mut drawing = surface.context.try_borrow_mut().map_err(|_| c.busy())?;
    drawing.set_space(space);
    if !alpha {
        drawing.make_opaque();
    }
    if vector {
        drawing.record();
    }
    drop(drawing);
    let context = ContextObject {
        surface,
        canvas: canvas.clone().into_inner(),
        paints: RefCell::new(Paints::default()),
        layers: RefCell::new(Vec::new()),
    };
    let context = Class::instance_proto(context, c.plain_object(1)?)?.into_inner();
    *canvas.borrow().context.try_borrow_mut().map_err(|_| c.busy())? = Some(context.clone());
    Ok(context)
}
