//! Tools that a model may call, its calls, what they gave, and pictures that it is shown.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// A tool that is offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of an object.
    pub parameters: Value,
}

/// A call as the model made it. Nothing of it is trusted: the tool may not exist, the arguments may be no JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within its answer.
    pub id: String,
    pub name: String,
    /// As the model wrote them.
    pub arguments: String,
    /// What the service wants to see again beside the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

impl ToolCall {
    /// The arguments, which are an object; nothing at all is an empty one.
    pub fn parsed(&self) -> Result<Map<String, Value>, serde_json::Error> {
        match self.arguments.trim() {
            "" => Ok(Map::new()),
            text => serde_json::from_str(text),
        }
    }

    /// For protocols that carry an object: what is none is shown to the model as it wrote it.
    pub(crate) fn object(&self) -> Map<String, Value> {
        self.parsed()
            .unwrap_or_else(|_| Map::from_iter([("unreadable".to_owned(), self.arguments.as_str().into())]))
    }

    /// Bytes that it holds.
    pub(crate) fn size(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.len() + self.mark.as_ref().map_or(0, String::len)
    }
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call's id.
    pub call: String,
    /// The call's tool.
    pub name: String,
    pub text: String,
    pub is_error: bool,
}

/// A picture in one of the formats that all services read.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    media_type: &'static str,
    bytes: Arc<[u8]>,
}

impl Picture {
    /// Bytes of one; the strictest service takes so many.
    pub const LIMIT: usize = 5 << 20;

    /// PNG, JPEG, GIF or WebP by its first bytes; `None` for what is none of them, or larger than [`Picture::LIMIT`].
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Option<Picture> {
        let bytes = bytes.into();
        let media_type = match &*bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return None,
        };
        (bytes.len() <= Picture::LIMIT).then_some(Picture { media_type, bytes })
    }

    pub fn media_type(&self) -> &'static str {
        self.media_type
    }

    pub(crate) fn base64(&self) -> String {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(&self.bytes)
    }
}

/// In base64.
impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.base64())
    }
}

/// The same bytes are pictures as for [`Picture::new`].
impl<'de> Deserialize<'de> for Picture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use base64::Engine as _;
        let text = String::deserialize(deserializer)?;
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(D::Error::custom)?;
        Picture::new(bytes).ok_or_else(|| D::Error::custom("this is no picture"))
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(arguments: &str) -> ToolCall {
        ToolCall {
            arguments: arguments.to_owned(),
            ..ToolCall::default()
        }
    }

    #[test]
    fn arguments_are_an_object_or_not_understood() {
        assert_eq!(call(" ").parsed().unwrap(), Map::new());
        assert_eq!(
            Value::from(call("{\"a\": [1]}").parsed().unwrap()),
            json!({"a": [1]})
        );
        for wrong in ["[1]", "{\"a\": 1", "3", "{'a': 1}", "{} {}"] {
            assert!(call(wrong).parsed().is_err(), "{wrong}");
            assert_eq!(Value::from(call(wrong).object()), json!({"unreadable": wrong}));
        }
    }

    #[test]
    fn pictures_are_known_by_their_bytes() {
        let png = *b"\x89PNG\r\n\x1a\n....";
        assert_eq!(Picture::new(png).map(|one| one.media_type()), Some("image/png"));
        let webp = *b"RIFF\x01\x02\x03\x04WEBPVP8L";
        assert_eq!(Picture::new(webp).map(|one| one.media_type()), Some("image/webp"));
        assert_eq!(Picture::new(*b"<svg/>"), None);
        assert_eq!(Picture::new(*b""), None);
        let mut large = png.to_vec();
        large.resize(Picture::LIMIT + 1, 0);
        assert_eq!(Picture::new(large.clone()), None);
        large.pop();
        assert!(Picture::new(large).is_some());
        // As text and back.
        let picture = Picture::new(png);
        let text = serde_json::to_string(&picture).unwrap();
        assert_eq!(serde_json::from_str::<Option<Picture>>(&text).unwrap(), picture);
        for wrong in ["\"%\"", "\"PHN2Zy8+\""] {
            assert!(serde_json::from_str::<Picture>(wrong).is_err(), "{wrong}");
        }
    }
}
