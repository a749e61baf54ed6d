//! What a step changed: two looks at a page beside each other.

use super::element::{Element, Observation};
use super::prompt::Step;
use base::Lang;
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Elements that were not there before, where it is the same page.
    pub fresh: BTreeSet<u32>,
    pub gone: usize,
    /// The same elements, called otherwise or in another state.
    pub altered: usize,
    /// It is another page.
    pub moved: bool,
}

impl Change {
    pub fn between(before: &Observation, now: &Observation) -> Change {
        if before.url != now.url {
            return Change {
                moved: true,
                ..Change::default()
            };
        }
        let known: HashMap<u32, &Element> = before.elements.iter().map(|one| (one.id, one)).collect();
        let mut change = Change::default();
        let mut still = 0;
        for one in &now.elements {
            match known.get(&one.id) {
                None => {
                    change.fresh.insert(one.id);
                }
                Some(before) => {
                    still += 1;
                    change.altered += usize::from(before.label() != one.label() || before.state != one.state);
                }
            }
        }
        change.gone = known.len() - still;
        change
    }
}

impl Step {
    /// Says what it changed, for the model.
    pub(super) fn note(&mut self, change: &Change, lang: Lang) {
        let Change {
            fresh,
            gone,
            altered,
            moved,
        } = change;
        let fresh = fresh.len();
        let words = match (moved, fresh + gone + altered) {
            (true, _) => lang.pick("已到另一页面", "now on another page").to_owned(),
            (false, 0) => lang.pick("页面没有变化", "the page has not changed").to_owned(),
            (false, _) => match lang {
                Lang::ZhCn => format!("页面：新增 {fresh}，消失 {gone}，改变 {altered}"),
                Lang::En => format!("on the page {fresh} new, {gone} gone, {altered} changed"),
            },
        };
        self.said.push_str(&format!("; {words}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::State;
    use super::*;

    fn page(url: &str, elements: &[(u32, &str, Option<bool>)]) -> Observation {
        let elements = elements.iter().map(|(id, name, checked)| Element {
            id: *id,
            name: (*name).to_owned(),
            state: State {
                checked: *checked,
                ..State::default()
            },
            ..Element::default()
        });
        Observation {
            url: url.to_owned(),
            elements: elements.collect(),
            ..Observation::default()
        }
    }

    #[test]
    fn two_looks_beside_each_other() {
        let before = page(
            "a",
            &[(1, "one", None), (2, "two", Some(false)), (3, "three", None)],
        );
        let now = page(
            "a",
            &[(2, "two", Some(true)), (3, "three", None), (4, "four", None)],
        );
        let change = Change::between(&before, &now);
        assert_eq!(change.fresh, BTreeSet::from([4]));
        assert_eq!((change.gone, change.altered, change.moved), (1, 1, false));
        assert_eq!(Change::between(&before, &before), Change::default());
        assert!(Change::between(&before, &page("b", &[])).moved);
        let mut step = Step {
            said: "click".to_owned(),
            success: true,
        };
        step.note(&change, Lang::En);
        assert_eq!(step.said, "click; on the page 1 new, 1 gone, 1 changed");
    }
}
