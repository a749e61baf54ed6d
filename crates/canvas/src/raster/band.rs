//! Coverage as the painting stages take it: rows of runs. It comes from outlines (`raster`) or is
//! put together of masks.

use crate::geometry::IRect;

/// Neighbouring pixels of a row; what lies between runs is not covered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub from: usize,
    pub to: usize,
    /// Wholly covered; else the band's bytes say how much.
    pub full: bool,
}

/// Rows of coverage. A row of `data` has `rect.width()` bytes, of which only those of runs
/// that are not full mean anything.
pub(crate) struct Band<'a> {
    pub rect: IRect,
    pub(super) data: &'a [u8],
    pub(super) runs: &'a [Run],
    pub(super) row_ends: &'a [usize],
}

impl Band<'_> {
    /// The rows from top to bottom: y, runs, bytes.
    pub fn rows(&self) -> impl Iterator<Item = (i32, &[Run], &[u8])> {
        let data = self.data.chunks_exact(self.rect.width());
        let mut begin = 0;
        (self.rect.y0..)
            .zip(self.row_ends)
            .zip(data)
            .map(move |((y, &end), data)| {
                let runs = &self.runs[begin..end];
                begin = end;
                (y, runs, data)
            })
    }

    /// Writes all coverage into zeroed rows of `width` bytes, of which the first is at `origin`.
    pub fn copy_to(&self, out: &mut [u8], width: usize, origin: (i32, i32)) {
        let left = (self.rect.x0 - origin.0) as usize;
        for (y, runs, data) in self.rows() {
            let row = &mut out[(y - origin.1) as usize * width + left..];
            for run in runs {
                match run.full {
                    true => row[run.from..run.to].fill(255),
                    false => row[run.from..run.to].copy_from_slice(&data[run.from..run.to]),
                }
            }
        }
    }
}

/// Coverage that is put together of masks; its buffers are reused from call to call.
#[derive(Default)]
pub(crate) struct Cover {
    rect: Option<IRect>,
    data: Vec<u8>,
    runs: Vec<Run>,
    row_ends: Vec<usize>,
}

impl Cover {
    /// Nothing is covered, and nothing outside of `rect` ever will be.
    pub fn begin(&mut self, rect: IRect) {
        self.rect = (!rect.is_empty()).then_some(rect);
        self.data.clear();
        self.data.resize(rect.width() * rect.height(), 0);
    }

    /// Adds a mask that lies at `rect`, which may reach outside.
    pub fn add(&mut self, rect: IRect, mask: &[u8]) {
        let Some(whole) = self.rect else { return };
        let common = rect.intersect(whole);
        let (from, to) = ((common.x0 - rect.x0) as usize, (common.x0 - whole.x0) as usize);
        for y in common.y0..common.y1 {
            let mask = &mask[(y - rect.y0) as usize * rect.width() + from..][..common.width()];
            let row = &mut self.data[(y - whole.y0) as usize * whole.width() + to..][..common.width()];
            for (out, m) in row.iter_mut().zip(mask) {
                *out = out.saturating_add(*m);
            }
        }
    }

    pub fn band(&mut self) -> Option<Band<'_>> {
        let rect = self.rect?;
        self.runs.clear();
        self.row_ends.clear();
        for row in 1..=rect.height() {
            self.runs.push(Run {
                from: 0,
                to: rect.width(),
                full: false,
            });
            self.row_ends.push(row);
        }
        Some(Band {
            rect,
            data: &self.data,
            runs: &self.runs,
            row_ends: &self.row_ends,
        })
    }
}
