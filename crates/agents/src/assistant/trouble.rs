//! What goes wrong, in the classes of the seed ("错误处理"), with what is said and what helps (CONTRACT, Ava).

use base::{Failure, Lang};

/// The codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// `NETWORK_ERROR`: the model's service was not reached.
    Network,
    /// `PARSE_ERROR`: the reply is not understood.
    Parse,
    /// `ELEMENT_NOT_FOUND`
    Element,
    /// `TIMEOUT`
    Timeout,
    /// `API_ERROR`: the service refuses.
    Api,
    Unknown,
}

/// What a person, or the assistant by itself, can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    Retry,
    Regenerate,
    Rescan,
    ManualCheck,
    CheckConfig,
    Report,
}

impl Recovery {
    pub fn as_str(self) -> &'static str {
        match self {
            Recovery::Retry => "RETRY",
            Recovery::Regenerate => "REGENERATE",
            Recovery::Rescan => "RESCAN",
            Recovery::ManualCheck => "MANUAL_CHECK",
            Recovery::CheckConfig => "CHECK_CONFIG",
            Recovery::Report => "REPORT",
        }
    }
}

impl Trouble {
    /// By the code of a failure, and by nothing that it says.
    pub fn of(failure: &Failure) -> Trouble {
        match failure.code.as_str() {
            "model_unreachable" | "model_unavailable" | "model_cut_off" | "model_client"
            | "queue_unreachable" => Trouble::Network,
            "assistant_reply_invalid" | "assistant_reply_field" | "model_answer_unreadable" => Trouble::Parse,
            "assistant_element_missing" => Trouble::Element,
            "model_timeout" | "model_silent" | "assistant_timeout" => Trouble::Timeout,
            "model_none" | "model_unknown" | "model_key_missing" | "model_unauthorized"
            | "model_not_found" | "model_refused" | "model_rate_limited" => Trouble::Api,
            _ => Trouble::Unknown,
        }
    }

    /// Code, class, and what helps.
    fn row(self) -> (&'static str, &'static str, Recovery) {
        match self {
            Trouble::Network => ("NETWORK_ERROR", "NETWORK", Recovery::Retry),
            Trouble::Parse => ("PARSE_ERROR", "JSON_PARSE", Recovery::Regenerate),
            Trouble::Element => ("ELEMENT_NOT_FOUND", "ELEMENT_MISSING", Recovery::Rescan),
            Trouble::Timeout => ("TIMEOUT", "TIMEOUT", Recovery::ManualCheck),
            Trouble::Api => ("API_ERROR", "CONFIGURATION", Recovery::CheckConfig),
            Trouble::Unknown => ("UNKNOWN", "UNKNOWN", Recovery::Report),
        }
    }

    pub fn code(self) -> &'static str {
        self.row().0
    }

    pub fn class(self) -> &'static str {
        self.row().1
    }

    pub fn recovery(self) -> Recovery {
        self.row().2
    }

    /// The seed's five messages are its own words.
    pub fn message(self, lang: Lang) -> &'static str {
        match self {
            Trouble::Network => lang.pick(
                "网络连接失败，请检查网络后重试",
                "The network connection failed: check it and try again",
            ),
            Trouble::Parse => lang.pick(
                "AI 返回了无效的指令格式，正在重新请求...",
                "The model's instructions were not understood; it is asked again...",
            ),
            Trouble::Element => lang.pick(
                "目标元素未找到，页面可能已更新",
                "The element was not found; the page may have changed",
            ),
            Trouble::Timeout => lang.pick(
                "操作执行超时，请检查页面状态",
                "The step took too long: look at the page",
            ),
            Trouble::Api => lang.pick(
                "模型服务拒绝了请求，请检查模型设置",
                "The model's service refuses: check Settings > Models",
            ),
            Trouble::Unknown => lang.pick(
                "发生未知错误，请稍后重试",
                "Something went wrong: try again later",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code, class, recovery and message as the contract and the seed have them.
    #[test]
    fn each_has_its_class_and_what_helps() {
        let all = [
            (
                "model_unreachable",
                "NETWORK_ERROR",
                "NETWORK",
                "RETRY",
                "网络连接失败，请检查网络后重试",
            ),
            (
                "assistant_reply_invalid",
                "PARSE_ERROR",
                "JSON_PARSE",
                "REGENERATE",
                "AI 返回了无效的指令格式，正在重新请求...",
            ),
            (
                "assistant_element_missing",
                "ELEMENT_NOT_FOUND",
                "ELEMENT_MISSING",
                "RESCAN",
                "目标元素未找到，页面可能已更新",
            ),
            (
                "assistant_timeout",
                "TIMEOUT",
                "TIMEOUT",
                "MANUAL_CHECK",
                "操作执行超时，请检查页面状态",
            ),
            (
                "model_unauthorized",
                "API_ERROR",
                "CONFIGURATION",
                "CHECK_CONFIG",
                "模型服务拒绝了请求，请检查模型设置",
            ),
            (
                "whatever",
                "UNKNOWN",
                "UNKNOWN",
                "REPORT",
                "发生未知错误，请稍后重试",
            ),
        ];
        for (failure, code, class, recovery, message) in all {
            let trouble = Trouble::of(&Failure::new(failure));
            let told = (
                trouble.code(),
                trouble.class(),
                trouble.recovery().as_str(),
                trouble.message(Lang::ZhCn),
            );
            assert_eq!(told, (code, class, recovery, message));
        }
    }
}
