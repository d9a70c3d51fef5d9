#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# PPROFIL_DEBUG=supervisor: the log of what the tracer does to real programs keeps the rules of
# tests/unit/test-supervisor-replay.c, line by line.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

replay=$build/tests/unit/test-supervisor
[ -x "$replay" ] || { echo "SKIP the replay is a unit test, and there is no Criterion"; exit 77; }

# rules_are_kept NAME LOG: and the log is added to $work/all
rules_are_kept() {
	PPROFIL_REPLAY="$2" "$replay" --filter replay/a_log_keeps_all_rules >"$work/replayed" 2>&1
	if [ $? = 0 ] && grep -q 'Tested: 1 ' "$work/replayed"; then
		pass "$1"
	else
		fail "$1" "$(grep -m 1 -A 3 'Assertion' "$work/replayed" | tr '\n' ' ')"
	fi
	cat "$2" >>"$work/all"
	rm -f "$2"
}

for storm in "exec 60 2000" "nonleader-exec 60 2000" "nonleader-exec 60 500" "fork 80 2000" "vfork 60 2000" \
	"thread 160 2000" "signal 1500 200"; do
	for options in "" "-g -F 10000 --overhead 100" "-w --no-inherit" "--restless -F 10000 --overhead 100"; do
		# shellcheck disable=SC2086
		PPROFIL_DEBUG=supervisor:"$work/log" "$pprofil" -q $options "$targets/event-storm" $storm >"$work/out" 2>"$work/err"
		expect "$storm with '$options': status" 0 $?
		rules_are_kept "$storm with '$options': rules" "$work/log"
	done
done

# calls that are continued or restarted, threads that are stopped and continued, and a target that is left
PPROFIL_DEBUG=supervisor:"$work/log" "$pprofil" -q -F 10000 --overhead 100 "$targets/full-transfers" 30 >/dev/null
expect "calls that are mended: status" 0 $?
rules_are_kept "calls that are mended" "$work/log"
# while no CPU is idle, hardly any interrupt meets a thread that is about to sleep in a call
for try in 1 2 3 4 5 6 7 8 9 10; do
	PPROFIL_DEBUG=supervisor:"$work/log" "$pprofil" -q -F 10000 --overhead 100 "$targets/eintr" calls 1 >/dev/null
	expect "calls that are begun anew, try $try: status" 0 $?
	grep -q ' restart ' "$work/log" && restarted=yes || restarted=no
	rules_are_kept "calls that are begun anew" "$work/log"
	[ $restarted = no ] || break
done
"$targets/known-shares" 600 2 >/dev/null & target=$!
PPROFIL_DEBUG=supervisor:"$work/log" "$pprofil" -q -d 5 -F 10000 --overhead 100 -p $target &
run=$!
await is_traced $target
kill -STOP $target
await grep -q ' listen ' "$work/log"
kill -CONT $target
wait $run
expect "stopped, continued and left: status" 0 $?
rules_are_kept "stopped, continued and left" "$work/log"
kill $target

# each kind of event has been logged
for event in seize born held interrupt stop resume call listen release detach forget restart piece return ask cost \
	rate hand sample tick; do
	expect "in the logs: $event" yes "$(awk -v event=$event '$3 == event { print "yes"; exit }' "$work/all")"
done

# a log on standard error, beside the report, and a log that cannot be written
PPROFIL_DEBUG=supervisor "$pprofil" "$targets/known-shares" 0.3 >"$work/out" 2>"$work/err"
expect_text "standard error has the log" '^[0-9]+\.[0-9]{9} [0-9]+ interrupt [0-9]+$' "$work/err"
expect_text "and the report" '^# pprofil: ' "$work/err"
PPROFIL_DEBUG=supervisor:/nowhere/log "$pprofil" true >"$work/out" 2>"$work/err"
expect "no such directory: status" 125 $?
expect_text "no such directory: why" 'PPROFIL_DEBUG=supervisor:/nowhere/log: No such file' "$work/err"
finish
