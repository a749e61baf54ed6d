//! Exact-area coverage of filled outlines.
//!
//! Lines leave signed areas in an accumulation buffer; a running sum along each row gives
//! the covered part of every pixel. Work is cut into bands of rows, so memory stays small
//! on any canvas, and coordinates are clipped in f64, so no input is too large.
//! Not here: strokes (they arrive as outlines) and colours.

mod band;
mod grid;
mod sums;

use crate::geometry::IRect;
use crate::matrix::Point;
use crate::path::FillRule;
pub(crate) use band::{Band, Cover, Run};
use grid::Grid;
use sums::resolve;

/// Cells of one band: 1 MiB of accumulators.
const BAND_CELLS: usize = 1 << 18;

/// Cells of one mark: a row is looked through by these, and where none was touched its
/// coverage does not change.
const BLOCK: usize = 8;

/// Outlines waiting to be filled; its buffers are reused from call to call.
#[derive(Default)]
pub(crate) struct Raster {
    lines: Vec<Line>,
    /// Pixels that may be covered: what was added, inside the clip.
    bounds: IRect2,
    clip: IRect2,
    /// All zero between calls, as are the marks.
    cells: Vec<f32>,
    marks: Vec<u64>,
    runs: Vec<Run>,
    row_ends: Vec<usize>,
    coverage: Vec<u8>,
}

/// A line inside the clip's rows, relative to the clip's corner.
#[derive(Clone, Copy)]
struct Line {
    x0: f32,
    y0: f32,
    x1: f32,
    y1: f32,
}

/// Float box relative to the clip's corner; `clip` uses it in device space.
#[derive(Clone, Copy, Default)]
struct IRect2 {
    x0: f64,
    y0: f64,
    x1: f64,
    y1: f64,
}

impl Raster {
    /// Starts a shape of which only `clip` matters.
    pub fn begin(&mut self, clip: IRect) {
        self.lines.clear();
        let [x0, y0, x1, y1] = [clip.x0, clip.y0, clip.x1, clip.y1].map(f64::from);
        self.clip = IRect2 { x0, y0, x1, y1 };
        self.bounds = IRect2 {
            x0: f64::MAX,
            y0: f64::MAX,
            x1: f64::MIN,
            y1: f64::MIN,
        };
    }

    /// Adds a line of an outline; every outline must be closed.
    pub fn line(&mut self, a: Point, b: Point) {
        let clip = self.clip;
        let (a, b) = (
            Point::new(a.x - clip.x0, a.y - clip.y0),
            Point::new(b.x - clip.x0, b.y - clip.y0),
        );
        let (w, h) = (clip.x1 - clip.x0, clip.y1 - clip.y0);
        if a.x.min(b.x) >= 0.0 && a.y.min(b.y) >= 0.0 && a.x.max(b.x) <= w && a.y.max(b.y) <= h {
            self.keep(Line {
                x0: a.x as f32,
                y0: a.y as f32,
                x1: b.x as f32,
                y1: b.y as f32,
            });
            return;
        }
        if a.y == b.y || a.y.max(b.y) <= 0.0 || a.y.min(b.y) >= h {
            return;
        }
        if !(a.is_finite() && b.is_finite()) {
            return;
        }
        let at_y = |y: f64| a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
        let cut = |p: Point| {
            if p.y < 0.0 {
                Point::new(at_y(0.0), 0.0)
            } else if p.y > h {
                Point::new(at_y(h), h)
            } else {
                p
            }
        };
        self.cut_columns(cut(a), cut(b), w);
    }

    /// Splits at the left and right border: left of the clip a line still counts, as a
    /// vertical on its border; right of it nothing is left to cover.
    fn cut_columns(&mut self, a: Point, b: Point, w: f64) {
        let at_x = |x: f64| Point::new(x, a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y));
        let mut stops = [a, b, b, b];
        let mut count = 1;
        let mut borders = [0.0, w];
        if a.x > b.x {
            borders = [w, 0.0];
        }
        for border in borders {
            if (a.x < border) != (b.x < border) {
                stops[count] = at_x(border);
                count += 1;
            }
        }
        stops[count] = b;
        for i in 0..count {
            let (p, q) = (stops[i], stops[i + 1]);
            let middle = (p.x + q.x) / 2.0;
            let pin = if middle <= 0.0 {
                Some(0.0)
            } else if middle >= w {
                Some(w)
            } else {
                None
            };
            let (px, qx) = pin.map_or((p.x.clamp(0.0, w), q.x.clamp(0.0, w)), |x| (x, x));
            self.keep(Line {
                x0: px as f32,
                y0: p.y as f32,
                x1: qx as f32,
                y1: q.y as f32,
            });
        }
    }

    fn keep(&mut self, line: Line) {
        if line.y0 == line.y1 {
            return;
        }
        let (x0, x1) = (f64::from(line.x0.min(line.x1)), f64::from(line.x0.max(line.x1)));
        let (y0, y1) = (f64::from(line.y0.min(line.y1)), f64::from(line.y0.max(line.y1)));
        let b = &mut self.bounds;
        *b = IRect2 {
            x0: b.x0.min(x0),
            y0: b.y0.min(y0),
            x1: b.x1.max(x1),
            y1: b.y1.max(y1),
        };
        self.lines.push(line);
    }

    /// The pixels that may be covered, in device space.
    pub fn bounds(&self) -> IRect {
        let b = self.bounds;
        let corner = |x: f64, y: f64| Point::new(x + self.clip.x0, y + self.clip.y0);
        IRect::around(corner(b.x0, b.y0), corner(b.x1, b.y1))
    }

    /// Calls `paint` with the coverage of each band, top to bottom.
    pub fn sweep(&mut self, rule: FillRule, mut paint: impl FnMut(Band)) {
        let bounds = self.bounds();
        if bounds.is_empty() {
            return;
        }
        let width = bounds.width();
        let stride = (width + grid::BEYOND).next_multiple_of(BLOCK);
        let words = (stride / BLOCK).div_ceil(64);
        let rows = (BAND_CELLS / stride).clamp(1, bounds.height());
        let left = (f64::from(bounds.x0) - self.clip.x0) as f32;
        let mut y0 = bounds.y0;
        while y0 < bounds.y1 {
            let y1 = (y0 + rows as i32).min(bounds.y1);
            let height = (y1 - y0) as usize;
            grow(&mut self.cells, stride * height);
            grow(&mut self.marks, words * height);
            grow(&mut self.coverage, width * height);
            let top = (f64::from(y0) - self.clip.y0) as f32;
            let mut grid = Grid {
                cells: &mut self.cells[..stride * height],
                marks: &mut self.marks[..words * height],
                words,
                stride,
                left,
                top,
            };
            grid::accumulate(&mut grid, &self.lines, height as f32);
            self.runs.clear();
            self.row_ends.clear();
            for row in 0..height {
                resolve(
                    rule,
                    &mut self.cells[row * stride..][..stride],
                    &mut self.marks[row * words..][..words],
                    &mut self.coverage[row * width..][..width],
                    &mut self.runs,
                );
                self.row_ends.push(self.runs.len());
            }
            paint(Band {
                rect: bounds.rows(y0, y1),
                data: &self.coverage,
                runs: &self.runs,
                row_ends: &self.row_ends,
            });
            y0 = y1;
        }
    }
}

fn grow<T: Copy + Default>(buffer: &mut Vec<T>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len, T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CLIP: IRect = IRect::new(0, 0, 16, 12);

    fn cover(points: &[(f64, f64)], rule: FillRule, clip: IRect) -> Vec<u8> {
        let mut raster = Raster::default();
        raster.begin(clip);
        for i in 0..points.len() {
            let (a, b) = (points[i], points[(i + 1) % points.len()]);
            raster.line(Point::new(a.0, a.1), Point::new(b.0, b.1));
        }
        let mut full = vec![0; clip.width() * clip.height()];
        raster.sweep(rule, |band| {
            band.copy_to(&mut full, clip.width(), (clip.x0, clip.y0))
        });
        full
    }

    #[test]
    fn fractions_of_pixels_are_exact() {
        let out = cover(
            &[(1.5, 1.25), (3.0, 1.25), (3.0, 3.0), (1.5, 3.0)],
            FillRule::NonZero,
            CLIP,
        );
        assert_eq!(&out[16..20], [0, 96, 191, 0]);
        assert_eq!(&out[32..36], [0, 128, 255, 0]);
    }

    #[test]
    fn what_lies_left_of_the_clip_still_fills_it() {
        let out = cover(
            &[(-1e9, -1e9), (1e9, -1e9), (1e9, 1e9), (-1e9, 1e9)],
            FillRule::NonZero,
            CLIP,
        );
        assert!(out.iter().all(|c| *c == 255));
        let left = cover(
            &[(-9.0, 0.0), (-3.0, 0.0), (-3.0, 12.0), (-9.0, 12.0)],
            FillRule::NonZero,
            CLIP,
        );
        assert!(left.iter().all(|c| *c == 0));
    }

    #[test]
    fn opposite_turns_make_holes_and_even_odd_folds() {
        let ring = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0), (0.0, 0.0)];
        let twice: Vec<_> = ring.iter().chain(&ring).copied().collect();
        assert_eq!(cover(&twice, FillRule::NonZero, CLIP)[5 * 16 + 5], 255);
        assert_eq!(cover(&twice, FillRule::EvenOdd, CLIP)[5 * 16 + 5], 0);
    }

    #[test]
    fn bands_join_without_a_seam() {
        let tall = IRect::new(0, 0, 3000, 400);
        let out = cover(
            &[(0.0, 0.0), (3000.0, 0.0), (3000.0, 400.0), (0.0, 400.0)],
            FillRule::NonZero,
            tall,
        );
        assert!(out.iter().all(|c| *c == 255));
    }

    /// 32x32 samples a pixel.
    fn sampled(points: &[(f64, f64); 3], x: usize, y: usize) -> f64 {
        let edge = |a: (f64, f64), b: (f64, f64), p: (f64, f64)| {
            (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0)
        };
        let mut hits = 0;
        for i in 0..32 * 32 {
            let p = (
                x as f64 + (f64::from(i % 32) + 0.5) / 32.0,
                y as f64 + (f64::from(i / 32) + 0.5) / 32.0,
            );
            let [a, b, c] = *points;
            let (u, v, w) = (edge(a, b, p), edge(b, c, p), edge(c, a, p));
            if (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0) {
                hits += 1;
            }
        }
        f64::from(hits) / 1024.0
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(150))]
        #[test]
        fn triangles_match_supersampling(p in prop::array::uniform3((-6.0..22.0f64, -6.0..18.0f64))) {
            let out = cover(&p, FillRule::NonZero, CLIP);
            for (i, c) in out.iter().enumerate() {
                let truth = sampled(&p, i % 16, i / 16);
                prop_assert!((f64::from(*c) / 255.0 - truth).abs() < 0.05, "pixel {i}: {c} vs {truth}");
            }
        }
    }
}
