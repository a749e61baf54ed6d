//! What people do all day stays allowed.

use super::all;
use workspace::policy::Decision::Allow;

#[test]
fn words_are_no_commands() {
    all(
        Allow,
        &[
            "grep sudo file", "grep -rn 'rm -rf /' .", "echo \"rm -rf /\"", "echo sudo", "git commit -m \"remove sudo\"", "git commit -m 'rm -rf / fixed'", "man sudo",
            "which sudo", "command -v sudo", "command -v sudo >/dev/null && echo yes", "type sudo", "# sudo ls", "ls # sudo rm -rf /", "cat <<EOF\nsudo ls\nEOF",
            "cat <<'EOF' > install.sh\nsudo ls\nEOF", "python -c 'print(\"sudo\")'", "printf 'sudo\\n'", "x='sudo ls'; echo \"$x\"", "export MSG=sudo", "echo a > sudo",
            "cat sudo", "ls sudo/", "touch reboot", "npm run reboot", "docker build -t sudo .", "sed -i s/sudo/doas/ x", "awk '/sudo/ {print $1}' x", "rg 'sudo|su'",
            "echo \"chmod 777\"", "git log --grep=shutdown", "echo ':(){ :|:& };:'", "grep -c 'mkfs' x", "npm i sudo-prompt", "find . -name sudo", "test -f sudo",
            "if [ \"$x\" = sudo ]; then ls; fi", "case $x in sudo) ls;; esac", "a=(sudo su)", "for x in sudo su; do echo $x; done", "[[ $x == sudo ]]", "echo init 0",
            "git init 0", "curl -d 'sudo' http://x", "python x.py sudo", "node -e 'console.log(\"sudo\")'", "apt show sudo", "apropos reboot", "echo $((1+2)) sudo",
            "jq '.sudo' x.json", "echo 'a' | grep sudo", "logger 'reboot'", "ssh host ls", "find . -name '*.sh' -exec grep sudo {} +", "echo foo | xargs echo sudo",
        ],
    );
}

#[test]
fn every_day() {
    all(
        Allow,
        &[
            "ls 2> /dev/null", "ls > /dev/null 2>&1", "ls &> /dev/null", "chmod 755 x", "chmod +x run.sh", "chmod -R u+w .", "chmod 600 key", "rm -rf node_modules",
            "rm -rf ./build /tmp/x", "rm -rf dist/*", "rm -f *.o", "echo hi > out.txt", "make -j4 && ./a.out", "find . -name '*.o' -delete", ": > /dev/stderr",
            "ls > /dev/tty", "echo x >&2", "cmake -S . -B build && cmake --build build -j", "cargo build --release 2>&1 | tail -20", "npm ci && npm test",
            "for f in *.js; do node \"$f\"; done", "\"$PYTHON\" x.py", "$(npm bin)/eslint .", "\"$(npm bin)\"/eslint .", "${CC:-gcc} -o a a.c", "$CC -c a.c",
            "tar czf x.tgz src", "tar xf x.tar -C /tmp", "git status && git diff | head", "python3 -m venv .venv && . .venv/bin/activate && pip install -r r.txt",
            "source ~/.nvm/nvm.sh", "bash script.sh", "sh ./build.sh --fast", "cat x.sh | sh", "node server.js & wait", "(cd src && make)", "cd src && rm -rf ../build",
            "tmp=$(mktemp -d); trap 'rm -rf \"$tmp\"' EXIT; cp a \"$tmp/\"", "d=$(mktemp -d) && rm -rf \"$d\"", "find . -type d -name node_modules -prune -exec rm -rf {} +",
            "find . -name '*.pyc' | xargs rm -f", "find . -name __pycache__ -type d | xargs rm -rf", "while read -r f; do wc -l \"$f\"; done < list", "seq 3 | while read i; do echo $i; done",
            "git ls-files | xargs -I{} sh -c 'wc -l \"{}\"'", "dd if=/dev/zero of=x bs=1M count=1", "dd if=/dev/urandom of=/dev/null count=1", "cp -r a b", "mv a b", "ln -s ../a b",
            "mkdir -p a/b && cd a/b && rm -rf *", "f() { echo \"$1\"; }; f x", "walk() { for d in \"$1\"/*; do [ -d \"$d\" ] && walk \"$d\"; done | sort; }; walk .",
            "python3 - <<'EOF'\nprint('x')\nEOF", "python3 -c \"import subprocess; subprocess.run(['ls'])\"", "awk '{print $1}' x", "sed -n '1,5p' x", "sed 's/a/b/g' x > y",
            "timeout 5 ./a.out", "time cargo test", "nohup node x.js > log 2>&1 &", "env FOO=bar node x.js", "xargs -0 rm < list", "echo $PATH | tr : '\\n'", "diff <(sort a) <(sort b)",
            "test -d x || mkdir x", "[ -f a ] && rm a", "true && false || echo x", "if ! command -v node; then echo no; fi", "set -euo pipefail; ls", "npm run build -- --watch",
            "git commit -m \"$(cat <<'EOF'\nfeat: it's (done\n\nsudo\nEOF\n)\"", "while true; do date; sleep 1; done", "while true; do ./x & wait; done", "kill %1", "kill 1234", "systemctl status x",
            "docker ps", "kubectl get pods", "python -m http.server 8000 &", "rm -rf \"$BUILD_DIR\"", "rm -r -- -x", "rm -rf /workspace/build", "ls /", "cat /etc/os-release", "cp /etc/hosts .",
            "echo a | tee b | wc -l", "cat a 2>/dev/null | grep b", "read -r a <<< \"x y\"; echo $a", "cat 2>&1 <<< \"y\"", "exec 3> log; echo x >&3", "export PATH=$PWD/bin:$PATH; tool",
            "node -e 'const {execSync} = require(\"child_process\"); execSync(\"ls\")'", "sh -c 'cd x && make'", "bash -c \"cd $d && make\"", "git -c core.pager=cat log", "git -c user.name=x commit -m y",
            "EDITOR=vim git commit", "PAGER=cat git log", "npx eslint .", "poetry run pytest", "perl -pe 's/a/b/' x", "perl -i -pe 's/a/b/' x", "find . -exec chmod 644 {} +", "du -sh * | sort -h",
            "p=src/x; rm -rf \"${p%/*}/out\"", "for d in */; do rm -rf \"$d/node_modules\"; done", "for d in a b; do (cd $d && npm ci); done", "curl -fsSL https://x/y.tgz | tar xz", "wget -qO- https://x | jq .",
            "cat <<EOF | python3\nprint(1)\nEOF", "printf '%s\\n' a b | sort", "echo c3VkbyBscwo= | base64 -d", "yes | head -3", "x=$(ls); echo \"$x\"", "alias ll='ls -la'", "eval ls", "", "   ", "\n",
            "a=1; b=$((a+1)); echo $b", "${arr[0]:-ls}", "let x=1", "python manage.py shutdown", "./gradlew build", "java -jar x.jar", "go test ./...", "~/bin/tool x", "chmod a+r x", "chmod a+rx x", "chmod go-rwx x",
        ],
    );
}
