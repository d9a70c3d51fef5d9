#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Processes as few are: without their leader, executing from a thread while they are attached to,
# with a child that tells of its end by another signal, stopped while threads are born.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

"$targets/odd" leaderless 60 &
target=$!
sleep 0.3
"$pprofil" -d 1 -f csv -p "$target" >"$work/report" 2>&1
expect "without a leader: status" 0 $?
expect_text "without a leader: its code has names" ',burn,' "$work/report"
expect_free "without a leader: afterwards" "$target"
kill -9 "$target"

# attached to and left so often that some attach meets an exec in its midst
"$targets/odd" execs 60 &
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
	"$pprofil" $options -f json -n 0 "$targets/odd" notice 1 >/dev/null 2>"$work/report"
	expect "another signal at the end, '$options': status" 0 $?
	between "another signal at the end, '$options': all is sampled" 0.9 \
		"$(awk "BEGIN{print $(number "$work/report" cpu_ns) / 1e9}")" 1.2
done

# no thread is there for longer than the run, and about one is born each millisecond and naps 0.3 s
"$pprofil" -w -f json -n 0 "$targets/odd" stopped 2 >/dev/null 2>"$work/report"
expect "born while stopped: status" 0 $?
between "born while stopped: threads" 100 "$(number "$work/report" threads)" 3000
between "born while stopped: elapsed time of all, s" 10 \
	"$(awk "BEGIN{print $(number "$work/report" wall_ns) / 1e9}")" 3000
finish
