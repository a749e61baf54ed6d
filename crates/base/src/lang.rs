//! The two languages the product speaks.

use serde::{Deserialize, Serialize};

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
}
