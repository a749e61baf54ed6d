//! What the assistant asks of a model: without the secrets of this data home, and shown as it comes.

use super::person::Asker;
use super::tell_now;
use crate::app::App;
use agents::assistant::Thinks;
use async_trait::async_trait;
use base::Failure;
use llm::{Chat, Limits, Message, Role, Service};
use std::time::{Duration, Instant};
use wire::AssistantMetadata;

/// How often those who watch are told that more has come.
const TELL: Duration = Duration::from_millis(200);

pub(super) struct Asks<'a> {
    pub(super) app: &'a App,
    pub(super) asker: &'a Asker,
    pub(super) service: Service,
    /// Whether what is said is kept.
    pub(super) debug: bool,
}

impl Asks<'_> {
    async fn keep(&self, part: &str, text: &str) -> Result<(), Failure> {
        if !self.debug {
            return Ok(());
        }
        let metadata = AssistantMetadata {
            part: Some(part.to_owned()),
            ..AssistantMetadata::default()
        };
        self.asker.say("system", text.to_owned(), metadata).await
    }

    async fn whole(&self, prompt: String) -> Result<String, Failure> {
        let chat = Chat::new(vec![Message::new(Role::User, prompt)]);
        let models = &self.app.inner.services.models;
        let answer = models.ask(&self.service, &chat, &Limits::default()).await?;
        let assistant = &self.app.inner.assistant;
        let mut whole = std::pin::pin!(answer.whole(|piece| assistant.thinks(piece)));
        let mut tick = tokio::time::interval(TELL);
        loop {
            tokio::select! {
                biased;
                done = &mut whole => return Ok(done?.0),
                _ = tick.tick() => tell_now(self.app).await?,
            }
        }
    }
}

#[async_trait]
impl Thinks for Asks<'_> {
    async fn answer(&self, prompt: String) -> Result<String, Failure> {
        let secrets = self.app.learn_secrets().await?;
        let prompt = secrets.mask(&prompt);
        self.keep("prompt", &prompt).await?;
        let assistant = &self.app.inner.assistant;
        assistant.change(|working| working.thinking.clear());
        let begun = Instant::now();
        let reply = self.whole(prompt).await;
        assistant.note(begun.elapsed().as_secs_f64() * 1000.0, reply.is_ok());
        let reply = reply?;
        self.keep("reply", &reply).await?;
        Ok(reply)
    }
}
