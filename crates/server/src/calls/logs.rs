//! Windows of `run.log`.

use super::tools::name;
use crate::app::App;
use crate::external;
use base::Failure;
use toolbox::run_log::{self, Level, Levels, Search, Wanted};
use wire::{Direction, LogCounts, LogFindQuery, LogFound, LogLevel, LogRecord, LogWindow, LogWindowQuery};

/// Characters of a text that is looked for.
const MAX_SOUGHT: usize = 1000;

pub(super) async fn window(app: &App, params: LogWindowQuery) -> Result<LogWindow, Failure> {
    let wanted = Wanted {
        levels: levels(&params.levels),
        first: params.first,
        count: params.count,
    };
    let ending = &app.inner.ending;
    let window = match external::subject_of(&params.tool) {
        Some(server) => {
            let servers = &app.inner.externals;
            servers.log_window(server, wanted, params.unlike, ending).await?
        }
        None => {
            let (tool, toolbox) = (name(&params.tool)?, &app.inner.toolbox);
            toolbox.log_window(&tool, wanted, params.unlike, ending).await?
        }
    };
    let [debug, info, warn, error] = window.counts;
    Ok(LogWindow {
        stamp: window.stamp,
        generation: window.generation,
        total: window.total,
        counts: LogCounts {
            debug,
            info,
            warn,
            error,
        },
        bytes: window.bytes as f64,
        first: window.first,
        records: window.records.into_iter().map(record).collect(),
    })
}

pub(super) async fn find(app: &App, params: LogFindQuery) -> Result<LogFound, Failure> {
    if params.text.chars().count() > MAX_SOUGHT {
        return Err(Failure::new("invalid_args")
            .with("call", "log.find")
            .with("reason", format!("text: more than {MAX_SOUGHT} characters")));
    }
    let search = Search {
        levels: levels(&params.levels),
        text: params.text,
        from: params.from,
        direction: match params.direction {
            Direction::Forward => run_log::Direction::Forward,
            Direction::Backward => run_log::Direction::Backward,
        },
    };
    let found = match external::subject_of(&params.tool) {
        Some(server) => app.inner.externals.log_find(server, search).await?,
        None => app.inner.toolbox.log_find(&name(&params.tool)?, search).await?,
    };
    Ok(LogFound {
        index: found.index,
        matches: found.matches,
        ordinal: found.ordinal,
        generation: found.generation,
    })
}

fn record(seen: run_log::Seen) -> LogRecord {
    LogRecord {
        at: seen.at_ms as f64,
        level: match seen.level {
            Level::Debug => LogLevel::Debug,
            Level::Info => LogLevel::Info,
            Level::Warn => LogLevel::Warn,
            Level::Error => LogLevel::Error,
        },
        text: seen.text,
        truncated: seen.truncated,
    }
}

fn levels(wanted: &[LogLevel]) -> Levels {
    Levels::of(wanted.iter().map(|level| match level {
        LogLevel::Debug => Level::Debug,
        LogLevel::Info => Level::Info,
        LogLevel::Warn => Level::Warn,
        LogLevel::Error => Level::Error,
    }))
}
