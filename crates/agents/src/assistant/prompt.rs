//! What a model is told of a page and a wish. The template is a file; what the page says stands between marks that the
//! page cannot know, as data.

use super::element::{Element, Observation};
use base::Lang;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Steps before that are told.
const STEPS: usize = 20;

/// A step that was done before, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub said: String,
    pub success: bool,
}

#[derive(Clone, Debug)]
pub struct Prompt<'p> {
    pub lang: Lang,
    /// What the person wants, in her words.
    pub wish: &'p str,
    pub page: &'p Observation,
    /// Elements that the last step brought.
    pub fresh: &'p BTreeSet<u32>,
    pub before: &'p [Step],
    /// What was wrong with the last reply.
    pub wrong: Option<&'p str>,
    /// Of this prompt alone, and not to be guessed.
    pub mark: &'p str,
}

impl Prompt<'_> {
    pub fn text(&self) -> String {
        let template = self.lang.pick(
            include_str!("../../../../resources/assistant/page.zh-CN.md"),
            include_str!("../../../../resources/assistant/page.en.md"),
        );
        let parts: [(&str, String); 6] = [
            ("{{wish}}", self.wish.trim().to_owned()),
            ("{{mark}}", self.mark.to_owned()),
            ("{{page}}", self.described()),
            ("{{elements}}", self.listed()),
            ("{{before}}", self.done()),
            (
                "{{wrong}}",
                self.wrong.map(|wrong| self.wronged(wrong)).unwrap_or_default(),
            ),
        ];
        filled(template, &parts)
    }

    fn described(&self) -> String {
        let Observation { url, title, .. } = self.page;
        format!("{} {}", self.quoted(title), self.quoted(url))
    }

    /// `[ID] <tag> text (class/role)` (seed 003), and what it is in.
    fn listed(&self) -> String {
        let mut list = String::new();
        for one in &self.page.elements {
            let _ = writeln!(list, "{}", self.line(one));
        }
        let Observation { more, below, .. } = self.page;
        if *more > 0 {
            let _ = match self.lang {
                Lang::ZhCn => writeln!(list, "（另有 {more} 个元素未列出）"),
                Lang::En => writeln!(list, "({more} more elements are not listed)"),
            };
        }
        if *below >= 1.0 {
            let _ = match self.lang {
                Lang::ZhCn => writeln!(list, "（页面下方还有 {below:.0} 像素）"),
                Lang::En => writeln!(list, "({below:.0} pixels of the page are further down)"),
            };
        }
        list
    }

    fn line(&self, one: &Element) -> String {
        let mut line = format!(
            "[{}] <{}> {}",
            one.id,
            self.quoted(&one.tag_name),
            self.quoted(one.label())
        );
        let about: Vec<&str> = [one.role.as_deref(), one.kind.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        let about = match about.as_slice() {
            [] => self.quoted(&one.class_name),
            about => self.quoted(&about.join("/")),
        };
        if !about.is_empty() {
            let _ = write!(line, " ({about})");
        }
        let state = &one.state;
        let flags = [
            (state.checked == Some(true), "checked"),
            (state.checked == Some(false), "unchecked"),
            (state.disabled, "disabled"),
            (state.expanded == Some(true), "expanded"),
            (state.expanded == Some(false), "collapsed"),
            (!one.visible, "offscreen"),
            (self.fresh.contains(&one.id), "new"),
        ];
        for (_, flag) in flags.into_iter().filter(|(is_so, _)| *is_so) {
            let _ = write!(line, " {flag}");
        }
        if let Some(value) = state.value.as_ref().filter(|value| !value.is_empty()) {
            let _ = write!(line, " = {}", self.quoted(value));
        }
        line
    }

    fn done(&self) -> String {
        let from = self.before.len().saturating_sub(STEPS);
        let mut list = String::new();
        for (nth, step) in self.before.iter().enumerate().skip(from) {
            let outcome = match step.success {
                true => self.lang.pick("完成", "done"),
                false => self.lang.pick("失败", "failed"),
            };
            let _ = writeln!(list, "{}. {} ({outcome})", nth + 1, self.quoted(&step.said));
        }
        if list.is_empty() {
            self.lang.pick("（无）\n", "(nothing)\n").clone_into(&mut list);
        }
        list
    }

    fn wronged(&self, wrong: &str) -> String {
        match self.lang {
            Lang::ZhCn => format!("上一次的回复无法使用：{wrong}。请重新给出。\n"),
            Lang::En => format!("Your last reply could not be used: {wrong}. Say it again.\n"),
        }
    }

    /// What a page says: on one line, and never the mark.
    fn quoted(&self, text: &str) -> String {
        let line: String = text
            .chars()
            .map(|one| if one.is_control() { ' ' } else { one })
            .collect();
        match self.mark.is_empty() {
            true => line,
            false => line.replace(self.mark, "…"),
        }
    }
}

/// Each part once, in the order of the template: what stands in a part is not looked through again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut whole = String::new();
    let mut rest = template;
    loop {
        let next = parts
            .iter()
            .filter_map(|(name, text)| rest.find(name).map(|at| (at, *name, text)))
            .min_by_key(|(at, ..)| *at);
        let Some((at, name, text)) = next else {
            whole.push_str(rest);
            return whole;
        };
        whole.push_str(&rest[..at]);
        whole.push_str(text);
        rest = &rest[at + name.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::State;
    use super::*;
    use proptest::prelude::*;

    static NONE: BTreeSet<u32> = BTreeSet::new();

    fn prompt<'p>(page: &'p Observation, before: &'p [Step], wish: &'p str) -> Prompt<'p> {
        Prompt {
            lang: Lang::En,
            wish,
            page,
            fresh: &NONE,
            before,
            wrong: None,
            mark: "k3Jq9",
        }
    }

    #[test]
    fn elements_are_listed_as_the_seed_has_it() {
        let page = Observation {
            url: "https://shop.example/".to_owned(),
            title: "Shop".to_owned(),
            elements: vec![
                Element {
                    id: 1,
                    tag_name: "button".to_owned(),
                    text: "Buy".to_owned(),
                    class_name: "big".to_owned(),
                    visible: true,
                    ..Element::default()
                },
                Element {
                    id: 2,
                    tag_name: "input".to_owned(),
                    name: "Gift".to_owned(),
                    kind: Some("checkbox".to_owned()),
                    state: State {
                        checked: Some(true),
                        ..State::default()
                    },
                    ..Element::default()
                },
            ],
            more: 3,
            below: 640.4,
            ..Observation::default()
        };
        let before = [Step {
            said: "click 4".to_owned(),
            success: false,
        }];
        let text = prompt(&page, &before, "buy it").text();
        for line in [
            "[1] <button> Buy (big)\n",
            "[2] <input> Gift (checkbox) checked offscreen\n",
            "(3 more elements are not listed)",
            "(640 pixels of the page are further down)",
            "1. click 4 (failed)",
            "buy it",
            "https://shop.example/",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("{{"), "{text}");
        let wrong = Prompt {
            wrong: Some("no JSON"),
            lang: Lang::ZhCn,
            ..prompt(&page, &before, "买")
        };
        assert!(wrong.text().contains("无法使用：no JSON"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Whatever a page says stays between the marks, on its own line, and fills nothing of the template.
        #[test]
        fn a_page_stays_within_its_marks(text in "(k3Jq9|\\{\\{wish\\}\\}|\n|.){0,40}") {
            let page = Observation {
                title: text.clone(),
                elements: vec![Element { id: 1, tag_name: text.clone(), text, ..Element::default() }],
                ..Observation::default()
            };
            let text = prompt(&page, &[], "the wish").text();
            let empty = prompt(&Observation::default(), &[], "the wish").text();
            prop_assert_eq!(text.matches("k3Jq9").count(), empty.matches("k3Jq9").count());
            prop_assert_eq!(text.lines().count(), empty.lines().count() + 1);
            prop_assert_eq!(text.matches("the wish").count(), 1);
        }
    }
}
