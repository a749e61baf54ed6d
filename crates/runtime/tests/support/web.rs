//! A server that answers each request with its first line, plain and behind TLS.

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Of the authority that signed the certificate of [`secure_web`].
pub const CA: &str = include_str!("../fixtures/tls/ca.pem");

/// What the server saw of each connection: its requests' first lines, then `end`.
pub type Seen = Arc<Mutex<Vec<String>>>;

/// Answers each request with its first line; `/slow` never.
async fn answer(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin, seen: Seen) {
    let mut kept = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(end) = kept.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&kept[..end]).into_owned();
            kept.drain(..end + 4);
            let first = head.lines().next().unwrap_or_default().to_owned();
            seen.lock().unwrap().push(first.clone());
            if first.contains("/slow") {
                continue;
            }
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{first}",
                first.len()
            );
            if stream.write_all(answer.as_bytes()).await.is_err() {
                break;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break seen.lock().unwrap().push("end".into()),
            Ok(count) => kept.extend_from_slice(&buffer[..count]),
        }
    }
}

/// It, and what it saw.
pub async fn web() -> (u16, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Seen::default();
    let all = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, all.clone()));
        }
    });
    (port, seen)
}

/// The same behind TLS, with a certificate of a CA that no system knows.
pub async fn secure_web() -> u16 {
    let chain = CertificateDer::pem_slice_iter(include_bytes!("../fixtures/tls/server.pem"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../fixtures/tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.map(Result::unwrap).collect(), key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    answer(stream, Seen::default()).await;
                }
            });
        }
    });
    port
}
