//! The filters of CanvasFilter objects beyond what CSS functions can say: whole colour matrices,
//! curves of the channels, and kernels. Noise is in `turbulence`.
//!
//! Deliberately not here: the primitives of SVG that CanvasFilter has no names for.

use super::{Filter, Filters, Layer, Turbulence};
use crate::blur::MAX_SIGMA;
use crate::error::CanvasError;
use crate::geometry::IRect;
use crate::paint::{Color, pixel};
use std::sync::Arc;

/// Numbers of a kernel.
const MAX_KERNEL: usize = 441;

/// One filter, with numbers as a script has them.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterPrimitive {
    /// Standard deviations in both directions.
    Blur([f64; 2]),
    DropShadow {
        offset: [f64; 2],
        deviation: [f64; 2],
        color: Color,
    },
    /// Four rows for red, green, blue and alpha of five columns for the same and one.
    ColorMatrix([f64; 20]),
    /// What becomes of each value of red, green, blue and alpha.
    Transfer(Box<[[u8; 256]; 4]>),
    Convolve(Kernel),
    Turbulence(Turbulence),
}

/// feConvolveMatrix. A canvas is drawn on a plane without borders, so what lies beyond them is nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub columns: usize,
    /// Row by row.
    pub numbers: Vec<f64>,
    pub divisor: f64,
    pub bias: f64,
    /// The number of the kernel that lies over the pixel.
    pub target: [usize; 2],
    pub preserves_alpha: bool,
}

impl Filters {
    /// Those of an object, which take each other's result.
    pub fn of_primitives(list: &[FilterPrimitive]) -> Result<Filters, CanvasError> {
        let list = list.iter().map(of_primitive).collect::<Result<Vec<_>, _>>()?;
        Ok(Filters {
            text: String::new(),
            list,
        })
    }
}

fn of_primitive(primitive: &FilterPrimitive) -> Result<Filter, CanvasError> {
    let finite = |numbers: &[f64]| match numbers.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(CanvasError::NotFinite),
    };
    match primitive {
        FilterPrimitive::Blur(deviation) => finite(deviation)?,
        FilterPrimitive::DropShadow {
            offset, deviation, ..
        } => finite(&[*offset, *deviation].concat())?,
        FilterPrimitive::ColorMatrix(numbers) => finite(numbers)?,
        FilterPrimitive::Transfer(_) => {}
        FilterPrimitive::Convolve(kernel) => {
            finite(&kernel.numbers)?;
            finite(&[kernel.divisor, kernel.bias])?;
        }
        FilterPrimitive::Turbulence(turbulence) => {
            finite(&turbulence.frequency)?;
            finite(&[turbulence.seed])?;
        }
    }
    let sigma = |v: f64| v.clamp(0.0, MAX_SIGMA);
    Ok(match primitive {
        FilterPrimitive::Blur(deviation) => Filter::Blur(deviation.map(sigma)),
        FilterPrimitive::DropShadow {
            offset: [x, y],
            deviation,
            color,
        } => Filter::DropShadow {
            x: *x,
            y: *y,
            sigma: deviation.map(sigma),
            color: *color,
        },
        FilterPrimitive::ColorMatrix(numbers) => {
            let row = |at: usize| std::array::from_fn(|i| numbers[at * 5 + i] as f32);
            Filter::Matrix(Arc::new([row(0), row(1), row(2), row(3)]))
        }
        FilterPrimitive::Transfer(tables) => Filter::Transfer(Arc::from(tables.clone())),
        FilterPrimitive::Turbulence(turbulence) => Filter::Turbulence(*turbulence),
        FilterPrimitive::Convolve(kernel) => {
            let rows = kernel.rows();
            let whole = kernel.columns * rows == kernel.numbers.len();
            let [x, y] = kernel.target;
            if !whole || kernel.numbers.len() > MAX_KERNEL || x >= kernel.columns || y >= rows {
                return Err(CanvasError::BadKernel);
            }
            Filter::Convolve(Arc::new(kernel.clone()))
        }
    })
}

impl Kernel {
    pub(super) fn rows(&self) -> usize {
        self.numbers.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Pixels before and after one that it depends on.
    pub(super) fn sources(&self, rect: IRect) -> IRect {
        let [x, y] = self.target.map(|v| v as i32);
        let (columns, rows) = (self.columns as i32, self.rows() as i32);
        IRect::new(
            rect.x0.saturating_sub(x),
            rect.y0.saturating_sub(y),
            rect.x1.saturating_add(columns - 1 - x),
            rect.y1.saturating_add(rows - 1 - y),
        )
        .union(rect)
    }

    pub(super) fn carried(&self, rect: IRect) -> IRect {
        let [x, y] = self.target.map(|v| v as i32);
        let (columns, rows) = (self.columns as i32, self.rows() as i32);
        IRect::new(
            rect.x0.saturating_sub(columns - 1 - x),
            rect.y0.saturating_sub(rows - 1 - y),
            rect.x1.saturating_add(x),
            rect.y1.saturating_add(y),
        )
        .union(rect)
    }
}

impl Layer {
    /// Straight colours, through a whole matrix.
    pub(super) fn multiply(&mut self, rows: &[[f32; 5]; 4]) {
        for p in self.data.as_chunks_mut::<4>().0 {
            let alpha = f32::from(p[3]) / 255.0;
            let straight = |c: u8| {
                if p[3] == 0 {
                    0.0
                } else {
                    f32::from(c) / f32::from(p[3])
                }
            };
            let from = [straight(p[0]), straight(p[1]), straight(p[2]), alpha, 1.0];
            let sum = |row: &[f32; 5]| -> f32 { row.iter().zip(from).map(|(a, b)| a * b).sum() };
            *p = premultiplied(rows.each_ref().map(sum));
        }
    }

    /// Straight colours, each channel through its table.
    pub(super) fn transfer(&mut self, tables: &[[u8; 256]; 4]) {
        pixel::unpremultiply_in_place(&mut self.data);
        for p in self.data.as_chunks_mut::<4>().0 {
            *p = std::array::from_fn(|i| tables[i][usize::from(p[i])]);
        }
        pixel::premultiply_in_place(&mut self.data);
    }

    pub(super) fn convolve(&mut self, kernel: &Kernel) {
        let (w, h) = (self.rect.width() as i64, self.rect.height() as i64);
        let from = self.data.clone();
        let divisor = if kernel.divisor == 0.0 {
            1.0
        } else {
            kernel.divisor
        };
        let at = |x: i64, y: i64| -> [f64; 4] {
            if x < 0 || y < 0 || x >= w || y >= h {
                return [0.0; 4];
            }
            let i = (y * w + x) as usize * 4;
            let p = [from[i], from[i + 1], from[i + 2], from[i + 3]].map(|c| f64::from(c) / 255.0);
            match kernel.preserves_alpha && p[3] > 0.0 {
                true => [p[0] / p[3], p[1] / p[3], p[2] / p[3], p[3]],
                false => p,
            }
        };
        let [tx, ty] = kernel.target.map(|v| v as i64);
        for (i, p) in self.data.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let (x, y) = (i as i64 % w, i as i64 / w);
            let mut sums = [0.0; 4];
            // The kernel is turned around: its last number lies over the first pixel.
            for (j, number) in kernel.numbers.iter().rev().enumerate() {
                let (column, row) = ((j % kernel.columns) as i64, (j / kernel.columns) as i64);
                let pixel = at(x - tx + column, y - ty + row);
                for (sum, v) in sums.iter_mut().zip(pixel) {
                    *sum += number * v;
                }
            }
            let alpha = f64::from(p[3]) / 255.0;
            let [r, g, b, a] = sums.map(|sum| sum / divisor);
            *p = match kernel.preserves_alpha {
                true => {
                    let [r, g, b] = [r, g, b].map(|v| (v + kernel.bias) as f32);
                    premultiplied([r, g, b, alpha as f32])
                }
                false => {
                    let byte = |v: f64| (part(v + kernel.bias * alpha) * 255.0).round() as u8;
                    let a = byte(a);
                    [byte(r).min(a), byte(g).min(a), byte(b).min(a), a]
                }
            };
        }
    }
}

/// Within 0..=1; sums of huge numbers may be no number at all.
fn part(v: f64) -> f64 {
    if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) }
}

/// Straight colours of 0..=1, cut where they are not.
pub(super) fn premultiplied(straight: [f32; 4]) -> [u8; 4] {
    let [r, g, b, a] = straight.map(|v| part(v.into()));
    let alpha = (a * 255.0).round();
    let [r, g, b] = [r, g, b].map(|v| (v * alpha).round() as u8);
    [r, g, b, alpha as u8]
}
