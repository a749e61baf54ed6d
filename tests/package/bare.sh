#!/usr/bin/env bash
# The package on a Debian on which there is nothing else: installed, started from its desktop entry,
# used (tour.py), removed. `cargo xtask dist --try` calls this as root with
#   PACKAGE   the .deb
#   RELEASE   Debian's release, such as bookworm
# A system of its own is unpacked into a temporary folder and entered as a root (no chroot: user
# namespaces, which the product's walls are made of, are refused in one).
set -euo pipefail

package=$1 release=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
system=$folder/system

debootstrap --variant=minbase "$release" "$system" >"$folder/debootstrap.log" 2>&1 ||
  { cat "$folder/debootstrap.log"; exit 1; }
# This machine's own way to packages.
rm -f "$system/etc/apt/sources.list"
[ ! -e /etc/apt/sources.list ] || cp /etc/apt/sources.list "$system/etc/apt/"
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$system/etc/apt/"
cp /etc/resolv.conf "$system/etc/"
mkdir "$system/try"
cp "$package" "$system/try/package.deb"
cp "$here/inside.sh" "$here/tour.py" "$here/../window/desk.py" "$system/try/"
# What the tour saw, also when it failed.
evidence=$PM_EVIDENCE
mkdir -p "$evidence"
result=0
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  unshare --mount --pid --fork --kill-child --propagation private \
  bash "$here/enter.sh" "$system" || result=$?
cp -r "$system/try/evidence/." "$evidence/" || true
exit "$result"
