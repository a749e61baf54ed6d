//! Gaussian blur by three box filters: of shadows and of filters.

use crate::wide::wide;

/// Blurs wider than this look the same and only cost time.
pub const MAX_SIGMA: f64 = 400.0;

/// Widths of the three boxes whose sequence comes closest to a Gaussian.
pub fn box_sizes(sigma: f64) -> [usize; 3] {
    if sigma <= 0.0 {
        return [1; 3];
    }
    let ideal = (12.0 * sigma * sigma / 3.0 + 1.0).sqrt();
    let mut low = ideal.floor() as usize;
    if low.is_multiple_of(2) {
        low -= 1;
    }
    let l = low as f64;
    let small = ((12.0 * sigma * sigma - 3.0 * l * l - 12.0 * l - 9.0) / (-4.0 * l - 4.0)).round();
    std::array::from_fn(|i| if (i as f64) < small { low } else { low + 2 })
}

/// How far the three together carry a pixel, with room for roundings.
pub fn reach_of(boxes: &[usize; 3]) -> i32 {
    boxes.iter().sum::<usize>() as i32 / 2 + 2
}

/// Lines that are blurred side by side, so that the compiler makes vector code of it.
const LANES: usize = 8;
type Lanes = [i32; LANES];

/// Blurs one channel of `w`x`h`.
pub fn blur_plane(plane: &mut [u8], w: usize, h: usize, boxes: &[usize; 3]) {
    blur_plane_by(plane, w, h, &[*boxes; 2]);
}

/// The same with boxes of their own across and down.
pub fn blur_plane_by(plane: &mut [u8], w: usize, h: usize, [across, down]: &[[usize; 3]; 2]) {
    if across.iter().any(|b| *b > 1) {
        blur_lines(plane, (w, 1), (h, w), across);
    }
    if down.iter().any(|b| *b > 1) {
        blur_lines(plane, (h, w), (w, 1), down);
    }
}

/// Three box filters along lines, of which each has `length` pixels, `step` apart; there are
/// `count`, `next` apart. In 8.8 fixed point so that roundings do not add up.
fn blur_lines(
    plane: &mut [u8],
    (length, step): (usize, usize),
    (count, next): (usize, usize),
    boxes: &[usize; 3],
) {
    let mut from: Vec<Lanes> = vec![[0; LANES]; length];
    let mut to = from.clone();
    for first in (0..count).step_by(LANES) {
        let lanes = LANES.min(count - first);
        let mut any = 0;
        for (i, wide) in from.iter_mut().enumerate() {
            for (lane, wide) in wide.iter_mut().enumerate().take(lanes) {
                let v = plane[i * step + (first + lane) * next];
                any |= v;
                *wide = i32::from(v) << 8;
            }
        }
        if any == 0 {
            continue;
        }
        for size in boxes {
            box_line(&from, &mut to, *size);
            std::mem::swap(&mut from, &mut to);
        }
        for (i, wide) in from.iter().enumerate() {
            for (lane, wide) in wide.iter().enumerate().take(lanes) {
                plane[i * step + (first + lane) * next] = ((wide + 128) >> 8).min(255) as u8;
            }
        }
    }
}

wide! {
    /// A centred running mean over `size` (odd) values; beyond the ends lies zero.
    fn box_line(from: &[Lanes], to: &mut [Lanes], size: usize) {
        const NONE: Lanes = [0; LANES];
        let half = size / 2;
        let mut sum = NONE;
        for new in from.iter().take(half) {
            for lane in 0..LANES {
                sum[lane] += new[lane];
            }
        }
        // Sums are below 2^26 and exact; only the mean is rounded.
        let scale = 1.0 / size as f32;
        let mut mean = |to: &mut Lanes, new: &Lanes, old: &Lanes| {
            for lane in 0..LANES {
                sum[lane] += new[lane];
                to[lane] = rounded(sum[lane] as f32 * scale);
                sum[lane] -= old[lane];
            }
        };
        // Where the box reaches beyond one end, or both, and in between where it does not.
        let (ahead, behind) = (from.len().saturating_sub(half), half.min(from.len()));
        let (first, last) = (ahead.min(behind), ahead.max(behind));
        for (to, new) in to[..first].iter_mut().zip(&from[half.min(from.len())..]) {
            mean(to, new, &NONE);
        }
        if ahead < behind {
            to[first..last].iter_mut().for_each(|to| mean(to, &NONE, &NONE));
        } else {
            let pairs = from[first + half..].iter().zip(from);
            for (to, (new, old)) in to[first..last].iter_mut().zip(pairs) {
                mean(to, new, old);
            }
        }
        for (to, old) in to[last..].iter_mut().zip(&from[last.saturating_sub(half)..]) {
            mean(to, &NONE, old);
        }
    }
}

/// To the nearest whole number, below 2^22: behind this one no fraction finds room.
#[inline(always)]
fn rounded(v: f32) -> i32 {
    const MANY: f32 = (1 << 23) as f32;
    ((v + MANY).to_bits() - MANY.to_bits()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_boxes_have_the_variance_of_the_gaussian() {
        for sigma in [0.6, 1.0, 2.5, 5.0, 20.0, 100.0] {
            let variance: f64 = box_sizes(sigma)
                .iter()
                .map(|b| ((b * b) as f64 - 1.0) / 12.0)
                .sum();
            assert!(
                (variance.sqrt() - sigma).abs() < 0.3 + sigma * 0.02,
                "{sigma}: {}",
                variance.sqrt()
            );
        }
        assert_eq!(box_sizes(0.0), [1; 3]);
    }

    #[test]
    fn blurring_keeps_the_sum_and_the_symmetry() {
        let mut plane = vec![0; 41 * 41];
        for y in 15..26 {
            plane[y * 41 + 15..y * 41 + 26].fill(255);
        }
        blur_plane(&mut plane, 41, 41, &box_sizes(3.0));
        let sum: i64 = plane.iter().map(|v| i64::from(*v)).sum();
        assert!((sum - 121 * 255).abs() < 300, "{sum}");
        let mirrored: Vec<u8> = plane.iter().rev().copied().collect();
        assert!(plane == mirrored);
        for (i, v) in plane.iter().enumerate() {
            assert!(plane[i % 41 * 41 + i / 41].abs_diff(*v) <= 1);
        }
    }
}
