//! What a shell and `man` know about `pm`: made from the same description that reads the command line.

use crate::options::Options;
use crate::output::{self, Failed};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

/// Prints what makes a shell complete verbs, options and their values.
pub fn completions(shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Options::command(), "pm", &mut script);
    output::text(&String::from_utf8_lossy(&script));
}

/// Writes a page of the manual for `pm` and one for each verb, as `pm-tool-run.1`.
#[allow(
    clippy::disallowed_methods,
    reason = "the folder is named by who makes packages, and no data home"
)]
pub fn manual(folder: &Path) -> Result<(), Failed> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Options::command(), folder))
        .map_err(|error| output::file(folder, &error))
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a shell of the test's own"
)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn bash_completes_verbs() {
        let mut script = Vec::new();
        clap_complete::generate(Shell::Bash, &mut Options::command(), "pm", &mut script);
        let asked = "COMP_WORDS=(pm tool r); COMP_CWORD=2; _pm pm r tool; echo \"${COMPREPLY[@]}\"";
        // Longer than an argument may be.
        let file = tempfile::NamedTempFile::new().unwrap();
        let script = format!("{}\n{asked}", String::from_utf8(script).unwrap());
        std::fs::write(file.path(), script).unwrap();
        let said = Command::new("bash").arg(file.path()).output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        let words: Vec<&str> = said.split_whitespace().collect();
        assert!(words.contains(&"run") && words.contains(&"remove"), "{said}");
        assert!(words.iter().all(|word| word.starts_with('r')), "{said}");
    }

    #[test]
    fn each_verb_that_is_offered_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        manual(folder.path()).unwrap();
        let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(page("pm.1").contains("pm\\-serve"));
        assert!(page("pm-tool-run.1").contains("\\-\\-params"));
        assert!(!folder.path().join("pm-manual.1").exists(), "not offered");
    }
}
