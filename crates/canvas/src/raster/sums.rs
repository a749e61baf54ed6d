//! Areas summed up along a row: runs of coverage.

use super::{BLOCK, Run};
use crate::path::FillRule;

/// Sums a row up into runs and clears it.
pub(super) fn resolve(
    rule: FillRule,
    cells: &mut [f32],
    marks: &mut [u64],
    out: &mut [u8],
    runs: &mut Vec<Run>,
) {
    let first = runs.len();
    let (mut sum, mut next) = (0.0f32, 0);
    for (word, marks) in marks.iter_mut().enumerate() {
        while *marks != 0 {
            let from = (word * 64 + marks.trailing_zeros() as usize) * BLOCK;
            *marks &= *marks - 1;
            let Some(cells) = cells
                .get_mut(from..)
                .and_then(|cells| cells.first_chunk_mut::<BLOCK>())
            else {
                continue;
            };
            if next < from {
                level_run(level(rule, sum), next, from.min(out.len()), out, first, runs);
            }
            next = (from + BLOCK).min(out.len());
            if from < next {
                let levels = levels(rule, cells, &mut sum);
                match out[from..].first_chunk_mut::<BLOCK>() {
                    Some(out) => *out = levels,
                    None => out[from..].copy_from_slice(&levels[..next - from]),
                }
                let full = false;
                push(Run { from, to: next, full }, first, runs);
            }
            cells.fill(0.0);
        }
    }
    level_run(level(rule, sum), next, out.len(), out, first, runs);
}

/// The coverage of a block's pixels, right of what `sum` says; the sum goes on.
#[inline(always)]
fn levels(rule: FillRule, cells: &[f32; BLOCK], sum: &mut f32) -> [u8; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if rule == FillRule::NonZero {
        // SAFETY: SSE2 is part of x86-64.
        #[allow(unsafe_code, reason = "sums of four cells at a time")]
        return unsafe { sse2::levels(cells, sum) };
    }
    let mut out = [0; BLOCK];
    for (cell, out) in cells.iter().zip(&mut out) {
        *sum += cell;
        *out = level(rule, *sum);
    }
    out
}

/// Four sums at a time.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use super::BLOCK;
    use std::arch::x86_64::{
        __m128, __m128i, _mm_add_ps, _mm_and_ps, _mm_castps_si128, _mm_castsi128_ps, _mm_cvtsi128_si64,
        _mm_cvtss_f32, _mm_cvttps_epi32, _mm_min_ps, _mm_mul_ps, _mm_packs_epi32, _mm_packus_epi16,
        _mm_set1_epi32, _mm_set1_ps, _mm_setr_ps, _mm_shuffle_ps, _mm_slli_si128,
    };

    #[inline]
    #[target_feature(enable = "sse2")]
    fn summed([a, b, c, d]: [f32; 4], before: __m128) -> __m128 {
        let cells = _mm_setr_ps(a, b, c, d);
        let pairs = _mm_add_ps(
            cells,
            _mm_castsi128_ps(_mm_slli_si128::<4>(_mm_castps_si128(cells))),
        );
        let all = _mm_add_ps(
            pairs,
            _mm_castsi128_ps(_mm_slli_si128::<8>(_mm_castps_si128(pairs))),
        );
        _mm_add_ps(all, before)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn last(sums: __m128) -> __m128 {
        _mm_shuffle_ps::<0b1111_1111>(sums, sums)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn rounded(sums: __m128) -> __m128i {
        let positive = _mm_and_ps(sums, _mm_castsi128_ps(_mm_set1_epi32(i32::MAX)));
        let inside = _mm_min_ps(positive, _mm_set1_ps(1.0));
        _mm_cvttps_epi32(_mm_add_ps(
            _mm_mul_ps(inside, _mm_set1_ps(255.0)),
            _mm_set1_ps(0.5),
        ))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn levels(&[a, b, c, d, e, f, g, h]: &[f32; BLOCK], sum: &mut f32) -> [u8; BLOCK] {
        let left = summed([a, b, c, d], _mm_set1_ps(*sum));
        let right = summed([e, f, g, h], last(left));
        *sum = _mm_cvtss_f32(last(right));
        let words = _mm_packs_epi32(rounded(left), rounded(right));
        _mm_cvtsi128_si64(_mm_packus_epi16(words, words)).to_le_bytes()
    }
}

/// The coverage where so much of the outline lies on the left.
#[inline(always)]
fn level(rule: FillRule, sum: f32) -> u8 {
    let inside = match rule {
        FillRule::NonZero => sum.abs().min(1.0),
        FillRule::EvenOdd => {
            let folded = sum.abs() % 2.0;
            if folded > 1.0 { 2.0 - folded } else { folded }
        }
    };
    (inside * 255.0 + 0.5) as u8
}

/// Pixels that are all covered alike.
fn level_run(level: u8, from: usize, to: usize, out: &mut [u8], first: usize, runs: &mut Vec<Run>) {
    if level == 0 || from >= to {
        return;
    }
    let full = level == 255;
    if !full {
        out[from..to].fill(level);
    }
    push(Run { from, to, full }, first, runs);
}

/// Runs of one row grow together where they meet and are of one kind.
fn push(run: Run, first: usize, runs: &mut Vec<Run>) {
    if let Some(last) = runs[first..].last_mut()
        && last.to == run.from
        && last.full == run.full
    {
        last.to = run.to;
        return;
    }
    runs.push(run);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        #[test]
        fn blocks_are_summed_as_cell_by_cell(cells in prop::array::uniform8(-1.5..1.5f32), before in -2.0..2.0f32) {
            for rule in [FillRule::NonZero, FillRule::EvenOdd] {
                let (mut sum, mut one) = (before, before);
                let together = levels(rule, &cells, &mut sum);
                for (cell, together) in cells.iter().zip(together) {
                    one += cell;
                    prop_assert!(level(rule, one).abs_diff(together) <= 1);
                }
                prop_assert!((sum - one).abs() < 1e-5);
            }
        }
    }
}
