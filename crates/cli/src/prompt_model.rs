//! `pm prompt try` and `optimise`: what a model says, as it comes.

use crate::follow::{Ended, followed};
use crate::options::{OptimiseWays, TryPrompt};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::prompt::values;
use base::Failure;
use std::process::ExitCode;
use wire::{
    Client, ModelFinish, ModelUse, OptimiseWay, PromptOptimise, PromptOptimised, PromptRef, PromptSave,
    PromptTry,
};

pub async fn try_prompt(session: &mut Session, options: TryPrompt, json: bool) -> Result<ExitCode, Failed> {
    let params = PromptTry {
        values: values(&options.set)?,
        prompt: options.prompt,
        service: options.model,
        run: Option::None,
    };
    if json {
        let tried = session.change(Client::prompt_try, params).await?;
        output::print(&tried);
        return Ok(ExitCode::SUCCESS);
    }
    let ended = followed(session, async move |session, run| {
        let params = PromptTry {
            run: Some(run),
            ..params
        };
        session.change(Client::prompt_try, params).await
    });
    match ended.await? {
        Ended::Stopped(code) => Ok(code),
        Ended::Answered(tried, mut shown) => {
            let tried = tried?;
            shown.rest(&tried.text, "");
            if !tried.text.ends_with('\n') {
                output::line("");
            }
            told(&tried.used);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A proposal; with `--write` the prompt itself, when the proposal has the same variables.
pub async fn optimise(
    session: &mut Session,
    prompt: String,
    ways: OptimiseWays,
    json: bool,
) -> Result<ExitCode, Failed> {
    let found = session.read(Client::prompt_show, PromptRef { prompt }).await?;
    let way = match (ways.quick, ways.deep) {
        (true, _) => OptimiseWay::Quick,
        (_, true) => OptimiseWay::Deep,
        _ => OptimiseWay::Wish,
    };
    let params = PromptOptimise {
        content: found.content.clone(),
        way,
        wish: ways.wish,
        service: ways.model,
        run: Option::None,
    };
    let done = match json {
        true => session.change(Client::prompt_optimise, params).await?,
        false => {
            let ended = followed(session, async move |session, run| {
                let params = PromptOptimise {
                    run: Some(run),
                    ..params
                };
                session.change(Client::prompt_optimise, params).await
            });
            match ended.await? {
                Ended::Stopped(code) => return Ok(code),
                Ended::Answered(done, _) => {
                    let done = done?;
                    if done.review.is_some() {
                        output::aside("");
                    }
                    // The words went out as they came; what follows stands on a line of its own.
                    output::line("");
                    done
                }
            }
        }
    };
    report(&done, json);
    if !ways.write {
        return Ok(ExitCode::SUCCESS);
    }
    if !(done.lost.is_empty() && done.added.is_empty()) {
        let failure = Failure::new("prompt_variables_changed")
            .with("lost", done.lost.join(", "))
            .with("added", done.added.join(", "));
        return Err(Failed::of(&failure));
    }
    let mut content = found.content;
    content.messages = done.messages;
    let save = PromptSave {
        path: found.row.path,
        content: Some(content),
        text: Option::None,
        // What was improved, and nothing that was written since.
        expected: Some(found.version),
    };
    session.change(Client::prompt_save, save).await?;
    Ok(ExitCode::SUCCESS)
}

fn report(done: &PromptOptimised, json: bool) {
    if json {
        output::print(done);
        return;
    }
    output::line(done.diff.trim_end());
    for name in &done.lost {
        output::aside(&format!("pm: - {{{{{name}}}}}"));
    }
    for name in &done.added {
        output::aside(&format!("pm: + {{{{{name}}}}}"));
    }
    told(&done.used);
}

/// What it took, beside the answer.
fn told(used: &ModelUse) {
    let tokens = |count: Option<f64>| count.map_or("?".to_owned(), |count| format!("{count:.0}"));
    let (input, output) = (tokens(used.input), tokens(used.output));
    let finish = match used.finish {
        ModelFinish::Done => "",
        ModelFinish::Length => ", length",
        ModelFinish::Withheld => ", withheld",
    };
    let seconds = used.duration_ms / 1000.0;
    output::aside(&format!(
        "pm: {} {input} -> {output} tokens, {seconds:.1} s{finish}",
        used.model
    ));
}
