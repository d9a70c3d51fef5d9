#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Storms of all events that stop a tracee end as they do without a tracer: no event is lost, no thread hangs, the status
# and the output are the same, and the CPU time is counted. At 1 and 10 kHz, in CPU and wall mode.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

ways=${STORM_WAYS:-8}
for storm in "exec 60 2000" "nonleader-exec 60 2000" "fork 80 2000" "vfork 60 2000" \
	"thread 160 2000" "signal 1500 200"; do
	way=0
	for options in "" "-g -F 10000 --overhead 100" "-w" "-F 10000 --overhead 100" "--no-inherit" \
		"--parse-maps --wary" "-g -w" "--restless -F 10000 --overhead 100"; do
		way=$((way + 1))
		[ $way -le "$ways" ] || break
		# shellcheck disable=SC2086
		timeout 60 "$pprofil" -q -f json $options "$targets/event-storm" $storm >"$work/out" 2>"$work/err"
		status=$?
		# shellcheck disable=SC2086
		set -- $storm
		expect "$storm with '$options': status" 0 "$status"
		expect "$storm with '$options': output" "storm $1 done $2" "$(cat "$work/out")"
		expect "$storm with '$options': silence" "" "$(cat "$work/err")"
	done
done

# with --no-follow a child is left when it executes a program: that program writes all its bytes
"$pprofil" -q --no-follow --restless -F 10000 --overhead 100 -o "$work/profile" sh -c '
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		(for j in 1 2 3 4 5 6 7 8 9; do :; done; exec dd if=/dev/zero bs=200000 count=3 2>/dev/null)
	done' | wc -c >"$work/out"
expect "--no-follow: bytes of 20 programs" 12000000 "$(tr -d ' ' <"$work/out")"

# The CPU time of short processes is seen, too: 80 of 2 ms. The shell says how much its children used, user and system
# time, each rounded down to ticks of 10 ms: times(2).
"$pprofil" -f json sh -c "'$targets/event-storm' fork 80 2000; times" >"$work/out" 2>"$work/report"
children=$(tail -n 1 "$work/out" | tr 'ms' '  ' | awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }')
between "fork storm: CPU time of all children" "$(echo "$children" | awk '{ print $1 * 0.9 - 0.02 }')" \
	"$(awk "BEGIN{print $(number "$work/report" target_cpu_ns) / 1e9}")" \
	"$(echo "$children" | awk '{ print $1 * 1.1 + 0.1 }')"
between "fork storm: CPU time of all children, by the shell" 0.14 "$children" 60
expect "fork storm: every process seen" 82 "$(number "$work/report" processes)"

# where one stop follows the other there is still time for ticks: when there was none, a 500th of the CPU time was
# sampled
"$pprofil" -f json "$targets/event-storm" raise 4 3000000 >"$work/out" 2>"$work/report"
expect "stops without end: output" "storm raise done 4" "$(cat "$work/out")"
between "stops without end: part of the CPU time that is sampled" 0.05 \
	"$(awk "BEGIN{print $(number "$work/report" cpu_ns) / $(number "$work/report" target_cpu_ns)}")" 1.5

# the kernel reports stops of the youngest thread first: an old thread must have its turn
for options in "" "--no-follow" "-g -F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	timeout 60 "$pprofil" -q $options "$targets/event-storm" turns 100 0 >"$work/out" 2>"$work/err"
	expect "an old thread has its turn with '$options': status" 0 $?
	expect "an old thread has its turn with '$options': output" "storm turns done 100" "$(cat "$work/out")"
done

# attached to amid execs by a thread that does not lead its process, and left again
execs=${STORM_EXECS:-3000}
"$targets/event-storm" nonleader-exec "$execs" 300 >"$work/out" & target=$!
sleep 0.1
refused=0 visits=0
has_ended() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	if timeout -s KILL 60 "$pprofil" -q -d 0.02 -p "$target" >/dev/null 2>"$work/err"; then visits=$((visits + 1))
	elif has_ended "$target"; then break
	else refused=$((refused + 1)); fi
done
expect "attaching amid execs: refused" 0 "$refused"
between "attaching amid execs: visits" 1 "$visits" 12
expect_free "attaching amid execs: let go" "$target"
wait "$target"
expect "attaching amid execs: output" "storm nonleader-exec done $execs" "$(cat "$work/out")"

# the target is stopped and continued by SIGSTOP and SIGCONT
is_stopped() { grep -q '^State:.[tT]' "/proc/$1/status"; }
"$targets/known-shares" 5 >"$work/out" &
target=$!
"$pprofil" -q -p "$target" -o "$work/p.pb.gz" 2>"$work/err" &
us=$!
await is_traced "$target"
for i in 1 2 3 4 5 6 7 8; do
	kill -STOP "$target" || break
	await is_stopped "$target" || fail "SIGSTOP is obeyed" "$(grep '^State' "/proc/$target/status")"
	kill -CONT "$target"
	sleep 0.05
done
wait "$target"
expect "SIGSTOP and SIGCONT: target's status" 0 $?
wait "$us"
expect "SIGSTOP and SIGCONT: our status" 0 $?
finish
