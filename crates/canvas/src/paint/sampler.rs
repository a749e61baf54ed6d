//! Pixels of a picture under an affine transform, row by row.
//!
//! Smooth pictures are mixed of the four nearest pixels, others take the nearest. Cubic filtering
//! is tiny-skia's.

#[cfg(target_arch = "x86_64")]
use super::fours::avx2;
use super::fours::{BLOCK, FRACTION, Fours, part};
use super::pixel;
use crate::canvas::Bitmap;
use crate::matrix::{Matrix, Point};

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

const ONE: i64 = 1 << FRACTION;

/// Wider steps could pass through all positions between two that are inside of the picture.
const MOST: u64 = 1 << 56;

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
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: only the feature that was just found is needed.
            #[allow(unsafe_code, reason = "three times as fast on smooth pictures")]
            return unsafe { self.fill_avx2(x, y, out) };
        }
        self.fill(x, y, out, Self::slanted);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&self, x: i32, y: i32, out: &mut [u8]) {
        self.fill(x, y, out, |sampler, out, from, step| {
            sampler.slanted_avx2(out, from, step)
        });
    }

    /// `slanted` is its way along a smooth picture in any direction.
    #[inline(always)]
    fn fill(&self, x: i32, y: i32, out: &mut [u8], slanted: impl Fn(&Self, &mut [u8], [i64; 2], [i64; 2])) {
        let centre = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let at = self.to_image.apply(centre);
        let shift = if self.smooth { 0.5 } else { 0.0 };
        let (u, v) = (fixed(at.x - shift), fixed(at.y - shift));
        let (du, dv) = (fixed(self.to_image.a), fixed(self.to_image.b));
        let whole = !self.smooth || (u % ONE == 0 && v % ONE == 0);
        match whole && du == ONE && dv == 0 {
            true => self.copy(u >> FRACTION, v >> FRACTION, out),
            false if self.smooth => slanted(self, out, [u, v], [du, dv]),
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
    fn slanted(&self, out: &mut [u8], mut at: [i64; 2], step: [i64; 2]) {
        for block in out.as_chunks_mut::<4>().0.chunks_mut(BLOCK) {
            let inside = self.is_inside(at, step, block.len());
            self.block(block, at, step, inside);
            at = moved(at, step, BLOCK);
        }
    }

    #[inline(always)]
    fn block(&self, block: &mut [[u8; 4]], mut at: [i64; 2], step: [i64; 2], inside: bool) {
        let mut four = Fours::default();
        for i in 0..block.len() {
            let [u, v] = at;
            match inside {
                true => four.put(i, at.map(part), self.four(u, v)),
                false => four.put(i, at.map(part), self.four_at_borders(u, v)),
            }
            at = moved(at, step, 1);
        }
        block.copy_from_slice(&four.mixed()[..block.len()]);
    }

    /// The same, where most blocks are taken at once.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn slanted_avx2(&self, out: &mut [u8], mut at: [i64; 2], step: [i64; 2]) {
        let Some(picture) = avx2::Padded::new(self.pixels(), self.image.width(), self.image.height()) else {
            return self.slanted(out, at, step);
        };
        let steps = step.map(|step| avx2::steps(step));
        for block in out.as_chunks_mut::<4>().0.chunks_mut(BLOCK) {
            if self.beyond == Beyond::Pad || self.is_inside(at, step, BLOCK) {
                let mixed = picture.mixed(at, steps);
                match <&mut [_; BLOCK]>::try_from(&mut *block) {
                    Ok(block) => *block = mixed,
                    Err(_) => block.copy_from_slice(&mixed[..block.len()]),
                }
            } else {
                self.block(block, at, step, false);
            }
            at = moved(at, step, BLOCK);
        }
    }

    /// Whether the four pixels around each of so many positions are all the picture's.
    #[inline(always)]
    fn is_inside(&self, at: [i64; 2], step: [i64; 2], count: usize) -> bool {
        let small = step[0].unsigned_abs() < MOST && step[1].unsigned_abs() < MOST;
        small && self.has_four(at) && self.has_four(moved(at, step, count - 1))
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

/// Saturating; far outside one border pixel is like the next.
fn fixed(v: f64) -> i64 {
    (v * ONE as f64).round().clamp(-4e18, 4e18) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        /// With AVX2 and without, and pixel by pixel.
        #[test]
        fn all_ways_say_the_same(
            (width, height) in (1u32..40, 1u32..40),
            (turn, x_scale, y_scale) in (prop_oneof![Just(0.0), -4.0..4.0f64], -3.0..3.0f64, 0.1..3.0f64),
            (dx, dy) in (-50.0..50.0f64, -50.0..50.0f64),
            repeats: bool,
        ) {
            let data: Vec<u8> = (0..width * height * 4).map(|i| (i * 97 % 253) as u8).collect();
            let image = Bitmap::from_premultiplied(width, height, data).unwrap();
            let place = Matrix::translation(dx, dy)
                .multiply(Matrix::rotation(turn))
                .multiply(Matrix::scaling(x_scale, y_scale));
            let beyond = if repeats { Beyond::Repeat } else { Beyond::Pad };
            let Some(sampler) = Sampler::new(&image, &place, beyond, true, 1.0) else {
                return Ok(());
            };
            for y in -8..8 {
                let (mut row, mut plain) = ([0; 4 * 45], [0; 4 * 45]);
                sampler.row(-21, y, &mut row);
                sampler.fill(-21, y, &mut plain, Sampler::slanted);
                prop_assert_eq!(row, plain);
                let at = sampler.to_image.apply(Point::new(-20.5, f64::from(y) + 0.5));
                let (mut u, mut v) = (fixed(at.x - 0.5), fixed(at.y - 0.5));
                for p in plain.as_chunks::<4>().0 {
                    prop_assert_eq!(*p, mixed(&sampler, u, v));
                    u += fixed(sampler.to_image.a);
                    v += fixed(sampler.to_image.b);
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
