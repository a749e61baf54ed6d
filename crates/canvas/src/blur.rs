//! Gaussian blur by three box filters: of shadows and of filters.

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

/// Blurs one channel of `w`x`h`.
pub fn blur_plane(plane: &mut Vec<u8>, w: usize, h: usize, boxes: &[usize; 3]) {
    if boxes.iter().all(|b| *b <= 1) {
        return;
    }
    blur_rows(plane, w, boxes);
    let mut turned = transpose(plane, w, h);
    blur_rows(&mut turned, h, boxes);
    *plane = transpose(&turned, h, w);
}

fn transpose(data: &[u8], w: usize, h: usize) -> Vec<u8> {
    let mut out = vec![0; w * h];
    for (y, row) in data.chunks_exact(w.max(1)).enumerate() {
        for (x, v) in row.iter().enumerate() {
            out[x * h + y] = *v;
        }
    }
    out
}

/// Three box filters on every row, in 8.8 fixed point so that roundings do not add up.
fn blur_rows(data: &mut [u8], width: usize, boxes: &[usize; 3]) {
    let mut from = vec![0u32; width];
    let mut to = vec![0u32; width];
    for row in data.chunks_exact_mut(width.max(1)) {
        if row.iter().all(|v| *v == 0) {
            continue;
        }
        for (wide, v) in from.iter_mut().zip(row.iter()) {
            *wide = u32::from(*v) << 8;
        }
        for size in boxes {
            box_row(&from, &mut to, *size);
            std::mem::swap(&mut from, &mut to);
        }
        for (v, wide) in row.iter_mut().zip(&from) {
            *v = ((wide + 128) >> 8).min(255) as u8;
        }
    }
}

/// A centred running mean over `size` (odd) values; beyond the ends lies zero.
fn box_row(from: &[u32], to: &mut [u32], size: usize) {
    let half = size / 2;
    let mut sum: u32 = from.iter().take(half).sum();
    // Times a fraction of 32 bits instead of a division; sums are below 2^27.
    let scale = (1u64 << 32).div_ceil(size as u64);
    let mean = |sum: u32| ((u64::from(sum) * scale + (1 << 31)) >> 32) as u32;
    let ahead = from.iter().skip(half).copied().chain(std::iter::repeat(0));
    let behind = std::iter::repeat_n(0, half).chain(from.iter().copied());
    for ((to, new), old) in to.iter_mut().zip(ahead).zip(behind) {
        sum += new;
        *to = mean(sum);
        sum -= old;
    }
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
        let turned = transpose(&plane, 41, 41);
        assert!(turned.iter().zip(&plane).all(|(a, b)| a.abs_diff(*b) <= 1));
    }
}
