//! What CONTRACT.md calls a blocked command, in the forms people and models write it.

use super::{POLICY, all};
use workspace::policy::Decision::Block;

#[test]
fn plain() {
    all(
        Block,
        &[
            "sudo ls",
            "su",
            "su -",
            "doas id",
            "shutdown",
            "reboot",
            "halt",
            "poweroff",
            "init 0",
            "init 6",
            "mkfs.ext4 /dev/sda",
            "mkfs x",
            "dd if=/dev/zero of=/dev/sda",
            "chmod 777 x",
            "chmod a+rwx x",
            "chmod -R 777 .",
            "chmod 0777 x",
            "chmod ugo+rwx x",
            "chmod +777 x",
            "rm -rf /",
            "rm -rf /*",
            "rm -fr ~",
            "rm -rf ~/",
            "rm -rf $HOME",
            "rm -rf \"${HOME}\"",
            "rm -rf ..",
            "rm -rf ../other",
            "rm -r /home/me",
            "rm -R /usr",
            "rm --recursive --force /",
            "rm --recurs /",
            "rm -rf -- /",
            "rm / -rf",
            "rm -f -r /etc",
            "rm -rf //",
            "rm -rf /./",
            "rm -rf /workspace/..",
            "rm -rf /tmp/../etc",
            "rm -rf a/../../b",
            "rm -rf / --no-preserve-root",
            "rm -rf --no-preserve-root .",
            "rm -rf build /",
            "rm -rf /{bin,etc}",
            "rm -rf ~root",
            "echo x > /dev/sda",
            "cat a >> /dev/mem",
            "echo > /dev/../dev/sda",
            "ls &> /dev/sdb",
            "ls >| /dev/sdb",
            "systemctl reboot",
            "telinit 0",
            "> /dev/sda",
            "2> /dev/sda ls",
            "exec > /dev/sda",
        ],
    );
}

#[test]
fn anywhere_in_a_command() {
    all(
        Block,
        &[
            "ls; sudo ls",
            "ls && sudo ls",
            "false || sudo ls",
            "ls | sudo tee x",
            "ls & sudo ls",
            "(sudo ls)",
            "{ sudo ls; }",
            "! sudo ls",
            "if sudo ls; then ls; fi",
            "if true; then sudo ls; fi",
            "if false; then ls; elif sudo x; then ls; else ls; fi",
            "while sudo ls; do :; done",
            "for i in 1 2; do sudo ls; done",
            "case x in a) ls;; *) sudo ls;; esac",
            "until sudo ls; do ls; done",
            "f() { sudo ls; }; f",
            "function f { sudo ls; }",
            "ls\nsudo ls",
            "ls \\\n && sudo ls",
            "A=1 sudo ls",
            "A=1 B=2 sudo ls",
            "2>&1 sudo ls",
            "> x sudo ls",
            "time sudo ls",
            "echo $(sudo ls)",
            "echo `sudo ls`",
            "echo \"$(sudo ls)\"",
            "echo \"a `sudo ls` b\"",
            "x=$(sudo ls)",
            "diff <(sudo ls) x",
            "ls > >(sudo tee x)",
            "echo ${x:-$(sudo ls)}",
            "echo $(( $(sudo id) + 1 ))",
            "[[ -n $(sudo ls) ]]",
            "cat <<EOF\n$(sudo ls)\nEOF",
            "ls $(ls $(ls $(sudo ls)))",
            "coproc sudo ls",
            "a=(x $(sudo ls))",
            "export X=$(sudo ls)",
            "for i in $(sudo ls); do ls; done",
            "cat <<EOF | sudo sh\nx\nEOF",
            "cat <<'E' > x && sudo ls\ny\nE",
            "ls # comment\nsudo ls",
            "select x in a; do sudo ls; done",
            "echo \"${x/a/$(sudo ls)}\"",
            "git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\" && sudo ls",
            "echo $(case x in a) sudo ls;; esac)",
        ],
    );
}

#[test]
fn fork_bombs() {
    all(
        Block,
        &[
            ":(){ :|:& };:",
            ":() { : | : & } ; :",
            "bomb() { bomb | bomb & }; bomb",
            "f(){ f|f; };f",
            "f() { f & f & }; f",
            "f(){ f& };f",
            "function f { f | f & }; f",
            "f()\n{\n  f | f &\n}\nf",
            "a() { b | b & }; b() { a; }; a",
            ".() { .|.& };.",
            "f(){ (f&) ;};f",
            "while true; do bash & done",
            "while :; do $0 & done",
            "for ((;;)); do sleep1 & done",
            "bash -c ':(){ :|:& };:'",
            "perl -e 'fork while 1'",
            "perl -e 'fork while fork'",
            "python3 -c 'import os\nwhile True: os.fork()'",
            "ruby -e 'loop { fork }'",
            "eval ':(){ :|:& };:'",
            "f() { $FUNCNAME | $FUNCNAME & }; f",
        ],
    );
}

#[test]
fn writing() {
    all(
        Block,
        &[
            "tee /dev/sda < x",
            "ls | tee -a x /dev/sda",
            "cp x /dev/sda",
            "cp -t /dev x",
            "mv x /dev/sda",
            "dd of=/dev/nvme0n1 if=x",
            "ln -sf x /dev/null0",
            "echo x > /etc/passwd",
            "echo x >> /etc/hosts",
            "echo x | tee /etc/hosts",
            "cp x /etc/passwd",
            "mv x /usr/bin/ls",
            "install x /usr/local/bin/x",
            "sed -i s/a/b/ /etc/hosts",
            "echo c > /proc/sysrq-trigger",
            "cd /etc && echo x > passwd",
            "truncate -s 0 /dev/sda",
            "shred /dev/sda",
            "wipefs -a /dev/sda",
            "chmod -R 755 /",
            "chown -R me /usr",
            "mv / x",
            "rm /etc/passwd",
            "exec 3<>/dev/tcp/a/80",
            "dd if=x of=\"/dev/sd\"a",
            "mkfs -t ext4 /dev/sdb1",
            "/sbin/mkfs.xfs x",
            "chmod u=rwx,g=rwx,o=rwx x",
            "chmod =rwx x",
            "chmod -v 777 x",
            "chmod 2777 x",
            "rsync -a --delete e/ /",
        ],
    );
}

#[test]
fn limits() {
    assert_eq!(POLICY.judge(&"x".repeat(100_001)).findings[0].rule, "too_long");
    let deep = format!("{}ls{}", "$(".repeat(200), ")".repeat(200));
    assert_eq!(POLICY.judge(&deep).decision, Block);
    assert_eq!(
        POLICY.judge(&format!("{} ls", "env ".repeat(500))).findings[0].rule,
        "too_deep"
    );
    let many = POLICY.judge(&"sudo ls;".repeat(500));
    assert!(many.more && many.findings.len() == workspace::policy::MAX_FINDINGS);
    assert_eq!(
        POLICY.judge(&format!("{} sudo x", "ls;".repeat(20_000))).decision,
        Block
    );
}

/// The grammar reads such a body as words of the line before.

#[test]
fn findings_have_their_place() {
    let command = "echo ünï; ls | xargs sudo rm -rf /etc";
    let verdict = POLICY.judge(command);
    assert!(verdict.blocked());
    let finding = &verdict.findings[0];
    assert_eq!(
        (&command[finding.span.clone()], finding.program.as_str()),
        ("sudo", "sudo")
    );
    let reason = verdict.reason().unwrap();
    assert_eq!(
        (reason.code.as_str(), reason.arg("what").unwrap().as_str()),
        ("policy_privilege", Some("sudo"))
    );
    assert_eq!(
        POLICY.judge("rm -rf /").reason().unwrap().arg("what").unwrap(),
        "rm -rf /"
    );
    assert_eq!(POLICY.judge("ls").reason(), None);
    // What was unescaped has the place of the whole.
    let unescaped = "é`\\$\"𞻰&";
    let verdict = POLICY.judge(unescaped);
    assert!(unescaped.get(verdict.findings[0].span.clone()).is_some());
}
