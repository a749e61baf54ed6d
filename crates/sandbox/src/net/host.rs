//! A host in the one form in which it is compared: what a browser would make of it (WHATWG URL).
//!
//! Names are lower-case ASCII (IDNA), without the final dot. Whatever a resolver would read as an
//! IPv4 address (`0x7f.1`, `2130706433`, `017700000001`) is that address, and an IPv6 address that
//! only wraps an IPv4 one (`::ffff:127.0.0.1`) is the IPv4 address.

use super::address::{Range, range};
use super::error::NetError;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes of a name, as DNS has it.
const NAME: usize = 253;
const LABEL: usize = 63;
/// Bytes of what somebody may ask for before it is looked at; punycode shortens nothing.
const ASKED: usize = 1024;
/// Characters of what is not a host that are shown.
const SHOWN: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// In normal form, never an address.
    Name(String),
    Ip(IpAddr),
}

impl Host {
    /// A name, an IPv4 address in any spelling, an IPv6 address with or without brackets.
    pub fn parse(text: &str) -> Result<Host, NetError> {
        let invalid = || NetError::HostInvalid { host: shown(text) };
        // A percent sign is an escape or a zone; both mean something else to the next reader.
        if text.is_empty() || text.len() > ASKED || text.contains('%') {
            return Err(invalid());
        }
        if let Ok(address) = text.parse::<Ipv6Addr>() {
            return Ok(Host::Ip(address.to_canonical()));
        }
        match url::Host::parse(text).map_err(|_| invalid())? {
            url::Host::Ipv4(address) => Ok(Host::Ip(address.into())),
            url::Host::Ipv6(address) => Ok(Host::Ip(address.to_canonical())),
            url::Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(&name);
                let label = |label: &str| {
                    (1..=LABEL).contains(&label.len())
                        && label
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
                };
                if name.len() > NAME || !name.split('.').all(label) {
                    return Err(invalid());
                }
                Ok(Host::Name(name.to_owned()))
            }
        }
    }

    /// `host:port`, `[v6]:port`. Without a port it is `default`.
    pub fn parse_authority(text: &str, default: Option<u16>) -> Result<(Host, u16), NetError> {
        let invalid = || NetError::HostInvalid { host: shown(text) };
        let (host, port) = split_port(text).ok_or_else(invalid)?;
        let port = match port {
            Some(port) => port,
            None => default.ok_or_else(invalid)?,
        };
        Ok((Host::parse(host)?, port))
    }

    /// Whether it means this machine, without asking anybody.
    pub fn is_loopback(&self) -> bool {
        match self {
            Host::Ip(ip) => range(*ip) == Range::Loopback,
            Host::Name(_) => self.loopback_name().is_some(),
        }
    }

    /// The addresses of names that never leave this machine (RFC 6761); they are not resolved.
    pub(super) fn loopback_name(&self) -> Option<[IpAddr; 2]> {
        match self {
            Host::Name(name) if name == "localhost" || name.ends_with(".localhost") => {
                Some([Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
            }
            _ => None,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Ip(address) => address.fmt(f),
        }
    }
}

/// The host and the port, if there is one. A bare IPv6 address has none. `None`: the port is none.
pub(super) fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if text.parse::<Ipv6Addr>().is_ok() {
        return Some((text, None));
    }
    let split = match text.rfind(':') {
        Some(at) if !text[at..].contains(']') => Some(at),
        _ => None,
    };
    match split {
        None => Some((text, None)),
        Some(at) => Some((&text[..at], Some(port(&text[at + 1..])?))),
    }
}

/// Digits only: `+80` and ` 80` are no ports, and nothing listens on 0.
fn port(text: &str) -> Option<u16> {
    if text.is_empty() || text.len() > 5 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|port| *port != 0)
}

/// What is no host, fit to be shown: short and without control characters.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().flat_map(char::escape_default).take(SHOWN).collect();
    if shown.len() == SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(host: &str) -> String {
        Host::parse(host).unwrap().to_string()
    }

    #[test]
    fn one_host_has_one_form() {
        for (given, wanted) in [
            ("Example.COM", "example.com"),
            ("example.com.", "example.com"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example.", "xn--bcher-kva.example"),
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
            // Full width, and a full stop of another script.
            ("ｅｘａｍｐｌｅ。com", "example.com"),
            ("_dmarc.example.com", "_dmarc.example.com"),
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"),
            ("0X7F.0x1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("0177.0.0.01", "127.0.0.1"),
            ("１２７.0.0.1", "127.0.0.1"),
            ("0", "0.0.0.0"),
            ("[::1]", "::1"),
            ("::1", "::1"),
            ("[0:0:0:0:0:0:0:1]", "::1"),
            ("[::ffff:127.0.0.1]", "127.0.0.1"),
            ("::ffff:7f00:1", "127.0.0.1"),
            ("[2001:DB8::A]", "2001:db8::a"),
        ] {
            assert_eq!(text(given), wanted, "{given}");
        }
    }

    #[test]
    fn what_readers_could_differ_about_is_no_host() {
        let long = format!("{}.com", "a".repeat(64));
        let longer = format!("{}com", "a.".repeat(126));
        for given in [
            "",
            ".",
            "..",
            "a..b",
            ".a",
            "a..",
            "1.2.3.4..",
            "1.2.3.256",
            "256.256.256.256",
            "0x100000000",
            "1.2.3.4.5",
            "a.0x7f",
            "127%2e0.0.1",
            "fe80::1%eth0",
            "[fe80::1%25eth0]",
            "[::1",
            "::1]",
            "a b",
            "a\tb",
            "a\0b",
            "a\r\nHost: b",
            "a/b",
            "a@b",
            "a:b",
            "a#b",
            "a?b",
            "a\\b",
            "*.example.com",
            "a,b",
            "a'b",
            &long,
            &longer,
        ] {
            assert!(Host::parse(given).is_err(), "{given:?}");
        }
    }

    #[test]
    fn ports_are_digits() {
        let split = |text| Host::parse_authority(text, Some(80)).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(split("a.example:8080").unwrap(), "a.example 8080");
        assert_eq!(split("a.example").unwrap(), "a.example 80");
        assert_eq!(split("[::1]:443").unwrap(), "::1 443");
        assert_eq!(split("[::1]").unwrap(), "::1 80");
        assert_eq!(split("::1").unwrap(), "::1 80");
        for text in [
            "a:",
            "a:+80",
            "a: 80",
            "a:0",
            "a:65536",
            "a:080000",
            "a:b",
            "a:1:2",
            "[::1]x:80",
            ":80",
            "u@a:80",
        ] {
            assert!(split(text).is_err(), "{text}");
        }
        assert!(Host::parse_authority("a", None).is_err());
    }

    #[test]
    fn what_is_shown_is_short_and_tame() {
        let shown = shown(&format!("\x1b[31m\r\n{}", "x".repeat(5000)));
        assert!(shown.len() < 100 && shown.chars().all(|c| !c.is_control()));
    }

    /// One part of an address as inet_aton reads it.
    fn spelled(number: u32, how: u8) -> String {
        match how % 4 {
            0 => format!("{number}"),
            1 => format!("0x{number:x}"),
            2 => format!("0X{number:08X}"),
            _ => format!("0{number:o}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn every_spelling_of_an_address_is_the_address(bits: u32, how: [u8; 4], parts in 1usize..=4) {
            let bytes = bits.to_be_bytes();
            let mut spelling: Vec<String> = (0..parts - 1).map(|at| spelled(bytes[at].into(), how[at])).collect();
            let rest = if parts == 1 { bits } else { bits & (u32::MAX >> (8 * (parts - 1))) };
            spelling.push(spelled(rest, how[parts - 1]));
            let address = Ipv4Addr::from(bits);
            prop_assert_eq!(Host::parse(&spelling.join(".")).unwrap(), Host::Ip(address.into()));
            let mapped = format!("[{}]", address.to_ipv6_mapped());
            prop_assert_eq!(Host::parse(&mapped).unwrap(), Host::Ip(address.into()));
        }

        #[test]
        fn case_and_the_final_dot_do_not_matter(name in "[a-z][a-z0-9]{0,9}(\\.[a-z][a-z0-9]{0,9}){0,4}", flips: u64) {
            let other: String = name.chars().enumerate()
                .map(|(at, c)| if flips >> (at % 64) & 1 == 1 { c.to_ascii_uppercase() } else { c })
                .chain((flips & 1 == 1).then_some('.'))
                .collect();
            prop_assert_eq!(Host::parse(&other).unwrap(), Host::Name(name));
        }

        #[test]
        fn a_form_is_its_own_form(text in "\\PC{0,40}") {
            if let Ok(host) = Host::parse(&text) {
                prop_assert_eq!(Host::parse(&host.to_string()).unwrap(), host.clone());
                if let Host::Name(name) = host {
                    prop_assert!(name.len() <= NAME && !name.ends_with('.') && name.parse::<IpAddr>().is_err());
                }
            }
            let _ = Host::parse_authority(&text, Some(80));
        }
    }
}
