//! Turns the lists of `syscalls` into filters for this very process.

use super::syscalls::{
    FULL_TIER, GUARDED, GUARDED_FULL_TIER, GUARDED_OLD_FORMS, Guarded, NOT_THERE, PLAIN, When,
};
use crate::facts::Tier;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// The processors for which the lists hold.
#[cfg(target_arch = "x86_64")]
pub const ARCH: Option<TargetArch> = Some(TargetArch::x86_64);
#[cfg(target_arch = "aarch64")]
pub const ARCH: Option<TargetArch> = Some(TargetArch::aarch64);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const ARCH: Option<TargetArch> = None;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filters of a worker, in the order of installation. Where both speak, the stricter one wins.
pub fn worker_filters(tier: Tier, own_pid: u32, arch: TargetArch) -> Result<[BpfProgram; 2], BackendError> {
    let allowed = worker(tier, own_pid)?;
    let not_there: Rules = NOT_THERE.iter().map(|call| (*call, Vec::new())).collect();
    let no = |errno: i32| SeccompAction::Errno(errno.unsigned_abs());
    let not_there = SeccompFilter::new(not_there, SeccompAction::Allow, no(libc::ENOSYS), arch)?;
    let allowed = SeccompFilter::new(allowed, no(libc::EPERM), SeccompAction::Allow, arch)?;
    Ok([not_there.try_into()?, allowed.try_into()?])
}

fn worker(tier: Tier, own_pid: u32) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    // The other filter has the last word about NOT_THERE; this one must let it.
    for call in PLAIN.iter().copied().flatten().chain(NOT_THERE) {
        rules.insert(*call, Vec::new());
    }
    add(&mut rules, GUARDED)?;
    add(&mut rules, GUARDED_OLD_FORMS)?;
    if tier == Tier::Full {
        rules.extend(FULL_TIER.iter().map(|call| (*call, Vec::new())));
        add(&mut rules, GUARDED_FULL_TIER)?;
    }
    let to_oneself = When {
        argument: 0,
        mask: 0xffff_ffff,
        value: own_pid.into(),
    };
    rules
        .entry(libc::SYS_tgkill)
        .or_default()
        .push(rule(&[to_oneself])?);
    Ok(rules)
}

fn add(rules: &mut Rules, guarded: &[Guarded]) -> Result<(), BackendError> {
    for Guarded { call, when } in guarded {
        rules.entry(*call).or_default().push(rule(when)?);
    }
    Ok(())
}

fn rule(when: &[When]) -> Result<SeccompRule, BackendError> {
    let conditions = when.iter().map(
        |When {
             argument,
             mask,
             value,
         }| {
            // The kernel looks at all 64 bits of some arguments and at 32 of others; a mask says
            // exactly which bits matter.
            SeccompCondition::new(
                *argument,
                SeccompCmpArgLen::Qword,
                SeccompCmpOp::MaskedEq(*mask),
                *value,
            )
        },
    );
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
pub mod tests {
    use super::*;
    use proptest::prelude::*;

    #[repr(C)]
    struct Data {
        nr: i32,
        arch: u32,
        ip: u64,
        args: [u64; 6],
    }

    /// Runs a filter as the kernel does; only what is used here.
    pub fn run(program: &BpfProgram, nr: i64, args: [u64; 6], arch: u32) -> u32 {
        let data = Data {
            nr: nr as i32,
            arch,
            ip: 0,
            args,
        };
        let word = |at: u32| match at {
            0 => data.nr as u32,
            4 => data.arch,
            at => {
                assert!(at >= 16, "the instruction pointer is not looked at ({})", data.ip);
                let half = data.args[(at as usize - 16) / 8];
                if at % 8 == 0 {
                    half as u32
                } else {
                    (half >> 32) as u32
                }
            }
        };
        let (mut at, mut accumulator) = (0usize, 0u32);
        loop {
            let instruction = &program[at];
            at += 1;
            let jump = |yes: bool| usize::from(if yes { instruction.jt } else { instruction.jf });
            match instruction.code {
                0x20 => accumulator = word(instruction.k),
                0x54 => accumulator &= instruction.k,
                0x05 => at += instruction.k as usize,
                0x15 => at += jump(accumulator == instruction.k),
                0x25 => at += jump(accumulator > instruction.k),
                0x35 => at += jump(accumulator >= instruction.k),
                0x45 => at += jump(accumulator & instruction.k != 0),
                0x06 => return instruction.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    pub const ALLOW: u32 = 0x7fff_0000;
    pub const X86_64: u32 = 0xc000_003e;

    /// The verdict of both filters together: 0 = allowed, else the errno.
    fn verdict(tier: Tier, nr: i64, args: [u64; 6]) -> u32 {
        let both = worker_filters(tier, 42, TargetArch::x86_64).unwrap();
        let results = both.map(|filter| run(&filter, nr, args, X86_64));
        let strictest = results.into_iter().find(|result| *result != ALLOW);
        strictest.map_or(0, |result| result & 0xffff)
    }

    #[test]
    fn guards_look_at_the_right_bits() {
        let eperm = libc::EPERM as u32;
        let with = |at: usize, value: u64| {
            let mut args = [0; 6];
            args[at] = value;
            args
        };
        let full = |nr, args| verdict(Tier::Full, nr, args);
        assert_eq!(full(libc::SYS_clone, with(0, 0x3d_0f00)), 0, "a thread of glibc");
        assert_eq!(full(libc::SYS_clone, with(0, 0x7d_0f00)), 0, "a thread of musl");
        assert_eq!(full(libc::SYS_clone, with(0, 17)), eperm, "fork");
        assert_eq!(
            full(libc::SYS_clone, with(0, 0x3d_0f00 | 0x1000_0000)),
            eperm,
            "new user namespace"
        );
        assert_eq!(full(libc::SYS_clone3, [0; 6]), libc::ENOSYS as u32);
        assert_eq!(full(libc::SYS_openat2, [0; 6]), libc::ENOSYS as u32);
        assert_eq!(full(libc::SYS_tgkill, with(0, 42)), 0);
        assert_eq!(full(libc::SYS_tgkill, with(0, 1)), eperm);
        let map = |prot: u64, flags: u64| full(libc::SYS_mmap, [0, 1, prot, flags, 0, 0]);
        assert_eq!(map(3, 0x22), 0);
        assert_eq!(map(7, 0x22), eperm, "executable");
        assert_eq!(map(3, 0x21), eperm, "shared");
        assert_eq!(map(3, 0x122), eperm, "growing");
        assert_eq!(full(libc::SYS_prlimit64, [0; 6]), 0);
        assert_eq!(
            full(libc::SYS_prlimit64, with(2, 1 << 40)),
            eperm,
            "a pointer beyond 32 bits"
        );
        assert_eq!(full(libc::SYS_prlimit64, with(0, 1)), eperm);
        assert_eq!(full(libc::SYS_openat, with(3, 0o4755)), eperm);
        let opened = |flags: i32| full(libc::SYS_openat, with(2, flags as u64));
        assert_eq!(opened(libc::O_RDONLY | libc::O_CLOEXEC), 0);
        assert_eq!(opened(libc::O_WRONLY | libc::O_TRUNC | libc::O_CREAT), 0);
        assert_eq!(opened(libc::O_RDWR | libc::O_TRUNC), 0);
        assert_eq!(opened(libc::O_RDONLY | libc::O_TRUNC), eperm);
        assert_eq!(full(libc::SYS_fchmod, with(1, 0o2755)), eperm);
        assert_eq!(full(libc::SYS_fchmod, with(1, 0o755)), 0);
        assert_eq!(verdict(Tier::Reduced, libc::SYS_fchmod, with(1, 0o755)), eperm);
        assert_eq!(verdict(Tier::Reduced, libc::SYS_utimensat, [0; 6]), eperm);
        assert_eq!(full(libc::SYS_fcntl, with(1, libc::F_SETOWN as u64)), eperm);
        assert_eq!(full(libc::SYS_ioctl, with(1, libc::TIOCSTI)), eperm);
        assert_eq!(
            full(libc::SYS_prctl, with(0, libc::PR_SET_PDEATHSIG as u64)),
            eperm
        );
    }

    #[test]
    fn another_interface_is_the_end() {
        let [_, allowed] = worker_filters(Tier::Full, 42, TargetArch::x86_64).unwrap();
        let i386 = run(&allowed, libc::SYS_read, [0; 6], 0x4000_0003);
        assert_eq!(i386, libc::SECCOMP_RET_KILL_PROCESS);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Whatever the arguments: a number in no list is refused, the x32 numbers among them.
        #[test]
        fn what_is_in_no_list_is_refused(nr in 0i64..600, x32 in any::<bool>(), args in any::<[u64; 6]>()) {
            let lists = [PLAIN.concat(), FULL_TIER.to_vec(), NOT_THERE.to_vec()].concat();
            let guards = [GUARDED, GUARDED_OLD_FORMS, GUARDED_FULL_TIER].concat();
            let listed = lists.contains(&nr) || guards.iter().any(|guard| guard.call == nr) || nr == libc::SYS_tgkill;
            let number = if x32 { nr | 0x4000_0000 } else { nr };
            if x32 || !listed {
                prop_assert_eq!(verdict(Tier::Full, number, args), libc::EPERM as u32);
                prop_assert_eq!(verdict(Tier::Reduced, number, args), libc::EPERM as u32);
            }
        }

        #[test]
        fn the_reduced_tier_allows_nothing_that_the_full_one_refuses(nr in 0i64..600, args in any::<[u64; 6]>()) {
            if verdict(Tier::Reduced, nr, args) == 0 {
                prop_assert_eq!(verdict(Tier::Full, nr, args), 0);
            }
        }
    }
}
