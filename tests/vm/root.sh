#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the disk of a guest, and the files that a build for it needs, from Debian's packages:
#
#   root.sh ARCHITECTURE
#
# Prints the directory that has the disk in disk.img and the files in root/.
. "$(dirname "$0")/lib.sh"
architecture=$1 suite=bookworm
made=$home/root/$architecture
[ ! -f "$made/disk.img" ] || { echo "$made" && exit 0; }
packages="bash libc-bin dash hostname coreutils sed grep mawk findutils diffutils tar gzip xz-utils procps util-linux mount busybox-static
	binutils elfutils gdb strace sqlite3 tmux gcc libc6-dev libc6-dbg python3-minimal file
	libelf-dev libdw-dev zlib1g-dev libprotobuf-c-dev libjansson-dev libiberty-dev libncurses-dev libcapstone-dev
	libcriterion-dev"
rm -rf "$made"
mkdir -p "$made/root"
cd "$made/root" || exit
mkdir -p usr/bin usr/sbin usr/lib usr/lib64 etc root tmp proc sys dev run var/tmp var/lib home mnt
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
# shellcheck disable=SC2086 # the packages are words
apt "$architecture" "$suite" get install -y -qq --download-only $packages >/dev/null || die "cannot fetch the packages"
unpack . "$home/apt/$architecture-$suite/cache/archives"/*.deb || exit
# the packages' scripts would do this
ln -sf mawk usr/bin/awk
ln -sf dash usr/bin/sh
ln -sf gcc usr/bin/cc
chmod 1777 tmp var/tmp
echo 'root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/bin/sh' >etc/passwd
echo 'root:x:0:
nogroup:x:65534:' >etc/group
rm -rf usr/share/doc usr/share/man usr/share/locale
mke2fs -q -t ext4 -d . "$made/disk.new" 3G >/dev/null && mv "$made/disk.new" "$made/disk.img" || exit
echo "$made"
