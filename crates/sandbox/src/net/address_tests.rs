use super::*;
use proptest::prelude::*;

fn of(text: &str) -> Range {
    range(text.parse().unwrap())
}

#[test]
fn ranges_by_their_edges() {
    for (kind, addresses) in [
        (
            Range::Public,
            "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 \
             169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 \
             198.20.0.0 223.255.255.255 168.63.129.15 2606:4700::1111 2a00:1450::1 2001:200::1 64:ff9b::808:808 \
             2002:808:808:: ::ffff:8.8.8.8",
        ),
        (
            Range::Loopback,
            "127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::1 ::127.0.0.1",
        ),
        (
            Range::Private,
            "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 fc00::1 fdff::1 fec0::1 \
             ::ffff:10.0.0.1 ::10.0.0.1 ::ffff:0:10.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 2002:a00:1:: 2002:c0a8:101::5 \
             2001:4860::5efe:10.0.0.1 2001:4860::200:5efe:10.0.0.1",
        ),
        (
            Range::LinkLocal,
            "169.254.0.1 169.254.255.255 fe80::1 febf::1 ::ffff:169.254.1.1",
        ),
        (Range::Shared, "100.64.0.0 100.127.255.255 ::ffff:100.64.0.1"),
        (
            Range::Metadata,
            "169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 168.63.129.16 fd00:ec2::254 fd20:ce::254 \
             ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::",
        ),
        (
            Range::Multicast,
            "224.0.0.1 239.255.255.255 ff02::1 ::ffff:224.0.0.1",
        ),
        (
            Range::Documentation,
            "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1",
        ),
        (Range::Unspecified, "0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0"),
        (
            Range::Reserved,
            "192.0.0.1 192.88.99.1 198.18.0.1 198.19.255.255 240.0.0.1 255.255.255.255 2001::1 2001:1ff::1 100::1 \
             5f00::1 ::8.8.8.8 ::ffff:0:8.8.8.8 4000::1",
        ),
    ] {
        for address in addresses.split_whitespace() {
            assert_eq!(of(address), kind, "{address}");
        }
    }
}

fn rules(loopback: &[u16]) -> HostRules {
    HostRules::new(&["*"], loopback).unwrap()
}

fn check(rules: &HostRules, address: &str, own: &[u16]) -> Result<(), NetError> {
    check_address(rules, "host.example", address.parse().unwrap(), own)
}

#[test]
fn loopback_needs_its_port_and_the_owners_is_never_had() {
    let granted = rules(&[3000, 5621]);
    for address in [
        "127.0.0.1:3000",
        "127.9.9.9:3000",
        "[::1]:3000",
        "[::ffff:127.0.0.1]:3000",
    ] {
        assert!(check(&granted, address, &[5621]).is_ok(), "{address}");
        assert!(
            matches!(
                check(&rules(&[]), address, &[]),
                Err(NetError::LoopbackNotGranted { port: 3000 })
            ),
            "{address}"
        );
    }
    for address in ["127.0.0.1:5621", "[::1]:5621", "127.0.0.2:5621"] {
        let refused = check(&granted, address, &[5621]);
        assert!(
            matches!(
                refused,
                Err(NetError::Address {
                    range: Range::OwnPort,
                    ..
                })
            ),
            "{address}"
        );
        assert!(
            check(&granted, address, &[]).is_ok(),
            "only because it is the owner's: {address}"
        );
    }
    assert!(
        check(&granted, "8.8.8.8:5621", &[5621]).is_ok(),
        "elsewhere it is a port like others"
    );
    // A granted port opens loopback alone.
    assert!(check(&granted, "10.0.0.1:3000", &[]).is_err());
    assert!(check(&granted, "0.0.0.0:3000", &[]).is_err());
}

#[test]
fn the_kernel_knows_its_own_addresses() {
    assert!(is_of_this_machine("127.0.0.1".parse().unwrap()));
    assert!(is_of_this_machine("127.8.8.8".parse().unwrap()));
    assert!(!is_of_this_machine("198.51.100.7".parse().unwrap()));
    // Whatever address this machine speaks from is its own.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    if socket.connect("198.51.100.7:9").is_ok() {
        assert!(is_of_this_machine(socket.local_addr().unwrap().ip()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The standard library's opinion of IPv4, where it has one.
    #[test]
    fn what_std_calls_special_is_not_public(bits: u32) {
        let ip = Ipv4Addr::from_bits(bits);
        let special = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_multicast()
            || ip.is_broadcast() || ip.is_documentation() || ip.is_unspecified();
        prop_assert!(!special || range4(ip) != Range::Public);
    }

    /// However an address is wrapped, it does not become better.
    #[test]
    fn wrapping_never_opens_an_address(network in 0..NETWORKS4.len(), low: u32, prefix: u32, wrap in 0u8..7) {
        let (base, length, _) = NETWORKS4[network];
        let mask = u32::MAX.checked_shr(length).unwrap_or(0);
        let inner = Ipv4Addr::from_bits(u32::from_be_bytes(base) | (low & mask));
        prop_assert_ne!(range4(inner), Range::Public);
        let bits = u128::from(inner.to_bits());
        let wrapped = Ipv6Addr::from_bits(match wrap {
            0 => 0xffff << 32 | bits,
            1 => bits,
            2 => 0xffff << 48 | bits,
            3 => 0x64_ff9b << 96 | bits,
            4 => 0x2002 << 112 | bits << 80 | u128::from(prefix),
            5 => 0x2000 << 112 | u128::from(prefix) << 64 | 0x5efe << 32 | bits,
            _ => 0x64_ff9b_0001 << 80 | bits,
        });
        prop_assert_ne!(range6(wrapped), Range::Public, "{}", wrapped);
    }

    #[test]
    fn only_global_unicast_can_be_public(bits: u128) {
        let ip = Ipv6Addr::from_bits(bits);
        if range6(ip) == Range::Public {
            let parts = ip.segments();
            prop_assert!(parts[0] & 0xe000 == 0x2000 || parts[..6] == [0x64, 0xff9b, 0, 0, 0, 0] || ip.to_ipv4_mapped().is_some());
            prop_assert!(!ip.is_unique_local() && !ip.is_unicast_link_local() && !ip.is_multicast());
        }
    }
}
