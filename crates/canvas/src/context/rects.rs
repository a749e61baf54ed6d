//! fillRect, strokeRect, clearRect. Upright rectangles of one colour take a direct way.

use super::Context2d;
use super::recording::Drawn;
use super::scratch::{self, Scratch};
use crate::geometry::{IRect, RectF};
use crate::matrix::Point;
use crate::paint::composite::erase_row;
use crate::paint::pixel::{over, scale, seal};
use crate::paint::rows::solid_over;
use crate::paint::{CompositeOp, Style};
use crate::path::{FillRule, Path};

impl Context2d {
    pub fn fill_rect(&mut self, x: f64, y: f64, w: f64, h: f64) {
        let Some(corners) = self.corners(x, y, w, h) else {
            return;
        };
        self.recorded(&Drawn::Box(corners), |context| {
            if !context.fill_upright(&corners) {
                let style = context.state.fill.clone();
                context.draw_styled(&|line| outline(&corners, line), FillRule::NonZero, &style);
            }
        });
    }

    pub fn clear_rect(&mut self, x: f64, y: f64, w: f64, h: f64) {
        let Some(corners) = self.corners(x, y, w, h) else {
            return;
        };
        self.say_cleared(&corners);
        let Context2d { canvas, state, .. } = self;
        let (clip, opaque, bitmap) = (&state.clip, canvas.opaque, &mut canvas.bitmap);
        if clip.is_rect() && state.ctm.keeps_rects() {
            let Some((x, y)) = edges(&corners, clip.rect) else {
                return;
            };
            if x.is_whole() && y.is_whole() {
                for row in y.first..y.last {
                    let dst = bitmap.row_mut(row as u32, x.first as u32, x.last as u32);
                    dst.fill(0);
                    if opaque {
                        seal(dst);
                    }
                }
                return;
            }
        }
        scratch::with(|Scratch { raster, .. }| {
            raster.begin(clip.rect);
            outline(&corners, &mut |a, b| raster.line(a, b));
            raster.sweep(FillRule::NonZero, |band| {
                for (y, runs, shape) in band.rows() {
                    for run in runs {
                        let (x0, x1) = (band.rect.x0 + run.from as i32, band.rect.x0 + run.to as i32);
                        for part in clip.parts(y, x0, x1) {
                            let from = (part.x0 - band.rect.x0) as usize;
                            let shape =
                                (!run.full).then(|| &shape[from..from + (part.x1 - part.x0) as usize]);
                            let dst = bitmap.row_mut(y as u32, part.x0 as u32, part.x1 as u32);
                            erase_row(dst, shape, part.cover);
                            if opaque {
                                seal(dst);
                            }
                        }
                    }
                }
            });
        });
    }

    pub fn stroke_rect(&mut self, x: f64, y: f64, w: f64, h: f64) {
        if !RectF::new(x, y, w, h).is_finite() || (w == 0.0 && h == 0.0) {
            return;
        }
        let mut path = Path::new();
        if w == 0.0 || h == 0.0 {
            // A rectangle without area is a line there and back: joins at its ends, no caps.
            path.move_to_in(&self.state.ctm, x, y);
            path.line_to_in(&self.state.ctm, x + w, y + h);
            path.close_path();
        } else {
            path.rect_in(&self.state.ctm, x, y, w, h);
        }
        self.stroke_device_path(&path);
    }

    /// The rectangle in device space; `None` when nothing can be drawn.
    fn corners(&self, x: f64, y: f64, w: f64, h: f64) -> Option<[Point; 4]> {
        let rect = RectF::new(x, y, w, h);
        if !rect.is_finite() || w == 0.0 || h == 0.0 {
            return None;
        }
        let ctm = &self.state.ctm;
        let corners =
            [(x, y), (x + w, y), (x + w, y + h), (x, y + h)].map(|(x, y)| ctm.apply(Point::new(x, y)));
        corners
            .iter()
            .all(|p| !p.x.is_nan() && !p.y.is_nan())
            .then(|| corners.map(|p| Point::new(p.x.clamp(-1e30, 1e30), p.y.clamp(-1e30, 1e30))))
    }

    /// The direct way: one colour, no mask, no shadow, sides along the pixels. `false` when
    /// the general way has to be taken.
    fn fill_upright(&mut self, corners: &[Point; 4]) -> bool {
        let state = &self.state;
        let Style::Color(color) = state.fill else {
            return false;
        };
        let plain = state.op == CompositeOp::SourceOver
            && state.clip.is_rect()
            && state.ctm.keeps_rects()
            && self.paints_plainly();
        if !plain {
            return false;
        }
        let ink = color
            .in_space(self.canvas.space())
            .premultiplied(state.alpha as f32);
        if let Some((x, y)) = edges(corners, state.clip.rect) {
            blit(&mut self.canvas.bitmap, ink, &x, &y);
        }
        true
    }
}

/// The lines around four corners.
pub(super) fn outline(corners: &[Point; 4], line: &mut dyn FnMut(Point, Point)) {
    for i in 0..4 {
        line(corners[i], corners[(i + 1) % 4]);
    }
}

/// The sides of an upright rectangle inside the clip, if there is something of it.
fn edges(&[a, _, c, _]: &[Point; 4], clip: IRect) -> Option<(Edge, Edge)> {
    Some((
        Edge::new(a.x, c.x, clip.x0, clip.x1)?,
        Edge::new(a.y, c.y, clip.y0, clip.y1)?,
    ))
}

/// One dimension of an upright rectangle inside the clip.
struct Edge {
    from: f64,
    to: f64,
    first: i32,
    last: i32,
}

impl Edge {
    fn new(a: f64, b: f64, low: i32, high: i32) -> Option<Edge> {
        let from = a.min(b).max(f64::from(low));
        let to = a.max(b).min(f64::from(high));
        (from < to).then(|| Edge {
            from,
            to,
            first: from.floor() as i32,
            last: to.ceil() as i32,
        })
    }

    /// Whether no pixel is covered in part.
    fn is_whole(&self) -> bool {
        self.from == f64::from(self.first) && self.to == f64::from(self.last)
    }

    /// The covered part of pixel `i`.
    fn part(&self, i: i32) -> f64 {
        let low = f64::from(i);
        (self.to.min(low + 1.0) - self.from.max(low)).clamp(0.0, 1.0)
    }

    /// Where the wholly covered pixels begin and end.
    fn whole(&self) -> (i32, i32) {
        let from = (self.from.ceil() as i32).min(self.last);
        (from, (self.to.floor() as i32).max(from))
    }
}

fn blit(bitmap: &mut crate::canvas::Bitmap, ink: [u8; 4], x: &Edge, y: &Edge) {
    let (from, to) = x.whole();
    // On each side at most one pixel is covered in part.
    let (start, end) = ((from - x.first) as usize * 4, (to - x.first) as usize * 4);
    let sides = [x.part(x.first), x.part(to)];
    let inks = |part: f64| {
        [sides[0] * part, part, sides[1] * part].map(|part| scale(ink, (part * 255.0 + 0.5) as u8))
    };
    let (whole, all) = (y.whole(), inks(1.0));
    for row in y.first..y.last {
        let [left, middle, right] = match whole.0 <= row && row < whole.1 {
            true => all,
            false => inks(y.part(row)),
        };
        let dst = bitmap.row_mut(row as u32, x.first as u32, x.last as u32);
        solid_over(&mut dst[start..end], middle);
        let (before, rest) = dst.split_at_mut(start);
        let after = &mut rest[end - start..];
        for (edge, ink) in [(before, left), (after, right)] {
            if let Some(pixel) = edge.first_chunk_mut::<4>() {
                *pixel = over(ink, *pixel);
            }
        }
    }
}
