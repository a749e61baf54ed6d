//! As much of a module's bytes as wasmi does not tell: exports in their order, with the numbers that functions
//! have in the module; and the start function, which wasmi would run to its end. Only bytes that wasmi has
//! found valid come here.

use std::collections::HashMap;

const HEADER: usize = 8;
const EXPORTS: u8 = 7;
const START: u8 = 8;
const FUNCTION: u8 = 0;

/// Where an export stands among all, and the number of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub at: usize,
    pub function: Option<u32>,
}

/// By name; empty where there are none.
pub(super) fn exports(bytes: &[u8]) -> HashMap<String, Place> {
    section(bytes, EXPORTS).and_then(read).unwrap_or_default()
}

/// A module that starts nothing by itself.
pub(super) struct Quiet {
    pub bytes: Vec<u8>,
    /// Under which the function is exported that was to be started.
    pub start: String,
}

/// Nothing where the module starts nothing.
pub(super) fn quiet(bytes: &[u8]) -> Option<Quiet> {
    let function = Reader(section(bytes, START)?).number()?;
    let taken = exports(bytes);
    let mut start = "start".to_owned();
    while taken.contains_key(&start) {
        start.push('_');
    }
    let mut entry = number(u32::try_from(start.len()).ok()?);
    entry.extend_from_slice(start.as_bytes());
    entry.push(FUNCTION);
    entry.extend(number(function));
    let has_exports = section(bytes, EXPORTS).is_some();
    let (header, rest) = bytes.split_at_checked(HEADER)?;
    let mut quiet = header.to_vec();
    let mut rest = Reader(rest);
    while !rest.0.is_empty() {
        let id = rest.byte()?;
        let length = rest.number()? as usize;
        let body = rest.take(length)?;
        match id {
            EXPORTS => {
                let mut body = Reader(body);
                let count = body.number()?.checked_add(1)?;
                push(&mut quiet, EXPORTS, &[&number(count), body.0, &entry])?;
            }
            START if has_exports => {}
            // Exports come just before it.
            START => push(&mut quiet, EXPORTS, &[&number(1), &entry])?,
            _ => push(&mut quiet, id, &[body])?,
        }
    }
    Some(Quiet { bytes: quiet, start })
}

fn push(bytes: &mut Vec<u8>, id: u8, parts: &[&[u8]]) -> Option<()> {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    bytes.push(id);
    bytes.extend(number(u32::try_from(length).ok()?));
    for part in parts {
        bytes.extend_from_slice(part);
    }
    Some(())
}

/// LEB128.
fn number(mut value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn section(bytes: &[u8], wanted: u8) -> Option<&[u8]> {
    let mut rest = Reader(bytes.get(HEADER..)?);
    loop {
        let id = rest.byte()?;
        let length = rest.number()? as usize;
        let body = rest.take(length)?;
        if id == wanted {
            return Some(body);
        }
    }
}

fn read(body: &[u8]) -> Option<HashMap<String, Place>> {
    let mut body = Reader(body);
    let count = body.number()? as usize;
    let mut places = HashMap::new();
    for at in 0..count {
        let length = body.number()? as usize;
        let name = std::str::from_utf8(body.take(length)?).ok()?.to_owned();
        let kind = body.byte()?;
        let number = body.number()?;
        let function = (kind == FUNCTION).then_some(number);
        places.insert(name, Place { at, function });
    }
    Some(places)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// LEB128.
    fn number(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_have_their_places_and_cut_bytes_none() {
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        bytes.extend([0, 3, 1, b'c', 9]);
        bytes.extend([7, 10, 2, 1, b'z', 2, 0, 1, b'a', 0, 0x82, 0x01]);
        let places = exports(&bytes);
        assert_eq!(
            places["z"],
            Place {
                at: 0,
                function: None
            }
        );
        let function = Some(130);
        assert_eq!(places["a"], Place { at: 1, function });
        for cut in 0..bytes.len() {
            assert!(exports(&bytes[..cut]).is_empty(), "{cut}");
        }
    }

    /// Type and function 0, which does nothing, and is started.
    const TYPE: &[u8] = &[1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0];
    const CODE: &[u8] = &[10, 4, 1, 2, 0, 0x0b];

    fn module(between: &[u8]) -> Vec<u8> {
        [b"\0asm\x01\0\0\0", TYPE, between, CODE].concat()
    }

    #[test]
    fn what_is_started_is_exported_and_started_no_more() {
        for (exports, name) in [
            (&[][..], "start"),
            (&[7, 5, 1, 1, b'f', 0, 0][..], "start"),
            (&[7, 9, 1, 5, b's', b't', b'a', b'r', b't', 0, 0][..], "start_"),
        ] {
            let before = module(&[exports, &[8, 1, 0]].concat());
            let quiet = quiet(&before).unwrap();
            assert_eq!(quiet.start, name);
            assert!(section(&quiet.bytes, START).is_none());
            let module = wasmi::Module::new(&wasmi::Engine::default(), &quiet.bytes).unwrap();
            assert!(matches!(
                module.get_export(name),
                Some(wasmi::ExternType::Func(_))
            ));
            assert_eq!(module.exports().count(), 1 + super::exports(&before).len());
            for cut in 0..before.len() {
                let _ = super::quiet(&before[..cut]);
            }
        }
        assert!(quiet(&module(&[])).is_none());
    }
}
