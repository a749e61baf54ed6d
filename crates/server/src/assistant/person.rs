//! What the person is asked and told while her wish, or the step of a client or an agent, is worked on.

use super::{SUBJECT, ava, origin, tell, tell_now};
use crate::app::App;
use crate::approvals::{Allowed, Ask, Decision};
use crate::browser::To;
use crate::words::worded;
use agents::assistant::{Action, ActionKind, Asked, ExecutionResult, News, Person, Risk, Trouble};
use async_trait::async_trait;
use base::Failure;
use serde_json::json;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use store::{Actor, AuditEntry, GrantKind};
use tokio_util::sync::CancellationToken;
use wire::{AssistantMetadata, AssistantStep};

pub(super) struct Asker {
    app: App,
    /// Of the wish, or of the single step.
    id: String,
    actor: Actor,
    ask_each: bool,
    /// Sites that are allowed for this wish.
    sites: Mutex<HashSet<String>>,
    /// Whether there is a conversation to speak in.
    speaks: bool,
    pub(super) stop: CancellationToken,
}

impl Asker {
    pub(super) fn of_wish(app: &App, id: &str, ask_each: bool, stop: CancellationToken) -> Self {
        Asker {
            id: id.to_owned(),
            speaks: true,
            ..Asker::of_caller(app, ava(), ask_each, stop)
        }
    }

    /// For a single look or step.
    pub(super) fn of_caller(app: &App, actor: Actor, ask_each: bool, stop: CancellationToken) -> Self {
        Asker {
            app: app.clone(),
            id: uuid::Uuid::new_v4().to_string(),
            actor,
            ask_each,
            sites: Mutex::default(),
            speaks: false,
            stop,
        }
    }

    /// Whether a site may be looked at and worked on.
    pub(super) async fn site(&self, address: &str) -> Result<(), Failure> {
        let Some(site) = origin(address) else {
            return Ok(());
        };
        let who = format!("{}:{}", self.actor.kind, self.actor.name);
        let known = self.lock().contains(&site)
            || !self.speaks
                && self
                    .app
                    .inner
                    .assistant
                    .once()
                    .contains(&(who.clone(), site.clone()));
        if known {
            return Ok(());
        }
        let ask = Ask {
            subject: SUBJECT.to_owned(),
            kind: GrantKind::Site,
            value: site.clone(),
            code_hash: String::new(),
            detail: json!({"wish": self.id, "url": base::text::cut(address, 500)}),
            actor: self.actor.clone(),
        };
        let decision = self.app.approvals().ask(ask, &self.stop).await?;
        decision.check()?;
        if let Decision::Allowed(Allowed::Once(_)) = decision {
            match self.speaks {
                true => {
                    self.lock().insert(site);
                }
                // Until the page is closed: nobody answers before each look.
                false => {
                    self.app.inner.assistant.once().insert((who, site));
                }
            }
        }
        Ok(())
    }

    /// Whether a step may be done, of those that are asked about.
    pub(super) async fn step(&self, asked: &Asked<'_>) -> Result<(), Failure> {
        let Asked {
            action,
            label,
            url,
            risk,
        } = asked;
        // Where it goes to is asked about as a site, and that is all.
        if let (ActionKind::Navigate, Some(given)) = (action.kind, &action.value)
            && let Some(session) = self.app.inner.browsers.there().await
        {
            // What cannot be opened is not asked about.
            if let To::Address(to) = session.to(given)? {
                self.site(to.as_str()).await?;
            }
            if !self.ask_each {
                return Ok(());
            }
        }
        if risk.is_none() && !self.ask_each {
            return Ok(());
        }
        let lang = self.app.lang();
        let site = origin(url).unwrap_or_default();
        let mut words = format!("{} · {site}", worded_step(action, label));
        if let Some(risk) = risk {
            words = format!("{words} · {}", risk.words(lang));
        }
        let ask = Ask {
            subject: format!("{SUBJECT}:{}", self.id),
            kind: GrantKind::Step,
            value: words,
            code_hash: String::new(),
            detail: json!({
                "type": action.kind.as_str(), "label": label, "url": base::text::cut(url, 500),
                "value": shown(action, *risk), "risk": risk.map(|risk| risk.words(lang)),
                "reason": action.reason,
            }),
            actor: self.actor.clone(),
        };
        let decision = self.app.approvals().ask(ask, &self.stop).await?;
        Ok(decision.check()?)
    }

    /// What was allowed for this wish alone is forgotten with it.
    pub(super) async fn end(&self) -> Result<(), Failure> {
        let subject = format!("{SUBJECT}:{}", self.id);
        let store = &self.app.inner.store;
        for value in store.grants(subject.clone(), GrantKind::Step, None).await? {
            store
                .revoke(subject.clone(), GrantKind::Step, value, self.actor.clone())
                .await?;
        }
        Ok(())
    }

    pub(super) async fn say(
        &self,
        kind: &'static str,
        content: String,
        metadata: AssistantMetadata,
    ) -> Result<(), Failure> {
        let metadata = AssistantMetadata {
            wish: Some(self.id.clone()),
            ..metadata
        };
        let metadata = serde_json::to_value(metadata)
            .map_err(|error| Failure::new("internal").detail(error.to_string()))?;
        self.app
            .inner
            .store
            .assistant_say(kind, content, metadata)
            .await?;
        Ok(())
    }

    /// Each step is in the audit: what it was, not what was typed.
    pub(super) async fn audit(
        &self,
        result: &ExecutionResult,
        label: &str,
        url: &str,
    ) -> Result<(), Failure> {
        let action = &result.action;
        let to = (action.kind == ActionKind::Navigate).then_some(&action.value);
        let entry = AuditEntry {
            actor: self.actor.clone(),
            action: format!("browser.{}", action.kind.as_str()),
            subject: format!("site:{}", origin(url).unwrap_or_default()),
            detail: json!({
                "wish": self.id, "label": label, "to": to, "success": result.success,
                "error": result.error.as_ref().map(|failure| &failure.code), "ms": result.duration,
                "synthetic": result.gave.synthetic,
            }),
        };
        Ok(self.app.inner.store.audit(entry).await?)
    }

    async fn heard(&self, news: &News<'_>) -> Result<(), Failure> {
        let lang = self.app.lang();
        let notice = |words: &str| {
            let metadata = AssistantMetadata {
                part: Some("notice".to_owned()),
                ..AssistantMetadata::default()
            };
            (words.to_owned(), metadata)
        };
        let (words, metadata) = match news {
            News::Seen { elements, url } => {
                let words = match lang {
                    base::Lang::ZhCn => format!("已观察页面，{elements} 个可操作元素"),
                    base::Lang::En => format!("Looked at the page: {elements} elements"),
                };
                let (words, metadata) = notice(&words);
                let metadata = AssistantMetadata {
                    element_count: u32::try_from(*elements).ok(),
                    url: Some((*url).to_owned()),
                    ..metadata
                };
                (words, metadata)
            }
            News::Empty => notice(lang.pick(
                "当前页面没有可操作的元素",
                "There is nothing on this page that can be used",
            )),
            News::Again { trouble } => notice(trouble.message(lang)),
            News::Does { action, label } => {
                let step = step_of(action, label);
                self.app.inner.assistant.change(|working| {
                    working.step = Some(step);
                    working.thinking.clear();
                });
                return tell_now(&self.app).await;
            }
            News::Did { result, label } => {
                let url = match self.app.inner.browsers.there().await {
                    Some(session) => session.last().url,
                    None => String::new(),
                };
                self.audit(result, label, &url).await?;
                self.app.inner.assistant.change(|working| working.step = None);
                self.did(result, label, url).await?;
                // The page may be another one.
                return tell(&self.app).await;
            }
        };
        self.say("system", words, metadata).await
    }

    async fn did(&self, result: &ExecutionResult, label: &str, url: String) -> Result<(), Failure> {
        let lang = self.app.lang();
        let content = result.gave.words().collect::<Vec<_>>().join("\n");
        let metadata = AssistantMetadata {
            action_type: Some(result.action.kind.as_str().to_owned()),
            execution_time: Some(result.duration as f64),
            success: Some(result.success),
            part: Some("step".to_owned()),
            label: Some(label.to_owned()).filter(|label| !label.is_empty()),
            value: result.action.value.clone(),
            reason: result.action.reason.clone(),
            url: Some(url),
            picture: result.gave.picture.clone(),
            synthetic: result.gave.synthetic,
            error: result.error.as_ref().map(|failure| worded(failure, lang)),
            recovery: result
                .error
                .as_ref()
                .map(|failure| Trouble::of(failure).recovery().as_str().to_owned()),
            ..AssistantMetadata::default()
        };
        self.say("system", content, metadata).await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Person for Asker {
    async fn allows_page(&self, url: &str) -> bool {
        allowed(self.site(url).await)
    }

    async fn allows(&self, asked: &Asked<'_>) -> bool {
        allowed(self.step(asked).await)
    }

    async fn hears(&self, news: &News<'_>) {
        if let Err(failure) = self.heard(news).await {
            tracing::error!(%failure, "what the assistant did was not kept");
        }
    }
}

fn allowed(asked: Result<(), Failure>) -> bool {
    match asked {
        Ok(()) => true,
        Err(failure) => {
            tracing::info!(%failure, "not allowed");
            false
        }
    }
}

pub(super) fn step_of(action: &Action, label: &str) -> AssistantStep {
    AssistantStep {
        kind: action.kind.as_str().to_owned(),
        id: action.id,
        selector: action.selector.clone(),
        value: action.value.clone(),
        label: label.to_owned(),
    }
}

/// `click "Buy now"`, `navigate https://…`.
fn worded_step(action: &Action, label: &str) -> String {
    let kind = action.kind.as_str();
    match (&action.value, label) {
        (Some(value), "") => format!("{kind} {}", base::text::cut(value, 200)),
        (None, "") => kind.to_owned(),
        (_, label) => format!("{kind} \"{label}\""),
    }
}

/// What is typed is shown before it is: but no password.
fn shown(action: &Action, risk: Option<Risk>) -> Option<String> {
    match risk {
        Some(Risk::Password) => None,
        _ => action.value.as_deref().map(|value| base::text::cut(value, 500)),
    }
}
