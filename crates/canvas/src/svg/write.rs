//! Numbers and paths as SVG has them.

use crate::matrix::{Matrix, Point};
use crate::path::{Path, Segment};

/// Device coordinates beyond this are not said: viewers count in f32.
pub(crate) const FAR: f64 = 1e6;

/// A coordinate in thousandths of a pixel.
fn coordinate(out: &mut String, value: f64) {
    let thousandths = (value.clamp(-FAR, FAR) * 1000.0).round() as i64;
    if thousandths < 0 {
        out.push('-');
    }
    let thousandths = thousandths.unsigned_abs();
    out.push_str(&(thousandths / 1000).to_string());
    if !thousandths.is_multiple_of(1000) {
        let part = format!(".{:03}", thousandths % 1000);
        out.push_str(part.trim_end_matches('0'));
    }
}

/// A number in the precision of viewers; what is no number is nothing.
pub(crate) fn number(value: f64) -> String {
    let value = value as f32;
    if value.is_finite() {
        value.to_string()
    } else {
        "0".to_owned()
    }
}

/// ` name="0.5"`, or nothing for one.
pub(crate) fn opacity_attribute(name: &str, value: f64) -> String {
    match value < 1.0 {
        true => format!(" {name}=\"{}\"", number(value)),
        false => String::new(),
    }
}

/// ` name="matrix(…)"`, or nothing for the identity.
pub(crate) fn transform_attribute(name: &str, m: &Matrix) -> String {
    if *m == Matrix::IDENTITY {
        return String::new();
    }
    let numbers = [m.a, m.b, m.c, m.d, m.e, m.f].map(number);
    format!(" {name}=\"matrix({})\"", numbers.join(" "))
}

/// The steps of a path, without those of no length, which canvases do not draw and SVG does.
/// `None` for what is so far away that it cannot be said; only lines along the axes can be cut.
pub(crate) fn path_data(path: &Path) -> Option<String> {
    let far = |p: Point| p.x.abs() > FAR || p.y.abs() > FAR;
    let (min, max) = path.control_bounds().unwrap_or_default();
    if (far(min) || far(max)) && !is_upright(path) {
        return None;
    }
    let mut out = String::new();
    let mut step = |letter: char, points: &[Point]| {
        out.push(letter);
        for (at, p) in points.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            coordinate(&mut out, p.x);
            out.push(' ');
            coordinate(&mut out, p.y);
        }
    };
    let (mut last, mut pending) = (Point::default(), None);
    for segment in path.segments() {
        let (letter, points, count) = match *segment {
            Segment::Move(p) => {
                (last, pending) = (p, Some(p));
                continue;
            }
            Segment::Close => {
                if pending.is_none() {
                    step('Z', &[]);
                }
                continue;
            }
            Segment::Line(p) => ('L', [p, p, p], 1),
            Segment::Quad(c, p) => ('Q', [c, p, p], 2),
            Segment::Cubic(c1, c2, p) => ('C', [c1, c2, p], 3),
        };
        if points.iter().all(|p| *p == last) {
            continue;
        }
        if let Some(start) = pending.take() {
            step('M', &[start]);
        }
        step(letter, &points[..count]);
        last = points[2];
    }
    Some(out)
}

/// Nothing but lines along the axes: what of them is far away can be cut off.
fn is_upright(path: &Path) -> bool {
    let mut last = Point::default();
    path.segments().iter().all(|segment| match *segment {
        Segment::Move(p) => {
            last = p;
            true
        }
        Segment::Line(p) => {
            let along = p.x == last.x || p.y == last.y;
            last = p;
            along
        }
        Segment::Close => true,
        Segment::Quad(..) | Segment::Cubic(..) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_absurd() {
        let of = |value| {
            let mut out = String::new();
            coordinate(&mut out, value);
            out
        };
        assert_eq!(
            [of(1.0), of(-0.5), of(1.0004), of(-1e300), of(-0.0001)],
            ["1", "-0.5", "1", "-1000000", "0"]
        );
        assert_eq!([number(0.1), number(f64::NAN), number(1e300)], ["0.1", "0", "0"]);
    }

    #[test]
    fn steps_of_no_length_and_far_curves_are_not_said() {
        let data = |svg: &str| path_data(&Path::from_svg(svg));
        assert_eq!(data("M1 2L1 2L3 4Z").as_deref(), Some("M1 2L3 4Z"));
        assert_eq!(data("M1 2L1 2Z").as_deref(), Some(""));
        assert_eq!(data("M0 0L1e9 1e9"), None);
        assert_eq!(data("M0 0H1e9V5").as_deref(), Some("M0 0L1000000 0L1000000 5"));
    }
}
