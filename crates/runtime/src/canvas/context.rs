//! The context's state: transforms, styles, lines, compositing, text.
//!
//! Paths are in `paths`, pictures and pixels in `images`; overloads with dictionaries in JavaScript.

use super::CanvasHost;
use super::call::{Call, attribute, getter, method};
use super::objects::{ContextObject, FilterObject, GradientObject, PatternObject};
use ::canvas::{
    Color, CompositeOp, Context2d, Direction, FilterPrimitive, Filters, FontKerning, FontStretch,
    FontVariantCaps, Kernel, Length, LineCap, LineJoin, Matrix, SmoothingQuality, Style, TextAlign,
    TextBaseline, TextRendering, Turbulence, folded_css,
};
use rquickjs::convert::List;
use rquickjs::{Class, Coerced, IntoJs, Object, Result, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Everything that is a plain native member of the prototype.
pub(super) fn define(target: &Object<'_>) -> Result<()> {
    getter(target, "canvas", |c| {
        Ok(c.this::<ContextObject>()?.borrow().canvas.clone())
    })?;
    state(target)?;
    transforms(target)?;
    compositing(target)?;
    paints(target)?;
    shadows(target)?;
    filter(target)?;
    lines(target)?;
    rectangles(target)?;
    text(target)
}

/// Members that JavaScript wraps: they take the context as their first argument.
pub(super) fn define_internal(target: &Object<'_>, host: &Rc<CanvasHost>) -> Result<()> {
    let shared = Rc::clone(host);
    // (context, filter)
    method(target, "beginLayerOf", 2, move |c| begin_layer(c, &shared))?;
    method(target, "newFilter", 2, new_filter)?;
    // (text) -> text without comments and math functions
    method(target, "foldedCss", 1, |c| {
        let text = c.text(0)?;
        Ok(folded_css(&text).unwrap_or(text))
    })?;
    method(target, "spaceOf", 1, |c| {
        c.drawing(0)?.borrow().with(c, |d| d.canvas().space().as_str())
    })?;
    method(target, "transformOf", 1, |c| {
        let m = c.drawing(0)?.borrow().with(c, |d| d.get_transform())?;
        Ok(vec![m.a, m.b, m.c, m.d, m.e, m.f])
    })?;
    method(target, "setTransformOf", 7, |c| {
        let m = matrix(c.numbers(1)?);
        c.drawing(0)?.borrow().with(c, |d| d.set_transform(m))
    })?;
    method(target, "setLineDashOf", 2, |c| {
        let dash: Vec<f64> = c.value(1).get()?;
        c.drawing(0)?.borrow().with(c, |d| d.set_line_dash(&dash))
    })?;
    method(target, "measure", 2, |c| {
        let text = c.text(1)?;
        let m = c.drawing(0)?.borrow().with(c, |d| d.measure_text(&text))?;
        Ok(vec![
            m.width,
            m.actual_bounding_box_left,
            m.actual_bounding_box_right,
            m.font_bounding_box_ascent,
            m.font_bounding_box_descent,
            m.actual_bounding_box_ascent,
            m.actual_bounding_box_descent,
            m.em_height_ascent,
            m.em_height_descent,
            m.hanging_baseline,
            m.alphabetic_baseline,
            m.ideographic_baseline,
        ])
    })
}

/// A layer is pixels too: it counts until it ends.
fn begin_layer(c: &Call<'_, '_>, host: &CanvasHost) -> Result<()> {
    let filters = match c.maybe_object::<FilterObject>(1) {
        Some(object) => Filters::clone(&object.borrow().filters),
        None => filters_of(c, 1)?.unwrap_or_default(),
    };
    let context = c.drawing(0)?;
    let context = context.borrow();
    let charge = host.charge_pixels(c, context.with(c, |d| d.next_layer_pixels(&filters))?)?;
    context
        .with(c, |d| d.begin_layer(filters))?
        .map_err(|e| c.raise(e))?;
    context
        .layers
        .try_borrow_mut()
        .map_err(|_| c.busy())?
        .push(charge);
    context.paints.try_borrow_mut().map_err(|_| c.busy())?.save();
    Ok(())
}

/// `None` for text that is no list of filter functions.
fn filters_of(c: &Call<'_, '_>, index: usize) -> Result<Option<Filters>> {
    Ok(Filters::parse(&c.text(index)?))
}

pub(super) fn matrix([a, b, c, d, e, f]: [f64; 6]) -> Matrix {
    Matrix::new(a, b, c, d, e, f)
}

impl<'js> ContextObject<'js> {
    /// Runs `f` on the drawing; never while script can run.
    pub fn with<R>(&self, call: &Call<'_, 'js>, f: impl FnOnce(&mut Context2d) -> R) -> Result<R> {
        let mut context = self.surface.context.try_borrow_mut().map_err(|_| call.busy())?;
        Ok(f(&mut context))
    }
}

impl<'js> Call<'_, 'js> {
    /// `f` on the drawing of `this`.
    pub fn draw<R>(&self, f: impl FnOnce(&mut Context2d) -> R) -> Result<R> {
        self.on_this(|this: &Class<ContextObject>| this.borrow().with(self, f))
    }

    /// The context among the arguments of an internal function.
    pub fn drawing(&self, index: usize) -> Result<Class<'js, ContextObject<'js>>> {
        self.maybe_object(index)
            .ok_or_else(|| self.type_error("Illegal invocation"))
    }
}

fn state(target: &Object<'_>) -> Result<()> {
    method(target, "save", 0, |c| {
        let this = c.this::<ContextObject>()?;
        let this = this.borrow();
        this.with(c, |d| d.save())?;
        this.paints.try_borrow_mut().map_err(|_| c.busy())?.save();
        Ok(())
    })?;
    method(target, "restore", 0, |c| {
        let this = c.this::<ContextObject>()?;
        let this = this.borrow();
        this.with(c, |d| d.restore())?.map_err(|e| c.raise(e))?;
        let mut paints = this.paints.try_borrow_mut().map_err(|_| c.busy())?;
        let old = paints.restore();
        drop(paints);
        drop(old);
        Ok(())
    })?;
    method(target, "reset", 0, |c| {
        let this = c.this::<ContextObject>()?;
        this.borrow().with(c, |d| d.reset())?;
        this.borrow().forget_paints();
        Ok(())
    })?;
    method(target, "endLayer", 0, |c| {
        let this = c.this::<ContextObject>()?;
        let this = this.borrow();
        this.with(c, |d| d.end_layer())?.map_err(|e| c.raise(e))?;
        this.layers.try_borrow_mut().map_err(|_| c.busy())?.pop();
        let old = this.paints.try_borrow_mut().map_err(|_| c.busy())?.restore();
        drop(old);
        Ok(())
    })?;
    method(target, "isContextLost", 0, |c| c.draw(|_| false))?;
    method(target, "getContextAttributes", 0, |c| {
        let attributes = Object::new(c.ctx().clone())?;
        attributes.set("alpha", c.draw(|d| !d.canvas().is_opaque())?)?;
        attributes.set("colorSpace", c.draw(|d| d.canvas().space().as_str())?)?;
        attributes.set("colorType", "unorm8")?;
        attributes.set("desynchronized", false)?;
        attributes.set("willReadFrequently", false)?;
        Ok(attributes)
    })
}

fn filter(target: &Object<'_>) -> Result<()> {
    attribute(target, "filter", filter_value, set_filter)
}

/// The object that the script had set, or the text.
fn filter_value<'js>(c: &Call<'_, 'js>) -> Result<Value<'js>> {
    let this = c.this::<ContextObject>()?;
    let this = this.borrow();
    let object = this.paints.try_borrow().map_err(|_| c.busy())?.now.filter.clone();
    match object {
        Some(object) => Ok(object.into_value()),
        None => this.with(c, |d| d.filter().to_owned())?.into_js(c.ctx()),
    }
}

fn set_filter(c: &Call<'_, '_>) -> Result<()> {
    let this = c.this::<ContextObject>()?;
    let given = c.maybe_object::<FilterObject>(0);
    let (filters, object) = match given {
        Some(object) => (Arc::clone(&object.borrow().filters), c.value(0).into_object()),
        // As everywhere: what is not understood changes nothing.
        None => match filters_of(c, 0)? {
            Some(filters) => (Arc::new(filters), None),
            None => return Ok(()),
        },
    };
    let this = this.borrow();
    this.with(c, |d| d.set_filters(filters))?;
    let mut paints = this.paints.try_borrow_mut().map_err(|_| c.busy())?;
    let old = std::mem::replace(&mut paints.now.filter, object);
    drop(paints);
    drop(old);
    Ok(())
}

/// (prototype, [[name, numbers, colour]])
fn new_filter<'js>(c: &Call<'_, 'js>) -> Result<Class<'js, FilterObject>> {
    let given: Vec<List<(String, Vec<f64>, String)>> = c.value(1).get()?;
    let mut list = Vec::with_capacity(given.len());
    for List((name, numbers, color)) in given {
        let primitive = primitive(&name, &numbers, &color);
        list.push(primitive.ok_or_else(|| c.type_error(&format!("'{name}' is not understood")))?);
    }
    let filters = Filters::of_primitives(&list).map_err(|e| c.raise(e))?;
    let object = FilterObject {
        filters: Arc::new(filters),
    };
    Class::instance_proto(object, c.plain_object(0)?)
}

/// The numbers are in the order in which `js/filters.js` gives them.
fn primitive(name: &str, numbers: &[f64], color: &str) -> Option<FilterPrimitive> {
    Some(match (name, numbers) {
        ("gaussianBlur", [x, y]) => FilterPrimitive::Blur([*x, *y]),
        ("dropShadow", [dx, dy, sx, sy, opacity]) => FilterPrimitive::DropShadow {
            offset: [*dx, *dy],
            deviation: [*sx, *sy],
            color: Color::parse(color)?.faded(*opacity as f32),
        },
        ("colorMatrix", numbers) => FilterPrimitive::ColorMatrix(numbers.try_into().ok()?),
        ("componentTransfer", numbers) => {
            let (tables, _) = numbers.as_chunks::<256>();
            let tables: [[f64; 256]; 4] = tables.try_into().ok()?;
            FilterPrimitive::Transfer(Box::new(tables.map(|table| table.map(|v| v as u8))))
        }
        ("turbulence", [x, y, octaves, seed, stitched, fractal]) => FilterPrimitive::Turbulence(Turbulence {
            frequency: [*x, *y],
            octaves: *octaves as u32,
            seed: *seed,
            stitched: *stitched != 0.0,
            fractal: *fractal != 0.0,
        }),
        ("convolveMatrix", [columns, divisor, bias, x, y, alpha, kernel @ ..]) => {
            FilterPrimitive::Convolve(Kernel {
                columns: *columns as usize,
                numbers: kernel.to_vec(),
                divisor: *divisor,
                bias: *bias,
                target: [*x as usize, *y as usize],
                preserves_alpha: *alpha != 0.0,
            })
        }
        _ => return None,
    })
}

fn transforms(target: &Object<'_>) -> Result<()> {
    method(target, "translate", 2, |c| {
        let [x, y] = c.numbers(0)?;
        c.draw(|d| d.translate(x, y))
    })?;
    method(target, "scale", 2, |c| {
        let [x, y] = c.numbers(0)?;
        c.draw(|d| d.scale(x, y))
    })?;
    method(target, "rotate", 1, |c| {
        let [angle] = c.numbers(0)?;
        c.draw(|d| d.rotate(angle))
    })?;
    method(target, "transform", 6, |c| {
        let m = matrix(c.numbers(0)?);
        c.draw(|d| d.transform(m))
    })?;
    method(target, "resetTransform", 0, |c| c.draw(|d| d.reset_transform()))
}

/// A number with the usual pair of calls.
macro_rules! numbers {
    ($target:expr; $($name:literal => $get:ident, $set:ident;)*) => {$(
        attribute($target, $name, |c| c.draw(|d| d.$get()), |c| {
            let value = c.number(0)?;
            c.draw(|d| d.$set(value))
        })?;
    )*};
}

/// An enumeration: a setter ignores words that it does not know.
macro_rules! words {
    ($target:expr; $($name:literal => $class:ident, $get:ident, $set:ident;)*) => {$(
        attribute($target, $name, |c| c.draw(|d| d.$get().as_str()), |c| {
            let value = c.with_text(0, $class::parse)?;
            c.draw(|d| if let Some(value) = value { d.$set(value) })
        })?;
    )*};
}

/// A CSS length: a setter ignores what is none.
macro_rules! lengths {
    ($target:expr; $($name:literal => $get:ident, $set:ident;)*) => {$(
        attribute($target, $name, |c| c.draw(|d| d.$get().serialize()), |c| {
            let length = c.with_text(0, Length::parse)?;
            c.draw(|d| if let Some(length) = length { d.$set(length) })
        })?;
    )*};
}

fn compositing(target: &Object<'_>) -> Result<()> {
    numbers!(target; "globalAlpha" => global_alpha, set_global_alpha;);
    words!(target;
        "globalCompositeOperation" => CompositeOp, composite_op, set_composite_op;
        "imageSmoothingQuality" => SmoothingQuality, smoothing_quality, set_smoothing_quality;
    );
    attribute(
        target,
        "imageSmoothingEnabled",
        |c| c.draw(|d| d.smoothing()),
        |c| {
            let on = c.truth(0)?;
            c.draw(|d| d.set_smoothing(on))
        },
    )
}

#[derive(Clone, Copy)]
enum Paint {
    Fill,
    Stroke,
}

fn paints(target: &Object<'_>) -> Result<()> {
    attribute(
        target,
        "fillStyle",
        |c| style_of(c, Paint::Fill),
        |c| set_style(c, Paint::Fill),
    )?;
    attribute(
        target,
        "strokeStyle",
        |c| style_of(c, Paint::Stroke),
        |c| set_style(c, Paint::Stroke),
    )
}

/// The object that the script had set, or the colour as the standard serialises it.
fn style_of<'js>(c: &Call<'_, 'js>, paint: Paint) -> Result<Value<'js>> {
    let this = c.this::<ContextObject>()?;
    let this = this.borrow();
    let style = this.with(c, |d| match paint {
        Paint::Fill => d.fill_style().clone(),
        Paint::Stroke => d.stroke_style().clone(),
    })?;
    let paints = this.paints.try_borrow().map_err(|_| c.busy())?;
    let object = match paint {
        Paint::Fill => paints.now.fill.clone(),
        Paint::Stroke => paints.now.stroke.clone(),
    };
    drop(paints);
    match style {
        Style::Color(color) => color.serialize().into_js(c.ctx()),
        Style::Gradient(gradient) => {
            let own = object.filter(|o| {
                Class::<GradientObject>::from_object(o)
                    .is_some_and(|o| o.borrow().gradient.id() == gradient.id())
            });
            match own {
                Some(own) => Ok(own.into_value()),
                None => Ok(Class::instance(c.ctx().clone(), GradientObject { gradient })?.into_value()),
            }
        }
        Style::Pattern(pattern) => {
            let own = object.filter(|o| {
                Class::<PatternObject>::from_object(o)
                    .is_some_and(|o| o.borrow().pattern.id() == pattern.id())
            });
            match own {
                Some(own) => Ok(own.into_value()),
                None => Ok(Class::instance(
                    c.ctx().clone(),
                    PatternObject {
                        pattern,
                        _charge: None,
                    },
                )?
                .into_value()),
            }
        }
    }
}

/// A colour as text. An object that has no text of its own may be `{r, g, b, a}`, each 0..1; those
/// of libraries have one.
fn color_text(c: &Call<'_, '_>) -> Result<String> {
    let text = c.text(0)?;
    let Some(object) = c.value(0).into_object().filter(|_| text == "[object Object]") else {
        return Ok(text);
    };
    let mut channels = [0.0, 0.0, 0.0, 1.0];
    for (name, channel) in ["r", "g", "b", "a"].into_iter().zip(&mut channels) {
        match object.get::<_, Option<Coerced<f64>>>(name)? {
            Some(Coerced(value)) => *channel = value,
            None if name != "a" => return Ok(text),
            None => {}
        }
    }
    let [r, g, b, a] = channels.map(|v: f64| v.clamp(0.0, 1.0));
    Ok(format!("rgb({} {} {} / {a})", r * 255.0, g * 255.0, b * 255.0))
}

fn set_style<'js>(c: &Call<'_, 'js>, paint: Paint) -> Result<()> {
    let (style, object) = match given_style(c)? {
        Some(given) => given,
        // What is not understood changes nothing; the brand is looked at all the same.
        None => return c.draw(|_| ()),
    };
    c.on_this(|this: &Class<ContextObject>| {
        let this = this.borrow();
        this.with(c, |d| match paint {
            Paint::Fill => d.set_fill_style(style),
            Paint::Stroke => d.set_stroke_style(style),
        })?;
        let mut paints = this.paints.try_borrow_mut().map_err(|_| c.busy())?;
        let slot = match paint {
            Paint::Fill => &mut paints.now.fill,
            Paint::Stroke => &mut paints.now.stroke,
        };
        let old = std::mem::replace(slot, object);
        drop(paints);
        drop(old);
        Ok(())
    })
}

/// A gradient or a pattern with its object, or a colour.
fn given_style<'js>(c: &Call<'_, 'js>) -> Result<Option<(Style, Option<Object<'js>>)>> {
    if c.is_text(0) {
        let color = c.with_text(0, Color::parse)?;
        return Ok(color.map(|color| (Style::Color(color), None)));
    }
    let style = if let Some(gradient) = c.maybe_object::<GradientObject>(0) {
        Style::Gradient(gradient.borrow().gradient.clone())
    } else if let Some(pattern) = c.maybe_object::<PatternObject>(0) {
        Style::Pattern(pattern.borrow().pattern.clone())
    } else {
        let color = Color::parse(&color_text(c)?);
        return Ok(color.map(|color| (Style::Color(color), None)));
    };
    Ok(Some((style, c.value(0).into_object())))
}

fn shadows(target: &Object<'_>) -> Result<()> {
    numbers!(target;
        "shadowBlur" => shadow_blur, set_shadow_blur;
        "shadowOffsetX" => shadow_offset_x, set_shadow_offset_x;
        "shadowOffsetY" => shadow_offset_y, set_shadow_offset_y;
    );
    attribute(
        target,
        "shadowColor",
        |c| c.draw(|d| d.shadow_color().serialize()),
        |c| {
            // The answer says whether the colour was understood; the standard keeps the old one silently.
            let drawn = c.with_text(0, |color| c.draw(|d| d.set_shadow_color(color)))?;
            drawn.map(|_| ())
        },
    )
}

fn lines(target: &Object<'_>) -> Result<()> {
    numbers!(target;
        "lineWidth" => line_width, set_line_width;
        "miterLimit" => miter_limit, set_miter_limit;
        "lineDashOffset" => line_dash_offset, set_line_dash_offset;
    );
    words!(target;
        "lineCap" => LineCap, line_cap, set_line_cap;
        "lineJoin" => LineJoin, line_join, set_line_join;
    );
    method(target, "getLineDash", 0, |c| c.draw(|d| d.line_dash().to_vec()))
}

fn rectangles(target: &Object<'_>) -> Result<()> {
    method(target, "fillRect", 4, |c| {
        let [x, y, w, h] = c.numbers(0)?;
        c.draw(|d| d.fill_rect(x, y, w, h))
    })?;
    method(target, "strokeRect", 4, |c| {
        let [x, y, w, h] = c.numbers(0)?;
        c.draw(|d| d.stroke_rect(x, y, w, h))
    })?;
    method(target, "clearRect", 4, |c| {
        let [x, y, w, h] = c.numbers(0)?;
        c.draw(|d| d.clear_rect(x, y, w, h))
    })
}

fn text(target: &Object<'_>) -> Result<()> {
    words!(target;
        "textAlign" => TextAlign, text_align, set_text_align;
        "textBaseline" => TextBaseline, text_baseline, set_text_baseline;
        "direction" => Direction, direction, set_direction;
        "fontKerning" => FontKerning, font_kerning, set_font_kerning;
        "fontStretch" => FontStretch, font_stretch, set_font_stretch;
        "fontVariantCaps" => FontVariantCaps, font_variant_caps, set_font_variant_caps;
        "textRendering" => TextRendering, text_rendering, set_text_rendering;
    );
    lengths!(target;
        "letterSpacing" => letter_spacing, set_letter_spacing;
        "wordSpacing" => word_spacing, set_word_spacing;
    );
    attribute(
        target,
        "lang",
        |c| c.draw(|d| d.lang().to_owned()),
        |c| {
            let lang = c.text(0)?;
            c.draw(|d| d.set_lang(&lang))
        },
    )?;
    attribute(
        target,
        "font",
        |c| c.draw(|d| d.font()),
        |c| {
            let drawn = c.with_text(0, |font| c.draw(|d| d.set_font(font)))?;
            drawn.map(|_| ())
        },
    )?;
    method(target, "fillText", 3, |c| {
        let (text, [x, y], width) = text_arguments(c)?;
        c.draw(|d| d.fill_text(&text, x, y, width))
    })?;
    method(target, "strokeText", 3, |c| {
        let (text, [x, y], width) = text_arguments(c)?;
        c.draw(|d| d.stroke_text(&text, x, y, width))
    })
}

fn text_arguments(c: &Call<'_, '_>) -> Result<(String, [f64; 2], Option<f64>)> {
    let text = c.text(0)?;
    let at = c.numbers(1)?;
    let width = c.given(3).map(|_| c.number(3)).transpose()?;
    Ok((text, at, width))
}
