//! Bitmaps as files: PNG, JPEG, WebP. Reading them is `decode`.

use crate::canvas::Bitmap;
use crate::error::CanvasError;
use crate::paint::ColorSpace;
use image::codecs::{jpeg::JpegEncoder, webp::WebPEncoder};
use image::{ExtendedColorType, ImageEncoder};

/// What a script may ask for by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RGBA8, straight alpha, encoded for speed.
    Png,
    /// The same pixels in fewer bytes, which takes several times as long.
    SmallPng,
    /// On black, as the standard says; quality 1..=100.
    Jpeg { quality: u8 },
    /// Without loss, so that a quality means nothing.
    WebP,
}

/// What browsers take where a quality is missing or is none.
const QUALITY: f64 = 0.92;
/// The largest side that the format has room for.
const MAX_JPEG_SIDE: u32 = 65_535;
const MAX_WEBP_SIDE: u32 = 16_384;

impl Format {
    /// The type as `toBlob` takes it; what is not known is PNG. Quality is 0..=1.
    pub fn of_type(mime: &str, quality: Option<f64>) -> Format {
        let quality = quality.filter(|q| (0.0..=1.0).contains(q)).unwrap_or(QUALITY);
        match mime.to_ascii_lowercase().as_str() {
            "image/jpeg" => Format::Jpeg {
                quality: ((quality * 100.0).round() as u8).max(1),
            },
            "image/webp" => Format::WebP,
            _ => Format::Png,
        }
    }

    pub fn mime(self) -> &'static str {
        match self {
            Format::Png | Format::SmallPng => "image/png",
            Format::Jpeg { .. } => "image/jpeg",
            Format::WebP => "image/webp",
        }
    }
}

pub fn encode(bitmap: &Bitmap, format: Format) -> Result<Vec<u8>, CanvasError> {
    if bitmap.is_empty() {
        return Err(CanvasError::NoPixels);
    }
    // Only PNG says here which colours it means.
    let plain = || bitmap.in_space(ColorSpace::Srgb);
    match format {
        Format::Png => png(bitmap, ::png::Compression::Fast),
        Format::SmallPng => png(bitmap, ::png::Compression::High),
        Format::Jpeg { quality } => jpeg(&plain(), quality),
        Format::WebP => webp(&plain()),
    }
}

/// The content of `cICP`: primaries of Display P3, sRGB's curve, no matrix, the full range.
pub(crate) const P3_CODE_POINTS: [u8; 4] = [12, 13, 0, 1];

fn png(bitmap: &Bitmap, compression: ::png::Compression) -> Result<Vec<u8>, CanvasError> {
    let mut out = Vec::with_capacity(4096);
    let mut encoder = ::png::Encoder::new(&mut out, bitmap.width(), bitmap.height());
    encoder.set_color(::png::ColorType::Rgba);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header().map_err(|_| CanvasError::Encoding)?;
    if bitmap.space() == ColorSpace::DisplayP3 {
        writer
            .write_chunk(::png::chunk::ChunkType(*b"cICP"), &P3_CODE_POINTS)
            .map_err(|_| CanvasError::Encoding)?;
    }
    writer
        .write_image_data(&bitmap.to_straight())
        .map_err(|_| CanvasError::Encoding)?;
    writer.finish().map_err(|_| CanvasError::Encoding)?;
    Ok(out)
}

fn jpeg(bitmap: &Bitmap, quality: u8) -> Result<Vec<u8>, CanvasError> {
    let (width, height) = sides(bitmap, MAX_JPEG_SIDE)?;
    // Premultiplied colours are colours on black.
    let pixels = bitmap.data().as_chunks::<4>().0;
    let rgb: Vec<u8> = pixels.iter().flat_map(|p| [p[0], p[1], p[2]]).collect();
    let mut out = Vec::with_capacity(4096);
    JpegEncoder::new_with_quality(&mut out, quality)
        .write_image(&rgb, width, height, ExtendedColorType::Rgb8)
        .map_err(|_| CanvasError::Encoding)?;
    Ok(out)
}

fn webp(bitmap: &Bitmap) -> Result<Vec<u8>, CanvasError> {
    let (width, height) = sides(bitmap, MAX_WEBP_SIDE)?;
    let mut out = Vec::with_capacity(4096);
    WebPEncoder::new_lossless(&mut out)
        .write_image(&bitmap.to_straight(), width, height, ExtendedColorType::Rgba8)
        .map_err(|_| CanvasError::Encoding)?;
    Ok(out)
}

fn sides(bitmap: &Bitmap, most: u32) -> Result<(u32, u32), CanvasError> {
    let (width, height) = (bitmap.width(), bitmap.height());
    if width.max(height) > most {
        return Err(CanvasError::TooLarge { width, height });
    }
    Ok((width, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode_bitmap as decode;

    fn board() -> Bitmap {
        let dark = |x: u8, y: u8| {
            if (x / 8 + y / 8).is_multiple_of(2) {
                [200, 40, 40, 255]
            } else {
                [0, 60, 250, 128]
            }
        };
        let rgba: Vec<u8> = (0..32)
            .flat_map(|y| (0..32).flat_map(move |x| dark(x, y)))
            .collect();
        Bitmap::from_straight(32, 32, &rgba).unwrap()
    }

    #[test]
    fn formats_are_named_by_type_and_fall_back_to_png() {
        assert_eq!(
            Format::of_type("image/JPEG", Some(0.5)),
            Format::Jpeg { quality: 50 }
        );
        assert_eq!(
            Format::of_type("image/jpeg", Some(7.0)),
            Format::Jpeg { quality: 92 }
        );
        assert_eq!(
            Format::of_type("image/jpeg", Some(0.0)),
            Format::Jpeg { quality: 1 }
        );
        assert_eq!(Format::of_type("image/webp", None).mime(), "image/webp");
        assert_eq!(Format::of_type("image/bmp", None), Format::Png);
    }

    #[test]
    fn what_loses_nothing_comes_back() {
        for format in [Format::Png, Format::SmallPng, Format::WebP] {
            let bytes = encode(&board(), format).unwrap();
            assert_eq!(decode(&bytes, u64::MAX).unwrap(), board(), "{format:?}");
        }
    }

    #[test]
    fn colours_beyond_srgb_are_kept_by_png_and_clipped_by_others() {
        let wide = board().labelled(ColorSpace::DisplayP3);
        let back = |format| decode(&encode(&wide, format).unwrap(), u64::MAX).unwrap();
        assert_eq!(back(Format::Png), wide);
        let narrow = back(Format::WebP);
        assert_eq!(narrow, *wide.in_space(ColorSpace::Srgb));
        assert_ne!(narrow.data(), wide.data());
    }

    #[test]
    fn jpeg_is_on_black_and_smaller_with_less_quality() {
        let of = |quality| encode(&board(), Format::Jpeg { quality }).unwrap();
        let back = decode(&of(95), u64::MAX).unwrap();
        let (x, y) = (12, 4);
        let p = back.row(y, x, x + 1);
        assert!(
            p[0] < 10 && p[1].abs_diff(30) < 10 && p[2].abs_diff(125) < 10 && p[3] == 255,
            "{p:?}"
        );
        assert!(of(20).len() < of(95).len());
    }

    #[test]
    fn nothing_is_no_picture_and_too_much_is_said() {
        assert_eq!(
            encode(&Bitmap::new(0, 4).unwrap(), Format::WebP),
            Err(CanvasError::NoPixels)
        );
        let long = Bitmap::new(20_000, 1).unwrap();
        assert!(matches!(
            encode(&long, Format::WebP),
            Err(CanvasError::TooLarge { .. })
        ));
        assert!(encode(&long, Format::Jpeg { quality: 50 }).is_ok());
    }
}
