#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# System calls that fail with EINTR when a tracer stops them do not fail under pprofil: in CPU and wall mode, while it
# attaches and leaves, at 1 and 10 kHz.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

for options in "" "-w" "-g -w" "-F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	"$pprofil" -q $options "$targets/eintr" calls 3 >"$work/out" 2>&1
	expect "launched, options '$options'" 0 $?
	expect_text "counted, options '$options'" '^calls [0-9]+ eintr 0 broken 0$' "$work/out"
done
# Signals that are ignored wake up a thread only if it is traced. Here they come each 50 ms, while the calls' time
# limits are 1 ms.
for options in "" "-w"; do
	# shellcheck disable=SC2086
	"$pprofil" -q $options "$targets/eintr" calls 3 50000 >"$work/out" 2>&1
	expect "signals, options '$options'" 0 $?
	expect_text "counted with signals, '$options'" '^calls [0-9]+ eintr 0 broken 0$' "$work/out"
done
# a process in so many groups that one read does not return all of its /proc/PID/status
groups=$(seq -s , 4000000001 4000001000)
if setpriv --groups "$groups" true 2>/dev/null; then
	"$pprofil" -q setpriv --groups "$groups" "$targets/eintr" calls 3 50000 >"$work/out" 2>&1
	expect "in 1000 groups" 0 $?
	expect_text "counted in 1000 groups" '^calls [0-9]+ eintr 0 broken 0$' "$work/out"
else
	echo "SKIP in 1000 groups: only root may be in them"
fi
"$targets/eintr" calls 6 >"$work/out" &
target=$!
visits=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	"$pprofil" -q -d 0.3 -p "$target" 2>/dev/null && visits=$((visits + 1))
done
between "visits" 1 "$visits" 10
expect_free "after ten visits" "$target"
wait "$target"
expect "status after ten visits" 0 $?
expect_text "count after ten visits" '^calls [0-9]+ eintr 0 broken 0$' "$work/out"

# A call that was restarted ends when its time is over, though the tracer has left. If it were restarted once more then,
# it would end 10 s later: 16 s after the signal.
"$targets/eintr" limit 10 >"$work/out" &
target=$!
await test -s "$work/out"
"$pprofil" -q -d 6 -p "$target" 2>/dev/null
expect_free "a call begun anew: afterwards" "$target"
wait "$target"
expect "a call begun anew: status" 0 $?
between "a call begun anew: its time" 9.9 "$(sed -n 's/^ended 0 after //p' "$work/out")" 14

# a call that takes longer than the time between two stops, and gives up at each stop
if "$targets/bpf-load" 1 >/dev/null 2>&1; then
	for options in "" "-F 10000 --overhead 100"; do
		# shellcheck disable=SC2086
		timeout 600 "$pprofil" -q $options "$targets/bpf-load" 5 >"$work/out" 2>&1
		expect "a call that takes long, options '$options': status" 0 $?
		expect "a call that takes long, options '$options'" "loads 5 failed 0" "$(cat "$work/out")"
	done
fi
finish
