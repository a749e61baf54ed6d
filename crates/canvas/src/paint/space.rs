//! The colour spaces that pixels can be in. Both have sRGB's transfer curve; they differ in what
//! full red, green and blue are.

use super::pixel;
use crate::stroke::keyword;
use std::sync::OnceLock;

keyword! {
    /// `colorSpace` of contexts and of ImageData.
    ColorSpace { #[default] Srgb = "srgb", DisplayP3 = "display-p3" }
}

/// Linear light of sRGB in Display P3, and back (CSS Color 4, 10).
const TO_P3: [[f32; 3]; 3] = [
    [0.822_462, 0.177_538, 0.0],
    [0.033_194_2, 0.966_805_8, 0.0],
    [0.017_082_6, 0.072_397_4, 0.910_52],
];
const TO_SRGB: [[f32; 3]; 3] = [
    [1.224_940_2, -0.224_940_2, 0.0],
    [-0.042_056_95, 1.042_056_9, 0.0],
    [-0.019_637_55, -0.078_636_04, 1.098_273_6],
];

/// Straight RGBA into another space; what that has not is clipped.
pub(crate) fn convert_straight(data: &mut [u8], from: ColorSpace, to: ColorSpace) {
    let rows = match (from, to) {
        (ColorSpace::Srgb, ColorSpace::DisplayP3) => TO_P3,
        (ColorSpace::DisplayP3, ColorSpace::Srgb) => TO_SRGB,
        _ => return,
    };
    let linear = linear();
    // Neighbours are often alike.
    let mut last = ([0u8; 3], [0u8; 3]);
    for p in data.as_chunks_mut::<4>().0 {
        let given = [p[0], p[1], p[2]];
        if given != last.0 {
            let [r, g, b] = given.map(|c| linear[usize::from(c)]);
            last = (
                given,
                rows.map(|row| encoded(row[0] * r + row[1] * g + row[2] * b)),
            );
        }
        p[..3].copy_from_slice(&last.1);
    }
}

/// The same on premultiplied pixels.
pub(crate) fn convert(data: &mut [u8], from: ColorSpace, to: ColorSpace) {
    if from != to {
        pixel::unpremultiply_in_place(data);
        convert_straight(data, from, to);
        pixel::premultiply_in_place(data);
    }
}

fn linear() -> &'static [f32; 256] {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    TABLE.get_or_init(|| {
        std::array::from_fn(|i| {
            let v = i as f32 / 255.0;
            if v <= 0.040_45 {
                v / 12.92
            } else {
                ((v + 0.055) / 1.055).powf(2.4)
            }
        })
    })
}

fn encoded(v: f32) -> u8 {
    let v = v.clamp(0.0, 1.0);
    let v = if v <= 0.003_130_8 {
        v * 12.92
    } else {
        1.055 * v.powf(1.0 / 2.4) - 0.055
    };
    (v * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_suite() {
        let mut p = [5, 250, 128, 255];
        convert_straight(&mut p, ColorSpace::DisplayP3, ColorSpace::Srgb);
        assert_eq!(p, [0, 255, 112, 255]);
        let mut p = [255, 0, 0, 7];
        convert_straight(&mut p, ColorSpace::Srgb, ColorSpace::DisplayP3);
        assert_eq!(p, [234, 51, 35, 7]);
    }

    proptest! {
        /// Greys are the same everywhere, and what sRGB has comes back but for the rounding of
        /// eight bits, which is coarse where dark meets bright.
        #[test]
        fn srgb_goes_there_and_back(r in any::<u8>(), g in any::<u8>(), b in any::<u8>()) {
            let mut p = [r, g, b, 255, g, g, g, 255];
            convert_straight(&mut p, ColorSpace::Srgb, ColorSpace::DisplayP3);
            prop_assert!(p[4..7].iter().all(|v| v.abs_diff(g) <= 1));
            convert_straight(&mut p, ColorSpace::DisplayP3, ColorSpace::Srgb);
            for (was, is) in [r, g, b].into_iter().zip(p) {
                prop_assert!(was.abs_diff(is) <= 3 || was < 40, "{was} {is}");
            }
        }
    }
}
