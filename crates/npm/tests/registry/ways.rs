//! The way to a registry: mirrors, a proxy, certificates of one's own. And the way to the disk: full,
//! or read-only.

use super::fixture::{Place, Shelf, serve, serve_with, status};
use super::kill::program;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use base::Coded;
use npm::{Npmrc, Report, Trust};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::{Command, Output};
use std::sync::Arc;

fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    shelf.add("c", "1.5.0", json!({}));
    shelf.add("d", "1.0.0", json!({}));
    shelf
}

/// An answer that never comes.
fn silence() -> Response<Body> {
    let never = futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>();
    Response::new(Body::from_stream(never))
}

async fn from_mirrors(place: &Place, mirrors: &[&str]) -> Report {
    let npmrc = Npmrc::load(&place.folder(), Trust::Own, None, &BTreeMap::new()).unwrap();
    let mut options = place.options(npmrc);
    options.mirrors = mirrors
        .iter()
        .map(|url| format!("{url}/").parse().unwrap())
        .collect();
    npm::install(options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fastest_registry_is_asked_first_and_remembered() {
    // Alive, but its first byte does not come.
    let slow = serve_with(shelf(), Arc::new(|_, _| Some(status(StatusCode::BAD_GATEWAY)))).await;
    let fast = serve(shelf()).await;
    let mirrors = [slow.address.as_str(), fast.address.as_str()];
    let place = Place::new("", json!({"dependencies": {"c": "1"}}));
    from_mirrors(&place, &mirrors).await;
    assert_eq!((slow.asked("/"), fast.asked("/")), (1, 1));
    assert_eq!(
        slow.asked("/c"),
        0,
        "what is not the fastest is not asked for packages"
    );
    place.wants(json!({"dependencies": {"c": "1", "d": "1"}}));
    from_mirrors(&place, &mirrors).await;
    assert_eq!((slow.asked("/"), fast.asked("/")), (1, 1), "remembered");
    assert_eq!(slow.asked_at_all(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_mirror_answers_when_the_fastest_fails() {
    let broken = serve_with(
        shelf(),
        Arc::new(|seen, _| (seen.path != "/").then(|| status(StatusCode::SERVICE_UNAVAILABLE))),
    )
    .await;
    let slow = serve_with(shelf(), Arc::new(|seen, _| (seen.path == "/never").then(silence))).await;
    let place = Place::new("", json!({"dependencies": {"c": "1"}}));
    from_mirrors(&place, &[&broken.address, &slow.address]).await;
    assert_eq!(place.tree()["c"], "1.5.0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_is_used_when_one_is_named() {
    let proxy = serve(shelf()).await;
    let place = Place::new("http://registry.invalid", json!({"dependencies": {"c": "1"}}));
    let with = |address: &str| BTreeMap::from([("npm_config_proxy".to_owned(), address.to_owned())]);
    assert!(place.install().await.is_err(), "there is no such host");
    place.install_with(&with(&proxy.address)).await.unwrap();
    assert_eq!(place.tree()["c"], "1.5.0");
    let seen = proxy.seen.lock().unwrap();
    assert_eq!(seen[0].headers["host"], "registry.invalid");
}

/// A registry behind TLS with a certificate of the authority `tls/ca.pem`.
fn behind_tls() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let _ = rustls::crypto::ring::default_provider().install_default();
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server.key")).unwrap();
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let (config, own) = (Arc::new(config), address.clone());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (config, own) = (config.clone(), own.clone());
            // Clients that do not trust it hang up.
            std::thread::spawn(move || tls_answer(stream.unwrap(), config, &own));
        }
    });
    address
}

fn tls_answer(
    stream: std::net::TcpStream,
    config: Arc<rustls::ServerConfig>,
    own: &str,
) -> std::io::Result<()> {
    let connection = rustls::ServerConnection::new(config).unwrap();
    let mut stream = rustls::StreamOwned::new(connection, stream);
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        request.push(byte[0]);
    }
    let tarball = super::fixture::tarball(&[("package.json", r#"{"name": "c", "version": "1.0.0"}"#)]);
    let body = match request.starts_with(b"GET /c ") {
        true => json!({"name": "c", "versions": {"1.0.0": {
            "name": "c", "version": "1.0.0", "dist": {"tarball": format!("{own}/c/-/c-1.0.0.tgz")}
        }}})
        .to_string()
        .into_bytes(),
        false => tarball,
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)?;
    stream.flush()
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_checked_against_whom_the_person_trusts() {
    let place = Place::new(&behind_tls(), json!({"dependencies": {"c": "1"}}));
    let with = |name: &str, value: &str| BTreeMap::from([(format!("npm_config_{name}"), value.to_owned())]);
    let refused = place.install().await.unwrap_err();
    assert_eq!(refused.code(), "package_network", "{refused}");
    let missing = place
        .install_with(&with("cafile", "/nowhere.pem"))
        .await
        .unwrap_err();
    assert_eq!(missing.code(), "package_setting");
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/registry/tls/ca.pem");
    place.install_with(&with("cafile", authority)).await.unwrap();
    assert_eq!(place.tree()["c"], "1.0.0");
    std::fs::remove_dir_all(place.folder().join("node_modules")).unwrap();
    std::fs::remove_dir_all(place.store()).unwrap();
    place.install_with(&with("strict_ssl", "false")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn offline_says_everything_that_is_missing() {
    let mut shelf = shelf();
    shelf.add("e", "1.0.0", json!({"dependencies": {"c": "1"}}));
    let registry = serve(shelf).await;
    let mut place = Place::new(&registry.address, json!({"dependencies": {"e": "1"}}));
    place.install().await.unwrap();
    place.offline = true;
    place.wants(json!({"dependencies": {"c": "1", "d": "1", "e": "1", "f": "1"}}));
    match place.install().await {
        Err(npm::NpmError::Offline { missing }) => assert_eq!(missing, ["d", "f"]),
        other => panic!("{other:?}"),
    }
    assert_eq!(place.tree().len(), 2, "the old tree stays");
}

/// Runs the installer where `prepare` has been done to the mounts, in a namespace of its own.
fn in_namespace(place: &Place, store: &std::path::Path, prepare: &str) -> Output {
    let script = format!("{prepare} && exec \"$0\" \"$1\" \"$2\" --quiet");
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .args([
            program().as_os_str(),
            place.folder().as_os_str(),
            store.as_os_str(),
        ])
        .env("npm_config_registry", &place.registry)
        .env("TOOL", place.folder())
        .env("HOME", place.dir.path());
    command.output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_leaves_the_old_tree() {
    let mut shelf = shelf();
    let large = "x".repeat(2 << 20);
    let files = [
        ("package.json", r#"{"name": "big", "version": "1.0.0"}"#),
        ("big.js", large.as_str()),
    ];
    shelf.add_tarball("big", "1.0.0", json!({}), super::fixture::tarball(&files));
    let registry = serve(shelf).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    // The folder on a disk of one megabyte, with all that is in it.
    let small = "cp -a \"$TOOL\" \"$TOOL.was\" && mount -t tmpfs -o size=1m tmpfs \"$TOOL\" && \
                 cp -a \"$TOOL.was/.\" \"$TOOL\" && cd \"$TOOL\" && trap 'ls -A' EXIT";
    let store = place.store();
    let run = |list: serde_json::Value| {
        place.wants(list);
        let place = &place;
        let store = &store;
        let after = format!(
            "{small} && \"$0\" \"$1\" \"$2\" --quiet; code=$?; trap - EXIT; \
                             cat node_modules/c/package.json; ls -A; exit $code; true"
        );
        let output = in_namespace(place, store, &after);
        std::fs::remove_dir_all(place.dir.path().join("tool.was")).unwrap();
        output
    };
    let done = run(json!({"dependencies": {"c": "1", "d": "1"}}));
    assert!(done.status.success(), "{done:?}");
    let full = run(json!({"dependencies": {"c": "1", "big": "1"}}));
    assert_eq!(full.status.code(), Some(1), "{full:?}");
    let (out, error) = (
        String::from_utf8_lossy(&full.stdout),
        String::from_utf8_lossy(&full.stderr),
    );
    assert!(error.contains("package_io"), "{error}");
    assert!(out.contains("1.5.0"), "the old tree: {out}");
    assert!(!out.contains(".pm-node_modules-"), "nothing is left over: {out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_written_is_said() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    place.wants(json!({"dependencies": {"c": "1", "d": "1"}}));
    let read_only = "mount --bind \"$TOOL\" \"$TOOL\" && mount -o remount,bind,ro \"$TOOL\"";
    let refused = in_namespace(&place, &place.store(), read_only);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(
        error.contains("package_io") && error.contains("ead-only"),
        "{error}"
    );
    assert_eq!(place.tree().len(), 1);
}
