//! Turns the lists of `denied` into a filter for a command.
//!
//! It is one program that finds a call by halving, not a list that is walked: when a filter is
//! installed the kernel tries it with every number there is, and that is what it costs.

use super::denied::{
    DENIED, FAMILIES, FAMILIES_REDUCED, MODES, NAMESPACES, NEWEST, NOT_THERE, TERMINAL_TRICKS,
};
use crate::confine::Link;
use crate::facts::Tier;
use seccompiler::{BpfProgram, TargetArch, sock_filter};
use std::collections::BTreeMap;

/// What is asked about an argument, by its place; the kernel looks at 32 bits of all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Has(u8, u32),
    Is(u8, u32),
    IsNot(u8, u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Allow,
    Refuse(i32),
    /// EPERM when all tests of one of these lists hold.
    Judge(Vec<Vec<Test>>),
}

type Rules = BTreeMap<u32, Verdict>;

/// The filter for a command.
pub fn filter(tier: Tier, network: &Link, arch: TargetArch) -> BpfProgram {
    let arch = match arch {
        TargetArch::x86_64 => 0xc000_003e,
        TargetArch::aarch64 => 0xc000_00b7,
        TargetArch::riscv64 => 0xc000_00f3,
    };
    let mut program = vec![
        instruction(LOAD, ARCHITECTURE),
        jump(JUMP_EQUAL, arch, 1, 0),
        instruction(RETURN, libc::SECCOMP_RET_KILL_PROCESS),
        instruction(LOAD, NUMBER),
    ];
    program.extend(halved(&ranges(&rules(tier, network))));
    program
}

fn rules(tier: Tier, network: &Link) -> Rules {
    let mut rules = Rules::new();
    let mut add = |call: libc::c_long, tests: Vec<Test>| {
        let entry = rules.entry(number(call));
        if let Verdict::Judge(lists) = entry.or_insert(Verdict::Judge(Vec::new())) {
            lists.push(tests);
        }
    };
    for flag in NAMESPACES {
        add(libc::SYS_clone, vec![Test::Has(0, bits(*flag))]);
    }
    for (call, place) in MODES {
        for bit in [libc::S_ISUID, libc::S_ISGID] {
            add(*call, vec![Test::Has(*place, bit)]);
        }
    }
    for request in TERMINAL_TRICKS {
        add(libc::SYS_ioctl, vec![Test::Is(1, low(*request))]);
    }
    // Only the usual personality, that of 32 bits, and the question.
    let usual = [0, 8, 0xffff_ffff].map(|kind| Test::IsNot(0, kind));
    add(libc::SYS_personality, usual.to_vec());
    if tier < Tier::Full {
        // Limits of others of the same user; Landlock does not judge that.
        add(libc::SYS_prlimit64, vec![Test::IsNot(0, 0)]);
    }
    let families: &[i32] = match (tier, network) {
        (Tier::Full, _) => FAMILIES,
        (_, Link::Open) => FAMILIES_REDUCED,
        (_, Link::Off | Link::Relay { .. }) => &[],
    };
    let other = families.iter().map(|family| Test::IsNot(0, bits(*family)));
    // Of no family there is no socket: an empty list of tests holds always.
    add(libc::SYS_socket, other.collect());
    if families.contains(&libc::AF_NETLINK) {
        // Addresses and routes; nothing else of the kernel answers there.
        let other = vec![Test::Is(0, bits(libc::AF_NETLINK)), Test::IsNot(2, 0)];
        add(libc::SYS_socket, other);
    }
    add(libc::SYS_socketpair, vec![Test::IsNot(0, bits(libc::AF_UNIX))]);
    let whole = |list: &[libc::c_long], errno| {
        let calls = list
            .iter()
            .map(move |call| (number(*call), Verdict::Refuse(errno)));
        calls.collect::<Vec<_>>()
    };
    rules.extend(whole(NOT_THERE, libc::ENOSYS));
    rules.extend(whole(DENIED, libc::EPERM));
    rules
}

fn number(call: libc::c_long) -> u32 {
    low(call.cast_unsigned())
}

fn bits(value: i32) -> u32 {
    value.cast_unsigned()
}

/// All that the kernel looks at.
#[allow(clippy::cast_possible_truncation, reason = "the kernel does the same")]
fn low(value: libc::c_ulong) -> u32 {
    value as u32
}

/// From which number on which verdict holds.
fn ranges(rules: &Rules) -> Vec<(u32, Verdict)> {
    let mut ranges = vec![(0, Verdict::Allow)];
    let mut from = |number: u32, verdict: &Verdict| {
        if ranges.last().is_some_and(|(start, _)| *start == number) {
            ranges.pop();
        }
        if ranges.last().is_none_or(|(_, before)| before != verdict) {
            ranges.push((number, verdict.clone()));
        }
    };
    for (number, verdict) in rules {
        from(*number, verdict);
        from(number + 1, &Verdict::Allow);
    }
    from(NEWEST + 1, &Verdict::Refuse(libc::ENOSYS));
    ranges
}

fn halved(ranges: &[(u32, Verdict)]) -> BpfProgram {
    let (left, right) = ranges.split_at(ranges.len() / 2);
    let [(start, last), ..] = right else {
        return Vec::new();
    };
    if left.is_empty() {
        return leaf(last);
    }
    let lower = halved(left);
    let over = u32::try_from(lower.len()).unwrap_or(u32::MAX);
    let mut program = vec![jump(JUMP_FROM, *start, 0, 1), instruction(JUMP, over)];
    program.extend(lower);
    program.extend(halved(right));
    program
}

fn leaf(verdict: &Verdict) -> BpfProgram {
    let refuse = |errno: i32| instruction(RETURN, libc::SECCOMP_RET_ERRNO | bits(errno));
    let allow = instruction(RETURN, libc::SECCOMP_RET_ALLOW);
    let lists = match verdict {
        Verdict::Allow => return vec![allow],
        Verdict::Refuse(errno) => return vec![refuse(*errno)],
        Verdict::Judge(lists) => lists,
    };
    let mut program = Vec::new();
    for tests in lists {
        for (at, test) in tests.iter().enumerate() {
            // Behind the tests that are left, two instructions each, and the refusal.
            let out = u8::try_from((tests.len() - at - 1) * 2 + 1).unwrap_or(u8::MAX);
            let (place, code, value, yes, no) = match *test {
                Test::Has(place, bit) => (place, JUMP_SET, bit, 0, out),
                Test::Is(place, value) => (place, JUMP_EQUAL, value, 0, out),
                Test::IsNot(place, value) => (place, JUMP_EQUAL, value, out, 0),
            };
            program.push(instruction(LOAD, ARGUMENTS + 8 * u32::from(place) + LOW_HALF));
            program.push(jump(code, value, yes, no));
        }
        program.push(refuse(libc::EPERM));
    }
    program.push(allow);
    program
}

const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_FROM: u16 = 0x35;
const JUMP_SET: u16 = 0x45;
const RETURN: u16 = 0x06;

/// Places in what the kernel shows a filter.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;
const LOW_HALF: u32 = if cfg!(target_endian = "little") { 0 } else { 4 };

fn instruction(code: u16, k: u32) -> sock_filter {
    jump(code, k, 0, 0)
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;
    use crate::os::seccomp::tests::{ALLOW, X86_64, run};
    use proptest::prelude::*;

    /// 0 = allowed, else the errno.
    fn verdict(tier: Tier, network: &Link, nr: i64, args: [u64; 6]) -> u32 {
        match run(&filter(tier, network, TargetArch::x86_64), nr, args, X86_64) {
            ALLOW => 0,
            refused => refused & 0xffff,
        }
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

    #[test]
    fn another_interface_is_the_end_and_no_call_takes_long() {
        let program = filter(Tier::Full, &Link::Off, TargetArch::x86_64);
        let i386 = run(&program, libc::SYS_read, [0; 6], 0x4000_0003);
        assert_eq!(i386, libc::SECCOMP_RET_KILL_PROCESS);
        assert!(program.len() < 400, "{} instructions", program.len());
    }

    /// As the rules say it, without a program.
    fn by_rules(tier: Tier, network: &Link, nr: u32, args: [u64; 6]) -> u32 {
        let holds = |test: &Test| match *test {
            Test::Has(place, bit) => args[usize::from(place)] as u32 & bit != 0,
            Test::Is(place, value) => args[usize::from(place)] as u32 == value,
            Test::IsNot(place, value) => args[usize::from(place)] as u32 != value,
        };
        match rules(tier, network).get(&nr) {
            Some(Verdict::Refuse(errno)) => *errno as u32,
            Some(Verdict::Judge(lists)) if lists.iter().any(|tests| tests.iter().all(holds)) => {
                libc::EPERM as u32
            }
            _ if nr > NEWEST => libc::ENOSYS as u32,
            _ => 0,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn the_program_says_what_the_rules_say(
            nr in prop_oneof![0u32..600, any::<u32>()],
            args in prop::array::uniform6(prop_oneof![any::<u64>(), 0u64..40, (0u32..64).prop_map(|bit| 1 << bit)]),
            reduced in any::<bool>(),
            open in any::<bool>(),
        ) {
            let tier = if reduced { Tier::Reduced } else { Tier::Full };
            let network = if open { Link::Open } else { Link::Off };
            prop_assert_eq!(verdict(tier, &network, i64::from(nr), args), by_rules(tier, &network, nr, args));
        }

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
