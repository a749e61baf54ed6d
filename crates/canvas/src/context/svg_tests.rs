//! The recording beside the pixels: the SVG of a drawing is drawn by resvg and has to show what the
//! canvas shows.
//!
//! The two count the coverage of edges differently, so single pixels may differ; blocks of 8x8 may
//! not, by more than what edges come to in the mean.

use super::{Context2d, Filters, SmoothingQuality};
use crate::canvas::{Bitmap, Canvas};
use crate::decode::{Picture, decode};
use crate::error::CanvasError;
use crate::geometry::RectF;
use crate::image::ImageData;
use crate::matrix::Matrix;
use crate::paint::{ColorSpace, CompositeOp, Gradient, Pattern, Repetition, Style};
use crate::path::{Ellipse, FillRule, Path};
use crate::stroke::{LineCap, LineJoin};
use crate::svg::Recording;
use crate::text::Fonts;
use std::f64::consts::TAU;

const SIDE: u32 = 160;
type Scene = fn(&mut Context2d);

/// Mean difference of a channel in a block, of 255.
const BOUND: f64 = 16.0;

fn recording(width: u32, height: u32) -> Context2d {
    let mut context = Context2d::new(Canvas::new(width, height).unwrap());
    context.record();
    context
}

fn drawn(scene: impl Fn(&mut Context2d)) -> Context2d {
    let mut context = recording(SIDE, SIDE);
    scene(&mut context);
    context
}

pub(super) fn rasterised(svg: &str) -> Bitmap {
    match decode(svg.as_bytes(), 1 << 24, &Fonts::bundled()) {
        Ok(Picture::Vector(vector)) => vector.to_bitmap().unwrap(),
        other => panic!("{other:?}: {svg}"),
    }
}

/// The worst block's mean difference, and where it is.
pub(super) fn difference(a: &Bitmap, b: &Bitmap) -> (f64, (u32, u32)) {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let mut worst = (0.0, (0, 0));
    for y in (0..a.height()).step_by(8) {
        for x in (0..a.width()).step_by(8) {
            let (x1, y1) = ((x + 8).min(a.width()), (y + 8).min(a.height()));
            let of = |row: u32| a.row(row, x, x1).iter().zip(b.row(row, x, x1));
            let sum: f64 = (y..y1).flat_map(of).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
            let mean = sum / f64::from((x1 - x) * (y1 - y) * 4);
            if mean > worst.0 {
                worst = (mean, (x, y));
            }
        }
    }
    worst
}

/// The SVG of a scene, which shows the same.
fn same(name: &str, scene: impl Fn(&mut Context2d)) -> String {
    let mut context = drawn(&scene);
    let svg = context.to_svg().unwrap();
    let worst = difference(context.canvas().bitmap(), &rasterised(&svg));
    assert!(worst.0 < BOUND, "{name}: {worst:?}\n{svg}");
    let mut plain = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
    scene(&mut plain);
    assert!(
        plain.canvas().bitmap() == context.canvas().bitmap(),
        "{name}: recording changes pixels"
    );
    svg
}

fn is_vector(svg: &str) -> bool {
    !svg.contains("<image")
}

fn disc(c: &mut Context2d, x: f64, y: f64, r: f64) {
    c.begin_path();
    c.arc(x, y, r, 0.0, TAU, false).unwrap();
    c.fill(FillRule::NonZero);
}

fn picture() -> Bitmap {
    let pixel = |x: u32, y: u32| {
        [
            (x * 20) as u8,
            (y * 25) as u8,
            if (x / 4 + y / 4).is_multiple_of(2) {
                255
            } else {
                40
            },
            255,
        ]
    };
    let bytes: Vec<u8> = (0..10)
        .flat_map(|y| (0..12).flat_map(move |x| pixel(x, y)))
        .collect();
    Bitmap::from_straight(12, 10, &bytes).unwrap()
}

fn stops(gradient: Gradient) -> Style {
    for (offset, color) in [(0.0, "red"), (0.4, "rgba(0, 200, 0, 0.5)"), (1.0, "#00f")] {
        gradient.add_color_stop(offset, color).unwrap();
    }
    Style::Gradient(gradient)
}

fn shapes(c: &mut Context2d) {
    c.set_fill_color("#e8e8f0");
    c.fill_rect(0.0, 0.0, 160.0, 160.0);
    c.set_fill_color("rgba(200, 30, 60, 0.6)");
    c.fill_rect(8.25, 9.5, 40.0, 30.0);
    c.set_stroke_color("navy");
    c.set_line_width(5.0);
    c.stroke_rect(60.5, 10.5, 40.0, 30.0);
    c.set_global_alpha(0.7);
    disc(c, 130.0, 28.0, 20.0);
    c.set_global_alpha(1.0);
    c.begin_path();
    c.rect(10.0, 50.0, 40.0, 40.0);
    c.rect(20.0, 60.0, 20.0, 20.0);
    c.fill(FillRule::EvenOdd);
    c.set_line_dash(&[12.0, 6.0, 3.0]);
    c.set_line_dash_offset(4.0);
    c.set_line_cap(LineCap::Round);
    c.set_line_join(LineJoin::Bevel);
    c.begin_path();
    c.move_to(60.0, 60.0);
    c.bezier_curve_to(90.0, 40.0, 100.0, 110.0, 150.0, 60.0);
    c.line_to(140.0, 90.0);
    c.stroke();
    c.set_line_dash(&[]);
    c.save();
    c.translate(80.0, 125.0);
    c.rotate(0.4);
    c.scale(3.0, 0.8);
    c.begin_path();
    c.ellipse(&Ellipse::circle([0.0, 0.0, 16.0], 0.0, 5.0, false))
        .unwrap();
    c.stroke();
    c.restore().unwrap();
    // Nothing of no length is drawn, whatever the caps are.
    c.begin_path();
    c.move_to(20.0, 130.0);
    c.line_to(20.0, 130.0);
    c.close_path();
    c.stroke();
}

fn inks(c: &mut Context2d) {
    c.translate(2.0, 1.0);
    c.set_fill_style(stops(Gradient::linear(10.0, 10.0, 60.0, 40.0)));
    c.fill_rect(5.0, 5.0, 60.0, 40.0);
    c.set_global_alpha(0.8);
    c.set_fill_style(stops(
        Gradient::radial(100.0, 20.0, 2.0, 110.0, 26.0, 30.0).unwrap(),
    ));
    disc(c, 110.0, 26.0, 30.0);
    c.set_fill_style(stops(
        Gradient::radial(30.0, 80.0, 30.0, 36.0, 84.0, 4.0).unwrap(),
    ));
    c.fill_rect(0.0, 50.0, 60.0, 50.0);
    c.set_global_alpha(1.0);
    c.set_fill_style(stops(Gradient::conic(0.5, 100.0, 80.0)));
    disc(c, 100.0, 80.0, 22.0);
    c.set_stroke_style(stops(
        Gradient::radial(130.0, 60.0, 5.0, 150.0, 90.0, 8.0).unwrap(),
    ));
    c.set_line_width(9.0);
    c.stroke_rect(128.0, 64.0, 22.0, 30.0);
    let pattern = Pattern::new(picture(), Repetition::Repeat);
    c.set_fill_style(Style::Pattern(pattern));
    c.fill_rect(4.0, 104.0, 48.0, 40.0);
    let pattern = Pattern::new(picture(), Repetition::RepeatX);
    pattern.set_transform(Matrix::new(1.4, 0.3, -0.3, 1.4, 60.0, 110.0));
    c.set_fill_style(Style::Pattern(pattern));
    c.fill_rect(54.0, 104.0, 48.0, 40.0);
    c.scale(1.0, 2.0);
    c.set_stroke_style(stops(Gradient::linear(110.0, 50.0, 150.0, 72.0)));
    c.begin_path();
    c.move_to(112.0, 54.0);
    c.line_to(148.0, 58.0);
    c.line_to(118.0, 70.0);
    c.stroke();
}

fn words(c: &mut Context2d) {
    c.set_font("bold 26px serif");
    c.fill_text("Vector Ağ", 6.0, 28.0, None);
    c.set_fill_color("teal");
    c.set_font("20px sans-serif");
    c.fill_text("画布矢量 日本語", 6.0, 58.0, None);
    c.fill_text("squeezed together", 6.0, 80.0, Some(90.0));
    c.set_stroke_color("crimson");
    c.set_line_width(2.0);
    c.set_font("italic 34px sans-serif");
    c.stroke_text("outline", 10.0, 112.0, None);
    c.rotate(-0.2);
    c.set_font("14px monospace");
    c.fill_text("turned by a fifth", -20.0, 156.0, None);
}

fn emoji(c: &mut Context2d) {
    c.set_font("40px sans-serif");
    c.fill_text("a🙂🎉", 4.0, 50.0, None);
    c.set_global_alpha(0.5);
    c.fill_text("🚀🌍b", 4.0, 110.0, None);
}

fn clips(c: &mut Context2d) {
    c.save();
    c.begin_path();
    c.arc(60.0, 60.0, 50.0, 0.0, TAU, false).unwrap();
    c.clip(FillRule::NonZero);
    c.set_fill_color("gold");
    c.fill_rect(0.0, 0.0, 160.0, 160.0);
    c.rotate(0.3);
    c.clip_path(
        &Path::from_svg("M30 10H110V80H30ZM50 30H90V60H50Z"),
        FillRule::EvenOdd,
    );
    c.set_fill_color("rgba(20, 80, 160, 0.8)");
    c.fill_rect(0.0, 0.0, 160.0, 160.0);
    c.restore().unwrap();
    c.begin_path();
    c.rect(100.0, 100.0, 40.0, 40.0);
    c.clip(FillRule::NonZero);
    c.set_stroke_color("black");
    c.set_line_width(12.0);
    c.begin_path();
    c.move_to(90.0, 90.0);
    c.line_to(150.0, 150.0);
    c.stroke();
    c.clip_path(&Path::new(), FillRule::NonZero);
    c.fill_rect(0.0, 0.0, 160.0, 160.0);
}

fn pictures(c: &mut Context2d) {
    let picture = picture();
    let whole = RectF::new(0.0, 0.0, 12.0, 10.0);
    c.draw_image(&picture, whole, RectF::new(4.0, 4.0, 72.0, 60.0));
    c.set_smoothing(false);
    c.draw_image(&picture, whole, RectF::new(84.0, 4.0, 72.0, 60.0));
    c.set_smoothing(true);
    c.set_global_alpha(0.6);
    c.draw_image(
        &picture,
        RectF::new(2.0, 3.0, 4.0, 5.0),
        RectF::new(4.0, 80.0, 40.0, 50.0),
    );
    c.set_global_alpha(1.0);
    c.set_smoothing(false);
    c.draw_image(
        &picture,
        RectF::new(2.5, 3.5, 5.0, 4.0),
        RectF::new(60.0, 80.0, 50.0, 40.0),
    );
    c.rotate(0.3);
    c.draw_own_image(
        RectF::new(0.0, 0.0, 80.0, 70.0),
        RectF::new(140.0, 50.0, 40.0, 35.0),
    );
}

fn effects(c: &mut Context2d) {
    c.set_fill_color("white");
    c.fill_rect(0.0, 0.0, 160.0, 160.0);
    c.set_fill_color("orange");
    c.set_shadow_color("rgba(0, 0, 60, 0.7)");
    c.set_shadow_blur(10.0);
    c.set_shadow_offset_x(6.0);
    c.set_shadow_offset_y(8.0);
    c.set_global_alpha(0.8);
    c.fill_rect(20.0, 20.0, 50.0, 30.0);
    c.set_global_alpha(1.0);
    c.set_shadow_blur(0.0);
    disc(c, 120.0, 40.0, 22.0);
    c.set_shadow_color("transparent");
    assert!(c.set_filter("blur(3px)"));
    c.fill_rect(20.0, 80.0, 40.0, 30.0);
    assert!(c.set_filter("hue-rotate(120deg) drop-shadow(5px 6px 3px purple) opacity(70%)"));
    c.fill_rect(90.0, 80.0, 40.0, 30.0);
    c.set_shadow_color("green");
    assert!(c.set_filter("invert(80%) saturate(50%)"));
    c.draw_image(
        &picture(),
        RectF::new(0.0, 0.0, 12.0, 10.0),
        RectF::new(30.0, 125.0, 30.0, 25.0),
    );
}

fn operations(c: &mut Context2d) {
    for (i, op) in CompositeOp::ALL.iter().enumerate() {
        let (x, y) = ((i % 6) as f64 * 26.0 + 2.0, (i / 6) as f64 * 30.0 + 2.0);
        c.save();
        c.begin_path();
        c.rect(x, y, 24.0, 28.0);
        c.clip(FillRule::NonZero);
        c.set_composite_op(CompositeOp::SourceOver);
        c.set_fill_color("rgba(250, 180, 20, 0.9)");
        c.fill_rect(x + 2.0, y + 2.0, 14.0, 16.0);
        c.set_composite_op(*op);
        c.set_fill_color("rgba(30, 90, 220, 0.7)");
        c.fill_rect(x + 8.0, y + 8.0, 14.0, 16.0);
        c.restore().unwrap();
    }
}

fn holes(c: &mut Context2d) {
    c.set_fill_color("seagreen");
    c.fill_rect(0.0, 0.0, 150.0, 150.0);
    c.clear_rect(10.0, 10.0, 30.0, 30.0);
    c.save();
    c.rotate(0.2);
    c.clear_rect(70.0, 5.5, 30.0, 30.0);
    c.restore().unwrap();
    c.set_composite_op(CompositeOp::DestinationOut);
    c.set_fill_color("rgba(0, 0, 0, 0.5)");
    disc(c, 120.0, 40.0, 18.0);
    c.set_composite_op(CompositeOp::SourceOver);
    let data: Vec<u8> = (0..20u32 * 20)
        .flat_map(|i| [(i % 20 * 12) as u8, 80, (i / 20 * 12) as u8, 200])
        .collect();
    c.put_image_data(
        &ImageData {
            width: 20,
            height: 20,
            data,
        },
        20,
        80,
    );
    c.set_fill_color("rgba(255, 255, 255, 0.8)");
    c.fill_rect(30.0, 90.0, 60.0, 8.0);
    c.set_composite_op(CompositeOp::DestinationOver);
    c.set_fill_color("lavender");
    c.fill_rect(0.0, 0.0, 160.0, 120.0);
    c.set_composite_op(CompositeOp::SourceAtop);
    c.set_fill_color("black");
    c.fill_rect(60.0, 130.0, 60.0, 30.0);
}

fn layers(c: &mut Context2d) {
    c.set_fill_color("khaki");
    c.fill_rect(10.0, 10.0, 100.0, 100.0);
    c.begin_path();
    c.rect(20.0, 20.0, 120.0, 90.5);
    c.clip(FillRule::NonZero);
    c.set_global_alpha(0.6);
    c.set_shadow_color("black");
    c.set_shadow_offset_x(6.0);
    c.begin_layer(Filters::default()).unwrap();
    c.set_fill_color("firebrick");
    c.fill_rect(30.0, 30.0, 50.0, 50.0);
    c.set_composite_op(CompositeOp::Multiply);
    c.set_fill_color("skyblue");
    c.fill_rect(50.0, 50.0, 50.0, 50.0);
    c.set_composite_op(CompositeOp::SourceOver);
    c.begin_layer(Filters::parse("blur(2px)").unwrap()).unwrap();
    c.set_composite_op(CompositeOp::Xor);
    disc(c, 100.0, 60.0, 20.0);
    c.end_layer().unwrap();
    c.end_layer().unwrap();
}

#[test]
fn what_the_canvas_shows_the_svg_shows() {
    let vectors: [(&str, Scene); 5] = [
        ("shapes", shapes),
        ("words", words),
        ("emoji", emoji),
        ("clips", clips),
        ("layers without xor", |c| {
            c.begin_layer(Filters::default()).unwrap();
            shapes(c);
            c.end_layer().unwrap();
        }),
    ];
    for (name, scene) in vectors {
        let svg = same(name, scene);
        assert!(is_vector(&svg), "{name} needs no picture");
    }
    same("inks", inks);
    same("pictures", pictures);
    same("effects", effects);
    same("operations", operations);
    same("holes", holes);
    same("layers", layers);
}

#[test]
fn the_bound_sees_every_call_that_is_missing() {
    let calls: [Scene; 9] = [
        |c| c.fill_rect(4.0, 4.0, 30.0, 30.0),
        |c| c.stroke_rect(50.0, 10.0, 30.0, 30.0),
        |c| c.fill_text("Text", 100.0, 30.0, None),
        |c| {
            c.draw_image(
                &picture(),
                RectF::new(0.0, 0.0, 12.0, 10.0),
                RectF::new(4.0, 50.0, 36.0, 30.0),
            )
        },
        |c| c.clear_rect(10.0, 10.0, 12.0, 12.0),
        |c| {
            c.save();
            c.set_shadow_color("black");
            c.set_shadow_offset_y(20.0);
            c.fill_rect(60.0, 60.0, 30.0, 10.0);
            c.restore().unwrap();
        },
        |c| {
            c.save();
            c.set_fill_style(stops(Gradient::conic(0.0, 120.0, 80.0)));
            disc(c, 120.0, 80.0, 20.0);
            c.restore().unwrap();
        },
        |c| {
            c.save();
            c.set_composite_op(CompositeOp::SourceAtop);
            c.set_fill_color("lime");
            c.fill_rect(0.0, 0.0, 20.0, 160.0);
            c.restore().unwrap();
        },
        |c| {
            let image = ImageData {
                width: 20,
                height: 20,
                data: vec![200; 1600],
            };
            c.put_image_data(&image, 100, 120);
        },
    ];
    let run = |without: Option<usize>| {
        drawn(|c| {
            c.set_fill_color("maroon");
            c.set_line_width(4.0);
            c.set_font("24px sans-serif");
            for (i, call) in calls.iter().enumerate() {
                if Some(i) != without {
                    call(c);
                }
            }
        })
    };
    let whole = run(None);
    for i in 0..calls.len() {
        let svg = run(Some(i)).to_svg().unwrap();
        let worst = difference(whole.canvas().bitmap(), &rasterised(&svg));
        assert!(worst.0 > BOUND, "call {i}: {worst:?}");
    }
}

#[test]
fn shapes_can_be_drawn_larger() {
    let svg = drawn(words).to_svg().unwrap();
    let doubled = svg.replacen("width=\"160\" height=\"160\"", "width=\"320\" height=\"320\"", 1);
    let mut large = Context2d::new(Canvas::new(320, 320).unwrap());
    large.scale(2.0, 2.0);
    words(&mut large);
    let worst = difference(large.canvas().bitmap(), &rasterised(&doubled));
    assert!(worst.0 < BOUND, "{worst:?}");
}

#[test]
fn what_was_there_before_and_what_is_cleared() {
    let mut c = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
    assert_eq!(c.to_svg(), Err(CanvasError::NotRecorded));
    c.clip_path(&Path::from_svg("M0 0H100V150H0Z"), FillRule::NonZero);
    c.fill_rect(5.0, 5.0, 50.0, 50.0);
    c.record();
    c.set_fill_color("red");
    c.fill_rect(30.0, 30.0, 120.0, 50.0);
    let svg = c.to_svg().unwrap();
    assert!(difference(c.canvas().bitmap(), &rasterised(&svg)).0 < BOUND);

    let mut c = recording(SIDE, SIDE);
    shapes(&mut c);
    inks(&mut c);
    c.reset_transform();
    c.clear_rect(-1.0, 0.0, 200.0, 200.0);
    let blank = recording(SIDE, SIDE).to_svg().unwrap();
    assert_eq!(c.to_svg().unwrap(), blank);
    for _ in 0..200 {
        shapes(&mut c);
    }
    // What is painted over whole is gone: the last of 200 is left.
    assert!(c.to_svg().unwrap().len() < 4000);
    c.reset();
    assert_eq!(c.to_svg().unwrap(), blank);
    c.begin_layer(Filters::default()).unwrap();
    assert_eq!(c.to_svg(), Err(CanvasError::OpenLayer));
    c.resize(0, 5).unwrap();
    assert_eq!(c.to_svg(), Err(CanvasError::NoPixels));
}

#[test]
fn beyond_the_bounds_it_is_one_picture_that_shows_the_same() {
    let mut c = recording(SIDE, SIDE);
    c.recording = Some(Box::new(Recording::with_limit(1000)));
    shapes(&mut c);
    let svg = c.to_svg().unwrap();
    assert!(svg.contains("<desc>") && svg.matches("<image").count() == 1);
    assert_eq!(rasterised(&svg), *c.canvas().bitmap());
    c.clear_rect(0.0, 0.0, 160.0, 160.0);
    c.fill_rect(1.0, 1.0, 9.0, 9.0);
    assert!(is_vector(&c.to_svg().unwrap()), "cleared, there is room again");

    let mut c = recording(SIDE, SIDE);
    for i in 0..200 {
        let x = f64::from(i % 50) * 3.0;
        c.fill_rect(x, 0.0, 2.0, 90.0);
        c.clear_rect(x, 10.0, 2.0, 30.0);
    }
    let svg = c.to_svg().unwrap();
    assert!(svg.contains("<desc>"));
    assert_eq!(rasterised(&svg), *c.canvas().bitmap());
}

#[test]
fn canvases_of_other_kinds() {
    let mut c = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
    c.make_opaque();
    c.record();
    holes(&mut c);
    let svg = c.to_svg().unwrap();
    assert!(difference(c.canvas().bitmap(), &rasterised(&svg)).0 < BOUND);

    let mut c = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
    c.set_space(ColorSpace::DisplayP3);
    c.record();
    c.set_smoothing_quality(SmoothingQuality::High);
    shapes(&mut c);
    c.reset_transform();
    c.scale(0.5, 0.5);
    pictures(&mut c);
    let svg = c.to_svg().unwrap();
    let plain = c.canvas().bitmap().in_space(ColorSpace::Srgb);
    let worst = difference(&plain, &rasterised(&svg));
    assert!(worst.0 < BOUND, "{worst:?}");
}
