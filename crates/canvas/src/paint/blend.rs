//! Blend modes (Compositing and Blending, level 1): a row of premultiplied pixels over another. The
//! functions of a mode get straight colours, backdrop first, and have no way out in their middle, so
//! that the compiler makes vector code of several pixels.

use crate::wide::wide;

macro_rules! modes {
    ($($name:ident = $mix:expr;)*) => {
        wide! {
            $(pub(super) fn $name(dst: &mut [u8], source: &[u8]) { blended(dst, source, $mix) })*
        }
    };
}

modes! {
    multiply = each(|b, s| b * s);
    screen = each(screened);
    overlay = each(|b, s| lit(s, b));
    darken = each(f32::min);
    lighten = each(f32::max);
    color_dodge = each(dodged);
    color_burn = each(burnt);
    hard_light = each(lit);
    soft_light = each(softly_lit);
    difference = each(|b, s| (b - s).abs());
    exclusion = each(|b, s| b + s - 2.0 * b * s);
    hue = |b, s| set_luminosity(set_saturation(s, saturation_of(b)), luminosity_of(b));
    saturation = |b, s| set_luminosity(set_saturation(b, saturation_of(s)), luminosity_of(b));
    color = |b, s| set_luminosity(s, luminosity_of(b));
    luminosity = |b, s| set_luminosity(b, luminosity_of(s));
}

type Rgb = [f32; 3];

/// Pixels that are blended side by side, and their bytes.
const BLOCK: usize = 8;
const BYTES: usize = BLOCK * 4;

/// Blocks of pixels; what is left of a row is filled up to one.
#[inline(always)]
fn blended(dst: &mut [u8], source: &[u8], mix: impl Fn(Rgb, Rgb) -> Rgb + Copy) {
    for (dst, source) in dst.chunks_mut(BYTES).zip(source.chunks(BYTES)) {
        if source.iter().all(|v| *v == 0) {
            continue;
        }
        let (mut d, mut s) = ([0; BYTES], [0; BYTES]);
        d[..dst.len()].copy_from_slice(dst);
        s[..source.len()].copy_from_slice(source);
        block(&mut d, &s, mix);
        dst.copy_from_slice(&d[..dst.len()]);
    }
}

#[inline(always)]
fn block(dst: &mut [u8; BYTES], source: &[u8; BYTES], mix: impl Fn(Rgb, Rgb) -> Rgb + Copy) {
    let (s, d) = (Apart::of(source), Apart::of(dst));
    let (mut colors, mut alphas) = ([[0.0f32; BLOCK]; 3], [0.0f32; BLOCK]);
    for (i, alpha) in alphas.iter_mut().enumerate() {
        let ((cs, sa), (cd, da)) = (s.straight(i), d.straight(i));
        let both = mix(cd, cs);
        *alpha = sa + da - sa * da;
        for c in 0..3 {
            let value = sa * (1.0 - da) * cs[c] + sa * da * both[c] + (1.0 - sa) * da * cd[c];
            // `clamp` would have to check its bounds.
            colors[c][i] = value.max(0.0).min(*alpha);
        }
    }
    let [r, g, b] = colors;
    for (i, p) in dst.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        // Nothing above one is left: the cast loses the fraction alone.
        *p = [r[i], g[i], b[i], alphas[i]].map(|v| (v * 255.0 + 0.5) as u8);
    }
}

/// The channels of a block, each for itself, 0..=1.
struct Apart([[f32; BLOCK]; 4]);

impl Apart {
    #[inline(always)]
    fn of(pixels: &[u8; BYTES]) -> Apart {
        Apart(std::array::from_fn(|c| {
            std::array::from_fn(|i| f32::from(pixels[i * 4 + c]) / 255.0)
        }))
    }

    /// The colour of a pixel without its alpha, and that. A transparent one is black.
    #[inline(always)]
    fn straight(&self, i: usize) -> (Rgb, f32) {
        let alpha = self.0[3][i];
        let whole = 1.0 / alpha.max(1.0 / 255.0);
        (std::array::from_fn(|c| (self.0[c][i] * whole).min(1.0)), alpha)
    }
}

/// The same for each channel.
#[inline(always)]
fn each(channel: impl Fn(f32, f32) -> f32 + Copy) -> impl Fn(Rgb, Rgb) -> Rgb + Copy {
    move |b, s| std::array::from_fn(|c| channel(b[c], s[c]))
}

#[inline(always)]
fn screened(b: f32, s: f32) -> f32 {
    b + s - b * s
}

#[inline(always)]
fn lit(b: f32, s: f32) -> f32 {
    if s <= 0.5 {
        b * (2.0 * s)
    } else {
        screened(b, 2.0 * s - 1.0)
    }
}

#[inline(always)]
fn dodged(b: f32, s: f32) -> f32 {
    if b <= 0.0 {
        0.0
    } else if s >= 1.0 {
        1.0
    } else {
        (b / (1.0 - s)).min(1.0)
    }
}

#[inline(always)]
fn burnt(b: f32, s: f32) -> f32 {
    if b >= 1.0 {
        1.0
    } else if s <= 0.0 {
        0.0
    } else {
        1.0 - ((1.0 - b) / s).min(1.0)
    }
}

#[inline(always)]
fn softly_lit(b: f32, s: f32) -> f32 {
    let d = if b <= 0.25 {
        ((16.0 * b - 12.0) * b + 4.0) * b
    } else {
        b.sqrt()
    };
    let by = if s <= 0.5 { b * (1.0 - b) } else { d - b };
    b + (2.0 * s - 1.0) * by
}

#[inline(always)]
fn luminosity_of(c: Rgb) -> f32 {
    0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]
}

#[inline(always)]
fn saturation_of(c: Rgb) -> f32 {
    c[0].max(c[1]).max(c[2]) - c[0].min(c[1]).min(c[2])
}

#[inline(always)]
fn set_luminosity(c: Rgb, to: f32) -> Rgb {
    let by = to - luminosity_of(c);
    let moved = c.map(|v| v + by);
    let l = luminosity_of(moved);
    let low = moved[0].min(moved[1]).min(moved[2]);
    let high = moved[0].max(moved[1]).max(moved[2]);
    if low < 0.0 {
        moved.map(|v| l + (v - l) * l / (l - low))
    } else if high > 1.0 {
        moved.map(|v| l + (v - l) * (1.0 - l) / (high - l))
    } else {
        moved
    }
}

#[inline(always)]
fn set_saturation(c: Rgb, to: f32) -> Rgb {
    let low = c[0].min(c[1]).min(c[2]);
    let range = saturation_of(c);
    if range <= 0.0 {
        [0.0; 3]
    } else {
        c.map(|v| (v - low) * to / range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_dodge_and_burn() {
        assert_eq!(
            (dodged(0.0, 1.0), dodged(0.5, 1.0), dodged(0.2, 0.5)),
            (0.0, 1.0, 0.4)
        );
        assert_eq!(
            (burnt(1.0, 0.0), burnt(0.5, 0.0), burnt(0.75, 0.5)),
            (1.0, 0.0, 0.5)
        );
    }

    type Mode = fn(&mut [u8], &[u8]);

    fn one(mode: Mode, b: [u8; 4], s: [u8; 4]) -> [u8; 4] {
        let mut out = b;
        mode(&mut out, &s);
        out
    }

    #[test]
    fn luminosity_of_the_backdrop_is_kept_by_hue_and_color() {
        let (b, s) = ([51, 127, 102, 255], [230, 26, 76, 255]);
        let light = |p: [u8; 4]| luminosity_of(std::array::from_fn(|c| f32::from(p[c])));
        for mode in [hue as Mode, saturation, color] {
            let out = one(mode, b, s);
            assert!((light(out) - light(b)).abs() < 1.0, "{out:?}");
        }
        assert!((light(one(luminosity, b, s)) - light(s)).abs() < 1.0);
    }

    #[test]
    fn nothing_over_something_and_something_over_nothing_stay() {
        let modes = [
            multiply as Mode,
            screen,
            overlay,
            darken,
            lighten,
            color_dodge,
            color_burn,
            hard_light,
            soft_light,
            difference,
            exclusion,
            hue,
            saturation,
            color,
            luminosity,
        ];
        for mode in modes {
            for alpha in 1..=255u8 {
                let some = [alpha, alpha / 2, alpha / 3, alpha];
                assert_eq!(one(mode, [0; 4], some), some);
                let mut row = [some, some].concat();
                mode(&mut row, &[[0; 4], [0, 0, 0, 1]].concat());
                assert_eq!(row[..4], some);
            }
        }
    }
}
