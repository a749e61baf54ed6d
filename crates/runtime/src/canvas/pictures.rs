//! What can be drawn beside a canvas: Image and ImageBitmap, from bytes, files and other pictures.
//!
//! Not here: events and promises, which are JavaScript (`js/pictures.js`).

use super::CanvasHost;
use super::budget::Charge;
use super::call::{Call, method};
use super::objects::{BitmapObject, CanvasObject, ImageObject, Shown, Surface};
use ::canvas::{Bitmap, Canvas, CanvasError, Context2d, Fonts, Picture, RectF, Vector, decode};
use data_url::DataUrl;
use rquickjs::{ArrayBuffer, Class, FromJs, Object, Result, TypedArray, U8Clamped, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The argument of drawImage and createPattern.
pub(super) enum Source {
    Surface(Rc<Surface>),
    Bitmap(Rc<Bitmap>),
    Vector(Rc<Vector>),
    /// Not there yet, or without an area: draws nothing.
    Nothing,
}

impl<'js> Call<'_, 'js> {
    /// The argument as a picture; the exceptions are those of "check the usability of the image
    /// argument" in the standard.
    pub fn picture(&self, index: usize) -> Result<Source> {
        if let Some(canvas) = self.maybe_object::<CanvasObject>(index) {
            let surface = Rc::clone(&canvas.borrow().surface);
            surface.check_readable(self)?;
            return Ok(Source::Surface(surface));
        }
        if let Some(image) = self.maybe_object::<ImageObject>(index) {
            let image = image.borrow();
            let shown = image.shown.try_borrow().map_err(|_| self.busy())?;
            return match &*shown {
                Shown::Nothing => Ok(Source::Nothing),
                Shown::Broken => Err(self.dom_error("InvalidStateError", "the picture is broken")),
                Shown::Picture(bitmap, _) if bitmap.is_empty() => Ok(Source::Nothing),
                Shown::Picture(bitmap, _) => Ok(Source::Bitmap(Rc::clone(bitmap))),
                Shown::Vector(vector, _) => Ok(Source::Vector(Rc::clone(vector))),
            };
        }
        if let Some(bitmap) = self.maybe_object::<BitmapObject>(index) {
            let bitmap = bitmap.borrow();
            let held = bitmap.held.try_borrow().map_err(|_| self.busy())?;
            return match &*held {
                Some((bitmap, _)) => Ok(Source::Bitmap(Rc::clone(bitmap))),
                None => Err(self.dom_error("InvalidStateError", "the ImageBitmap is closed")),
            };
        }
        Err(self.type_error(&format!("argument {} is not a picture", index + 1)))
    }
}

pub(super) fn define_internal(target: &Object<'_>, host: &Rc<CanvasHost>) -> Result<()> {
    method(target, "newImage", 1, |c| {
        let image = ImageObject {
            shown: RefCell::new(Shown::Nothing),
        };
        Class::instance_proto(image, c.plain_object(0)?)
    })?;
    // (image, broken)
    method(target, "emptyImage", 2, |c| {
        let shown = if c.truth(1)? {
            Shown::Broken
        } else {
            Shown::Nothing
        };
        show(c, shown)
    })?;
    // (image, bytes): throws what is wrong with them.
    let shared = Rc::clone(host);
    method(target, "fillImage", 2, move |c| {
        show(c, decoded(c, &shared, &bytes_of(c, 1)?)?)
    })?;
    method(target, "imageSize", 1, |c| {
        let image = c
            .maybe_object::<ImageObject>(0)
            .ok_or_else(|| c.type_error("Illegal invocation"))?;
        let image = image.borrow();
        let shown = image.shown.try_borrow().map_err(|_| c.busy())?;
        Ok(match &*shown {
            Shown::Picture(bitmap, _) => vec![bitmap.width(), bitmap.height()],
            Shown::Vector(vector, _) => vec![vector.width(), vector.height()],
            Shown::Nothing | Shown::Broken => vec![0, 0],
        })
    })?;
    // (text) -> ArrayBuffer, or null for what is no data: address.
    method(target, "dataOf", 1, |c| {
        let text = c.text(0)?;
        let bytes = DataUrl::process(&text)
            .ok()
            .and_then(|url| url.decode_to_vec().ok());
        match bytes {
            Some((bytes, _)) => Ok(ArrayBuffer::new_copy(c.ctx().clone(), bytes)?.into_value()),
            None => Ok(Value::new_null(c.ctx().clone())),
        }
    })?;
    // (path) -> ArrayBuffer. What may be read, the walls around the worker say.
    method(target, "fileOf", 1, |c| {
        let path = c.text(0)?;
        let bytes = std::fs::read(&path)
            .map_err(|error| crate::guest::node_error(c.ctx(), &error, "open", Some(&path)))?;
        ArrayBuffer::new_copy(c.ctx().clone(), bytes)
    })?;
    bitmaps(target, host)
}

fn bitmaps(target: &Object<'_>, host: &Rc<CanvasHost>) -> Result<()> {
    // (prototype, source, x, y, w, h, width, height): a part of a picture in another size.
    let shared = Rc::clone(host);
    method(target, "newBitmap", 8, move |c| match c.picture(1)? {
        Source::Surface(surface) => {
            let context = surface.context.try_borrow().map_err(|_| c.busy())?;
            cut(c, &shared, &Cut::Pixels(context.canvas().bitmap()))
        }
        Source::Bitmap(bitmap) => cut(c, &shared, &Cut::Pixels(&bitmap)),
        Source::Vector(vector) => cut(c, &shared, &Cut::Shapes(&vector)),
        Source::Nothing => Err(c.dom_error("InvalidStateError", "the picture has no pixels")),
    })?;
    // The same from (prototype, data, x, y, w, h, width, height, dataWidth, dataHeight, space).
    let shared = Rc::clone(host);
    method(target, "newBitmapOfData", 11, move |c| {
        let (width, height, space) = (c.size(8)?, c.size(9)?, c.space(10)?);
        let bitmap = Bitmap::from_straight(width, height, &bytes_of(c, 1)?).map_err(|e| c.raise(e))?;
        cut(c, &shared, &Cut::Pixels(&bitmap.labelled(space)))
    })?;
    // (prototype, bytes): a whole picture.
    let shared = Rc::clone(host);
    method(target, "newBitmapOfBytes", 2, move |c| {
        match decoded(c, &shared, &bytes_of(c, 1)?)? {
            Shown::Picture(bitmap, charge) => held(c, bitmap, charge),
            Shown::Vector(vector, _) => {
                let charge = shared.charge(c, vector.width(), vector.height())?;
                let bitmap = vector.to_bitmap().map_err(|e| c.raise(e))?;
                held(c, Rc::new(bitmap), charge)
            }
            Shown::Nothing | Shown::Broken => Err(c.raise(CanvasError::BadPicture)),
        }
    })?;
    // (prototype, canvas): its pixels, which go from it.
    let shared = Rc::clone(host);
    method(target, "takeBitmap", 2, move |c| {
        let canvas = c.object::<CanvasObject>(1, "a canvas")?;
        let surface = Rc::clone(&canvas.borrow().surface);
        surface.check_readable(c)?;
        let (width, height) = surface.size().ok_or_else(|| c.busy())?;
        let charge = shared.charge(c, width, height)?;
        let taken = surface
            .context
            .try_borrow_mut()
            .map_err(|_| c.busy())?
            .take_bitmap();
        held(c, Rc::new(taken), charge)
    })?;
    method(target, "closeBitmap", 1, |c| {
        let bitmap = bitmap_argument(c)?;
        bitmap
            .borrow()
            .held
            .try_borrow_mut()
            .map_err(|_| c.busy())?
            .take();
        Ok(())
    })?;
    method(target, "flipBitmap", 1, |c| {
        let bitmap = bitmap_argument(c)?;
        let bitmap = bitmap.borrow();
        let mut held = bitmap.held.try_borrow_mut().map_err(|_| c.busy())?;
        if let Some((bitmap, _)) = &mut *held {
            *bitmap = Rc::new(bitmap.flipped());
        }
        Ok(())
    })?;
    method(target, "bitmapSize", 1, |c| {
        let bitmap = bitmap_argument(c)?;
        let bitmap = bitmap.borrow();
        let held = bitmap.held.try_borrow().map_err(|_| c.busy())?;
        Ok(match &*held {
            Some((bitmap, _)) => vec![bitmap.width(), bitmap.height()],
            None => vec![0, 0],
        })
    })
}

fn bitmap_argument<'js>(c: &Call<'_, 'js>) -> Result<Class<'js, BitmapObject>> {
    c.maybe_object(0)
        .ok_or_else(|| c.type_error("Illegal invocation"))
}

fn held<'js>(c: &Call<'_, 'js>, bitmap: Rc<Bitmap>, charge: Charge) -> Result<Class<'js, BitmapObject>> {
    let object = BitmapObject {
        held: RefCell::new(Some((bitmap, charge))),
    };
    Class::instance_proto(object, c.plain_object(0)?)
}

/// What a part is cut out of.
enum Cut<'a> {
    Pixels(&'a Bitmap),
    Shapes(&'a Vector),
}

/// Arguments 2 to 7: the rectangle in the source, and the size it becomes.
fn cut<'js>(c: &Call<'_, 'js>, host: &CanvasHost, source: &Cut) -> Result<Class<'js, BitmapObject>> {
    let [x, y, w, h] = c.numbers(2)?;
    let (width, height) = (c.size(6)?, c.size(7)?);
    let charge = host.charge(c, width, height)?;
    let mut canvas = Canvas::new(width, height).map_err(|e| c.raise(e))?;
    let (whole_width, whole_height) = match source {
        Cut::Pixels(bitmap) => {
            canvas.set_space(bitmap.space());
            (bitmap.width(), bitmap.height())
        }
        Cut::Shapes(vector) => (vector.width(), vector.height()),
    };
    let mut drawing = Context2d::new(canvas);
    // A part of the rectangle that lies outside is transparent: the whole source is placed.
    let (kx, ky) = (f64::from(width) / w.abs(), f64::from(height) / h.abs());
    let whole = RectF {
        x: 0.0,
        y: 0.0,
        w: f64::from(whole_width),
        h: f64::from(whole_height),
    };
    let place = RectF {
        x: -(x + w.min(0.0)) * kx,
        y: -(y + h.min(0.0)) * ky,
        w: whole.w * kx,
        h: whole.h * ky,
    };
    match source {
        Cut::Pixels(bitmap) => drawing.draw_image(bitmap, whole, place),
        Cut::Shapes(vector) => drawing.draw_vector(vector, whole, place),
    }
    held(c, Rc::new(drawing.take_bitmap()), charge)
}

fn show(c: &Call<'_, '_>, shown: Shown) -> Result<()> {
    let image = c
        .maybe_object::<ImageObject>(0)
        .ok_or_else(|| c.type_error("Illegal invocation"))?;
    *image.borrow().shown.try_borrow_mut().map_err(|_| c.busy())? = shown;
    Ok(())
}

/// What the bytes show. An SVG counts for the pixels that it may keep.
fn decoded(c: &Call<'_, '_>, host: &CanvasHost, bytes: &[u8]) -> Result<Shown> {
    match decode(bytes, host.limit(), &Fonts::bundled()).map_err(|e| c.raise(e))? {
        Picture::Bitmap(bitmap) => {
            let charge = host.charge(c, bitmap.width(), bitmap.height())?;
            Ok(Shown::Picture(Rc::new(bitmap), charge))
        }
        Picture::Vector(vector) => {
            let charge = host.charge_pixels(c, vector.kept_pixels())?;
            Ok(Shown::Vector(Rc::from(vector), charge))
        }
    }
}

/// The bytes of an ArrayBuffer or a typed array, copied.
#[allow(
    unsafe_code,
    reason = "rquickjs cannot know that no JavaScript runs meanwhile"
)]
pub(super) fn bytes_of(c: &Call<'_, '_>, index: usize) -> Result<Vec<u8>> {
    let value = c.value(index);
    // SAFETY: nothing runs between looking at the bytes and having copied them.
    let bytes = unsafe {
        if let Ok(buffer) = ArrayBuffer::from_js(c.ctx(), value.clone()) {
            buffer.as_bytes().map(<[u8]>::to_vec)
        } else if let Ok(array) = TypedArray::<u8>::from_js(c.ctx(), value.clone()) {
            array.as_bytes().map(<[u8]>::to_vec)
        } else {
            let array = TypedArray::<U8Clamped>::from_js(c.ctx(), value);
            array.ok().and_then(|array| array.as_bytes().map(<[u8]>::to_vec))
        }
    };
    bytes.ok_or_else(|| c.type_error("bytes are expected"))
}
