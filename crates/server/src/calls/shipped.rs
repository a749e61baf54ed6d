//! What comes with the program and what a person changed in it, and tools of the old layout, as calls.

use super::actor_of;
use super::tools::name;
use crate::app::App;
use base::Failure;
use toolbox::lifecycle::{Migration, OldState};
use toolbox::sync::{EditView, Runs, Standing, Take, Waiting};
use wire::{
    Caller, OldTool, OldToolState, ToolEdit, ToolEditRuns, ToolEditState, ToolMigrate, ToolMigration,
    ToolSettle, ToolShipped, ToolStanding, ToolTake,
};

pub(super) async fn show(app: &App, tool: &str) -> Result<ToolShipped, Failure> {
    let found = app.inner.toolbox.holding(&name(tool)?).await?;
    let mut shown = ToolShipped {
        tool: tool.to_owned(),
        standing: ToolStanding::Own,
        program: None,
        checkout: None,
        edits: Vec::new(),
    };
    let Some(found) = found else {
        return Ok(shown);
    };
    match found.standing {
        Standing::Here { checkout } => {
            shown.standing = ToolStanding::BuiltIn;
            shown.checkout = checkout.map(|path| path.display().to_string());
        }
        Standing::Newer { program } => {
            shown.standing = ToolStanding::Newer;
            shown.program = Some(program);
        }
        Standing::Retired { program } => {
            shown.standing = ToolStanding::Retired;
            shown.program = Some(program).filter(|program| !program.is_empty());
        }
    }
    shown.edits = found.edits.into_iter().map(edit).collect();
    Ok(shown)
}

fn edit(found: EditView) -> ToolEdit {
    let (merged, merged_whole) = match found.merged {
        Some((file, whole)) => (Some(file), whole),
        None => (None, false),
    };
    ToolEdit {
        path: found.path,
        runs: match found.runs {
            Runs::Ours => ToolEditRuns::BuiltIn,
            Runs::Yours => ToolEditRuns::Yours,
        },
        state: match found.waiting {
            Waiting::Undecided => ToolEditState::Undecided,
            Waiting::Decided => ToolEditState::Decided,
            Waiting::UntilStart => ToolEditState::UntilStart,
        },
        file: found.file,
        yours: found.yours,
        now: found.now,
        difference: found.difference,
        conflicts: found
            .conflicts
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        merged,
        merged_whole,
    }
}

pub(super) async fn settle(app: &App, caller: &Caller, params: ToolSettle) -> Result<ToolShipped, Failure> {
    let take = match params.take {
        ToolTake::Mine => Take::Mine,
        ToolTake::New => Take::New,
        ToolTake::Merge => Take::Merge,
        ToolTake::Merged => Take::Merged,
    };
    let tool = name(&params.tool)?;
    let toolbox = &app.inner.toolbox;
    toolbox
        .settle(&tool, &params.path, take, &actor_of(caller))
        .await?;
    show(app, &params.tool).await
}

pub(super) async fn migration(app: &App) -> Result<ToolMigration, Failure> {
    let found = app.inner.toolbox.migration().await?;
    Ok(shown(app, found))
}

pub(super) async fn migrate(
    app: &App,
    caller: &Caller,
    params: ToolMigrate,
) -> Result<ToolMigration, Failure> {
    let (toolbox, actor) = (&app.inner.toolbox, actor_of(caller));
    let found = match params.undo {
        true => toolbox.migrate_back(&actor).await?,
        false => toolbox.migrate(&actor).await?,
    };
    // What came may hold secrets of its own.
    app.learn_secrets().await?;
    Ok(shown(app, found))
}

fn shown(app: &App, found: Migration) -> ToolMigration {
    let tools = found.tools.into_iter().map(|(tool, old)| {
        let reason = match &old.state {
            OldState::Failed { reason } => Some(reason.clone()),
            _ => None,
        };
        OldTool {
            tool: tool.to_string(),
            at: old.at as f64,
            reason,
            state: match old.state {
                OldState::Moving => OldToolState::Moving,
                OldState::Moved => OldToolState::Moved,
                OldState::Taken => OldToolState::Taken,
                OldState::NoTool => OldToolState::NoTool,
                OldState::Failed { .. } => OldToolState::Failed,
                OldState::Undoing => OldToolState::Undoing,
                OldState::Undone => OldToolState::Undone,
            },
        }
    });
    ToolMigration {
        tools: tools.collect(),
        backup: app
            .inner
            .home
            .display(&toolbox::lifecycle::old_layout_backup(&app.inner.home)),
    }
}
