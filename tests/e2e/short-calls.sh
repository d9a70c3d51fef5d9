#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where samples of a thread stand that enters the kernel again and again. make check runs no other test beside it.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# A call that takes a fortieth of the time must not look as if it took most of it because the
# thread is so often just leaving the kernel when it is told to stop, as a plain tracer finds it.
# The supervisor takes the CPU from such a thread first (lib/supervisor/preempt.c), which mends the half
# of that at the least. It cannot where no CPU is idle, nor where a timer wakes it up so late that it
# is no quicker than the interrupt.
reason=
for try in 1 2 3; do
	mark=$(idle_mark)
	"$pprofil" --overhead 100 -f csv -n 0 "$targets/calls" 3 >"$work/out" 2>"$work/report"
	idle=$(idle_cpus "$mark")
	rm -f "$work/begun"
	"$targets/calls" 600 >"$work/begun" & target=$!
	await test -s "$work/begun"
	set -- $("$targets/interrupt" $target 600)
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
finish
