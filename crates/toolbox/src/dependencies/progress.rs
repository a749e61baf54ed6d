//! How far an install is: for people a text and a share of the whole, for programs an event at the
//! beginning of each phase.

use base::{Event, Lang};
use npm::{Phase, Progress};
use serde_json::{Value, json};

/// The whole, as `done` counts it.
pub(super) const WHOLE: f64 = 100.0;
/// Packages after which half of resolving is shown as done; how many there will be is not known.
const HALF: f64 = 60.0;

/// The share of the whole that is done; phases follow one another, so it only grows.
pub(super) fn share(at: &Progress) -> f64 {
    let part = |from: f64, to: f64| match at.total {
        0 => from,
        total => from + (to - from) * at.done as f64 / total as f64,
    };
    let known = at.done as f64;
    match at.phase {
        Phase::Wait => 0.0,
        Phase::Resolve => 1.0 + 19.0 * known / (known + HALF),
        Phase::Fetch => part(20.0, 75.0),
        Phase::Link => part(75.0, 90.0),
        Phase::Script => part(90.0, 95.0),
        Phase::Commit(_) => 96.0,
        Phase::Done => WHOLE,
    }
}

pub(super) fn text(at: &Progress, lang: Lang) -> String {
    let (done, total) = (at.done, at.total);
    let size = crate::run_log::size_text(usize::try_from(at.bytes).unwrap_or(usize::MAX));
    match at.phase {
        Phase::Wait => lang.pick("等待安装", "waiting to install").to_owned(),
        Phase::Resolve if done == 0 => lang.pick("解析依赖", "resolving").to_owned(),
        Phase::Resolve => format!("{} {done}", lang.pick("解析依赖", "resolving")),
        Phase::Fetch => format!("{} {done}/{total}, {size}", lang.pick("下载", "fetching")),
        Phase::Link => format!("{} {done}/{total}", lang.pick("写入", "laying out")),
        Phase::Script => format!(
            "{} {done}/{total}",
            lang.pick("运行安装脚本", "running install scripts")
        ),
        Phase::Commit(_) => lang.pick("替换旧的依赖", "putting it in place").to_owned(),
        Phase::Done => lang.pick("完成", "done").to_owned(),
    }
}

pub(super) fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Wait => "wait",
        Phase::Resolve => "resolve",
        Phase::Fetch => "fetch",
        Phase::Link => "link",
        Phase::Script => "script",
        Phase::Commit(_) => "commit",
        Phase::Done => "done",
    }
}

/// `install.progress`.
pub(super) fn event(run: &str, subject: &str, at: &Progress) -> Event {
    let data = json!({
        "run": run, "subject": subject, "phase": name(at.phase),
        "done": at.done, "total": at.total, "bytes": at.bytes,
    });
    Event::new("install.progress", data)
}

pub(super) fn ended(run: &str, subject: &str, error: Option<&str>) -> Event {
    let data = json!({
        "run": run, "subject": subject,
        "phase": if error.is_some() { "failed" } else { "done" },
        "error": error.map_or(Value::Null, Value::from),
    });
    Event::new("install.progress", data)
        .tag("tools")
        .tag("dependencies")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_only_grows() {
        let at = |phase, done, total| Progress {
            phase,
            done,
            total,
            bytes: 0,
        };
        let mut steps = vec![at(Phase::Wait, 0, 0)];
        steps.extend((0..500).map(|done| at(Phase::Resolve, done, 0)));
        steps.extend((0..=200).map(|done| at(Phase::Fetch, done, 200)));
        steps.extend((0..=210).map(|done| at(Phase::Link, done, 210)));
        steps.extend((0..3).map(|done| at(Phase::Script, done, 3)));
        steps.extend(["stamp", "sync", "exchange"].map(|step| at(Phase::Commit(step), 210, 210)));
        steps.push(at(Phase::Done, 210, 210));
        let shares: Vec<f64> = steps.iter().map(share).collect();
        assert!(shares.windows(2).all(|two| two[0] <= two[1]), "{shares:?}");
        assert_eq!((shares[0], shares[shares.len() - 1]), (0.0, WHOLE));
    }
}
