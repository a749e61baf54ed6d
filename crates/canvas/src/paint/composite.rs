//! globalCompositeOperation: its 26 names and `clear` and their arithmetic on premultiplied pixels.

use super::pixel::{div255, lerp, mul, scale};
use super::rows::Factor;
use super::{blend, rows};

macro_rules! ops {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// How a source is combined with the pixels under it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum CompositeOp {
            #[default]
            $($variant),*
        }

        impl CompositeOp {
            /// All operations, for tests and completion lists.
            pub const ALL: &'static [CompositeOp] = &[$(CompositeOp::$variant),*];

            /// Case-sensitive, as the standard says.
            pub fn parse(name: &str) -> Option<CompositeOp> {
                match name {
                    $($name => Some(CompositeOp::$variant),)*
                    _ => None,
                }
            }

            pub fn as_str(self) -> &'static str {
                match self {
                    $(CompositeOp::$variant => $name),*
                }
            }
        }
    };
}

ops! {
    SourceOver = "source-over",
    SourceIn = "source-in",
    SourceOut = "source-out",
    SourceAtop = "source-atop",
    DestinationOver = "destination-over",
    DestinationIn = "destination-in",
    DestinationOut = "destination-out",
    DestinationAtop = "destination-atop",
    Lighter = "lighter",
    Copy = "copy",
    Clear = "clear",
    Xor = "xor",
    Multiply = "multiply",
    Screen = "screen",
    Overlay = "overlay",
    Darken = "darken",
    Lighten = "lighten",
    ColorDodge = "color-dodge",
    ColorBurn = "color-burn",
    HardLight = "hard-light",
    SoftLight = "soft-light",
    Difference = "difference",
    Exclusion = "exclusion",
    Hue = "hue",
    Saturation = "saturation",
    Color = "color",
    Luminosity = "luminosity",
}

impl CompositeOp {
    /// Whether a transparent source still changes what lies under it.
    pub(crate) fn reaches_outside(self) -> bool {
        use CompositeOp::{Clear, Copy, DestinationAtop, DestinationIn, SourceIn, SourceOut};
        matches!(
            self,
            SourceIn | SourceOut | DestinationIn | DestinationAtop | Copy | Clear
        )
    }
}

type Px = [u8; 4];

/// The premultiplied source of a row.
#[derive(Clone, Copy)]
pub(crate) enum RowSource<'a> {
    Solid(Px),
    Pixels(&'a [u8]),
}

impl<'a> RowSource<'a> {
    /// That of the pixels `from..to` alone.
    #[inline(always)]
    pub fn columns(self, from: usize, to: usize) -> RowSource<'a> {
        match self {
            RowSource::Solid(color) => RowSource::Solid(color),
            RowSource::Pixels(data) => RowSource::Pixels(&data[from * 4..to * 4]),
        }
    }
}

/// One row of a shape on its way to the canvas. `shape` and `clip` hold a byte a pixel;
/// `None` stands for 255 everywhere.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub source: RowSource<'a>,
    pub shape: Option<&'a [u8]>,
    pub clip: Option<&'a [u8]>,
}

/// Combines a row with `dst`.
pub(crate) fn composite_row(op: CompositeOp, dst: &mut [u8], row: Row) {
    use CompositeOp::*;
    use Factor::{Alpha, One, Rest, Zero};
    let outside = op.reaches_outside();
    let mut factored = |source, under| porter_duff_row(dst, row, outside, (source, under));
    match op {
        SourceOver => source_over_row(dst, row),
        SourceIn => factored(Alpha, Zero),
        SourceOut => factored(Rest, Zero),
        SourceAtop => factored(Alpha, Rest),
        DestinationOver => factored(Rest, One),
        DestinationIn => factored(Zero, Alpha),
        DestinationOut => factored(Zero, Rest),
        DestinationAtop => factored(Rest, Alpha),
        Lighter => factored(One, One),
        Copy => factored(One, Zero),
        Clear => factored(Zero, Zero),
        Xor => factored(Rest, Rest),
        Multiply => covered(dst, row, blend::multiply),
        Screen => covered(dst, row, blend::screen),
        Overlay => covered(dst, row, blend::overlay),
        Darken => covered(dst, row, blend::darken),
        Lighten => covered(dst, row, blend::lighten),
        ColorDodge => covered(dst, row, blend::color_dodge),
        ColorBurn => covered(dst, row, blend::color_burn),
        HardLight => covered(dst, row, blend::hard_light),
        SoftLight => covered(dst, row, blend::soft_light),
        Difference => covered(dst, row, blend::difference),
        Exclusion => covered(dst, row, blend::exclusion),
        Hue => covered(dst, row, blend::hue),
        Saturation => covered(dst, row, blend::saturation),
        Color => covered(dst, row, blend::color),
        Luminosity => covered(dst, row, blend::luminosity),
    }
}

/// The operations of Porter and Duff but source-over.
fn porter_duff_row(dst: &mut [u8], row: Row, outside: bool, factors: (Factor, Factor)) {
    if outside && row.clip.is_some() {
        run(dst, row, true, |s, d| {
            porter_duff(s, d, factors.0.of(d[3]), factors.1.of(s[3]))
        });
        return;
    }
    covered(dst, row, |dst, source| rows::porter_duff(dst, source, factors));
}

/// Combines the source as it is covered, some pixels at a time.
#[inline(always)]
fn covered(dst: &mut [u8], row: Row, combine: impl Fn(&mut [u8], &[u8])) {
    let mut source = [0; COVER * 4];
    for (i, dst) in dst.chunks_mut(COVER * 4).enumerate() {
        let source = &mut source[..dst.len()];
        match row.source {
            RowSource::Solid(color) => source.as_chunks_mut::<4>().0.fill(color),
            RowSource::Pixels(data) => source.copy_from_slice(&data[i * COVER * 4..][..dst.len()]),
        }
        for mask in [row.shape, row.clip].into_iter().flatten() {
            rows::fade_pixels(source, &mask[i * COVER..][..dst.len() / 4]);
        }
        combine(dst, source);
    }
}

#[inline(always)]
fn porter_duff(s: Px, d: Px, fs: u8, fd: u8) -> Px {
    let (fs, fd) = (u32::from(fs), u32::from(fd));
    std::array::from_fn(|i| div255(u32::from(s[i]) * fs + u32::from(d[i]) * fd).min(255) as u8)
}

#[inline(always)]
fn coverage(mask: Option<&[u8]>, i: usize) -> u8 {
    mask.map_or(255, |m| m[i])
}

/// Applies `op` to every pixel. Where it reaches outside, the clip mixes old and new;
/// elsewhere scaling the source by the clip is the same thing and cheaper.
#[inline(always)]
fn run(dst: &mut [u8], row: Row, outside: bool, op: impl Fn(Px, Px) -> Px) {
    let empty = |from: usize| {
        let part = row.shape.and_then(|shape| shape.get(from..from + BLOCK));
        !outside && part.is_some_and(|part| part.iter().all(|m| *m == 0))
    };
    let mut skip = 0;
    for (i, d) in dst.chunks_exact_mut(4).enumerate() {
        if i % BLOCK == 0 && empty(i) {
            skip = i + BLOCK;
        }
        if i < skip {
            continue;
        }
        let (mut shape, clip) = (coverage(row.shape, i), coverage(row.clip, i));
        if clip == 0 || (shape == 0 && !outside) {
            continue;
        }
        if !outside {
            shape = mul(shape, clip);
        }
        let mut s = match row.source {
            RowSource::Solid(color) => color,
            RowSource::Pixels(data) => pixel_at(data, i),
        };
        if shape != 255 {
            s = scale(s, shape);
        }
        let old = [d[0], d[1], d[2], d[3]];
        let new = if clip == 255 || !outside {
            op(s, old)
        } else {
            lerp(old, op(s, old), clip)
        };
        d.copy_from_slice(&new);
    }
}

#[inline(always)]
fn pixel_at(data: &[u8], i: usize) -> Px {
    let p = &data[i * 4..i * 4 + 4];
    [p[0], p[1], p[2], p[3]]
}

/// Pixels that are looked at together for whether anything covers them.
const BLOCK: usize = 8;

/// Pixels whose shape and clip are multiplied at a time.
const COVER: usize = 256;

fn source_over_row(dst: &mut [u8], row: Row) {
    let mask = match (row.shape, row.clip) {
        (None, None) => {
            return match row.source {
                RowSource::Solid(color) => rows::solid_over(dst, color),
                RowSource::Pixels(data) => rows::pixels_over(dst, data),
            };
        }
        (Some(mask), None) | (None, Some(mask)) => mask,
        (Some(shape), Some(clip)) => {
            let mut cover = [0; COVER];
            let parts = dst.chunks_mut(COVER * 4).enumerate();
            for ((i, dst), (shape, clip)) in parts.zip(shape.chunks(COVER).zip(clip.chunks(COVER))) {
                let cover = &mut cover[..shape.len()];
                cover.copy_from_slice(shape);
                rows::fade(cover, clip);
                let first = i * COVER;
                masked_over(dst, row.source.columns(first, first + cover.len()), cover);
            }
            return;
        }
    };
    masked_over(dst, row.source, mask);
}

fn masked_over(dst: &mut [u8], source: RowSource, mask: &[u8]) {
    match source {
        RowSource::Solid(color) => rows::solid_over_masked(dst, color, mask),
        RowSource::Pixels(data) => rows::pixels_over_masked(dst, data, mask),
    }
}

/// Takes away the covered part of `dst` (clearRect).
pub(crate) fn erase_row(dst: &mut [u8], shape: Option<&[u8]>, clip: Option<&[u8]>) {
    if shape.is_none() && clip.is_none() {
        dst.fill(0);
        return;
    }
    let row = Row {
        source: RowSource::Solid([255; 4]),
        shape,
        clip,
    };
    composite_row(CompositeOp::DestinationOut, dst, row);
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED_HALF: Px = [128, 0, 0, 128];
    const BLUE: Px = [0, 0, 255, 255];

    fn one(op: CompositeOp, s: Px, d: Px, shape: u8, clip: u8) -> Px {
        let mut dst = d;
        let row = Row {
            source: RowSource::Solid(s),
            shape: Some(&[shape]),
            clip: Some(&[clip]),
        };
        composite_row(op, &mut dst, row);
        dst
    }

    #[test]
    fn names_round_trip_and_there_are_27() {
        assert_eq!(CompositeOp::ALL.len(), 27);
        for op in CompositeOp::ALL {
            assert_eq!(CompositeOp::parse(op.as_str()), Some(*op));
        }
        assert_eq!(CompositeOp::parse("Source-Over"), None);
        assert_eq!(CompositeOp::parse("normal"), None);
    }

    #[test]
    fn porter_duff_on_a_half_source_and_an_opaque_backdrop() {
        let table = [
            ("source-over", [128, 0, 127, 255]),
            ("source-in", [128, 0, 0, 128]),
            ("source-out", [0, 0, 0, 0]),
            ("source-atop", [128, 0, 127, 255]),
            ("destination-over", [0, 0, 255, 255]),
            ("destination-in", [0, 0, 128, 128]),
            ("destination-out", [0, 0, 127, 127]),
            ("destination-atop", [0, 0, 128, 128]),
            ("lighter", [128, 0, 255, 255]),
            ("copy", [128, 0, 0, 128]),
            ("clear", [0, 0, 0, 0]),
            ("xor", [0, 0, 127, 127]),
        ];
        for (name, expected) in table {
            let op = CompositeOp::parse(name).unwrap();
            assert_eq!(one(op, RED_HALF, BLUE, 255, 255), expected, "{name}");
        }
    }

    #[test]
    fn outside_the_shape_only_six_operations_change_anything() {
        for &op in CompositeOp::ALL {
            let out = one(op, RED_HALF, BLUE, 0, 255);
            if op.reaches_outside() {
                assert_eq!(out, [0; 4], "{op:?}");
            } else {
                assert_eq!(out, BLUE, "{op:?}");
            }
            assert_eq!(one(op, RED_HALF, BLUE, 255, 0), BLUE, "clipped {op:?}");
        }
    }

    #[test]
    fn results_stay_premultiplied_for_every_operation() {
        for &op in CompositeOp::ALL {
            for a in (0..=255u8).step_by(51) {
                for b in (0..=255u8).step_by(51) {
                    for cover in [1, 100, 255] {
                        let out = one(op, [a, a / 2, 0, a], [0, b / 3, b, b], cover, 200);
                        assert!(out[..3].iter().all(|c| *c <= out[3]), "{op:?} {a} {b} {out:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn source_over_is_what_the_table_of_porter_and_duff_says() {
        for color in [[10, 20, 30, 255], [10, 20, 30, 40]] {
            for (m, clip) in [(0, 255), (1, 255), (127, 90), (255, 90), (255, 255)] {
                let mut general = [9, 8, 7, 100];
                let row = Row {
                    source: RowSource::Solid(color),
                    shape: Some(&[m]),
                    clip: Some(&[clip]),
                };
                run(&mut general, row, false, |s, d| {
                    porter_duff(s, d, 255, 255 - s[3])
                });
                assert_eq!(
                    general,
                    one(CompositeOp::SourceOver, color, [9, 8, 7, 100], m, clip)
                );
            }
        }
    }
}
