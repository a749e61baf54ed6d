//! CanvasPattern: a bitmap that repeats, or does not, under its own transform.

use crate::canvas::Bitmap;
use crate::matrix::Matrix;
use std::sync::{Arc, Mutex, PoisonError};

/// How a pattern goes on beyond its bitmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Repetition {
    #[default]
    Repeat,
    RepeatX,
    RepeatY,
    NoRepeat,
}

impl Repetition {
    /// The empty string means `repeat`, as the standard says.
    pub fn parse(name: &str) -> Option<Repetition> {
        match name {
            "" | "repeat" => Some(Repetition::Repeat),
            "repeat-x" => Some(Repetition::RepeatX),
            "repeat-y" => Some(Repetition::RepeatY),
            "no-repeat" => Some(Repetition::NoRepeat),
            _ => None,
        }
    }
}

/// A handle: clones are the same pattern, as the DOM object is shared by its users.
#[derive(Clone, Debug)]
pub struct Pattern(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    image: Bitmap,
    repetition: Repetition,
    transform: Mutex<Matrix>,
}

impl Pattern {
    pub fn new(image: Bitmap, repetition: Repetition) -> Pattern {
        let transform = Mutex::new(Matrix::IDENTITY);
        Pattern(Arc::new(Inner {
            image,
            repetition,
            transform,
        }))
    }

    /// A matrix that is not finite is ignored.
    pub fn set_transform(&self, matrix: Matrix) {
        if matrix.is_finite() {
            *self.0.transform.lock().unwrap_or_else(PoisonError::into_inner) = matrix;
        }
    }

    /// Identity of the DOM object: equal for clones, different otherwise.
    pub fn id(&self) -> u64 {
        Arc::as_ptr(&self.0) as usize as u64
    }

    pub(crate) fn image(&self) -> &Bitmap {
        &self.0.image
    }

    pub(crate) fn repetition(&self) -> Repetition {
        self.0.repetition
    }

    pub(crate) fn transform(&self) -> Matrix {
        *self.0.transform.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
