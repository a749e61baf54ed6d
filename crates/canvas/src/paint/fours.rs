//! Four pixels of a picture mixed into one, a block of pixels at a time: what smooth pictures are made of.
//!
//! First those above with those below, then left with right, each rounded to whole levels. Processors with
//! AVX2 do it in words side by side and round alike.

/// Positions have this many bits after the point.
pub(super) const FRACTION: u32 = 32;

/// The fraction in 256ths.
#[inline(always)]
pub(super) fn part(v: i64) -> u16 {
    (v >> (FRACTION - 8)) as u16 & 255
}

/// Pixels that are mixed side by side.
pub(super) const BLOCK: usize = 8;
type Side<T> = [[T; 4]; BLOCK];

/// For each pixel of a block the picture's left and right, above and below; and how far it is from the
/// first ones, in 256ths, for each channel.
#[derive(Default)]
pub(super) struct Fours {
    above: [Side<u8>; 2],
    below: [Side<u8>; 2],
    right: Side<u16>,
    down: Side<u16>,
}

impl Fours {
    /// `right` and `down` in 256ths; `four`: above left and right, below left and right.
    #[inline(always)]
    pub fn put(&mut self, i: usize, [right, down]: [u16; 2], four: [[u8; 4]; 4]) {
        (self.above[0][i], self.above[1][i]) = (four[0], four[1]);
        (self.below[0][i], self.below[1][i]) = (four[2], four[3]);
        (self.right[i], self.down[i]) = ([right; 4], [down; 4]);
    }

    #[inline(always)]
    pub fn mixed(&self) -> Side<u8> {
        let left = blend(&self.above[0], &self.below[0], &self.down);
        let right = blend(&self.above[1], &self.below[1], &self.down);
        blend(&left, &right, &self.right)
    }
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

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use super::{BLOCK, FRACTION};
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadl_epi64, _mm_unpacklo_epi64, _mm256_add_epi16, _mm256_add_epi32,
        _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_castps_si256, _mm256_castsi256_ps,
        _mm256_cmpgt_epi32, _mm256_cvtepu8_epi16, _mm256_max_epi32, _mm256_min_epi32, _mm256_mulhrs_epi16,
        _mm256_mullo_epi32, _mm256_or_si256, _mm256_packus_epi16, _mm256_permutevar8x32_epi32,
        _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_setzero_si256,
        _mm256_shuffle_ps, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_storeu_si256, _mm256_sub_epi16,
        _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
    };

    /// How far the pixels of a block are from the first one, in the order of [`words`].
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn steps(step: i64) -> [__m256i; 2] {
        let by = |times: i64| step.wrapping_mul(times);
        [
            _mm256_setr_epi64x(0, step, by(4), by(5)),
            _mm256_setr_epi64x(by(2), by(3), by(6), by(7)),
        ]
    }

    /// A picture that goes on beyond its borders with its last pixels.
    pub struct Padded<'a> {
        pixels: &'a [[u8; 4]],
        /// Of the last pixel that has neighbours right and below.
        last: [i32; 2],
        width: i32,
    }

    impl<'a> Padded<'a> {
        /// `None`: no pixel has neighbours right and below, or there are too many.
        pub fn new(pixels: &'a [[u8; 4]], width: u32, height: u32) -> Option<Padded<'a>> {
            let fits = width as usize * height as usize <= pixels.len().min(i32::MAX as usize);
            (fits && width > 1 && height > 1).then_some(Padded {
                pixels,
                last: [width as i32 - 2, height as i32 - 2],
                width: width as i32,
            })
        }

        /// A block that begins at a position.
        #[target_feature(enable = "avx2")]
        #[inline]
        pub fn mixed(&self, at: [i64; 2], steps: [[__m256i; 2]; 2]) -> [[u8; 4]; BLOCK] {
            let [(x, right), (y, down)] = [0, 1].map(|axis| placed(at[axis], steps[axis], self.last[axis]));
            let first = _mm256_add_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32(self.width)), x);
            let mut places = [0u32; BLOCK];
            // SAFETY: there are as many bytes.
            #[allow(unsafe_code, reason = "the one way to store a vector")]
            unsafe {
                _mm256_storeu_si256(places.as_mut_ptr().cast(), first);
            }
            let below = self.width as usize;
            // The block's first four beside the others.
            let pair = |i: usize| {
                let two = |row: usize| {
                    // SAFETY: `placed` leaves no column or row beyond `last`, whose pixels have neighbours
                    // right and below.
                    #[allow(
                        unsafe_code,
                        reason = "a check for each pixel takes as long as what is done with it"
                    )]
                    unsafe {
                        _mm_unpacklo_epi64(
                            self.neighbours(places[i], row),
                            self.neighbours(places[i + 4], row),
                        )
                    }
                };
                let [from, to] = [two(0), two(below)].map(|two| _mm256_cvtepu8_epi16(two));
                let (i, j) = (i as i32, i as i32 + 4);
                towards(
                    from,
                    to,
                    _mm256_permutevar8x32_epi32(down, _mm256_setr_epi32(i, i, i, i, j, j, j, j)),
                )
            };
            let four = |i: usize| {
                let (a, b) = (pair(i), pair(i + 1));
                let (i, j) = (i as i32, i as i32 + 4);
                let by = _mm256_setr_epi32(i, i, i + 1, i + 1, j, j, j + 1, j + 1);
                let by = _mm256_permutevar8x32_epi32(right, by);
                towards(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), by)
            };
            let all = _mm256_packus_epi16(four(0), four(2));
            let mut out = [[0; 4]; BLOCK];
            // SAFETY: there are as many bytes.
            #[allow(unsafe_code, reason = "the one way to store a vector")]
            unsafe {
                _mm256_storeu_si256(out.as_mut_ptr().cast(), all);
            }
            out
        }

        /// The pixel at `place + below` and the next one.
        ///
        /// # Safety
        ///
        /// There are both.
        #[target_feature(enable = "avx2")]
        #[allow(unsafe_code, reason = "said above")]
        #[inline]
        unsafe fn neighbours(&self, place: u32, below: usize) -> __m128i {
            let at = place as usize + below;
            debug_assert!(at + 1 < self.pixels.len());
            // SAFETY: eight bytes of two pixels; the caller's word.
            unsafe { _mm_loadl_epi64(self.pixels.as_ptr().add(at).cast()) }
        }
    }

    /// Where the first neighbours of a block's pixels lie on one axis, from 0 to `last`, and how far the
    /// pixels are from there, as [`towards`] takes it.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn placed(at: i64, steps: [__m256i; 2], last: i32) -> (__m256i, __m256i) {
        let at = steps.map(|steps| _mm256_add_epi64(_mm256_set1_epi64x(at), steps));
        let (place, fraction) = (words::<0b11_01_11_01>(at), words::<0b10_00_10_00>(at));
        let part = _mm256_srli_epi32::<{ FRACTION as i32 - 8 }>(fraction);
        let (zero, last) = (_mm256_setzero_si256(), _mm256_set1_epi32(last));
        let (before, behind) = (_mm256_cmpgt_epi32(zero, place), _mm256_cmpgt_epi32(place, last));
        // Parts of 32,768, in both halves of a word. Behind `last` the second neighbour counts alone: 32,767
        // parts of a difference of levels are rounded to all of it.
        let part = _mm256_or_si256(_mm256_slli_epi32::<7>(part), _mm256_slli_epi32::<23>(part));
        let all = _mm256_set1_epi32(0x7fff_7fff);
        let by = _mm256_andnot_si256(before, part);
        let by = _mm256_or_si256(_mm256_andnot_si256(behind, by), _mm256_and_si256(behind, all));
        (_mm256_min_epi32(_mm256_max_epi32(place, zero), last), by)
    }

    /// The low words of a block's positions, or the high ones, in their order.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn words<const WHICH: i32>([a, b]: [__m256i; 2]) -> __m256i {
        _mm256_castps_si256(_mm256_shuffle_ps::<WHICH>(
            _mm256_castsi256_ps(a),
            _mm256_castsi256_ps(b),
        ))
    }

    /// `from + (to - from) * by`, where `by` is of 32,768 and the product rounded as in `blend`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn towards(from: __m256i, to: __m256i, by: __m256i) -> __m256i {
        _mm256_add_epi16(from, _mm256_mulhrs_epi16(_mm256_sub_epi16(to, from), by))
    }
}
