#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil works with settings that distributions and administrators choose: Yama, hidepid, no user namespaces, version 1
# of control groups. This script changes them, so only root in a guest may run it.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/hostname)" = guest ] || skip "this is no guest"
chmod 777 "$work"

user='setpriv --reuid=nobody --regid=nogroup --clear-groups'
as_nobody() { $user "$@"; }

# profiles NAME [OPTION...]: a user can start a program of his own, and attach to one
profiles() {
	name=$1
	shift
	as_nobody "$pprofil" "$@" -f csv -o "$work/out.csv" "$targets/known-shares" 2 >/dev/null 2>"$work/log"
	expect "$name: started" "0" "$?"
	expect_text "$name: its functions" spend_half "$work/out.csv"
	rm -f "$work/out.csv"
}
# attaches NAME STATUS [TEXT]
attaches() {
	$user "$targets/known-shares" 6000 >/dev/null & target=$!
	await grep -q '^Uid:.65534' "/proc/$target/status"
	as_nobody "$pprofil" -d 1 -p $target >"$work/log" 2>&1
	expect "$1: attached" "$2" "$?"
	[ -z "${3:-}" ] || expect_text "$1: it is said why not" "$3" "$work/log"
	expect_free "$1: the target" $target
	kill $target
	wait $target 2>/dev/null
}

scope=/proc/sys/kernel/yama/ptrace_scope
if [ -f $scope ]; then
	was=$(cat $scope)
	for value in 0 1; do
		echo $value >$scope
		profiles "Yama $value"
	done
	attaches "Yama 1" 125 ptrace_scope
	echo 0 >$scope
	attaches "Yama 0" 0
	echo 2 >$scope
	as_nobody "$pprofil" "$targets/known-shares" 1 >"$work/log" 2>&1
	expect "Yama 2: a user may not trace at all" 125 $?
	expect_text "Yama 2: it is said why" ptrace_scope "$work/log"
	as_nobody "$pprofil" doctor >"$work/log" 2>&1
	expect "Yama 2: doctor" 1 $?
	expect_text "Yama 2: doctor says why" 'protected by Yama \(kernel.yama.ptrace_scope = 2\)' "$work/log"
	echo 1 >$scope
	as_nobody "$pprofil" doctor >"$work/log" 2>&1
	expect "Yama 1: doctor" 0 $?
	expect_text "Yama 1: doctor says why" 'protected by Yama \(kernel.yama.ptrace_scope = 1\)' "$work/log"
	echo "$was" >$scope
else
	echo "SKIP Yama: this kernel has none"
fi

mount -o remount,hidepid=2 /proc
profiles "hidepid=2"
attaches "hidepid=2" 0
mount -o remount,hidepid=0 /proc

was=$(cat /proc/sys/user/max_user_namespaces)
echo 0 >/proc/sys/user/max_user_namespaces
profiles "no user namespaces"
profiles "no user namespaces, -g" -g
echo "$was" >/proc/sys/user/max_user_namespaces

umount /sys/fs/cgroup
mkdir -p "$work/v1"
if mount -t cgroup -o cpu cpu "$work/v1" 2>/dev/null; then
	mkdir "$work/v1/half"
	echo 50000 >"$work/v1/half/cpu.cfs_quota_us"
	(echo 0 >"$work/v1/half/tasks" && exec "$pprofil" -f csv "$targets/known-shares" 2 >"$work/out" 2>"$work/out.csv")
	expect "half a CPU by a group of version 1" 0 $?
	expect_text "half a CPU: its functions" spend_half "$work/out.csv"
	umount "$work/v1"
else
	echo "SKIP control groups of version 1: this kernel has none"
fi
mount -t cgroup2 cgroup /sys/fs/cgroup
finish
