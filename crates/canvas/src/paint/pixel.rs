//! Arithmetic on 8-bit channels.

/// `round(v / 255)` for products of two bytes.
#[inline(always)]
pub(crate) fn div255(v: u32) -> u32 {
    let t = v + 128;
    (t + (t >> 8)) >> 8
}

#[inline(always)]
pub(crate) fn mul(a: u8, b: u8) -> u8 {
    div255(u32::from(a) * u32::from(b)) as u8
}

/// Every other channel, with room for a product.
const LANES: u32 = 0x00ff_00ff;

/// [`mul`] of each channel: two products in one multiplication.
#[inline(always)]
pub(crate) fn scale(p: [u8; 4], by: u8) -> [u8; 4] {
    let p = u32::from_le_bytes(p);
    let two = |lanes: u32| {
        let t = lanes * u32::from(by) + 0x0080_0080;
        (t + (t >> 8 & LANES)) >> 8 & LANES
    };
    (two(p & LANES) | two(p >> 8 & LANES) << 8).to_le_bytes()
}

/// `source` over what is there, both premultiplied.
#[inline(always)]
pub(crate) fn over(source: [u8; 4], under: [u8; 4]) -> [u8; 4] {
    // No channel is above its alpha, so that no sum carries into the next one.
    let left = u32::from_le_bytes(scale(under, 255 - source[3]));
    u32::from_le_bytes(source).wrapping_add(left).to_le_bytes()
}

/// `from` where `t` is 0, `to` where it is 255.
#[inline(always)]
pub(crate) fn lerp(from: [u8; 4], to: [u8; 4], t: u8) -> [u8; 4] {
    let (t, rest) = (u32::from(t), 255 - u32::from(t));
    std::array::from_fn(|i| div255(u32::from(from[i]) * rest + u32::from(to[i]) * t) as u8)
}

pub(crate) fn premultiply_in_place(data: &mut [u8]) {
    for p in data.chunks_exact_mut(4) {
        let a = p[3];
        if a != 255 {
            p[0] = mul(p[0], a);
            p[1] = mul(p[1], a);
            p[2] = mul(p[2], a);
        }
    }
}

/// Where alpha is always 1, what is left of a transparent pixel is its colour on black.
pub(crate) fn seal(data: &mut [u8]) {
    for p in data.as_chunks_mut::<4>().0 {
        p[3] = 255;
    }
}

/// Rounded so that premultiplying again gives the same bytes.
#[inline(always)]
fn unpremultiply(c: u8, a: u8) -> u8 {
    let (c, a) = (u32::from(c), u32::from(a));
    ((c * 255 + a / 2) / a).min(255) as u8
}

pub(crate) fn unpremultiply_in_place(data: &mut [u8]) {
    for p in data.chunks_exact_mut(4) {
        match p[3] {
            255 => {}
            0 => p.fill(0),
            a => {
                p[0] = unpremultiply(p[0], a);
                p[1] = unpremultiply(p[1], a);
                p[2] = unpremultiply(p[2], a);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn div255_rounds_every_product_correctly() {
        for v in 0..=255u32 * 255 {
            assert_eq!(div255(v), (v as f64 / 255.0).round() as u32, "{v}");
        }
    }

    #[test]
    fn every_premultiplied_pixel_survives_the_trip_through_straight_alpha() {
        for a in 0..=255u8 {
            for c in 0..=a {
                let mut p = [c, 0, 0, a];
                unpremultiply_in_place(&mut p);
                premultiply_in_place(&mut p);
                assert_eq!(p, [c, 0, 0, a]);
            }
        }
    }

    #[test]
    fn channels_are_scaled_apart() {
        for by in 0..=255 {
            for c in 0..=255 {
                let other = 255 - c;
                let expected = [mul(c, by), mul(other, by), mul(c, by), mul(other, by)];
                assert_eq!(scale([c, other, c, other], by), expected);
            }
        }
    }

    #[test]
    fn lerp_has_exact_ends() {
        assert_eq!(lerp([1, 2, 3, 4], [200, 201, 202, 203], 0), [1, 2, 3, 4]);
        assert_eq!(
            lerp([1, 2, 3, 4], [200, 201, 202, 203], 255),
            [200, 201, 202, 203]
        );
    }
}
