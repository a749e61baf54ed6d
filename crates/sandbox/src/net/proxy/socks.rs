//! SOCKS5 (RFC 1928): `CONNECT` without a password.

use super::super::NetError;
use super::super::Via;
use super::tunnel::{self, End};
use super::{Client, Door, within};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};

pub(super) const VERSION: u8 = 5;

const NO_PASSWORD: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;

const SUCCEEDED: u8 = 0;
const FAILED: u8 = 1;
/// Connection not allowed by ruleset.
const NOT_ALLOWED: u8 = 2;
const HOST_UNREACHABLE: u8 = 4;
const REFUSED: u8 = 5;
const COMMAND_NOT_SUPPORTED: u8 = 7;
const ADDRESS_NOT_SUPPORTED: u8 = 8;

/// What a client asks for, or the reply to what is not to be had.
type Asked = Result<(String, u16), u8>;

pub(super) async fn serve(door: &Door, mut client: Client) -> io::Result<()> {
    let limits = door.options.limits;
    if !within(limits.head_time, greet(&mut client)).await? {
        return Ok(());
    }
    let (host, port) = match within(limits.head_time, ask(&mut client)).await? {
        Ok(asked) => asked,
        Err(code) => return reply(&mut client, code).await,
    };
    let connection = match door.connect(Via::Socks, &host, port).await {
        Ok(connection) => connection,
        Err(error) => return reply(&mut client, code(&error)).await,
    };
    reply(&mut client, SUCCEEDED).await?;
    let (reader, writer) = connection.stream.into_split();
    let server = End {
        reader: BufReader::with_capacity(limits.buffer, reader),
        writer,
    };
    let client = End {
        reader: client.reader,
        writer: client.writer,
    };
    let passing = tunnel::run(client, server, limits.idle);
    door.while_granted(&host, port, passing).await
}

/// Whether there is a method that both know.
async fn greet(client: &mut Client) -> io::Result<bool> {
    let mut start = [0; 2];
    client.reader.read_exact(&mut start).await?;
    let mut methods = vec![0; start[1].into()];
    client.reader.read_exact(&mut methods).await?;
    let fits = methods.contains(&NO_PASSWORD);
    let method = if fits { NO_PASSWORD } else { NO_METHOD };
    client.writer.write_all(&[VERSION, method]).await?;
    Ok(fits)
}

async fn ask(client: &mut Client) -> io::Result<Asked> {
    let mut start = [0; 4];
    client.reader.read_exact(&mut start).await?;
    let [version, command, _, kind] = start;
    if version != VERSION {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let host = match kind {
        1 => {
            let mut address = [0; 4];
            client.reader.read_exact(&mut address).await?;
            Ipv4Addr::from(address).to_string()
        }
        3 => {
            let length = client.reader.read_u8().await?;
            let mut name = vec![0; length.into()];
            client.reader.read_exact(&mut name).await?;
            match String::from_utf8(name) {
                Ok(name) => name,
                Err(_) => return Ok(Err(FAILED)),
            }
        }
        4 => {
            let mut address = [0; 16];
            client.reader.read_exact(&mut address).await?;
            Ipv6Addr::from(address).to_string()
        }
        _ => return Ok(Err(ADDRESS_NOT_SUPPORTED)),
    };
    let port = client.reader.read_u16().await?;
    Ok(match command {
        CONNECT => Ok((host, port)),
        _ => Err(COMMAND_NOT_SUPPORTED),
    })
}

fn code(error: &NetError) -> u8 {
    match error {
        error if error.is_refusal() => NOT_ALLOWED,
        NetError::Connect { source, .. } if source.kind() == io::ErrorKind::ConnectionRefused => REFUSED,
        NetError::Resolve { .. } | NetError::Connect { .. } | NetError::Timeout { .. } => HOST_UNREACHABLE,
        _ => FAILED,
    }
}

/// Without the address that was bound: it is the host's affair.
async fn reply(client: &mut Client, code: u8) -> io::Result<()> {
    client
        .writer
        .write_all(&[VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0])
        .await
}
