#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The samples of a thread that makes a short system call again and again. make check runs no other test beside this one.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# A thread that is told to stop does so where it leaves the kernel. So to a plain tracer a call that takes a fortieth
# of the time seems to take most of it. The supervisor takes the CPU from such a thread first
# (lib/supervisor/preempt.c), which removes at least half of that error. It cannot where no CPU is idle, nor where its
# timer comes so late that it is no quicker than the interrupt.
reason=
for try in 1 2 3; do
	mark=$(idle_mark)
	"$pprofil" --overhead 100 -f csv -n 0 "$targets/short-calls" 3 >"$work/out" 2>"$work/report"
	idle=$(idle_cpus "$mark")
	rm -f "$work/begun"
	"$targets/short-calls" 600 >"$work/begun" & target=$!
	await test -s "$work/begun"
	set -- $("$targets/plain-tracer" $target 600)
	kill $target
	wait $target 2>/dev/null
	late=${2:-0} plain=${4:-0} right=no
	due=$(awk '{ print $4 / ($2 + $4) }' "$work/out")
	set -- $(awk -F, '$5 == "syscall" { share = $1 } NR > 1 { all += $4 } END { print share + 0, all + 0 }' "$work/report")
	found="$1 for $due, plain $plain, $2 samples; $idle CPUs idle, timers late by $late ns"
	if awk "BEGIN { exit !($idle < 0.8) }"; then reason="no CPU is idle"
	elif [ "$late" -gt 40000 ]; then reason="timers are late"
	elif awk "BEGIN { exit !($1 < ($due + $plain) / 2 && $1 * $2 > $due * $2 - 5 * sqrt($due * $2)) }"; then
		right=yes
		break
	fi
done
if [ "$right" = yes ]; then pass "a short call, often: $found"
elif [ -n "$reason" ]; then echo "SKIP a short call, often: $reason: $found"
else fail "a short call, often" "$found"; fi

# Four threads for each of two CPUs. The tracer samples only the thread whose CPU its timer has just taken, so no thread
# leaves the kernel in between. When it also interrupted threads on other CPUs, a third to a half of the samples were at
# the call. The call takes longer beside other threads, and some samples are late: eight hundredths of the time are
# allowed for both. Samples that stand for different times are worth half as many. Five standard deviations are allowed.
two=
[ "$(nproc)" -le 2 ] || two="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/-/,/' | cut -d, -f1,2)"
$two true || two=
$two "$pprofil" -f csv -n 0 "$targets/short-calls" 0.8 8 >"$work/out" 2>"$work/report"
due=$(awk '{ print $4 / ($2 + $4) }' "$work/out")
set -- $(awk -F, -v due="$due" '$5 == "syscall" { share = $1 } NR > 1 { all += $4 }
	END { most = due + 0.08; print share + 0, all + 0, (all > 0 ? most + 5 * sqrt(most * (1 - most) * 2 / all) : 1) }' \
	"$work/report")
if awk "BEGIN { exit !($3 > 0.28) }"; then
	echo "SKIP more threads than CPUs: too few samples on this machine: $2"
else
	between "more threads than CPUs, a short call, often: $2 samples, $due is due" 0 "$1" "$3"
fi
finish
