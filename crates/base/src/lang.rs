//! The two languages the product speaks.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lang {
    #[default]
    #[serde(rename = "zh-CN")]
    ZhCn,
    #[serde(rename = "en")]
    En,
}

impl Lang {
    /// Picks the text of this language: `lang.pick("工具", "Tool")`.
    pub fn pick<'a>(self, zh: &'a str, en: &'a str) -> &'a str {
        match self {
            Lang::ZhCn => zh,
            Lang::En => en,
        }
    }

    pub fn tag(self) -> &'static str {
        self.pick("zh-CN", "en")
    }

    /// The language of [`Lang::tag`].
    pub fn of_tag(tag: &str) -> Option<Self> {
        [Lang::ZhCn, Lang::En].into_iter().find(|lang| lang.tag() == tag)
    }
}

/// The language that is spoken now: a person changes it while the program runs, and everybody who
/// holds a clone speaks the new one from the next word on.
#[derive(Clone, Debug)]
pub struct LiveLang(Arc<AtomicU8>);

impl LiveLang {
    pub fn new(lang: Lang) -> Self {
        LiveLang(Arc::new(AtomicU8::new(number(lang))))
    }

    pub fn get(&self) -> Lang {
        // Nothing else is read by what this says: any order will do.
        if self.0.load(Ordering::Relaxed) == number(Lang::En) {
            Lang::En
        } else {
            Lang::ZhCn
        }
    }

    pub fn set(&self, lang: Lang) {
        self.0.store(number(lang), Ordering::Relaxed);
    }
}

fn number(lang: Lang) -> u8 {
    match lang {
        Lang::ZhCn => 0,
        Lang::En => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_follow_a_change_and_tags_read_back() {
        let live = LiveLang::new(Lang::ZhCn);
        let clone = live.clone();
        for lang in [Lang::En, Lang::ZhCn] {
            live.set(lang);
            assert_eq!(clone.get(), lang);
            assert_eq!(Lang::of_tag(lang.tag()), Some(lang));
        }
        assert_eq!(Lang::of_tag("fr"), None);
    }
}
