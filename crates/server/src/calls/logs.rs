//! Windows of `run.log`.

use super::tools::name;
use crate::app::App;
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
    let window = app
        .inner
        .toolbox
        .log_window(&name(&params.tool)?, wanted, params.unlike, &app.inner.ending)
        .await?;
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
    let found = app.inner.toolbox.log_find(&name(&params.tool)?, search).await?;
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
