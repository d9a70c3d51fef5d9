#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# -w: which threads are in a page fault, and for which file. Only faults in which a thread waits for its own code have
# the name of a file. That file is on a file system (FUSE) that does not answer, so the fault lasts as long as the test
# wants.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# ticks often find these threads in the stop of an earlier tick, because there are more of them than CPUs
"$pprofil" -q -w -F 10000 --overhead 100 -o "$work/p.csv" "$targets/sleepers" 0 $((3 * $(nproc))) 0.5 >/dev/null
expect "threads that work are sampled" 1 "$(awk -F, '$5 == "busy" { all = 1 } END { print all }' "$work/p.csv")"
expect "threads that work are in no page fault" 0 \
	"$(awk -F, '$5 == "busy" && $9 == "[page fault]" { all += $11 } END { print all + 0 }' "$work/p.csv")"
[ "$(id -u)" = 0 ] || skip "to mount a file system takes root"

server= target=
trap 'kill -9 $server $target 2>/dev/null; umount -l "$work/mount" 2>/dev/null; rm -rf "$work" 2>/dev/null' EXIT
said() { grep -qs "$1" "$2" || ! kill -0 "$3" 2>/dev/null; }
is_in_fault() { grep -q '^-1 ' "/proc/$target/task/$target/syscall"; }
mkdir "$work/mount"
mkfifo "$work/line"
head -c 8388608 /dev/zero >"$work/zeros"

for kind in code data; do
	"$targets/hangfs" "$work/mount" "$work/zeros" read >"$work/served" 2>&1 & server=$!
	await said ready "$work/served" "$server"
	grep -q ready "$work/served" || skip "no file system can be mounted: $(head -n 1 "$work/served")"
	"$targets/page-fault" "$kind" "$work/mount/file" <"$work/line" >"$work/said" & target=$!
	exec 9>"$work/line"
	await said ready "$work/said" "$target"
	kill -USR1 "$server"
	echo go >&9
	await is_in_fault
	expect "$kind: runs" 0 "$(status_of timeout 60 "$pprofil" -q -w -d 1 -o "$work/p.pb.gz" -p "$target")"
	"$pprofil" report --by syscall -f csv "$work/p.pb.gz" >"$work/calls"
	case $kind in
	code) wanted='[page fault: code of file]' ;;
	data) wanted='[page fault]' ;;
	esac
	expect "$kind: the row, and no other" "$wanted" "$(awk -F, 'NR > 1 { print $5 }' "$work/calls")"
	expect_free "$kind: afterwards" "$target"
	exec 9>&-
	kill -9 "$server" "$target"
	wait "$server" "$target" 2>/dev/null
	umount -l "$work/mount" 2>/dev/null
done
finish
