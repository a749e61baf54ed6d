//! Text calls: anchors, limits, fallback, fonts that come later.

use super::Context2d;
use crate::canvas::Canvas;
use crate::text::{Direction, FontDescriptors, FontStretch, FontVariantCaps, Fonts, TextAlign, TextBaseline};

fn context(width: u32, height: u32) -> Context2d {
    Context2d::new(Canvas::new(width, height).unwrap())
}

#[test]
fn text_is_anchored_by_align_and_baseline() {
    let mut c = context(100, 50);
    c.set_font("20px Arial");
    let plain = c.measure_text("Hi");
    assert!(plain.actual_bounding_box_left < 0.0 && plain.actual_bounding_box_ascent > 13.0);
    assert!(plain.actual_bounding_box_descent.abs() < 0.5);
    c.set_text_align(TextAlign::Right);
    let right = c.measure_text("Hi");
    assert!((right.actual_bounding_box_left - plain.width - plain.actual_bounding_box_left).abs() < 1e-9);
    c.set_direction(Direction::Rtl);
    c.set_text_align(TextAlign::Start);
    assert_eq!(
        c.measure_text("Hi").actual_bounding_box_left,
        right.actual_bounding_box_left
    );
    c.set_text_baseline(TextBaseline::Top);
    let top = c.measure_text("Hi");
    assert!(top.font_bounding_box_ascent < plain.font_bounding_box_ascent);
    assert!((top.em_height_ascent).abs() < 1e-9 && (top.em_height_descent - 20.0).abs() < 1e-9);
    assert!((top.alphabetic_baseline + plain.em_height_ascent).abs() < 1e-9);
}

#[test]
fn narrow_limits_condense_text() {
    let mut c = context(200, 50);
    c.set_font("40px Arial");
    c.fill_text("WWWW", 0.0, 40.0, Some(50.0));
    let right = c.get_image_data(51, 0, 149, 50).unwrap().data;
    assert!(right.chunks_exact(4).all(|p| p[3] == 0));
    assert!(
        c.get_image_data(0, 0, 50, 50)
            .unwrap()
            .data
            .chunks_exact(4)
            .any(|p| p[3] > 200)
    );
    let before = c.canvas().snapshot();
    for none in [0.0, -1.0, f64::NAN] {
        c.fill_text("WWWW", 100.0, 40.0, Some(none));
    }
    assert_eq!(c.canvas().bitmap(), &before);
}

#[test]
fn chinese_falls_back_to_the_bundled_face_in_every_family() {
    for font in [
        "20px Arial",
        "bold 20px serif",
        "20px monospace",
        "italic 20px Unheard",
    ] {
        let mut c = context(100, 50);
        assert!(c.set_font(font));
        // 饕 and 餮 are of level 2, which the bold face does not have.
        let m = c.measure_text("中文饕餮");
        assert!((m.width - 80.0).abs() < 0.01, "{font}: {}", m.width);
        c.fill_text("中文饕餮", 10.0, 35.0, None);
        let ink = |x: i32| {
            let data = c.get_image_data(x, 15, 20, 25).unwrap().data;
            data.chunks_exact(4).filter(|p| p[3] > 100).count()
        };
        for x in [10, 30, 50, 70] {
            assert!((60..330).contains(&ink(x)), "{font}: {} at {x}", ink(x));
        }
    }
}

#[test]
fn all_white_space_is_a_plain_space() {
    let mut c = context(1, 1);
    let one = c.measure_text("a b").width;
    for text in ["a\tb", "a\nb", "a\u{c}b", "a\rb", "a\u{2028}b"] {
        assert_eq!(c.measure_text(text).width, one, "{text:?}");
    }
    assert!(c.measure_text("a ").width > c.measure_text("a").width);
    assert_eq!(c.measure_text("").width, 0.0);
}

#[test]
fn a_font_registered_later_changes_known_text() {
    let fonts = Fonts::isolated();
    let mut c = Context2d::with_fonts(Canvas::new(1, 1).unwrap(), fonts.clone());
    c.set_font("20px Mine, serif");
    let before = c.measure_text("iiii");
    let mono = include_bytes!("../../../../resources/fonts/Cousine-Regular.subset.ttf");
    fonts
        .register("Mine", mono.to_vec(), FontDescriptors::default())
        .unwrap();
    let after = c.measure_text("iiii");
    assert!(
        after.width > before.width + 10.0,
        "{} {}",
        before.width,
        after.width
    );
    assert_ne!(after.font_bounding_box_ascent, before.font_bounding_box_ascent);
}

/// As in CSS, where the shorthand sets them too.
#[test]
fn a_font_says_capitals_and_width_as_well() {
    let mut c = context(10, 10);
    c.set_font("20px Arial");
    c.set_font_variant_caps(FontVariantCaps::SmallCaps);
    c.set_font_stretch(FontStretch::Condensed);
    assert_eq!(c.font(), "small-caps condensed 20px Arial");
    assert!(!c.set_font("no font"));
    assert_eq!(c.font_variant_caps(), FontVariantCaps::SmallCaps);
    c.set_font("21px Arial");
    assert_eq!(c.font_variant_caps(), FontVariantCaps::Normal);
    assert_eq!(c.font_stretch(), FontStretch::Normal);
    c.set_font("small-caps expanded 21px Arial");
    assert_eq!(c.font_variant_caps(), FontVariantCaps::SmallCaps);
    assert_eq!(c.font_stretch(), FontStretch::Expanded);
    c.set_font_variant_caps(FontVariantCaps::Normal);
    c.set_font_stretch(FontStretch::Normal);
    assert_eq!(c.font(), "21px Arial");
}
