//! Plain HTTP by absolute URLs, and `CONNECT`. Each request gets a connection of its own to its
//! server, so the hosts may change from request to request on one connection of the client.

use super::super::{NetError, Via};
use super::body::{BodyError, Copy};
use super::head::{self, Answer, Framing, HeadError, Request, Target, Version};
use super::tunnel::{self, End};
use super::{Client, Door, within};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;

/// Answers before the answer (`100`, `103`).
const INTERIM: usize = 16;
/// A client that still sends what nobody reads is heard out for so long, and so many bytes: it
/// would not get its answer otherwise.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 256 * 1024;

/// Whether the connection takes another request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Next,
    Close,
}

/// An answer of the proxy itself.
struct Said<'a> {
    status: &'static str,
    text: &'a str,
    after: After,
    /// Without its text: to HEAD.
    bare: bool,
}

pub(super) async fn serve(door: &Door, mut client: Client) -> io::Result<()> {
    let limits = door.options.limits;
    while door.first_byte(&mut client).await?.is_some() {
        let read = tokio::time::timeout(limits.head_time, head::read(&mut client.reader, limits.head)).await;
        let parsed = match read {
            Err(_) => return fail(&mut client, "408 Request Timeout", "The request did not end.\n").await,
            Ok(Ok(None)) => return Ok(()),
            Ok(Ok(Some(bytes))) => Request::parse(&bytes),
            Ok(Err(error)) => Err(error),
        };
        let request = match parsed {
            Ok(request) => request,
            Err(HeadError::Io(error)) => return Err(error),
            Err(HeadError::TooLarge) => {
                let status = "431 Request Header Fields Too Large";
                return fail(&mut client, status, "The head of the request is too long.\n").await;
            }
            Err(HeadError::Shape(what)) => {
                return fail(&mut client, "400 Bad Request", &format!("Refused: {what}.\n")).await;
            }
        };
        let after = match &request.target {
            Target::Connect => match door.connect(Via::Connect, &request.host, request.port).await {
                Ok(connection) => {
                    let passing = tunnelled(door, client, connection.stream);
                    return door.while_granted(&request.host, request.port, passing).await;
                }
                Err(error) => refuse(door, &mut client, &request, &error).await?,
            },
            Target::Path(path) => match door.connect(Via::Http, &request.host, request.port).await {
                Ok(connection) => {
                    let head = request.onward(path);
                    let passing = forward(door, &mut client, &request, &head, connection.stream);
                    door.while_granted(&request.host, request.port, passing).await?
                }
                Err(error) => refuse(door, &mut client, &request, &error).await?,
            },
        };
        if after == After::Close {
            return Ok(());
        }
    }
    Ok(())
}

async fn tunnelled(door: &Door, mut client: Client, stream: tokio::net::TcpStream) -> io::Result<()> {
    let limits = door.options.limits;
    let answer = b"HTTP/1.1 200 Connection established\r\n\r\n";
    within(limits.idle, client.writer.write_all(answer)).await?;
    let (reader, writer) = stream.into_split();
    let server = End {
        reader: BufReader::with_capacity(limits.buffer, reader),
        writer,
    };
    let client = End {
        reader: client.reader,
        writer: client.writer,
    };
    tunnel::run(client, server, limits.idle).await
}

/// One request to its server and the answer back.
async fn forward(
    door: &Door,
    client: &mut Client,
    request: &Request,
    head: &[u8],
    stream: tokio::net::TcpStream,
) -> io::Result<After> {
    let limits = door.options.limits;
    let (reader, mut server_writer) = stream.into_split();
    let mut server_reader = BufReader::with_capacity(limits.buffer, reader);
    // In a block: both hold on to the client.
    let (answered, whole) = {
        let Client { reader, writer } = client;
        let sending = async {
            let sent = within(limits.idle, server_writer.write_all(head)).await;
            sent.map_err(BodyError::To)?;
            let mut body = Copy {
                from: reader,
                to: &mut server_writer,
                chunked: request.framing == Framing::Chunked,
                idle: limits.idle,
            };
            body.run(request.framing).await
        };
        let answering = answer(door, request, &mut server_reader, writer);
        tokio::pin!(sending, answering);
        let mut sent = None;
        let answered = loop {
            tokio::select! {
                done = &mut sending, if sent.is_none() => match done {
                    // The server may have answered before it closed.
                    Ok(()) | Err(BodyError::To(_)) => sent = Some(done.is_ok()),
                    Err(BodyError::From(error)) => return Err(error),
                    Err(BodyError::Shape(what)) => break Err(Unanswered::Client(what)),
                },
                done = &mut answering => break done,
            }
        };
        (answered, sent == Some(true))
    };
    match answered {
        Ok(After::Next) if whole => Ok(After::Next),
        // The rest of a body that the server did not want is not the next request.
        Ok(_) => linger(client).await.map(|()| After::Close),
        Err(Unanswered::Begun(error)) => Err(error),
        Err(Unanswered::Client(what)) => {
            fail(client, "400 Bad Request", &format!("Refused: {what}.\n")).await?;
            Ok(After::Close)
        }
        Err(Unanswered::Server(what)) => {
            let text = format!("{} gave no answer that can be passed on: {what}.\n", request.host);
            fail(client, "502 Bad Gateway", &text).await?;
            Ok(After::Close)
        }
    }
}

/// Why the client did not get the server's answer.
enum Unanswered {
    /// Something of it is on its way already.
    Begun(io::Error),
    /// The client's own body is to blame.
    Client(&'static str),
    Server(String),
}

async fn answer(
    door: &Door,
    request: &Request,
    server: &mut BufReader<OwnedReadHalf>,
    client: &mut tokio::net::unix::OwnedWriteHalf,
) -> Result<After, Unanswered> {
    let limits = door.options.limits;
    for _ in 0..INTERIM {
        // A server may think for as long as a tunnel may be silent.
        let bytes = match tokio::time::timeout(limits.idle, head::read(server, limits.head)).await {
            Ok(Ok(Some(bytes))) => bytes,
            Ok(Ok(None)) => return Err(Unanswered::Server("it closed the connection".to_owned())),
            Ok(Err(error)) => return Err(unfit(error)),
            Err(_) => return Err(Unanswered::Server("it took too long".to_owned())),
        };
        let answer = Answer::parse(&bytes, &request.method).map_err(unfit)?;
        if answer.code == 101 {
            return Err(Unanswered::Server("it changed the protocol".to_owned()));
        }
        let interim = answer.code < 200;
        if interim && request.version == Version::Http10 {
            continue;
        }
        let framing = match (answer.framing, request.version) {
            (Framing::Chunked, Version::Http10) => Framing::UntilClose,
            (framing, _) => framing,
        };
        let keep_alive = request.keep_alive && framing != Framing::UntilClose;
        let head = answer.onward(framing, keep_alive);
        within(limits.idle, client.write_all(&head))
            .await
            .map_err(Unanswered::Begun)?;
        if interim {
            continue;
        }
        let mut body = Copy {
            from: server,
            to: client,
            chunked: framing == Framing::Chunked,
            idle: limits.idle,
        };
        return match body.run(answer.framing).await {
            Ok(()) if keep_alive => Ok(After::Next),
            Ok(()) => Ok(After::Close),
            // An answer that broke off must look like one.
            Err(BodyError::From(error) | BodyError::To(error)) => Err(Unanswered::Begun(error)),
            Err(BodyError::Shape(what)) => Err(Unanswered::Begun(io::Error::new(
                io::ErrorKind::InvalidData,
                what,
            ))),
        };
    }
    Err(Unanswered::Server("it says only that it will answer".to_owned()))
}

fn unfit(error: HeadError) -> Unanswered {
    Unanswered::Server(match error {
        HeadError::Io(error) => error.to_string(),
        HeadError::TooLarge => "its head is too long".to_owned(),
        HeadError::Shape(what) => what.to_owned(),
    })
}

/// Says why there is no connection. A request without a body leaves the way free for the next.
async fn refuse(door: &Door, client: &mut Client, request: &Request, error: &NetError) -> io::Result<After> {
    let status = match error {
        NetError::HostInvalid { .. } => "400 Bad Request",
        error if error.is_refusal() => "403 Forbidden",
        NetError::Timeout { .. } => "504 Gateway Timeout",
        _ => "502 Bad Gateway",
    };
    let free = request.keep_alive && request.framing == Framing::Nothing;
    let said = Said {
        status,
        text: &(door.options.explain)(error),
        after: if free { After::Next } else { After::Close },
        bare: request.method == "HEAD",
    };
    say(client, &said).await?;
    Ok(said.after)
}

/// Says what is wrong and ends the connection.
async fn fail(client: &mut Client, status: &'static str, text: &str) -> io::Result<()> {
    let said = Said {
        status,
        text,
        after: After::Close,
        bare: false,
    };
    say(client, &said).await
}

async fn say(client: &mut Client, said: &Said<'_>) -> io::Result<()> {
    let close = match said.after {
        After::Next => "",
        After::Close => "Connection: close\r\n",
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n{close}\r\n",
        said.status,
        said.text.len()
    );
    let text = if said.bare { "" } else { said.text };
    within(
        LINGER,
        client.writer.write_all(format!("{head}{text}").as_bytes()),
    )
    .await?;
    match said.after {
        After::Next => Ok(()),
        After::Close => linger(client).await,
    }
}

/// A socket that is closed over unread bytes takes its last words with it.
async fn linger(client: &mut Client) -> io::Result<()> {
    client.writer.shutdown().await?;
    let drain = async {
        let mut left = LINGER_BYTES;
        let mut sink = [0; 4096];
        while left > 0 {
            match client.reader.read(&mut sink).await? {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
        Ok(())
    };
    match within(LINGER, drain).await {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(()),
        drained => drained,
    }
}
