//! CanvasGradient: linear, radial (two circles) and conic.

use super::color::Color;
use crate::error::CanvasError;
use crate::matrix::Matrix;
use std::sync::{Arc, Mutex, PoisonError};
use tiny_skia::{GradientStop, Point, Shader, SpreadMode};

/// A handle: clones are the same gradient, as the DOM object is shared by its users.
#[derive(Clone, Debug)]
pub struct Gradient(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    /// Sorted by offset; equal offsets in the order they were added.
    stops: Mutex<Vec<(f64, Color)>>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Linear { from: [f64; 2], to: [f64; 2] },
    Radial { from: [f64; 3], to: [f64; 3] },
    Conic { angle: f64, center: [f64; 2] },
}

/// What a gradient amounts to for one drawing call.
pub(crate) enum GradientPaint {
    Nothing,
    Shader(Shader<'static>),
}

impl Gradient {
    pub fn linear(x0: f64, y0: f64, x1: f64, y1: f64) -> Gradient {
        Gradient::new(Kind::Linear {
            from: [x0, y0],
            to: [x1, y1],
        })
    }

    pub fn radial(x0: f64, y0: f64, r0: f64, x1: f64, y1: f64, r1: f64) -> Result<Gradient, CanvasError> {
        if r0 < 0.0 || r1 < 0.0 {
            return Err(CanvasError::NegativeRadius);
        }
        Ok(Gradient::new(Kind::Radial {
            from: [x0, y0, r0],
            to: [x1, y1, r1],
        }))
    }

    pub fn conic(start_angle: f64, x: f64, y: f64) -> Gradient {
        Gradient::new(Kind::Conic {
            angle: start_angle,
            center: [x, y],
        })
    }

    pub fn add_color_stop(&self, offset: f64, css: &str) -> Result<(), CanvasError> {
        if !(0.0..=1.0).contains(&offset) {
            return Err(if offset.is_finite() {
                CanvasError::OffsetOutOfRange
            } else {
                CanvasError::NotFinite
            });
        }
        let color = Color::parse(css).ok_or(CanvasError::BadColor)?;
        let mut stops = self.0.stops.lock().unwrap_or_else(PoisonError::into_inner);
        let at = stops.partition_point(|(o, _)| *o <= offset);
        stops.insert(at, (offset, color));
        Ok(())
    }

    /// Identity of the DOM object: equal for clones, different otherwise.
    pub fn id(&self) -> u64 {
        Arc::as_ptr(&self.0) as usize as u64
    }

    fn new(kind: Kind) -> Gradient {
        Gradient(Arc::new(Inner {
            kind,
            stops: Mutex::new(Vec::new()),
        }))
    }

    /// The shader in a space that `to_device` leads out of.
    pub(crate) fn paint(&self, to_device: &Matrix, opacity: f32) -> GradientPaint {
        let stops = self.0.stops.lock().unwrap_or_else(PoisonError::into_inner);
        self.shader(&stops, to_device, opacity)
            .map_or(GradientPaint::Nothing, GradientPaint::Shader)
    }

    fn shader(&self, stops: &[(f64, Color)], to_device: &Matrix, opacity: f32) -> Option<Shader<'static>> {
        let skia = skia_stops(stops, opacity);
        let pad = SpreadMode::Pad;
        if skia.is_empty() {
            return None;
        }
        match self.0.kind {
            Kind::Linear { from, to } => {
                if from == to {
                    return None;
                }
                let m = normalised(to_device, from, distance(from, to))?;
                let unit = unit(from, to)?;
                tiny_skia::LinearGradient::new(Point::from_xy(0.0, 0.0), unit, skia, pad, m)
            }
            Kind::Radial {
                from: [x0, y0, r0],
                to: [x1, y1, r1],
            } => {
                if (x0, y0, r0) == (x1, y1, r1) {
                    return None;
                }
                let size = distance([x0, y0], [x1, y1]).max(r0).max(r1);
                let m = normalised(to_device, [x0, y0], size)?;
                let end = Point::from_xy(((x1 - x0) / size) as f32, ((y1 - y0) / size) as f32);
                let (r0, r1) = ((r0 / size) as f32, (r1 / size) as f32);
                tiny_skia::RadialGradient::new(Point::from_xy(0.0, 0.0), r0, end, r1, skia, pad, m)
            }
            Kind::Conic { angle, center } => {
                let turned = to_device
                    .multiply(Matrix::translation(center[0], center[1]))
                    .multiply(Matrix::rotation(angle));
                let m = turned.to_skia()?;
                tiny_skia::SweepGradient::new(Point::from_xy(0.0, 0.0), 0.0, 360.0, skia, pad, m)
            }
        }
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (b[0] - a[0]).hypot(b[1] - a[1])
}

fn unit(from: [f64; 2], to: [f64; 2]) -> Option<Point> {
    let length = distance(from, to);
    let (x, y) = ((to[0] - from[0]) / length, (to[1] - from[1]) / length);
    (x.is_finite() && y.is_finite()).then(|| Point::from_xy(x as f32, y as f32))
}

/// Gradient geometry goes into the transform, in f64: the shader then works in units of
/// the gradient's own size and keeps its precision however large or small that is.
fn normalised(to_device: &Matrix, origin: [f64; 2], size: f64) -> Option<tiny_skia::Transform> {
    to_device
        .multiply(Matrix::translation(origin[0], origin[1]))
        .multiply(Matrix::scaling(size, size))
        .to_skia()
}

/// Straight pieces of a way through Oklab.
const OKLAB_STEPS: u32 = 16;

/// At least two stops: a lone one would make tiny-skia drop the gradient's geometry,
/// and with it the transparent outside of a cone.
fn skia_stops(stops: &[(f64, Color)], opacity: f32) -> Vec<GradientStop> {
    let stop = |offset: f64, color: Color| {
        let mut color = color.to_skia();
        color.apply_opacity(opacity);
        GradientStop::new(offset as f32, color)
    };
    let mut out: Vec<GradientStop> = Vec::with_capacity(stops.len());
    for (at, (offset, color)) in stops.iter().enumerate() {
        if let Some((before, from)) = at.checked_sub(1).and_then(|at| stops.get(at)) {
            // A way through Oklab is bent in sRGB, in which tiny-skia goes straight.
            for step in 1..OKLAB_STEPS {
                let t = f64::from(step) / f64::from(OKLAB_STEPS);
                let Some(between) = from.between(*color, t as f32) else {
                    break;
                };
                out.push(stop(before + (offset - before) * t, between));
            }
        }
        out.push(stop(*offset, *color));
    }
    if let [only] = out[..] {
        out.push(only);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_checked_and_sorted() {
        let g = Gradient::linear(0.0, 0.0, 1.0, 0.0);
        assert_eq!(g.add_color_stop(1.5, "red"), Err(CanvasError::OffsetOutOfRange));
        assert_eq!(g.add_color_stop(f64::NAN, "red"), Err(CanvasError::NotFinite));
        assert_eq!(g.add_color_stop(0.5, "no"), Err(CanvasError::BadColor));
        g.add_color_stop(0.5, "red").unwrap();
        g.add_color_stop(0.0, "lime").unwrap();
        g.add_color_stop(0.5, "blue").unwrap();
        let stops = g.0.stops.lock().unwrap();
        let names: Vec<_> = stops.iter().map(|s| s.1.serialize()).collect();
        assert_eq!(names, ["#00ff00", "#ff0000", "#0000ff"]);
    }

    #[test]
    fn clones_are_the_same_object() {
        let g = Gradient::conic(0.0, 1.0, 1.0);
        assert_eq!(g.id(), g.clone().id());
        assert_ne!(g.id(), Gradient::conic(0.0, 1.0, 1.0).id());
        assert_eq!(
            Gradient::radial(0.0, 0.0, -1.0, 0.0, 0.0, 1.0)
                .unwrap_err()
                .dom_name(),
            "IndexSizeError"
        );
    }

    #[test]
    fn empty_and_collapsed_gradients_paint_nothing() {
        let nothing = |g: &Gradient| matches!(g.paint(&Matrix::IDENTITY, 1.0), GradientPaint::Nothing);
        let g = Gradient::linear(0.0, 0.0, 9.0, 0.0);
        assert!(nothing(&g));
        g.add_color_stop(0.0, "red").unwrap();
        assert!(!nothing(&g));
        let g = Gradient::linear(3.0, 3.0, 3.0, 3.0);
        g.add_color_stop(0.0, "red").unwrap();
        assert!(nothing(&g));
        let g = Gradient::linear(0.0, 0.0, 1e308, 1e308);
        g.add_color_stop(0.0, "red").unwrap();
        assert!(nothing(&g));
    }
}
