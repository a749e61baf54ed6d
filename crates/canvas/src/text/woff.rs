//! WOFF 1 and 2 into the font that is packed in them. The tables of WOFF 2 are put together by `wuff`.

use crate::error::CanvasError;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// A font that unpacks to more than this is refused.
const MAX_BYTES: usize = 64 << 20;
const HEADER: usize = 44;
/// Bytes that Brotli is read by.
const PIECE: usize = 1 << 16;
/// One table of the directory, there and here.
const PACKED_ENTRY: usize = 20;
const ENTRY: usize = 16;

/// Other formats come back as they are.
pub(super) fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, CanvasError> {
    match bytes.first_chunk() {
        Some(b"wOFF") => unpack(&bytes).ok_or(CanvasError::BadFont),
        Some(b"wOF2") => unpack_second(&bytes).ok_or(CanvasError::BadFont),
        _ => Ok(bytes),
    }
}

fn unpack_second(woff: &[u8]) -> Option<Vec<u8>> {
    // What the header promises; the tables are held to it below.
    let promised = u32::from_be_bytes(*woff.get(16..)?.first_chunk()?) as usize;
    if promised > MAX_BYTES {
        return None;
    }
    let mut inflate = |packed: &[u8], length: usize| -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        if length > MAX_BYTES {
            return Err(Box::new(CanvasError::BadFont));
        }
        let mut out = Vec::with_capacity(length);
        brotli::Decompressor::new(packed, PIECE)
            .take(length as u64)
            .read_to_end(&mut out)?;
        match out.len() == length {
            true => Ok(out),
            false => Err(Box::new(CanvasError::BadFont)),
        }
    };
    wuff::decompress_woff2_with_custom_brotli(woff, &mut inflate).ok()
}

fn unpack(woff: &[u8]) -> Option<Vec<u8>> {
    let count = usize::from(u16::from_be_bytes(*woff.get(12..)?.first_chunk()?));
    let directory = woff.get(HEADER..HEADER + count * PACKED_ENTRY)?;
    let mut tables = Vec::with_capacity(count);
    let mut total = 12 + count * ENTRY;
    for entry in directory.chunks_exact(PACKED_ENTRY) {
        let [tag, offset, packed, length, sum] = std::array::from_fn(|i| word(entry, i));
        let (offset, packed, length) = (offset? as usize, packed? as usize, length? as usize);
        let data = woff.get(offset..offset.checked_add(packed)?)?;
        total = total.checked_add(length.checked_next_multiple_of(4)?)?;
        if packed > length || total > MAX_BYTES {
            return None;
        }
        tables.push((tag?, sum?, length, data));
    }
    let mut font = Vec::with_capacity(total);
    font.extend_from_slice(woff.get(4..8)?);
    font.extend(search_fields(count as u16));
    let mut at = 12 + count * ENTRY;
    for (tag, sum, length, _) in &tables {
        for field in [*tag, *sum, at as u32, *length as u32] {
            font.extend(field.to_be_bytes());
        }
        at += length.next_multiple_of(4);
    }
    for (_, _, length, data) in tables {
        let end = font.len() + length;
        if data.len() == length {
            font.extend_from_slice(data);
        } else {
            ZlibDecoder::new(data)
                .take(length as u64)
                .read_to_end(&mut font)
                .ok()?;
        }
        if font.len() != end {
            return None;
        }
        font.resize(end.next_multiple_of(4), 0);
    }
    Some(font)
}

fn word(entry: &[u8], index: usize) -> Option<u32> {
    entry
        .get(index * 4..)?
        .first_chunk()
        .map(|bytes| u32::from_be_bytes(*bytes))
}

/// numTables, searchRange, entrySelector, rangeShift.
fn search_fields(count: u16) -> impl Iterator<Item = u8> {
    let selector = count.checked_ilog2().unwrap_or(0) as u16;
    let range = 16u16.wrapping_shl(selector.into());
    let shift = count.wrapping_mul(16).wrapping_sub(range);
    [count, range, selector, shift]
        .into_iter()
        .flat_map(u16::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::ZlibEncoder;
    use proptest::prelude::*;

    /// Two tables: one that was worth packing, one that was not.
    fn packed() -> Vec<u8> {
        let long = vec![7u8; 1000];
        let mut small = Vec::new();
        ZlibEncoder::new(&long[..], Compression::fast())
            .read_to_end(&mut small)
            .unwrap();
        let mut woff = b"wOFF\0\x01\0\0".to_vec();
        woff.extend([0; 4]);
        woff.extend([0, 2]);
        woff.resize(HEADER, 0);
        let first = HEADER + 2 * PACKED_ENTRY;
        let second = first + small.len();
        for (tag, offset, packed, length) in [(b"aaaa", first, small.len(), 1000), (b"bbbb", second, 3, 3)] {
            woff.extend(tag);
            for field in [offset, packed, length, 9] {
                woff.extend((field as u32).to_be_bytes());
            }
        }
        woff.extend(small);
        woff.extend(b"xyz");
        woff
    }

    #[test]
    fn tables_are_unpacked_and_aligned() {
        let font = unpacked(packed()).unwrap();
        assert_eq!(font[..12], [0, 1, 0, 0, 0, 2, 0, 32, 0, 1, 0, 0]);
        assert_eq!(font[12..16], *b"aaaa");
        assert_eq!(font.len(), 12 + 32 + 1000 + 4);
        assert!(font[44..1044].iter().all(|b| *b == 7));
        assert_eq!(font[1044..], *b"xyz\0");
        assert_eq!(unpacked(vec![1, 2]).unwrap(), [1, 2]);
    }

    const SECOND: &[u8] = include_bytes!("fixtures/layers.woff2");

    #[test]
    fn the_second_version_has_the_same_tables() {
        let font = unpacked(SECOND.to_vec()).unwrap();
        let plain: &[u8] = include_bytes!("fixtures/layers.ttf");
        for tag in [b"COLR", b"CPAL", b"cmap", b"hmtx"] {
            let table = |bytes| {
                let font = skrifa::FontRef::new(bytes).unwrap();
                let table = font.table_data(skrifa::raw::types::Tag::new(tag)).unwrap();
                table.as_bytes().to_vec()
            };
            assert_eq!(table(&font), table(plain), "{tag:?}");
        }
        // A length that no font has is refused before anything of it is made.
        let mut vast = SECOND.to_vec();
        vast[16..20].fill(0xff);
        assert_eq!(unpacked(vast), Err(CanvasError::BadFont));
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        #[test]
        fn damage_to_the_second_version_is_answered(
            changes in prop::collection::vec((0usize..1000, any::<u8>()), 1..6),
            cut in 0usize..200,
        ) {
            let mut woff = SECOND.to_vec();
            for (at, byte) in changes {
                let at = at % woff.len();
                woff[at] = byte;
            }
            woff.truncate(woff.len() - cut);
            if let Ok(font) = unpacked(woff) {
                prop_assert!(font.len() <= MAX_BYTES);
            }
        }

        #[test]
        fn damage_is_answered(at in 0usize..90, byte in any::<u8>(), cut in 0usize..200) {
            let mut woff = packed();
            let index = at % woff.len();
            woff[index] = byte;
            woff.truncate(woff.len() - cut.min(woff.len()));
            let _ = unpacked(woff);
        }
    }
}
