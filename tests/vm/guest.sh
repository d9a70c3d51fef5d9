#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The first process of a guest, whose root is on the disk vda. The disk vdb, on /mnt, has this script, the sources and
# the build, a file "paths" that says where to mount these, and a file "tests" with lines "SECONDS SCRIPT". The output
# of the tests goes to the disk vdc, as a tar archive.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/tmp LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mount -t cgroup2 cgroup /sys/fs/cgroup 2>/dev/null
busybox ifconfig lo up
busybox hostname guest
ln -sf /proc/self/fd /dev/fd
while read -r name path; do
	mkdir -p "$path"
	mount --bind "/mnt/$name" "$path"
	export "abs_$name=$path"
done </mnt/paths
# without libtool's script, which takes longer than most of what is tested
export PPROFIL=$abs_builddir/.libs/pprofil LD_LIBRARY_PATH=$abs_builddir/.libs PPROFIL_SUPERVISE=$abs_builddir/pprofil-supervise
# fewer rounds, because a guest is slow
export WHOLE_ROUNDS=3 WHOLE_LONG_ROUNDS=300 STORM_WAYS=2 STORM_EXECS=500 SIGNAL_KILLS=10 API_PROGRAMS=live
[ "$(uname -m)" != aarch64 ] || export KILL_ROUNDS=50

mkdir -p /results
uname -a >/results/kernel
cd "$abs_builddir" || busybox poweroff -f
while read -r limit script; do
	name=$(basename "$script" .sh) begun=$(date +%s)
	setsid timeout -k 10 "$limit" bash "$abs_srcdir/$script" >"/results/$name.log" 2>&1 </dev/null
	status=$?
	echo "$name $status $(($(date +%s) - begun))" >>/results/statuses
	echo "guest: $name: status $status, $(($(date +%s) - begun)) s"
	pkill -KILL -f "$abs_builddir" 2>/dev/null # processes that it has left
	tar -cf /dev/vdc -C /results . && sync
done </mnt/tests
dmesg >/results/dmesg
tar -cf /dev/vdc -C /results .
sync
busybox poweroff -f
