//! Bytes of a body as whole events: those of `text/event-stream`, or lines of JSON.
//!
//! Deliberately not here: what an event says.

/// Bytes of one event. The largest are of services that send a picture's worth of text at once.
pub(crate) const FRAME: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `data:` lines, an empty line ends the event.
    Events,
    /// Each line is one.
    Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    TooLong,
    NotText,
}

/// Memory of what has begun and is not whole yet, never more than [`FRAME`].
#[derive(Debug)]
pub(crate) struct Frames {
    shape: Shape,
    line: Vec<u8>,
    data: Option<String>,
}

impl Frames {
    pub(crate) fn new(shape: Shape) -> Self {
        Frames {
            shape,
            line: Vec::new(),
            data: None,
        }
    }

    /// Takes what came and gives the events that are whole now.
    pub(crate) fn take(&mut self, mut bytes: &[u8]) -> Result<Vec<String>, Broken> {
        let mut whole = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.grow(&bytes[..end])?;
            bytes = &bytes[end + 1..];
            whole.extend(self.line_ended()?);
        }
        self.grow(bytes)?;
        Ok(whole)
    }

    /// Nothing more comes: what was not ended is ended by that.
    pub(crate) fn end(&mut self) -> Result<Option<String>, Broken> {
        let last = match self.line.is_empty() {
            true => None,
            false => self.line_ended()?,
        };
        Ok(last.or_else(|| self.data.take()))
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > FRAME {
            return Err(Broken::TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_ended(&mut self) -> Result<Option<String>, Broken> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8(line).map_err(|_| Broken::NotText)?;
        let line = line.strip_suffix('\r').unwrap_or(&line);
        match self.shape {
            Shape::Lines => Ok(Some(line.trim())
                .filter(|line| !line.is_empty())
                .map(str::to_owned)),
            Shape::Events if line.is_empty() => Ok(self.data.take()),
            Shape::Events => {
                // Comments and other fields say nothing that the data does not.
                if let Some(text) = line.strip_prefix("data:") {
                    let text = text.strip_prefix(' ').unwrap_or(text);
                    match &mut self.data {
                        Some(data) => {
                            data.push('\n');
                            data.push_str(text);
                        }
                        None => self.data = Some(text.to_owned()),
                    }
                }
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(shape: Shape, parts: &[&[u8]]) -> Result<Vec<String>, Broken> {
        let mut frames = Frames::new(shape);
        let mut whole = Vec::new();
        for part in parts {
            whole.extend(frames.take(part)?);
        }
        whole.extend(frames.end()?);
        Ok(whole)
    }

    #[test]
    fn events_are_their_data_whatever_stands_around_it() {
        let text =
            ": hello\r\nevent: a\r\ndata: {\"a\":1}\r\n\r\ndata:x\ndata: y\n\n\n\nid: 3\n\ndata: [DONE]";
        let found = all(Shape::Events, &[text.as_bytes()]).unwrap();
        assert_eq!(found, ["{\"a\":1}", "x\ny", "[DONE]"]);
        let found = all(Shape::Lines, &[b"{\"a\":1}\n\n {\"b\":2} \r\n{\"c\":3}"]).unwrap();
        assert_eq!(found, ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
    }

    #[test]
    fn an_event_that_does_not_end_is_not_kept_for_ever() {
        let long = vec![b'x'; FRAME / 2 + 1];
        for shape in [Shape::Events, Shape::Lines] {
            assert_eq!(all(shape, &[&long, &long]), Err(Broken::TooLong));
            // Nor one of many lines.
            let mut line = b"data: ".to_vec();
            line.extend(&long);
            line.push(b'\n');
            let many = all(Shape::Events, &[&line, &line]);
            assert_eq!(many, Err(Broken::TooLong));
        }
        assert_eq!(all(Shape::Lines, &[b"\xff\n"]), Err(Broken::NotText));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// However the network cuts it, the events are the same.
        #[test]
        fn where_it_is_cut_makes_no_difference(
            lines in prop::collection::vec("(data: ?|: |)[a-z你🙂 ]{0,12}\r?\n|\r?\n", 0..20),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            events in any::<bool>(),
        ) {
            let shape = if events { Shape::Events } else { Shape::Lines };
            let text = lines.concat();
            let whole = all(shape, &[text.as_bytes()]).unwrap();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            at.extend([0, text.len()]);
            at.sort_unstable();
            let parts: Vec<&[u8]> = at.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
            prop_assert_eq!(all(shape, &parts).unwrap(), whole);
        }

        /// Rubbish is refused or read, and never more of it kept than one event.
        #[test]
        fn rubbish_is_bounded(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..20)) {
            let mut frames = Frames::new(Shape::Events);
            for part in &parts {
                if frames.take(part).is_err() {
                    return Ok(());
                }
                prop_assert!(frames.line.len() + frames.data.as_ref().map_or(0, String::len) <= FRAME);
            }
        }
    }
}
