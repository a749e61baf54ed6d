//! Property 5 of the design, and what makes the policy usable: harmless words stay harmless, no text
//! makes it panic or run on, the same text has the same verdict.

use super::POLICY;
use proptest::prelude::*;
use std::time::{Duration, Instant};
use workspace::policy::Decision;

const CORES: &[&str] = &[
    "sudo ls",
    "su -",
    "doas id",
    "rm -rf /",
    "rm -rf ~",
    "rm -r ../x",
    "chmod 777 x",
    "chmod a+rwx x",
    "mkfs.ext4 x",
    "dd if=x of=/dev/sda",
    "echo x > /dev/sda",
    "shutdown now",
    "reboot",
    "halt",
    "poweroff",
    "init 0",
    "init 6",
    "f(){ f|f& };f",
    "echo x > /etc/passwd",
    "/usr/bin/sudo ls",
    "a=sudo; $a ls",
];

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn double(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('$', "\\$")
        .replace('`', "\\`");
    format!("\"{escaped}\"")
}

/// The command again, in something that runs it.
fn wrapped(kind: usize, inner: &str) -> String {
    let quoted = single(inner);
    match kind {
        0 => format!("sh -c {quoted}"),
        1 => format!("bash -lc {}", double(inner)),
        2 => format!("eval {quoted}"),
        3 => format!("echo $({inner}\n)"),
        4 => format!("env A=b timeout 5 bash -c {quoted}"),
        5 => format!("ls; {inner}"),
        6 => format!("true && {{ {inner}\n}}"),
        7 => format!("({inner}\n) | cat"),
        8 => format!("if true; then {inner}\nfi"),
        9 => format!("for i in 1 2; do {inner}\ndone"),
        10 => format!("printf '%s\\n' {quoted} | sh"),
        // Its end must not stand in what it holds: the shell would end it there.
        11 => format!("sh <<'END_{0}'\n{inner}\nEND_{0}\n", inner.len()),
        12 => format!("find . -exec sh -c {quoted} \\;"),
        13 => format!("ls | xargs -IREPL sh -c {quoted}"),
        14 => format!("nohup sh -c {quoted} > log 2>&1 &"),
        15 => format!("g() {{ {inner}\n}}; g"),
        16 => format!("case x in x) {inner}\n;; esac"),
        17 => format!("bash <<< {quoted}"),
        18 => format!("cat <({inner}\n)"),
        19 => format!("x={quoted}; eval \"$x\""),
        20 => format!("busybox sh -c {}", double(inner)),
        21 => format!("while read l; do {inner}\ndone < x"),
        22 => format!("command nice -n 5 setsid sh -c {quoted}"),
        _ => format!("ssh host {quoted}"),
    }
}

/// The program's name in another spelling.
fn spelled(kind: usize, core: &str) -> String {
    let end = core.find(' ').unwrap_or(core.len());
    let (name, rest) = core.split_at(end);
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) || name.len() < 2 {
        return core.to_owned();
    }
    let (first, last) = name.split_at(1);
    let name = match kind {
        0 => format!("{first}''{last}"),
        1 => format!("\"{first}\"{last}"),
        2 => format!("\\{name}"),
        3 => format!("{first}\\{last}"),
        4 => format!("${{none:-{name}}}"),
        5 => format!("$(echo {name})"),
        6 => format!("'{name}'"),
        7 => format!("/usr/bin/{name}"),
        8 => format!("{first}$@{last}"),
        _ => name.to_owned(),
    };
    format!("{name}{rest}")
}

/// Words that hold no single quote, so that they can stand in quotes.
fn dangerous_word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(CORES.to_vec()).prop_map(str::to_owned),
        "[a-z /;|&$(){}<>*-]{0,20}".prop_map(|rest| format!("sudo {rest}")),
    ]
}

const TOKENS: &[&str] = &[
    "sudo",
    "rm",
    "-rf",
    "/",
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "${",
    "}",
    "{",
    "(",
    ";",
    "|",
    "&",
    "&&",
    "||",
    "\n",
    "<<EOF",
    "EOF",
    "<<<",
    "<",
    ">",
    ">>",
    "2>&1",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    ";;",
    "x",
    "$x",
    "x=",
    "x=1",
    "f()",
    "\\",
    "#",
    " ",
    " ",
    " ",
    "[[",
    "]]",
    "((",
    "))",
    "$((",
    "*",
    "?",
    "[a]",
    "~",
    "!",
    "eval",
    "sh -c",
    "find . -exec",
    "{a,b}",
    "$'",
    "${x:-",
    "é",
    "\u{FDD0}",
    "\0",
    "alias a=",
    "trap",
    "xargs",
    "function",
    "$@",
    "<(",
];

proptest! {
    // What fails here is found by one nesting in thousands.
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_blocked_stays_blocked(
        core in 0..CORES.len(),
        spelling in 0_usize..10,
        wrappers in prop::collection::vec(0_usize..24, 0..=4),
    ) {
        let mut command = spelled(spelling, CORES[core]);
        for kind in wrappers {
            command = wrapped(kind, &command);
        }
        let verdict = POLICY.judge(&command);
        prop_assert!(verdict.blocked(), "{command}\n{:?}", verdict);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_stay_words(word in dangerous_word(), kind in 0_usize..10, double_quotes: bool) {
        let quoted = if double_quotes { double(&word) } else { single(&word) };
        let command = match kind {
            0 => format!("echo {quoted}"),
            1 => format!("grep -rn {quoted} ."),
            2 => format!("git commit -m {quoted}"),
            3 => format!("ls # {}", word.replace('\n', " ")),
            4 => format!("x={quoted}; echo \"$x\""),
            5 => format!("cat <<'END_OF_IT'\n{word}\nEND_OF_IT\n"),
            6 => format!("printf '%s' {quoted} | wc -c"),
            7 => format!("for x in {quoted}; do echo \"$x\"; done"),
            8 => format!("[ \"$x\" = {quoted} ] && echo yes"),
            _ => format!("sh -c {}", single(&format!("echo {quoted}"))),
        };
        let verdict = POLICY.judge(&command);
        prop_assert_eq!(verdict.decision, Decision::Allow, "{}\n{:?}", command, verdict);
    }

    #[test]
    fn any_text_has_one_verdict_soon(text in any::<String>()) {
        soon_and_the_same(&text)?;
    }

    #[test]
    fn any_tokens_have_one_verdict_soon(tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..120), gap: bool) {
        soon_and_the_same(&tokens.join(if gap { " " } else { "" }))?;
    }
}

fn soon_and_the_same(text: &str) -> Result<(), TestCaseError> {
    let start = Instant::now();
    let verdict = POLICY.judge(text);
    // Generous, for a busy machine without optimisation; what has no bound takes minutes.
    prop_assert!(
        start.elapsed() < Duration::from_secs(20),
        "{text:?} took {:?}",
        start.elapsed()
    );
    for finding in &verdict.findings {
        prop_assert!(text.get(finding.span.clone()).is_some(), "{text:?}: {finding:?}");
    }
    prop_assert_eq!(&POLICY.judge(text), &verdict);
    Ok(())
}

/// Braces make the grammar look for digits, and it must be shown none of these.
#[test]
fn characters_beyond_ascii_do_no_harm() {
    for character in ['é', 'ʹ', '中', '\u{2028}', '𞤅', '🙂', '\u{10ffff}'] {
        for text in [
            format!("{{{character}1}}"),
            format!("echo ${{{character}1}} {{1{character}2}} {{{character}..3}}"),
            format!("{{ {character} }} < {character} $(( {character} ))"),
        ] {
            for _ in 0..50 {
                assert!(!POLICY.judge(&text).blocked(), "{text}");
            }
        }
        let verdict = POLICY.judge(&format!("echo {character}; sudo {character}"));
        assert!(verdict.blocked(), "{verdict:?}");
        assert!(
            verdict.findings.iter().all(|finding| finding.span.end > 0),
            "{verdict:?}"
        );
    }
}

#[test]
fn long_text_of_every_token_is_bounded() {
    for token in TOKENS {
        for gap in ["", " "] {
            let text = format!("{token}{gap}").repeat(20_000 / (token.len() + gap.len()).max(1));
            let start = Instant::now();
            POLICY.judge(&text);
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{token:?} took {:?}",
                start.elapsed()
            );
        }
    }
}
