//! The filter functions as primitives of an SVG filter, for the recording.

use super::{Filter, Filters};
use crate::svg::number;

impl Filters {
    /// They take each other's result, the first one what is drawn.
    pub(in crate::context) fn to_svg(&self, canvas: [u32; 2]) -> String {
        self.list.iter().map(|filter| primitive(filter, canvas)).collect()
    }
}

fn primitive(filter: &Filter, [width, height]: [u32; 2]) -> String {
    match filter {
        Filter::Blur(sigma) => format!("<feGaussianBlur stdDeviation=\"{}\"/>", both(sigma)),
        Filter::DropShadow { x, y, sigma, color } => {
            let [r, g, b, _] = color.to_rgba8();
            let [x, y, alpha] = [*x, *y, color.alpha().into()].map(number);
            let sigma = both(sigma);
            format!(
                "<feDropShadow dx=\"{x}\" dy=\"{y}\" stdDeviation=\"{sigma}\" flood-color=\"#{r:02x}{g:02x}{b:02x}\" flood-opacity=\"{alpha}\"/>"
            )
        }
        Filter::Matrix(rows) => {
            let numbers = numbers(rows.iter().flatten().map(|v| f64::from(*v)));
            format!("<feColorMatrix values=\"{numbers}\"/>")
        }
        Filter::Transfer(tables) => {
            let curve = |(name, table): (char, &[u8; 256])| {
                let values = numbers(table.iter().map(|v| f64::from(*v) / 255.0));
                format!("<feFunc{name} type=\"table\" tableValues=\"{values}\"/>")
            };
            let curves: String = "RGBA".chars().zip(tables.iter()).map(curve).collect();
            format!("<feComponentTransfer>{curves}</feComponentTransfer>")
        }
        Filter::Convolve(kernel) => {
            let [x, y] = kernel.target;
            format!(
                "<feConvolveMatrix order=\"{} {}\" kernelMatrix=\"{}\" divisor=\"{}\" bias=\"{}\" targetX=\"{x}\" targetY=\"{y}\" edgeMode=\"none\" preserveAlpha=\"{}\"/>",
                kernel.columns,
                kernel.rows(),
                numbers(kernel.numbers.iter().copied()),
                number(if kernel.divisor == 0.0 {
                    1.0
                } else {
                    kernel.divisor
                }),
                number(kernel.bias),
                kernel.preserves_alpha
            )
        }
        Filter::Turbulence(turbulence) => {
            let kind = match turbulence.fractal {
                true => "fractalNoise",
                false => "turbulence",
            };
            // What is stitched fits at the edges of the canvas.
            let stitched = match turbulence.stitched {
                true => {
                    format!(" stitchTiles=\"stitch\" x=\"0\" y=\"0\" width=\"{width}\" height=\"{height}\"")
                }
                false => String::new(),
            };
            let (frequency, octaves) = (both(&turbulence.frequency), turbulence.octaves.min(32));
            let seed = number(turbulence.seed.trunc());
            format!(
                "<feTurbulence type=\"{kind}\" baseFrequency=\"{frequency}\" numOctaves=\"{octaves}\" seed=\"{seed}\"{stitched}/>"
            )
        }
        Filter::Colors { rows, alpha } => {
            let row =
                |[r, g, b, added]: &[f32; 4]| [*r, *g, *b, 0.0, *added].map(|v| number(v.into())).join(" ");
            let [red, green, blue] = rows;
            format!(
                "<feColorMatrix values=\"{} {} {} 0 0 0 {} 0\"/>",
                row(red),
                row(green),
                row(blue),
                number((*alpha).into())
            )
        }
    }
}

fn both(sigma: &[f64; 2]) -> String {
    numbers(sigma.iter().copied())
}

fn numbers(values: impl Iterator<Item = f64>) -> String {
    values.map(number).collect::<Vec<_>>().join(" ")
}
