//! Attempts to reach what a command may not reach. Exit code 0 when it was reached: the answer
//! holds `treasure`.
//!
//! `net tcp ADDRESS` · `net udp ADDRESS` · `net icmp ADDRESS` · `net raw ADDRESS` ·
//! `net abstract NAME` · `net resolve NAME` · `net say ADDRESS STEP…`: writes each step (with the
//! escapes `\r`, `\n`, `\xHH`) and hears what comes back before the next.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(3);

pub fn attempt(args: &[OsString]) -> ExitCode {
    let texts: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap()).collect();
    let done = match texts.as_slice() {
        ["tcp", address] => say(address, &["GET /loot HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"]),
        ["udp", address] => udp(address),
        ["icmp", address] => icmp(address, libc::SOCK_DGRAM),
        ["raw", address] => icmp(address, libc::SOCK_RAW),
        ["abstract", name] => abstract_socket(name),
        ["resolve", name] => (*name, 80).to_socket_addrs().map(|_| b"treasure".to_vec()),
        ["say", address, steps @ ..] => say(address, steps),
        other => panic!("{other:?}?"),
    };
    match done {
        Ok(heard) if heard.windows(8).any(|part| part == b"treasure") => ExitCode::SUCCESS,
        Ok(heard) => {
            println!("{}", String::from_utf8_lossy(&heard));
            ExitCode::from(8)
        }
        Err(error) => {
            println!("{error}");
            ExitCode::from(9)
        }
    }
}

fn say(address: &str, steps: &[&str]) -> io::Result<Vec<u8>> {
    let address: SocketAddr = address.parse().unwrap();
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut heard = Vec::new();
    for step in steps {
        stream.write_all(&bytes(step))?;
        let mut answer = [0; 4096];
        let count = stream.read(&mut answer)?;
        heard.extend(&answer[..count]);
    }
    Ok(heard)
}

fn bytes(step: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = step.as_bytes().iter().copied();
    while let Some(byte) = rest.next() {
        bytes.push(match (byte, byte == b'\\') {
            (_, true) => match rest.next().unwrap() {
                b'r' => b'\r',
                b'n' => b'\n',
                b'x' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => other,
            },
            (byte, false) => byte,
        });
    }
    bytes
}

fn udp(address: &str) -> io::Result<Vec<u8>> {
    let address: SocketAddr = address.parse().unwrap();
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send_to(b"give", address)?;
    let mut answer = [0; 100];
    let count = socket.recv(&mut answer)?;
    Ok(answer[..count].to_vec())
}

fn abstract_socket(name: &str) -> io::Result<Vec<u8>> {
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    let mut stream = UnixStream::connect_addr(&address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

/// An echo request with `treasure` in it, and its answer.
fn icmp(address: &str, kind: i32) -> io::Result<Vec<u8>> {
    let IpAddr::V4(address) = address.parse().unwrap() else {
        panic!("IPv4 alone");
    };
    let cvt = |result: isize| match result {
        -1 => Err(io::Error::last_os_error()),
        count => Ok(count.cast_unsigned()),
    };
    // Type 8, code 0, checksum, id, number, text.
    let mut packet = *b"\x08\0\0\0\0\0\0\x01treasure";
    let sum: u32 = packet
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]))
        .sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    packet[2..4].copy_from_slice(&sum.to_be_bytes());
    // SAFETY: pointers and lengths are those of the values beside them.
    unsafe {
        let socket = libc::socket(libc::AF_INET, kind, libc::IPPROTO_ICMP);
        cvt(socket as isize)?;
        let time = libc::timeval {
            tv_sec: 3,
            tv_usec: 0,
        };
        let size = size_of::<libc::timeval>() as u32;
        libc::setsockopt(
            socket,
            libc::SOL_SOCKET,
            libc::SO_RCVTIMEO,
            (&raw const time).cast(),
            size,
        );
        let mut to: libc::sockaddr_in = std::mem::zeroed();
        to.sin_family = libc::AF_INET as u16;
        to.sin_addr.s_addr = u32::from_ne_bytes(address.octets());
        let size = size_of::<libc::sockaddr_in>() as u32;
        cvt(libc::sendto(
            socket,
            packet.as_ptr().cast(),
            packet.len(),
            0,
            (&raw const to).cast(),
            size,
        ))?;
        let mut answer = [0_u8; 200];
        let count = cvt(libc::recv(socket, answer.as_mut_ptr().cast(), answer.len(), 0))?;
        Ok(answer[..count].to_vec())
    }
}
