//! A wish from its beginning to its end.

use super::model::Asks;
use super::person::Asker;
use super::{Working, session, settings, tell};
use crate::app::App;
use crate::browser::Seen;
use crate::words::worded;
use agents::assistant::{AgentResult, Browse, Limits, Trouble};
use base::settings::AssistantSettings;
use base::{Failure, clock};
use llm::Service;
use std::time::Instant;
use wire::AssistantMetadata;

/// The code of a second wish, or of a step beside one.
pub(crate) const BUSY: &str = "assistant_busy";
/// Bytes of a wish.
const TEXT: usize = 16 * 1024;

/// Begins with a wish, and gives its id.
pub(crate) async fn send(app: &App, text: &str) -> Result<String, Failure> {
    let text = text.trim();
    match text.len() {
        0 => return Err(Failure::new("assistant_empty")),
        1..=TEXT => {}
        _ => return Err(Failure::new("assistant_too_long").with("limit", TEXT)),
    }
    let settings = settings(app).await?;
    // That it can be asked is known before anything is said.
    let service = app.service(settings.service.clone()).await?;
    let id = uuid::Uuid::new_v4().to_string();
    let stop = app.inner.cancel.child_token();
    app.inner.assistant.begin(Working {
        id: id.clone(),
        text: text.to_owned(),
        since: clock::now_ms(),
        thinking: String::new(),
        step: None,
        stop: stop.clone(),
    })?;
    let asker = Asker::of_wish(app, &id, settings.ask_each, stop);
    if let Err(failure) = asker
        .say("user", text.to_owned(), AssistantMetadata::default())
        .await
    {
        app.inner.assistant.end();
        return Err(failure);
    }
    let (app, text) = (app.clone(), text.to_owned());
    app.inner.running.clone().spawn(async move {
        let ended = work(&app, &settings, service, &asker, &text).await;
        app.inner.assistant.end();
        for kept in [ended, asker.end().await, tell(&app).await] {
            if let Err(failure) = kept {
                tracing::error!(%failure, "how a wish ended was not kept");
            }
        }
    });
    Ok(id)
}

async fn work(
    app: &App,
    settings: &AssistantSettings,
    service: Service,
    asker: &Asker,
    text: &str,
) -> Result<(), Failure> {
    let begun = Instant::now();
    tell(app).await?;
    let result = match fulfil(app, settings, service, asker, text).await {
        Ok(result) => result,
        // It did not come to a first look.
        Err(failure) => AgentResult {
            success: false,
            message: String::new(),
            execution_results: Vec::new(),
            error: Some(failure),
        },
    };
    let lang = app.lang();
    let error = result.error.as_ref();
    let content = match (error, result.message.as_str()) {
        (Some(failure), "") => worded(failure, lang).message,
        (None, "") => lang.pick("操作已完成", "Done").to_owned(),
        (_, message) => message.to_owned(),
    };
    let metadata = AssistantMetadata {
        part: Some("end".to_owned()),
        success: Some(result.success),
        execution_time: Some(begun.elapsed().as_secs_f64() * 1000.0),
        error: error.map(|failure| worded(failure, lang)),
        // Whoever stopped it needs no help.
        recovery: error
            .filter(|failure| failure.code != "assistant_stopped")
            .map(|failure| Trouble::of(failure).recovery().as_str().to_owned()),
        ..AssistantMetadata::default()
    };
    asker.say("assistant", content, metadata).await
}

async fn fulfil(
    app: &App,
    settings: &AssistantSettings,
    service: Service,
    asker: &Asker,
    text: &str,
) -> Result<AgentResult, Failure> {
    let session = session(app, settings).await?;
    let _turn = session.turn.try_lock().map_err(|_| Failure::new(BUSY))?;
    let model = Asks {
        app,
        asker,
        service,
        debug: settings.debug,
    };
    let page = Seen {
        session: &session,
        elements: settings.elements,
    };
    let browse = Browse {
        answers: Some(&app.inner.assistant.answers),
        page: &page,
        model: &model,
        person: asker,
        limits: Limits::default(),
        lang: app.lang(),
        stop: asker.stop.clone(),
    };
    Ok(browse.fulfil(text).await)
}
