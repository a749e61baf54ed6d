//! The clipping region: a scissor rectangle, and a mask where that is not enough.
//!
//! A mask is rows of spans, most of which let everything through: a byte a pixel is kept along edges alone.
//! Masks are shared between saved states.

use crate::geometry::IRect;
use crate::matrix::Point;
use crate::paint::rows;
use crate::path::{FillRule, Path, Segment};
use crate::raster::{Raster, Run};
use crate::svg::ClipSaid;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Clip {
    /// Nothing outside is touched.
    pub rect: IRect,
    /// Covers at least `rect`.
    mask: Option<Arc<Mask>>,
    /// The same for the recording.
    pub said: ClipSaid,
}

/// Neighbouring pixels of a row that are let through: wholly, or as far as a byte for each says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub x0: i32,
    pub x1: i32,
    pub cover: Option<&'a [u8]>,
}

/// Shorter pieces are kept as bytes themselves, so that spans and bytes take no more than bytes alone would.
const SHORT: i32 = 32;

#[derive(Debug)]
struct Mask {
    y0: i32,
    spans: Vec<Span>,
    /// Where the spans of each row end.
    row_ends: Vec<usize>,
    /// The bytes of all spans that have some.
    cover: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    x0: i32,
    x1: i32,
    /// Where its bytes begin; `None` lets everything through.
    bytes: Option<u32>,
}

impl Mask {
    /// Nothing, with room for the edges of most shapes that fill `bounds`.
    fn empty(bounds: IRect) -> Mask {
        let (rows, edges) = (bounds.height(), bounds.width() / SHORT as usize);
        Mask {
            y0: bounds.y0,
            spans: Vec::with_capacity(rows * edges.clamp(1, 3)),
            row_ends: Vec::with_capacity(rows),
            cover: Vec::with_capacity(rows * bounds.width().min(SHORT as usize)),
        }
    }

    /// The spans of row `y`.
    fn row(&self, y: i32) -> &[Span] {
        let row = (y - self.y0) as usize;
        let begin = row.checked_sub(1).map_or(0, |above| self.row_ends[above]);
        &self.spans[begin..self.row_ends[row]]
    }

    /// What a span lets through of `x0..x1`.
    fn part(&self, span: &Span, x0: i32, x1: i32) -> Part<'_> {
        let (x0, x1) = (x0.max(span.x0), x1.min(span.x1));
        let bytes = |at: u32| {
            let from = at as usize + (x0 - span.x0) as usize;
            &self.cover[from..from + (x1 - x0) as usize]
        };
        let cover = span.bytes.map(bytes);
        Part { x0, x1, cover }
    }

    /// Adds a row: runs of a shape, counted from column `left` on, as far as a row of `old` lets them through.
    fn add_row(&mut self, left: i32, runs: &[Run], shape: &[u8], old: Option<(&Mask, i32)>) {
        let mut spans = old.map_or(&[][..], |(old, y)| old.row(y));
        for run in runs {
            let (x0, x1) = (left + run.from as i32, left + run.to as i32);
            let Some((old, _)) = old else {
                self.push(x0, x1, (!run.full).then(|| &shape[run.from..run.to]));
                continue;
            };
            while let [first, rest @ ..] = spans
                && first.x1 <= x0
            {
                spans = rest;
            }
            for span in spans.iter().take_while(|span| span.x0 < x1) {
                let part = old.part(span, x0, x1);
                if run.full {
                    self.push(part.x0, part.x1, part.cover);
                    continue;
                }
                let (from, to) = ((part.x0 - left) as usize, (part.x1 - left) as usize);
                self.push(part.x0, part.x1, Some(&shape[from..to]));
                if let Some(cover) = part.cover {
                    let begin = self.cover.len() - cover.len();
                    rows::fade(&mut self.cover[begin..], cover);
                }
            }
        }
        self.row_ends.push(self.spans.len());
    }

    /// Adds pixels to the last row, right of all that it has.
    fn push(&mut self, x0: i32, x1: i32, cover: Option<&[u8]>) {
        let first = self.row_ends.last().copied().unwrap_or(0);
        let last = self.spans[first..].last_mut();
        let short = cover.is_some() || x1 - x0 < SHORT;
        match last {
            Some(last) if short && last.bytes.is_some() && x0 - last.x1 < SHORT => {
                let gap = (x0 - last.x1) as usize;
                self.cover.resize(self.cover.len() + gap, 0);
                last.x1 = x1;
            }
            Some(last) if !short && last.bytes.is_none() && x0 == last.x1 => last.x1 = x1,
            _ => self.spans.push(Span {
                x0,
                x1,
                bytes: short.then_some(self.cover.len() as u32),
            }),
        }
        if short {
            let len = self.cover.len() + (x1 - x0) as usize;
            match cover {
                Some(cover) => self.cover.extend_from_slice(cover),
                None => self.cover.resize(len, 255),
            }
        }
    }
}

impl Clip {
    pub fn whole(width: u32, height: u32) -> Clip {
        Clip {
            rect: IRect::from_size(0, 0, i64::from(width), i64::from(height)),
            mask: None,
            said: ClipSaid::Whole,
        }
    }

    pub fn is_rect(&self) -> bool {
        self.mask.is_none()
    }

    /// What is let through of the pixels `x0..x1` of row `y`, which must be inside `rect`, from left to right.
    pub fn parts(&self, y: i32, x0: i32, x1: i32) -> impl Iterator<Item = Part<'_>> {
        let mask = self.mask.as_deref();
        let whole = mask.is_none().then_some(Part { x0, x1, cover: None });
        let spans = mask.into_iter().flat_map(move |mask| {
            let spans = mask.row(y);
            let first = spans.partition_point(|span| span.x1 <= x0);
            let met = spans[first..].iter().take_while(move |span| span.x0 < x1);
            met.map(move |span| mask.part(span, x0, x1))
        });
        whole.into_iter().chain(spans)
    }

    /// Narrows the region to the inside of `path` (in device space).
    pub fn intersect(&mut self, path: &Path, rule: FillRule, raster: &mut Raster) {
        if let Some(rect) = pixel_rect(path) {
            self.rect = self.rect.intersect(rect);
            return;
        }
        raster.begin(self.rect);
        path.for_each_fill_line(|a, b| raster.line(a, b));
        let bounds = raster.bounds().intersect(self.rect);
        let mut mask = Mask::empty(bounds);
        raster.sweep(rule, |band| {
            for (y, runs, shape) in band.rows() {
                mask.add_row(
                    band.rect.x0,
                    runs,
                    shape,
                    self.mask.as_deref().map(|old| (old, y)),
                );
            }
        });
        mask.spans.shrink_to_fit();
        mask.cover.shrink_to_fit();
        self.rect = bounds;
        self.mask = (!bounds.is_empty()).then(|| Arc::new(mask));
    }
}

/// The path as whole pixels, if it is one rectangle along their borders.
fn pixel_rect(path: &Path) -> Option<IRect> {
    let segments = match path.segments() {
        [rest @ .., Segment::Move(_)] => rest,
        all => all,
    };
    let [
        Segment::Move(a),
        Segment::Line(b),
        Segment::Line(c),
        Segment::Line(d),
        Segment::Close,
    ] = *segments
    else {
        return None;
    };
    let across = a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x;
    let down = a.x == b.x && b.y == c.y && c.x == d.x && d.y == a.y;
    let whole = [a.x, a.y, c.x, c.y]
        .iter()
        .all(|v| v.fract() == 0.0 && v.abs() < 1e9);
    ((across || down) && whole).then(|| {
        let min = Point::new(a.x.min(c.x), a.y.min(c.y));
        IRect::around(min, Point::new(a.x.max(c.x), a.y.max(c.y)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rect(x: f64, y: f64, w: f64, h: f64) -> Path {
        let mut path = Path::new();
        path.rect(x, y, w, h);
        path
    }

    /// A byte for each pixel.
    fn row(clip: &Clip, y: i32, x0: i32, x1: i32) -> Vec<u8> {
        let mut bytes = vec![0; (x1 - x0) as usize];
        for part in clip.parts(y, x0, x1) {
            let out = &mut bytes[(part.x0 - x0) as usize..(part.x1 - x0) as usize];
            match part.cover {
                Some(cover) => out.copy_from_slice(cover),
                None => out.fill(255),
            }
        }
        bytes
    }

    #[test]
    fn pixel_rectangles_stay_scissors() {
        let mut raster = Raster::default();
        let mut clip = Clip::whole(100, 100);
        clip.intersect(&rect(50.0, 60.0, -40.0, 10.0), FillRule::NonZero, &mut raster);
        assert!(clip.is_rect());
        assert_eq!(clip.rect, IRect::new(10, 60, 50, 70));
    }

    #[test]
    fn masks_are_bounded_and_multiply() {
        let mut raster = Raster::default();
        let mut clip = Clip::whole(100, 100);
        clip.intersect(&rect(10.5, 10.0, 4.0, 4.0), FillRule::NonZero, &mut raster);
        assert_eq!(clip.rect, IRect::new(10, 10, 15, 14));
        assert_eq!(row(&clip, 10, 10, 12), [128, 255]);
        let before = clip.clone();
        clip.intersect(&rect(10.5, 10.0, 4.0, 4.0), FillRule::NonZero, &mut raster);
        assert_eq!(row(&clip, 10, 10, 12), [64, 255]);
        assert_eq!(row(&before, 10, 10, 12), [128, 255]);
        clip.intersect(&Path::new(), FillRule::NonZero, &mut raster);
        assert!(clip.rect.is_empty());
    }

    /// The coverage of a path, a byte for each pixel of a square.
    fn coverage(path: &Path, side: i32, raster: &mut Raster) -> Vec<u8> {
        raster.begin(IRect::new(0, 0, side, side));
        path.for_each_fill_line(|a, b| raster.line(a, b));
        let mut bytes = vec![0; (side * side) as usize];
        raster.sweep(FillRule::EvenOdd, |band| {
            band.copy_to(&mut bytes, side as usize, (0, 0));
        });
        bytes
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(200))]
        /// Spans say what a byte for each pixel would, and are never many more than those bytes.
        #[test]
        fn a_mask_is_the_product_of_its_paths(
            paths in prop::collection::vec(
                prop::collection::vec((-20.0f64..140.0, -20.0f64..140.0), 3..24),
                1..4,
            ),
        ) {
            const SIDE: i32 = 120;
            let mut raster = Raster::default();
            let mut clip = Clip::whole(SIDE as u32, SIDE as u32);
            let mut bytes = vec![255; (SIDE * SIDE) as usize];
            for points in &paths {
                let mut path = Path::new();
                for (x, y) in points {
                    path.line_to(*x, *y);
                }
                clip.intersect(&path, FillRule::EvenOdd, &mut raster);
                rows::fade(&mut bytes, &coverage(&path, SIDE, &mut raster));
            }
            for y in 0..SIDE {
                let expected = &bytes[(y * SIDE) as usize..((y + 1) * SIDE) as usize];
                let (x0, x1) = (clip.rect.x0, clip.rect.x1);
                if y < clip.rect.y0 || y >= clip.rect.y1 {
                    prop_assert!(expected.iter().all(|byte| *byte == 0));
                    continue;
                }
                prop_assert!(expected[..x0 as usize].iter().chain(&expected[x1 as usize..]).all(|byte| *byte == 0));
                // Whole rows, and pieces of them.
                for (from, to) in [(x0, x1), (x0 + (x1 - x0) / 3, x1 - (x1 - x0) / 4)] {
                    let found = row(&clip, y, from, to);
                    let expected = &expected[from as usize..to as usize];
                    // Coverage is summed from where the clip begins.
                    prop_assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= 1));
                }
                let parts: Vec<_> = clip.parts(y, x0, x1).collect();
                prop_assert!(parts.len() as i32 <= (x1 - x0) / SHORT * 2 + 2);
                prop_assert!(parts.windows(2).all(|pair| pair[0].x1 <= pair[1].x0));
            }
        }
    }
}
