//! A client that nobody here wrote. Where it is not installed there is nothing to ask it; the same
//! requests are made byte by byte beside this file.
#![allow(clippy::disallowed_methods, reason = "starts curl, outside every sandbox")]

use crate::support::{Guarded, Names, Web};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Output};
use tokio::net::{TcpListener, UnixStream};
use tokio::task::JoinSet;

/// A port that leads to the proxy's socket, as inside a sandbox.
async fn bridge(socket: PathBuf) -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut open = JoinSet::new();
        while let Ok((mut from, _)) = listener.accept().await {
            let mut to = UnixStream::connect(&socket).await.unwrap();
            open.spawn(async move {
                let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
            });
        }
    });
    (port, tasks)
}

async fn curl(args: &[&str]) -> Option<Output> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let run = move || {
        Command::new("curl")
            .args(["-q", "-sS", "--max-time", "20", "--noproxy", ""])
            .args(&args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .output()
    };
    match tokio::task::spawn_blocking(run).await.unwrap() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("curl is not installed");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_goes_through_by_every_way() {
    let web = Web::start().await;
    let names = Names::of(&[("site.example", "127.0.0.1")]);
    let guarded = Guarded::new(&["site.example"], &[web.port], &names);
    let (port, _bridge) = bridge(guarded.socket.clone()).await;
    let (http, socks) = (
        format!("http://127.0.0.1:{port}"),
        format!("socks5h://127.0.0.1:{port}"),
    );
    let url = format!("http://site.example:{}/x", web.port);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("body");
    let body = "b".repeat(200_000);
    base::atomic::write(&file, body.as_bytes(), base::atomic::Access::Private).unwrap();
    let upload = file.to_str().unwrap();
    for (args, wanted) in [
        (vec!["-x", &http, &url], "hello"),
        (vec!["-x", &http, &url, &url], "hellohello"),
        (vec!["-x", &http, "--proxytunnel", &url], "hello"),
        (vec!["-x", &socks, &url], "hello"),
        (
            vec!["-x", &http, "-H", "Expect: 100-continue", "-T", upload, &url],
            body.as_str(),
        ),
        (vec!["-x", &http, "--http1.0", &url], "hello"),
    ] {
        let Some(output) = curl(&args).await else { return };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said == wanted,
            "{args:?}: {} {}",
            &said[..said.len().min(200)],
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let chunked = curl(&["-x", &http, "-H", "Transfer-Encoding: chunked", "-d", "abc", &url])
        .await
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&chunked.stdout), "3\r\nabc\r\n0\r\n\r\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_is_told_what_to_grant() {
    let web = Web::start().await;
    let names = Names::of(&[("site.example", "127.0.0.1")]);
    let guarded = Guarded::new(&[], &[], &names);
    let (port, _bridge) = bridge(guarded.socket.clone()).await;
    let (http, socks) = (
        format!("http://127.0.0.1:{port}"),
        format!("socks5h://127.0.0.1:{port}"),
    );
    let url = format!("http://site.example:{}/x", web.port);
    let Some(output) = curl(&["-x", &http, "-w", "%{http_code}", &url]).await else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("grant the network host site.example") && said.ends_with("403"),
        "{said}"
    );
    let tunnel = curl(&["-x", &http, "--proxytunnel", &url]).await.unwrap();
    assert!(
        String::from_utf8_lossy(&tunnel.stderr).contains("403"),
        "{tunnel:?}"
    );
    let socks = curl(&["-x", &socks, &url]).await.unwrap();
    // 97: the proxy refused; its message names the reply's code.
    assert!(
        socks.status.code() == Some(97) && String::from_utf8_lossy(&socks.stderr).contains("(2)"),
        "{socks:?}"
    );
    assert_eq!(web.heard.all(), Vec::<String>::new());
    assert_eq!(guarded.attempts().len(), 3);
}
