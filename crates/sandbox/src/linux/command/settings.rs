//! A file with settings of git: which of them could run a program, or lead to a file that does.
//!
//! Nothing is parsed the way git does. A line that is not of the plainest form counts, and so does
//! every setting that is not known to be harmless: what this reader misunderstands is reported, not
//! missed.

/// `section.key`, or all of a section.
const HARMLESS: &[&str] = &[
    "advice.*",
    "branch.description",
    "branch.merge",
    "branch.pushremote",
    "branch.rebase",
    "branch.remote",
    "color.*",
    "commit.gpgsign",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.untrackedcache",
    "core.worktree",
    "extensions.*",
    "fetch.prune",
    "gc.auto",
    "index.*",
    "init.defaultbranch",
    "lfs.repositoryformatversion",
    "log.date",
    "maintenance.*",
    "merge.conflictstyle",
    "merge.ff",
    "pack.*",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "push.followtags",
    "rebase.autosquash",
    "rebase.autostash",
    "remote.fetch",
    "remote.mirror",
    "remote.partialclonefilter",
    "remote.promisor",
    "remote.prune",
    "remote.push",
    "remote.pushurl",
    "remote.tagopt",
    "remote.url",
    "rerere.*",
    "status.*",
    "submodule.active",
    "submodule.branch",
    "submodule.ignore",
    "submodule.path",
    "submodule.shallow",
    "submodule.url",
    "user.email",
    "user.name",
    "user.signingkey",
];

/// What is said of a line that is not plain.
const ODD: &str = "?";

pub fn that_run(text: &[u8]) -> impl Iterator<Item = String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.split('\n') {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('[') {
            match section_of(line) {
                Some(name) => section = name,
                None => found.push(ODD.to_owned()),
            }
            continue;
        }
        let key = line
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        // One that goes on in the next line could hide what stands there.
        let plain = plain && !line.ends_with('\\') && !section.is_empty();
        let name = format!("{section}.{key}");
        match plain {
            false => found.push(ODD.to_owned()),
            true if harmless(&section, &name) => {}
            true => found.push(name),
        }
    }
    found.into_iter()
}

fn harmless(section: &str, name: &str) -> bool {
    HARMLESS.iter().any(|known| match known.strip_suffix(".*") {
        Some(all) => all == section,
        None => *known == name,
    })
}

/// `[name]` or `[name "anything plain"]`.
fn section_of(line: &str) -> Option<String> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, rest) = match inner.split_once(' ') {
        Some((name, rest)) => (name, Some(rest.trim())),
        None => (inner, None),
    };
    let plain = |rest: &str| {
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        quoted.is_some_and(|inner| !inner.contains(['"', '\\', ']']))
    };
    let known = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    (known && rest.is_none_or(plain)).then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        that_run(text.as_bytes()).collect()
    }

    #[test]
    fn what_git_itself_writes_is_harmless() {
        let text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
            [remote \"origin\"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
            # a word\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = A B\n";
        assert_eq!(said(text), Vec::<String>::new());
    }

    #[test]
    fn whatever_runs_a_program_is_named() {
        for (text, names) in [
            ("[core]\nfsmonitor = ./x", "core.fsmonitor"),
            ("[CORE]\n  HooksPath=y", "core.hookspath"),
            ("[core]\nsshCommand = x", "core.sshcommand"),
            ("[alias]\nst = !x", "alias.st"),
            ("[filter \"a\"]\nclean = x", "filter.clean"),
            ("[diff \"a\"]\ntextconv = x", "diff.textconv"),
            ("[include]\npath = ../x", "include.path"),
            ("[includeIf \"gitdir:x\"]\npath = ../x", "includeif.path"),
            ("[credential]\nhelper = !x", "credential.helper"),
            ("[submodule \"a\"]\nupdate = !x", "submodule.update"),
            ("[gpg]\nprogram = x", "gpg.program"),
            ("[core]\nfsmonitor", "core.fsmonitor"),
        ] {
            assert_eq!(said(text), [names], "{text}");
        }
    }

    #[test]
    fn forms_that_only_git_understands_count() {
        for text in [
            "[core] fsmonitor = x",
            "[user]\nname = \\\n[core] \\\nfsmonitor = x",
            "[color \"]\"] fsmonitor = x\n",
            "[color \"\\\"\"]\nui = x",
            "[core.x]\nfsmonitor = x",
            "fsmonitor = x",
            "\u{feff}[core]\nbare = true",
            "[user]\rname = x",
        ] {
            assert!(!said(text).is_empty(), "{text:?}");
        }
    }
}
