//! What stands before every route: Host and Origin, who the caller is.

use super::failed;
use super::held::held;
use crate::app::App;
use crate::limits::Key;
use crate::mcp::{InUse, Room};
use crate::tokens::Scope;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, RETRY_AFTER};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use base::{Failure, Lang};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use wire::{Access, Actor, ActorKind, Caller};

/// Headers of the protocol.
const SESSION: &str = "mcp-session-id";
const REVISION: &str = "mcp-protocol-version";
/// Characters of what a client without a name of its own calls itself.
const NAME: usize = 80;

/// Which way a request came in.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    /// The owner's socket: its file permissions are the authentication.
    Socket,
    /// Loopback, or what the person asked for.
    Tcp { hosts: Hosts, port: u16 },
}

/// Whom a request may call us by.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    pub(crate) names: Vec<String>,
    /// We listen on all addresses of the machine, which come and go. An address is nobody's name,
    /// so a foreign page cannot make it lead here.
    pub(crate) any_address: bool,
}

impl Hosts {
    fn know(&self, name: &str) -> bool {
        let is_address = || match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(inside) => inside.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name)) || (self.any_address && is_address())
    }
}

/// Who is at the other end of a TCP connection; each request carries it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Peer {
    fn is_this_machine(self) -> bool {
        // A listener on [::] sees 127.0.0.1 as ::ffff:127.0.0.1.
        self.0.ip().to_canonical().is_loopback()
    }
}

/// Against DNS rebinding and foreign pages: the Host must be ours, and so must an Origin, if any.
pub(super) async fn host_and_origin(State(door): State<Door>, request: Request, next: Next) -> Response {
    let lang = language(request.headers(), Lang::En);
    match check(&door, request.headers()) {
        Ok(()) => next.run(request).await,
        Err(failure) => failed(&failure, lang),
    }
}

fn check(door: &Door, headers: &HeaderMap) -> Result<(), Failure> {
    let Door::Tcp { hosts, port } = door else {
        return Ok(());
    };
    let host = text(headers, HOST.as_str());
    let known = |authority: &str| {
        let (name, given) = split_port(authority);
        hosts.know(name) && given == *port
    };
    let is_named = |authority: &str| {
        let (name, given) = split_port(authority);
        hosts.names.iter().any(|known| known.eq_ignore_ascii_case(name)) && given == *port
    };
    if !known(host) {
        return Err(Failure::new("host_refused").with("host", host));
    }
    match headers.get(ORIGIN) {
        None => Ok(()),
        Some(origin) => {
            let origin = origin.to_str().unwrap_or_default();
            match origin.strip_prefix("http://") {
                // By address only of the very page that is called: another machine's page has an
                // address, too.
                Some(authority) if authority == host || is_named(authority) => Ok(()),
                _ => Err(Failure::new("origin_refused").with("origin", origin)),
            }
        }
    }
}

/// `[::1]:5621` -> (`[::1]`, 5621); without a port it is 80.
fn split_port(authority: &str) -> (&str, u16) {
    match authority.rsplit_once(':') {
        Some((name, port)) if !name.ends_with(':') && (!name.contains('[') || name.ends_with(']')) => {
            port.parse().map_or((authority, 0), |port| (name, port))
        }
        _ => (authority, 80),
    }
}

/// Puts the [`Caller`] into the request, or answers 401.
pub(super) async fn authenticate(
    State((app, door)): State<(App, Door)>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = match door {
        Door::Socket => Some(Caller::person(program(request.headers()))),
        // A page asks for its session before it has one.
        Door::Tcp { .. } => bearer(request.headers()).and_then(|secret| caller_of(&app, secret)),
    };
    match caller {
        Some(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        None => unauthorized(&app, request.headers()),
    }
}

/// `/mcp` takes the person's token or a client's, unless settings open it to loopback: to where the
/// request comes from, whatever its Host says, for we may listen on more than loopback. Then it sees
/// to what one client may ask for, and that a session is used by whom it belongs to.
pub(super) async fn mcp(State((app, _)): State<(App, Door)>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if path != "/mcp" && !path.starts_with("/mcp/") {
        return next.run(request).await;
    }
    let Some(client) = Visitor::of(&app, &request) else {
        return unauthorized(&app, request.headers());
    };
    let lang = language(request.headers(), app.lang());
    app.inner.tokens.here(&client.name);
    let (in_use, room) = match admitted(&app, client.key.as_str(), request.method(), request.headers()).await
    {
        Ok(admitted) => admitted,
        Err(failure) => return refused(&failure, lang),
    };
    let (opens, ends) = (in_use.is_none(), request.method() == Method::DELETE);
    let Visitor { name, scope, key } = client;
    request.extensions_mut().insert(Caller::mcp_client(&name));
    request.extensions_mut().insert(scope);
    request.extensions_mut().insert(key.clone());
    // rmcp passes the head of the request on, and logs it when it is asked to log all.
    request.headers_mut().remove(AUTHORIZATION);
    let mut response = next.run(request).await;
    if let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok())
        && opens
    {
        app.inner.sessions.opened(id, key.as_str());
    }
    drop(room);
    if ends && let Some(in_use) = &in_use {
        app.inner.sessions.end(in_use.id()).await;
        // Done, not only accepted: some clients complain otherwise.
        if response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
    }
    // A stream is open until it has been read to its end.
    response.map(|body| held(body, in_use))
}

/// A client of `/mcp`.
struct Visitor {
    /// As runs and the audit name it.
    name: String,
    scope: Scope,
    key: Key,
}

impl Visitor {
    fn of(app: &App, request: &Request) -> Option<Self> {
        let secret = bearer(request.headers());
        if let Some((name, scope)) = secret.and_then(|secret| app.inner.tokens.find(secret)) {
            let key = Key::of_token(&name);
            return Some(Visitor { name, scope, key });
        }
        let known = secret.is_some_and(|secret| app.inner.auth.is_token(secret));
        let open = secret.is_none() && app.mcp_is_open() && is_from_here(request.extensions());
        let name: String = text(request.headers(), "user-agent").chars().take(NAME).collect();
        (known || open).then(|| Visitor {
            key: Key::of_word(&name),
            name,
            scope: Scope::default(),
        })
    }
}

async fn admitted(
    app: &App,
    client: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(Option<InUse>, Option<Room>), Failure> {
    app.inner.limits.request(client)?;
    let sessions = &app.inner.sessions;
    match headers.get(SESSION) {
        Some(id) => {
            let id = id.to_str().unwrap_or_default();
            let in_use = sessions.enter(id, client);
            let in_use = in_use.ok_or_else(|| Failure::new("session_not_found"))?;
            Ok((Some(in_use), None))
        }
        None => {
            // Of the revisions since then nothing opens a session.
            if method == Method::POST && text(headers, REVISION) < "2026-07-28" {
                return Ok((None, Some(sessions.make_room(client).await?)));
            }
            Ok((None, None))
        }
    }
}

fn refused(failure: &Failure, lang: Lang) -> Response {
    let mut response = failed(failure, lang);
    if let Some(seconds) = failure.args.get("seconds").and_then(serde_json::Value::as_u64) {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// An unknown peer is a foreign one.
fn is_from_here(extensions: &Extensions) -> bool {
    extensions
        .get::<ConnectInfo<Peer>>()
        .is_some_and(|ConnectInfo(peer)| peer.is_this_machine())
}

/// Which of the person's own programs asks over the socket: runs name it. Others are as good as
/// `pm`, for all of them may do the same.
fn program(headers: &HeaderMap) -> &'static str {
    match text(headers, wire::PROGRAM) {
        wire::DESKTOP => wire::DESKTOP,
        _ => "pm",
    }
}

fn unauthorized(app: &App, headers: &HeaderMap) -> Response {
    let lang = language(headers, app.lang());
    let mut response = failed(&Failure::new("unauthorized"), lang);
    response
        .headers_mut()
        .insert("www-authenticate", HeaderValue::from_static("Bearer"));
    response
}

fn caller_of(app: &App, secret: &str) -> Option<Caller> {
    if app.inner.auth.is_session(secret) {
        return Some(Caller::person("web"));
    }
    app.inner.auth.is_token(secret).then(|| Caller {
        access: Access::Client,
        actor: Actor {
            kind: ActorKind::McpClient,
            name: "api".to_owned(),
        },
    })
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// The language that the page or client asks for, else `otherwise`.
pub(super) fn language(headers: &HeaderMap, otherwise: Lang) -> Lang {
    match text(headers, "accept-language").get(..2) {
        Some("zh") => Lang::ZhCn,
        Some("en") => Lang::En,
        _ => otherwise,
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Nothing may frame us, guess types, or learn where a link came from.
pub(super) async fn safe_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    headers.insert("x-frame-options", HeaderValue::from_static("DENY"));
    headers.insert(
        "cross-origin-resource-policy",
        HeaderValue::from_static("same-origin"),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(host: &str, origin: Option<&str>) -> Option<String> {
        verdict_of(false, host, origin)
    }

    fn verdict_of(any_address: bool, host: &str, origin: Option<&str>) -> Option<String> {
        let hosts = Hosts {
            names: ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned).to_vec(),
            any_address,
        };
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        check(&Door::Tcp { hosts, port: 5621 }, &headers)
            .err()
            .map(|failure| failure.code)
    }

    #[test]
    fn the_desktop_is_named_and_nothing_else_is_believed() {
        let named = |name: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(wire::PROGRAM, name.parse().unwrap());
            program(&headers)
        };
        assert_eq!(named("desktop"), "desktop");
        assert_eq!(named("somebody else"), "pm");
        assert_eq!(program(&HeaderMap::new()), "pm");
    }

    #[test]
    fn only_loopback_is_here() {
        let here = |peer: Option<&str>| {
            let mut extensions = Extensions::new();
            if let Some(peer) = peer {
                extensions.insert(ConnectInfo(Peer(peer.parse().unwrap())));
            }
            is_from_here(&extensions)
        };
        for peer in ["127.0.0.1:5", "127.9.9.9:5", "[::1]:5", "[::ffff:127.0.0.1]:5"] {
            assert!(here(Some(peer)), "{peer}");
        }
        for peer in [
            "192.168.1.5:5",
            "0.0.0.0:5",
            "[::]:5",
            "[fe80::1]:5",
            "[::ffff:10.0.0.1]:5",
        ] {
            assert!(!here(Some(peer)), "{peer}");
        }
        assert!(!here(None));
    }

    #[test]
    fn only_our_own_names_pass() {
        for host in ["127.0.0.1:5621", "localhost:5621", "LOCALHOST:5621", "[::1]:5621"] {
            assert_eq!(verdict(host, None), None, "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:5621",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1.evil.example:5621",
            "",
            "::1:5621",
        ] {
            assert_eq!(verdict(host, None).as_deref(), Some("host_refused"), "{host}");
        }
        assert_eq!(verdict("127.0.0.1:5621", Some("http://127.0.0.1:5621")), None);
        for origin in [
            "http://evil.example",
            "https://127.0.0.1:5621",
            "null",
            "http://127.0.0.1:9",
            "file://",
            "http://127.0.0.1:5621.evil",
        ] {
            assert_eq!(
                verdict("127.0.0.1:5621", Some(origin)).as_deref(),
                Some("origin_refused"),
                "{origin}"
            );
        }
    }

    #[test]
    fn a_server_for_the_network_is_called_by_address_and_not_by_foreign_names() {
        for host in [
            "192.168.1.5:5621",
            "[fe80::1]:5621",
            "10.0.0.1:5621",
            "localhost:5621",
        ] {
            assert_eq!(verdict_of(true, host, None), None, "{host}");
            let own = format!("http://{host}");
            assert_eq!(verdict_of(true, host, Some(&own)), None, "{host}");
        }
        assert_eq!(verdict("192.168.1.5:5621", None).as_deref(), Some("host_refused"));
        for host in [
            "evil.example:5621",
            "192.168.1.5",
            "192.168.1.5:80",
            "192.168.1.5.evil.example:5621",
            "192.168.1:5621",
            "fe80::1:5621",
            "[192.168.1.5]:5621",
            "[]:5621",
            ":5621",
            "",
        ] {
            assert_eq!(
                verdict_of(true, host, None).as_deref(),
                Some("host_refused"),
                "{host}"
            );
        }
        for origin in ["http://192.168.1.6:5621", "http://evil.example:5621", "null"] {
            let refused = verdict_of(true, "192.168.1.5:5621", Some(origin));
            assert_eq!(refused.as_deref(), Some("origin_refused"), "{origin}");
        }
    }
}
