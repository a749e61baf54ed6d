//! What is to be done on a page: as a model says it, and as it is done.

use super::Observation;
use serde::{Deserialize, Serialize};

/// Milliseconds after a step before the page is looked at again, where nobody says otherwise (CONTRACT, Ava).
const WAIT_AFTER: u32 = 1000;
/// The longest that is waited.
const LONGEST: u32 = 30_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    Click,
    Input,
    Select,
    Scroll,
    Hover,
    Key,
    /// An address, or `back`, `forward`, `reload`.
    Navigate,
    /// For milliseconds, a text, or until the page is quiet.
    Wait,
    Observe,
    /// The text of an element or of the page.
    Extract,
    Screenshot,
    /// The wish is fulfilled; the value says how.
    Done,
}

impl ActionKind {
    pub const ALL: [ActionKind; 12] = [
        ActionKind::Click,
        ActionKind::Input,
        ActionKind::Select,
        ActionKind::Scroll,
        ActionKind::Hover,
        ActionKind::Key,
        ActionKind::Navigate,
        ActionKind::Wait,
        ActionKind::Observe,
        ActionKind::Extract,
        ActionKind::Screenshot,
        ActionKind::Done,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ActionKind::Click => "click",
            ActionKind::Input => "input",
            ActionKind::Select => "select",
            ActionKind::Scroll => "scroll",
            ActionKind::Hover => "hover",
            ActionKind::Key => "key",
            ActionKind::Navigate => "navigate",
            ActionKind::Wait => "wait",
            ActionKind::Observe => "observe",
            ActionKind::Extract => "extract",
            ActionKind::Screenshot => "screenshot",
            ActionKind::Done => "done",
        }
    }

    /// All of them, as they are told to whoever named none.
    pub(super) fn names() -> String {
        ActionKind::ALL.map(ActionKind::as_str).join(", ")
    }

    pub fn named(name: &str) -> Option<ActionKind> {
        let name = name.trim().to_ascii_lowercase();
        ActionKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether it is of no use without an element.
    pub fn needs_id(self) -> bool {
        matches!(
            self,
            ActionKind::Click | ActionKind::Input | ActionKind::Select | ActionKind::Hover
        )
    }

    pub fn needs_value(self) -> bool {
        matches!(
            self,
            ActionKind::Input | ActionKind::Select | ActionKind::Key | ActionKind::Navigate
        )
    }

    /// Whether something is different afterwards, for the page or for whoever looks at it.
    pub fn changes(self) -> bool {
        !matches!(
            self,
            ActionKind::Observe
                | ActionKind::Extract
                | ActionKind::Screenshot
                | ActionKind::Wait
                | ActionKind::Scroll
                | ActionKind::Hover
                | ActionKind::Done
        )
    }
}

/// A step as a model says it, understood and possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instruction {
    #[serde(rename = "type")]
    pub kind: ActionKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_after: Option<u32>,
}

/// A step as it is done (CONTRACT, Ava).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    #[serde(rename = "type")]
    pub kind: ActionKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// Of the element; of the page's own where there is none.
    pub selector: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Milliseconds.
    pub wait_after: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub will_navigate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Instruction {
    /// On the page that was looked at.
    pub fn action(&self, page: &Observation) -> Action {
        let element = self.id.and_then(|id| page.element(id));
        let is_link = element.is_some_and(|one| one.tag_name == "a" || one.role.as_deref() == Some("link"));
        Action {
            kind: self.kind,
            id: self.id,
            selector: match self.id {
                Some(id) => format!("[data-agent-id=\"{id}\"]"),
                None => ":root".to_owned(),
            },
            value: self.value.clone(),
            wait_after: self.wait_after.unwrap_or(WAIT_AFTER).min(LONGEST),
            will_navigate: self.kind == ActionKind::Navigate || self.kind == ActionKind::Click && is_link,
            reason: self.reason.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Element;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Property 9 of the seed, for every kind of step.
        #[test]
        fn a_step_has_all_that_is_needed_to_do_it(kind in prop::sample::select(ActionKind::ALL.to_vec()),
            id in prop::option::of(1u32..100), wait_after in prop::option::of(0u32..100_000)) {
            let page = Observation {
                elements: vec![Element { id: 7, tag_name: "a".to_owned(), ..Element::default() }],
                ..Observation::default()
            };
            let step = Instruction { kind, id, value: None, reason: None, wait_after };
            let action = serde_json::to_value(step.action(&page)).unwrap();
            prop_assert_eq!(action["type"].as_str(), Some(kind.as_str()));
            let selector = id.map_or(":root".to_owned(), |id| format!("[data-agent-id=\"{id}\"]"));
            prop_assert_eq!(action["selector"].as_str(), Some(selector.as_str()));
            prop_assert_eq!(action["waitAfter"].as_u64(), Some(u64::from(wait_after.unwrap_or(1000).min(30_000))));
            let leaves = kind == ActionKind::Navigate || kind == ActionKind::Click && id == Some(7);
            prop_assert_eq!(action["willNavigate"].as_bool().unwrap_or_default(), leaves);
        }
    }
}
