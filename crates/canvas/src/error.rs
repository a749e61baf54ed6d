//! What can go wrong, in the DOM's own vocabulary.
//!
//! Most odd input is not an error in this API: the standard asks for it to be ignored.

/// A failure of a canvas call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanvasError {
    #[error("the radius is negative")]
    NegativeRadius,
    #[error("the offset is outside 0..=1")]
    OffsetOutOfRange,
    #[error("the width or height is zero")]
    EmptyArea,
    #[error("between one and four radii are expected, got {0}")]
    RadiusCount(usize),
    #[error("a corner radius is negative")]
    NegativeCornerRadius,
    #[error("the colour cannot be parsed")]
    BadColor,
    #[error("the picture has no pixels")]
    NoPixels,
    #[error("a bitmap of {width}x{height} pixels is too large")]
    TooLarge { width: u32, height: u32 },
    #[error("the buffer does not hold {width}x{height} pixels")]
    WrongLength { width: u32, height: u32 },
    #[error("a number is not finite")]
    NotFinite,
    #[error("the kernel has too many numbers, or its target lies beside it")]
    BadKernel,
    #[error("the data is not a font")]
    BadFont,
    #[error("the data is no picture of a known format")]
    BadPicture,
    #[error("layers are open")]
    OpenLayer,
    #[error("no layer was begun that could end here")]
    NoLayer,
    #[error("there is no room for another layer")]
    TooManyLayers,
    #[error("the picture could not be encoded")]
    Encoding,
    #[error(
        "shapes are kept only when that is asked for before drawing: getContext('2d', {{ vector: true }})"
    )]
    NotRecorded,
}

impl CanvasError {
    /// The DOMException name, or the JavaScript class for `TypeError` and `RangeError`.
    pub fn dom_name(&self) -> &'static str {
        match self {
            CanvasError::NegativeRadius | CanvasError::OffsetOutOfRange | CanvasError::EmptyArea => {
                "IndexSizeError"
            }
            CanvasError::BadColor | CanvasError::BadFont => "SyntaxError",
            CanvasError::NoPixels
            | CanvasError::WrongLength { .. }
            | CanvasError::OpenLayer
            | CanvasError::NoLayer
            | CanvasError::NotRecorded
            | CanvasError::Encoding => "InvalidStateError",
            CanvasError::RadiusCount(_)
            | CanvasError::NegativeCornerRadius
            | CanvasError::TooManyLayers
            | CanvasError::BadKernel
            | CanvasError::TooLarge { .. } => "RangeError",
            CanvasError::NotFinite => "TypeError",
            CanvasError::BadPicture => "EncodingError",
        }
    }
}
