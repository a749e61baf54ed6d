//! Tokens of clients: who a secret belongs to, and what that client may use.
//!
//! Of a secret only its hash is known here and in the store. It is random and long, so that a plain
//! hash is enough, and it is compared with every known one in the same time. Deliberately not here:
//! the person's own token and sessions of pages ([`crate::auth`]), which no scope limits.

use crate::app::App;
use base::name::ToolName;
use base::text::hex;
use base::{Failure, clock};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use store::{Actor, Store, StoreError};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use wire::TokenScope;

/// What secrets begin with, so that people and scanners know one when they see it.
const PREFIX: &str = "pmt_";
/// Characters of a client's name.
const NAME: usize = 64;
/// Clients whose presence is not yet written down.
const SEEN: usize = 256;
/// The tool of MCP that stands for all tools of the toolbox.
const TOOLM: &str = "toolm";

/// What a client may use. Cheap to clone; the default is everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope(Arc<TokenScope>);

#[derive(Default)]
pub(crate) struct Tokens {
    known: RwLock<Arc<Vec<Known>>>,
    seen: Mutex<HashMap<String, i64>>,
}

struct Known {
    name: String,
    /// Of one that was revoked there is none.
    hash: Option<[u8; 32]>,
    scope: Scope,
}

impl Scope {
    /// Whether it may call this tool of MCP, with whatever.
    pub(crate) fn has(&self, mcp_tool: &str) -> bool {
        let Some(tools) = &self.0.tools else {
            return true;
        };
        let whole = tools.iter().any(|tool| tool == mcp_tool);
        whole || (mcp_tool == TOOLM && tools.iter().any(|tool| address(tool).is_some()))
    }

    /// Whether it may use this tool of the toolbox, in any way.
    pub(crate) fn has_tool(&self, name: &ToolName) -> bool {
        let Some(tools) = &self.0.tools else {
            return true;
        };
        tools
            .iter()
            .any(|tool| tool == TOOLM || address(tool) == Some(name.as_str()))
    }

    /// Whether it may use this tool of an external server, as `SERVER__tool` or with all of `server://SERVER`.
    pub(crate) fn has_offer(&self, offered: &str) -> bool {
        let Some(tools) = &self.0.tools else {
            return true;
        };
        let server = offered.split_once("__").map(|(server, _)| server);
        tools.iter().any(|tool| {
            tool == offered
                || (tool
                    .strip_prefix("server://")
                    .is_some_and(|one| Some(one) == server))
        })
    }

    pub(crate) fn has_task(&self, task: &str) -> bool {
        let tasks = self.0.workspaces.as_ref();
        tasks.is_none_or(|tasks| tasks.iter().any(|known| known == task))
    }
}

fn address(tool: &str) -> Option<&str> {
    tool.strip_prefix("tool://")
}

impl Tokens {
    /// As they are kept; from now on they hold.
    pub(crate) async fn load(&self, store: &Store) -> Result<(), StoreError> {
        let rows = store.tokens().await?.into_iter();
        let known = rows.map(|row| {
            let scope = serde_json::from_value(row.scope).map_err(StoreError::from)?;
            Ok(Known {
                name: row.name,
                hash: unhex(&row.hash),
                scope: Scope(Arc::new(scope)),
            })
        });
        let known: Vec<Known> = known.collect::<Result<_, StoreError>>()?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
        Ok(())
    }

    /// Whose secret this is.
    pub(crate) fn find(&self, secret: &str) -> Option<(String, Scope)> {
        let given: [u8; 32] = Sha256::digest(secret).into();
        let known = self.known();
        let mut found = u64::MAX;
        for (at, one) in (0_u64..).zip(known.iter()) {
            let same: Choice = match &one.hash {
                Some(hash) => hash.ct_eq(&given),
                None => Choice::from(0),
            };
            found.conditional_assign(&at, same);
        }
        let one = known.get(usize::try_from(found).ok()?)?;
        Some((one.name.clone(), one.scope.clone()))
    }

    /// What a client may use that came without a secret, by the name that it was started with:
    /// everything, unless a token of that name says less. `None` when that was revoked.
    pub(crate) fn of_name(&self, name: &str) -> Option<Scope> {
        match self.known().iter().find(|one| one.name == name) {
            None => Some(Scope::default()),
            Some(one) => one.hash.is_some().then(|| one.scope.clone()),
        }
    }

    /// Notes that a client is here.
    pub(crate) fn here(&self, name: &str) {
        let mut seen = lock(&self.seen);
        if let Some(at) = seen.get_mut(name) {
            *at = clock::now_ms();
        } else if seen.len() < SEEN && !name.is_empty() {
            seen.insert(name.to_owned(), clock::now_ms());
        }
    }

    /// Who was here since that was last written down.
    pub(crate) fn seen(&self) -> HashMap<String, i64> {
        lock(&self.seen).clone()
    }

    /// Writes down who was here.
    pub(crate) async fn keep_seen(&self, store: &Store) -> Result<(), StoreError> {
        let seen: Vec<_> = lock(&self.seen).drain().collect();
        match seen.is_empty() {
            true => Ok(()),
            false => store.clients_seen(seen).await,
        }
    }

    fn known(&self) -> Arc<Vec<Known>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A token for a client, and its secret, which nobody hears again.
pub(crate) async fn make(app: &App, name: &str, scope: TokenScope, actor: Actor) -> Result<String, Failure> {
    check_name(name)?;
    check_scope(&scope)?;
    let secret = format!("{PREFIX}{}", crate::auth::random()?);
    let row = store::TokenRow {
        name: name.to_owned(),
        hash: hex(&Sha256::digest(&secret)),
        scope: serde_json::to_value(&scope)
            .map_err(|error| Failure::new("internal").detail(error.to_string()))?,
        created_at: clock::now_ms(),
        actor,
        revoked_at: None,
    };
    if !app.inner.store.add_token(row).await? {
        return Err(Failure::new("token_exists").with("name", name));
    }
    app.inner.tokens.load(&app.inner.store).await?;
    Ok(secret)
}

pub(crate) async fn revoke(app: &App, name: &str, actor: Actor) -> Result<(), Failure> {
    if !app.inner.store.revoke_token(name.to_owned(), actor).await? {
        return Err(Failure::new("token_not_found").with("name", base::text::cut(name, NAME)));
    }
    app.inner.tokens.load(&app.inner.store).await?;
    app.inner.sessions.end_of(name).await;
    Ok(())
}

pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    match name.len() {
        1..=NAME if name.chars().all(good) => Ok(()),
        _ => Err(Failure::new("invalid_token_name").with("name", base::text::cut(name, NAME))),
    }
}

/// A word that means nothing would lock a client out, or let it in, without anybody noticing.
fn check_scope(scope: &TokenScope) -> Result<(), Failure> {
    let unknown = |word: &str| Failure::new("unknown_scope").with("scope", base::text::cut(word, NAME));
    for tool in scope.tools.iter().flatten() {
        let known = match address(tool) {
            Some(name) => ToolName::parse(name).is_ok(),
            None => match tool.strip_prefix("server://") {
                Some(server) => ToolName::parse(server).is_ok(),
                None => crate::mcp::tool_names().any(|name| name == tool) || is_offer(tool),
            },
        };
        if !known {
            return Err(unknown(tool));
        }
    }
    match scope
        .workspaces
        .iter()
        .flatten()
        .find(|task| workspace::TaskId::parse(task).is_err())
    {
        Some(task) => Err(unknown(task)),
        None => Ok(()),
    }
}

/// Whether a tool of an external server could be offered by this name.
fn is_offer(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let server = name.split_once("__").map(|(server, _)| server);
    name.len() <= NAME
        && name.bytes().all(plain)
        && server.is_some_and(|server| ToolName::parse(server).is_ok())
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    crate::auth::unhex(text)?.try_into().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(tools: &[&str], tasks: &[&str]) -> Scope {
        let owned = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        Scope(Arc::new(TokenScope {
            tools: owned(tools),
            workspaces: owned(tasks),
        }))
    }

    #[test]
    fn a_scope_holds_what_it_names_and_no_more() {
        let (todo, files) = (
            ToolName::parse("todolist").unwrap(),
            ToolName::parse("filesystem").unwrap(),
        );
        let all = Scope::default();
        assert!(all.has("read_file") && all.has(TOOLM) && all.has_tool(&files) && all.has_task("t1"));
        let one = scope(&["tool://todolist", "read_file"], &["t1"]);
        assert!(one.has(TOOLM) && one.has("read_file") && one.has_tool(&todo) && one.has_task("t1"));
        assert!(!one.has("write_file") && !one.has_tool(&files) && !one.has_task("t2"));
        let none = scope(&[], &[]);
        assert!(!none.has(TOOLM) && !none.has_tool(&todo) && !none.has_task("t1"));
        let toolbox = scope(&[TOOLM], &[]);
        assert!(toolbox.has_tool(&todo) && toolbox.has_tool(&files) && !toolbox.has("run_javascript"));
    }

    #[test]
    fn a_secret_is_found_by_its_hash_and_a_revoked_one_is_nobodys() {
        let tokens = Tokens::default();
        let known = |name: &str, secret: Option<&str>| Known {
            name: name.to_owned(),
            hash: secret.map(|secret| Sha256::digest(secret).into()),
            scope: Scope::default(),
        };
        *tokens.known.write().unwrap() = Arc::new(vec![
            known("a", Some("one")),
            known("gone", None),
            known("b", Some("two")),
        ]);
        let name = |secret: &str| tokens.find(secret).map(|(name, _)| name);
        assert_eq!(name("one").as_deref(), Some("a"));
        assert_eq!(name("two").as_deref(), Some("b"));
        for wrong in ["", "on", "onee", "three"] {
            assert_eq!(name(wrong), None, "{wrong:?}");
        }
        assert!(tokens.of_name("gone").is_none());
        assert!(tokens.of_name("a").is_some() && tokens.of_name("never seen").is_some());
    }

    #[test]
    fn names_are_plain() {
        for good in ["claude-code", "A.b_9", &"x".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "ü", "a/b", "a\n", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
