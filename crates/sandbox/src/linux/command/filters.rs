//! Turns the lists of `denied` into filters for a command.

use super::denied::{
    DENIED, FAMILIES, FAMILIES_REDUCED, MODES, NAMESPACES, NEWEST, NOT_THERE, TERMINAL_TRICKS,
};
use crate::confine::Link;
use crate::facts::Tier;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filters, in the order of installation. Where several speak, the strictest wins.
pub fn filters(tier: Tier, network: &Link, arch: TargetArch) -> Result<Vec<BpfProgram>, BackendError> {
    let no = |errno: i32| SeccompAction::Errno(errno.unsigned_abs());
    let not_there: Rules = NOT_THERE.iter().map(|call| (*call, Vec::new())).collect();
    let not_there = SeccompFilter::new(not_there, SeccompAction::Allow, no(libc::ENOSYS), arch)?;
    let denied = SeccompFilter::new(
        denied(tier, network)?,
        SeccompAction::Allow,
        no(libc::EPERM),
        arch,
    )?;
    Ok(vec![newer(), not_there.try_into()?, denied.try_into()?])
}

fn denied(tier: Tier, network: &Link) -> Result<Rules, BackendError> {
    let mut rules: Rules = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    let mut add = |call: libc::c_long, conditions: Vec<SeccompCondition>| {
        rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
        Ok::<(), BackendError>(())
    };
    for flag in NAMESPACES {
        add(libc::SYS_clone, vec![has(0, bits(*flag))?])?;
    }
    for (call, place) in MODES {
        for bit in [libc::S_ISUID, libc::S_ISGID] {
            add(*call, vec![has(*place, bit.into())?])?;
        }
    }
    for request in TERMINAL_TRICKS {
        add(libc::SYS_ioctl, vec![is(1, *request)?])?;
    }
    // Only the usual personality, that of 32 bits, and the question.
    add(
        libc::SYS_personality,
        vec![is_not(0, 0)?, is_not(0, 8)?, is_not(0, 0xffff_ffff)?],
    )?;
    if tier < Tier::Full {
        // Limits of others of the same user; Landlock does not judge that.
        add(libc::SYS_prlimit64, vec![is_not(0, 0)?])?;
    }
    let families: &[i32] = match (tier, network) {
        (Tier::Full, _) => FAMILIES,
        (_, Link::Open) => FAMILIES_REDUCED,
        (_, Link::Off | Link::Relay { .. }) => &[],
    };
    let other = families.iter().map(|family| is_not(0, bits(*family)));
    add_or_all(&mut rules, libc::SYS_socket, other.collect::<Result<_, _>>()?)?;
    if families.contains(&libc::AF_NETLINK) {
        // Addresses and routes; nothing else of the kernel answers there.
        let rule = SeccompRule::new(vec![is(0, bits(libc::AF_NETLINK))?, is_not(2, 0)?])?;
        rules.entry(libc::SYS_socket).or_default().push(rule);
    }
    let pair = SeccompRule::new(vec![is_not(0, bits(libc::AF_UNIX))?])?;
    rules.entry(libc::SYS_socketpair).or_default().push(pair);
    Ok(rules)
}

/// Without conditions the call is denied as such.
fn add_or_all(rules: &mut Rules, call: i64, conditions: Vec<SeccompCondition>) -> Result<(), BackendError> {
    let list = rules.entry(call).or_default();
    if !conditions.is_empty() {
        list.push(SeccompRule::new(conditions)?);
    }
    Ok(())
}

fn bits(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}

fn has(argument: u8, bit: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::MaskedEq(bit),
        bit,
    )
}

/// The kernel looks at 32 bits of these arguments.
fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// `if number > NEWEST: ENOSYS`.
fn newer() -> BpfProgram {
    let instruction = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    const LOAD: u16 = 0x20;
    const JUMP_GREATER: u16 = 0x25;
    const RETURN: u16 = 0x06;
    vec![
        instruction(LOAD, 0, 0, 0),
        instruction(JUMP_GREATER, 0, 1, NEWEST),
        instruction(
            RETURN,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned(),
        ),
        instruction(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;
    use crate::os::seccomp::tests::{ALLOW, X86_64, run};
    use proptest::prelude::*;

    /// The verdict of all filters together: 0 = allowed, else the errno.
    fn verdict(tier: Tier, network: &Link, nr: i64, args: [u64; 6]) -> u32 {
        let all = filters(tier, network, TargetArch::x86_64).unwrap();
        let results = all.iter().map(|filter| run(filter, nr, args, X86_64));
        let strictest = results.filter(|result| *result != ALLOW).max();
        strictest.map_or(0, |result| result & 0xffff)
    }

    fn full(nr: i64, args: [u64; 6]) -> u32 {
        verdict(Tier::Full, &Link::Off, nr, args)
    }

    #[test]
    fn what_programs_need_is_there_and_what_breaks_out_is_not() {
        let no = libc::EPERM as u32;
        assert_eq!(full(libc::SYS_clone, [17, 0, 0, 0, 0, 0]), 0, "fork");
        assert_eq!(full(libc::SYS_clone, [17 | 0x1000_0000, 0, 0, 0, 0, 0]), no);
        assert_eq!(full(libc::SYS_clone3, [0; 6]), libc::ENOSYS as u32);
        assert_eq!(full(libc::SYS_io_uring_setup, [0; 6]), libc::ENOSYS as u32);
        assert_eq!(full(463, [0; 6]), libc::ENOSYS as u32);
        assert_eq!(full(39 | 0x4000_0000, [0; 6]), libc::ENOSYS as u32, "x32");
        assert_eq!(full(libc::SYS_ptrace, [0; 6]), no);
        assert_eq!(full(libc::SYS_execve, [1; 6]), 0);
        assert_eq!(full(libc::SYS_chmod, [0, 0o755, 0, 0, 0, 0]), 0);
        assert_eq!(full(libc::SYS_chmod, [0, 0o4755, 0, 0, 0, 0]), no);
        assert_eq!(full(libc::SYS_ioctl, [0, libc::TIOCSTI, 0, 0, 0, 0]), no);
        assert_eq!(
            full(libc::SYS_ioctl, [0, libc::TIOCSTI | 1 << 40, 0, 0, 0, 0]),
            no
        );
        assert_eq!(full(libc::SYS_ioctl, [0, libc::TIOCGWINSZ, 0, 0, 0, 0]), 0);
        assert_eq!(full(libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0, 0]), 0);
        assert_eq!(full(libc::SYS_personality, [0x0040_0000, 0, 0, 0, 0, 0]), no);
    }

    #[test]
    fn sockets_follow_tier_and_network() {
        let families = [
            libc::AF_UNIX,
            libc::AF_INET,
            libc::AF_INET6,
            libc::AF_NETLINK,
            libc::AF_VSOCK,
            libc::AF_PACKET,
            libc::AF_ALG,
        ];
        let allowed = |tier, network: &Link| {
            let passes = |family: &&i32| {
                verdict(tier, network, libc::SYS_socket, [**family as u64, 1, 0, 0, 0, 0]) == 0
            };
            families.iter().filter(passes).copied().collect::<Vec<_>>()
        };
        assert_eq!(allowed(Tier::Full, &Link::Off), families[..4]);
        assert!(allowed(Tier::Reduced, &Link::Off).is_empty());
        assert_eq!(allowed(Tier::Reduced, &Link::Open), families[1..3]);
        let netlink = |protocol| full(libc::SYS_socket, [16, 3, protocol, 0, 0, 0]);
        assert_eq!((netlink(0), netlink(12)), (0, libc::EPERM as u32));
        assert_eq!(
            verdict(
                Tier::Reduced,
                &Link::Off,
                libc::SYS_socketpair,
                [1, 1, 0, 0, 0, 0]
            ),
            0
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn no_argument_helps(which in 0..DENIED.len(), args in any::<[u64; 6]>(), reduced in any::<bool>()) {
            let tier = if reduced { Tier::Reduced } else { Tier::Full };
            prop_assert_eq!(verdict(tier, &Link::Open, DENIED[which], args), libc::EPERM as u32);
        }

        #[test]
        fn the_reduced_tier_allows_nothing_that_the_full_one_refuses(nr in 0i64..600, args in any::<[u64; 6]>()) {
            if verdict(Tier::Reduced, &Link::Off, nr, args) == 0 {
                prop_assert_eq!(full(nr, args), 0);
            }
        }
    }
}
