#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil kprof: kpctl and kpdata, which od and awk read here.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

kp=$work/k
# cells FILE: the numbers in it, one a line
cells() { od -An -v -t u1 -w4 "$1" | awk '{print (($1 * 256 + $2) * 256 + $3) * 256 + $4}'; }
cell() { cells "$1" | sed -n "$(($2 + 1))p"; }
control() { echo "$1" >"$kp/kpctl"; }

"$targets/known-shares" 6000 >/dev/null & target=$!
"$pprofil" kprof -p "$target" "$kp" 2>"$work/err" & run=$!
await test -e "$kp/kpdata"
cp "$kp/kpdata" "$work/d"
expect "nothing is counted before start" 0 "$(cell "$work/d" 0)"
expect "microseconds of a tick" 10000 "$(cell "$work/d" 2)"
expect "number of cells" "$(cells "$work/d" | wc -l)" "$(cell "$work/d" 3)"
expect "size of a cell" 4 "$(cell "$work/d" 4)"
expect "logarithm of a bucket" 3 "$(cell "$work/d" 5)"
# A tick is a hundredth of a second, the unit of /proc. The CPU time in /proc is read before counting begins, and
# after it ends; a read may be 0.1 s late.
used() { awk '{ print $14 + $15 }' /proc/$target/stat; }
counted() { cp "$kp/kpdata" "$work/d" && [ "$(cell "$work/d" 0)" -ge "$1" ]; }
before=$(used)
control start
await counted 50
control stop
cp "$kp/kpdata" "$work/a"
used=$(($(used) - before))
sleep 0.3
cp "$kp/kpdata" "$work/b"
between "ticks are the CPU time" 50 "$(cell "$work/a" 0)" $((used + 10))
expect "stop: data opened after it are final" "" "$(cmp "$work/a" "$work/b" 2>&1)"
sum=$(cells "$work/a" | awk 'NR > 6 {sum += $1} END {print sum + 0}')
expect "total = outside + buckets" "$(cell "$work/a" 0)" "$(($(cell "$work/a" 1) + sum))"
before=$(cell "$work/a" 0)
control startle # only the beginning of a word counts
await counted $((before + 5))
control stopped
cp "$kp/kpdata" "$work/c"
between "start goes on, by its beginning" "$((before + 5))" "$(cell "$work/c" 0)" 1e9
before=$(used)
control "startclr now"
control stop
cp "$kp/kpdata" "$work/d"
between "startclr clears" 0 "$(cell "$work/d" 0)" $(($(used) - before + 10))
control nonsense
cp "$kp/kpdata" "$work/d"
expect_text "other words: the device's error" 'bad process or channel control request' "$work/err"

# an open kpdata does not change
cp "$kp/kpdata" "$work/d"
before=$(cell "$work/d" 0)
exec 3<"$kp/kpdata"
control start
await counted $((before + 100))
dd bs=4 count=1 <&3 >"$work/early" 2>/dev/null
exec 3<&-
expect "an open file keeps the time of its opening" "$before" "$(cell "$work/early" 0)"

# all of 60 ticks miss the function that takes half of the time in one of 2^60 runs
await counted 60
"$pprofil" report --style kprof --object "$targets/known-shares" "$kp/kpdata" >"$work/out" 2>"$work/err"
expect_text "pprofil reads what it serves" 'spend_half' "$work/out"

# four writers and some readers at once
hammer() { for i in $(seq 84); do control start; control stop; control startclr; done; }
for client in 1 2 3 4; do hammer & clients="${clients:-} $!"; done
whole=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	cp "$kp/kpdata" "$work/d"
	sum=$(cells "$work/d" | awk 'NR > 6 {sum += $1} END {print sum + 0}')
	[ "$(cell "$work/d" 0)" = "$(($(cell "$work/d" 1) + sum))" ] && whole=$((whole + 1))
done
wait $clients
expect "every file read meanwhile is consistent" 10 "$whole"
control stop
cp "$kp/kpdata" "$work/a"
sleep 0.2
cp "$kp/kpdata" "$work/b"
expect "after 1000 commands: stop stops" "" "$(cmp "$work/a" "$work/b" 2>&1)"
runs() { grep -q '^State:.R' "/proc/$target/status"; }
expect "the target is not stuck" yes "$(await runs && echo yes)"

kill -TERM "$run"
wait "$run"
expect "exit status" 0 $?
expect "kpctl is gone" no "$([ -e "$kp/kpctl" ] && echo yes || echo no)"
expect "kpdata stays" yes "$([ -s "$kp/kpdata" ] && echo yes)"
expect_free "the target is let go" "$target"

# --- killed: a writer gets an error, and does not wait
"$pprofil" kprof -p "$target" "$kp" 2>"$work/err" & run=$!
await test -p "$kp/kpctl"
await test -e "$kp/kpdata"
kill -KILL "$run"
wait "$run" 2>/dev/null
await test -S "$kp/kpctl"
timeout 20 sh -c "echo start >'$kp/kpctl'" 2>"$work/err"
expect "a writer is refused" 2 $?
expect_text "as by a device without a driver" 'No such device or address' "$work/err"
"$pprofil" kprof -p "$target" "$kp" 2>"$work/err" & run=$!
await test -p "$kp/kpctl"
control start
control stop
expect "and the next server works" yes "$(await test -p "$kp/kpctl" && echo yes)"
kill -TERM "$run"
wait "$run"
expect "its end is an ordinary one" no "$([ -e "$kp/kpctl" ] && echo yes || echo no)"

# --- the process ends: a writer gets an error then, too; two commands may come in one write
"$targets/known-shares" 6000 >/dev/null & short=$!
"$pprofil" kprof -p "$short" "$kp" 2>"$work/err" & run=$!
await test -p "$kp/kpctl"
{ printf start; printf stop; } >"$kp/kpctl"
cp "$kp/kpdata" "$work/a"
sleep 0.3
cp "$kp/kpdata" "$work/b"
expect "startstop is two commands" "" "$(cmp "$work/a" "$work/b" 2>&1)"
kill "$short"
wait "$run"
await test -S "$kp/kpctl"
timeout 20 sh -c "echo stop >'$kp/kpctl'" 2>"$work/err"
expect "a writer after the end is refused" 2 $?

# --- readers that come before it serves
lived=0
for i in 1 2 3 4 5 6 7 8; do
	timeout 20 sh -c "until [ -e '$work/stop$i' ]; do cat '$work/k$i/kpdata'; done" >/dev/null 2>&1 & reader=$!
	"$pprofil" kprof -p "$target" "$work/k$i" 2>"$work/err" & run=$!
	await grep -q serving "$work/err"
	kill -0 "$run" 2>/dev/null && lived=$((lived + 1))
	kill -TERM "$run"
	wait "$run" 2>/dev/null
	: >"$work/stop$i"
	wait "$reader"
done
expect "readers from the first moment on" 8 "$lived"

# --- time in the kernel, by system call
"$targets/known-times" -s 60000 >/dev/null & caller=$!
"$pprofil" kprof --kernel -p "$caller" "$kp" 2>"$work/err" & run=$!
await test -p "$kp/kpctl"
control start
counted_calls() { cp "$kp/kpdata" "$work/d" && [ "$(($(cell "$work/d" 0) - $(cell "$work/d" 1)))" -ge 20 ]; }
expect "ticks in system calls" yes "$(await counted_calls && echo yes)"
control stop
sum=$(cells "$kp/kpdata" | awk 'NR > 6 {sum += $1} END {print sum + 0}')
cp "$kp/kpdata" "$work/d"
expect "kernel: total = outside + calls" "$(cell "$work/d" 0)" "$(($(cell "$work/d" 1) + sum))"
"$pprofil" report --style kprof "$kp/kpdata" >"$work/out" 2>"$work/err"
expect_text "kernel: calls by name" '^[0-9]+	 *[0-9.]+	(read|write|getrandom|pread64)$' "$work/out"
"$pprofil" report --by syscall -f csv "$kp/kpdata" >"$work/csv" 2>"$work/err"
expect "kernel: as rows of a report" 0 $?
name=$(awk -F '\t' 'NR == 4 { print $3 }' "$work/out")
expect_text "kernel: by system call" "\b$name\b" "$work/csv"
kill -TERM "$run"
wait "$run"
kill "$caller"

"$pprofil" kprof -p "$target" --object nosuch "$kp" 2>"$work/err"
expect "an object that is not mapped" 125 $?
expect_text "says where to look" '/proc/[0-9]*/maps' "$work/err"
"$pprofil" kprof "$kp" 2>"$work/err"
expect "no process" 125 $?
: >"$work/file"
"$pprofil" kprof -p "$target" "$work/file" 2>"$work/err"
expect "a file is no directory" 125 $?
kill "$target"
finish
