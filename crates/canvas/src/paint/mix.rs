//! Pixels between pixels, in 256ths and rounded at each step: for smooth pictures, by the million.
//!
//! Where SSE2 is part of every processor its registers hold two pixels with room for the products; elsewhere
//! a word of 64 bits holds one. All ways round alike.

/// Neighbours of a row.
pub(super) type Two = [[u8; 4]; 2];

/// Between two above and two below, `right` and `down` 256ths from the first one.
#[inline(always)]
pub(super) fn four(pixels: [Two; 2], right: u16, down: u16) -> [u8; 4] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of x86-64.
    #[allow(unsafe_code, reason = "twice as fast as word by word")]
    return unsafe { sse2::four(pixels, right, down) };
    #[cfg(not(target_arch = "x86_64"))]
    words::four(pixels, right, down)
}

/// Between two, `right` 256ths from the first one.
#[inline(always)]
pub(super) fn two(pixels: Two, right: u16) -> [u8; 4] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of x86-64.
    #[allow(unsafe_code, reason = "twice as fast as word by word")]
    return unsafe { sse2::two(pixels, right) };
    #[cfg(not(target_arch = "x86_64"))]
    words::two(pixels, right)
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use super::Two;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi16, _mm_cvtsi64_si128, _mm_cvtsi128_si32, _mm_mullo_epi16, _mm_packus_epi16,
        _mm_set1_epi16, _mm_setzero_si128, _mm_srli_epi16, _mm_srli_si128, _mm_unpacklo_epi8,
        _mm_unpacklo_epi64,
    };

    /// Two pixels with sixteen bits a channel.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn wide(two: Two) -> __m128i {
        let bytes = [
            two[0][0], two[0][1], two[0][2], two[0][3], two[1][0], two[1][1], two[1][2], two[1][3],
        ];
        _mm_unpacklo_epi8(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)), _mm_setzero_si128())
    }

    /// In 256ths, from a sum of products.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn rounded(sum: __m128i) -> __m128i {
        _mm_srli_epi16::<8>(_mm_add_epi16(sum, _mm_set1_epi16(128)))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn across(two: __m128i, right: u16) -> [u8; 4] {
        let (right, left) = (_mm_set1_epi16(right as i16), _mm_set1_epi16(256 - right as i16));
        let products = _mm_mullo_epi16(two, _mm_unpacklo_epi64(left, right));
        let mixed = rounded(_mm_add_epi16(products, _mm_srli_si128::<8>(products)));
        _mm_cvtsi128_si32(_mm_packus_epi16(mixed, mixed)).to_le_bytes()
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn four([above, below]: [Two; 2], right: u16, down: u16) -> [u8; 4] {
        let (down, up) = (_mm_set1_epi16(down as i16), _mm_set1_epi16(256 - down as i16));
        let (above, below) = (
            _mm_mullo_epi16(wide(above), up),
            _mm_mullo_epi16(wide(below), down),
        );
        across(rounded(_mm_add_epi16(above, below)), right)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn two(pixels: Two, right: u16) -> [u8; 4] {
        across(wide(pixels), right)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    use super::Two;

    const LANES: u64 = 0x00ff_00ff_00ff_00ff;

    /// Sixteen bits a channel.
    #[inline(always)]
    fn wide(pixel: [u8; 4]) -> u64 {
        let pixel = u64::from(u32::from_le_bytes(pixel));
        (pixel | pixel << 24) & LANES
    }

    #[inline(always)]
    fn between(from: u64, to: u64, part: u16) -> u64 {
        let part = u64::from(part);
        (from * (256 - part) + to * part + 0x0080_0080_0080_0080) >> 8 & LANES
    }

    #[inline(always)]
    fn narrow(pixel: u64) -> [u8; 4] {
        ((pixel | pixel >> 24) as u32).to_le_bytes()
    }

    #[inline(always)]
    pub fn four([above, below]: [Two; 2], right: u16, down: u16) -> [u8; 4] {
        let left = between(wide(above[0]), wide(below[0]), down);
        narrow(between(
            left,
            between(wide(above[1]), wide(below[1]), down),
            right,
        ))
    }

    #[inline(always)]
    pub fn two(pixels: Two, right: u16) -> [u8; 4] {
        narrow(between(wide(pixels[0]), wide(pixels[1]), right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::at_least(500))]
        #[test]
        fn all_ways_are_those_of_each_channel(pixels in any::<[Two; 2]>(), right in 0..256u16, down in 0..256u16) {
            let mix = |a: u8, b: u8, by: u16| ((u32::from(a) * (256 - u32::from(by)) + u32::from(b) * u32::from(by) + 128) >> 8) as u8;
            let [above, below] = pixels;
            let expected: [u8; 4] = std::array::from_fn(|c| {
                mix(mix(above[0][c], below[0][c], down), mix(above[1][c], below[1][c], down), right)
            });
            prop_assert_eq!(four(pixels, right, down), expected);
            prop_assert_eq!(words::four(pixels, right, down), expected);
            let expected: [u8; 4] = std::array::from_fn(|c| mix(above[0][c], above[1][c], right));
            prop_assert_eq!(two(above, right), expected);
            prop_assert_eq!(words::two(above, right), expected);
        }
    }
}
