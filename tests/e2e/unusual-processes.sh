#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Unusual processes: without their leader; executing from a thread while pprofil attaches; with a child that ends by
# another signal than SIGCHLD; stopped while threads are born; with names that look like other fields in /proc.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

"$targets/thread-groups" leaderless 60 &
target=$!
sleep 0.3
"$pprofil" -d 3 -f csv -p "$target" >"$work/report" 2>&1
expect "without a leader: status" 0 $?
expect_text "without a leader: its code has names" ',burn,' "$work/report"
expect_free "without a leader: afterwards" "$target"
kill -9 "$target"

# attached to and left so often that an exec comes amid some attach
"$targets/thread-groups" execs 600 &
target=$!
sleep 0.3
attached=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	timeout 20 "$pprofil" -q -d 0.05 -p "$target" 2>>"$work/errors" && attached=$((attached + 1))
done
expect "execs of a thread: attached" 20 "$attached"
expect_free "execs of a thread: afterwards" "$target"
kill -9 "$target"

for options in "" "-F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	"$pprofil" $options -f json -n 0 "$targets/thread-groups" notice 1 >/dev/null 2>"$work/report"
	expect "another signal at the end, '$options': status" 0 $?
	# less by what came after the last sample: at most thirty times the mean between two samples
	least=$(awk "BEGIN { print 0.99 - 30 / $(number "$work/report" samples) }")
	between "another signal at the end, '$options': all is sampled" "$least" \
		"$(awk "BEGIN{print $(number "$work/report" cpu_ns) / 1e9}")" 1.2
done

# a thread is born about each millisecond, and sleeps for 0.3 s; none lives longer than the run
"$pprofil" -w -f json -n 0 "$targets/thread-groups" stopped 2 >/dev/null 2>"$work/report"
expect "born while stopped: status" 0 $?
between "born while stopped: threads" 30 "$(number "$work/report" threads)" 3000
between "born while stopped: elapsed time of all, s" 10 \
	"$(awk "BEGIN{print $(number "$work/report" wall_ns) / 1e9}")" 3000
# names that look like fields: /proc/PID/status begins with the name, and /proc/PID/stat has it amid numbers
sampled() { # a program that has just begun may not work yet
	"$pprofil" -f csv -d 0.3 -p "$target" >"$work/report" 2>&1
	status=$?
	grep -q ,spend_half, "$work/report"
}
new_line=$(printf 'a\nTracerPid: 7')
for name in TracerPid: 'TracerPid:	7' 'State: Z' 'State:	Z' ') R 0 0' '(sd) Z 1 (' VmSize: "$new_line"; do
	shown=$(printf '%s' "$name" | tr '\n\t' '..')
	cp "$targets/known-shares" "$work/$name"
	"$pprofil" -f csv "$work/$name" 1 >"$work/out" 2>"$work/report"
	expect "named '$shown': run" 0 $?
	expect_text "named '$shown': run: its functions" ',spend_half,' "$work/report"
	"$work/$name" 60 >/dev/null &
	target=$!
	await sampled
	expect "named '$shown': attached" 0 "$status"
	expect_text "named '$shown': attached: its functions" ',spend_half,' "$work/report"
	expect_free "named '$shown': afterwards" "$target"
	"$pprofil" -q -o "$work/p.pb.gz" -p "$target" &
	first=$!
	await is_traced "$target"
	"$pprofil" -d 0.1 -p "$target" >"$work/out" 2>"$work/report"
	expect "named '$shown': traced by another: status" 125 $?
	expect_text "named '$shown': traced by another: why" "is already traced by [0-9]+ \(pprofil-superv" "$work/report"
	expect "named '$shown': traced by another: in a line" 1 "$(wc -l <"$work/report")"
	kill "$target" "$first"
	wait "$first" "$target" 2>/dev/null
	"$pprofil" report -t -f json "$work/p.pb.gz" >"$work/report" 2>&1
	expect "named '$shown': saved" 0 $?
done
finish
