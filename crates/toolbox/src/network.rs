//! Whom a tool can reach: what it asks for in `getRuntimeConfig()`, as far as it was shipped with
//! it or a person granted it. Nothing else, and nothing by default.
//!
//! Deliberately not here: how a connection is made and which addresses are out of reach whatever
//! is granted (`sandbox::net`).

use crate::catalog::Tool;
use crate::dependencies::commands::beginnings;
use crate::model::{Description, NetworkAccess};
use crate::toolbox::Toolbox;
use base::Failure;
use base::name::ToolName;
use runtime::host::Reach;
use runtime::host::net::{Host, HostRules, NetError, Network, Tally};
use serde_json::json;
use std::sync::Arc;
use store::{Actor, AuditEntry, Grant, GrantKind};

impl Toolbox {
    /// For one run; `tally` hears whom it asked for.
    pub(crate) async fn reach(
        &self,
        tool: &Tool,
        description: &Description,
        tally: &Tally,
    ) -> Result<Reach, Failure> {
        let code = (!tool.built_in).then(|| tool.hash.clone());
        let granted = self
            .inner
            .store
            .grants(tool.name.to_string(), GrantKind::Network, code)
            .await?;
        let granted = (!tool.built_in).then_some(granted.as_slice());
        let wanted = description.runtime.network.clone();
        let rules = rules(&wanted, granted)?;
        let name = tool.name.to_string();
        let asks = wanted != NetworkAccess::None;
        Ok(Reach {
            sockets: asks.then(|| beginnings(&self.inner.home)),
            network: Network::new(rules, self.inner.host.own_ports()),
            audit: tally.audit(),
            explain: Arc::new(move |error| explain(error, &name, &wanted)),
            ..Reach::nothing()
        })
    }

    /// What the tool asks for, and what of the network a person granted it.
    pub async fn network_view(&self, tool: &Tool) -> Result<NetworkView, Failure> {
        let code = (!tool.built_in).then(|| tool.hash.clone());
        let wanted = &tool.described()?.runtime.network;
        let granted = self
            .inner
            .store
            .grants(tool.name.to_string(), GrantKind::Network, code)
            .await?;
        let (mut effective, loopback) = reached(wanted, (!tool.built_in).then_some(granted.as_slice()));
        effective.extend(loopback.iter().map(|port| format!("{LOCAL}{port}")));
        Ok(NetworkView {
            requested: requested(wanted),
            granted,
            effective,
        })
    }

    /// Only persons get here. `localhost:PORT` is a port of this machine.
    pub async fn grant_host(&self, tool: &Tool, host: &str, actor: &Actor) -> Result<(), Failure> {
        let grant = Grant {
            subject: tool.name.to_string(),
            kind: GrantKind::Network,
            value: normal_form(host)?,
            code_hash: tool.hash.clone(),
            actor: actor.clone(),
        };
        Ok(self.inner.store.add_grant(grant).await?)
    }

    /// Whether there was such a grant. The tool's workers end, each after what it does now: sockets
    /// that were passed to one live as long as it does.
    pub async fn revoke_host(&self, tool: &ToolName, host: &str, actor: &Actor) -> Result<bool, Failure> {
        let (name, value) = (tool.to_string(), normal_form(host)?);
        let gone = self
            .inner
            .store
            .revoke(name, GrantKind::Network, value, actor.clone())
            .await?;
        self.inner.host.retire(tool.as_str());
        Ok(gone)
    }

    /// A row for each host. What happened, happened, whether or not this can be written.
    pub(crate) async fn note_network(&self, actor: &Actor, subject: &str, tally: &Tally) {
        for row in tally.take() {
            let entry = AuditEntry {
                actor: actor.clone(),
                action: row.action().to_owned(),
                subject: subject.to_owned(),
                detail: json!({"host": row.host, "port": row.port, "why": row.why(), "count": row.count}),
            };
            if let Err(error) = self.inner.store.audit(entry).await {
                tracing::error!(subject, error = %base::failure::chain(&error), "not in the audit");
            }
        }
    }
}

/// The network of a tool as a person sees it.
#[derive(Clone, Debug)]
pub struct NetworkView {
    pub requested: Vec<String>,
    pub granted: Vec<String>,
    /// What a run reaches now.
    pub effective: Vec<String>,
}

/// What of the network a tool asks for, each as it is granted.
pub(crate) fn requested(wanted: &NetworkAccess) -> Vec<String> {
    match wanted {
        NetworkAccess::None => Vec::new(),
        NetworkAccess::All => vec!["*".to_owned()],
        NetworkAccess::Only { hosts, loopback } => {
            let local = loopback.iter().map(|port| format!("{LOCAL}{port}"));
            let normal = |host: &String| HostRules::normal_form(host).unwrap_or_else(|_| host.clone());
            hosts.iter().map(normal).chain(local).collect()
        }
    }
}

/// Whether a grant of `given` opens `asked`, as [`reached`] has it.
pub(crate) fn covers(given: &str, asked: &str) -> bool {
    given == asked || (given == "*" && !asked.starts_with(LOCAL))
}

/// How a port of this machine is asked for and granted.
const LOCAL: &str = "localhost:";

fn normal_form(host: &str) -> Result<String, NetError> {
    match host.strip_prefix(LOCAL).map(str::parse::<u16>) {
        Some(Ok(port)) if port > 0 => Ok(format!("{LOCAL}{port}")),
        _ => HostRules::normal_form(host),
    }
}

/// What the tool reads in its error, and its author or user with it.
fn explain(error: &NetError, tool: &str, wanted: &NetworkAccess) -> String {
    let asked = rules(wanted, None).unwrap_or_default();
    let (host, requested) = match error {
        NetError::NotGranted { host, port } => {
            let name = Host::parse(host);
            // Port 0: only its addresses were asked for.
            let requested = name.is_ok_and(|name| match port {
                0 => asked.allows_name(&name),
                port => asked.allows(&name, *port),
            });
            let host = match port {
                0 => host.clone(),
                port => format!("{host}:{port}"),
            };
            (host, requested)
        }
        NetError::LoopbackNotGranted { port } => (format!("{LOCAL}{port}"), asked.has_loopback(*port)),
        other => return other.to_string(),
    };
    match (requested, wanted) {
        (true, NetworkAccess::All) => format!("{error}; to allow it: pm tool grant {tool} --network {host}"),
        (true, _) => format!("{error}; to allow what it asks for: pm tool grant {tool} --network"),
        (false, _) => format!("{error}: the tool does not ask for it in getRuntimeConfig().networkAccess"),
    }
}

/// `granted`: `None` for a tool that has what it was shipped with.
fn rules(wanted: &NetworkAccess, granted: Option<&[String]>) -> Result<HostRules, NetError> {
    let (hosts, loopback) = reached(wanted, granted);
    HostRules::new(&hosts, &loopback)
}

/// Hosts and ports of this machine, in their normal form.
fn reached(wanted: &NetworkAccess, granted: Option<&[String]>) -> (Vec<String>, Vec<u16>) {
    let (hosts, loopback) = match wanted {
        NetworkAccess::None => return (Vec::new(), Vec::new()),
        NetworkAccess::All => (vec!["*".to_owned()], &[][..]),
        NetworkAccess::Only { hosts, loopback } => (hosts.clone(), loopback.as_slice()),
    };
    // What a tool declares wrongly opens nothing, and closes nothing else.
    let wanted = hosts.iter().filter_map(|host| HostRules::normal_form(host).ok());
    let wanted: Vec<String> = wanted.collect();
    let Some(granted) = granted else {
        return (wanted, loopback.to_vec());
    };
    let both = |one: &[String], other: &[String]| -> Vec<String> {
        let every = other.iter().any(|host| host == "*");
        one.iter()
            .filter(|host| every || other.contains(host))
            .cloned()
            .collect()
    };
    let mut hosts = both(&wanted, granted);
    for host in both(granted, &wanted) {
        if !host.starts_with(LOCAL) && !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    let local = |port: &&u16| granted.contains(&format!("{LOCAL}{port}"));
    (hosts, loopback.iter().filter(local).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(hosts: &[&str], loopback: &[u16]) -> NetworkAccess {
        NetworkAccess::Only {
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            loopback: loopback.to_vec(),
        }
    }

    fn allows(wanted: &NetworkAccess, granted: Option<&[&str]>, host: &str, port: u16) -> bool {
        let granted: Option<Vec<String>> =
            granted.map(|all| all.iter().map(|host| (*host).to_owned()).collect());
        let rules = rules(wanted, granted.as_deref()).unwrap();
        rules.allows(&Host::parse(host).unwrap(), port)
    }

    #[test]
    fn what_is_reached_is_told_as_it_is_judged() {
        let wanted = only(&["A.example", "b.example:443", "not a host"], &[3000, 4000]);
        let told = |wanted: &NetworkAccess, granted: &[&str]| {
            let granted: Vec<String> = granted.iter().map(|host| (*host).to_owned()).collect();
            reached(wanted, Some(&granted))
        };
        let hosts = |all: &[&str]| -> Vec<String> { all.iter().map(|host| (*host).to_owned()).collect() };
        assert_eq!(told(&wanted, &[]), (hosts(&[]), vec![]));
        let some = ["b.example:443", "localhost:4000", "c.example"];
        assert_eq!(told(&wanted, &some), (hosts(&["b.example:443"]), vec![4000]));
        let every = (hosts(&["a.example", "b.example:443"]), vec![]);
        assert_eq!(told(&wanted, &["*", "a.example"]), every);
        let all = NetworkAccess::All;
        assert_eq!(told(&all, &["*"]), (hosts(&["*"]), vec![]));
        assert_eq!(
            told(&all, &["x.example", "localhost:1"]),
            (hosts(&["x.example"]), vec![])
        );
        assert_eq!(told(&NetworkAccess::None, &["*"]), (hosts(&[]), vec![]));
    }

    #[test]
    fn declared_is_requested_and_granted_is_had() {
        let wanted = only(&["A.example", "b.example:443", "not a host"], &[3000]);
        for (granted, host, port, allowed) in [
            (None, "a.example", 80, true),
            (None, "b.example", 80, false),
            (None, "localhost", 3000, true),
            (Some(&[][..]), "a.example", 80, false),
            (Some(&[][..]), "localhost", 3000, false),
            (Some(&["a.example"][..]), "a.example", 80, true),
            (Some(&["a.example"][..]), "b.example", 443, false),
            (Some(&["c.example"][..]), "c.example", 443, false),
            (Some(&["*"][..]), "b.example", 443, true),
            (Some(&["*"][..]), "c.example", 443, false),
            (
                Some(&["localhost:3000", "localhost:4000"][..]),
                "localhost",
                3000,
                true,
            ),
            (
                Some(&["localhost:3000", "localhost:4000"][..]),
                "localhost",
                4000,
                false,
            ),
        ] {
            assert_eq!(
                allows(&wanted, granted, host, port),
                allowed,
                "{granted:?} {host}:{port}"
            );
        }
        let all = NetworkAccess::All;
        assert!(allows(&all, None, "x.example", 1) && !allows(&all, None, "localhost", 1));
        assert!(allows(&all, Some(&["x.example"]), "x.example", 1));
        assert!(!allows(&all, Some(&["x.example"]), "y.example", 1));
        assert!(!allows(&NetworkAccess::None, Some(&["*"]), "x.example", 1));
    }
}
