//! Which of several registries is asked first: the one that answers fastest, remembered for a day.
//!
//! Deliberately not here: going on to the next when one fails (`registry`).

use crate::files::{read_cached, write_cached};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use reqwest::Client;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use url::Url;

const REMEMBERED: Duration = Duration::from_secs(24 * 3600);
/// One that has not answered by then is not the fastest.
const PATIENCE: Duration = Duration::from_secs(3);
const FILE: &str = "fastest.json";

#[derive(Serialize, Deserialize)]
struct Choice {
    /// Of which it was chosen.
    of: Vec<Url>,
    fastest: Url,
    /// Seconds since the epoch.
    at: u64,
}

/// `mirrors` with the fastest first. `folder` is where the choice is remembered.
pub async fn ordered(mut mirrors: Vec<Url>, client: &Client, folder: &Path) -> Vec<Url> {
    if mirrors.len() < 2 {
        return mirrors;
    }
    let path = folder.join(FILE);
    let known = {
        let path = path.clone();
        tokio::task::spawn_blocking(move || read_cached(&path)).await
    };
    let known = known.ok().flatten();
    let known = known.and_then(|bytes| serde_json::from_slice::<Choice>(&bytes).ok());
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let is_young = |choice: &Choice| now.saturating_sub(choice.at) < REMEMBERED.as_secs();
    let fastest = match known.filter(|choice| choice.of == mirrors && is_young(choice)) {
        Some(choice) => choice.fastest,
        None => {
            let Some(fastest) = race(&mirrors, client).await else {
                return mirrors;
            };
            let choice = Choice {
                of: mirrors.clone(),
                fastest: fastest.clone(),
                at: now,
            };
            let text = serde_json::to_vec(&choice).unwrap_or_default();
            // Not remembered, it is found out again.
            let _ = tokio::task::spawn_blocking(move || write_cached(&path, &[&text])).await;
            fastest
        }
    };
    mirrors.sort_by_key(|mirror| *mirror != fastest);
    mirrors
}

/// The first that answers well.
async fn race(mirrors: &[Url], client: &Client) -> Option<Url> {
    let ask = |mirror: &Url| {
        let asked = client.get(mirror.clone()).timeout(PATIENCE).send();
        let mirror = mirror.clone();
        async move {
            let answered = asked.await.is_ok_and(|answer| !answer.status().is_server_error());
            answered.then_some(mirror)
        }
    };
    let mut running: FuturesUnordered<_> = mirrors.iter().map(ask).collect();
    while let Some(answered) = running.next().await {
        if answered.is_some() {
            return answered;
        }
    }
    None
}
