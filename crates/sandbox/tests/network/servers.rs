//! Servers on the way of the attacks and of ordinary programs.
#![allow(
    clippy::disallowed_methods,
    reason = "makes a repository, outside every sandbox"
)]

use crate::support::find;
use std::process::Command;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Connects whatever it is asked for, and always to the place where the loot is: a proxy as there
/// would be one without our rules, in a net where such addresses answer.
pub async fn careless(loot: u16) -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut open = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.spawn(async move {
                let _ = carry(stream, loot).await;
            });
        }
    });
    (address, tasks)
}

async fn carry(mut client: TcpStream, loot: u16) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    let mut server = TcpStream::connect(("127.0.0.1", loot)).await?;
    loop {
        let count = client.read(&mut buffer).await?;
        let request = &buffer[..count];
        match request.first() {
            None => return Ok(()),
            Some(5) if count == 3 => client.write_all(&[5, 0]).await?,
            Some(5) => {
                client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
                break;
            }
            _ if request.starts_with(b"CONNECT ") => {
                client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
                break;
            }
            _ => {
                server.write_all(request).await?;
                let count = server.read(&mut buffer).await?;
                client.write_all(&buffer[..count]).await?;
            }
        }
    }
    tokio::io::copy_bidirectional(&mut client, &mut server)
        .await
        .map(|_| ())
}

/// A git repository over plain HTTP, as files.
pub async fn served() -> (u16, JoinSet<()>) {
    let folder = tempfile::tempdir().unwrap();
    let make = "git init -q -b main w && cd w && echo content > file && git add file && git -c user.name=x -c user.email=x@x commit -qm one && cd .. && git clone -q --bare w r.git && cd r.git && git update-server-info";
    let root = folder.path().to_owned();
    let made = tokio::task::spawn_blocking(move || {
        Command::new("/bin/sh")
            .args(["-c", make])
            .current_dir(root)
            .status()
    });
    let _ = made.await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let folder = folder;
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            while find(&request, b"\r\n\r\n").is_none()
                && stream.read_buf(&mut request).await.is_ok_and(|n| n > 0)
            {}
            let text = String::from_utf8_lossy(&request).into_owned();
            let path = text
                .split([' ', '?'])
                .nth(1)
                .unwrap_or_default()
                .trim_start_matches('/');
            let answer = match std::fs::read(folder.path().join(path)) {
                Ok(bytes) => {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                        bytes.len()
                    );
                    [head.into_bytes(), bytes].concat()
                }
                Err(_) => {
                    b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec()
                }
            };
            let _ = stream.write_all(&answer).await;
        }
    });
    (port, tasks)
}
