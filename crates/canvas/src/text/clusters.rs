//! A text that was measured, to be looked at and drawn piece by piece: the extended TextMetrics of the
//! proposal "Canvas 2D text clusters". All of it is as the text was when it was measured.
//!
//! Indices are UTF-16 code units of the text, offsets CSS pixels from its alignment point.

use super::shape::plain_spaces;
use super::{Direction, Font, Fonts, Line, TextAlign, TextBaseline, TextOptions, TextStyle, Vertical};
use crate::matrix::Point;
use parley::Layout;
use std::ops::Range;
use std::sync::Arc;

/// A box: x, y, width, height.
pub type TextBox = [f64; 4];

/// What measureText was asked, and with what.
pub struct MeasuredText {
    fonts: Fonts,
    text: String,
    /// UTF-16 code units of it.
    length: usize,
    font: Font,
    direction: Direction,
    options: TextOptions,
    align: TextAlign,
    baseline: TextBaseline,
}

/// What stands for itself: a letter with its marks, an emoji.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextCluster {
    pub start: usize,
    pub end: usize,
    /// Where its alignment point lies.
    pub x: f64,
    pub y: f64,
    pub align: TextAlign,
    pub baseline: TextBaseline,
}

/// A piece of a shaped line, in the order in which it is read.
struct Piece {
    units: Range<usize>,
    x: f64,
    advance: f64,
    rtl: bool,
    /// Of all glyphs of the line.
    glyphs: Range<u32>,
}

impl MeasuredText {
    pub(crate) fn new(
        fonts: &Fonts,
        text: &str,
        style: &TextStyle,
        align: TextAlign,
        baseline: TextBaseline,
    ) -> Self {
        let text = plain_spaces(text).into_owned();
        MeasuredText {
            fonts: fonts.clone(),
            length: text.encode_utf16().count(),
            text,
            font: style.font.clone(),
            direction: style.direction,
            options: style.options.clone(),
            align,
            baseline,
        }
    }

    pub fn length(&self) -> usize {
        self.length
    }

    fn style(&self) -> TextStyle<'_> {
        TextStyle {
            font: &self.font,
            direction: self.direction,
            options: &self.options,
        }
    }

    fn is_rtl(&self) -> bool {
        self.direction == Direction::Rtl
    }

    fn line(&self) -> Arc<Line> {
        Line::shape(&self.fonts, &self.text, &self.style())
    }

    /// From the alignment point to where the line begins.
    fn lead(&self, line: &Line) -> f64 {
        self.align.lead(self.is_rtl(), line.width)
    }

    fn rise(&self, baseline: TextBaseline) -> f64 {
        Vertical::of(&self.fonts, &self.font).rise(baseline)
    }

    /// From left to right as they are drawn.
    fn pieces(&self) -> Vec<Piece> {
        let Some(layout) = Line::layout(&self.fonts, &self.text, &self.style()) else {
            return Vec::new();
        };
        pieces(&self.text, &layout)
    }

    /// The clusters that begin in `units`, in the order of the text. Those of `align` and `baseline` that
    /// are not given are the text's own.
    pub fn clusters(
        &self,
        units: Range<usize>,
        align: Option<TextAlign>,
        baseline: Option<TextBaseline>,
    ) -> Vec<TextCluster> {
        let (align, baseline) = (align.unwrap_or(self.align), baseline.unwrap_or(self.baseline));
        let lead = self.lead(&self.line());
        let y = self.rise(self.baseline) - self.rise(baseline);
        let mut pieces = self.pieces();
        pieces.retain(|piece| units.contains(&piece.units.start));
        pieces.sort_by_key(|piece| piece.units.start);
        let cluster = |piece: Piece| TextCluster {
            start: piece.units.start,
            end: piece.units.end,
            x: lead + piece.x - align.lead(self.is_rtl(), piece.advance),
            y,
            align,
            baseline,
        };
        pieces.into_iter().map(cluster).collect()
    }

    /// One box for each stretch that lies together; one without width where nothing is selected.
    pub fn selection(&self, units: Range<usize>) -> Vec<TextBox> {
        let vertical = Vertical::of(&self.fonts, &self.font);
        let rise = vertical.rise(self.baseline);
        let (y, height) = (rise - vertical.ascent, vertical.ascent + vertical.descent);
        let lead = self.lead(&self.line());
        let pieces = self.pieces();
        if units.start >= units.end {
            let x = lead + caret(&pieces, units.start, self.is_rtl());
            return vec![[x, y, 0.0, height]];
        }
        let mut boxes: Vec<TextBox> = Vec::new();
        let mut joined = false;
        for piece in &pieces {
            if piece.units.start >= units.end || piece.units.end <= units.start {
                joined = false;
                continue;
            }
            match boxes.last_mut().filter(|_| joined) {
                Some(last) => last[2] += piece.advance,
                None => boxes.push([lead + piece.x, y, piece.advance, height]),
            }
            joined = true;
        }
        boxes
    }

    /// The box of what is drawn of a part; nothing where nothing is.
    pub fn ink(&self, units: Range<usize>) -> TextBox {
        let line = self.line();
        let wanted = |piece: &Piece| piece.units.start < units.end && piece.units.end > units.start;
        let glyphs: Vec<Range<u32>> = self
            .pieces()
            .iter()
            .filter(|piece| wanted(piece))
            .map(|piece| piece.glyphs.clone())
            .collect();
        let part = line.part(|glyph| glyphs.iter().any(|range| range.contains(&glyph)));
        let (lead, rise) = (self.lead(&line), self.rise(self.baseline));
        part.ink().map_or([0.0; 4], |(min, max)| {
            [min.x + lead, min.y + rise, max.x - min.x, max.y - min.y]
        })
    }

    /// Before which code unit a caret stands that is put there.
    pub fn index_at(&self, offset: f64) -> usize {
        let x = offset - self.lead(&self.line());
        let pieces = self.pieces();
        let Some(last) = pieces.last() else { return 0 };
        let at = pieces
            .iter()
            .find(|piece| x <= piece.x + piece.advance)
            .unwrap_or(last);
        let right_half = x > at.x + at.advance / 2.0;
        match right_half == at.rtl {
            true => at.units.start,
            false => at.units.end,
        }
    }

    /// The glyphs of the cluster that begins at `start`, and where their line begins when the cluster is
    /// drawn: `at` is given by the script, `offset` lies between it and the cluster's alignment point.
    pub(crate) fn part(
        &self,
        start: usize,
        (at, offset): (Point, Point),
        align: TextAlign,
        baseline: TextBaseline,
    ) -> Option<(Line, Point)> {
        let line = self.line();
        let piece = self
            .pieces()
            .into_iter()
            .find(|piece| piece.units.start == start)?;
        let lead = self.lead(&line);
        // Zero for a cluster as it was given, so that it lies just where the whole text has it.
        let moved = offset.x - (lead + piece.x - align.lead(self.is_rtl(), piece.advance));
        let (own, wanted) = (self.rise(self.baseline), self.rise(baseline));
        let lowered = offset.y - (own - wanted);
        let origin = Point::new(at.x + lead + moved, at.y + own + lowered);
        Some((line.part(|glyph| piece.glyphs.contains(&glyph)), origin))
    }
}

/// Where a caret before `unit` stands in the line.
fn caret(pieces: &[Piece], unit: usize, rtl: bool) -> f64 {
    let at = pieces.iter().find(|piece| piece.units.contains(&unit));
    let end = || pieces.last().map_or(0.0, |last| last.x + last.advance);
    match at {
        Some(piece) if piece.rtl => piece.x + piece.advance,
        Some(piece) => piece.x,
        None if rtl => 0.0,
        None => end(),
    }
}

fn pieces(text: &str, layout: &Layout<()>) -> Vec<Piece> {
    let mut units_at = vec![0; text.len() + 1];
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units_at[at] = units;
        units += c.len_utf16();
    }
    units_at[text.len()] = units;
    let (mut pieces, mut x, mut glyphs) = (Vec::new(), 0.0, 0);
    for run in layout.lines().flat_map(|line| line.runs().collect::<Vec<_>>()) {
        for cluster in run.visual_clusters() {
            let bytes = cluster.text_range();
            let advance = f64::from(Some(cluster.advance()).filter(|v| v.is_finite()).unwrap_or(0.0));
            let count = u32::try_from(cluster.glyphs().count()).unwrap_or(u32::MAX);
            pieces.push(Piece {
                units: units_at[bytes.start]..units_at[bytes.end],
                x,
                advance,
                rtl: cluster.is_rtl(),
                glyphs: glyphs..glyphs + count,
            });
            x += advance;
            glyphs += count;
        }
    }
    pieces
}
