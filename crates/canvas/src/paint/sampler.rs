//! Pixels of a picture under an affine transform, row by row.
//!
//! Smooth pictures are mixed of the four nearest pixels, others take the nearest. Cubic filtering
//! is tiny-skia's.

use super::{pixel, rows};
use crate::canvas::Bitmap;
use crate::matrix::{Matrix, Point};
use crate::wide::wide;

/// What lies beyond the borders of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// Its border pixels.
    Pad,
    /// The picture again.
    Repeat,
}

pub(crate) struct Sampler<'a> {
    image: &'a Bitmap,
    to_image: Matrix,
    beyond: Beyond,
    smooth: bool,
    opacity: u8,
}

/// Positions have this many bits after the point.
const FRACTION: u32 = 32;
const ONE: i64 = 1 << FRACTION;

/// Pixels that are mixed side by side.
const BLOCK: usize = 8;
type Side<T> = [[T; 4]; BLOCK];

/// For each pixel of a block the picture's left and right, above and below; and how far it is from the
/// first ones, in 256ths, for each channel.
#[derive(Default)]
struct Fours {
    above: [Side<u8>; 2],
    below: [Side<u8>; 2],
    right: Side<u16>,
    down: Side<u16>,
}

impl Fours {
    #[inline(always)]
    fn put(&mut self, i: usize, [u, v]: [i64; 2], four: [[u8; 4]; 4]) {
        (self.above[0][i], self.above[1][i]) = (four[0], four[1]);
        (self.below[0][i], self.below[1][i]) = (four[2], four[3]);
        (self.right[i], self.down[i]) = ([part(u); 4], [part(v); 4]);
    }

    #[inline(always)]
    fn mixed(&self) -> Side<u8> {
        let left = blend(&self.above[0], &self.below[0], &self.down);
        let right = blend(&self.above[1], &self.below[1], &self.down);
        blend(&left, &right, &self.right)
    }
}

/// Wider steps could pass through all positions between two that are inside of the picture.
const MOST: u64 = 1 << 56;

wide! {
    /// The pixels from (x, y) on, to the right.
    fn row(sampler: &Sampler, x: i32, y: i32, out: &mut [u8]) {
        sampler.fill(x, y, out);
    }
}

impl<'a> Sampler<'a> {
    /// `None` when the picture has no pixels, or no area on the device.
    pub fn new(
        image: &'a Bitmap,
        to_device: &Matrix,
        beyond: Beyond,
        smooth: bool,
        opacity: f32,
    ) -> Option<Sampler<'a>> {
        let to_image = to_device.invert().filter(Matrix::is_finite)?;
        (!image.is_empty()).then_some(Sampler {
            image,
            to_image,
            beyond,
            smooth,
            opacity: (opacity.clamp(0.0, 1.0) * 255.0).round() as u8,
        })
    }

    /// The pixels from (x, y) on, to the right.
    pub fn row(&self, x: i32, y: i32, out: &mut [u8]) {
        row(self, x, y, out);
    }

    #[inline(always)]
    fn fill(&self, x: i32, y: i32, out: &mut [u8]) {
        let centre = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let at = self.to_image.apply(centre);
        let shift = if self.smooth { 0.5 } else { 0.0 };
        let (u, v) = (fixed(at.x - shift), fixed(at.y - shift));
        let (du, dv) = (fixed(self.to_image.a), fixed(self.to_image.b));
        let whole = !self.smooth || (u % ONE == 0 && v % ONE == 0);
        match whole && du == ONE && dv == 0 {
            true => self.copy(u >> FRACTION, v >> FRACTION, out),
            false if self.smooth && dv == 0 && self.upright(out, u, v, du) => {}
            false if self.smooth => self.slanted(out, [u, v], [du, dv]),
            false => self.walk(out, [u, v], [du, dv]),
        }
        if self.opacity < 255 {
            for p in out.as_chunks_mut::<4>().0 {
                *p = pixel::scale(*p, self.opacity);
            }
        }
    }

    /// The nearest pixels.
    #[inline(always)]
    fn walk(&self, out: &mut [u8], from: [i64; 2], step: [i64; 2]) {
        let [mut u, mut v] = from;
        for p in out.as_chunks_mut::<4>().0 {
            *p = self.pixel(u >> FRACTION, v >> FRACTION);
            u = u.wrapping_add(step[0]);
            v = v.wrapping_add(step[1]);
        }
    }

    /// Smooth, in any direction, a block of pixels at a time: four of the picture's for each are
    /// collected first, and then mixed side by side.
    #[inline(always)]
    fn slanted(&self, out: &mut [u8], from: [i64; 2], step: [i64; 2]) {
        let small = step[0].unsigned_abs() < MOST && step[1].unsigned_abs() < MOST;
        let mut at = from;
        for block in out.as_chunks_mut::<4>().0.chunks_mut(BLOCK) {
            let mut four = Fours::default();
            let inside = small && self.has_four(at) && self.has_four(moved(at, step, block.len() - 1));
            for i in 0..block.len() {
                let [u, v] = at;
                match inside {
                    true => four.put(i, at, self.four(u, v)),
                    false => four.put(i, at, self.four_at_borders(u, v)),
                }
                at = moved(at, step, 1);
            }
            block.copy_from_slice(&four.mixed()[..block.len()]);
        }
    }

    /// Whether the four pixels around a position are all the picture's.
    #[inline(always)]
    fn has_four(&self, [u, v]: [i64; 2]) -> bool {
        let inside = |at: i64, side: u32| ((at >> FRACTION) as u64) < u64::from(side) - 1;
        inside(u, self.image.width()) && inside(v, self.image.height())
    }

    #[inline(always)]
    fn four(&self, u: i64, v: i64) -> [[u8; 4]; 4] {
        let width = self.image.width() as usize;
        let at = (v >> FRACTION) as usize * width + (u >> FRACTION) as usize;
        let part = &self.pixels()[at..at + width + 2];
        [part[0], part[1], part[width], part[width + 1]]
    }

    #[inline(always)]
    fn four_at_borders(&self, u: i64, v: i64) -> [[u8; 4]; 4] {
        let ([x, y], width) = ([u >> FRACTION, v >> FRACTION], self.image.width() as usize);
        let ((left, top), (right, bottom)) = (self.inside(x, y), self.inside(x + 1, y + 1));
        let (above, below) = (top as usize * width, bottom as usize * width);
        let (left, right, pixels) = (left as usize, right as usize, self.pixels());
        [
            pixels[above + left],
            pixels[above + right],
            pixels[below + left],
            pixels[below + right],
        ]
    }

    /// A row that falls on the picture's own pixels.
    fn copy(&self, u: i64, v: i64, out: &mut [u8]) {
        let width = i64::from(self.image.width());
        let (_, y) = self.inside(0, v);
        let (pixels, _) = out.as_chunks_mut::<4>();
        let inside = (u.max(0), (u + pixels.len() as i64).min(width));
        if inside.0 >= inside.1 {
            pixels
                .iter_mut()
                .zip(u..)
                .for_each(|(p, u)| *p = self.pixel(u, v));
            return;
        }
        let (first, last) = ((inside.0 - u) as usize, (inside.1 - u) as usize);
        let row = self.image.row(y, inside.0 as u32, inside.1 as u32);
        pixels[first..last].as_flattened_mut().copy_from_slice(row);
        for i in (0..first).chain(last..pixels.len()) {
            pixels[i] = self.pixel(u + i as i64, v);
        }
    }

    /// A row that runs along the picture's rows, inside of it: two of them are mixed first, and
    /// then neighbours of that. `false` leaves it to the general way.
    #[inline(always)]
    fn upright(&self, out: &mut [u8], u: i64, v: i64, du: i64) -> bool {
        let (w, h) = (i64::from(self.image.width()), i64::from(self.image.height()));
        let count = (out.len() / 4) as i64;
        let Some(end) = du.checked_mul(count - 1).and_then(|way| way.checked_add(u)) else {
            return false;
        };
        let (y, first, last) = (
            v >> FRACTION,
            u.min(end) >> FRACTION,
            (u.max(end) >> FRACTION) + 2,
        );
        // Wide steps would mix more than they use.
        if y < 0 || y + 1 >= h || first < 0 || last > w || last - first > 2 * count {
            return false;
        }
        let row = |y: i64| self.image.row(y as u32, first as u32, last as u32);
        let mut mixed = row(y).to_vec();
        rows::mix(&mut mixed, row(y + 1), part(v));
        let (mixed, _) = mixed.as_chunks::<4>();
        let mut u = u - (first << FRACTION);
        for block in out.as_chunks_mut::<4>().0.chunks_mut(BLOCK) {
            let (mut left, mut right, mut parts) = ([[0; 4]; BLOCK], [[0; 4]; BLOCK], [[0; 4]; BLOCK]);
            for i in 0..block.len() {
                let x = (u >> FRACTION) as usize;
                (left[i], right[i], parts[i]) = (mixed[x], mixed[x + 1], [part(u); 4]);
                u += du;
            }
            block.copy_from_slice(&blend(&left, &right, &parts)[..block.len()]);
        }
        true
    }

    /// The pixel of the picture that stands for (x, y).
    #[inline(always)]
    fn inside(&self, x: i64, y: i64) -> (u32, u32) {
        let (w, h) = (i64::from(self.image.width()), i64::from(self.image.height()));
        match self.beyond {
            Beyond::Pad => (x.clamp(0, w - 1) as u32, y.clamp(0, h - 1) as u32),
            Beyond::Repeat => (x.rem_euclid(w) as u32, y.rem_euclid(h) as u32),
        }
    }

    #[inline(always)]
    fn pixel(&self, x: i64, y: i64) -> [u8; 4] {
        let (x, y) = self.inside(x, y);
        self.pixels()[y as usize * self.image.width() as usize + x as usize]
    }

    #[inline(always)]
    fn pixels(&self) -> &[[u8; 4]] {
        self.image.data().as_chunks::<4>().0
    }
}

/// So many steps away.
#[inline(always)]
fn moved(from: [i64; 2], step: [i64; 2], count: usize) -> [i64; 2] {
    let by = |i: usize| from[i].wrapping_add(step[i].wrapping_mul(count as i64));
    [by(0), by(1)]
}

/// From one side to the other by so many 256ths, each channel for itself.
#[inline(always)]
fn blend(from: &Side<u8>, to: &Side<u8>, by: &Side<u16>) -> Side<u8> {
    let mut out = [[0; 4]; BLOCK];
    let (from, to, by) = (from.as_flattened(), to.as_flattened(), by.as_flattened());
    for (i, out) in out.as_flattened_mut().iter_mut().enumerate() {
        *out = ((u16::from(from[i]) * (256 - by[i]) + u16::from(to[i]) * by[i] + 128) >> 8) as u8;
    }
    out
}

/// Saturating; far outside one border pixel is like the next.
fn fixed(v: f64) -> i64 {
    (v * ONE as f64).round().clamp(-4e18, 4e18) as i64
}

/// The fraction in 256ths.
#[inline(always)]
fn part(v: i64) -> u16 {
    (v >> (FRACTION - 8)) as u16 & 255
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Bitmap {
        let data = (0..4u8).flat_map(|i| [i * 80, 10, i, 255]).collect();
        Bitmap::from_premultiplied(2, 2, data).unwrap()
    }

    fn row(to_device: Matrix, beyond: Beyond, smooth: bool, from: (i32, i32), count: usize) -> Vec<u8> {
        let image = board();
        let mut out = vec![0; count * 4];
        Sampler::new(&image, &to_device, beyond, smooth, 1.0)
            .unwrap()
            .row(from.0, from.1, &mut out);
        out.chunks(4).map(|p| p[0]).collect()
    }

    /// What the four pixels around a position give, channel by channel.
    fn mixed(sampler: &Sampler, u: i64, v: i64) -> [u8; 4] {
        let four = sampler.four_at_borders(u, v).map(|p| p.map(u32::from));
        let mix = |a: u32, b: u32, by: u16| (a * (256 - u32::from(by)) + b * u32::from(by) + 128) >> 8;
        std::array::from_fn(|c| {
            let [left, right] = [0, 1].map(|side| mix(four[side][c], four[side + 2][c], part(v)));
            mix(left, right, part(u)) as u8
        })
    }

    #[test]
    fn in_its_place_a_picture_is_copied_padded_or_repeated() {
        let place = Matrix::translation(10.0, 10.0);
        for smooth in [true, false] {
            assert_eq!(row(place, Beyond::Pad, smooth, (8, 10), 5), [0, 0, 0, 80, 80]);
            assert_eq!(
                row(place, Beyond::Repeat, smooth, (8, 11), 5),
                [160, 240, 160, 240, 160]
            );
            assert_eq!(row(place, Beyond::Pad, smooth, (90, 0), 2), [80, 80]);
        }
    }

    #[test]
    fn between_pixels_smooth_ones_are_mixed() {
        let place = Matrix::translation(0.5, 0.0);
        assert_eq!(row(place, Beyond::Pad, true, (0, 0), 3), [0, 40, 80]);
        assert_eq!(row(place, Beyond::Pad, false, (0, 0), 3), [0, 80, 80]);
        let large = Matrix::scaling(4.0, 4.0);
        assert_eq!(
            row(large, Beyond::Pad, false, (0, 7), 8),
            [160, 160, 160, 160, 240, 240, 240, 240]
        );
    }

    #[test]
    fn along_the_rows_both_ways_say_the_same() {
        let data: Vec<u8> = (0..40 * 9 * 4u32).map(|i| (i * 37 % 251) as u8).collect();
        let image = Bitmap::from_premultiplied(40, 9, data).unwrap();
        for (scale, x, y) in [(0.6, 3, 2), (1.0, 4, 3), (2.7, 9, 9), (-1.3, -40, 6)] {
            let place = Matrix::new(scale, 0.0, 0.0, 1.2, 0.3, 0.4);
            let sampler = Sampler::new(&image, &place, Beyond::Pad, true, 1.0).unwrap();
            let mut quick = [0; 4 * 10];
            sampler.row(x, y, &mut quick);
            for (i, p) in quick.chunks_exact(4).enumerate() {
                // One pixel alone is never worth the quick way.
                let mut one = [0; 4];
                let at = sampler
                    .to_image
                    .apply(Point::new(f64::from(x) + i as f64 + 0.5, f64::from(y) + 0.5));
                one.copy_from_slice(&mixed(&sampler, fixed(at.x - 0.5), fixed(at.y - 0.5)));
                assert!(
                    p.iter().zip(one).all(|(a, b)| a.abs_diff(b) <= 1),
                    "{scale} {i}: {p:?} {one:?}"
                );
            }
        }
    }

    #[test]
    fn inside_and_at_borders_four_pixels_are_mixed() {
        let data: Vec<u8> = (0..31 * 23 * 4u32).map(|i| (i * 97 % 253) as u8).collect();
        let image = Bitmap::from_premultiplied(31, 23, data).unwrap();
        for (turn, scale) in [(0.3, 1.0), (1.2, 0.7), (2.9, 3.1), (4.4, 0.2), (1e-9, 1.0)] {
            let place = Matrix::rotation(turn).multiply(Matrix::scaling(scale, scale));
            for beyond in [Beyond::Pad, Beyond::Repeat] {
                let sampler = Sampler::new(&image, &place, beyond, true, 1.0).unwrap();
                for y in -40..40 {
                    let mut row = [0; 4 * 83];
                    sampler.row(-41, y, &mut row);
                    let at = sampler.to_image.apply(Point::new(-40.5, f64::from(y) + 0.5));
                    let (mut u, mut v) = (fixed(at.x - 0.5), fixed(at.y - 0.5));
                    for p in row.as_chunks::<4>().0 {
                        assert_eq!(*p, mixed(&sampler, u, v), "{turn} {scale} {y}");
                        u += fixed(sampler.to_image.a);
                        v += fixed(sampler.to_image.b);
                    }
                }
            }
        }
    }

    #[test]
    fn absurd_transforms_are_answered() {
        for matrix in [
            Matrix::scaling(1e-300, 1e-300),
            Matrix::scaling(1e300, 1e-300),
            Matrix::translation(1e300, -1e300),
        ] {
            let image = board();
            for beyond in [Beyond::Pad, Beyond::Repeat] {
                for smooth in [true, false] {
                    if let Some(sampler) = Sampler::new(&image, &matrix, beyond, smooth, 0.5) {
                        sampler.row(-5, 3, &mut [0; 64]);
                    }
                }
            }
        }
    }
}
