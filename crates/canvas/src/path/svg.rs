//! SVG path data for `new Path2D("M…")`.
//!
//! As SVG asks: what stands before an error is kept, the rest is dropped.

use super::{Path, Segment, arcs};
use crate::matrix::{Matrix, Point};

impl Path {
    /// Path2D from SVG path data.
    pub fn from_svg(data: &str) -> Path {
        let mut reader = Reader {
            bytes: data.as_bytes(),
            at: 0,
        };
        let mut pen = Pen::default();
        // `None` ends the data: at its end or at the first error.
        while let Some(command) = reader.command() {
            if pen.first && !command.eq_ignore_ascii_case(&b'm') {
                break;
            }
            pen.first = false;
            if command.eq_ignore_ascii_case(&b'z') {
                pen.close();
            } else if pen.run(command, &mut reader).is_none() {
                break;
            }
        }
        pen.path
    }
}

struct Pen {
    path: Path,
    first: bool,
    at: Point,
    start: Point,
    /// Control point that a following S or T mirrors, and whether it was a cubic one.
    control: Option<(Point, bool)>,
}

impl Default for Pen {
    fn default() -> Self {
        Pen {
            path: Path::new(),
            first: true,
            at: Point::default(),
            start: Point::default(),
            control: None,
        }
    }
}

impl Pen {
    fn close(&mut self) {
        self.path.close_path();
        self.at = self.start;
        self.control = None;
    }

    /// One command letter with all its argument groups; `None` on a syntax error.
    fn run(&mut self, command: u8, reader: &mut Reader) -> Option<()> {
        let relative = command.is_ascii_lowercase();
        let mut kind = command.to_ascii_uppercase();
        loop {
            self.step(kind, relative, reader)?;
            if kind == b'M' {
                kind = b'L';
            }
            if !reader.more_numbers() {
                return Some(());
            }
        }
    }

    fn step(&mut self, kind: u8, relative: bool, reader: &mut Reader) -> Option<()> {
        let base = if relative { self.at } else { Point::default() };
        let mut control = None;
        let end = match kind {
            b'M' | b'L' => reader.point(base)?,
            b'H' => Point::new(reader.number()? + base.x, self.at.y),
            b'V' => Point::new(self.at.x, reader.number()? + base.y),
            b'C' | b'S' => {
                let c1 = if kind == b'C' {
                    reader.point(base)?
                } else {
                    self.mirrored(true)
                };
                let c2 = reader.point(base)?;
                let end = reader.point(base)?;
                control = Some((c2, true));
                self.path.push(Segment::Cubic(c1, c2, end), &Matrix::IDENTITY);
                end
            }
            b'Q' | b'T' => {
                let c = if kind == b'Q' {
                    reader.point(base)?
                } else {
                    self.mirrored(false)
                };
                let end = reader.point(base)?;
                control = Some((c, false));
                self.path.push(Segment::Quad(c, end), &Matrix::IDENTITY);
                end
            }
            b'A' => {
                let radii = Point::new(reader.number()?.abs(), reader.number()?.abs());
                let turn = reader.number()?.to_radians();
                let (large, forward) = (reader.flag()?, reader.flag()?);
                let end = reader.point(base)?;
                self.arc(radii, turn, large, forward, end);
                end
            }
            _ => return None,
        };
        match kind {
            b'M' => {
                self.path.move_to(end.x, end.y);
                self.start = end;
            }
            b'L' | b'H' | b'V' => self.path.line_to(end.x, end.y),
            _ => {}
        }
        self.at = end;
        self.control = control;
        Some(())
    }

    fn mirrored(&self, cubic: bool) -> Point {
        match self.control {
            Some((c, kind)) if kind == cubic => Point::new(2.0 * self.at.x - c.x, 2.0 * self.at.y - c.y),
            _ => self.at,
        }
    }

    /// Endpoint to centre parameters (SVG 2, implementation notes B.2).
    fn arc(&mut self, radii: Point, turn: f64, large: bool, forward: bool, end: Point) {
        let from = self.at;
        if from == end {
            return;
        }
        if radii.x == 0.0 || radii.y == 0.0 {
            self.path.line_to(end.x, end.y);
            return;
        }
        let (sin, cos) = turn.sin_cos();
        let (hx, hy) = ((from.x - end.x) / 2.0, (from.y - end.y) / 2.0);
        let (px, py) = (cos * hx + sin * hy, cos * hy - sin * hx);
        let stretch = ((px / radii.x).powi(2) + (py / radii.y).powi(2)).sqrt().max(1.0);
        let (rx, ry) = (radii.x * stretch, radii.y * stretch);
        let (ux, uy) = (px / rx, py / ry);
        let len2 = ux * ux + uy * uy;
        let mut k = (1.0 / len2 - 1.0).max(0.0).sqrt();
        if large == forward {
            k = -k;
        }
        // On the unit circle: centre (k·uy, -k·ux), start u, end -u.
        let (cx, cy) = (k * uy, -k * ux);
        let start_angle = (uy - cy).atan2(ux - cx);
        let end_angle = (-uy - cy).atan2(-ux - cx);
        let frame = Matrix::translation((from.x + end.x) / 2.0, (from.y + end.y) / 2.0)
            .multiply(Matrix::new(cos, sin, -sin, cos, 0.0, 0.0))
            .multiply(Matrix::scaling(rx, ry))
            .multiply(Matrix::translation(cx, cy));
        let sweep = arcs::sweep(start_angle, end_angle, !forward);
        let mut pieces = arcs::circle_arc(start_angle, sweep).peekable();
        while let Some([c1, c2, p]) = pieces.next() {
            let p = if pieces.peek().is_none() {
                end
            } else {
                frame.apply(p)
            };
            self.path.push(
                Segment::Cubic(frame.apply(c1), frame.apply(c2), p),
                &Matrix::IDENTITY,
            );
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0c)) {
            self.at += 1;
        }
    }

    fn skip_separator(&mut self) {
        self.skip_space();
        if self.peek() == Some(b',') {
            self.at += 1;
            self.skip_space();
        }
    }

    fn command(&mut self) -> Option<u8> {
        self.skip_space();
        let command = self.peek()?;
        self.at += 1;
        command.is_ascii_alphabetic().then_some(command)
    }

    /// Whether another group of arguments follows the same command.
    fn more_numbers(&mut self) -> bool {
        let before = self.at;
        self.skip_separator();
        let more = matches!(self.peek(), Some(b'0'..=b'9' | b'+' | b'-' | b'.'));
        if !more {
            self.at = before;
        }
        more
    }

    fn point(&mut self, base: Point) -> Option<Point> {
        Some(Point::new(self.number()? + base.x, self.number()? + base.y))
    }

    fn flag(&mut self) -> Option<bool> {
        self.skip_separator();
        let flag = match self.peek()? {
            b'0' => false,
            b'1' => true,
            _ => return None,
        };
        self.at += 1;
        Some(flag)
    }

    fn number(&mut self) -> Option<f64> {
        self.skip_separator();
        let start = self.at;
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.at += 1;
        }
        let whole = self.digits();
        let mut part = 0;
        if self.peek() == Some(b'.') && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            part = self.digits();
        }
        if whole + part == 0 {
            return None;
        }
        self.exponent();
        let text = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        text.parse::<f64>().ok().filter(|v| v.is_finite())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn exponent(&mut self) {
        let before = self.at;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                self.at = before;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(data: &str) -> Vec<Segment> {
        Path::from_svg(data).segments().to_vec()
    }

    #[test]
    fn relative_and_repeated_commands() {
        let p = Point::new;
        assert_eq!(
            points("m1 1 2,0v3h-2z"),
            [
                Segment::Move(p(1.0, 1.0)),
                Segment::Line(p(3.0, 1.0)),
                Segment::Line(p(3.0, 4.0)),
                Segment::Line(p(1.0, 4.0)),
                Segment::Close
            ]
        );
        assert_eq!(points("M.5.5-1-1e1")[1], Segment::Line(p(-1.0, -10.0)));
    }

    #[test]
    fn smooth_curves_mirror_only_their_own_kind() {
        let p = Point::new;
        let cubic = points("M0 0C0 10 10 10 10 0S20-10 20 0");
        assert_eq!(
            cubic[2],
            Segment::Cubic(p(10.0, -10.0), p(20.0, -10.0), p(20.0, 0.0))
        );
        let quad = points("M0 0L10 0T20 0");
        assert_eq!(quad[2], Segment::Quad(p(10.0, 0.0), p(20.0, 0.0)));
    }

    #[test]
    fn what_stands_before_an_error_is_kept() {
        assert_eq!(points("L 1 1"), []);
        assert_eq!(points("M1 1 L2 2 L3 x").len(), 2);
        assert_eq!(points("M1 1 ? L2 2").len(), 1);
        assert_eq!(points("M1 1 A5 5 0 2 1 9 9").len(), 1);
    }

    #[test]
    fn arc_flags_need_no_separator_and_the_end_is_exact() {
        let arc = points("M0 0a5 5 0 0110 0");
        let Some(Segment::Cubic(_, _, end)) = arc.last() else {
            panic!("no curve: {arc:?}");
        };
        assert_eq!(*end, Point::new(10.0, 0.0));
        let (min, max) = Path::from_svg("M0 0a5 5 0 0110 0").control_bounds().unwrap();
        assert!(min.y < -4.9 && max.y < 1e-9, "{min:?} {max:?}");
    }
}
