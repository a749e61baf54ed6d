//! What shapes are painted with: colours, gradients, patterns, and how they combine with
//! what is already there.

pub(crate) mod blend;
pub mod color;
mod color_modern;
mod color_names;
mod color_plain;
pub(crate) mod composite;
mod fours;
mod gradient;
mod pattern;
pub(crate) mod pixel;
pub(crate) mod ramp;
pub(crate) mod rows;
pub(crate) mod sampler;
pub(crate) mod space;

pub use color::Color;
pub(crate) use color::number_len as color_number_len;
pub use composite::CompositeOp;
pub use gradient::Gradient;
pub(crate) use gradient::Kind as GradientKind;
pub use pattern::{Pattern, Repetition};
pub use space::ColorSpace;

/// fillStyle and strokeStyle.
#[derive(Clone, Debug)]
pub enum Style {
    Color(Color),
    Gradient(Gradient),
    Pattern(Pattern),
}

impl Default for Style {
    fn default() -> Self {
        Style::Color(Color::BLACK)
    }
}
