//! Glyphs with colours of their own: each format, and each call that can meet them.

use super::Context2d;
use crate::canvas::Canvas;
use crate::paint::CompositeOp;
use crate::text::{FontDescriptors, Fonts};
use proptest::prelude::*;

const LAYERS: &[u8] = include_bytes!("../text/fixtures/layers.ttf");
const PAINTS: &[u8] = include_bytes!("../text/fixtures/paints.ttf");
const SBIX: &[u8] = include_bytes!("../text/fixtures/sbix.ttf");
const CBDT: &[u8] = include_bytes!("../text/fixtures/cbdt.ttf");

fn context(font: Option<&[u8]>) -> Context2d {
    let fonts = match font {
        Some(bytes) => {
            let fonts = Fonts::isolated();
            fonts
                .register("Own", bytes.to_vec(), FontDescriptors::default())
                .unwrap();
            fonts
        }
        None => Fonts::bundled(),
    };
    let mut c = Context2d::with_fonts(Canvas::new(60, 60).unwrap(), fonts);
    c.set_font("40px Own");
    c
}

fn pixel(c: &Context2d, x: i32, y: i32) -> [u8; 4] {
    c.get_image_data(x, y, 1, 1).unwrap().data.try_into().unwrap()
}

#[test]
fn each_format_has_its_colours() {
    let square = |font| {
        let mut c = context(Some(font));
        c.set_fill_color("lime");
        c.fill_text("A", 10.0, 50.0, None);
        c
    };
    let layers = square(LAYERS);
    assert_eq!(pixel(&layers, 20, 30), [255, 0, 0, 255]);
    assert_eq!(pixel(&layers, 40, 30), [0, 255, 0, 255], "the colour of the text");
    let paints = square(PAINTS);
    assert_eq!(pixel(&paints, 20, 30), [0; 4], "what is there twice is away");
    assert_eq!(pixel(&paints, 40, 30), [0, 0, 255, 128]);
    assert_eq!(pixel(&square(SBIX), 40, 30), [0, 160, 0, 255]);
    assert_eq!(pixel(&square(CBDT), 40, 30), [0, 0, 160, 255]);
    for font in [LAYERS, SBIX, CBDT] {
        let c = square(font);
        assert_eq!(pixel(&c, 8, 30)[3], 0);
        assert_eq!(pixel(&c, 30, 52)[3], 0);
        assert!(pixel(&c, 12, 12)[3] == 255 && pixel(&c, 48, 48)[3] == 255);
    }
}

#[test]
fn alpha_shadow_filter_and_operation_see_the_line_whole() {
    let mut c = context(Some(SBIX));
    c.set_fill_color("rgb(1 2 3 / 50%)");
    c.set_global_alpha(0.5);
    c.fill_text("A", 10.0, 50.0, None);
    assert_eq!(pixel(&c, 30, 30), [0, 159, 0, 64]);
    c.reset();
    c.set_font("20px Own");
    c.set_shadow_color("blue");
    c.set_shadow_offset_x(25.0);
    c.fill_text("A", 5.0, 30.0, None);
    assert_eq!(pixel(&c, 15, 20), [0, 160, 0, 255]);
    assert_eq!(pixel(&c, 40, 20), [0, 0, 255, 255]);
    c.reset();
    c.set_font("20px Own");
    c.set_filter("invert(1)");
    c.fill_text("A", 5.0, 30.0, None);
    assert_eq!(pixel(&c, 15, 20), [255, 95, 255, 255]);
    c.reset();
    c.set_font("20px Own");
    c.fill_rect(0.0, 0.0, 15.0, 60.0);
    c.set_composite_op(CompositeOp::SourceIn);
    c.fill_text("A", 5.0, 30.0, None);
    assert_eq!(pixel(&c, 10, 20), [0, 160, 0, 255]);
    assert_eq!(pixel(&c, 20, 20), [0; 4]);
    assert_eq!(pixel(&c, 2, 2), [0; 4], "nothing is left outside");
}

#[test]
fn strokes_draw_them_too_and_measures_know_them() {
    let mut c = context(Some(CBDT));
    c.stroke_text("A", 10.0, 50.0, None);
    assert_eq!(pixel(&c, 30, 30), [0, 0, 160, 255]);
    let m = c.measure_text("A");
    assert_eq!(
        (m.width, m.actual_bounding_box_ascent, m.actual_bounding_box_right),
        (40.0, 40.0, 40.0)
    );
}

#[test]
fn emoji_come_from_the_bundled_font() {
    let mut c = context(None);
    c.set_font("40px Arial");
    let colors = |c: &Context2d| {
        let data = c.get_image_data(0, 0, 60, 60).unwrap().data;
        data.chunks_exact(4)
            .filter(|p| p[3] > 200 && p[0].abs_diff(p[2]) > 60)
            .count()
    };
    for text in ["😀", "❤️", "👩‍🚀", "🇩🇪", "1️⃣", "👍🏽"] {
        c.fill_text(text, 2.0, 45.0, None);
        assert!(colors(&c) > 300, "{text}");
        let width = c.measure_text(text).width;
        assert!((40.0..60.0).contains(&width), "{text}: one picture, {width}");
        c.reset();
        c.set_font("40px Arial");
    }
    c.fill_text("A→#1", 2.0, 45.0, None);
    assert_eq!(colors(&c), 0, "what is text stays text");
    // Larger than what is kept.
    c.set_font("400px Arial");
    c.fill_text("😀", -100.0, 200.0, None);
    assert!(colors(&c) > 1000);
}

#[test]
fn a_kept_glyph_is_drawn_the_same_again() {
    let mut c = context(None);
    c.set_font("20px Arial");
    c.fill_text("🎉", 3.3, 30.0, None);
    let first = c.take_bitmap();
    c.fill_text("🎉", 3.3, 30.0, None);
    assert_eq!(first.data(), c.canvas().bitmap().data());
}

proptest! {
    #![proptest_config(crate::cases::at_least(300))]
    /// Damaged tables are drawn somehow, or not at all.
    #[test]
    fn broken_fonts_do_no_harm(
        which in 0usize..4,
        changes in prop::collection::vec((0usize..1000, any::<u8>()), 1..8),
        size in 1.0f64..500.0,
    ) {
        let mut font = [LAYERS, PAINTS, SBIX, CBDT][which].to_vec();
        for (at, byte) in changes {
            let at = at % font.len();
            font[at] = byte;
        }
        let fonts = Fonts::isolated();
        if fonts.register("Own", font, FontDescriptors::default()).is_ok() {
            let mut c = Context2d::with_fonts(Canvas::new(30, 30).unwrap(), fonts);
            c.set_font(&format!("{size}px Own"));
            c.fill_text("A", 1.0, 25.0, None);
            c.stroke_text("A", 1.0, 25.0, None);
            c.measure_text("A");
        }
    }
}
