//! How each protocol asks and what its events say: text, and calls of tools. What else an event has is passed
//! over.
//!
//! Deliberately not here: the way there and back, limits.

mod anthropic;
mod calls;
mod gemini;
mod ollama;
mod openai;

use crate::chat::{Chat, End, Finish, Usage};
use crate::error::{ModelError, REASON};
use crate::frames::Shape;
use crate::service::{Protocol, Service};
use crate::tools::ToolCall;
use calls::Calls;
use serde_json::Value;
use std::time::Duration;
use url::Url;

/// What is sent, as JSON.
pub(crate) struct Request {
    pub url: Url,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
}

pub(crate) fn request(service: &Service, chat: &Chat) -> Request {
    match service.protocol {
        Protocol::OpenAi => openai::request(service, chat),
        Protocol::Anthropic => anthropic::request(service, chat),
        Protocol::Gemini => gemini::request(service, chat),
        Protocol::Ollama => ollama::request(service, chat),
    }
}

pub(crate) fn shape(protocol: Protocol) -> Shape {
    match protocol {
        Protocol::Ollama => Shape::Lines,
        Protocol::OpenAi | Protocol::Anthropic | Protocol::Gemini => Shape::Events,
    }
}

/// What one event brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Nothing,
    Text(String),
    /// Nothing of use comes after it.
    Over,
}

/// An event that is no part of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Unreadable(String),
    /// The service has failed, as if it had answered with this status.
    Failed {
        status: u16,
        reason: String,
    },
}

/// What the events of one answer have said so far.
pub(crate) struct Reader {
    protocol: Protocol,
    finish: Option<Finish>,
    usage: Usage,
    calls: Calls,
}

impl Reader {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Reader {
            protocol,
            finish: None,
            usage: Usage::default(),
            calls: Calls::default(),
        }
    }

    pub(crate) fn read(&mut self, event: &str) -> Result<Read, Trouble> {
        if self.protocol == Protocol::OpenAi && event.trim() == openai::OVER {
            return Ok(Read::Over);
        }
        let event: Value =
            serde_json::from_str(event).map_err(|error| Trouble::Unreadable(error.to_string()))?;
        if !event.is_object() {
            return Err(Trouble::Unreadable("not an object".to_owned()));
        }
        match self.protocol {
            Protocol::OpenAi => openai::read(self, &event),
            Protocol::Anthropic => anthropic::read(self, &event),
            Protocol::Gemini => gemini::read(self, &event),
            Protocol::Ollama => ollama::read(self, &event),
        }
    }

    /// Bytes of the calls so far.
    pub(crate) fn size(&self) -> usize {
        self.calls.size()
    }

    /// The calls, and how it ended, if the service has said so: without that, it was cut off.
    pub(crate) fn end(self) -> Option<(Vec<ToolCall>, End)> {
        let calls = self.calls.whole();
        let finish = match self.finish? {
            // Some services have a reason of its own for it, some have none.
            Finish::Done if !calls.is_empty() => Finish::Calls,
            other => other,
        };
        let end = End {
            finish,
            usage: self.usage,
        };
        Some((calls, end))
    }

    fn count(&mut self, input: Option<&Value>, output: Option<&Value>) {
        let number = |value: Option<&Value>| value.and_then(Value::as_u64);
        self.usage.input = number(input).or(self.usage.input);
        self.usage.output = number(output).or(self.usage.output);
    }
}

/// A text that is there and says something.
fn text(value: Option<&Value>) -> Read {
    match value.and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Read::Text(text.to_owned()),
        _ => Read::Nothing,
    }
}

/// What a service says of its failure, wherever its protocol has it.
fn reason(body: &Value) -> &str {
    let places = ["/error/message", "/error", "/message", "/detail"];
    let mut found = places.iter().filter_map(|place| body.pointer(place)?.as_str());
    found.next().unwrap_or_default()
}

/// The failure behind a status and its body. `said` is shown to people, without the key.
pub(crate) fn failure(service: &Service, status: u16, body: &str, after: Option<Duration>) -> ModelError {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let keyless = service.protocol == Protocol::Gemini && gemini::is_about_the_key(&body);
    let status = if keyless { 401 } else { status };
    failed(service, status, reason(&body), after)
}

pub(crate) fn failed(service: &Service, status: u16, said: &str, after: Option<Duration>) -> ModelError {
    let name = service.name().to_owned();
    let reason = || {
        let said = match &service.key {
            Some(key) => said.replace(key.secret(), "***"),
            None => said.to_owned(),
        };
        let plain: String = said.chars().filter(|char| !char.is_control()).collect();
        base::text::cut(plain.trim(), REASON)
    };
    match status {
        // What is said here may hold a part of the key.
        401 | 403 => ModelError::Unauthorized {
            service: name,
            status,
        },
        404 => ModelError::NotFound {
            service: name,
            model: service.model().to_owned(),
        },
        429 => ModelError::RateLimited { service: name, after },
        408 | 500.. => ModelError::Unavailable {
            service: name,
            status,
            reason: reason(),
            after,
        },
        _ => ModelError::Refused {
            service: name,
            status,
            reason: reason(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Role};
    use crate::service::Key;
    use base::Coded as _;
    use base::settings::ModelService;
    use proptest::prelude::*;
    use serde_json::json;

    const ALL: [Protocol; 4] = [
        Protocol::OpenAi,
        Protocol::Anthropic,
        Protocol::Gemini,
        Protocol::Ollama,
    ];

    fn service(protocol: Protocol) -> Service {
        with(protocol, base::settings::ModelTerms::default())
    }

    fn with(protocol: Protocol, terms: base::settings::ModelTerms) -> Service {
        let described = ModelService {
            name: "one".to_owned(),
            protocol,
            base_url: Some("http://localhost:1/v1".to_owned()),
            model: "m-1".to_owned(),
            terms,
        };
        Service::new(&described, Some(Key::new("sk-secret").unwrap())).unwrap()
    }

    #[test]
    fn what_a_person_says_of_the_model_is_asked_for() {
        let terms = base::settings::ModelTerms {
            window: Some(32_000),
            output: Some(4_000),
            ..Default::default()
        };
        let chat = Chat::new(vec![Message::new(Role::User, "hi")]);
        let asked = |protocol, terms| request(&with(protocol, terms), &chat).body;
        assert_eq!(asked(Protocol::Ollama, terms)["options"]["num_ctx"], 32_000);
        assert_eq!(asked(Protocol::Anthropic, terms)["max_tokens"], 4_000);
        let unsaid = base::settings::ModelTerms::default();
        assert_eq!(asked(Protocol::Ollama, unsaid).get("options"), None);
        assert_eq!(asked(Protocol::Anthropic, unsaid)["max_tokens"], 8192);
    }

    #[test]
    fn each_asks_in_its_way_and_the_key_is_in_a_header_alone() {
        let chat = Chat::new(vec![
            Message::new(Role::System, "be kind"),
            Message::new(Role::User, "hi"),
            Message::new(Role::Assistant, "ho"),
            Message::new(Role::User, "{\"x\"}"),
        ]);
        let asked = |protocol| request(&service(protocol), &chat);
        let open = asked(Protocol::OpenAi);
        assert_eq!(open.url.as_str(), "http://localhost:1/v1/chat/completions");
        assert_eq!(
            open.body["messages"][0],
            json!({"role": "system", "content": "be kind"})
        );
        assert_eq!(open.body["messages"][2]["role"], "assistant");
        let anthropic = asked(Protocol::Anthropic);
        assert_eq!(anthropic.url.path(), "/v1/messages");
        assert_eq!(anthropic.body["system"], "be kind");
        assert_eq!(anthropic.body["messages"].as_array().unwrap().len(), 3);
        let gemini = asked(Protocol::Gemini);
        assert_eq!(gemini.url.path(), "/v1/models/m-1:streamGenerateContent");
        assert_eq!(gemini.body["contents"][1]["role"], "model");
        assert_eq!(gemini.body["systemInstruction"]["parts"][0]["text"], "be kind");
        let ollama = asked(Protocol::Ollama);
        assert_eq!(ollama.url.path(), "/v1/api/chat");
        assert_eq!(ollama.body["messages"][3]["content"], "{\"x\"}");
        for request in [open, anthropic, gemini, ollama] {
            let held = request
                .headers
                .iter()
                .filter(|(_, value)| value.contains("sk-secret"));
            assert_eq!(held.count(), 1);
            assert!(!request.url.as_str().contains("secret") && !request.body.to_string().contains("secret"));
        }
    }

    #[test]
    fn failures_are_known_by_status_and_kind() {
        let open = service(Protocol::OpenAi);
        let said = "{\"error\": {\"message\": \"no such sk-secret\\u0007 thing\"}}";
        for (status, code) in [
            (400, "model_refused"),
            (401, "model_unauthorized"),
            (403, "model_unauthorized"),
            (404, "model_not_found"),
            (429, "model_rate_limited"),
            (500, "model_unavailable"),
            (529, "model_unavailable"),
            (302, "model_refused"),
        ] {
            let failure = base::Failure::of(&failure(&open, status, said, None));
            assert_eq!(failure.code, code, "{status}");
            assert!(!format!("{failure:?}").contains("sk-secret"), "{failure:?}");
        }
        let ModelError::Refused { reason, .. } = failure(&open, 400, said, None) else {
            panic!("not refused");
        };
        assert_eq!(reason, "no such *** thing");
        let keyless =
            json!({"error": {"code": 400, "message": "bad", "details": [{"reason": "API_KEY_INVALID"}]}});
        let gemini = failure(&service(Protocol::Gemini), 400, &keyless.to_string(), None);
        assert_eq!(gemini.code(), "model_unauthorized");
        let events = [
            (
                Protocol::OpenAi,
                json!({"error": {"type": "rate_limit_exceeded", "message": "x"}}),
                429,
            ),
            (
                Protocol::OpenAi,
                json!({"error": {"code": 503, "message": "x"}}),
                503,
            ),
            (
                Protocol::Anthropic,
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
                529,
            ),
            (
                Protocol::Gemini,
                json!({"error": {"code": 429, "message": "x"}}),
                429,
            ),
            (Protocol::Ollama, json!({"error": "x"}), 500),
        ];
        for (protocol, event, expected) in events {
            let read = Reader::new(protocol).read(&event.to_string());
            let failed = Trouble::Failed {
                status: expected,
                reason: "x".to_owned(),
            };
            assert_eq!(read, Err(failed), "{event}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z_]{0,12}".prop_map(Value::from),
            Just(json!("message_stop")),
            Just(json!("text_delta")),
        ];
        let names = prop_oneof![
            Just("choices"),
            Just("delta"),
            Just("content"),
            Just("type"),
            Just("usage"),
            Just("error"),
            Just("message"),
            Just("candidates"),
            Just("parts"),
            Just("text"),
            Just("done"),
            Just("finish_reason"),
            Just("finishReason"),
            Just("usageMetadata"),
            Just("code"),
            Just("details"),
            Just("tool_calls"),
            Just("function"),
            Just("functionCall"),
            Just("arguments"),
            Just("index"),
            Just("id"),
            Just("content_block"),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((names.clone(), inner), 0..4).prop_map(|fields| {
                    fields
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect()
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// An event of any shape is text, nothing, the end or trouble; none takes the program down,
        /// and none that is no JSON is taken for an answer.
        #[test]
        fn events_of_any_shape_are_borne(event in any_json(), cut in any::<prop::sample::Index>()) {
            let whole = event.to_string();
            for protocol in ALL {
                let mut reader = Reader::new(protocol);
                let _ = reader.read(&whole);
                let end = whole.floor_char_boundary(cut.index(whole.len()));
                if serde_json::from_str::<Value>(&whole[..end]).is_err() {
                    let broken = Reader::new(protocol).read(&whole[..end]);
                    prop_assert!(matches!(broken, Err(Trouble::Unreadable(_))));
                }
            }
        }
    }
}
