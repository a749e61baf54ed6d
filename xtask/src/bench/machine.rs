//! Where a figure was measured, and how much memory a program and its children hold there.

use crate::proc;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// One line each; what cannot be found out is left out.
pub fn describe() -> Vec<String> {
    let cpu = fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| cpu_model(&text));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| field_kb(&text, "MemTotal"));
    let mut lines = vec![format!(
        "{}, {cores} cores{}",
        cpu.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        memory.map(|kb| format!(", {} MB", kb / 1024)).unwrap_or_default()
    )];
    let version = |name: &str, arguments: &[&str]| {
        proc::ask(proc::program(name).args(arguments)).and_then(|text| text.lines().next().map(str::to_owned))
    };
    lines.extend(version("date", &["+%F"]));
    // Without what its builder added to the number.
    let kernel = version("uname", &["-sr"]);
    lines.extend(kernel.and_then(|kernel| kernel.split('-').next().map(str::to_owned)));
    lines.extend(version("rustc", &["--version"]));
    lines.extend(version("node", &["--version"]).map(|version| format!("node {version}")));
    lines
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    cpuinfo.lines().find_map(|line| {
        line.strip_prefix("model name")?
            .split_once(':')
            .map(|(_, name)| name.trim().to_owned())
    })
}

fn field_kb(text: &str, field: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(field)?.strip_prefix(':')?;
        rest.split_whitespace().next()?.parse().ok()
    })
}

/// Memory in kB. PSS counts a shared page by the share of it that is ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub rss: u64,
    pub pss: u64,
}

/// Of one process; nothing where the system does not say.
pub fn memory(pid: u32) -> Option<Memory> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    Some(Memory {
        rss: field_kb(&text, "Rss")?,
        pss: field_kb(&text, "Pss")?,
    })
}

/// All that the process started, and what that started.
pub fn below(pid: u32) -> Vec<u32> {
    descendants(pid, &parents())
}

/// Of everything that the process started, itself left out.
pub fn memory_below(pid: u32) -> Memory {
    below(pid)
        .into_iter()
        .filter_map(memory)
        .fold(Memory::default(), |sum, one| Memory {
            rss: sum.rss + one.rss,
            pss: sum.pss + one.pss,
        })
}

/// The processor's time of a process and of all below it that live, in the kernel's ticks of 10 ms.
pub fn cpu(pid: u32) -> Duration {
    let of = |pid: u32| fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let all = below(pid).into_iter().chain([pid]).filter_map(of);
    all.filter_map(|stat| ticks(&stat, OWN)).sum()
}

/// That of all children of this process that have ended.
pub fn cpu_of_children() -> Option<Duration> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?, CHILDREN)
}

/// Where `utime` and `stime` stand in `/proc/PID/stat`, and the same of children, counted from behind the name.
const OWN: usize = 11;
const CHILDREN: usize = 13;

fn ticks(stat: &str, first: usize) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut both = fields
        .split(' ')
        .skip(first)
        .map_while(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis((both.next()? + both.next()?) * 10))
}

/// The parent of every process.
fn parents() -> BTreeMap<u32, u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, parent(&stat)?))
        })
        .collect()
}

/// The name in brackets may hold anything, brackets too.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn descendants(pid: u32, parents: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![pid];
    while let Some(parent) = open.pop() {
        for (child, _) in parents
            .iter()
            .filter(|(child, of)| **of == parent && **child != parent)
        {
            found.push(*child);
            open.push(*child);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_files_are_read() {
        assert_eq!(
            cpu_model("processor: 0\nmodel name\t: Some CPU 2.0\n").as_deref(),
            Some("Some CPU 2.0")
        );
        assert_eq!(field_kb("MemTotal:       16384 kB\n", "MemTotal"), Some(16384));
        assert_eq!(field_kb("PssX: 1 kB\nPss:  7 kB\n", "Pss"), Some(7));
        assert_eq!(parent("12 (a ) (b) S 7 12 12"), Some(7));
        let stat = "12 (a ) (b) S 7 12 12 0 -1 4194560 159 0 0 0 3 4 50 60 20 0";
        assert_eq!(ticks(stat, OWN), Some(Duration::from_millis(70)));
        assert_eq!(ticks(stat, CHILDREN), Some(Duration::from_millis(1100)));
    }

    #[test]
    fn grandchildren_count_and_strangers_do_not() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 9), (9, 9)]);
        assert_eq!(descendants(1, &parents), [2, 3]);
        assert_eq!(descendants(9, &parents), [4]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn our_own_memory_and_time_are_known() {
        let memory = memory(std::process::id()).unwrap();
        assert!(memory.pss > 0 && memory.pss <= memory.rss, "{memory:?}");
        let begun = cpu(std::process::id());
        let goes_on = (0..100_000).any(|_| {
            std::hint::black_box(parents());
            cpu(std::process::id()) > begun
        });
        assert!(goes_on, "{begun:?}");
    }
}
