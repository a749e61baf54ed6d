//! Steps that a person is always asked about (seed 003, "权限控制"). This only finds more to ask about: whatever it does
//! not find is still asked about wherever the person has not said that a site may be worked on by itself.

use super::action::{Action, ActionKind};
use super::element::{Element, Observation};
use base::Lang;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// Something is typed into a password field.
    Password,
    LogIn,
    Pay,
    Send,
    Delete,
    Download,
    /// The page is left for one of another origin.
    OtherOrigin,
    /// What the page asks is answered yes.
    Confirm,
}

const WORDS: [(Risk, &[&str], &[&str]); 5] = [
    (
        Risk::Pay,
        &[
            "pay",
            "buy",
            "purchase",
            "checkout",
            "order",
            "subscribe",
            "donate",
            "transfer",
        ],
        &[
            "支付",
            "付款",
            "购买",
            "下单",
            "结算",
            "提交订单",
            "订阅",
            "转账",
            "充值",
        ],
    ),
    (
        Risk::Delete,
        &[
            "delete",
            "remove",
            "erase",
            "discard",
            "deactivate",
            "unsubscribe",
            "reset",
        ],
        &["删除", "移除", "清空", "注销", "重置", "退订"],
    ),
    (
        Risk::Send,
        &[
            "send", "post", "publish", "submit", "share", "reply", "tweet", "invite",
        ],
        &["发送", "发布", "提交", "分享", "回复", "邀请"],
    ),
    (
        Risk::LogIn,
        &[
            "login",
            "log in",
            "sign in",
            "signin",
            "sign up",
            "register",
            "authorize",
        ],
        &["登录", "登陆", "注册", "授权"],
    ),
    (Risk::Download, &["download", "install"], &["下载", "安装"]),
];

impl Risk {
    pub fn of(action: &Action, page: &Observation) -> Option<Risk> {
        let element = action.id.and_then(|id| page.element(id));
        match action.kind {
            ActionKind::Input if element.is_some_and(Element::is_password) => Some(Risk::Password),
            ActionKind::Navigate => leaves(action.value.as_deref()?, &page.url).then_some(Risk::OtherOrigin),
            ActionKind::Click if action.value.as_deref() == Some("yes") => {
                element.and_then(said_by).or(Some(Risk::Confirm))
            }
            ActionKind::Click => said_by(element?),
            // Enter sends what it is pressed in.
            ActionKind::Key if action.value.as_deref() == Some("Enter") => {
                let element = element?;
                match element.is_password() {
                    true => Some(Risk::LogIn),
                    false => {
                        (element.tag_name == "input" || element.tag_name == "textarea").then_some(Risk::Send)
                    }
                }
            }
            _ => None,
        }
    }

    pub fn words(self, lang: Lang) -> &'static str {
        match self {
            Risk::Password => lang.pick("填写密码", "types a password"),
            Risk::LogIn => lang.pick("登录", "logs in"),
            Risk::Pay => lang.pick("付款或下单", "pays or orders"),
            Risk::Send => lang.pick("发送", "sends something"),
            Risk::Delete => lang.pick("删除", "deletes something"),
            Risk::Download => lang.pick("下载", "downloads something"),
            Risk::OtherOrigin => lang.pick("前往另一个网站", "goes to another site"),
            Risk::Confirm => lang.pick("确认页面的提问", "says yes to what the page asks"),
        }
    }
}

fn said_by(element: &Element) -> Option<Risk> {
    let said = format!(" {} {} ", element.name, element.text).to_lowercase();
    let spaced: String = said
        .chars()
        .map(|one| if one.is_alphanumeric() { one } else { ' ' })
        .collect();
    let has = |(_, english, chinese): &&(Risk, &[&str], &[&str])| {
        english.iter().any(|word| spaced.contains(&format!(" {word} ")))
            || chinese.iter().any(|word| said.contains(word))
    };
    let submits = element.kind.as_deref() == Some("submit");
    WORDS
        .iter()
        .find(has)
        .map(|(risk, ..)| *risk)
        .or(submits.then_some(Risk::Send))
}

/// Whether an address is of another origin than the page's; what is no address stays here.
fn leaves(to: &str, from: &str) -> bool {
    let origin = |address: &str| {
        let (scheme, rest) = address.split_once("://")?;
        let host = rest.split(['/', '?', '#']).next()?;
        Some(format!(
            "{}://{}",
            scheme.to_ascii_lowercase(),
            host.to_ascii_lowercase()
        ))
    };
    match origin(to.trim()) {
        Some(to) => origin(from) != Some(to),
        // `//host/…` has the page's scheme; `javascript:` and the like are never the page's own.
        None => {
            to.trim_start().starts_with("//")
                || to
                    .split(['/', '?', '#'])
                    .next()
                    .is_some_and(|word| word.contains(':'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::Instruction;
    use super::*;

    fn risk(kind: ActionKind, element: Element, value: Option<&str>) -> Option<Risk> {
        let page = Observation {
            url: "https://shop.example/cart".to_owned(),
            elements: vec![Element { id: 1, ..element }],
            ..Observation::default()
        };
        let step = Instruction {
            kind,
            id: Some(1),
            value: value.map(str::to_owned),
            reason: None,
            wait_after: None,
        };
        Risk::of(&step.action(&page), &page)
    }

    fn named(name: &str) -> Element {
        Element {
            name: name.to_owned(),
            ..Element::default()
        }
    }

    #[test]
    fn steps_that_cannot_be_taken_back_are_known() {
        for (name, wanted) in [
            ("Buy now", Some(Risk::Pay)),
            ("立即购买", Some(Risk::Pay)),
            ("Delete account", Some(Risk::Delete)),
            ("清空购物车", Some(Risk::Delete)),
            ("Send", Some(Risk::Send)),
            ("Sign in", Some(Risk::LogIn)),
            ("Download (3 MB)", Some(Risk::Download)),
            ("Details", None),
            ("Buyer's guide", None),
            ("Postcards", None),
            ("下一页", None),
        ] {
            assert_eq!(risk(ActionKind::Click, named(name), None), wanted, "{name}");
        }
        let kind = |kind: &str| Element {
            kind: Some(kind.to_owned()),
            tag_name: "input".to_owned(),
            ..Element::default()
        };
        assert_eq!(risk(ActionKind::Click, kind("submit"), None), Some(Risk::Send));
        assert_eq!(
            risk(ActionKind::Input, kind("password"), Some("x")),
            Some(Risk::Password)
        );
        assert_eq!(risk(ActionKind::Input, kind("text"), Some("x")), None);
        assert_eq!(
            risk(ActionKind::Key, kind("text"), Some("Enter")),
            Some(Risk::Send)
        );
        assert_eq!(risk(ActionKind::Key, kind("text"), Some("Tab")), None);
        for (to, leaves) in [
            ("https://shop.example/other", false),
            ("HTTPS://SHOP.example", false),
            ("/other", false),
            ("back", false),
            ("https://evil.example/", true),
            ("http://shop.example/", true),
            ("//evil.example/x", true),
            ("javascript:alert(1)", true),
            ("file:///etc/passwd", true),
        ] {
            let risk = risk(ActionKind::Navigate, Element::default(), Some(to));
            assert_eq!(risk.is_some(), leaves, "{to}");
        }
    }
}
