//! A gradient at work: a table of its colours and where on it each pixel of a row is.

use super::color::Color;
use crate::matrix::{Matrix, Point};
use crate::wide::wide;
use std::sync::Arc;

/// Premultiplied colours from offset 0 to offset 1, evenly spaced.
pub(crate) type Table = Arc<[[u8; 4]]>;

/// Steps of a table: more than one a pixel, within reason.
pub(super) const STEPS: std::ops::RangeInclusive<usize> = 256..=4096;

/// Where a gradient's offsets are, in its own space.
#[derive(Clone, Copy, Debug)]
pub(super) enum Course {
    /// The offset is x.
    Linear,
    /// Circles from `r0` around the origin to `r0 + dr` around `centre`.
    Radial { r0: f64, dr: f64, centre: [f64; 2] },
    /// Once around the origin, from the direction of x.
    Conic,
}

pub(crate) struct Ramp {
    pub(super) table: Table,
    pub(super) course: Course,
    /// From the device into the gradient's own space.
    pub(super) to_own: Matrix,
}

/// Pixels whose places in the table are found before their colours: arithmetic by vectors, then the table.
const BLOCK: usize = 32;

wide! {
    /// The pixels from (x, y) on, to the right.
    fn row(ramp: &Ramp, x: i32, y: i32, out: &mut [u8]) {
        ramp.fill(x, y, out);
    }
}

impl Ramp {
    /// The pixels from (x, y) on, to the right.
    pub fn row(&self, x: i32, y: i32, out: &mut [u8]) {
        row(self, x, y, out);
    }

    #[inline(always)]
    fn fill(&self, x: i32, y: i32, out: &mut [u8]) {
        let centre = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let from = self.to_own.apply(centre);
        let step = (self.to_own.a, self.to_own.b);
        let (pixels, _) = out.as_chunks_mut::<4>();
        match self.course {
            Course::Linear if step.0 == 0.0 => pixels.fill(self.color(from.x as f32)),
            Course::Linear => self.walk(pixels, from, step, |x, _| x),
            Course::Conic => self.walk(pixels, from, step, turns),
            Course::Radial { r0, dr, centre } if centre == [0.0; 2] && dr > 0.0 => {
                let (r0, dr) = (r0 as f32, dr as f32);
                self.walk(pixels, from, step, |x, y| ((x * x + y * y).sqrt() - r0) / dr);
            }
            Course::Radial { r0, dr, centre } => {
                for (i, p) in pixels.iter_mut().enumerate() {
                    let at = [from.x + i as f64 * step.0, from.y + i as f64 * step.1];
                    *p = circle(at, r0, dr, centre).map_or([0; 4], |t| self.color(t as f32));
                }
            }
        }
    }

    #[inline(always)]
    fn walk(&self, pixels: &mut [[u8; 4]], from: Point, step: (f64, f64), offset: impl Fn(f32, f32) -> f32) {
        let (dx, dy) = (step.0 as f32, step.1 as f32);
        for (block, pixels) in pixels.chunks_mut(BLOCK).enumerate() {
            let i = (block * BLOCK) as f64;
            let (x, y) = ((from.x + i * step.0) as f32, (from.y + i * step.1) as f32);
            let mut places = [0; BLOCK];
            for (i, place) in places.iter_mut().enumerate() {
                *place = self.place(offset(x + i as f32 * dx, y + i as f32 * dy));
            }
            for (p, place) in pixels.iter_mut().zip(places) {
                *p = self.table[place as usize];
            }
        }
    }

    fn color(&self, offset: f32) -> [u8; 4] {
        self.table[self.place(offset) as usize]
    }

    /// Where in the table.
    #[inline(always)]
    fn place(&self, offset: f32) -> u32 {
        let last = self.table.len() as u32 - 1;
        // Added to this number, the nearest whole one is in its lowest bits: quicker than a cast.
        const MANY: f32 = (1 << 23) as f32;
        let near = offset.clamp(0.0, 1.0) * last as f32 + MANY;
        near.to_bits().wrapping_sub(MANY.to_bits()).min(last)
    }
}

/// The offset of the last circle through a point, if there is one.
fn circle([x, y]: [f64; 2], r0: f64, dr: f64, [cx, cy]: [f64; 2]) -> Option<f64> {
    let a = cx * cx + cy * cy - dr * dr;
    let b = x * cx + y * cy + r0 * dr;
    let c = x * x + y * y - r0 * r0;
    let real = |t: f64| r0 + t * dr >= 0.0;
    if a.abs() < 1e-12 {
        let t = c / (2.0 * b);
        return (b != 0.0 && real(t)).then_some(t);
    }
    let root = b * b - a * c;
    if root < 0.0 {
        return None;
    }
    let root = root.sqrt();
    let (one, two) = ((b + root) / a, (b - root) / a);
    [one.max(two), one.min(two)].into_iter().find(|t| real(*t))
}

/// The direction of (x, y) in turns, 0..1, to within two millionths.
#[inline(always)]
fn turns(x: f32, y: f32) -> f32 {
    let (wide, high) = (x.abs(), y.abs());
    let slope = wide.min(high) / wide.max(high).max(f32::MIN_POSITIVE);
    let s = slope * slope;
    // An odd polynomial fitted to atan(slope) / TAU on 0..1.
    let tail = s * (-0.013_553_049 + s * 0.003_317_601);
    let part = slope * (0.159_133_67 + s * (-0.052_569_64 + s * (0.028_673_239 + tail)));
    let quarter = if wide < high { 0.25 - part } else { part };
    let half = if x < 0.0 { 0.5 - quarter } else { quarter };
    if y < 0.0 { 1.0 - half } else { half }
}

/// The colours of sorted stops, straight between neighbours and only then premultiplied.
pub(super) fn table(stops: &[(f64, Color)], steps: usize, opacity: f32) -> Table {
    let mut next = 0;
    let color = |i: usize| {
        let t = i as f64 / steps as f64;
        while stops.get(next).is_some_and(|stop| stop.0 <= t) {
            next += 1;
        }
        let before = next.checked_sub(1).and_then(|at| stops.get(at));
        match (before, stops.get(next)) {
            (Some(a), Some(b)) => a.1.mixed(&b.1, ((t - a.0) / (b.0 - a.0)) as f32, opacity),
            (Some(only), None) | (None, Some(only)) => only.1.premultiplied(opacity),
            (None, None) => [0; 4],
        }
    };
    (0..=steps).map(color).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::at_least(500))]
        #[test]
        fn directions_are_those_of_atan2(x in -1e3..1e3f64, y in -1e3..1e3f64) {
            let truth = y.atan2(x).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU;
            prop_assert!((f64::from(turns(x as f32, y as f32)) - truth).abs() < 3e-6);
        }

        #[test]
        fn points_lie_on_the_circle_that_is_found(
            p in prop::array::uniform2(-9.0..9.0f64), r0 in 0.0..4.0f64, dr in -4.0..4.0f64,
            centre in prop::array::uniform2(-3.0..3.0f64)
        ) {
            if let Some(t) = circle(p, r0, dr, centre) {
                let r = r0 + t * dr;
                let far = (p[0] - t * centre[0]).hypot(p[1] - t * centre[1]);
                prop_assert!(r >= 0.0 && (far - r).abs() < 1e-6 * (1.0 + t.abs()), "{t}: {far} {r}");
            }
        }
    }

    #[test]
    fn tables_end_in_their_stops_and_turn_at_equal_ones() {
        let (red, blue) = (
            Color::from_rgba8(255, 0, 0, 255),
            Color::from_rgba8(0, 0, 255, 255),
        );
        let soft = table(&[(0.0, red), (1.0, blue)], 4, 1.0);
        assert_eq!(
            soft[..],
            [
                [255, 0, 0, 255],
                [191, 0, 64, 255],
                [128, 0, 128, 255],
                [64, 0, 191, 255],
                [0, 0, 255, 255]
            ]
        );
        let hard = table(&[(0.5, red), (0.5, blue)], 4, 1.0);
        assert_eq!((hard[1], hard[2]), ([255, 0, 0, 255], [0, 0, 255, 255]));
    }
}
