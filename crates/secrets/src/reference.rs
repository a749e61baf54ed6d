//! What is written in the place of a value: `pm-secret:keychain/{32 hex digits}` or `pm-secret:file/…`.
//!
//! Letters, digits and `-:/` alone: every reader of `.env` files, a shell among them, takes it for a
//! plain text, nothing in it is expanded, and it is written without quotes.

use std::fmt;
use std::str::FromStr;

const SCHEME: &str = "pm-secret:";

/// Where a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Keychain,
    /// Encrypted, in `secrets/kept.json` of the data home.
    File,
}

impl Place {
    fn as_str(self) -> &'static str {
        match self {
            Place::Keychain => "keychain",
            Place::File => "file",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name for one value. Another value gets another one, so what it stands for never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    pub(crate) place: Place,
    pub(crate) id: String,
}

impl Reference {
    /// How each begins.
    pub const MARK: &str = SCHEME;

    pub(crate) fn new(place: Place) -> Self {
        Reference {
            place,
            id: uuid::Uuid::new_v4().simple().to_string(),
        }
    }

    pub fn place(&self) -> Place {
        self.place
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.place, self.id)
    }
}

/// The text is no reference, but a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoReference;

impl FromStr for Reference {
    type Err = NoReference;

    /// Exactly what `to_string` writes: whatever differs is a value that a person wrote.
    fn from_str(text: &str) -> Result<Self, NoReference> {
        let (place, id) = text
            .strip_prefix(SCHEME)
            .and_then(|rest| rest.split_once('/'))
            .ok_or(NoReference)?;
        let place = match place {
            "keychain" => Place::Keychain,
            "file" => Place::File,
            _ => return Err(NoReference),
        };
        let digits = id
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        match digits && id.len() == 32 {
            true => Ok(Reference {
                place,
                id: id.to_owned(),
            }),
            false => Err(NoReference),
        }
    }
}

/// Whose a value is. A reference is of use for that one alone: copied into another tool's `.env`, or to
/// another variable, it names nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    key: String,
    name: String,
}

impl Owner {
    /// A variable of a tool. Neither name can hold a `/`.
    pub fn variable(tool: &str, variable: &str) -> Self {
        Owner {
            key: format!("tool/{tool}/{variable}"),
            name: variable.to_owned(),
        }
    }

    /// The key of a model service, whose name may be anything.
    pub fn model(service: &str) -> Self {
        Owner {
            key: format!("model/{service}"),
            name: service.to_owned(),
        }
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// For people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_we_write_is_a_reference() {
        let hex = "0123456789abcdef0123456789abcdef";
        for place in ["keychain", "file"] {
            let text = format!("pm-secret:{place}/{hex}");
            assert_eq!(text.parse::<Reference>().unwrap().to_string(), text);
        }
        for text in [
            String::new(),
            format!("pm-secret:keychain/{hex} "),
            format!(" pm-secret:keychain/{hex}"),
            format!("PM-SECRET:keychain/{hex}"),
            format!("pm-secret:keychain/{}", hex.to_uppercase()),
            format!("pm-secret:keychain/{}", &hex[1..]),
            format!("pm-secret:keychain/{hex}0"),
            format!("pm-secret:keychain/x/{}", &hex[2..]),
            format!("pm-secret:env/{hex}"),
            format!("pm-secret:{hex}"),
            "pm-secret:file/０123456789abcdef0123456789abcde".to_owned(),
        ] {
            assert_eq!(text.parse::<Reference>(), Err(NoReference), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_text_that_is_read_is_written_the_same(text in "pm-secret:(keychain|file|env|f)/[0-9a-fA-F]{31,33}") {
            if let Ok(read) = text.parse::<Reference>() {
                prop_assert_eq!(read.to_string(), text);
            }
        }
    }
}
