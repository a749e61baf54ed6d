//! Cells that are said to a model: it reads the canvas and answers. Only a person may have one asked, for
//! that costs money.
//!
//! Deliberately not here: which services there are.

use super::steps::{Around, Came, Fault, Step};
use crate::app::App;
use arena::engine::StepEnd;
use arena::write_canvas;
use base::{Failure, Lang};
use futures_util::future::BoxFuture;
use llm::{Chat, Limits, Message, Role};

const NAME: &str = "model";
/// Bytes of the canvas that a model is given: its end.
const CONTEXT: usize = 48 * 1024;

/// Whoever answers. Of the settings there is [`OfSettings`].
pub(crate) trait Cognitor: Send + Sync {
    /// `hear`: each piece as it comes.
    fn answer<'a>(
        &'a self,
        app: &'a App,
        chat: Chat,
        hear: &'a (dyn Fn(&str) + Sync),
    ) -> BoxFuture<'a, Result<String, Failure>>;
}

/// The default service of the settings.
pub(crate) struct OfSettings;

impl Cognitor for OfSettings {
    fn answer<'a>(
        &'a self,
        app: &'a App,
        chat: Chat,
        hear: &'a (dyn Fn(&str) + Sync),
    ) -> BoxFuture<'a, Result<String, Failure>> {
        Box::pin(async move {
            let service = app.service(None).await?;
            let answer = app
                .inner
                .services
                .models
                .ask(&service, &chat, &Limits::default())
                .await?;
            let (text, _) = answer.whole(hear).await?;
            Ok(text)
        })
    }
}

pub(super) async fn step(around: &Around<'_>, step: &Step) -> Result<Came, Fault> {
    let Around {
        app,
        notebook,
        who,
        heard,
        cancel,
    } = around;
    if !who.is_person() {
        return Err(Failure::new("cell_model_person").into());
    }
    let document = {
        let kept = notebook.look().await;
        write_canvas(kept.state.canvas())
    };
    let hear = |text: &str| heard.piece(text);
    let asking = app
        .inner
        .canvases
        .cognitor
        .answer(app, chat(&document, &step.text, app.lang()), &hear);
    let value = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Failure::new("cancelled").into()),
        answered = asking => answered?,
    };
    Ok(Came {
        end: StepEnd::Done { value },
        artifacts: Vec::new(),
        by: NAME,
    })
}

fn chat(document: &str, text: &str, lang: Lang) -> Chat {
    let from = document.ceil_char_boundary(document.len().saturating_sub(CONTEXT));
    let told = lang.pick(
        "你是一份 ACP Canvas 文档的 Arena。下面是到目前为止的文档（可能只有末尾）。请只回答最后的单元格，不要重复文档，也不要写出 <Cell> 标记。",
        "You are the Arena of an ACP Canvas document. Here it is so far (perhaps only its end). Answer the last cell alone: do not repeat the document, and write no <Cell> elements.",
    );
    let asked = text.trim();
    let asked = asked
        .strip_prefix("chat")
        .map_or(asked, |rest| rest.trim_start_matches([':', '：', ' ']));
    Chat::new(vec![
        Message::new(Role::System, format!("{told}\n\n{}", &document[from..])),
        Message::new(Role::User, asked),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_the_end_of_the_canvas_and_asked_what_the_cell_says() {
        let document = format!("{}字尾", "字".repeat(CONTEXT));
        let chat = chat(&document, "chat: 你好", Lang::En);
        let [system, user] = chat.messages() else {
            panic!("two messages")
        };
        assert!(system.text().ends_with("字尾") && system.text().len() < CONTEXT + 1000);
        assert_eq!(user.text(), "你好");
    }
}
