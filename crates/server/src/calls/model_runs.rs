//! What a person asks of a model: a run of `model:NAME`, watched, called off and recorded like any
//! other. It ends when its caller goes away: nobody pays for words that nobody reads.

use super::actor_of;
use super::prompts::{content_of, message, with};
use crate::app::App;
use crate::live::{self, Opened};
use crate::records;
use ::prompts::{Asked, Step, Way, chat};
use base::{Event, Failure, clock};
use llm::{End, Finish, Limits, Service};
use serde_json::{Value, json};
use std::future::Future;
use std::time::Instant;
use store::{Actor, Run};
use toolbox::modes::{Detail, Line, OpenRun as _, Stream};
use toolbox::run_log::{Level, Secrets};
use wire::{
    Caller, ModelFinish, ModelUse, OptimiseWay, PromptOptimise, PromptOptimised, PromptTried, PromptTry,
};

pub(super) async fn try_prompt(
    app: &App,
    caller: &Caller,
    params: PromptTry,
) -> Result<PromptTried, Failure> {
    let given = json!({"prompt": params.prompt, "values": params.values});
    let filled = with(app, move |library| {
        let prompt = library.get(&params.prompt)?;
        ::prompts::fill(&prompt.content, &params.values)?.complete()
    })
    .await?;
    let service = app.service(params.service).await?;
    let recording = Recording::begin(app, caller, "prompt.try", params.run, &service, &given).await?;
    let asked = chat(&filled.messages);
    let limits = Limits::default();
    let work = async {
        let answer = app.inner.services.models.ask(&service, &asked, &limits).await?;
        answer.whole(|text| recording.say(Stream::Stdout, text)).await
    };
    let done = recording.unless_cancelled(work).await;
    let ((text, _), run, used) = recording
        .end(done, |(text, end): &(String, End)| (json!({"text": text}), *end))
        .await?;
    Ok(PromptTried { run, text, used })
}

pub(super) async fn optimise(
    app: &App,
    caller: &Caller,
    params: PromptOptimise,
) -> Result<PromptOptimised, Failure> {
    let content = content_of(params.content);
    let given = json!({"prompt": content.name, "way": params.way, "wish": params.wish});
    let way = match params.way {
        OptimiseWay::Quick => Way::Quick,
        OptimiseWay::Deep => Way::Deep,
        OptimiseWay::Wish => Way::Wish(params.wish.unwrap_or_default()),
    };
    let service = app.service(params.service).await?;
    let recording = Recording::begin(app, caller, "prompt.optimise", params.run, &service, &given).await?;
    let asked = Asked {
        models: &app.inner.services.models,
        service: &service,
        limits: &Limits::default(),
        lang: app.lang(),
    };
    // The review stands beside the text that is asked for, as a command's messages beside its output.
    let hear = |step, text: &str| match step {
        Step::Review => recording.say(Stream::Stderr, text),
        Step::Rewrite => recording.say(Stream::Stdout, text),
    };
    let work = ::prompts::optimise(&asked, &content, &way, hear);
    let done = recording.unless_cancelled(work).await;
    let told = |done: &::prompts::Optimised| {
        let texts: Vec<&str> = done.messages.iter().map(|one| one.text.as_str()).collect();
        let value = json!({"messages": texts, "review": done.review, "lost": done.lost, "added": done.added});
        (value, done.end)
    };
    let (done, run, used) = recording.end(done, told).await?;
    Ok(PromptOptimised {
        run,
        messages: done.messages.into_iter().map(message).collect(),
        diff: done.diff,
        review: done.review,
        lost: done.lost,
        added: done.added,
        used,
    })
}

/// A question to a model from its beginning to its record.
pub(super) struct Recording<'a> {
    app: &'a App,
    open: Opened,
    run: String,
    subject: String,
    service: (String, String),
    actor: Actor,
    started_at: i64,
    started: Instant,
    secrets: Secrets,
    detail: Detail,
}

impl<'a> Recording<'a> {
    /// `run` is the id that the caller chose, if it did.
    pub(super) async fn begin(
        app: &'a App,
        caller: &Caller,
        call: &str,
        run: Option<String>,
        service: &Service,
        given: &Value,
    ) -> Result<Self, Failure> {
        let chosen = live::chosen(call, run)?;
        let run = chosen.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let (actor, subject) = (actor_of(caller), format!("model:{}", service.name()));
        let secrets = app.learn_secrets().await?;
        // Opened before the records are asked: a run is among the open ones or recorded, never neither.
        let open = app.inner.live.begin(&run, &subject, &actor, &app.cancel)?;
        if chosen.is_some() && app.inner.store.has_run(run.clone()).await? {
            return Err(Failure::new("run_exists").with("run", run));
        }
        let event = Event::new("run.started", json!({"run": run, "subject": subject})).tag("runs");
        app.inner.store.announce(vec![event]).await?;
        let mut detail = Detail::default();
        detail.given(&given.to_string(), |text| secrets.mask(text));
        Ok(Recording {
            app,
            open,
            run,
            subject,
            service: (service.name().to_owned(), service.model().to_owned()),
            actor,
            started_at: clock::now_ms(),
            started: Instant::now(),
            secrets,
            detail,
        })
    }

    /// A piece for those who watch.
    pub(super) fn say(&self, stream: Stream, text: &str) {
        self.open.line(Line {
            at: clock::now_ms(),
            level: Level::Info,
            stream: Some(stream),
            text: text.to_owned(),
        });
    }

    /// The work; dropped, and its connection with it, as soon as it is called off.
    pub(super) async fn unless_cancelled<T, E: Into<Failure>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        let cancel = self.open.cancel();
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Failure::new("cancelled")),
            done = work => done.map_err(Into::into),
        }
    }

    /// Keeps the record. `told` says what of the result is kept, and how the answer ended.
    pub(super) async fn end<T>(
        mut self,
        done: Result<T, Failure>,
        told: impl FnOnce(&T) -> (Value, End),
    ) -> Result<(T, String, ModelUse), Failure> {
        let duration_ms = self.started.elapsed().as_secs_f64() * 1000.0;
        let (service, model) = self.service;
        let mut used = ModelUse {
            service,
            model,
            input: None,
            output: None,
            finish: ModelFinish::Done,
            duration_ms,
        };
        let error = match &done {
            Ok(done) => {
                let (mut value, End { finish, usage }) = told(done);
                used.input = usage.input.map(|tokens| tokens as f64);
                used.output = usage.output.map(|tokens| tokens as f64);
                used.finish = match finish {
                    // No tools are offered here.
                    Finish::Done | Finish::Calls => ModelFinish::Done,
                    Finish::Length => ModelFinish::Length,
                    Finish::Withheld => ModelFinish::Withheld,
                };
                value["use"] = json!(used);
                self.detail
                    .gave(&value.to_string(), |text| self.secrets.mask(text));
                None
            }
            Err(failure) => {
                self.detail.failed(failure, None);
                Some(failure.code.clone())
            }
        };
        self.open.over();
        let row = Run {
            id: self.run.clone(),
            subject: self.subject,
            started_at: self.started_at,
            duration_ms,
            success: error.is_none(),
            error,
            actor: self.actor,
            memory: None,
            about: self.detail.value_of("prompt"),
        };
        records::keep(self.app, row, &self.detail).await;
        done.map(|done| (done, self.run, used))
    }
}
