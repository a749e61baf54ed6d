//! The clipping region: a scissor rectangle, and a mask where that is not enough.
//!
//! Masks are bounded by what they let through and shared between saved states.

use crate::buffers::Buffer;
use crate::geometry::IRect;
use crate::matrix::Point;
use crate::paint::rows;
use crate::path::{FillRule, Path, Segment};
use crate::raster::Raster;
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

#[derive(Debug)]
struct Mask {
    bounds: IRect,
    data: Buffer,
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

    /// Mask bytes of the pixels `x0..x1` of row `y`, which must be inside `rect`. `None`: all of them are let through.
    pub fn row(&self, y: i32, x0: i32, x1: i32) -> Option<&[u8]> {
        let mask = self.mask.as_ref()?;
        let start = (y - mask.bounds.y0) as usize * mask.bounds.width() + (x0 - mask.bounds.x0) as usize;
        Some(&mask.data[start..start + (x1 - x0).max(0) as usize])
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
        let mut data = Buffer::zeroed(bounds.width() * bounds.height());
        raster.sweep(rule, |band| {
            let left = (band.rect.x0 - bounds.x0) as usize;
            for (y, runs, shape) in band.rows() {
                let row = &mut data[(y - bounds.y0) as usize * bounds.width() + left..];
                let old = self.row(y, band.rect.x0, band.rect.x1);
                for run in runs {
                    let row = &mut row[run.from..run.to];
                    let old = old.map(|old| &old[run.from..run.to]);
                    match (run.full, old) {
                        (true, None) => row.fill(255),
                        (true, Some(old)) => row.copy_from_slice(old),
                        (false, None) => row.copy_from_slice(&shape[run.from..run.to]),
                        (false, Some(old)) => {
                            row.copy_from_slice(&shape[run.from..run.to]);
                            rows::fade(row, old);
                        }
                    }
                }
            }
        });
        self.rect = bounds;
        self.mask = (!bounds.is_empty()).then(|| Arc::new(Mask { bounds, data }));
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

    fn rect(x: f64, y: f64, w: f64, h: f64) -> Path {
        let mut path = Path::new();
        path.rect(x, y, w, h);
        path
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
        assert_eq!(clip.row(10, 10, 12), Some(&[128, 255][..]));
        let before = clip.clone();
        clip.intersect(&rect(10.5, 10.0, 4.0, 4.0), FillRule::NonZero, &mut raster);
        assert_eq!(clip.row(10, 10, 12), Some(&[64, 255][..]));
        assert_eq!(before.row(10, 10, 12), Some(&[128, 255][..]));
        clip.intersect(&Path::new(), FillRule::NonZero, &mut raster);
        assert!(clip.rect.is_empty());
    }
}
