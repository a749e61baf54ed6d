//! What is done outside for an agent: its model is asked, or a tool called.

use super::super::event::{Call, Event, Outcome};
use super::super::org::AgentId;
use super::super::state::State;
use super::super::{Amounts, Hold};
use super::outside::{Reply, Terms, Who};
use super::{Gauge, Inner};
use base::Failure;
use llm::{Chat, Context, Level, Message, Role};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Bytes of what a call gives that a model is told.
const TOLD: usize = 32 * 1024;

/// What came of it.
pub(super) enum Came {
    /// With what is held for it until it has happened.
    Event(Box<Event>, Option<Held>),
    /// The model could not be asked.
    Failed(Failure),
    /// It was called off.
    Nothing,
}

/// For whom it is done, and with what.
pub(super) struct Work {
    pub(super) inner: Arc<Inner>,
    pub(super) state: Arc<RwLock<State>>,
    pub(super) contexts: Arc<Mutex<HashMap<AgentId, Context>>>,
    pub(super) gauges: Arc<Mutex<HashMap<AgentId, Gauge>>>,
    pub(super) agent: AgentId,
    pub(super) cancel: CancellationToken,
}

/// Room in the budgets for as long as something goes on, and until what it did cost is counted.
pub(super) struct Held {
    state: Arc<RwLock<State>>,
    hold: Option<Hold>,
}

impl Held {
    pub(super) fn take(mut self) -> Option<Hold> {
        self.hold.take()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(hold) = self.hold.take() {
            self.state
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .release(hold);
        }
    }
}

impl Work {
    fn look<T>(&self, see: impl FnOnce(&State) -> T) -> T {
        see(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps room for the most that something may cost, or says what happens where there is none.
    fn hold(&self, most: Amounts) -> Result<Held, Event> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(lacks) = state.lacks(self.agent, most) {
            return Err(lacks);
        }
        let hold = state.hold(self.agent, most).ok();
        drop(state);
        Ok(Held {
            state: Arc::clone(&self.state),
            hold,
        })
    }

    fn who(&self) -> Who {
        self.look(|state| Who {
            task: state.task().to_owned(),
            agent: self.agent,
            name: state.titled(self.agent),
        })
    }

    /// Asks the agent's model; where its context is almost full, for a summary first.
    pub(super) async fn ask(self) -> Came {
        let asking = async {
            let Ok(_turn) = self.inner.asks.clone().acquire_owned().await else {
                return Came::Nothing;
            };
            match self.answer().await {
                Ok((event, held)) => Came::Event(Box::new(event), held),
                Err(failure) => Came::Failed(failure),
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Came::Nothing,
            came = asking => came,
        }
    }

    async fn answer(&self) -> Result<(Event, Option<Held>), Failure> {
        let who = self.who();
        let service = self.look(|state| state.service(self.agent).map(str::to_owned));
        let service = service.as_deref();
        let terms = self.inner.outside.terms(service).await?;
        let outside = self.inner.outside.tools(&who.task).await;
        let mut pictures = HashMap::new();
        let shown = self.look(|state| match terms.pictures {
            true => state
                .shown_pictures(self.agent)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            false => Vec::new(),
        });
        for id in shown {
            if let Some(picture) = self.inner.outside.picture(&id).await {
                pictures.insert(id, picture);
            }
        }
        let chat = self.look(|state| state.chat(self.agent, &outside, &pictures));
        let context = self
            .contexts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&self.agent)
            .copied()
            .unwrap_or_else(|| Context::new(terms.window));
        let tokens = context.tokens(&chat);
        let gauge = Gauge {
            tokens,
            window: terms.window,
        };
        self.gauges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(self.agent, gauge);
        let level = context.level(&chat);
        if level >= Level::High
            && let Some(range) = context.oldest(&chat, terms.window / 2)
            // A summary alone is not summed up again.
            && range.len() > 1
        {
            tracing::info!(
                agent = who.name,
                tokens,
                window = terms.window,
                "a context is summed up"
            );
            let lang = self.look(|state| state.lang);
            let asked = summary(&chat, range.end, lang);
            let (reply, cost, held) = match self.asked(&who, service, asked, terms, context).await? {
                Ok(answered) => answered,
                Err(lacks) => return Ok((lacks, None)),
            };
            if reply.text.trim().is_empty() {
                return Err(Failure::new("society_no_summary"));
            }
            let summed = Event::Summed {
                agent: self.agent,
                // The first message is the system's, and no entry.
                entries: range.end.saturating_sub(1),
                text: reply.text,
                cost,
            };
            return Ok((summed, Some(held)));
        }
        let answered = self.asked(&who, service, chat, terms, context).await?;
        Ok(match answered {
            Ok((Reply { text, calls, .. }, cost, held)) => {
                let said = Event::Said {
                    agent: self.agent,
                    text,
                    calls: with_ids(calls),
                    cost,
                };
                (said, Some(held))
            }
            Err(lacks) => (lacks, None),
        })
    }

    /// One answer and its cost, or what happens where a budget does not hold it.
    async fn asked(
        &self,
        who: &Who,
        service: Option<&str>,
        chat: Chat,
        terms: Terms,
        mut context: Context,
    ) -> Result<Result<(Reply, Amounts, Held), Event>, Failure> {
        let estimated = context.tokens(&chat);
        let most = cost_of(estimated, terms.output, terms);
        let held = match self.hold(most) {
            Ok(held) => held,
            Err(lacks) => return Ok(Err(lacks)),
        };
        let began = Instant::now();
        let reply = self.inner.outside.ask(who, service, chat.clone()).await?;
        if let Some(input) = reply.input {
            context.heard(&chat, input);
            self.contexts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(self.agent, context);
        }
        let said = || {
            let of_calls = reply.calls.iter().map(|call| call.arguments.len()).sum::<usize>();
            (reply.text.len() + of_calls) as u64 / 3
        };
        let (input, output) = (
            reply.input.unwrap_or(estimated),
            reply.output.unwrap_or_else(said),
        );
        let cost = Amounts {
            time: millis(began),
            ..cost_of(input, output, terms)
        };
        Ok(Ok((reply, cost, held)))
    }

    /// Calls a tool.
    pub(super) async fn call(self, nth: usize, call: Call) -> Came {
        let taking = self.inner.calls.clone().acquire_owned();
        let _turn = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Came::Nothing,
            turn = taking => turn,
        };
        let held = match self.hold(Amounts::ONE_CALL) {
            Ok(held) => held,
            Err(lacks) => return Came::Event(Box::new(lacks), None),
        };
        let who = self.who();
        let may = self.look(|state| state.has_tool(self.agent, &call.name));
        let began = Instant::now();
        let outcome = match may {
            true => self.inner.outside.call(&who, &call, self.cancel.clone()).await,
            false => unknown(&call.name),
        };
        if self.cancel.is_cancelled() {
            return Came::Nothing;
        }
        let gave = Event::Gave {
            agent: self.agent,
            call: nth,
            outcome: bounded(outcome),
            change: None,
            cost: Amounts {
                time: millis(began),
                ..Amounts::ONE_CALL
            },
        };
        Came::Event(Box::new(gave), Some(held))
    }
}

/// A role that does not have a tool, has none of that name.
fn unknown(tool: &str) -> Outcome {
    Outcome {
        text: serde_json::json!({"error": "unknown_mcp_tool", "tool": base::text::cut(tool, 80)}).to_string(),
        is_error: true,
        pictures: Vec::new(),
    }
}

fn bounded(mut outcome: Outcome) -> Outcome {
    if outcome.text.len() > TOLD {
        let end = outcome.text.floor_char_boundary(TOLD);
        outcome.text.truncate(end);
        outcome.text.push_str(" …");
    }
    outcome
}

/// Some services give calls no ids, or the same twice: results are matched by them.
fn with_ids(mut calls: Vec<Call>) -> Vec<Call> {
    let mut known = std::collections::HashSet::new();
    for (nth, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || !known.insert(call.id.clone()) {
            call.id = format!("call_{nth}");
            known.insert(call.id.clone());
        }
    }
    calls
}

fn cost_of(input: u64, output: u64, terms: Terms) -> Amounts {
    let price = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price) / 1_000_000;
    let money = price(input, terms.price.0) + price(output, terms.price.1);
    Amounts {
        tokens: input.saturating_add(output),
        money: u64::try_from(money).unwrap_or(u64::MAX),
        ..Amounts::ONE_CALL
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// What is said to have the beginning of a conversation in short.
fn summary(chat: &Chat, end: usize, lang: base::Lang) -> Chat {
    let asked = lang.pick(
        "请把到目前为止的内容概括成一份摘要，供你自己之后继续工作：目标、已做的决定、已完成和未完成的事、文件与产物编号、他人的编号和约定。只写摘要，不要调用工具。",
        "Sum up what happened so far, for yourself to go on from: the objective, what was decided, what is done and what is not, files and artifacts, the ids of others and what was agreed with them. Write the summary alone and call no tool.",
    );
    let mut messages: Vec<Message> = chat.messages().iter().take(end).cloned().collect();
    messages.push(Message::new(Role::User, asked));
    // Some services refuse calls in a conversation that offers no tools.
    Chat::new(messages).with_tools(chat.tools().to_vec())
}
