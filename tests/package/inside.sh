# On the bare system, as root.
set -euo pipefail
say() { printf -- '--- %s\n' "$*"; }
quiet() { "$@" >/try/apt.log 2>&1 || { cat /try/apt.log; exit 1; }; }
has() { grep -qF -- "$1" "$2" || { echo "$2: no $1"; exit 1; }; }
install() { quiet apt-get install -y --no-install-recommends "$@"; }
# What only came with the package goes with it, also what another package would like to have.
remove() {
  quiet apt-get purge -y --autoremove -o APT::AutoRemove::RecommendsImportant=false \
    -o APT::AutoRemove::SuggestsImportant=false "$@"
}

mkdir -p /try/evidence
adduser --disabled-password --gecos '' ada >/dev/null
# Every desktop session has made these before any program starts.
runuser -u ada -- mkdir /home/ada/.cache /home/ada/.config
chown ada /try/evidence
name=$(dpkg-deb -f /try/package.deb Package)
quiet apt-get update

say "the package alone brings all that its programs are linked to"
install /try/package.deb
for program in prompt-manager pm pm-worker; do
  if ldd "/usr/bin/$program" | grep 'not found'; then exit 1; fi
done
runuser -u ada -- pm --version
# What shells, man and systemd know of it.
bash -n /usr/share/bash-completion/completions/pm
has 'complete -F _pm' /usr/share/bash-completion/completions/pm
has '#compdef pm' /usr/share/zsh/vendor-completions/_pm
has 'complete -c pm' /usr/share/fish/vendor_completions.d/pm.fish
has 'pm\-tool\-run' /usr/share/man/man1/pm-tool-run.1
has 'ExecStart=/usr/bin/pm serve' /usr/lib/systemd/user/prompt-manager.service
remove "$name"

say "a screen, a session bus and a hand for the tour"
install xvfb dbus libglib2.0-bin python3-gi gir1.2-gtk-3.0 libxdo3 procps fonts-noto-cjk

# Everything but what the system keeps for itself: lists, caches, logs.
files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /try \
    -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune \
    -o -print | sort
}
files >/try/before

say "installed, and started from its desktop entry"
install /try/package.deb
runuser -u ada -- env HOME=/home/ada dbus-run-session -- python3 /try/tour.py

say "removed"
remove "$name"
files >/try/after
# The person's own things stay, and nothing else of ours. What the system's graphics and settings
# keep in her cache is theirs, whichever program they draw for.
if comm -13 /try/before /try/after |
  grep -v '^/home/ada/\.\(prompt-manager\|cache/mesa_shader_cache\|cache/dconf\)\(/\|$\)'; then
  echo "left behind"
  exit 1
fi
if comm -23 /try/before /try/after | grep .; then
  echo "taken along"
  exit 1
fi
test -n "$(find /home/ada/.prompt-manager/artifacts -name '*.png')"
say "nothing is left but /home/ada/.prompt-manager, with its picture"
