//! What a server's program may reach: rows of `grants` of the subject `server:NAME`, which only a person makes.
//!
//! Deliberately not here: how it is kept to them (`sandbox`).

use super::error::ExternalError;
use super::kept::Kept;
use super::{External, entry, sockets};
use crate::app::App;
use base::Failure;
use base::name::ToolName;
use runtime::host::net::{HostRules, NetError, Network, Tally};
use runtime::host::{Mount, Reach, ResidentSpec};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Actor, AuditEntry, Grant, GrantKind};

/// Beside a server's own folder.
pub(crate) const BUNDLE: &str = "bundle";
/// How a port of this machine is granted.
const LOCAL: &str = "localhost:";
/// Who audits what a program reached.
const ACTOR: &str = "tool";

pub(crate) struct Rights {
    pub(crate) directories: Vec<String>,
    pub(crate) hosts: Vec<String>,
    reach: Reach,
    tally: Tally,
}

pub(crate) fn subject(name: &ToolName) -> String {
    format!("server:{name}")
}

/// The server of such a subject.
pub(crate) fn subject_of(subject: &str) -> Option<&str> {
    subject.strip_prefix("server:")
}

pub(crate) async fn of(app: &App, server: &External) -> Result<Rights, Failure> {
    let store = &app.inner.store;
    let directories = store
        .grants(subject(&server.name), GrantKind::Directory, None)
        .await?;
    let hosts = store
        .grants(subject(&server.name), GrantKind::Network, None)
        .await?;
    let (local, named): (Vec<_>, Vec<_>) = hosts.iter().partition(|host| host.starts_with(LOCAL));
    let ports: Vec<u16> = local
        .iter()
        .filter_map(|host| host[LOCAL.len()..].parse().ok())
        .collect();
    let rules = HostRules::new(&named, &ports)?;
    let (tally, name) = (Tally::default(), server.name.clone());
    let reach = Reach {
        network: Network::new(rules, app.inner.host.own_ports()),
        audit: tally.audit(),
        explain: Arc::new(move |error| explain(error, &name)),
        sockets: Some(sockets(&app.inner.home)),
        ..Reach::nothing()
    };
    Ok(Rights {
        directories,
        hosts,
        reach,
        tally,
    })
}

/// What a program reads in its error.
fn explain(error: &NetError, name: &ToolName) -> String {
    let host = match error {
        NetError::NotGranted { host, .. } => host.clone(),
        NetError::LoopbackNotGranted { port } => format!("{LOCAL}{port}"),
        other => return other.to_string(),
    };
    format!("{error}; to allow it: pm server grant {name} --network {host}")
}

impl Rights {
    /// Of a program; an address is asked by the owner itself.
    pub(super) fn spec(&self, app: &App, place: &Path, kept: &Kept) -> Option<ResidentSpec> {
        let entry::Way::Program(words) = entry::way(&kept.entry) else {
            return None;
        };
        let granted = self.directories.iter().map(PathBuf::from);
        // What is not there any more is not missed.
        let granted = granted.filter(|path| path.exists()).map(Mount::read_write);
        let own = kept
            .bundle
            .then(|| Mount::read_only(place.join(kept.bundle_folder())));
        Some(ResidentSpec {
            words,
            env: kept
                .entry
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            folder: place.join("data"),
            mounts: own.into_iter().chain(granted).collect(),
            home: app.inner.home.root().to_owned(),
            reach: self.reach.clone(),
        })
    }

    /// A row for each host. What happened, happened, whether or not this can be written.
    pub(super) async fn note(&self, app: &App, server: &External) {
        for row in self.tally.take() {
            let entry = AuditEntry {
                actor: Actor {
                    kind: ACTOR.to_owned(),
                    name: subject(&server.name),
                },
                action: row.action().to_owned(),
                subject: subject(&server.name),
                detail: json!({"host": row.host, "port": row.port, "why": row.why(), "count": row.count}),
            };
            if let Err(error) = app.inner.store.audit(entry).await {
                tracing::error!(server = %server.name, error = %base::failure::chain(&error), "not in the audit");
            }
        }
    }
}

/// In the form in which it is kept.
pub(crate) fn host(host: &str) -> Result<String, NetError> {
    match host.strip_prefix(LOCAL).map(str::parse::<u16>) {
        Some(Ok(port)) if port > 0 => Ok(format!("{LOCAL}{port}")),
        _ => HostRules::normal_form(host),
    }
}

/// Where a folder really is. Blocks.
pub(crate) fn directory(app: &App, path: &str) -> Result<PathBuf, Failure> {
    let home = &app.inner.home;
    let path = home.expand(path)?;
    let real = path.canonicalize().map_err(super::kept::failed(&path))?;
    let open = [home.shared(), home.workspaces()];
    let is_open = open
        .iter()
        .any(|folder| real.starts_with(folder) && real != *folder);
    match real.starts_with(home.root()) && !is_open {
        true => Err(ExternalError::Reserved(real).into()),
        false => Ok(real),
    }
}

/// Grants, or takes back.
pub(crate) async fn change(
    app: &App,
    name: &ToolName,
    (kind, value): (GrantKind, String),
    granted: bool,
    actor: &Actor,
) -> Result<(), Failure> {
    let store = &app.inner.store;
    let subject = subject(name);
    if granted {
        let (code_hash, actor) = (String::new(), actor.clone());
        return Ok(store
            .add_grant(Grant {
                subject,
                kind,
                value,
                code_hash,
                actor,
            })
            .await?);
    }
    match store.revoke(subject, kind, value.clone(), actor.clone()).await? {
        true => Ok(()),
        false => Err(Failure::new("grant_not_found").with("directory", value)),
    }
}
