//! Blend functions on straight colours (Compositing and Blending, level 1): backdrop first.

pub(super) fn multiply(b: f32, s: f32) -> f32 {
    b * s
}

pub(super) fn screen(b: f32, s: f32) -> f32 {
    b + s - b * s
}

pub(super) fn hard_light(b: f32, s: f32) -> f32 {
    if s <= 0.5 {
        multiply(b, 2.0 * s)
    } else {
        screen(b, 2.0 * s - 1.0)
    }
}

pub(super) fn color_dodge(b: f32, s: f32) -> f32 {
    if b <= 0.0 {
        0.0
    } else if s >= 1.0 {
        1.0
    } else {
        (b / (1.0 - s)).min(1.0)
    }
}

pub(super) fn color_burn(b: f32, s: f32) -> f32 {
    if b >= 1.0 {
        1.0
    } else if s <= 0.0 {
        0.0
    } else {
        1.0 - ((1.0 - b) / s).min(1.0)
    }
}

pub(super) fn soft_light(b: f32, s: f32) -> f32 {
    if s <= 0.5 {
        return b - (1.0 - 2.0 * s) * b * (1.0 - b);
    }
    let d = if b <= 0.25 {
        ((16.0 * b - 12.0) * b + 4.0) * b
    } else {
        b.sqrt()
    };
    b + (2.0 * s - 1.0) * (d - b)
}

type Rgb = [f32; 3];

pub(super) fn hue(b: Rgb, s: Rgb) -> Rgb {
    set_luminosity(set_saturation(s, saturation_of(b)), luminosity_of(b))
}

pub(super) fn saturation(b: Rgb, s: Rgb) -> Rgb {
    set_luminosity(set_saturation(b, saturation_of(s)), luminosity_of(b))
}

pub(super) fn color(b: Rgb, s: Rgb) -> Rgb {
    set_luminosity(s, luminosity_of(b))
}

pub(super) fn luminosity(b: Rgb, s: Rgb) -> Rgb {
    set_luminosity(b, luminosity_of(s))
}

fn luminosity_of(c: Rgb) -> f32 {
    0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]
}

fn saturation_of(c: Rgb) -> f32 {
    c[0].max(c[1]).max(c[2]) - c[0].min(c[1]).min(c[2])
}

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
            (
                color_dodge(0.0, 1.0),
                color_dodge(0.5, 1.0),
                color_dodge(0.2, 0.5)
            ),
            (0.0, 1.0, 0.4)
        );
        assert_eq!(
            (color_burn(1.0, 0.0), color_burn(0.5, 0.0), color_burn(0.75, 0.5)),
            (1.0, 0.0, 0.5)
        );
    }

    #[test]
    fn luminosity_of_the_backdrop_is_kept_by_hue_and_color() {
        let (b, s) = ([0.2, 0.5, 0.4], [0.9, 0.1, 0.3]);
        for out in [hue(b, s), saturation(b, s), color(b, s)] {
            assert!((luminosity_of(out) - luminosity_of(b)).abs() < 1e-5, "{out:?}");
        }
        assert!((luminosity_of(luminosity(b, s)) - luminosity_of(s)).abs() < 1e-5);
    }
}
