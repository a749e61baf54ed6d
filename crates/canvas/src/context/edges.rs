//! How good edges are: the coverage of curves and hairlines beside that of 16x16 samples a pixel,
//! and how good four lines a pixel would be, which is what tiny-skia's own rasteriser does.

use super::Context2d;
use crate::canvas::Canvas;
use crate::matrix::Point;
use crate::path::{FillRule, Winding};
use crate::stroke::Outline;

const SIDE: u32 = 40;

/// Mean and worst error of the pixels that are covered in part, 0..=1.
fn errors(coverage: impl Fn(u32, u32) -> f64, truth: &[f64]) -> (f64, f64) {
    let partly = truth.iter().enumerate().filter(|(_, t)| **t > 0.0 && **t < 1.0);
    let errors: Vec<f64> = partly
        .map(|(i, t)| (coverage(i as u32 % SIDE, i as u32 / SIDE) - t).abs())
        .collect();
    assert!(errors.len() > 30, "there are edges");
    let worst = errors.iter().copied().fold(0.0, f64::max);
    (errors.iter().sum::<f64>() / errors.len() as f64, worst)
}

/// The covered part of every pixel by `across`x`down` samples.
fn sampled(inside: impl Fn(f64, f64) -> bool, across: u32, down: u32) -> Vec<f64> {
    let hits = |px: u32, py: u32| {
        let at = |p: u32, i: u32, n: u32| f64::from(p) + (f64::from(i) + 0.5) / f64::from(n);
        let samples =
            (0..across * down).filter(|i| inside(at(px, i % across, across), at(py, i / across, down)));
        samples.count() as f64 / f64::from(across * down)
    };
    (0..SIDE * SIDE).map(|i| hits(i % SIDE, i / SIDE)).collect()
}

fn judge(name: &str, path: impl Fn(&mut Context2d), width: Option<f64>) {
    let mut context = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
    path(&mut context);
    match width {
        Some(width) => {
            context.set_line_width(width);
            context.stroke();
        }
        None => context.fill(FillRule::NonZero),
    }
    // The outline is made once; what a point is asked is what isPointInPath and -Stroke ask.
    let mut outline: Vec<(Point, Point)> = Vec::new();
    let state = &context.state;
    match width {
        Some(_) => Outline::new(&context.path, &state.ctm, &state.line, state.clip.rect)
            .unwrap()
            .for_each_line(|a, b| outline.push((a, b))),
        None => context.path.for_each_fill_line(|a, b| outline.push((a, b))),
    }
    let inside = |x: f64, y: f64| {
        let mut winding = Winding::new(Point::new(x, y));
        outline.iter().for_each(|(a, b)| winding.line(*a, *b));
        winding.contains(FillRule::NonZero)
    };
    let truth = sampled(inside, 16, 16);
    let bitmap = context.canvas().bitmap();
    let ours = errors(|x, y| f64::from(bitmap.row(y, x, x + 1)[3]) / 255.0, &truth);
    let four = sampled(inside, 16, 4);
    let four = errors(|x, y| four[(y * SIDE + x) as usize], &truth);
    // Where two edges cross inside a pixel, areas of opposite turns cancel: such pixels are few.
    assert!(ours.0 < 0.012 && ours.1 < 0.3, "{name}: mean and worst {ours:?}");
    assert!(ours.0 < four.0, "{name}: {ours:?}, four lines a pixel {four:?}");
}

#[test]
fn edges_are_those_of_256_samples_a_pixel() {
    let circle = |c: &mut Context2d| c.arc(19.3, 20.6, 15.2, 0.0, 7.0, false).unwrap();
    let slanted = |c: &mut Context2d| {
        c.move_to(3.1, 4.4);
        c.line_to(36.2, 9.7);
        c.line_to(12.5, 37.0);
    };
    let curve = |c: &mut Context2d| {
        c.move_to(2.0, 30.0);
        c.bezier_curve_to(10.0, -20.0, 28.0, 60.0, 38.0, 6.0);
    };
    judge("disc", circle, None);
    judge("triangle", slanted, None);
    judge("curve", curve, None);
    judge("ring", circle, Some(3.0));
    judge("hairline", slanted, Some(0.3));
    judge("thin curve", curve, Some(1.0));
}
