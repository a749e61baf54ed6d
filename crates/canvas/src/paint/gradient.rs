//! CanvasGradient: linear, radial (two circles) and conic.

use super::ColorSpace;
use super::color::Color;
use super::ramp::{self, Course, Ramp, STEPS, Table};
use crate::error::CanvasError;
use crate::matrix::Matrix;
use std::sync::{Arc, Mutex, PoisonError};

/// A handle: clones are the same gradient, as the DOM object is shared by its users.
#[derive(Clone, Debug)]
pub struct Gradient(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    stops: Mutex<Stops>,
}

#[derive(Debug, Default)]
struct Stops {
    /// Sorted by offset; equal offsets in the order they were added.
    list: Vec<(f64, Color)>,
    /// The last table, with its steps, opacity and space: fills often come one after the other.
    table: Option<(usize, f32, ColorSpace, Table)>,
}

/// The shape of a gradient: points, circles with their radii, radians.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Linear { from: [f64; 2], to: [f64; 2] },
    Radial { from: [f64; 3], to: [f64; 3] },
    Conic { angle: f64, center: [f64; 2] },
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
        self.add_stop(offset, Color::parse(css).ok_or(CanvasError::BadColor)?);
        Ok(())
    }

    /// Offsets beyond the ends are at them.
    pub(crate) fn add_stop(&self, offset: f64, color: Color) {
        let offset = if offset.is_nan() {
            0.0
        } else {
            offset.clamp(0.0, 1.0)
        };
        let mut stops = self.0.stops.lock().unwrap_or_else(PoisonError::into_inner);
        let at = stops.list.partition_point(|(o, _)| *o <= offset);
        stops.list.insert(at, (offset, color));
        stops.table = None;
    }

    /// Identity of the DOM object: equal for clones, different otherwise.
    pub fn id(&self) -> u64 {
        Arc::as_ptr(&self.0) as usize as u64
    }

    /// The shape, and the stops with straight lines through sRGB between them.
    pub(crate) fn said(&self) -> (Kind, Vec<(f64, Color)>) {
        let stops = self.0.stops.lock().unwrap_or_else(PoisonError::into_inner);
        (self.0.kind, between_in_oklab(&stops.list))
    }

    fn new(kind: Kind) -> Gradient {
        Gradient(Arc::new(Inner {
            kind,
            stops: Mutex::default(),
        }))
    }

    /// The gradient in a space that `to_device` leads out of; `None` paints nothing.
    pub(crate) fn ramp(&self, to_device: &Matrix, opacity: f32, space: ColorSpace) -> Option<Ramp> {
        let (course, own) = self.course()?;
        let own = to_device.multiply(own);
        let to_own = own.invert().filter(Matrix::is_finite)?;
        let mut stops = self.0.stops.lock().unwrap_or_else(PoisonError::into_inner);
        let table = stops.table(own.max_scale(), opacity, space)?;
        Some(Ramp {
            table,
            course,
            to_own,
        })
    }

    /// The course in a space of the gradient's own size, and the way out of it: so numbers keep
    /// their precision however large or small the gradient is.
    fn course(&self) -> Option<(Course, Matrix)> {
        match self.0.kind {
            Kind::Linear {
                from: [x0, y0],
                to: [x1, y1],
            } => {
                let (dx, dy) = (x1 - x0, y1 - y0);
                (dx != 0.0 || dy != 0.0).then(|| (Course::Linear, Matrix::new(dx, dy, -dy, dx, x0, y0)))
            }
            Kind::Radial {
                from: [x0, y0, r0],
                to: [x1, y1, r1],
            } => {
                if (x0, y0, r0) == (x1, y1, r1) {
                    return None;
                }
                let size = (x1 - x0).hypot(y1 - y0).max(r0).max(r1);
                let course = Course::Radial {
                    r0: r0 / size,
                    dr: (r1 - r0) / size,
                    centre: [(x1 - x0) / size, (y1 - y0) / size],
                };
                Some((course, Matrix::new(size, 0.0, 0.0, size, x0, y0)))
            }
            Kind::Conic {
                angle,
                center: [x, y],
            } => {
                // Any scale will do; this one asks for a table as fine as they come.
                let size = *STEPS.end() as f64;
                let own = Matrix::translation(x, y).multiply(Matrix::rotation(angle));
                Some((Course::Conic, own.multiply(Matrix::scaling(size, size))))
            }
        }
    }
}

impl Stops {
    /// `None` without stops. `size` is how large the gradient is on the device.
    fn table(&mut self, size: f64, opacity: f32, space: ColorSpace) -> Option<Table> {
        if self.list.is_empty() {
            return None;
        }
        // The cast saturates.
        let steps = (size as usize)
            .clamp(*STEPS.start(), *STEPS.end())
            .next_power_of_two();
        match &self.table {
            Some((known, at, of, table)) if (*known, *at, *of) == (steps, opacity, space) => {
                Some(Arc::clone(table))
            }
            _ => {
                let mut stops = between_in_oklab(&self.list);
                for (_, color) in &mut stops {
                    *color = color.in_space(space);
                }
                let table = ramp::table(&stops, steps, opacity);
                self.table = Some((steps, opacity, space, Arc::clone(&table)));
                Some(table)
            }
        }
    }
}

/// Straight pieces of a way through Oklab.
const OKLAB_STEPS: u32 = 16;

/// With the stops between those between which CSS goes through Oklab: that way is bent in sRGB.
fn between_in_oklab(stops: &[(f64, Color)]) -> Vec<(f64, Color)> {
    let mut out: Vec<(f64, Color)> = Vec::with_capacity(stops.len());
    for (at, (offset, color)) in stops.iter().enumerate() {
        if let Some((before, from)) = at.checked_sub(1).and_then(|at| stops.get(at)) {
            for step in 1..OKLAB_STEPS {
                let t = f64::from(step) / f64::from(OKLAB_STEPS);
                let Some(between) = from.between(*color, t as f32) else {
                    break;
                };
                out.push((before + (offset - before) * t, between));
            }
        }
        out.push((*offset, *color));
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
        let names: Vec<_> = stops.list.iter().map(|s| s.1.serialize()).collect();
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
        let nothing = |g: &Gradient| g.ramp(&Matrix::IDENTITY, 1.0, ColorSpace::Srgb).is_none();
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
