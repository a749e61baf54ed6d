//! Which addresses may be reached at all, whatever is granted.
//!
//! An IPv6 address that carries an IPv4 one (mapped, compatible, translated, 6to4, NAT64, ISATAP)
//! is judged by what it carries, too: a translator on the way would go there. Of IPv6 only global
//! unicast is public; a range that somebody invents later is out of reach until it is known.

use super::error::NetError;
use super::rules::HostRules;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// What kind of address it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    Public,
    Loopback,
    /// An address of this machine that is not loopback.
    Own,
    /// The owner's own port, on any address of this machine.
    OwnPort,
    Private,
    LinkLocal,
    /// Carrier-grade NAT.
    Shared,
    /// Where clouds tell a machine its secrets.
    Metadata,
    Multicast,
    Documentation,
    Unspecified,
    /// Broadcast, benchmarking, tunnels, protocols, not given out.
    Reserved,
}

impl Range {
    pub fn as_str(self) -> &'static str {
        match self {
            Range::Public => "public",
            Range::Loopback => "loopback",
            Range::Own => "this machine",
            Range::OwnPort => "this program",
            Range::Private => "private",
            Range::LinkLocal => "link-local",
            Range::Shared => "carrier-grade NAT",
            Range::Metadata => "cloud metadata",
            Range::Multicast => "multicast",
            Range::Documentation => "documentation",
            Range::Unspecified => "unspecified",
            Range::Reserved => "reserved",
        }
    }
}

/// Of an address by itself; whether it is this machine's own is not known here.
pub fn range(address: IpAddr) -> Range {
    match address {
        IpAddr::V4(address) => range4(address),
        IpAddr::V6(address) => range6(address),
    }
}

/// Whether this address may be connected to. Loopback and this machine's own addresses only
/// through granted ports, and the owner's ports never: who reaches them speaks to the owner.
pub fn check_address(
    rules: &HostRules,
    host: &str,
    address: SocketAddr,
    own: &[u16],
) -> Result<(), NetError> {
    let found = match range(address.ip()) {
        Range::Public if is_of_this_machine(address.ip()) => Range::Own,
        found => found,
    };
    let refused = |range| {
        Err(NetError::Address {
            host: host.to_owned(),
            address: address.ip(),
            range,
        })
    };
    match found {
        Range::Public => Ok(()),
        Range::Loopback | Range::Own if own.contains(&address.port()) => refused(Range::OwnPort),
        Range::Loopback | Range::Own if rules.has_loopback(address.port()) => Ok(()),
        Range::Loopback => Err(NetError::LoopbackNotGranted { port: address.port() }),
        other => refused(other),
    }
}

/// The kernel's own answer, without sending anything: what it lets us bind is ours. Unless it was
/// told to let everybody bind everything; then it is asked from which address it would speak to this
/// one, which tells of first addresses and may miss further ones of the same interface.
fn is_of_this_machine(address: IpAddr) -> bool {
    let (any, nobodys): (IpAddr, IpAddr) = match address {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(240, 0, 0, 1).into()),
        IpAddr::V6(_) => (
            Ipv6Addr::UNSPECIFIED.into(),
            Ipv6Addr::new(0x3fff, 0xfff, 0, 0, 0, 0, 0, 1).into(),
        ),
    };
    let bound = |address: IpAddr| UdpSocket::bind((address, 0));
    if bound(address).is_err() {
        return false;
    }
    if bound(nobodys).is_err() {
        return true;
    }
    // Any port but 0; nothing is sent.
    let source = bound(any).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == address)
}

/// Networks of IPv4 that are not public: address, bits, kind. The first that fits counts.
const NETWORKS4: &[([u8; 4], u32, Range)] = &[
    ([169, 254, 169, 254], 32, Range::Metadata),
    ([169, 254, 170, 2], 32, Range::Metadata),
    ([169, 254, 170, 23], 32, Range::Metadata),
    ([100, 100, 100, 200], 32, Range::Metadata),
    ([192, 0, 0, 192], 32, Range::Metadata),
    // Looks public, but leads to the host of a virtual machine.
    ([168, 63, 129, 16], 32, Range::Metadata),
    ([0, 0, 0, 0], 8, Range::Unspecified),
    ([10, 0, 0, 0], 8, Range::Private),
    ([100, 64, 0, 0], 10, Range::Shared),
    ([127, 0, 0, 0], 8, Range::Loopback),
    ([169, 254, 0, 0], 16, Range::LinkLocal),
    ([172, 16, 0, 0], 12, Range::Private),
    ([192, 0, 0, 0], 24, Range::Reserved),
    ([192, 0, 2, 0], 24, Range::Documentation),
    ([192, 31, 196, 0], 24, Range::Reserved),
    ([192, 52, 193, 0], 24, Range::Reserved),
    ([192, 88, 99, 0], 24, Range::Reserved),
    ([192, 168, 0, 0], 16, Range::Private),
    ([192, 175, 48, 0], 24, Range::Reserved),
    ([198, 18, 0, 0], 15, Range::Reserved),
    ([198, 51, 100, 0], 24, Range::Documentation),
    ([203, 0, 113, 0], 24, Range::Documentation),
    ([224, 0, 0, 0], 4, Range::Multicast),
    ([240, 0, 0, 0], 4, Range::Reserved),
];

fn range4(address: Ipv4Addr) -> Range {
    let bits = address.to_bits();
    let fits = |network: &[u8; 4], length: u32| {
        (bits ^ u32::from_be_bytes(*network))
            .checked_shr(32 - length)
            .unwrap_or(0)
            == 0
    };
    NETWORKS4
        .iter()
        .find(|(network, length, _)| fits(network, *length))
        .map_or(Range::Public, |(_, _, range)| *range)
}

/// Networks of IPv6 with a kind of their own: first address, bits, kind.
const NETWORKS6: &[(Ipv6Addr, u32, Range)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, Range::Unspecified),
    (Ipv6Addr::LOCALHOST, 128, Range::Loopback),
    (
        Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
        128,
        Range::Metadata,
    ),
    (
        Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
        128,
        Range::Metadata,
    ),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, Range::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, Range::LinkLocal),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, Range::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, Range::Multicast),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        Range::Documentation,
    ),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        Range::Documentation,
    ),
    // Teredo, ORCHID and other protocols.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, Range::Reserved),
    // NAT64 of a local network.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, Range::Private),
];

fn range6(address: Ipv6Addr) -> Range {
    let within = |network: &Ipv6Addr, length: u32| {
        (address.to_bits() ^ network.to_bits())
            .checked_shr(128 - length)
            .unwrap_or(0)
            == 0
    };
    if let Some((_, _, range)) = NETWORKS6
        .iter()
        .find(|(network, length, _)| within(network, *length))
    {
        return *range;
    }
    let parts = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    let last = v4(parts[6], parts[7]);
    match parts {
        [0, 0, 0, 0, 0, 0xffff, ..] => return range4(last),
        // NAT64 and 6to4 lead to what they carry.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => return range4(last),
        [0x2002, high, low, ..] => return range4(v4(high, low)),
        // Compatible and translated addresses are not used any more.
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            return match range4(last) {
                Range::Public => Range::Reserved,
                carried => carried,
            };
        }
        // ISATAP: below any prefix.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] if range4(last) != Range::Public => return range4(last),
        _ => {}
    }
    match parts[0] >> 13 {
        0b001 => Range::Public,
        _ => Range::Reserved,
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
