//! Model services. Keys go in and never come out.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ModelProtocol {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

/// What a service does not say of its model. Absent parts are not known: then a window of 128,000 tokens, answers
/// of 8,000 and no price are counted with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelTerms {
    /// Tokens that the model can see, its answer among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub window: Option<u32>,
    /// Tokens that an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<u32>,
    /// What a million tokens cost that are read, in the currency of budgets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input_price: Option<f64>,
    /// The same of those that are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output_price: Option<f64>,
    /// Whether it can be shown pictures; absent, it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pictures: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    pub name: String,
    pub protocol: ModelProtocol,
    /// Absent: where the protocol's maker is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_url: Option<String>,
    /// As the service calls it.
    pub model: String,
    pub terms: ModelTerms,
    /// A key is kept for it.
    pub has_key: bool,
    /// Meant where nobody names one.
    pub default: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    pub services: Vec<ModelRow>,
    /// The file in which keys are kept.
    pub keys_file: String,
}

/// A new service, or one that was there.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelSave {
    /// Its name until now; absent for a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub was: Option<String>,
    pub name: String,
    pub protocol: ModelProtocol,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_url: Option<String>,
    pub model: String,
    /// Absent: they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub terms: Option<ModelTerms>,
    /// Absent: the key stays as it is. Empty: there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelRef {
    pub name: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelKey {
    pub name: String,
    /// Absent: the key is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelTested {
    /// What it said, or its beginning.
    pub text: String,
    /// Until the first word.
    pub first_ms: f64,
    pub total_ms: f64,
}

/// Why an answer is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelFinish {
    Done,
    /// The service gives no longer answers: the end is missing.
    Length,
    /// The service kept the rest back.
    Withheld,
}

/// What an answer cost, as far as the service says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelUse {
    pub service: String,
    pub model: String,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<f64>,
    pub finish: ModelFinish,
    pub duration_ms: f64,
}
