//! What shapes are painted with, as attributes: colours, gradients, patterns, and pictures where SVG
//! has no words for them.

use super::super::Context2d;
use super::super::surface::Ink;
use crate::canvas::Bitmap;
use crate::geometry::IRect;
use crate::matrix::Matrix;
use crate::paint::{Color, GradientKind, Repetition, Style};
use crate::svg::{FAR, Recording, number, opacity_attribute, transform_attribute, whole_of};

/// The attributes that say what a shape is painted with.
pub(super) enum Paint {
    Nothing,
    Said(String),
}

impl Context2d {
    /// The attributes `name` and `name-opacity` of an element whose space `from_device` leads to and
    /// which is painted inside of `area`.
    pub(super) fn paint(
        &self,
        recording: &mut Recording,
        (style, name, opacity): (&Style, &str, f64),
        from_device: &Matrix,
        area: IRect,
    ) -> Option<Paint> {
        let ctm = &self.state.ctm;
        let Some(ink) = Ink::of_style(style, ctm, (1.0, self.canvas.space()), self.state.smoothing) else {
            return Some(Paint::Nothing);
        };
        let id = match style {
            Style::Color(color) => {
                let opacity = opacity * f64::from(color.alpha());
                let [r, g, b, _] = color.to_rgba8();
                return Some(match opacity > 0.0 {
                    true => Paint::Said(format!(
                        " {name}=\"#{r:02x}{g:02x}{b:02x}\"{}",
                        opacity_attribute(&format!("{name}-opacity"), opacity)
                    )),
                    false => Paint::Nothing,
                });
            }
            Style::Gradient(gradient) => {
                let (kind, stops) = gradient.said();
                let to_element = from_device.multiply(*ctm);
                gradient_text(kind, stops, &to_element).map(|(tag, text)| recording.defs.define(tag, &text))
            }
            Style::Pattern(pattern) if pattern.repetition() == Repetition::Repeat => {
                let image = pattern.image();
                let place = from_device.multiply(*ctm).multiply(pattern.transform());
                let picture = recording.defs.picture(image, self.state.smoothing).ok()?;
                let size = (image.width() as usize, image.height() as usize);
                Some(define_pattern(recording, size, &place, picture))
            }
            Style::Pattern(_) => None,
        };
        let id = match id {
            Some(id) => id,
            None => {
                let seen = area.intersect(whole_of(self.canvas.bitmap()));
                if seen.is_empty() && !recording.is_branch() && self.paints_plainly() {
                    return Some(Paint::Nothing);
                }
                if seen.is_empty() || (seen != area && !self.paints_plainly()) {
                    // What casts into the picture from beside it has no pixels to be shown with.
                    return None;
                }
                let mut pixels = Vec::new();
                ink.shade(seen, 0, 0, &mut pixels);
                let (width, height) = (seen.width() as u32, seen.height() as u32);
                let pixels = Bitmap::from_premultiplied(width, height, pixels)?;
                let picture = recording
                    .defs
                    .picture(&pixels.labelled(self.canvas.space()), true)
                    .ok()?;
                let place = Matrix::translation(f64::from(seen.x0), f64::from(seen.y0));
                let place = from_device.multiply(place);
                define_pattern(recording, (seen.width(), seen.height()), &place, picture)
            }
        };
        // The element's own: some viewers forget that of a pattern along a shape's edges (tiny-skia 0.12
        // keeps it where the coverage of edges goes), and an element has one paint.
        let opacity = opacity_attribute("opacity", opacity);
        Some(Paint::Said(format!(" {name}=\"url(#d{id})\"{opacity}")))
    }
}

fn define_pattern(
    recording: &mut Recording,
    (width, height): (usize, usize),
    place: &Matrix,
    picture: usize,
) -> usize {
    let place = transform_attribute("patternTransform", place);
    recording.defs.define(
        "pattern",
        &format!(
            " patternUnits=\"userSpaceOnUse\" width=\"{width}\" height=\"{height}\"{place}><use href=\"#d{picture}\"/></pattern>"
        ),
    )
}

/// Tag and text of a gradient; `None` for those that SVG has not.
fn gradient_text(
    kind: GradientKind,
    mut stops: Vec<(f64, Color)>,
    place: &Matrix,
) -> Option<(&'static str, String)> {
    let near = |numbers: &[f64]| place.is_finite() && numbers.iter().all(|v| v.abs() <= FAR);
    let (tag, shape) = match kind {
        GradientKind::Linear { from, to } if near(&from) && near(&to) => {
            let [x1, y1] = from.map(number);
            let [x2, y2] = to.map(number);
            (
                "linearGradient",
                format!(" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\""),
            )
        }
        GradientKind::Radial { from, to } if near(&from) && near(&to) => {
            let apart = (to[0] - from[0]).hypot(to[1] - from[1]);
            let (inner, outer) = match from[2] <= to[2] {
                true => (from, to),
                false => {
                    stops.reverse();
                    stops.iter_mut().for_each(|stop| stop.0 = 1.0 - stop.0);
                    (to, from)
                }
            };
            if apart + inner[2] >= outer[2] * 0.999 {
                return None;
            }
            let [fx, fy, fr] = inner.map(number);
            let [cx, cy, r] = outer.map(number);
            (
                "radialGradient",
                format!(" cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\" fx=\"{fx}\" fy=\"{fy}\" fr=\"{fr}\""),
            )
        }
        GradientKind::Linear { .. } | GradientKind::Radial { .. } | GradientKind::Conic { .. } => {
            return None;
        }
    };
    let place = transform_attribute("gradientTransform", place);
    let mut text = format!(" gradientUnits=\"userSpaceOnUse\"{shape}{place}>");
    for (offset, color) in stops {
        let [r, g, b, _] = color.to_rgba8();
        let opacity = opacity_attribute("stop-opacity", color.alpha().into());
        let offset = number(offset);
        text.push_str(&format!(
            "<stop offset=\"{offset}\" stop-color=\"#{r:02x}{g:02x}{b:02x}\"{opacity}/>"
        ));
    }
    text.push_str(&format!("</{tag}>"));
    Some((tag, text))
}
