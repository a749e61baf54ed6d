//! Registries that are slow, strict, broken or gone.

use super::fixture::{Place, Shelf, broken_off, serve, serve_with, status};
use axum::body::Body;
use axum::http::{Response, StatusCode};
use base::Coded;
use futures_util::StreamExt;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    shelf.add("a", "1.0.0", json!({"dependencies": {"c": "^1.0.0"}}));
    shelf.add("c", "1.5.0", json!({}));
    shelf.add("c", "1.6.0-rc.1", json!({}));
    shelf.tag("c", "next", "1.6.0-rc.1");
    shelf.tag("c", "latest", "1.5.0");
    shelf
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_and_the_abbreviated_form() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "next"}}));
    place.install().await.unwrap();
    assert_eq!(place.tree()["c"], "1.6.0-rc.1");
    let seen = registry.seen.lock().unwrap();
    let accept = seen.iter().find(|seen| seen.path == "/c").unwrap().headers["accept"]
        .to_str()
        .unwrap();
    assert!(
        accept.starts_with("application/vnd.npm.install-v1+json"),
        "{accept}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_is_kept_with_its_etag_and_answers_offline() {
    let registry = serve_with(
        shelf(),
        Arc::new(|seen, shelf| {
            let value = shelf.packument(seen.path.trim_start_matches('/'))?;
            if seen
                .headers
                .get("if-none-match")
                .is_some_and(|tag| tag == "\"one\"")
            {
                return Some(status(StatusCode::NOT_MODIFIED));
            }
            let mut response = Response::new(Body::from(value.to_string()));
            response.headers_mut().insert("etag", "\"one\"".parse().unwrap());
            Some(response)
        }),
    )
    .await;
    let mut place = Place::new(&registry.address, json!({"dependencies": {"a": "1"}}));
    place.install().await.unwrap();
    let again = |place: &Place| {
        for name in ["node_modules", "package-lock.json"] {
            let path = place.folder().join(name);
            let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
        }
    };
    again(&place);
    place.install().await.unwrap();
    assert_eq!(registry.asked("/a"), 2);
    assert_eq!(registry.asked("/a/-/a-1.0.0.tgz"), 1, "the store has it");
    again(&place);
    place.offline = true;
    place.install().await.unwrap();
    assert_eq!(place.tree().len(), 2);
    assert_eq!(registry.asked("/a"), 2);
    place.wants(json!({"dependencies": {"a": "1", "x": "1", "y": "2"}}));
    match place.install().await {
        Err(npm::NpmError::Offline { missing }) => assert_eq!(missing, ["x", "y"]),
        result => panic!("{result:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_asks_for_patience_gets_it() {
    let registry = serve_with(
        shelf(),
        Arc::new(|seen, _| match seen.before {
            0 => {
                let mut response = status(StatusCode::TOO_MANY_REQUESTS);
                response.headers_mut().insert("retry-after", 0.into());
                Some(response)
            }
            1 => Some(status(StatusCode::BAD_GATEWAY)),
            _ => None,
        }),
    )
    .await;
    let place = Place::new(&registry.address, json!({"dependencies": {"a": "1"}}));
    place.install().await.unwrap();
    assert_eq!(registry.asked("/a"), 3);
    assert_eq!(registry.asked("/a/-/a-1.0.0.tgz"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_breaks_off_goes_on() {
    let registry = serve_with(
        shelf(),
        Arc::new(|seen, shelf| {
            let bytes = shelf.tarball(&seen.path)?;
            let half = bytes.len() / 2;
            if seen.before == 0 {
                return Some(broken_off(bytes, half));
            }
            let range = seen.headers.get("range")?.to_str().ok()?;
            let from: usize = range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()?;
            let mut response = Response::new(Body::from(bytes[from..].to_vec()));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let text = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
            response
                .headers_mut()
                .insert("content-range", text.parse().unwrap());
            Some(response)
        }),
    )
    .await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    assert_eq!(place.tree()["c"], "1.5.0");
    assert_eq!(registry.asked("/c/-/c-1.5.0.tgz"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_bytes_are_never_taken() {
    for times in [1, 99] {
        let registry = serve_with(
            shelf(),
            Arc::new(move |seen, shelf| {
                let bytes = shelf.tarball(&seen.path)?;
                let mut wrong = bytes.to_vec();
                wrong[20] ^= 1;
                (seen.before < times).then(|| Response::new(Body::from(wrong)))
            }),
        )
        .await;
        let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
        match place.install().await {
            Ok(_) => assert_eq!(times, 1, "the second transfer was right"),
            Err(error) => {
                assert_eq!((times, error.code()), (99, "package_integrity"));
                assert!(!place.has("node_modules"));
                assert_eq!(
                    std::fs::read_dir(place.store().join("packages")).unwrap().count(),
                    0
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_go_where_they_belong_and_nowhere_else() {
    let other = serve(shelf()).await;
    let elsewhere = other.address.replace("127.0.0.1", "localhost");
    let registry = serve_with(
        shelf(),
        Arc::new(move |seen, shelf| {
            if seen
                .headers
                .get("authorization")
                .is_none_or(|value| value != "Bearer secret")
            {
                return Some(status(StatusCode::UNAUTHORIZED));
            }
            shelf.tarball(&seen.path)?;
            let mut response = status(StatusCode::FOUND);
            response
                .headers_mut()
                .insert("location", format!("{elsewhere}{}", seen.path).parse().unwrap());
            Some(response)
        }),
    )
    .await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    let error = place.install().await.unwrap_err();
    assert_eq!(error.code(), "package_refused");
    let host = registry.address.trim_start_matches("http:");
    std::fs::write(
        place.folder().join(".npmrc"),
        format!("{host}/:_authToken=${{TOKEN}}\n"),
    )
    .unwrap();
    let environment = BTreeMap::from([("TOKEN".to_owned(), "secret".to_owned())]);
    place.install_with(&environment).await.unwrap();
    let seen = other.seen.lock().unwrap();
    assert_eq!(seen.len(), 1, "the redirect was followed");
    assert!(seen[0].headers.get("authorization").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_install_leaves_nothing() {
    let registry = serve_with(
        shelf(),
        Arc::new(|seen, shelf| {
            shelf.tarball(&seen.path)?;
            Some(Response::new(Body::from_stream(futures_util::stream::pending::<
                Result<Vec<u8>, std::io::Error>,
            >())))
        }),
    )
    .await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    let npmrc = npm::Npmrc::load(
        &place.folder(),
        npm::Trust::Own,
        None,
        &BTreeMap::from([("NPM_REGISTRY".into(), registry.address.clone())]),
    )
    .unwrap();
    let mut options = place.options(npmrc);
    options.limit = std::time::Duration::from_millis(700);
    assert_eq!(npm::install(options).await.unwrap_err().code(), "package_timeout");
    let left: Vec<_> = std::fs::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["package.json"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trickle_ends_with_the_time_that_an_install_has() {
    let registry = serve_with(
        shelf(),
        Arc::new(|seen, shelf| {
            let bytes = shelf.tarball(&seen.path)?.to_vec();
            // Never silent for long, and never done.
            let drops = futures_util::stream::iter(bytes.into_iter().cycle()).then(|byte| async move {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                Ok::<_, std::io::Error>(vec![byte])
            });
            seen.path
                .ends_with("rc.1.tgz")
                .then(|| Response::new(Body::from_stream(drops)))
        }),
    )
    .await;
    let place = Place::new(&registry.address, json!({"dependencies": {"a": "1"}}));
    place.install().await.unwrap();
    let before = (place.tree(), place.read("package-lock.json"));
    place.wants(json!({"dependencies": {"c": "1.6.0-rc.1"}}));
    let environment = BTreeMap::from([("NPM_REGISTRY".into(), registry.address.clone())]);
    let npmrc = npm::Npmrc::load(&place.folder(), npm::Trust::Own, None, &environment).unwrap();
    let mut options = place.options(npmrc);
    options.limit = std::time::Duration::from_secs(5);
    assert_eq!(npm::install(options).await.unwrap_err().code(), "package_timeout");
    assert_eq!(
        registry.asked("/c/-/c-1.6.0-rc.1.tgz"),
        1,
        "it was coming all the time"
    );
    assert_eq!((place.tree(), place.read("package-lock.json")), before);
    let mut left: Vec<_> = std::fs::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["node_modules", "package-lock.json", "package.json"]);
}
