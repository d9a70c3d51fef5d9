#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A write comes back short where a signal with a handler came, as without pprofil, and nowhere else. What it returns is
# true while pprofil attaches and leaves. When the supervisor is killed, at most the call that is being continued is
# wrong.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

shorts() { sed -n 's/^calls \([0-9]*\) short \([0-9]*\) .*/\2/p' "$1"; }

for options in "" "-w" "-g -F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	timeout 60 "$pprofil" -q $options "$targets/short-writes" 2 >"$work/out"
	expect "no signals, '$options': status" 0 $?
	expect "no signals, '$options': short" 0 "$(shorts "$work/out")"
	# shellcheck disable=SC2086
	timeout 60 "$pprofil" -q $options "$targets/short-writes" 2 WINCH 1000 >"$work/out"
	expect "ignored signals, '$options': status" 0 $?
	expect "ignored signals, '$options': short" 0 "$(shorts "$work/out")"
	# shellcheck disable=SC2086
	timeout 60 "$pprofil" -q $options "$targets/short-writes" 2 USR1 3000 >"$work/out"
	expect "handled signals, '$options': none short without one, and none untrue" 0 $?
	between "handled signals, '$options': short" 1 "$(shorts "$work/out")" 1e9
done

# left in order: pprofil waits for a call that is being continued, or the call returns what it has done
"$targets/short-writes" 8 >"$work/out" &
target=$!
visits=0
while kill -0 "$target" 2>/dev/null && [ "$visits" -lt 12 ]; do
	"$pprofil" -q -F 10000 --overhead 100 -d 0.2 -p "$target" 2>/dev/null && visits=$((visits + 1))
done
between "left in order: visits" 1 "$visits" 12
expect_free "left in order" "$target"
wait "$target"
expect_text "left in order: all counts are true" '^calls [0-9]+ short [0-9]+ unexplained [0-9]+ wrong 0$' \
	"$work/out"

# killed: a call that is being continued returns the bytes of its last piece, fewer than it has written. That is at most
# one call for each kill. The program itself goes on, and is not traced.
"$targets/short-writes" 8 >"$work/out" &
target=$!
kills=0
while kill -0 "$target" 2>/dev/null && [ "$kills" -lt 20 ]; do
	"$pprofil" -q -F 10000 --overhead 100 -p "$target" 2>/dev/null &
	client=$!
	tracer=0
	while [ "$tracer" = 0 ] && kill -0 "$client" && kill -0 "$target"; do
		tracer=$(tracer_of "$target")
	done
	sleep "0.0$((RANDOM % 9 + 1))"
	[ "${tracer:-0}" -gt 0 ] && kill -9 "$tracer" && kills=$((kills + 1))
	wait "$client"
	await is_untraced "$target" || break # else the next round would take the dead supervisor for its own
done 2>/dev/null
expect_free "killed" "$target"
wait "$target"
between "killed: it ended by itself" 0 $? 1
between "killed: calls that a kill has spoiled, of $kills" 0 \
	"$(sed -n 's/.* unexplained \([0-9]*\) .*/\1/p' "$work/out")" "$kills"
finish
