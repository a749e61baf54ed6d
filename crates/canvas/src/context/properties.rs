//! Properties: sizes, totality, round trips, balance.

use super::{Context2d, FilterPrimitive, Filters, Kernel, SmoothingQuality, Turbulence};
use crate::canvas::{Bitmap, Canvas};
use crate::decode::{Picture, decode};
use crate::encode::{Format, encode};
use crate::error::CanvasError;
use crate::geometry::RectF;
use crate::image::ImageData;
use crate::matrix::{Matrix, Point};
use crate::paint::{Color, CompositeOp, Gradient, Pattern, Repetition, Style};
use crate::path::{Ellipse, FillRule, Path, Radius};
use crate::stroke::{LineCap, LineJoin};
use crate::text::{Fonts, TextAlign, TextBaseline};
use crate::vector::Vector;
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

/// Numbers as scripts pass them: mostly sensible, often absurd.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        12 => -50.0..150.0f64,
        4 => (-5i32..60).prop_map(f64::from),
        2 => -1e6..1e6f64,
        1 => prop::sample::select(vec![
            0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, f64::MIN_POSITIVE, 1e-300,
            1e38, -1e39, 1e16, 2147483648.0, 0.5, 1e-7,
        ]),
    ]
}

type Call = (u8, [f64; 8]);

fn calls(count: usize) -> impl Strategy<Value = Vec<Call>> {
    prop::collection::vec((0u8..60, prop::array::uniform8(number())), 1..count)
}

/// With layers and filters, which have states of their own.
fn all_calls(count: usize) -> impl Strategy<Value = Vec<Call>> {
    prop::collection::vec((0u8..68, prop::array::uniform8(number())), 1..count)
}

fn int(v: f64) -> i32 {
    (v as i32).clamp(-200, 200)
}

fn gradient(n: &[f64; 8]) -> Gradient {
    let gradient = match int(n[7]).rem_euclid(3) {
        0 => Gradient::linear(n[0], n[1], n[2], n[3]),
        1 => Gradient::radial(n[0], n[1], n[2], n[3], n[4], n[5])
            .unwrap_or_else(|_| Gradient::conic(n[0], n[1], n[2])),
        _ => Gradient::conic(n[0], n[1], n[2]),
    };
    for (offset, color) in [
        (0.0, "red"),
        (n[6], "rgba(0,255,0,0.4)"),
        (0.7, "blue"),
        (0.7, "white"),
    ] {
        let _ = gradient.add_color_stop(offset, color);
    }
    gradient
}

fn picture() -> Bitmap {
    let bytes: Vec<u8> = (0..7 * 5 * 4).map(|i| (i * 37) as u8).collect();
    Bitmap::from_straight(7, 5, &bytes).unwrap()
}

fn object_filters(n: &[f64; 8]) -> Filters {
    let primitive = match int(n[7]).rem_euclid(6) {
        0 => FilterPrimitive::Blur([n[0], n[1]]),
        1 => FilterPrimitive::DropShadow {
            offset: [n[0], n[1]],
            deviation: [n[2], n[3]],
            color: Color::BLACK,
        },
        2 => FilterPrimitive::ColorMatrix(std::array::from_fn(|i| n[i % 8] / 50.0)),
        3 => FilterPrimitive::Transfer(Box::new(std::array::from_fn(|i| {
            std::array::from_fn(|v| (v as f64 * n[i]) as u8)
        }))),
        4 => FilterPrimitive::Turbulence(Turbulence {
            frequency: [n[0].abs() / 90.0, n[1].abs() / 90.0],
            octaves: int(n[2]).unsigned_abs() % 5,
            seed: n[3],
            stitched: n[4] > 20.0,
            fractal: n[5] > 20.0,
        }),
        _ => FilterPrimitive::Convolve(Kernel {
            columns: 3,
            numbers: n.iter().chain(&n[..1]).copied().collect(),
            divisor: n[0],
            bias: n[1] / 50.0,
            target: [1, int(n[2]).unsigned_abs() as usize % 4],
            preserves_alpha: n[3] > 0.0,
        }),
    };
    // A target beside the kernel is refused.
    Filters::of_primitives(&[primitive]).unwrap_or_default()
}

fn vector() -> &'static Vector {
    static VECTOR: OnceLock<Vector> = OnceLock::new();
    VECTOR.get_or_init(|| {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'><circle cx='15' cy='10' r='9'/></svg>";
        match decode(svg.as_bytes(), 1000, &Fonts::bundled()) {
            Ok(Picture::Vector(vector)) => *vector,
            other => panic!("{other:?}"),
        }
    })
}

fn apply(c: &mut Context2d, (kind, n): &Call) {
    let rule = if n[7] > 20.0 {
        FillRule::NonZero
    } else {
        FillRule::EvenOdd
    };
    let max = (n[3] > 0.0).then_some(n[2]);
    match kind {
        0 => c.save(),
        1 => {
            let _layer = c.restore();
        }
        2 => c.translate(n[0], n[1]),
        3 => c.scale(n[0], n[1]),
        4 => c.rotate(n[0]),
        5 => c.transform(Matrix::new(n[0], n[1], n[2], n[3], n[4], n[5])),
        6 => c.set_transform(Matrix::new(
            n[0] / 50.0,
            n[1] / 50.0,
            n[2] / 50.0,
            n[3] / 50.0,
            n[4],
            n[5],
        )),
        7 => c.reset_transform(),
        8 => c.set_global_alpha(n[0] / 50.0),
        9 => c.set_composite_op(CompositeOp::ALL[int(n[0]).rem_euclid(27) as usize]),
        10 => c.set_line_width(n[0]),
        11 => c.set_miter_limit(n[0]),
        12 => c.set_line_dash(&n[..int(n[7]).rem_euclid(8) as usize]),
        13 => c.set_line_dash_offset(n[0]),
        14 => {
            c.set_line_cap([LineCap::Butt, LineCap::Round, LineCap::Square][int(n[0]).rem_euclid(3) as usize])
        }
        15 => c.set_line_join(
            [LineJoin::Miter, LineJoin::Round, LineJoin::Bevel][int(n[0]).rem_euclid(3) as usize],
        ),
        16 | 17 => c.fill_rect(n[0], n[1], n[2], n[3]),
        18 => c.stroke_rect(n[0], n[1], n[2], n[3]),
        19 => c.clear_rect(n[0], n[1], n[2], n[3]),
        20 => c.begin_path(),
        21 => c.close_path(),
        22 | 23 => c.move_to(n[0], n[1]),
        24..=26 => c.line_to(n[0], n[1]),
        27 => c.quadratic_curve_to(n[0], n[1], n[2], n[3]),
        28 => c.bezier_curve_to(n[0], n[1], n[2], n[3], n[4], n[5]),
        29 => {
            let _ = c.arc(n[0], n[1], n[2], n[3], n[4], n[5] > 0.0);
        }
        30 => {
            let _ = c.arc_to(n[0], n[1], n[2], n[3], n[4]);
        }
        31 => {
            let _ = c.ellipse(&Ellipse {
                center: Point::new(n[0], n[1]),
                radii: Point::new(n[2], n[3]),
                rotation: n[4],
                start: n[5],
                end: n[6],
                counterclockwise: n[7] > 0.0,
            });
        }
        32 => c.rect(n[0], n[1], n[2], n[3]),
        33 => {
            let _ = c.round_rect(n[0], n[1], n[2], n[3], &[Radius { x: n[4], y: n[5] }]);
        }
        34 | 35 => c.fill(rule),
        36..=38 => c.stroke(),
        39 => c.clip(rule),
        40 => {
            c.is_point_in_path(n[0], n[1], rule);
            c.is_point_in_stroke(n[0], n[1]);
        }
        41 => c.set_fill_style(Style::Gradient(gradient(n))),
        42 => c.set_stroke_style(Style::Gradient(gradient(n))),
        43 => {
            let repetition = [
                Repetition::Repeat,
                Repetition::RepeatX,
                Repetition::RepeatY,
                Repetition::NoRepeat,
            ];
            let pattern = Pattern::new(picture(), repetition[int(n[7]).rem_euclid(4) as usize]);
            pattern.set_transform(Matrix::new(n[0], n[1], n[2], n[3], n[4], n[5]));
            c.set_fill_style(Style::Pattern(pattern));
        }
        44 => {
            c.set_fill_color("rgba(10, 200, 30, 0.6)");
            c.set_stroke_color("#123");
        }
        45 => c.draw_image(
            &picture(),
            RectF::new(0.0, 0.0, 7.0, 5.0),
            RectF::new(n[0], n[1], n[2], n[3]),
        ),
        46 => c.draw_image(
            &picture(),
            RectF::new(n[4], n[5], n[6], n[7]),
            RectF::new(n[0], n[1], n[2], n[3]),
        ),
        47 => c.draw_own_image(
            RectF::new(n[4], n[5], n[6], n[7]),
            RectF::new(n[0], n[1], n[2], n[3]),
        ),
        48 => c.set_smoothing(n[0] > 0.0),
        49 => c.set_smoothing_quality(if n[0] > 30.0 {
            SmoothingQuality::High
        } else {
            SmoothingQuality::Low
        }),
        50 => {
            if let Ok(data) = c.get_image_data(int(n[0]), int(n[1]), int(n[2]), int(n[3])) {
                let dirty = (int(n[2]), int(n[3]), int(n[4]), int(n[5]));
                c.put_image_data_dirty(&data, n[6] as i32, n[7] as i32, dirty);
            }
        }
        51 => {
            c.set_shadow_color("rgba(0,0,0,0.7)");
            c.set_shadow_blur(if n[0] > 100.0 { n[0] } else { n[0] / 10.0 });
            c.set_shadow_offset_x(n[1]);
            c.set_shadow_offset_y(n[2]);
        }
        52 => {
            c.set_shadow_color("transparent");
        }
        53 => c.fill_text("Añ中文 f\u{301}i", n[0], n[1], max),
        54 => c.stroke_text("Q שלום", n[0], n[1], max),
        55 => {
            c.set_font(&format!("italic bold {}px serif", n[0]));
            c.measure_text("x中");
        }
        56 => c.set_text_align(if n[0] > 0.0 {
            TextAlign::Center
        } else {
            TextAlign::End
        }),
        57 => c.set_text_baseline(if n[0] > 0.0 {
            TextBaseline::Top
        } else {
            TextBaseline::Ideographic
        }),
        58 => {
            let mut path = Path::from_svg("M0 0L50 20Q80 90 10 60A30 20 10 1 0 5 5Z");
            path.add_path(
                &Path::from_svg("M5 5h40v40"),
                Matrix::new(n[0], n[1], n[2], n[3], n[4], n[5]),
            );
            c.fill_path(&path, rule);
            c.stroke_path(&path);
        }
        59 => {
            let path = Path::from_svg("M-20 0L120 20L60 140Z");
            c.clip_path(&path, rule);
        }
        60 => {
            c.set_filter(&format!("blur({}px)", n[0]));
        }
        61 => {
            c.set_filter(&format!(
                "drop-shadow({}px {}px {}px #8008) hue-rotate({}deg)",
                n[0], n[1], n[2], n[3]
            ));
        }
        62 => c.set_filters(Arc::new(object_filters(n))),
        63 => {
            c.set_filter("none");
        }
        64 => {
            let _full = c.begin_layer(object_filters(n));
        }
        65 => {
            let _none = c.end_layer();
        }
        66 => c.draw_vector(
            vector(),
            RectF::new(n[4], n[5], n[6], n[7]),
            RectF::new(n[0], n[1], n[2], n[3]),
        ),
        _ => c.fill_text("🙂a", n[0], n[1], max),
    }
}

/// Every pixel is premultiplied: no channel above its alpha.
fn is_premultiplied(bitmap: &Bitmap) -> bool {
    bitmap
        .data()
        .chunks_exact(4)
        .all(|p| p[..3].iter().all(|c| *c <= p[3]))
}

proptest! {
    #![proptest_config(crate::cases::at_least(100))]

    #[test]
    fn a_png_has_the_size_of_its_canvas(width in 1u32..700, height in 1u32..700) {
        let bytes = encode(Canvas::new(width, height).unwrap().bitmap(), Format::Png).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        prop_assert_eq!((reader.info().width, reader.info().height), (width, height));
    }
}

proptest! {
    #![proptest_config(crate::cases::at_least(600))]

    #[test]
    fn no_sequence_of_calls_panics_or_breaks_pixels(calls in all_calls(40), width in 0u32..90, height in 0u32..60) {
        let mut c = Context2d::new(Canvas::new(width, height).unwrap());
        for call in &calls {
            apply(&mut c, call);
        }
        prop_assert!(is_premultiplied(c.canvas().bitmap()));
        prop_assert_eq!(c.canvas().bitmap().data().len() as u32, width * height * 4);
    }
}

proptest! {
    #![proptest_config(crate::cases::at_least(300))]

    #[test]
    fn a_recording_changes_no_pixel_and_is_a_document(calls in all_calls(30), opaque in any::<bool>()) {
        let run = |record: bool| {
            let mut c = Context2d::new(Canvas::new(60, 40).unwrap());
            if opaque {
                c.make_opaque();
            }
            if record {
                c.record();
            }
            for call in &calls {
                apply(&mut c, call);
            }
            c
        };
        let (mut with, without) = (run(true), run(false));
        prop_assert!(with.canvas().bitmap() == without.canvas().bitmap());
        while with.has_layers() {
            if with.end_layer().is_err() {
                with.restore().unwrap();
            }
        }
        let svg = with.to_svg().unwrap();
        let vector = match decode(svg.as_bytes(), 1 << 20, with.fonts()) {
            Ok(Picture::Vector(vector)) => vector,
            // A tile of a pattern that was magnified to more pixels than a picture is worth.
            Err(CanvasError::TooLarge { .. }) => return Ok(()),
            other => return Err(TestCaseError::fail(format!("{other:?}: {svg}"))),
        };
        prop_assert_eq!((vector.width(), vector.height()), (60, 40));
    }
}

/// Calls of a sensible drawing: what viewers of SVG do in their own ways (scaled pictures, blurs from
/// beyond the borders) is not among them.
fn sensible_calls(count: usize) -> impl Strategy<Value = Vec<Call>> {
    let kinds: Vec<u8> = [
        0, 1, 2, 4, 8, 9, 10, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 27, 28, 29, 32,
    ]
    .into_iter()
    .chain([33, 34, 35, 36, 37, 39, 41, 42, 44, 50, 53, 54, 55, 58, 64, 65])
    .collect();
    let numbers = prop::array::uniform8(-20.0..80.0f64);
    prop::collection::vec((prop::sample::select(kinds), numbers), 1..count)
}

proptest! {
    #![proptest_config(crate::cases::at_least(200))]

    #[test]
    fn a_recording_shows_what_the_canvas_shows(calls in sensible_calls(25)) {
        let mut c = Context2d::new(Canvas::new(64, 48).unwrap());
        c.record();
        c.set_font("20px sans-serif");
        c.set_line_width(1.5);
        for call in &calls {
            match call.0 {
                64 => c.begin_layer(Filters::default()).unwrap(),
                // Strokes wider than what they go around are anybody's, and of lines thinner than a pixel the viewer
                // (tiny-skia 0.12) draws those of a pattern as if they were a pixel wide; and those of a pixel a pixel
                // too low where they leave the picture.
                10 => c.set_line_width(1.5 + call.1[0].abs() / 10.0),
                // Two colours at one place are anybody's before the first of them.
                41 | 42 => apply(&mut c, &(call.0, std::array::from_fn(|i| if i == 6 { 0.3 } else { call.1[i] }))),
                // Nor does every viewer fill what reaches far beyond the picture.
                58 => apply(&mut c, &(58, call.1.map(|n| n / 80.0))),
                _ => apply(&mut c, call),
            }
        }
        while c.has_layers() {
            if c.end_layer().is_err() {
                c.restore().unwrap();
            }
        }
        let svg = c.to_svg().unwrap();
        let shown = super::svg_tests::rasterised(&svg);
        let worst = super::svg_tests::difference(c.canvas().bitmap(), &shown);
        prop_assert!(worst.0 < 40.0, "{:?}\n{}", worst, svg);
    }
}

proptest! {
    #![proptest_config(crate::cases::at_least(150))]

    #[test]
    fn what_was_read_can_be_put_back_exactly(calls in calls(20)) {
        let mut c = Context2d::new(Canvas::new(40, 30).unwrap());
        c.set_fill_color("rgba(200, 100, 50, 0.3)");
        c.fill_rect(0.0, 0.0, 35.5, 20.25);
        for call in &calls {
            apply(&mut c, call);
        }
        let before = c.canvas().snapshot();
        let data = c.get_image_data(0, 0, 40, 30).unwrap();
        c.reset();
        c.put_image_data(&data, 0, 0);
        prop_assert_eq!(c.canvas().bitmap(), &before);
        prop_assert_eq!(c.get_image_data(0, 0, 40, 30).unwrap(), data);
    }

    #[test]
    fn opaque_pixels_survive_a_put_and_a_get(bytes in prop::collection::vec(any::<u8>(), 5 * 4 * 3)) {
        let data: Vec<u8> = bytes.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
        let image = ImageData { width: 5, height: 4, data };
        let mut c = Context2d::new(Canvas::new(9, 9).unwrap());
        c.put_image_data(&image, 2, 3);
        prop_assert_eq!(c.get_image_data(2, 3, 5, 4).unwrap(), image);
    }

    #[test]
    fn restore_undoes_everything_but_the_pixels_and_the_path(calls in calls(30)) {
        let mut c = Context2d::new(Canvas::new(20, 20).unwrap());
        c.translate(3.0, 4.0);
        c.set_line_dash(&[1.0, 2.0]);
        let look = |c: &Context2d| (
            c.get_transform(), c.global_alpha(), c.composite_op(), c.line_width(), c.miter_limit(),
            c.line_dash().to_vec(), c.line_cap(), c.font(), c.shadow_blur(), format!("{:?}", c.fill_style()),
            (c.text_align(), c.text_baseline(), c.smoothing(), c.smoothing_quality()),
        );
        let before = look(&c);
        let depth = c.saved.len();
        c.save();
        let mut open = 0u32;
        for call in &calls {
            match call.0 {
                0 => open += 1,
                // Without this the sequence could restore the state under test itself.
                1 if open == 0 => continue,
                1 => open -= 1,
                _ => {}
            }
            apply(&mut c, call);
        }
        for _ in 0..=open {
            c.restore().unwrap();
        }
        prop_assert_eq!(c.saved.len(), depth);
        prop_assert_eq!(look(&c), before);
        prop_assert_eq!(c.state.clip.rect, crate::geometry::IRect::new(0, 0, 20, 20));
    }
}
