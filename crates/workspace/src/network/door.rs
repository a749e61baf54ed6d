//! The network of one command or terminal while it runs, what is kept of it, and the words of what
//! was refused. Texts for models stand here, beside what they describe.

use super::{Inner, subject};
use base::{Coded, LiveLang};
use sandbox::net::proxy::{Proxy, Socket};
use sandbox::net::{NetError, Network, Tallied, Tally};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use store::{Actor, AuditEntry, Store};
use tokio_util::sync::CancellationToken;

/// Hosts that were refused and are told of behind a command's output.
const TOLD: usize = 10;
/// What one that stays open asks for is written down so long after the first time; each time
/// after that twice as long, up to the most.
const NOTED: Duration = Duration::from_secs(1);
const NOTED_MOST: Duration = Duration::from_secs(60);

/// How much of a network something was started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Off,
    Hosts,
    Full,
}

impl Extent {
    pub fn name(self) -> &'static str {
        match self {
            Extent::Off => "off",
            Extent::Hosts => "hosts",
            Extent::Full => "full",
        }
    }
}

/// The network of one command or terminal, while it runs.
pub struct Door {
    pub(super) link: sandbox::Network,
    pub(super) withdrawn: CancellationToken,
    pub(super) behind: Option<Behind>,
}

pub(super) struct Behind {
    pub(super) inner: Arc<Inner>,
    pub(super) proxy: Option<(Proxy, Arc<Network>)>,
    pub(super) socket: Option<Socket>,
    pub(super) tally: Tally,
    pub(super) task: String,
    pub(super) hosts: Vec<String>,
    pub(super) command: String,
    pub(super) actor: Actor,
}

impl Door {
    /// For the sandbox.
    pub fn link(&self) -> &sandbox::Network {
        &self.link
    }

    pub fn extent(&self) -> Extent {
        match self.link {
            sandbox::Network::Off => Extent::Off,
            sandbox::Network::Proxy(_) => Extent::Hosts,
            sandbox::Network::Open => Extent::Full,
        }
    }

    /// Cancelled when what it leads to is more than a person grants now.
    pub(crate) fn withdrawn(&self) -> &CancellationToken {
        &self.withdrawn
    }

    /// Writes down who is asked for while it is open: some terminals stay open for days. Never ends.
    pub(crate) async fn note(&self) {
        let Some(behind) = &self.behind else {
            return std::future::pending().await;
        };
        let mut wait = NOTED;
        loop {
            behind.tally.some().await;
            tokio::time::sleep(wait).await;
            wait = NOTED_MOST.min(wait * 2);
            behind.note(behind.tally.take()).await;
        }
    }

    /// Ends it and writes down who was asked for. What was refused, in words, for whoever reads
    /// the command's output.
    pub async fn close(mut self) -> Option<String> {
        let behind = self.behind.as_mut()?;
        let rows = behind.end();
        let words = behind.words(&rows);
        behind.note(rows).await;
        words
    }
}

impl Behind {
    fn end(&mut self) -> Vec<Tallied> {
        self.proxy = None;
        self.socket = None;
        self.tally.take()
    }

    fn entries(&self, rows: Vec<Tallied>) -> impl Iterator<Item = AuditEntry> {
        rows.into_iter().map(|row| AuditEntry {
            actor: self.actor.clone(),
            action: row.action().to_owned(),
            subject: subject(&self.task),
            detail: json!({
                "host": row.host,
                "port": row.port,
                "why": row.why(),
                "count": row.count,
                "command": self.command,
            }),
        })
    }

    async fn note(&self, rows: Vec<Tallied>) {
        for entry in self.entries(rows) {
            write(&self.inner.store, entry).await;
        }
    }

    fn words(&self, rows: &[Tallied]) -> Option<String> {
        let refused = rows.iter().filter(|row| row.action() == "network.refused");
        let lines: Vec<String> = refused
            .take(TOLD)
            .map(|row| {
                let lang = self.inner.lang.get();
                let what = lang.pick("沙箱拒绝了网络访问", "the sandbox refused the network");
                let told = advice(
                    row.why().unwrap_or_default(),
                    &row.host,
                    row.port,
                    &self.task,
                    &self.hosts,
                    lang,
                );
                format!(
                    "[pm] {what}: {}:{} ({}x). {told}\n",
                    row.host, row.port, row.count
                )
            })
            .collect();
        (!lines.is_empty()).then(|| lines.concat())
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        if self.proxy.is_none() {
            return;
        }
        // The command's own future was dropped: what it asked for happened nevertheless.
        let rows = self.end();
        let (store, entries) = (self.inner.store.clone(), self.entries(rows).collect::<Vec<_>>());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                for entry in entries {
                    write(&store, entry).await;
                }
            });
        }
    }
}

async fn write(store: &Store, entry: AuditEntry) {
    let (subject, action) = (entry.subject.clone(), entry.action.clone());
    if let Err(error) = store.audit(entry).await {
        tracing::error!(subject, action, error = %base::failure::chain(&error), "not in the audit");
    }
}

/// The body of the proxy's refusal.
pub(super) fn explain(error: &NetError, task: &str, hosts: &[String], lang: &LiveLang) -> String {
    let lang = lang.get();
    let what = lang.pick("沙箱的代理拒绝了该连接", "Blocked by the sandbox's proxy");
    let (host, port) = match error {
        NetError::NotGranted { host, port } => (host.as_str(), *port),
        NetError::Address { host, .. } => (host.as_str(), 0),
        NetError::LoopbackNotGranted { port } => ("localhost", *port),
        other => return format!("{what}: {other}.\n"),
    };
    let told = advice(error.code(), host, port, task, hosts, lang);
    format!("{what}: {error}.\n{told}\n")
}

/// What a person could do about it.
fn advice(code: &str, host: &str, port: u16, task: &str, hosts: &[String], lang: base::Lang) -> String {
    if code != "network_not_granted" {
        let zh = "私有地址、本机地址和本程序的端口不能授权。";
        return lang
            .pick(
                zh,
                "Private addresses, this machine and this program's port cannot be granted.",
            )
            .to_owned();
    }
    let host = match port {
        80 | 443 => host.to_owned(),
        port => format!("{host}:{port}"),
    };
    let mut all = hosts.to_vec();
    all.push(host);
    // A shell would take a star for names of files.
    let quoted = |host: &String| {
        if host.contains('*') {
            format!("'{host}'")
        } else {
            host.clone()
        }
    };
    let words: Vec<String> = all.iter().map(quoted).collect();
    let command = format!("pm workspace network {task} {}", words.join(" "));
    match lang {
        base::Lang::ZhCn => format!("如需放行，请用户运行 `{command}`，或在窗口的工作空间页面中添加该主机。"),
        base::Lang::En => {
            format!("To allow it, a person runs `{command}`, or adds the host on the Workspaces page.")
        }
    }
}
