//! Long calls of clients that know tasks (the extension `io.modelcontextprotocol/tasks`): what is not done
//! in a moment is answered by a task, and the client asks after it, answers its questions, calls it off.
//! rmcp keeps the tasks; here is whose each is, and how a call becomes one.
//!
//! Deliberately not here: tasks over a restart. Runs end with their owner, and what they gave is on record.

use super::Endpoint;
use super::elicit::{self, Open, Question, Way};
use crate::limits::Key;
use base::Failure;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{CallToolResult, DetailedTask, InputRequest, InputResponses, ProtocolVersion, Task};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A call that takes longer than this becomes a task.
pub(super) const MOMENT: Duration = Duration::from_secs(3);
/// How long a task may take; its result is kept for as long again.
const LIFE: Duration = Duration::from_secs(30 * 60);
/// How often a client is to ask.
const ASK_MS: u64 = 1000;
/// Tasks of all clients, with those whose results are kept, and of one.
const MOST: usize = 1000;
const MOST_EACH: usize = 100;

/// Calls that became tasks.
#[derive(Default)]
pub(crate) struct Long {
    tasks: TaskManager,
    owners: Mutex<HashMap<String, Owner>>,
}

struct Owner {
    client: Key,
    since: Instant,
}

/// Whether the client of a call takes a task for an answer.
pub(super) fn knows_tasks(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    let capabilities = context.client_capabilities();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
        && capabilities.is_some_and(|all| all.supports_tasks())
}

impl Long {
    /// The call as a task from now on; the call itself when its client has as many as it may.
    pub(super) fn adopt(
        &self,
        endpoint: &Endpoint,
        client: &Key,
        open: Open,
        way: Way,
    ) -> Result<Task, Box<Open>> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|_, owner| owner.since.elapsed() < LIFE * 2);
        let own = owners.values().filter(|owner| owner.client == *client).count();
        if owners.len() >= MOST || own >= MOST_EACH {
            return Err(Box::new(open));
        }
        let options = TaskOptions::new()
            .with_ttl_ms(LIFE.as_millis() as u64)
            .with_poll_interval_ms(ASK_MS);
        let (tasks, endpoint) = (self.tasks.clone(), endpoint.without_session());
        let task = self.tasks.spawn(options, move |task| {
            Box::pin(see_through(endpoint, open, way, tasks, task))
        });
        let owner = Owner {
            client: client.clone(),
            since: Instant::now(),
        };
        owners.insert(task.task_id.clone(), owner);
        Ok(task)
    }

    pub(super) fn get(&self, id: &str, client: &Key) -> Result<DetailedTask, Failure> {
        self.check(id, client)?;
        self.tasks.get_task(id).map_err(|_| unknown(id))
    }

    pub(super) fn answer(&self, id: &str, client: &Key, answers: InputResponses) -> Result<(), Failure> {
        self.check(id, client)?;
        self.tasks.update_task(id, answers).map_err(|_| unknown(id))
    }

    pub(super) fn cancel(&self, id: &str, client: &Key) -> Result<(), Failure> {
        self.check(id, client)?;
        self.tasks.cancel_task(id).map_err(|_| unknown(id))
    }

    fn check(&self, id: &str, client: &Key) -> Result<(), Failure> {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else's is as unknown as nobody's.
        match owners.get(id).is_some_and(|owner| owner.client == *client) {
            true => Ok(()),
            false => Err(unknown(id)),
        }
    }
}

fn unknown(id: &str) -> Failure {
    Failure::new("mcp_task_not_found").with("id", base::text::cut(id, 80))
}

/// Waits for a call, and passes its questions on.
async fn see_through(
    endpoint: Endpoint,
    mut open: Open,
    way: Way,
    tasks: TaskManager,
    task: TaskContext,
) -> Result<CallToolResult, TaskExit> {
    // Whatever ends this ends the run.
    let _end = open.cancel.clone().drop_guard();
    let (mut asked, mut asking) = (0_u32, FuturesUnordered::new());
    let ended = loop {
        tokio::select! {
            biased;
            ended = &mut open.running => break ended,
            () = task.cancelled(), if !open.cancel.is_cancelled() => open.cancel.cancel(),
            Some(question) = open.questions.recv() => {
                // Without anybody there to ask the others may answer.
                if way != Way::None {
                    asked += 1;
                    asking.push(ask(&tasks, &task, question, asked));
                }
            }
            Some(()) = asking.next() => {}
        }
    };
    match task.is_cancel_requested() {
        true => Err(TaskExit::Cancelled),
        false => Ok(endpoint.answer(ended)?),
    }
}

/// Until there is an answer, or none is needed any more.
async fn ask(tasks: &TaskManager, task: &TaskContext, question: Question, number: u32) {
    let Question {
        key,
        request,
        mut reply,
    } = question;
    // Each key is used once.
    let key = format!("{key}-{number}");
    tokio::select! {
        said = task.request_input(key.clone(), InputRequest::Elicitation(request)) => {
            if let Some(result) = said.ok().and_then(elicit::result) {
                // Who waited may have gone.
                let _ = reply.send(result);
            }
        }
        () = reply.closed() => {
            // Answered elsewhere: the task does not wait for it any more.
            if let Err(error) = tasks.update_task(task.task_id(), [(key, Value::Null)]) {
                tracing::debug!(%error, "a task was gone before its question");
            }
        }
    }
}
