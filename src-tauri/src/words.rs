//! The few words that are shown outside the page: the tray's and the notification's.

use crate::known::ServerState;
use base::Lang;

pub const APP: &str = "Prompt Manager";

pub fn open(lang: Lang) -> &'static str {
    lang.pick("打开窗口", "Open window")
}

pub fn copy_address(lang: Lang) -> &'static str {
    lang.pick("复制 MCP 地址", "Copy MCP address")
}

pub fn pictures(lang: Lang) -> &'static str {
    lang.pick("最近的图片", "Last pictures")
}

pub fn run_tool(lang: Lang) -> &'static str {
    lang.pick("运行工具", "Run a tool")
}

pub fn find_prompt(lang: Lang) -> &'static str {
    lang.pick("查找提示词", "Find a prompt")
}

pub fn update(lang: Lang) -> &'static str {
    lang.pick("检查更新", "Check for updates")
}

pub fn about(lang: Lang) -> &'static str {
    lang.pick("关于 Prompt Manager", "About Prompt Manager")
}

pub fn quit(lang: Lang) -> &'static str {
    lang.pick("退出", "Quit")
}

/// What the entry for starting and stopping does now.
pub fn start_or_stop(lang: Lang, state: &ServerState) -> &'static str {
    match state {
        ServerState::Stopping | ServerState::Stopped => lang.pick("启动服务", "Start server"),
        ServerState::Starting | ServerState::Running { .. } | ServerState::Waiting { .. } => {
            lang.pick("停止服务", "Stop server")
        }
    }
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
            Lang::ZhCn => format!("服务意外退出，{seconds} 秒后重启"),
            Lang::En => format!("Server has ended, restarting in {seconds} s"),
        },
        ServerState::Stopping => lang.pick("服务正在停止…", "Server is stopping…").to_owned(),
        ServerState::Stopped => lang.pick("服务已停止", "Server is stopped").to_owned(),
    }
}

/// The window was closed for the first time: title and text.
pub fn still_here(lang: Lang) -> (&'static str, &'static str) {
    (
        lang.pick("Prompt Manager 仍在运行", "Prompt Manager is still running"),
        lang.pick(
            "窗口已收进托盘，工具继续可用。要完全退出，请用托盘菜单里的“退出”。",
            "The window is in the tray and tools stay available. To end it, choose Quit there.",
        ),
    )
}

/// Titles of the pickers.
pub fn choose_folder(lang: Lang) -> &'static str {
    lang.pick("选择文件夹", "Choose a folder")
}

pub fn choose_file(lang: Lang) -> &'static str {
    lang.pick("选择文件", "Choose a file")
}

pub fn save_as(lang: Lang) -> &'static str {
    lang.pick("另存为", "Save as")
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
            ServerState::Stopping,
            ServerState::Stopped,
        ];
        let mut lines: Vec<String> = [Lang::ZhCn, Lang::En]
            .iter()
            .flat_map(|lang| states.iter().map(|state| status(*lang, state)))
            .collect();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), 2 * states.len());
        let running = ServerState::Running { address: None };
        for lang in [Lang::ZhCn, Lang::En] {
            assert_ne!(
                start_or_stop(lang, &running),
                start_or_stop(lang, &ServerState::Stopped)
            );
        }
    }
}
