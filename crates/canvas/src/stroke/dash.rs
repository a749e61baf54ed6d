//! Dashes along polylines. Lines far outside of the picture only move the phase on, so the
//! work is bounded by what can be seen.

use super::Pen;
use crate::matrix::Point;

/// More visible dashes than this in one stroke are drawn as a solid line.
const MAX_DASHES: usize = 1 << 17;
/// Shortest dash that still has a direction after rounding to f32, in pixels.
const DOT: f64 = 0.02;

/// Lengths of ink and gap by turns, in pen space.
pub(super) struct Pattern {
    lengths: Vec<f64>,
    total: f64,
    offset: f64,
}

impl Pattern {
    /// `None` for a solid line.
    pub fn new(dash: &[f64], offset: f64, unit: f64) -> Option<Pattern> {
        let lengths: Vec<f64> = dash.iter().map(|d| d * unit).collect();
        let total: f64 = lengths.iter().sum();
        let usable = total > 0.0 && total.is_finite();
        let offset = (offset * unit).rem_euclid(total);
        usable.then(|| Pattern { lengths, total, offset: if offset.is_finite() { offset } else { 0.0 } })
    }
}

/// Where in the pattern a line is.
#[derive(Clone, Copy)]
struct Phase {
    index: usize,
    left: f64,
}

pub(super) struct Tracer<'a> {
    pattern: Option<Pattern>,
    guard: &'a [f64; 4],
    pen: &'a Pen,
    out: tiny_skia::PathBuilder,
    piece: Vec<Point>,
    dashes: usize,
}

impl<'a> Tracer<'a> {
    pub fn new(pattern: Option<Pattern>, guard: &'a [f64; 4], pen: &'a Pen) -> Self {
        let out = tiny_skia::PathBuilder::new();
        Tracer { pattern, guard, pen, out, piece: Vec::new(), dashes: 0 }
    }

    pub fn finish(self) -> Option<tiny_skia::Path> {
        self.out.finish()
    }

    /// Follows one subpath given in device space.
    pub fn follow(&mut self, points: &[Point], closed: bool) {
        let mut phase = self.phase(0.0);
        let mut first: Option<Vec<Point>> = None;
        let starts_inked = phase.index % 2 == 0;
        let mut unbroken = true;
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let (pa, pb) = (self.pen.from_device.apply(a), self.pen.from_device.apply(b));
            let length = (pb.x - pa.x).hypot(pb.y - pa.y);
            let seen = visible(a, b, self.guard);
            let Some((t0, t1)) = seen.filter(|_| length > 0.0) else {
                self.end_piece(&mut first, &mut unbroken);
                phase = self.advance(phase, length);
                continue;
            };
            if t0 > 0.0 {
                self.end_piece(&mut first, &mut unbroken);
                phase = self.advance(phase, length * t0);
            }
            let span = Span { from: pa, to: pb, length };
            phase = self.walk(&span, t0 * length, t1 * length, phase, &mut first, &mut unbroken);
            if t1 < 1.0 {
                self.end_piece(&mut first, &mut unbroken);
                phase = self.advance(phase, length * (1.0 - t1));
            }
        }
        self.close(closed && starts_inked, unbroken, first);
    }

    /// Ends a subpath; in a closed one, ink at its end runs on into ink at its start.
    fn close(&mut self, joins: bool, unbroken: bool, first: Option<Vec<Point>>) {
        if unbroken && first.is_none() {
            let piece = std::mem::take(&mut self.piece);
            self.emit(&piece, joins);
            return;
        }
        let mut last = std::mem::take(&mut self.piece);
        match first {
            Some(first) if joins && last.last() == first.first() => {
                last.extend_from_slice(&first[1..]);
                self.emit(&last, false);
            }
            first => {
                self.emit(&last, false);
                self.emit(first.as_deref().unwrap_or_default(), false);
            }
        }
    }

    fn walk(
        &mut self,
        span: &Span,
        from: f64,
        to: f64,
        mut phase: Phase,
        first: &mut Option<Vec<Point>>,
        unbroken: &mut bool,
    ) -> Phase {
        let mut at = from;
        loop {
            let solid = self.pattern.is_none() || self.dashes > MAX_DASHES;
            let end = if solid { to } else { (at + phase.left).min(to) };
            if solid || phase.index % 2 == 0 {
                if self.piece.is_empty() {
                    self.piece.push(span.at(at));
                }
                // A dash of no length still wants its caps.
                let dot = if end == at && !solid { DOT } else { 0.0 };
                self.piece.push(span.at(end + dot));
            }
            if solid {
                return phase;
            }
            phase.left -= end - at;
            at = end;
            if at >= to && phase.left > 0.0 {
                return phase;
            }
            if phase.left <= 0.0 {
                self.end_piece(first, unbroken);
                self.dashes += 1;
                phase = self.next(phase);
            }
            if at >= to {
                return phase;
            }
        }
    }

    fn next(&self, phase: Phase) -> Phase {
        match &self.pattern {
            None => phase,
            Some(pattern) => {
                let index = (phase.index + 1) % pattern.lengths.len();
                Phase { index, left: pattern.lengths[index] }
            }
        }
    }

    /// The phase after `distance` from the beginning of the pattern with its offset.
    fn phase(&self, distance: f64) -> Phase {
        let Some(pattern) = &self.pattern else {
            return Phase { index: 0, left: f64::INFINITY };
        };
        let mut rest = (pattern.offset + distance).rem_euclid(pattern.total);
        if !rest.is_finite() {
            rest = 0.0;
        }
        for (index, &length) in pattern.lengths.iter().enumerate() {
            if rest < length {
                return Phase { index, left: length - rest };
            }
            rest -= length;
        }
        Phase { index: 0, left: pattern.lengths[0] }
    }

    fn advance(&self, phase: Phase, distance: f64) -> Phase {
        match &self.pattern {
            None => phase,
            Some(pattern) => {
                let before: f64 = pattern.lengths[..phase.index].iter().sum();
                let done = before + pattern.lengths[phase.index] - phase.left;
                self.phase(done - pattern.offset + distance)
            }
        }
    }

    /// The first piece waits: the last one may run into it.
    fn end_piece(&mut self, first: &mut Option<Vec<Point>>, unbroken: &mut bool) {
        if *unbroken {
            *unbroken = false;
            *first = Some(std::mem::take(&mut self.piece));
            return;
        }
        let piece = std::mem::take(&mut self.piece);
        self.emit(&piece, false);
        self.piece = piece;
        self.piece.clear();
    }

    fn emit(&mut self, piece: &[Point], closed: bool) {
        let [start, rest @ ..] = piece else {
            return;
        };
        if rest.is_empty() {
            return;
        }
        self.out.move_to(start.x as f32, start.y as f32);
        for p in rest {
            self.out.line_to(p.x as f32, p.y as f32);
        }
        if closed {
            self.out.close();
        }
    }
}

/// A line in pen space.
struct Span {
    from: Point,
    to: Point,
    length: f64,
}

impl Span {
    fn at(&self, distance: f64) -> Point {
        if distance == self.length { self.to } else { self.from.lerp(self.to, distance / self.length) }
    }
}

/// The part of a line inside the guard, as parameters.
fn visible(a: Point, b: Point, [x0, y0, x1, y1]: &[f64; 4]) -> Option<(f64, f64)> {
    let (mut t0, mut t1) = (0.0f64, 1.0f64);
    for (from, to, low, high) in [(a.x, b.x, x0, x1), (a.y, b.y, y0, y1)] {
        let delta = to - from;
        if delta == 0.0 {
            if from < *low || from > *high {
                return None;
            }
            continue;
        }
        let (u, v) = ((low - from) / delta, (high - from) / delta);
        t0 = t0.max(u.min(v));
        t1 = t1.min(u.max(v));
    }
    (t0 <= t1).then_some((t0, t1))
}

#[cfg(test)]
mod tests {
    use super::super::{LineCap, Outline, StrokeStyle};
    use crate::geometry::IRect;
    use crate::matrix::Matrix;
    use crate::path::{FillRule, Path, winding_contains};

    fn inked(path: &Path, style: &StrokeStyle, x: f64, y: f64) -> bool {
        Outline::new(path, &Matrix::IDENTITY, style, IRect::new(0, 0, 100, 100)).is_some_and(|outline| {
            winding_contains(&outline.to_path(), crate::matrix::Point::new(x, y), FillRule::NonZero)
        })
    }

    fn dashed(dash: &[f64], offset: f64) -> StrokeStyle {
        StrokeStyle { width: 4.0, dash: dash.to_vec(), dash_offset: offset, ..StrokeStyle::default() }
    }

    fn horizontal(x0: f64) -> Path {
        let mut path = Path::new();
        path.move_to(x0, 50.0);
        path.line_to(90.0, 50.0);
        path
    }

    #[test]
    fn ink_and_gaps_take_turns_from_the_offset() {
        let path = horizontal(10.0);
        let at = |style: &StrokeStyle| [12.0, 22.0, 32.0].map(|x| inked(&path, style, x, 50.0));
        assert_eq!(at(&dashed(&[10.0, 10.0], 0.0)), [true, false, true]);
        assert_eq!(at(&dashed(&[10.0, 10.0], 10.0)), [false, true, false]);
        assert_eq!(at(&dashed(&[10.0, 10.0], -10.0)), [false, true, false]);
        assert_eq!(at(&dashed(&[0.0, 0.0], 0.0)), [true, true, true]);
    }

    #[test]
    fn the_phase_survives_a_far_start() {
        let style = dashed(&[10.0, 10.0], 0.0);
        for far in [-1e5, -1e9] {
            let path = horizontal(far + 10.0);
            assert_eq!([12.0, 22.0, 32.0].map(|x| inked(&path, &style, x, 50.0)), [true, false, true]);
        }
    }

    #[test]
    fn dashes_without_length_leave_dots() {
        let style = StrokeStyle { cap: LineCap::Round, ..dashed(&[0.0, 20.0], 0.0) };
        let path = horizontal(10.0);
        assert_eq!([10.0, 20.0, 30.0].map(|x| inked(&path, &style, x, 51.0)), [true, false, true]);
    }

    #[test]
    fn ink_runs_through_the_seam_of_a_closed_path() {
        let mut path = Path::new();
        path.rect(20.0, 20.0, 40.0, 40.0);
        // 160 around: ink 0..10 and 150..160, joined by a miter at the corner.
        let style = dashed(&[10.0, 140.0, 10.0, 0.0], 0.0);
        assert!(inked(&path, &style, 18.5, 18.5));
        let mut open = Path::new();
        for (i, (x, y)) in [(20.0, 20.0), (60.0, 20.0), (60.0, 60.0), (20.0, 60.0), (20.0, 20.0)].iter().enumerate() {
            if i == 0 { open.move_to(*x, *y) } else { open.line_to(*x, *y) }
        }
        assert!(!inked(&open, &style, 18.5, 18.5));
    }

    #[test]
    fn millions_of_dashes_are_bounded() {
        assert!(inked(&horizontal(-1e30), &dashed(&[1e-9, 1e-9], 0.0), 50.0, 50.0));
    }
}
