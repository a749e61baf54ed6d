//! Pictures from bytes: PNG, JPEG, WebP, GIF (its first frame) and SVG.
//!
//! The format is told by the bytes, never by a name. Deliberately not here: where bytes come from.

use crate::canvas::Bitmap;
use crate::encode::P3_CODE_POINTS;
use crate::error::CanvasError;
use crate::paint::ColorSpace;
use crate::text::Fonts;
use crate::vector::{Vector, is_svg};
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Limits};
use std::io::Cursor;

/// What decoding may take beside the picture itself, bytes.
const WORKING: u64 = 64 * 1024 * 1024;

/// What a file shows.
#[derive(Debug)]
pub enum Picture {
    Bitmap(Bitmap),
    Vector(Box<Vector>),
}

/// The picture as it is to be seen: a photograph is turned as its camera says. `max_pixels` is
/// asked before anything of the size is made. An SVG, whose text these fonts show, stays one;
/// without an area it is an empty bitmap.
pub fn decode(bytes: &[u8], max_pixels: u64, fonts: &Fonts) -> Result<Picture, CanvasError> {
    if is_svg(bytes) {
        return Ok(match Vector::read(bytes, max_pixels, fonts)? {
            Some(vector) => Picture::Vector(Box::new(vector)),
            None => Picture::Bitmap(Bitmap::new(0, 0)?),
        });
    }
    decode_bitmap(bytes, max_pixels).map(Picture::Bitmap)
}

/// The same of a format that has pixels.
pub(crate) fn decode_bitmap(bytes: &[u8], max_pixels: u64) -> Result<Bitmap, CanvasError> {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(max_pixels.saturating_mul(8).saturating_add(WORKING));
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|_| CanvasError::BadPicture)?;
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| refused(&error))?;
    let (width, height) = decoder.dimensions();
    check(width, height, max_pixels)?;
    let orientation = decoder.orientation().map_err(|error| refused(&error))?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| refused(&error))?;
    picture.apply_orientation(orientation);
    let picture = picture.into_rgba8();
    let bitmap = Bitmap::from_straight(picture.width(), picture.height(), picture.as_raw())?;
    Ok(bitmap.labelled(space_of(bytes)))
}

/// What a PNG says of its colours, by code points; profiles are not read.
fn space_of(bytes: &[u8]) -> ColorSpace {
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap_or_default();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let Some((kind, data)) = after.split_first_chunk::<4>() else {
            break;
        };
        let length = u32::from_be_bytes(*length) as usize;
        match kind {
            b"cICP" if data.get(..length) == Some(&P3_CODE_POINTS[..]) => return ColorSpace::DisplayP3,
            b"IDAT" => break,
            _ => {}
        }
        rest = length
            .checked_add(4)
            .and_then(|end| data.get(end..))
            .unwrap_or_default();
    }
    ColorSpace::Srgb
}

pub(crate) fn check(width: u32, height: u32, max_pixels: u64) -> Result<(), CanvasError> {
    if u64::from(width) * u64::from(height) > max_pixels {
        return Err(CanvasError::TooLarge { width, height });
    }
    Ok(())
}

fn refused(error: &ImageError) -> CanvasError {
    match error {
        ImageError::Limits(_) => CanvasError::TooLarge { width: 0, height: 0 },
        _ => CanvasError::BadPicture,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    const MANY: u64 = 1 << 20;

    /// In its own size.
    fn decode(bytes: &[u8], max_pixels: u64) -> Result<Bitmap, CanvasError> {
        match super::decode(bytes, max_pixels, &Fonts::bundled())? {
            Picture::Bitmap(bitmap) => Ok(bitmap),
            Picture::Vector(vector) => vector.to_bitmap(),
        }
    }

    fn encoded(format: image::ImageFormat) -> Vec<u8> {
        let picture =
            image::RgbaImage::from_fn(8, 4, |x, _| image::Rgba([if x < 4 { 255 } else { 0 }, 0, 0, 255]));
        let picture = match format {
            image::ImageFormat::Jpeg => DynamicImage::from(DynamicImage::from(picture).into_rgb8()),
            _ => DynamicImage::from(picture),
        };
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn every_format_gives_its_pixels() {
        use image::ImageFormat::{Gif, Jpeg, Png, WebP};
        for format in [Png, Jpeg, WebP, Gif] {
            let bitmap = decode(&encoded(format), MANY).unwrap();
            assert_eq!((bitmap.width(), bitmap.height()), (8, 4), "{format:?}");
            let (red, black) = (&bitmap.data()[..4], &bitmap.data()[28..32]);
            assert!(
                red[0] > 240 && red[3] == 255 && black[0] < 15,
                "{format:?}: {red:?} {black:?}"
            );
        }
    }

    #[test]
    fn an_svg_is_drawn_and_may_have_no_area() {
        let green = br##"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="6" height="3"><rect width="6" height="3" fill="#0f0"/></svg>"##;
        let bitmap = decode(green, MANY).unwrap();
        assert_eq!((bitmap.width(), bitmap.height()), (6, 3));
        assert_eq!(bitmap.data()[..4], [0, 255, 0, 255]);
        let flat = br#"<svg xmlns="http://www.w3.org/2000/svg" width="0" height="10"></svg>"#;
        assert!(decode(flat, MANY).unwrap().is_empty());
    }

    #[test]
    fn an_svg_reads_no_file() {
        let mut red = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
        red.write_all(&encoded(image::ImageFormat::Png)).unwrap();
        let text = |href: &str| {
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><image href="{href}" width="8" height="4"/></svg>"#
            )
        };
        let shows = |svg: String| decode(svg.as_bytes(), MANY).unwrap().data()[3] != 0;
        use base64::Engine as _;
        let inside = base64::engine::general_purpose::STANDARD.encode(encoded(image::ImageFormat::Png));
        assert!(shows(text(&format!("data:image/png;base64,{inside}"))));
        assert!(!shows(text(red.path().to_str().unwrap())));
        assert!(!shows(text(&format!("file://{}", red.path().display()))));
    }

    #[test]
    fn too_many_pixels_are_refused_before_they_are_made() {
        let png = encoded(image::ImageFormat::Png);
        assert_eq!(
            decode(&png, 31),
            Err(CanvasError::TooLarge { width: 8, height: 4 })
        );
        let vast = br#"<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000"></svg>"#;
        assert!(matches!(decode(vast, MANY), Err(CanvasError::TooLarge { .. })));
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(400))]
        #[test]
        fn broken_bytes_are_an_error_or_a_picture(
            format in prop::sample::select(vec![image::ImageFormat::Png, image::ImageFormat::Jpeg, image::ImageFormat::WebP, image::ImageFormat::Gif]),
            cut in 0usize..200,
            changes in prop::collection::vec((0usize..400, any::<u8>()), 0..6),
        ) {
            let mut bytes = encoded(format);
            for (at, byte) in changes {
                if let Some(slot) = bytes.get_mut(at) { *slot = byte; }
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            if let Ok(bitmap) = decode(&bytes, MANY) {
                prop_assert!(u64::from(bitmap.width()) * u64::from(bitmap.height()) <= MANY);
            }
        }
    }
}
