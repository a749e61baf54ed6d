//! source-over on rows of premultiplied pixels: what nearly every call ends in.
//!
//! Written over blocks of pixels so that the compiler makes vector code of it; one pixel at a
//! time does the rest. Both round alike. The other operations are in `composite`.

use super::pixel::{self, scale};
use crate::raster::Band;
use crate::wide::wide;

/// What one side of an operation by Porter and Duff is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    Zero,
    One,
    /// The other side's alpha.
    Alpha,
    /// What that leaves.
    Rest,
}

impl Factor {
    #[inline(always)]
    pub fn of(self, alpha: u8) -> u8 {
        match self {
            Factor::Zero => 0,
            Factor::One => 255,
            Factor::Alpha => alpha,
            Factor::Rest => 255 - alpha,
        }
    }

    #[inline(always)]
    fn of_all(self, alphas: &Block) -> Block {
        match self {
            Factor::Zero => [0; BYTES],
            Factor::One => [255; BYTES],
            Factor::Alpha => *alphas,
            Factor::Rest => alphas.map(|alpha| 255 - alpha),
        }
    }
}

/// Pixels of a block, and its bytes.
const BLOCK: usize = 8;
const BYTES: usize = BLOCK * 4;
type Block = [u8; BYTES];
/// Bytes of half a block: most rows are short, and single pixels cost as much as a block.
const HALF: usize = BYTES / 2;

wide! {
    /// Goes from `row` to `other` by `part` of 256.
    pub(crate) fn mix(row: &mut [u8], other: &[u8], part: u16) {
        for (a, b) in row.iter_mut().zip(other) {
            *a = ((u16::from(*a) * (256 - part) + u16::from(*b) * part + 128) >> 8) as u8;
        }
    }

    /// Each pixel of `out` is the mean of two of `above` and the two below them.
    pub(crate) fn mean_of_four(out: &mut [u8], above: &[u8], below: &[u8]) {
        let (out, above, below) = (out.as_chunks_mut::<4>().0, above.as_chunks::<8>().0, below.as_chunks::<8>().0);
        for ((out, a), b) in out.iter_mut().zip(above).zip(below) {
            for i in 0..4 {
                let sum = [a[i], a[i + 4], b[i], b[i + 4]].map(u16::from).iter().sum::<u16>();
                out[i] = ((sum + 2) / 4) as u8;
            }
        }
    }

    /// A coverage that is multiplied with another.
    pub(crate) fn fade(mask: &mut [u8], by: &[u8]) {
        for (m, by) in mask.iter_mut().zip(by) {
            *m = mul16(*m, *by);
        }
    }

    /// Pixels that are multiplied with a coverage.
    pub(crate) fn fade_pixels(pixels: &mut [u8], by: &[u8]) {
        let (blocks, rest) = pixels.as_chunks_mut::<BYTES>();
        let (masks, mask_rest) = by.as_chunks::<BLOCK>();
        for (block, mask) in blocks.iter_mut().zip(masks) {
            *block = times(block, &widened(mask));
        }
        for (p, by) in rest.as_chunks_mut::<4>().0.iter_mut().zip(mask_rest) {
            *p = scale(*p, *by);
        }
    }

    /// Another operation: the factors are those of the source and of what is there.
    pub(super) fn porter_duff(dst: &mut [u8], source: &[u8], factors: (Factor, Factor)) {
        for (dst, source) in dst.chunks_mut(BYTES).zip(source.chunks(BYTES)) {
            let (mut d, mut s) = ([0; BYTES], [0; BYTES]);
            d[..dst.len()].copy_from_slice(dst);
            s[..source.len()].copy_from_slice(source);
            let (fs, fd) = (factors.0.of_all(&alphas_of(&d)), factors.1.of_all(&alphas_of(&s)));
            for i in 0..BYTES {
                d[i] = mul16(s[i], fs[i]).saturating_add(mul16(d[i], fd[i]));
            }
            dst.copy_from_slice(&d[..dst.len()]);
        }
    }

    /// Whole pixels of one colour.
    pub(crate) fn solid_over(dst: &mut [u8], color: [u8; 4]) {
        solid(dst, color);
    }

    /// One colour, each pixel as far as it is covered.
    pub(crate) fn solid_over_masked(dst: &mut [u8], color: [u8; 4], mask: &[u8]) {
        solid_masked(dst, color, mask);
    }

    /// Rows of coverage in one colour: `width` pixels are a row of `pixels`, where the band lies.
    pub(crate) fn solid_over_band(pixels: &mut [u8], width: usize, color: [u8; 4], band: &Band) {
        let left = band.rect.x0 as usize;
        for (y, runs, mask) in band.rows() {
            let row = &mut pixels[(y as usize * width + left) * 4..];
            for run in runs {
                let dst = &mut row[run.from * 4..run.to * 4];
                match run.full {
                    true => solid(dst, color),
                    false => solid_masked(dst, color, &mask[run.from..run.to]),
                }
            }
        }
    }

    pub(crate) fn pixels_over(dst: &mut [u8], source: &[u8]) {
        let (blocks, rest) = dst.as_chunks_mut::<BYTES>();
        let (sources, source_rest) = source.as_chunks::<BYTES>();
        for (block, source) in blocks.iter_mut().zip(sources) {
            // Most pictures are.
            match is_opaque(source) {
                true => *block = *source,
                false => over(block, source, &alphas_of(source)),
            }
        }
        let (halves, rest) = rest.as_chunks_mut::<HALF>();
        let (sources, source_rest) = source_rest.as_chunks::<HALF>();
        for (half, source) in halves.iter_mut().zip(sources) {
            over(half, source, &alphas_of(source));
        }
        let source_rest = source_rest.as_chunks::<4>().0;
        for (p, s) in rest.as_chunks_mut::<4>().0.iter_mut().zip(source_rest) {
            *p = pixel::over(*s, *p);
        }
    }

    pub(crate) fn pixels_over_masked(dst: &mut [u8], source: &[u8], mask: &[u8]) {
        let (blocks, rest) = dst.as_chunks_mut::<BYTES>();
        let (sources, source_rest) = source.as_chunks::<BYTES>();
        let (masks, mask_rest) = mask.as_chunks::<BLOCK>();
        for ((block, source), mask) in blocks.iter_mut().zip(sources).zip(masks) {
            let source = times(source, &widened(mask));
            over(block, &source, &alphas_of(&source));
        }
        let (halves, rest) = rest.as_chunks_mut::<HALF>();
        let (sources, source_rest) = source_rest.as_chunks::<HALF>();
        let (masks, mask_rest) = mask_rest.as_chunks::<{ HALF / 4 }>();
        for ((half, source), mask) in halves.iter_mut().zip(sources).zip(masks) {
            let source = times(source, &widened(mask));
            over(half, &source, &alphas_of(&source));
        }
        let source_rest = source_rest.as_chunks::<4>().0;
        for ((p, s), &m) in rest
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip(source_rest)
            .zip(mask_rest)
        {
            *p = pixel::over(scale(*s, m), *p);
        }
    }
}

#[inline(always)]
fn solid(dst: &mut [u8], color: [u8; 4]) {
    match color[3] {
        255 => dst.as_chunks_mut::<4>().0.fill(color),
        0 => {}
        alpha => {
            let (blocks, rest) = dst.as_chunks_mut::<BYTES>();
            for block in blocks {
                over(block, &repeated(color), &[alpha; BYTES]);
            }
            let (halves, rest) = rest.as_chunks_mut::<HALF>();
            for half in halves {
                over(half, &repeated(color), &[alpha; HALF]);
            }
            for p in rest.as_chunks_mut::<4>().0 {
                *p = pixel::over(color, *p);
            }
        }
    }
}

#[inline(always)]
fn solid_masked(dst: &mut [u8], color: [u8; 4], mask: &[u8]) {
    let (source, alphas) = (repeated(color), [color[3]; BYTES]);
    let (blocks, rest) = dst.as_chunks_mut::<BYTES>();
    let (masks, mask_rest) = mask.as_chunks::<BLOCK>();
    for (block, mask) in blocks.iter_mut().zip(masks) {
        // Between letters, and beside slanted edges, there is much of nothing.
        if u64::from_ne_bytes(*mask) == 0 {
            continue;
        }
        let mask = widened(mask);
        over(block, &times(&source, &mask), &times(&alphas, &mask));
    }
    let (halves, rest) = rest.as_chunks_mut::<HALF>();
    let (masks, mask_rest) = mask_rest.as_chunks::<{ HALF / 4 }>();
    for (half, mask) in halves.iter_mut().zip(masks) {
        let mask = widened(mask);
        over(
            half,
            &times(&repeated(color), &mask),
            &times(&[color[3]; HALF], &mask),
        );
    }
    for (p, &m) in rest.as_chunks_mut::<4>().0.iter_mut().zip(mask_rest) {
        if m != 0 {
            *p = pixel::over(scale(color, m), *p);
        }
    }
}

/// [`mul`] in 16 bits, of which twice as many fit a register.
#[inline(always)]
fn mul16(a: u8, b: u8) -> u8 {
    let t = u16::from(a) * u16::from(b) + 128;
    ((t + (t >> 8)) >> 8) as u8
}

#[inline(always)]
fn over<const N: usize>(block: &mut [u8; N], source: &[u8; N], alphas: &[u8; N]) {
    for ((d, s), a) in block.iter_mut().zip(source).zip(alphas) {
        *d = s.wrapping_add(mul16(*d, 255 - a));
    }
}

#[inline(always)]
fn times<const N: usize>(a: &[u8; N], b: &[u8; N]) -> [u8; N] {
    std::array::from_fn(|i| mul16(a[i], b[i]))
}

#[inline(always)]
fn repeated<const N: usize>(color: [u8; 4]) -> [u8; N] {
    std::array::from_fn(|i| color[i % 4])
}

/// Each coverage for the four channels of its pixel.
#[inline(always)]
fn widened<const PIXELS: usize, const N: usize>(mask: &[u8; PIXELS]) -> [u8; N] {
    let mut out = [0; N];
    for (out, m) in out.as_chunks_mut::<4>().0.iter_mut().zip(mask) {
        *out = (u32::from(*m) * 0x0101_0101).to_ne_bytes();
    }
    out
}

#[inline(always)]
fn is_opaque(pixels: &Block) -> bool {
    let mut all = u32::MAX;
    for p in pixels.as_chunks::<4>().0 {
        all &= u32::from_le_bytes(*p);
    }
    all >> 24 == 255
}

/// Each pixel's alpha for its four channels.
#[inline(always)]
fn alphas_of<const N: usize>(pixels: &[u8; N]) -> [u8; N] {
    let mut out = [0; N];
    for (out, p) in out
        .as_chunks_mut::<4>()
        .0
        .iter_mut()
        .zip(pixels.as_chunks::<4>().0)
    {
        let alpha = u32::from_le_bytes(*p) >> 24;
        let two = alpha | alpha << 8;
        *out = (two | two << 16).to_le_bytes();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::pixel::mul;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_multiplications_are_one() {
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(mul16(a, b), mul(a, b));
            }
        }
    }

    /// On pixels, with other pixels, a colour and a mask to choose from.
    type Kernel = fn(&mut [u8], &[u8], [u8; 4], &[u8]);

    /// Premultiplied.
    fn pixels(count: usize) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<[u8; 4]>(), count).prop_map(|list| {
            list.iter()
                .flat_map(|p| scale([p[0], p[1], p[2], 255], p[3]))
                .collect()
        })
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(200))]
        #[test]
        fn blocks_and_single_pixels_say_the_same(
            dst in pixels(37), src in pixels(37), mask in prop::collection::vec(any::<u8>(), 37)
        ) {
            let color = [src[0], src[1], src[2], src[3]];
            let one = |run: Kernel| -> Vec<u8> {
                let mut out = dst.clone();
                for i in 0..37 {
                    run(&mut out[i * 4..i * 4 + 4], &src[i * 4..i * 4 + 4], color, &mask[i..=i]);
                }
                out
            };
            let all = |run: Kernel| -> Vec<u8> {
                let mut out = dst.clone();
                run(&mut out, &src, color, &mask);
                out
            };
            for run in [
                (|d, _, c, _| solid_over(d, c)) as Kernel,
                |d, _, c, m| solid_over_masked(d, c, m),
                |d, s, _, _| pixels_over(d, s),
                |d, s, _, m| pixels_over_masked(d, s, m),
                |d, _, _, m| fade_pixels(d, m),
            ] {
                prop_assert_eq!(one(run), all(run));
            }
        }
    }
}
