//! Lines into signed areas: what each leaves in the cells of the rows that it crosses.

use super::{BLOCK, Line};
use crate::wide::wide;

/// Cells of a row behind its last pixel, for what lies on its right border.
pub(super) const BEYOND: usize = 3;

/// The accumulators of a band.
pub(super) struct Grid<'a> {
    pub cells: &'a mut [f32],
    pub marks: &'a mut [u64],
    pub words: usize,
    pub stride: usize,
    pub left: f32,
    pub top: f32,
}

wide! {
    /// Adds the signed areas of lines to their cells.
    pub(super) fn accumulate(grid: &mut Grid, lines: &[Line], height: f32) {
        for line in lines {
            grid.accumulate(*line, height);
        }
    }
}

impl Grid<'_> {
    #[inline(always)]
    fn accumulate(&mut self, line: Line, height: f32) {
        let (from, to) = (
            (line.x0 - self.left, line.y0 - self.top),
            (line.x1 - self.left, line.y1 - self.top),
        );
        let (direction, (mut x, y0), (x1, y1)) = if from.1 < to.1 {
            (1.0, from, to)
        } else {
            (-1.0, to, from)
        };
        if y1 <= 0.0 || y0 >= height {
            return;
        }
        let dxdy = (x1 - x) / (y1 - y0);
        let mut y = y0;
        if y < 0.0 {
            x -= y * dxdy;
            y = 0.0;
        }
        let bottom = y1.min(height);
        let piece = Piece {
            x,
            y,
            dxdy,
            bottom,
            direction,
        };
        match dxdy.abs() <= 1.0 {
            true => self.go_down::<true>(piece),
            false => self.go_down::<false>(piece),
        }
    }

    /// Row by row; `STEEP` crosses no more than two columns in each.
    #[inline(always)]
    fn go_down<const STEEP: bool>(
        &mut self,
        Piece {
            mut x,
            mut y,
            dxdy,
            bottom,
            direction,
        }: Piece,
    ) {
        let last_column = (self.stride - BEYOND) as f32;
        let first = floor(y);
        let (mut cell, mut mark) = (first as usize * self.stride, first as usize * self.words);
        for next in first + 1..=ceil(bottom) {
            let (Some(row), Some(marks)) = (
                self.cells.get_mut(cell..cell + self.stride),
                self.marks.get_mut(mark..mark + self.words),
            ) else {
                return;
            };
            (cell, mark) = (cell + self.stride, mark + self.words);
            let next_y = (next as f32).min(bottom);
            let dy = next_y - y;
            let next_x = x + dxdy * dy;
            let low = x.min(next_x).max(0.0).min(last_column);
            let high = x.max(next_x).max(0.0).min(last_column);
            let touched = match STEEP {
                true => drop_down(row, dy * direction, low, high),
                false => spread(row, dy * direction, low, high),
            };
            let (first, last) = (touched.from / BLOCK, (touched.to - 1) / BLOCK);
            marks[first / 64] |= 1 << (first % 64);
            if STEEP {
                // At most two blocks, and a test would be guessed wrong too often.
                marks[last / 64] |= 1 << (last % 64);
            } else {
                for block in first + 1..=last {
                    marks[block / 64] |= 1 << (block % 64);
                }
            }
            x = next_x;
            y = next_y;
        }
    }
}

/// What of a line lies in a band, from its upper end to the row `bottom`.
struct Piece {
    x: f32,
    y: f32,
    dxdy: f32,
    bottom: f32,
    /// 1 where the outline goes down, -1 where it goes up.
    direction: f32,
}

/// Of a number that is not negative. In 32 bits: to and from 64 takes several instructions.
#[inline(always)]
fn floor(v: f32) -> i32 {
    v as i32
}

/// Of a number that is not negative; not all processors that we build for have an instruction for it.
#[inline(always)]
fn ceil(v: f32) -> i32 {
    let whole = floor(v);
    whole + i32::from(v > whole as f32)
}

/// Cells of a row.
struct Touched {
    from: usize,
    to: usize,
}

/// Distributes the height `d` of a line piece over two columns at most, without a choice that would be
/// guessed wrong: the parts of three cells have the sum 1 and their middle right of the piece's, and the
/// last is what of it lies in the second column.
#[inline(always)]
fn drop_down(row: &mut [f32], d: f32, low: f32, high: f32) -> Touched {
    let column = floor(low);
    let (i, first) = (column as usize, column as f32);
    let middle = 0.5 * (low + high) - first;
    let over = (high - (first + 1.0)).max(0.0);
    let last = 0.5 * over * over / (high - low).max(f32::MIN_POSITIVE);
    if let Some([a, b, c]) = row[i..].first_chunk_mut::<3>() {
        *a += d * (1.0 - middle + last);
        *b += d * (middle - 2.0 * last);
        *c += d * last;
    }
    Touched {
        from: i,
        to: i + 2 + usize::from(over > 0.0),
    }
}

/// Distributes the height `d` of a line piece over the columns `lo..hi` that it crosses;
/// the cells that it touched.
#[inline(always)]
fn spread(row: &mut [f32], d: f32, lo: f32, hi: f32) -> Touched {
    let column = floor(lo);
    let (i, first) = (column as usize, column as f32);
    let columns = ceil(hi) - column;
    if columns <= 1 {
        // Within one column: its covered part is right of the middle of the piece.
        let rest = d * (0.5 * (lo + hi) - first);
        row[i] += d - rest;
        row[i + 1] += rest;
        return Touched { from: i, to: i + 2 };
    }
    let s = 1.0 / (hi - lo);
    let from = lo - first;
    let area0 = 0.5 * s * (1.0 - from) * (1.0 - from);
    let into = hi - (first + columns as f32) + 1.0;
    let area_last = 0.5 * s * into * into;
    let end = i + columns as usize;
    row[i] += d * area0;
    if columns == 2 {
        row[i + 1] += d * (1.0 - area0 - area_last);
    } else {
        let area1 = s * (1.5 - from);
        row[i + 1] += d * (area1 - area0);
        for cell in &mut row[i + 2..end - 1] {
            *cell += d * s;
        }
        let area2 = area1 + (columns as f32 - 3.0) * s;
        row[end - 1] += d * (1.0 - area2 - area_last);
    }
    row[end] += d * area_last;
    Touched { from: i, to: end + 1 }
}
