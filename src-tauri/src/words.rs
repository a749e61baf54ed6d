//! The few words that are shown outside the page: the tray's.

use crate::owner::ServerState;
use base::Lang;

pub const APP: &str = "Prompt Manager";

pub fn open(lang: Lang) -> &'static str {
    lang.pick("打开窗口", "Open window")
}

pub fn quit(lang: Lang) -> &'static str {
    lang.pick("退出", "Quit")
}

/// The status line.
pub fn status(lang: Lang, state: &ServerState) -> String {
    match state {
        ServerState::Starting => lang.pick("服务正在启动…", "Server is starting…").to_owned(),
        ServerState::Running {
            address: Some(address),
        } => match lang {
            Lang::ZhCn => format!("服务运行中：{address}"),
            Lang::En => format!("Server is running: {address}"),
        },
        ServerState::Running { address: None } => lang.pick("服务运行中", "Server is running").to_owned(),
        ServerState::Waiting { seconds } => match lang {
            Lang::ZhCn => format!("服务已停止，{seconds} 秒后重启"),
            Lang::En => format!("Server has stopped, restarting in {seconds} s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_reads_differently_in_both_languages() {
        let states = [
            ServerState::Starting,
            ServerState::Running { address: None },
            ServerState::Running {
                address: Some("http://127.0.0.1:5621".to_owned()),
            },
            ServerState::Waiting { seconds: 4 },
        ];
        let mut lines: Vec<String> = [Lang::ZhCn, Lang::En]
            .iter()
            .flat_map(|lang| states.iter().map(|state| status(*lang, state)))
            .collect();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), 2 * states.len());
    }
}
