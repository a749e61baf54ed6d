//! The same behind other programs, in text for shells and interpreters, and written to be overlooked.

use super::all;
use workspace::policy::Decision::{Allow, Block};

/// Bash takes `((` for arithmetic only where `))` closes it, other shells never do.
#[test]
fn in_subshells_that_look_like_arithmetic() {
    all(
        Block,
        &[
            "((f(){ f|f& };f\n) | cat\n) | cat",
            "((f(){ f|f& };f);ls)",
            "(((f(){ f|f& };f); ls); ls)",
            "sh -c '((sudo ls))'",
            "((sudo ls)); ls",
            "echo $(((f(){ f|f& };f); ls) )",
            "echo $((sudo ls); (ls))",
        ],
    );
    all(
        Allow,
        &[
            "((a=1)); if ((a<2)); then ls; fi",
            "for ((i=0; i<10; i++)); do echo $i; done",
            "((i++)); ((j=i/2, k=j%3)); echo $((i+j))",
            "((ls); echo sudo) | cat",
        ],
    );
}

#[test]
fn by_functions_that_define_themselves_anew() {
    all(
        Block,
        &[
            "g() { g() { sudo ls; }; g; }; g",
            "g() { g() { g() { sudo ls; }; g; }; g; }; g",
            "g() { g() { g() { g() { g() { reboot; }; g; }; g; }; g; }; g; }; g",
        ],
    );
    all(
        Allow,
        &[
            "g() { g() { ls; }; g; }; g",
            "f() { [ $1 = 0 ] || f $(($1-1)); }; f 3",
        ],
    );
}

#[test]
fn behind_wrappers() {
    all(
        Block,
        &[
            "env sudo ls",
            "env -i A=b sudo ls",
            "env -u X sudo ls",
            "env -S 'sudo ls'",
            "env -S'sudo ls'",
            "xargs sudo ls",
            "ls | xargs -n1 -I{} sudo rm {}",
            "echo sudo | xargs -I{} sh -c '{} ls'",
            "sh -c 'sudo ls'",
            "bash -c \"sudo ls\"",
            "bash -lc 'sudo ls'",
            "bash -x -e -c 'sudo ls'",
            "sh -c 'sh -c \"sudo ls\"'",
            "eval sudo ls",
            "eval 'sudo ls'",
            "eval \"su\"\"do ls\"",
            "find . -exec sudo rm {} \\;",
            "find . -execdir sudo rm {} +",
            "find . -type f -ok sudo rm {} \\;",
            "find / -exec rm -rf {} +",
            "find ~ -delete",
            "find / -type f -exec rm {} \\;",
            "echo \"${a[$(sudo id)]}\"",
            "setsid -w sudo ls",
            "rm$x -rf /",
            "sh -c '\"$0\" ls' sudo",
            "a[$(sudo ls)]=1",
            "gdb -batch -ex 'shell sudo ls'",
            "find / -name x -delete",
            "find / | xargs rm -rf",
            "timeout 5 sudo ls",
            "timeout -s KILL 5 sudo ls",
            "timeout --signal=KILL 5s sudo ls",
            "nohup sudo ls &",
            "busybox reboot",
            "busybox sh -c 'reboot'",
            "nice -n 5 sudo ls",
            "nice -5 sudo ls",
            "nice sudo ls",
            "ionice -c2 -n0 sudo ls",
            "setsid sudo ls",
            "setsid -f sudo ls",
            "stdbuf -oL sudo ls",
            "stdbuf -o L sudo ls",
            "time -p sudo ls",
            "command sudo ls",
            "command -p sudo ls",
            "builtin eval 'sudo ls'",
            "exec sudo ls",
            "exec -a x sudo ls",
            "watch -n1 sudo ls",
            "watch 'sudo ls'",
            "parallel sudo ::: ls",
            "parallel 'sudo {}' ::: ls",
            "parallel ::: 'sudo ls'",
            "echo sudo ls | parallel",
            "ssh host sudo ls",
            "ssh -p 22 me@host 'sudo reboot'",
            "script -c 'sudo ls'",
            "script -qc 'sudo ls' /dev/null",
            "su -c 'ls'",
            "strace -f sudo ls",
            "flock x sudo ls",
            "flock x -c 'sudo ls'",
            "env nice timeout 5 nohup sudo ls",
            "xargs -a f sh -c 'reboot'",
            "git -c core.pager='sudo less' log",
            "git -c alias.x='!sudo ls' x",
            "git config alias.x '!sudo ls'",
            "git bisect run sudo ls",
            "git submodule foreach 'sudo ls'",
            "git rebase -x 'sudo ls' main",
            "PAGER='sudo less' man ls",
            "GIT_SSH_COMMAND='sudo ssh' git pull",
            "trap 'sudo ls' EXIT",
            "alias x=sudo",
            "alias x='rm -rf'; x /",
            "fd -x sudo rm",
            "tar cf x . --checkpoint-action=exec='sudo ls'",
            "tar -I 'sudo gzip' -cf x .",
            "vim -c '!sudo ls'",
            "socat - EXEC:'sudo ls'",
            "npx rimraf /",
            "poetry run sudo ls",
            "uv run sudo ls",
            "bundle exec sudo ls",
            "npm exec -- sudo ls",
            "npx -c 'sudo ls'",
            "unshare -r sudo ls",
            "chroot / sudo ls",
            "tmux new-session -d 'sudo ls'",
            "bash --rcfile <(echo sudo ls) -i",
            "find . -exec sh -c 'sudo rm \"$1\"' _ {} \\;",
            "find / -exec sh -c 'rm -rf \"$1\"' _ {} \\;",
            "echo / | xargs rm -rf",
            "printf '/\\n' | while read d; do rm -rf \"$d\"; done",
        ],
    );
}

#[test]
fn into_shells() {
    all(
        Block,
        &[
            "echo sudo ls | sh",
            "echo 'sudo ls' | bash -s",
            "printf 'sudo ls' | sh",
            "printf '%s ls' sudo | sh",
            "printf '\\163udo ls' | sh",
            "printf '\\x73udo ls' | sh",
            "echo -e '\\x73udo ls' | sh",
            "echo 'sudo ls' | cat | sh",
            "echo c3VkbyBscwo= | base64 -d | sh",
            "base64 -d <<< c3VkbyBscwo= | sh",
            "echo c3VkbyBscwo= | base64 --decode | bash",
            "bash <<< 'sudo ls'",
            "sh <<EOF\nsudo ls\nEOF",
            "sh <<'EOF'\nsudo ls\nEOF",
            "cat <<EOF | sh\nsudo ls\nEOF",
            "bash <(echo sudo ls)",
            "source <(echo sudo ls)",
            ". /dev/stdin <<< 'sudo ls'",
            "sh < <(echo sudo ls)",
            "eval \"$(echo sudo ls)\"",
            "eval \"$(echo c3VkbyBscw== | base64 -d)\"",
            "sh -c \"$(echo sudo ls)\"",
            "$(echo sudo) ls",
            "`echo sudo` ls",
            "$(printf su)do ls",
            "echo 'sl odus' | rev | sh",
            "echo 'fhqb yf' | tr a-z n-za-m | sh",
            "echo 7375646f206c73 | xxd -r -p | sh",
            "echo 'sudo ls' > x.sh; sh x.sh",
            "echo 'sudo ls' > x.sh && chmod +x x.sh && ./x.sh",
            "cat > x.sh <<'EOF'\nsudo ls\nEOF\nbash x.sh",
            "echo 'sudo ls' | tee x.sh; . ./x.sh",
            "echo 'sudo ls' | tee x.sh | sh",
            "(echo sudo ls) | sh",
            "{ echo ls; echo sudo ls; } | sh",
            "echo sudo ls | ssh host",
            "echo reboot | at now",
            "sh -s <<< reboot",
            "$(which sudo) ls",
            "\"$(command -v sudo)\" ls",
            "sh 0<<< 'sudo ls'",
            "echo 'xudo ls' | sed s/x/s/ | sh",
        ],
    );
}

#[test]
fn hidden() {
    all(
        Block,
        &[
            "su''do ls",
            "\"su\"do ls",
            "s\\udo ls",
            "\\sudo ls",
            "'sudo' ls",
            "$'\\x73udo' ls",
            "$'\\163udo' ls",
            "${x:-sudo} ls",
            "{sudo,ls}",
            "{sudo,-n,ls}",
            "/usr/bin/sudo ls",
            "/bin/../usr/bin/sudo ls",
            "./sudo ls",
            "a=sudo; $a ls",
            "a=sudo; \"$a\" ls",
            "a=sudo && ${a} ls",
            "X=rm; $X -rf /",
            "a=su b=do; $a$b ls",
            "a=su; ${a}do ls",
            "a='sudo ls'; $a",
            "a=(sudo ls); \"${a[@]}\"",
            "a=odus; $(echo $a | rev) ls",
            "for c in ls sudo; do $c x; done",
            "x=ls; [ -n \"$y\" ] && x=sudo; $x",
            "a=xsudo; ${a#x} ls",
            "a=sudox; ${a%x} ls",
            "a=sXdo; ${a/X/u} ls",
            "a=xsudox; ${a:1:4} ls",
            "su$@do ls",
            "su$*do ls",
            "su${u}do ls",
            "s$1udo ls",
            "export a=sudo; $a ls",
            "declare a=sudo; $a ls",
            "a=s; a+=udo; $a ls",
            "a=b; b=sudo; ${!a} ls",
            "read x <<< sudo; $x ls",
            "printf -v x sudo; $x ls",
            "set -- sudo ls; \"$@\"",
            "set -- sudo ls; $1 $2",
            "f() { \"$@\"; }; f sudo ls",
            "f() { $1 ls; }; f sudo",
            "IFS=,; x=sudo,ls; $x",
            "d=/; rm -rf $d",
            "d=/etc; rm -rf \"$d\"",
            "d=..; rm -rf $d/x",
            "cd /; rm -rf *",
            "cd / && rm -rf ./usr",
            "cd .. && rm -rf x",
            "pushd /etc; rm -rf ssh",
            "m=777; chmod $m x",
            "o=of=/dev/sda; dd if=x $o",
            "t=/dev/sda; echo > $t",
            "su\\\ndo ls",
            "a=SUDO; ${a,,} ls",
            "SUDO=sudo; $SUDO apt install x",
            "su$(echo do) ls",
            "su`echo do` ls",
            "$\"sudo\" ls",
            "rm -rf \"/\"",
            "rm -rf '/'",
            "rm -r\\f /",
            "rm $'-rf' /",
            "f='-rf'; rm $f /",
            "rm -rf /e*",
            "rm -rf /home/*",
        ],
    );
}

#[test]
fn in_code() {
    all(
        Block,
        &[
            "python -c 'import os; os.system(\"sudo ls\")'",
            "python3 -c \"import subprocess; subprocess.run(['sudo', 'ls'])\"",
            "perl -e 'system(\"sudo ls\")'",
            "perl -e 'exec \"sudo\", \"ls\"'",
            "perl -e 'print `sudo ls`'",
            "ruby -e 'system(\"sudo ls\")'",
            "ruby -e '`sudo ls`'",
            "node -e 'require(\"child_process\").execSync(\"sudo ls\")'",
            "php -r 'system(\"sudo ls\");'",
            "awk 'BEGIN{system(\"sudo ls\")}'",
            "awk 'BEGIN{\"sudo ls\" | getline}'",
            "python3 <<EOF\nimport os\nos.system('sudo ls')\nEOF",
            "echo 'system(\"sudo ls\")' | perl",
            "python -c 'import shutil; shutil.rmtree(\"/\")'",
            "lua -e 'os.execute(\"sudo ls\")'",
            "sed '1e sudo ls' x",
            "perl -ne 'system(\"reboot\")' x",
        ],
    );
}

#[test]
fn broken_but_dangerous() {
    all(
        Block,
        &[
            "sudo ls '",
            "if true; then sudo ls",
            "sudo ls $(",
            "ls; sudo (",
            "sudo \"x",
            "( sudo ls",
            "} ; sudo ls",
            "ls | | sudo x",
        ],
    );
}

#[test]
fn here_documents_that_begin_with_a_backslash() {
    all(
        Block,
        &[
            "sh <<'E'\n\\sudo ls\nE\n",
            "sh <<'E' -s\n\\sudo ls | cat > x\nE\n",
            "sh <<E\n\\\\sudo ls\nE\n",
            "cat <<'E' | sh\n\\rm -rf /\nE\n",
            "cat <<'E' && sudo ls\n\\x y\nE\n",
            "cat <<'E'\n\\x y\nE\nsudo ls\n",
        ],
    );
    all(
        Allow,
        &[
            "cat <<'E'\n\\sudo ls\nE\n",
            "cat > f <<'E'\n\\sudo $(su) ls\nE\necho done\n",
        ],
    );
}
