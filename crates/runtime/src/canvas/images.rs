//! Pictures and pixels: drawImage, gradients, patterns, reading and writing ImageData.

use super::CanvasHost;
use super::call::{Call, method};
use super::context::matrix;
use super::objects::{ContextObject, GradientObject, PatternObject};
use super::pictures::Source;
use ::canvas::{Bitmap, Gradient, Pattern, RectF, Repetition};
use rquickjs::{ArrayBuffer, Class, Object, Result, TypedArray, U8Clamped, Value};
use std::rc::Rc;

/// Straight RGBA of a script's ImageData.
type Pixels<'js> = TypedArray<'js, U8Clamped>;

pub(super) fn define(target: &Object<'_>, host: &Rc<CanvasHost>) -> Result<()> {
    method(target, "drawImage", 3, draw_image)?;
    gradients(target)?;
    let host = Rc::clone(host);
    method(target, "createPattern", 2, move |c| create_pattern(c, &host))
}

pub(super) fn define_on_gradients(target: &Object<'_>) -> Result<()> {
    method(target, "addColorStop", 2, |c| {
        let [offset] = c.finite(0)?;
        let color = c.text(1)?;
        let this = c.this::<GradientObject>()?;
        this.borrow()
            .gradient
            .add_color_stop(offset, &color)
            .map_err(|e| c.raise(e))
    })
}

/// Members that JavaScript wraps.
pub(super) fn define_internal(target: &Object<'_>, host: &Rc<CanvasHost>) -> Result<()> {
    method(target, "setPatternTransform", 7, |c| {
        let transform = matrix(c.numbers(1)?);
        let pattern = c
            .maybe_object::<PatternObject>(0)
            .ok_or_else(|| c.type_error("Illegal invocation"))?;
        pattern.borrow().pattern.set_transform(transform);
        Ok(())
    })?;
    let host = Rc::clone(host);
    method(target, "readPixels", 6, move |c| read_pixels(c, &host))?;
    method(target, "writePixels", 7, write_pixels)
}

/// 3, 5 or 9 arguments; more are dropped, other numbers of them are a TypeError.
fn draw_image(c: &Call<'_, '_>) -> Result<()> {
    let source = c.picture(0)?;
    let count = match c.len() {
        3 => 2,
        5 => 4,
        9.. => 8,
        _ => return Err(c.type_error("3, 5 or 9 arguments are expected")),
    };
    let mut n = [0.0; 8];
    for (i, slot) in n.iter_mut().take(count).enumerate() {
        *slot = c.number(i + 1)?;
    }
    if n.iter().any(|v| !v.is_finite()) {
        return Ok(());
    }
    let this = c.this::<ContextObject>()?;
    let this = this.borrow();
    let Some((width, height)) = size_of(c, &source)? else {
        return Ok(());
    };
    let (width, height) = (f64::from(width), f64::from(height));
    let whole = RectF {
        x: 0.0,
        y: 0.0,
        w: width,
        h: height,
    };
    let (src, dst) = match count {
        2 => (
            whole,
            RectF {
                x: n[0],
                y: n[1],
                w: width,
                h: height,
            },
        ),
        4 => (
            whole,
            RectF {
                x: n[0],
                y: n[1],
                w: n[2],
                h: n[3],
            },
        ),
        _ => (
            RectF {
                x: n[0],
                y: n[1],
                w: n[2],
                h: n[3],
            },
            RectF {
                x: n[4],
                y: n[5],
                w: n[6],
                h: n[7],
            },
        ),
    };
    match source {
        Source::Surface(source) if Rc::ptr_eq(&source, &this.surface) => {
            this.with(c, |d| d.draw_own_image(src, dst))
        }
        Source::Surface(source) => {
            let source = source.context.try_borrow().map_err(|_| c.busy())?;
            this.with(c, |d| d.draw_image(source.canvas().bitmap(), src, dst))
        }
        Source::Bitmap(bitmap) => this.with(c, |d| d.draw_image(&bitmap, src, dst)),
        Source::Vector(vector) => this.with(c, |d| d.draw_vector(&vector, src, dst)),
        Source::Nothing => Ok(()),
    }
}

/// `None` for what draws nothing; a canvas without an area is an error.
fn size_of(c: &Call<'_, '_>, source: &Source) -> Result<Option<(u32, u32)>> {
    match source {
        Source::Surface(surface) => match surface.size().ok_or_else(|| c.busy())? {
            (0, _) | (_, 0) => Err(c.dom_error("InvalidStateError", "the picture has no pixels")),
            size => Ok(Some(size)),
        },
        Source::Bitmap(bitmap) => Ok(Some((bitmap.width(), bitmap.height()))),
        Source::Vector(vector) => Ok(Some((vector.width(), vector.height()))),
        Source::Nothing => Ok(None),
    }
}

fn gradients(target: &Object<'_>) -> Result<()> {
    method(target, "createLinearGradient", 4, |c| {
        let [x0, y0, x1, y1] = c.finite(0)?;
        c.this::<ContextObject>()?;
        gradient(c, Gradient::linear(x0, y0, x1, y1))
    })?;
    method(target, "createRadialGradient", 6, |c| {
        let [x0, y0, r0, x1, y1, r1] = c.finite(0)?;
        c.this::<ContextObject>()?;
        gradient(
            c,
            Gradient::radial(x0, y0, r0, x1, y1, r1).map_err(|e| c.raise(e))?,
        )
    })?;
    method(target, "createConicGradient", 3, |c| {
        let [angle, x, y] = c.finite(0)?;
        c.this::<ContextObject>()?;
        gradient(c, Gradient::conic(angle, x, y))
    })
}

fn gradient<'js>(c: &Call<'_, 'js>, gradient: Gradient) -> Result<Class<'js, GradientObject>> {
    Class::instance(c.ctx().clone(), GradientObject { gradient })
}

fn create_pattern<'js>(c: &Call<'_, 'js>, host: &CanvasHost) -> Result<Value<'js>> {
    let source = c.picture(0)?;
    let word = if c.value(1).is_null() {
        String::new()
    } else {
        c.text(1)?
    };
    c.this::<ContextObject>()?;
    let size = size_of(c, &source)?;
    let repetition = Repetition::parse(&word)
        .ok_or_else(|| c.dom_error("SyntaxError", "the repetition is not one of the known words"))?;
    let Some((width, height)) = size else {
        return Ok(Value::new_null(c.ctx().clone()));
    };
    let charge = host.charge(c, width, height)?;
    let picture = match &source {
        Source::Surface(surface) => {
            let context = surface.context.try_borrow().map_err(|_| c.busy())?;
            context.canvas().snapshot()
        }
        Source::Bitmap(bitmap) => Bitmap::clone(bitmap),
        Source::Vector(vector) => vector.to_bitmap().map_err(|e| c.raise(e))?,
        Source::Nothing => return Ok(Value::new_null(c.ctx().clone())),
    };
    let pattern = PatternObject {
        pattern: Pattern::new(picture, repetition),
        _charge: Some(charge),
    };
    Ok(Class::instance(c.ctx().clone(), pattern)?.into_value())
}

/// (context, x, y, w, h, space) -> ArrayBuffer. The copy is the interpreter's, so that its limit counts it.
fn read_pixels<'js>(c: &Call<'_, 'js>, host: &CanvasHost) -> Result<ArrayBuffer<'js>> {
    let (x, y, w, h) = (c.long(1)?, c.long(2)?, c.long(3)?, c.long(4)?);
    let space = c.space(5)?;
    let pixels = u64::from(w.unsigned_abs()) * u64::from(h.unsigned_abs());
    if pixels > host.limit() {
        return Err(host.over_limit(c));
    }
    let context = c.drawing(0)?;
    let context = context.borrow();
    context.surface.check_readable(c)?;
    let read = context.with(c, |d| d.get_image_data_in(space, x, y, w, h))?;
    let image = read.map_err(|e| c.raise(e))?;
    ArrayBuffer::new_copy(c.ctx().clone(), &image.data).map_err(|_| {
        // The only reason. Ours is said in its place, as in a browser.
        c.ctx().catch();
        c.range_error("there is no memory for so many pixels")
    })
}

/// (context, data, width, height, space, dx, dy, dirtyX?, dirtyY?, dirtyWidth?, dirtyHeight?)
fn write_pixels(c: &Call<'_, '_>) -> Result<()> {
    let (width, height) = (c.size(2)?, c.size(3)?);
    let (space, dx, dy) = (c.space(4)?, c.long(5)?, c.long(6)?);
    let dirty = match c.given(7) {
        Some(_) => Some((c.long(7)?, c.long(8)?, c.long(9)?, c.long(10)?)),
        None => None,
    };
    let context = c.drawing(0)?;
    let context = context.borrow();
    context.surface.check_readable(c)?;
    let data = pixels_of(c, c.value(1))?;
    // SAFETY: no script runs until the bytes are drawn: put_pixels knows no interpreter, and all
    // conversions are done.
    #[allow(
        unsafe_code,
        reason = "drawn straight from the script's buffer, without a copy"
    )]
    let bytes = unsafe { data.as_bytes() };
    let bytes = bytes.filter(|b| b.len() as u64 == u64::from(width) * u64::from(height) * 4);
    let Some(bytes) = bytes else {
        return Err(c.dom_error("InvalidStateError", "the pixels of the ImageData were detached"));
    };
    context.with(c, |d| {
        d.put_pixels(bytes, (width, height, space), (dx, dy), dirty)
    })
}

fn pixels_of<'js>(c: &Call<'_, 'js>, value: Value<'js>) -> Result<Pixels<'js>> {
    value
        .into_object()
        .and_then(|o| Pixels::from_object(o).ok())
        .ok_or_else(|| c.type_error("no pixels"))
}
