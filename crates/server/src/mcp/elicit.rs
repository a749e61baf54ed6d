//! Questions brought to the person by way of her MCP client (elicitation). Most are about a command:
//! the third way to answer beside the window and `pm approve`; the first answer counts. What a tool's
//! configuration lacks is asked by [`super::lacking`].
//!
//! Up to revision 2025-11-25 the question is a request on the stream of the call. Since 2026-07-28
//! the call is answered by `input_required`, and the client makes it again with the answer; the
//! command waits meanwhile in [`Parked`].
//!
//! By this way a command is allowed once. A right that stays is given in the window or by `pm`: what
//! a client says is only as good as the client. Its answer is therefore recorded as the client's and
//! not as the person's, and a person can turn this way off (`server.askInMcpClients`).

use crate::approvals::{Answer, Ask, Elsewhere};
use crate::calls;
use crate::limits::Key;
use base::{Failure, Lang};
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, InputResponses, ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RoleServer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::Actor;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use wire::Caller;

/// Characters of a command that fit into a question; a longer one is read in the window.
const READABLE: usize = 4000;
/// Calls that wait for their client to come back, and of these of one client.
const PARKED: usize = 100;
const PARKED_EACH: usize = 20;
/// For so long; the question itself has ended long before …
const PATIENCE: Duration = Duration::from_secs(600);
/// … and so long once the work is done, which somebody else may have allowed: then only its answer
/// waits to be fetched.
const DONE: Duration = Duration::from_secs(60);
/// What is asked about a command, as `input_required` names it.
const APPROVAL: &str = "approval";

/// How the client of a call can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    None,
    /// By a request of ours.
    Request,
    /// By an answer that asks it to come again.
    Round,
}

pub(super) fn way(context: &RequestContext<RoleServer>) -> Way {
    let capabilities = context.client_capabilities();
    let Some(elicitation) = capabilities.and_then(|all| all.elicitation) else {
        return Way::None;
    };
    // Without a word about either, forms are meant.
    if elicitation.form.is_none() && elicitation.url.is_some() {
        return Way::None;
    }
    let version = context.protocol_version();
    match version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        true => Way::Round,
        false => Way::Request,
    }
}

/// A question on its way from what wants to know to the call that started it.
pub(super) struct Question {
    /// As `input_required` names it.
    pub(super) key: &'static str,
    pub(super) request: ElicitRequest,
    pub(super) reply: oneshot::Sender<ElicitResult>,
}

impl Question {
    /// As an answer to the call, which is known by `state` then.
    fn required(&self, state: &str) -> InputRequiredResult {
        let request = InputRequest::Elicitation(self.request.clone());
        let requests = BTreeMap::from([(self.key.to_owned(), request)]);
        InputRequiredResult::new(Some(requests), Some(state.to_owned()))
    }
}

/// What a client sent for an answer, if it is one.
pub(super) fn result(given: Value) -> Option<ElicitResult> {
    serde_json::from_value(given).ok()
}

/// The client of one call, as a way to a person.
pub(super) struct ByClient {
    to: Option<mpsc::Sender<Question>>,
    actor: wire::Actor,
    pub(super) lang: Lang,
}

impl ByClient {
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        caller: &Caller,
        asks: bool,
        lang: Lang,
    ) -> (Self, mpsc::Receiver<Question>) {
        let (to, questions) = mpsc::channel(1);
        let client = ByClient {
            to: (asks && way(context) != Way::None).then_some(to),
            actor: caller.actor.clone(),
            lang,
        };
        (client, questions)
    }

    /// What the person said; `None` when the client cannot be asked or did not answer.
    pub(super) async fn hear(&self, key: &'static str, request: ElicitRequest) -> Option<ElicitResult> {
        let (reply, answer) = oneshot::channel();
        let question = Question { key, request, reply };
        self.to.as_ref()?.send(question).await.ok()?;
        answer.await.ok()
    }

    fn question(&self, ask: &Ask) -> Option<ElicitRequest> {
        let readable = ask.value.chars().count() <= READABLE;
        // What looks otherwise than it is cannot be judged there.
        if !readable || !is_plain(&ask.value) {
            return None;
        }
        let task = ask.subject.trim_start_matches("task:");
        let reason = ask.detail["reason"].as_str().unwrap_or_default();
        let message = match self.lang {
            Lang::ZhCn => format!(
                "允许在任务 {task} 中运行这个命令吗？\n\n{}\n\n{reason}",
                ask.value
            ),
            Lang::En => format!("Allow this command in task {task}?\n\n{}\n\n{reason}", ask.value),
        };
        let names = [
            self.lang.pick("允许一次", "Allow once"),
            self.lang.pick("拒绝", "Deny"),
        ];
        let schema = json!({
            "type": "object",
            "properties": {"answer": {"type": "string", "enum": ["allow_once", "deny"], "enumNames": names}},
            "required": ["answer"],
        });
        form(message, schema)
    }
}

/// A form with these fields; `None` when they are none that a form may have.
pub(super) fn form(message: String, schema: Value) -> Option<ElicitRequest> {
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    }))
}

/// Whether a text is read as it is written: nothing unseen, nothing that turns the direction, nothing
/// pushed out of sight by blanks.
fn is_plain(text: &str) -> bool {
    let unseen = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    let blanks = ["\n\n\n", &" ".repeat(20)];
    !text.contains(unseen) && !blanks.iter().any(|run| text.contains(run))
}

impl Elsewhere for ByClient {
    async fn ask(&self, ask: &Ask) -> (Answer, Actor) {
        if let Some(request) = self.question(ask)
            && let Some(result) = self.hear(APPROVAL, request).await
            && let Some(answer) = answer(&result)
        {
            return (answer, calls::actor(&self.actor));
        }
        std::future::pending().await
    }
}

/// Asks by a request on the stream of the call, until there is an answer or none is needed.
pub(super) async fn request(peer: &Peer<RoleServer>, question: Question) {
    let Question {
        request, mut reply, ..
    } = question;
    let asked = ServerRequest::ElicitRequest(request);
    let asked = peer.send_cancellable_request(asked, PeerRequestOptions::no_options());
    let mut handle = match asked.await {
        Ok(handle) => handle,
        Err(error) => {
            tracing::debug!(%error, "the client could not be asked");
            return;
        }
    };
    tokio::select! {
        answered = &mut handle.rx => {
            if let Ok(Ok(ClientResult::ElicitResult(result))) = answered {
                // Who waited may have gone.
                let _ = reply.send(result);
            }
        }
        () = reply.closed() => {
            let _ = handle.cancel(Some("answered elsewhere".to_owned())).await;
        }
    }
}

/// `None`: she closed the question without an answer.
fn answer(result: &ElicitResult) -> Option<Answer> {
    match result.action {
        ElicitationAction::Accept => {
            let said = result
                .content
                .as_ref()
                .and_then(|content| content["answer"].as_str());
            Some(match said {
                Some("allow_once") => Answer::AllowOnce,
                _ => Answer::Deny,
            })
        }
        ElicitationAction::Decline => Some(Answer::Deny),
        _ => None,
    }
}

/// The work of a call, and what it may want to know.
pub(crate) struct Open {
    pub(super) running: JoinHandle<Result<super::Answered, Failure>>,
    pub(super) questions: mpsc::Receiver<Question>,
    pub(super) cancel: CancellationToken,
}

/// Calls whose clients are to come again with an answer.
#[derive(Default)]
pub(crate) struct Parked {
    calls: Mutex<HashMap<String, Waiting>>,
}

/// A call whose client came again.
pub(super) enum Again {
    Open(Box<Open>),
    /// Without an answer to what it was asked.
    Asked(InputRequiredResult),
}

struct Waiting {
    open: Open,
    question: Question,
    client: Key,
    since: Instant,
    /// Since when it is known to be done.
    done: Option<Instant>,
}

impl Waiting {
    fn keeps(&mut self) -> bool {
        if self.open.running.is_finished() {
            self.done.get_or_insert_with(Instant::now);
        }
        self.since.elapsed() < PATIENCE && self.done.is_none_or(|done| done.elapsed() < DONE)
    }
}

impl Parked {
    /// What the client is told; or the limit, when so many wait.
    pub(super) fn put(
        &self,
        client: &Key,
        open: Open,
        question: Question,
    ) -> Result<InputRequiredResult, usize> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, waiting| waiting.keeps());
        let of_client = |waiting: &&Waiting| waiting.client == *client;
        let own = calls.values().filter(of_client).count() >= PARKED_EACH;
        if own || calls.len() >= PARKED {
            // Answers that nobody fetched make room for questions, the oldest first.
            let done = calls
                .iter()
                .filter(|(_, waiting)| waiting.done.is_some() && (!own || waiting.client == *client));
            let oldest = done.min_by_key(|(_, waiting)| waiting.done);
            let Some(oldest) = oldest.map(|(state, _)| state.clone()) else {
                open.cancel.cancel();
                return Err(if own { PARKED_EACH } else { PARKED });
            };
            calls.remove(&oldest);
        }
        // Random, so that it can be shown by nobody who was not told.
        let state = uuid::Uuid::new_v4().to_string();
        let required = question.required(&state);
        let waiting = Waiting {
            open,
            question,
            client: client.clone(),
            since: Instant::now(),
            done: None,
        };
        calls.insert(state, waiting);
        Ok(required)
    }

    /// Lets go of what nobody comes for. Called now and then by the owner.
    pub(crate) fn sweep(&self) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, waiting| waiting.keeps());
    }

    /// The call that goes on, if it is this client's. What was answered is passed on; what was not is
    /// asked again, unless somebody else has answered it.
    pub(super) fn take(&self, state: &str, client: &Key, mut answers: InputResponses) -> Option<Again> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = calls.get(state).filter(|waiting| waiting.client == *client)?;
        let Question { key, reply, .. } = &waiting.question;
        let answer = answers.remove(*key).and_then(result);
        if answer.is_none() && !reply.is_closed() {
            return Some(Again::Asked(waiting.question.required(state)));
        }
        let Waiting { open, question, .. } = calls.remove(state)?;
        if let Some(answer) = answer {
            // Somebody else may have been quicker.
            let _ = question.reply.send(answer);
        }
        Some(Again::Open(Box::new(open)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parked(running: JoinHandle<Result<crate::mcp::Answered, Failure>>) -> (Open, Question) {
        let (_, questions) = mpsc::channel(1);
        let client = ByClient {
            to: None,
            actor: Caller::mcp_client("c").actor,
            lang: Lang::En,
        };
        let ask = Ask {
            subject: "task:t1".into(),
            kind: store::GrantKind::Command,
            value: "x".into(),
            code_hash: String::new(),
            detail: Value::Null,
            actor: calls::actor(&client.actor),
        };
        let open = Open {
            running,
            questions,
            cancel: CancellationToken::new(),
        };
        let question = Question {
            key: APPROVAL,
            request: client.question(&ask).unwrap(),
            reply: oneshot::channel().0,
        };
        (open, question)
    }

    #[tokio::test]
    async fn places_of_those_who_are_done_are_given_away_and_no_client_has_all() {
        let all = Parked::default();
        let put = |client: &str, running| {
            let (open, question) = parked(running);
            let cancel = open.cancel.clone();
            let put = all.put(&Key::of_token(client), open, question);
            (put.map(|required| required.request_state.unwrap()), cancel)
        };
        let waits = || tokio::spawn(std::future::pending());
        let done = tokio::spawn(async { Err(Failure::new("x")) });
        while !done.is_finished() {
            tokio::task::yield_now().await;
        }
        let fetched = put("one", done).0.unwrap();
        for _ in 1..PARKED_EACH {
            put("one", waits()).0.unwrap();
        }
        // The one that is done makes room, and is gone then.
        put("one", waits()).0.unwrap();
        assert!(
            all.take(&fetched, &Key::of_token("one"), InputResponses::default())
                .is_none()
        );
        let (full, cancel) = put("one", waits());
        assert_eq!(full.unwrap_err(), PARKED_EACH);
        assert!(cancel.is_cancelled(), "what cannot be answered does not go on");
        put("two", waits()).0.unwrap();
    }

    #[test]
    fn what_reads_otherwise_than_it_is_is_not_asked_there() {
        for plain in ["rm -rf dist", "echo 你好\necho two\n\necho three"] {
            assert!(is_plain(plain), "{plain:?}");
        }
        for not in [
            "rm\u{202e}txt.sh",
            "ls\u{200b}",
            "ls\r rm",
            "ls\n\n\n\nrm -rf x",
            &format!("ls{}; rm -rf x", " ".repeat(200)),
        ] {
            assert!(!is_plain(not), "{not:?}");
        }
    }
}
