//! A service as a person described it.

use crate::ModelError;
use base::settings::{ModelService, ModelTerms};
use std::fmt;
use url::{Host, Url};

pub use base::settings::ModelProtocol as Protocol;

/// Bytes of a key; those of today have about two hundred.
const MAX_KEY: usize = 4096;
const MAX_NAME: usize = 64;
const MAX_MODEL: usize = 200;
/// Tokens; in less there is no room for what an agent is told first.
const MIN_WINDOW: u32 = 1000;
/// Of a million tokens.
const MAX_PRICE: f64 = 1e6;

/// A secret: printed, it says nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Keys travel in a header: visible ASCII.
    pub fn new(text: &str) -> Result<Self, ModelError> {
        let text = text.trim();
        match !text.is_empty() && text.len() <= MAX_KEY && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(Key(text.to_owned())),
            false => Err(ModelError::BadKey { limit: MAX_KEY }),
        }
    }

    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    pub(crate) model: String,
    pub(crate) base: Url,
    pub(crate) key: Option<Key>,
    terms: ModelTerms,
}

impl Service {
    pub fn new(described: &ModelService, key: Option<Key>) -> Result<Self, ModelError> {
        let bad = |field, reason| ModelError::BadService {
            service: base::text::cut(&described.name, MAX_NAME),
            field,
            reason,
        };
        if !is_name(&described.name) {
            return Err(bad("name", Wrong::Name));
        }
        let model = described.model.trim();
        if model.is_empty() || model.chars().count() > MAX_MODEL || model.chars().any(char::is_control) {
            return Err(bad("model", Wrong::Model));
        }
        if !is_possible(&described.terms) {
            return Err(bad("terms", Wrong::Terms));
        }
        let given = described.base_url.as_deref().map(str::trim);
        let given = given.filter(|text| !text.is_empty());
        let base = given.unwrap_or_else(|| usual(described.protocol));
        Ok(Service {
            name: described.name.clone(),
            protocol: described.protocol,
            model: model.to_owned(),
            base: address(base).ok_or_else(|| bad("baseUrl", Wrong::Address))?,
            key,
            terms: described.terms,
        })
    }

    /// What a person said of its model.
    pub fn terms(&self) -> ModelTerms {
        self.terms
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the protocol's maker has not answered without a key so far.
    pub fn lacks_key(&self) -> bool {
        let own = usual(self.protocol);
        self.key.is_none()
            && self.protocol != Protocol::Ollama
            && address(own).is_some_and(|own| own.host() == self.base.host())
    }

    /// No proxy stands between this machine and itself.
    pub(crate) fn is_here(&self) -> bool {
        match self.base.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// An address below the base, each part one segment.
    pub(crate) fn at(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        // An http address has segments: `address` took no other.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(parts);
        }
        url
    }
}

/// Why a description is of no use; each has its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Name,
    Model,
    Address,
    Terms,
}

/// Where a service of this protocol is when nobody says so.
pub fn usual(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenAi => "https://api.openai.com/v1",
        Protocol::Anthropic => "https://api.anthropic.com/v1",
        Protocol::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        Protocol::Ollama => "http://127.0.0.1:11434",
    }
}

/// A window that holds an answer and something before it, prices that are none or some.
fn is_possible(terms: &ModelTerms) -> bool {
    let window = terms.window.unwrap_or(u32::MAX);
    let output = terms.output.unwrap_or(1);
    let price = |price: Option<f64>| price.is_none_or(|price| (0.0..=MAX_PRICE).contains(&price));
    output > 0
        && output < window
        && window >= MIN_WINDOW
        && price(terms.input_price)
        && price(terms.output_price)
}

/// Names stand in records and in `model:NAME`.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && name.trim() == name
        && !name.chars().any(char::is_control)
}

/// Passwords, queries and fragments have no place in it: they would be sent or shown.
fn address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    plain.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(base: &str, protocol: Protocol) -> Result<Service, ModelError> {
        let described = ModelService {
            name: "one".to_owned(),
            protocol,
            base_url: Some(base.to_owned()),
            model: "m".to_owned(),
            terms: ModelTerms::default(),
        };
        Service::new(&described, None)
    }

    #[test]
    fn addresses_keep_their_path_and_nothing_else() {
        let open = service("http://localhost:8080/openai/v1/", Protocol::OpenAi).unwrap();
        assert_eq!(
            open.at(&["chat", "a b/c"]).as_str(),
            "http://localhost:8080/openai/v1/chat/a%20b%2Fc"
        );
        assert!(open.is_here() && !open.lacks_key());
        for here in ["http://127.0.0.1", "http://[::1]:1", "https://x.localhost"] {
            assert!(service(here, Protocol::Ollama).unwrap().is_here(), "{here}");
        }
        assert!(
            !service("https://localhost.example", Protocol::Ollama)
                .unwrap()
                .is_here()
        );
        assert!(service("", Protocol::Anthropic).unwrap().lacks_key());
        for wrong in [
            "ftp://a",
            "https://u:p@a",
            "https://a/?k=1",
            "https://a/#x",
            "a",
            "file:///etc",
        ] {
            assert!(
                matches!(
                    service(wrong, Protocol::OpenAi),
                    Err(ModelError::BadService { field: "baseUrl", .. })
                ),
                "{wrong}"
            );
        }
    }

    #[test]
    fn terms_are_possible() {
        let with = |window, output, input_price| ModelTerms {
            window,
            output,
            input_price,
            ..ModelTerms::default()
        };
        for right in [
            ModelTerms::default(),
            with(Some(200_000), Some(64_000), Some(2.5)),
            with(None, Some(100), Some(0.0)),
        ] {
            assert!(is_possible(&right), "{right:?}");
        }
        for wrong in [
            with(Some(999), None, None),
            with(Some(2000), Some(2000), None),
            with(None, Some(0), None),
            with(None, None, Some(-1.0)),
            with(None, None, Some(f64::NAN)),
            with(None, None, Some(1e7)),
        ] {
            assert!(!is_possible(&wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_key_is_one_visible_word_and_prints_nothing() {
        assert_eq!(Key::new(" sk-1\n").unwrap().secret(), "sk-1");
        assert_eq!(format!("{:?}", Key::new("sk-1").unwrap()), "Key(…)");
        for wrong in ["", "  ", "a b", "a\nb", "钥匙", &"x".repeat(MAX_KEY + 1)] {
            assert!(Key::new(wrong).is_err(), "{wrong}");
        }
    }
}
