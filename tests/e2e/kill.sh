#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# kill -9 of the client or of the supervisor at any instant, under load: the target ends as it would have, and is
# neither traced nor stopped. When the target is killed the run ends in order.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

rounds=${KILL_ROUNDS:-20}
has_come_or_gone() { is_traced "$1" || ! kill -0 "$1"; }
bad=0
for i in $(seq "$rounds"); do
	"$targets/event-storm" thread 60 3000 >"$work/out" &
	target=$!
	"$pprofil" -q -F $((1000 + i % 2 * 9000)) -o "$work/p.pb.gz" -p "$target" 2>/dev/null &
	client=$!
	# every other time while it attaches
	[ $((i % 2)) = 0 ] || await has_come_or_gone "$target"
	sleep "0.0$((RANDOM % 9 + 1))"
	if [ $((i % 4)) -lt 2 ]; then
		kill -9 "$client"
	else
		tracer=$(tracer_of "$target")
		[ "${tracer:-0}" -gt 0 ] && kill -9 "$tracer"
	fi
	wait "$target"
	status=$?
	[ "$status" = 0 ] && [ "$(cat "$work/out")" = "storm thread done 60" ] || bad=$((bad + 1))
	wait "$client"
done 2>/dev/null
expect "$rounds kills under load: targets harmed" 0 "$bad"

# kill -9 of the supervisor again and again while signals are sent: each signal comes once, in order
kills=${SIGNAL_KILLS:-40}
"$targets/queued-signals" >"$work/out" &
target=$!
killed=0
for i in $(seq "$kills"); do
	"$pprofil" -q -F 10000 --overhead 100 -p "$target" 2>/dev/null &
	client=$!
	tracer=0
	while [ "$tracer" = 0 ] && kill -0 "$client"; do
		tracer=$(tracer_of "$target")
	done
	sleep "0.0$((RANDOM % 8 + 2))"
	[ "${tracer:-0}" -gt 0 ] && kill -9 "$tracer" && killed=$((killed + 1))
	wait "$client"
	await is_untraced "$target" || break # else the next round would take the dead supervisor for its own
done 2>/dev/null
expect "signals: supervisors killed" "$kills" "$killed"
expect_free "signals: afterwards" "$target"
kill -TERM "$target"
wait "$target"
expect "signals: status" 0 $?
sent=$(sed -n 's/^sent \([0-9]*\) .*/\1/p' "$work/out")
between "signals: sent" "$kills" "${sent:-0}" 1e9
expect "signals: none lost, doubled or out of order" \
	"sent $sent received $sent disordered 0" "$(cat "$work/out")"

# launched: when the supervisor is killed, the program's status still comes back
"$pprofil" -q sh -c 'echo $$ >"$1"; sleep 10; exit 7' sh "$work/child" 2>"$work/err" &
client=$!
await test -s "$work/child"
tracer=$(tracer_of "$(cat "$work/child")")
[ "${tracer:-0}" -gt 0 ] && kill -9 "$tracer"
wait "$client"
expect "supervisor killed, launched: program's status" 7 $?
expect_text "supervisor killed, launched: said so" 'supervisor' "$work/err"

# a checkpoint is written before the end
"$targets/known-shares" 600 >/dev/null &
target=$!
"$pprofil" -q -p "$target" -o "$work/checkpoint.pb.gz" &
client=$!
await test -s "$work/checkpoint.pb.gz"
kill -9 "$client"
wait "$client" 2>/dev/null
"$pprofil" report -f csv "$work/checkpoint.pb.gz" >"$work/report" 2>&1
expect "checkpoint is readable" 0 $?
expect_text "checkpoint has the profile" 'spend_half' "$work/report"
await is_untraced "$target"
expect_free "target after the client's death" "$target"

# the target is killed
"$pprofil" -p "$target" -f csv >"$work/report" 2>&1 &
client=$!
await is_traced "$target"
await has_used "$target" $(($(cpu_ticks "$target") + 100))
kill -9 "$target"
wait "$client"
expect "target killed: our status" 0 $?
expect_text "target killed: report" 'spend_half' "$work/report"
finish
