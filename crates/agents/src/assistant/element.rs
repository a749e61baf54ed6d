//! What a page says of itself. The script that says it runs beside the page's own code, so nothing of it is taken as
//! it is: texts are cut again, numbers are finite, and what a password field holds is dropped wherever it comes from.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Elements of one scan.
const ELEMENTS: usize = 500;
/// UTF-16 units of an element's text (CONTRACT, Ava).
pub const TEXT: usize = 50;
/// Characters of what else a page says of an element, and of its own title and address.
const WORD: usize = 200;
const ADDRESS: usize = 2_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// What an element is in. Absent: it cannot be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// Never of a password field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Something on a page that can be used (CONTRACT, Ava).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Element {
    /// Its `data-agent-id`: the same as long as it is the same element.
    pub id: u32,
    pub tag_name: String,
    pub class_name: String,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub role: Option<String>,
    /// White space collapsed, at most 50 UTF-16 units.
    pub text: String,
    /// By the rules of accessible names.
    pub name: String,
    pub rect: Rect,
    pub state: State,
    /// Within the viewport, and nothing lies over it.
    pub visible: bool,
    /// The frame it is in, from the page's own down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frame: Vec<u32>,
}

/// One look at a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Observation {
    pub url: String,
    pub title: String,
    /// Those in the viewport first.
    pub elements: Vec<Element>,
    /// How many there are that are not listed.
    pub more: u32,
    /// How far the page can be scrolled further down, in CSS pixels.
    pub below: f64,
    /// Of the viewport, in CSS pixels.
    pub width: f64,
    pub height: f64,
}

impl Observation {
    /// As it may be used: bounded, each id once.
    pub fn tamed(mut self) -> Observation {
        self.url = base::text::cut(&self.url, ADDRESS);
        self.title = base::text::cut(collapsed(&self.title).as_str(), WORD);
        for number in [&mut self.below, &mut self.width, &mut self.height] {
            *number = if number.is_finite() { number.max(0.0) } else { 0.0 };
        }
        let mut known = BTreeSet::new();
        let before = self.elements.len();
        self.elements.retain(|one| one.id > 0 && known.insert(one.id));
        self.elements.truncate(ELEMENTS);
        let left_out = u32::try_from(before - self.elements.len()).unwrap_or(u32::MAX);
        self.more = self.more.saturating_add(left_out);
        self.elements.iter_mut().for_each(Element::tame);
        self
    }

    pub fn element(&self, id: u32) -> Option<&Element> {
        self.elements.iter().find(|one| one.id == id)
    }
}

impl Element {
    fn tame(&mut self) {
        let word = |text: &str| base::text::cut(&collapsed(text), WORD);
        self.tag_name = word(&self.tag_name).to_lowercase();
        self.class_name = word(&self.class_name);
        self.kind = self.kind.as_deref().map(word);
        self.role = self.role.as_deref().map(word);
        self.text = cut_text(&self.text);
        self.name = cut_text(&self.name);
        self.frame.truncate(8);
        for number in [
            &mut self.rect.x,
            &mut self.rect.y,
            &mut self.rect.width,
            &mut self.rect.height,
        ] {
            if !number.is_finite() {
                *number = 0.0;
            }
        }
        match self.is_password() {
            true => self.state.value = None,
            false => self.state.value = self.state.value.as_deref().map(cut_text),
        }
    }

    pub fn is_password(&self) -> bool {
        self.kind
            .as_deref()
            .is_some_and(|kind| kind.eq_ignore_ascii_case("password"))
    }

    /// What it is called: its name, or what it says.
    pub fn label(&self) -> &str {
        if self.name.is_empty() {
            &self.text
        } else {
            &self.name
        }
    }
}

/// White space as one space each, none at the ends.
fn collapsed(text: &str) -> String {
    let mut whole = String::with_capacity(text.len().min(WORD * 4));
    for word in text.split_whitespace() {
        if !whole.is_empty() {
            whole.push(' ');
        }
        whole.push_str(word);
        if whole.len() > ADDRESS * 4 {
            break;
        }
    }
    whole.retain(|one| !one.is_control());
    whole
}

/// Collapsed, then at most [`TEXT`] UTF-16 units, no character split.
pub(super) fn cut_text(text: &str) -> String {
    let mut units = 0;
    collapsed(text)
        .chars()
        .take_while(|one| {
            units += one.len_utf16();
            units <= TEXT
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn element() -> impl Strategy<Value = Element> {
        (
            0u32..6,
            ".{0,80}",
            ".{0,80}",
            prop::option::of("text|password|PassWord|.{0,8}"),
            prop::option::of(".{0,80}"),
            prop::num::f64::ANY,
        )
            .prop_map(|(id, text, name, kind, value, x)| Element {
                id,
                text,
                name,
                kind,
                state: State {
                    value,
                    ..State::default()
                },
                rect: Rect { x, ..Rect::default() },
                ..Element::default()
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Properties 5 and 7 of the seed, whatever a page says.
        #[test]
        fn what_a_page_says_is_bounded(elements in prop::collection::vec(element(), 0..12), below in prop::num::f64::ANY) {
            let count = elements.len();
            let seen = Observation { elements, below, ..Observation::default() }.tamed();
            let ids: BTreeSet<u32> = seen.elements.iter().map(|one| one.id).collect();
            prop_assert_eq!(ids.len(), seen.elements.len());
            prop_assert_eq!(seen.elements.len() + seen.more as usize, count);
            prop_assert!(seen.below.is_finite() && seen.below >= 0.0);
            for one in &seen.elements {
                let units = one.text.encode_utf16().count();
                prop_assert!(units <= TEXT && one.rect.x.is_finite());
                prop_assert!(!(one.is_password() && one.state.value.is_some()));
            }
        }

        /// A longer text has 50 units, or 49 where the last character has two.
        #[test]
        fn a_long_text_is_cut_where_it_must_be(text in "[a-z😀语 ]{60,120}") {
            let (cut, whole) = (cut_text(&text), collapsed(&text));
            let units = cut.encode_utf16().count();
            prop_assert!(whole.starts_with(&cut));
            if whole.encode_utf16().count() > TEXT {
                prop_assert!(units == TEXT || units == TEXT - 1 && whole[cut.len()..].chars().next().is_some_and(|one| one.len_utf16() == 2));
            } else {
                prop_assert_eq!(cut, whole);
            }
        }
    }
}
