//! The seven drawing scenes of the canvas design as pixel assertions.

use super::Context2d;
use crate::canvas::Canvas;
use crate::encode::{Format, encode};
use crate::path::FillRule;
use std::f64::consts::TAU;

fn context(width: u32, height: u32) -> Context2d {
    Context2d::new(Canvas::new(width, height).unwrap())
}

/// Straight RGBA of one pixel.
fn at(context: &Context2d, x: i32, y: i32) -> [u8; 4] {
    let data = context.get_image_data(x, y, 1, 1).unwrap().data;
    [data[0], data[1], data[2], data[3]]
}

/// Pixels with more than faint ink in a box.
fn ink(context: &Context2d, x: i32, y: i32, w: i32, h: i32) -> usize {
    let data = context.get_image_data(x, y, w, h).unwrap().data;
    data.chunks_exact(4).filter(|p| p[3] > 40).count()
}

const CLEAR: [u8; 4] = [0; 4];

#[test]
fn rectangles() {
    let mut c = context(200, 200);
    c.set_fill_color("red");
    c.fill_rect(10.0, 10.0, 100.0, 100.0);
    c.set_stroke_color("blue");
    c.stroke_rect(130.0, 10.0, 50.0, 50.0);
    assert_eq!(at(&c, 10, 10), [255, 0, 0, 255]);
    assert_eq!(at(&c, 109, 109), [255, 0, 0, 255]);
    assert_eq!([at(&c, 9, 50), at(&c, 110, 50), at(&c, 50, 110)], [CLEAR; 3]);
    // A one pixel line on a pixel border covers half of both rows.
    assert_eq!([at(&c, 150, 9), at(&c, 150, 10)], [[0, 0, 255, 128]; 2]);
    assert_eq!(at(&c, 150, 30), CLEAR);
}

#[test]
fn circle() {
    let mut c = context(200, 200);
    c.set_fill_color("blue");
    c.begin_path();
    c.arc(100.0, 100.0, 50.0, 0.0, TAU, false).unwrap();
    c.fill(FillRule::NonZero);
    for (x, y) in [(100, 100), (51, 100), (148, 100), (100, 51), (100, 148), (66, 66)] {
        assert_eq!(at(&c, x, y), [0, 0, 255, 255], "{x},{y}");
    }
    for (x, y) in [(48, 100), (151, 100), (62, 62), (10, 10)] {
        assert_eq!(at(&c, x, y), CLEAR, "{x},{y}");
    }
    let data = c.get_image_data(0, 0, 200, 200).unwrap().data;
    let area: f64 = data.chunks_exact(4).map(|p| f64::from(p[3]) / 255.0).sum();
    assert!((area - std::f64::consts::PI * 2500.0).abs() < 8.0, "{area}");
}

#[test]
fn text() {
    let mut c = context(300, 100);
    assert!(c.set_font("20px Arial"));
    c.set_fill_color("black");
    c.fill_text("Hello Canvas", 50.0, 50.0, None);
    let width = c.measure_text("Hello Canvas").width;
    assert!((width - 120.0).abs() < 5.0, "{width}");
    assert!(ink(&c, 50, 35, 120, 16) > 300);
    assert_eq!(ink(&c, 0, 0, 48, 100) + ink(&c, 180, 0, 120, 100), 0);
    assert_eq!(ink(&c, 0, 0, 300, 33) + ink(&c, 0, 57, 300, 43), 0);
    // The stem of the H is solid.
    let darkest = (51..55).map(|x| at(&c, x, 43)[3]).max();
    assert!(darkest > Some(200), "{darkest:?}");
}

#[test]
fn path() {
    let mut c = context(200, 200);
    c.set_stroke_color("green");
    c.set_line_width(2.0);
    c.begin_path();
    c.move_to(10.0, 10.0);
    c.line_to(190.0, 190.0);
    c.stroke();
    for i in [12, 60, 100, 188] {
        let p = at(&c, i, i);
        assert_eq!(p[..3], [0, 128, 0], "{i}");
        assert!(p[3] > 200, "{i}: {p:?}");
    }
    assert_eq!([at(&c, 100, 104), at(&c, 8, 8), at(&c, 192, 192)], [CLEAR; 3]);
}

#[test]
fn complex() {
    let mut c = context(400, 300);
    c.set_fill_color("lightgray");
    c.fill_rect(0.0, 0.0, 400.0, 300.0);
    c.set_fill_color("red");
    c.fill_rect(50.0, 50.0, 100.0, 100.0);
    c.set_fill_color("blue");
    c.begin_path();
    c.arc(250.0, 150.0, 50.0, 0.0, TAU, false).unwrap();
    c.fill(FillRule::NonZero);
    c.set_fill_color("black");
    c.set_font("16px Arial");
    c.fill_text("Complex Drawing", 100.0, 250.0, None);
    assert_eq!(at(&c, 5, 5), [211, 211, 211, 255]);
    assert_eq!(at(&c, 100, 100), [255, 0, 0, 255]);
    assert_eq!(at(&c, 250, 150), [0, 0, 255, 255]);
    let data = c.get_image_data(100, 238, 120, 13).unwrap().data;
    assert!(data.chunks_exact(4).filter(|p| p[0] < 60).count() > 150);
}

#[test]
fn colours_and_alpha() {
    let mut c = context(200, 200);
    c.set_fill_color("rgba(255, 0, 0, 0.5)");
    c.fill_rect(50.0, 50.0, 100.0, 100.0);
    c.set_stroke_color("#00FF00");
    c.set_line_width(3.0);
    c.stroke_rect(10.0, 10.0, 180.0, 180.0);
    assert_eq!(at(&c, 100, 100), [255, 0, 0, 128]);
    assert_eq!(at(&c, 10, 100), [0, 255, 0, 255]);
    assert_eq!(at(&c, 8, 100), [0, 255, 0, 128]);
    assert_eq!(at(&c, 12, 100), CLEAR);
    // A sharp corner: the miter reaches its square's end.
    assert_eq!(at(&c, 9, 9), [0, 255, 0, 255]);
}

#[test]
fn png() {
    let mut c = context(100, 100);
    c.set_fill_color("white");
    c.fill_rect(0.0, 0.0, 100.0, 100.0);
    let bytes = encode(c.canvas().bitmap(), Format::Png).unwrap();
    assert_eq!(bytes[..8], [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a]);
    assert!(bytes.len() > 60 && bytes.len() < 4000, "{}", bytes.len());
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (100, 100));
    assert!(pixels.iter().all(|v| *v == 255));
}
