//! Behaviour of single calls where the standard is particular.

use super::{Context2d, MAX_SAVED, SmoothingQuality};
use crate::canvas::{Bitmap, Canvas};
use crate::geometry::RectF;
use crate::image::ImageData;
use crate::matrix::Matrix;
use crate::paint::{CompositeOp, Gradient, Pattern, Repetition, Style};
use crate::path::{FillRule, Path, Radius};
use crate::stroke::{LineCap, LineJoin};

const CLEAR: [u8; 4] = [0; 4];
const RED: [u8; 4] = [255, 0, 0, 255];
const LIME: [u8; 4] = [0, 255, 0, 255];

fn context(width: u32, height: u32) -> Context2d {
    Context2d::new(Canvas::new(width, height).unwrap())
}

fn filled(color: &str) -> Context2d {
    let mut c = context(100, 50);
    c.set_fill_color(color);
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    c
}

fn at(c: &Context2d, x: i32, y: i32) -> [u8; 4] {
    let data = c.get_image_data(x, y, 1, 1).unwrap().data;
    [data[0], data[1], data[2], data[3]]
}

fn near(a: [u8; 4], b: [u8; 4], by: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= by)
}

fn checkers() -> Bitmap {
    Bitmap::from_straight(2, 1, &[255, 0, 0, 255, 0, 255, 0, 255]).unwrap()
}

#[test]
fn attributes_keep_their_value_when_given_nonsense() {
    let mut c = context(1, 1);
    c.set_line_width(5.0);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        c.set_line_width(bad);
        c.set_miter_limit(bad);
    }
    c.set_global_alpha(0.5);
    c.set_global_alpha(1.1);
    c.set_global_alpha(f64::NAN);
    c.set_line_dash(&[1.0, 2.0, 3.0]);
    c.set_line_dash(&[1.0, -2.0]);
    c.set_shadow_blur(-1.0);
    assert!(!c.set_fill_color("nonsense"));
    assert!(!c.set_font("nonsense"));
    assert_eq!(
        (c.line_width(), c.miter_limit(), c.global_alpha()),
        (5.0, 10.0, 0.5)
    );
    assert_eq!(c.line_dash(), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    assert_eq!(c.font(), "10px sans-serif");
}

#[test]
fn resize_and_reset_clear_everything() {
    let mut c = filled("red");
    c.save();
    c.translate(5.0, 5.0);
    c.rect(0.0, 0.0, 10.0, 10.0);
    c.clip(FillRule::NonZero);
    c.resize(100, 50).unwrap();
    c.restore().unwrap();
    assert_eq!(at(&c, 50, 25), CLEAR);
    assert_eq!(c.get_transform(), Matrix::IDENTITY);
    c.set_fill_color("lime");
    c.fill(FillRule::NonZero);
    assert_eq!(at(&c, 7, 7), CLEAR);
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert_eq!(at(&c, 99, 49), LIME);
    assert!(c.resize(70_000, 1).is_err());
    assert_eq!(c.canvas().width(), 100);
}

#[test]
fn saves_without_end_stay_balanced() {
    let mut c = context(1, 1);
    c.set_line_width(2.0);
    for _ in 0..MAX_SAVED + 10 {
        c.save();
    }
    c.set_line_width(3.0);
    for _ in 0..10 {
        c.restore().unwrap();
    }
    assert_eq!(c.line_width(), 3.0);
    c.restore().unwrap();
    assert_eq!(c.line_width(), 2.0);
}

#[test]
fn paths_are_transformed_when_built_and_pens_when_drawn() {
    let mut c = context(100, 50);
    c.set_fill_color("lime");
    c.scale(10.0, 10.0);
    c.rect(1.0, 1.0, 2.0, 2.0);
    c.reset_transform();
    c.fill(FillRule::NonZero);
    assert_eq!([at(&c, 10, 10), at(&c, 29, 29)], [LIME; 2]);
    assert_eq!(at(&c, 30, 30), CLEAR);
    c.begin_path();
    c.move_to(60.0, 10.0);
    c.line_to(60.0, 40.0);
    c.scale(10.0, 1.0);
    c.set_stroke_color("red");
    c.stroke();
    assert_eq!([at(&c, 56, 20), at(&c, 64, 20)], [RED; 2]);
    assert_eq!(at(&c, 66, 20), CLEAR);
}

#[test]
fn rectangles_without_area_stroke_as_lines() {
    let mut c = context(100, 50);
    c.set_stroke_color("lime");
    c.set_line_width(10.0);
    c.stroke_rect(20.0, 25.0, 60.0, 0.0);
    assert_eq!([at(&c, 50, 22), at(&c, 21, 28)], [LIME; 2]);
    assert_eq!([at(&c, 18, 25), at(&c, 82, 25)], [CLEAR; 2]);
    c.set_line_cap(LineCap::Round);
    c.stroke_rect(20.0, 5.0, 60.0, 0.0);
    assert_eq!(at(&c, 18, 5), CLEAR);
    c.set_line_join(LineJoin::Round);
    c.stroke_rect(20.0, 5.0, 60.0, 0.0);
    assert_eq!(at(&c, 17, 5), LIME);
    c.stroke_rect(90.0, 10.0, 0.0, 0.0);
    assert_eq!(at(&c, 90, 10), CLEAR);
}

#[test]
fn clear_rect_obeys_clip_and_transform_but_not_alpha() {
    let mut c = filled("red");
    c.rect(0.0, 0.0, 50.0, 50.0);
    c.clip(FillRule::NonZero);
    c.set_global_alpha(0.0);
    c.translate(40.0, 0.0);
    c.clear_rect(0.0, 0.0, 20.0, 50.0);
    assert_eq!(
        [at(&c, 39, 5), at(&c, 40, 5), at(&c, 49, 5), at(&c, 50, 5)],
        [RED, CLEAR, CLEAR, RED]
    );
}

#[test]
fn operations_reach_outside_the_shape_only_inside_the_clip() {
    for op in [
        "copy",
        "source-in",
        "destination-atop",
        "destination-in",
        "source-out",
    ] {
        let mut c = filled("red");
        c.begin_path();
        c.rect(0.0, 0.0, 50.0, 50.0);
        c.clip(FillRule::NonZero);
        c.set_composite_op(CompositeOp::parse(op).unwrap());
        c.set_fill_color("lime");
        c.fill_rect(10.0, 10.0, 10.0, 10.0);
        assert_eq!(at(&c, 30, 30), CLEAR, "{op}");
        assert_eq!(at(&c, 70, 30), RED, "{op}");
        let inside = match op {
            "copy" | "source-in" => LIME,
            "source-out" => CLEAR,
            _ => RED,
        };
        assert_eq!(at(&c, 15, 15), inside, "{op}");
    }
}

#[test]
fn clips_intersect_and_restore() {
    let mut c = context(100, 50);
    c.save();
    c.arc(25.0, 25.0, 20.0, 0.0, 7.0, false).unwrap();
    c.clip(FillRule::NonZero);
    c.begin_path();
    c.rect(25.0, 0.0, 75.0, 50.0);
    c.clip(FillRule::NonZero);
    c.set_fill_color("lime");
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert_eq!(
        [at(&c, 30, 25), at(&c, 20, 25), at(&c, 50, 25)],
        [LIME, CLEAR, CLEAR]
    );
    c.restore().unwrap();
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert_eq!(at(&c, 99, 0), [0, 0, 0, 255]);
}

#[test]
fn gradients_interpolate_without_premultiplying() {
    let mut c = context(100, 50);
    let g = Gradient::linear(0.0, 0.0, 100.0, 0.0);
    g.add_color_stop(0.0, "rgba(255,255,0,1)").unwrap();
    g.add_color_stop(1.0, "rgba(0,0,255,0)").unwrap();
    c.set_fill_style(Style::Gradient(g));
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert!(
        near(at(&c, 25, 25), [190, 190, 65, 190], 4),
        "{:?}",
        at(&c, 25, 25)
    );
    assert!(near(at(&c, 75, 25), [63, 63, 191, 63], 6), "{:?}", at(&c, 75, 25));
}

#[test]
fn a_cone_leaves_its_outside_clear() {
    let mut c = context(100, 50);
    let g = Gradient::radial(20.0, 25.0, 5.0, 60.0, 25.0, 10.0).unwrap();
    g.add_color_stop(0.0, "lime").unwrap();
    c.set_fill_style(Style::Gradient(g));
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert_eq!([at(&c, 20, 25), at(&c, 60, 25), at(&c, 95, 25)], [LIME; 3]);
    assert_eq!([at(&c, 2, 2), at(&c, 20, 45)], [CLEAR; 2]);
}

#[test]
fn conic_gradients_turn_clockwise_from_their_angle() {
    let mut c = context(100, 50);
    let g = Gradient::conic(0.0, 50.0, 25.0);
    for (offset, color) in [(0.0, "red"), (0.5, "red"), (0.5, "lime"), (1.0, "lime")] {
        g.add_color_stop(offset, color).unwrap();
    }
    c.set_fill_style(Style::Gradient(g));
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert_eq!([at(&c, 50, 40), at(&c, 50, 10)], [RED, LIME]);
}

#[test]
fn patterns_end_where_they_do_not_repeat() {
    for (name, right, below) in [
        ("repeat", RED, RED),
        ("repeat-x", RED, CLEAR),
        ("repeat-y", CLEAR, RED),
        ("no-repeat", CLEAR, CLEAR),
    ] {
        let mut c = context(100, 50);
        c.set_fill_style(Style::Pattern(Pattern::new(
            checkers(),
            Repetition::parse(name).unwrap(),
        )));
        c.fill_rect(0.0, 0.0, 100.0, 50.0);
        assert_eq!(
            [at(&c, 0, 0), at(&c, 1, 0), at(&c, 40, 0), at(&c, 0, 40)],
            [RED, LIME, right, below],
            "{name}"
        );
    }
}

#[test]
fn a_pattern_changed_later_is_drawn_as_it_is_then() {
    let mut c = context(100, 50);
    let pattern = Pattern::new(checkers(), Repetition::Repeat);
    c.set_fill_style(Style::Pattern(pattern.clone()));
    c.set_smoothing(false);
    pattern.set_transform(Matrix::scaling(10.0, 10.0));
    c.fill_rect(0.0, 0.0, 100.0, 50.0);
    assert_eq!([at(&c, 9, 9), at(&c, 10, 9), at(&c, 20, 40)], [RED, LIME, RED]);
    let Style::Pattern(got) = c.fill_style() else {
        panic!("not a pattern")
    };
    assert_eq!(got.id(), pattern.id());
}

#[test]
fn images_are_cut_scaled_and_reduced() {
    let mut c = context(100, 50);
    c.set_smoothing(false);
    let image = checkers();
    c.draw_image(
        &image,
        RectF::new(0.0, 0.0, 2.0, 1.0),
        RectF::new(10.0, 10.0, 20.0, 10.0),
    );
    assert_eq!(
        [at(&c, 10, 10), at(&c, 19, 19), at(&c, 20, 10), at(&c, 30, 10)],
        [RED, RED, LIME, CLEAR]
    );
    // Half of the source lies outside: so does half of the destination.
    c.draw_image(
        &image,
        RectF::new(1.0, 0.0, 2.0, 1.0),
        RectF::new(50.0, 10.0, 20.0, 10.0),
    );
    assert_eq!([at(&c, 55, 15), at(&c, 65, 15)], [LIME, CLEAR]);
    let fine: Vec<u8> = (0..64 * 64)
        .flat_map(|i| if (i + i / 64) % 2 == 0 { RED } else { LIME })
        .collect();
    let fine = Bitmap::from_straight(64, 64, &fine).unwrap();
    c.set_smoothing(true);
    c.draw_image(
        &fine,
        RectF::new(0.0, 0.0, 64.0, 64.0),
        RectF::new(0.0, 30.0, 8.0, 8.0),
    );
    assert!(near(at(&c, 4, 34), [128, 128, 0, 255], 2), "{:?}", at(&c, 4, 34));
}

#[test]
fn smoothing_works_between_pixels_too() {
    let mut c = context(10, 10);
    c.draw_image(
        &checkers(),
        RectF::new(0.0, 0.0, 2.0, 1.0),
        RectF::new(0.5, 0.0, 2.0, 1.0),
    );
    assert!(near(at(&c, 1, 0), [128, 128, 0, 255], 2), "{:?}", at(&c, 1, 0));
}

#[test]
fn a_canvas_can_be_drawn_onto_itself() {
    let mut c = filled("red");
    c.set_fill_color("lime");
    c.fill_rect(0.0, 0.0, 10.0, 50.0);
    c.draw_own_image(RectF::new(0.0, 0.0, 50.0, 50.0), RectF::new(5.0, 0.0, 50.0, 50.0));
    assert_eq!([at(&c, 4, 9), at(&c, 14, 9), at(&c, 15, 9)], [LIME, LIME, RED]);
}

#[test]
fn image_data_reaches_over_the_border_and_backwards() {
    let c = filled("red");
    let data = c.get_image_data(-1, -1, 3, 2).unwrap();
    assert_eq!(data.data[..16], [[0; 4]; 4].concat());
    assert_eq!(data.data[16..20], RED);
    assert_eq!(c.get_image_data(10, 10, -5, -5).unwrap().width, 5);
    assert_eq!(
        c.get_image_data(0, 0, 0, 1).unwrap_err().dom_name(),
        "IndexSizeError"
    );
    assert!(c.get_image_data(i32::MIN, i32::MAX, i32::MIN, 1).is_err());
    assert!(ImageData::new(0, 1).is_err());
}

#[test]
fn only_dirty_pixels_are_put_and_no_state_interferes() {
    let mut c = filled("red");
    c.begin_path();
    c.clip(FillRule::NonZero);
    c.set_global_alpha(0.1);
    let image = ImageData {
        width: 4,
        height: 4,
        data: LIME.repeat(16),
    };
    c.put_image_data_dirty(&image, 10, 10, (3, 3, -2, -2));
    assert_eq!(
        [at(&c, 10, 10), at(&c, 11, 11), at(&c, 12, 12), at(&c, 13, 13)],
        [RED, LIME, LIME, RED]
    );
    c.put_image_data(&image, i32::MAX, i32::MIN);
    c.put_pixels(&[1, 2, 3], (4, 4, crate::paint::ColorSpace::Srgb), (0, 0), None);
    assert_eq!(at(&c, 0, 0), RED);
}

#[test]
fn shadows_fall_with_every_operation() {
    let mut c = context(100, 50);
    c.set_shadow_color("lime");
    c.set_shadow_offset_x(30.0);
    c.fill_rect(-20.0, 10.0, 10.0, 10.0);
    assert_eq!(
        [at(&c, 10, 10), at(&c, 19, 19), at(&c, 20, 19)],
        [LIME, LIME, CLEAR]
    );
    c.set_global_alpha(0.5);
    c.draw_image(
        &checkers(),
        RectF::new(0.0, 0.0, 1.0, 1.0),
        RectF::new(40.0, 30.0, 5.0, 5.0),
    );
    assert_eq!(
        [at(&c, 42, 32), at(&c, 72, 32)],
        [[255, 0, 0, 128], [0, 255, 0, 128]]
    );
    c.reset();
    c.set_shadow_color("#0f0");
    c.set_shadow_blur(10.0);
    c.fill_rect(40.0, 20.0, 20.0, 10.0);
    let faded: Vec<u8> = [30, 33, 36, 39].map(|x| at(&c, x, 25)[3]).to_vec();
    assert!(faded.is_sorted() && faded[0] > 0 && faded[3] < 150, "{faded:?}");
    assert_eq!(at(&c, 20, 25), CLEAR);
}

#[test]
fn strokes_beyond_the_canvas_still_cast_their_shadow() {
    let mut c = context(100, 50);
    c.set_shadow_color("lime");
    c.set_shadow_offset_y(-500.0);
    c.set_line_width(10.0);
    c.move_to(0.0, 525.0);
    c.line_to(100.0, 525.0);
    c.stroke();
    assert_eq!(at(&c, 50, 25), LIME);
}

#[test]
fn round_rectangles_check_their_radii() {
    let mut c = context(100, 50);
    let r = |v: f64| Radius { x: v, y: v };
    assert_eq!(
        c.round_rect(0.0, 0.0, 9.0, 9.0, &[]).unwrap_err().dom_name(),
        "RangeError"
    );
    assert_eq!(
        c.round_rect(0.0, 0.0, 9.0, 9.0, &[r(1.0); 5])
            .unwrap_err()
            .dom_name(),
        "RangeError"
    );
    assert_eq!(
        c.round_rect(0.0, 0.0, 9.0, 9.0, &[r(-1.0)])
            .unwrap_err()
            .dom_name(),
        "RangeError"
    );
    assert!(c.round_rect(0.0, 0.0, 9.0, 9.0, &[r(f64::NAN)]).is_ok());
    c.round_rect(0.0, 0.0, 100.0, 50.0, &[r(20.0), r(0.0)]).unwrap();
    c.set_fill_color("lime");
    c.fill(FillRule::NonZero);
    assert_eq!(
        [at(&c, 1, 1), at(&c, 98, 1), at(&c, 98, 48), at(&c, 1, 48)],
        [CLEAR, LIME, CLEAR, LIME]
    );
}

#[test]
fn negative_radii_are_index_size_errors() {
    let mut c = context(1, 1);
    assert_eq!(
        c.arc(0.0, 0.0, -1.0, 0.0, 1.0, false).unwrap_err().dom_name(),
        "IndexSizeError"
    );
    assert_eq!(
        c.arc_to(0.0, 0.0, 1.0, 1.0, -1.0).unwrap_err().dom_name(),
        "IndexSizeError"
    );
    assert!(c.arc(f64::NAN, 0.0, -1.0, 0.0, 1.0, false).is_ok());
}

#[test]
fn hit_tests_know_the_transform() {
    let mut c = context(100, 50);
    let mut path = Path::new();
    path.rect(0.0, 0.0, 10.0, 10.0);
    c.translate(50.0, 0.0);
    assert!(c.is_point_in_this_path(&path, 55.0, 5.0, FillRule::NonZero));
    assert!(!c.is_point_in_this_path(&path, 5.0, 5.0, FillRule::NonZero));
    c.set_line_width(4.0);
    assert!(c.is_point_in_this_stroke(&path, 48.5, 5.0));
    assert!(!c.is_point_in_this_stroke(&path, 55.0, 5.0));
    assert!(!c.is_point_in_stroke(f64::NAN, 5.0));
}

#[test]
fn the_overshoot_of_a_bicubic_filter_stays_premultiplied() {
    let mut c = context(64, 64);
    let bytes: Vec<u8> = (0..7 * 5 * 4).map(|i| (i * 37) as u8).collect();
    let image = Bitmap::from_straight(7, 5, &bytes).unwrap();
    c.set_smoothing_quality(SmoothingQuality::High);
    c.draw_image(
        &image,
        RectF::new(0.0, 0.0, 7.0, 5.0),
        RectF::new(0.0, -19.3, 32.5, 64.0),
    );
    assert!(
        c.canvas()
            .bitmap()
            .data()
            .chunks_exact(4)
            .all(|p| p[..3].iter().all(|v| *v <= p[3]))
    );
}

#[test]
fn a_wide_canvas_has_colours_that_srgb_has_not() {
    use crate::paint::ColorSpace::{DisplayP3, Srgb};
    let mut c = context(40, 10);
    c.set_space(DisplayP3);
    let read = |c: &Context2d, space, x| c.get_image_data_in(space, x, 5, 1, 1).unwrap().data;
    c.set_fill_color("#f00");
    c.fill_rect(0.0, 0.0, 10.0, 10.0);
    assert_eq!(read(&c, DisplayP3, 5), [234, 51, 35, 255]);
    assert_eq!(read(&c, Srgb, 5), [255, 0, 0, 255]);
    c.set_fill_color("color(display-p3 1 0 0)");
    c.fill_rect(10.0, 0.0, 10.0, 10.0);
    assert_eq!(read(&c, DisplayP3, 15), [255, 0, 0, 255]);
    let gradient = crate::paint::Gradient::linear(20.0, 0.0, 30.0, 0.0);
    gradient.add_color_stop(0.0, "color(display-p3 0 1 0)").unwrap();
    c.set_fill_style(crate::paint::Style::Gradient(gradient));
    c.fill_rect(20.0, 0.0, 10.0, 10.0);
    assert_eq!(read(&c, DisplayP3, 25), [0, 255, 0, 255]);
    // A layer, and a picture of the other space.
    c.begin_layer(crate::context::Filters::default()).unwrap();
    c.set_fill_color("#f00");
    c.fill_rect(30.0, 0.0, 10.0, 10.0);
    c.end_layer().unwrap();
    assert_eq!(read(&c, DisplayP3, 35), [234, 51, 35, 255]);
    let mut narrow = context(40, 10);
    let whole = crate::geometry::RectF::new(0.0, 0.0, 40.0, 10.0);
    narrow.draw_image(c.canvas().bitmap(), whole, whole);
    assert_eq!(read(&narrow, Srgb, 35), [255, 0, 0, 255]);
    let image = c.get_image_data_in(DisplayP3, 10, 0, 1, 1).unwrap();
    c.put_pixels(&image.data, (1, 1, DisplayP3), (0, 5), None);
    assert_eq!(read(&c, DisplayP3, 0), [255, 0, 0, 255]);
}
