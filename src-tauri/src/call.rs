//! The commands of the window that reach the owner: a call of wire's table, passed on; its end
//! before it is answered; news.
//!
//! Nothing is checked here. The owner checks names, parameters and access, and words its
//! errors; failures of the way to it carry a code that the page words itself.

use crate::feed::{Feed, News};
use base::Failure;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tauri::State;
use tokio::sync::{Notify, Semaphore};
use wire::{Asked, Client, ClientError, WireError};

/// Connections to the owner at one time. Some of them wait long for something new to tell.
const MOST: usize = 64;

/// Cancels that came before their call, or after its answer. They are for a call that the page has
/// just made, so few are enough.
const EARLY: usize = 64;

/// Calls of the page that are not answered yet, by the page's own names for them.
pub struct OpenCalls {
    calls: Mutex<Calls>,
    places: Semaphore,
}

#[derive(Default)]
struct Calls {
    open: HashMap<String, Arc<Notify>>,
    /// Cancelled without being open: commands may be taken up in another order than they were
    /// given in. Oldest first.
    early: VecDeque<String>,
}

/// One of them, for as long as it is open.
struct OpenCall<'c> {
    of: &'c OpenCalls,
    id: String,
    cancelled: Arc<Notify>,
}

impl OpenCalls {
    pub fn new() -> Self {
        OpenCalls {
            calls: Mutex::default(),
            places: Semaphore::new(MOST),
        }
    }

    fn enter(&self, id: String) -> OpenCall<'_> {
        let cancelled = Arc::new(Notify::new());
        let mut calls = self.lock();
        if let Some(at) = calls.early.iter().position(|early| *early == id) {
            calls.early.remove(at);
            cancelled.notify_one();
        }
        calls.open.insert(id.clone(), cancelled.clone());
        drop(calls);
        OpenCall {
            of: self,
            id,
            cancelled,
        }
    }

    fn cancel(&self, id: &str) {
        let mut calls = self.lock();
        if let Some(call) = calls.open.get(id) {
            call.notify_one();
            return;
        }
        calls.early.push_back(id.to_owned());
        if calls.early.len() > EARLY {
            calls.early.pop_front();
        }
    }

    /// For a page that is gone.
    pub fn cancel_all(&self) {
        for call in self.lock().open.values() {
            call.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        let calls = &mut self.of.lock().open;
        // A name that was used twice belongs to the later call.
        if calls
            .get(&self.id)
            .is_some_and(|call| Arc::ptr_eq(call, &self.cancelled))
        {
            calls.remove(&self.id);
        }
    }
}

/// The page's own key of a change, so that it can ask for the answer again.
#[derive(Debug, Deserialize)]
pub struct Repeat {
    key: String,
    again: bool,
}

/// `invoke('call', {id, name, params, repeat?})`. The result travels as the owner wrote it.
#[tauri::command]
pub async fn call(
    client: State<'_, Client>,
    open: State<'_, OpenCalls>,
    id: String,
    name: String,
    params: Value,
    repeat: Option<Repeat>,
) -> Result<Box<RawValue>, WireError> {
    let entered = open.enter(id);
    let answer = async {
        let _place = open.places.acquire().await;
        let answer = match repeat {
            None => client.call(&name, &params).await,
            Some(Repeat { key, again }) => {
                let asked = if again { Asked::Again } else { Asked::First };
                client.call_with_key(&name, &params, &key, asked).await
            }
        };
        answer.map_err(to_wire)
    };
    tokio::select! {
        // First: a call that was cancelled before it began is not begun.
        biased;
        // Dropping the request closes its connection: the owner sees that nobody waits.
        () = entered.cancelled.notified() => Err(coded(Failure::new("call_cancelled"))),
        answer = answer => answer,
    }
}

/// `invoke('cancel_call', {id})`; one that is answered already is left alone, one that has not
/// come yet ends when it does.
#[tauri::command]
pub fn cancel_call(open: State<'_, OpenCalls>, id: String) {
    open.cancel(&id);
}

/// `invoke('news', {page})`: without `page` from now on, with it what came since. Waits until
/// there is something; nothing means that a newer page listens.
#[tauri::command]
pub async fn news(feed: State<'_, Arc<Feed>>, page: Option<u32>) -> Result<Option<News>, WireError> {
    Ok(match page {
        None => Some(feed.open()),
        Some(page) => feed.next(page).await,
    })
}

fn to_wire(error: ClientError) -> WireError {
    match error {
        ClientError::Call(error) => error,
        other => {
            let failure = Failure::from(other);
            tracing::debug!(%failure, "call");
            coded(failure)
        }
    }
}

/// A failure of this side, which the page words.
pub fn coded(failure: Failure) -> WireError {
    WireError {
        code: failure.code,
        message: String::new(),
        hint: None,
        args: failure.args,
    }
}

#[cfg(test)]
mod tests;
