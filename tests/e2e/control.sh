#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil ctl: a run is started, stopped, cleared and asked for its state from outside.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

socket=$work/ctl
ask() { "$pprofil" ctl "$@" 2>"$work/err"; }
field() { ask "$1" status | sed -n "s/^$2 //p"; }

"$targets/known-shares" 6000 >"$work/own" & target=$!
"$pprofil" -q --start-stopped --control "$socket" -o "$work/p.pb.gz" -p "$target" & run=$!
await test -S "$socket"
expect "the socket is for its user only" "srw-------" "$(ls -l "$socket" | cut -c1-10)"
expect "it starts stopped" off "$(field "$socket" sampling)"
sleep 0.3
expect "nothing is sampled while stopped" 0 "$(field "$socket" samples)"
ask "$socket" start; expect "start" 0 $?
expect "start twice is no error" 0 "$(ask "$socket" start; echo $?)"
counted() { [ "$(field "$socket" samples)" -ge "$1" ]; }
await counted 5
first=$(field "$socket" samples)
await counted $((first + 5))
between "counts grow while started" $((first + 5)) "$(field "$socket" samples)" 1e9
expect "by the target's number" on "$(field "$target" sampling)"
expect "by pprofil's number" on "$(field "$run" sampling)"
# The status asks for both CPU times at the same moment. If it did not, one of them would be up to 1 s old, and half a
# second on average. On a busy machine any answer may come late, so the median of two seconds is judged.
apart() {
	ask "$socket" status | awk '$1 == "cpu_s" { cpu = $2 } $1 == "target_cpu_s" { own = $2 }
		END { far = own - cpu; print int(1000 * (far < 0 ? -far : far)) }'
}
median=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do sleep 0.15; apart; done | sort -n | sed -n 7p)
between "CPU times of one moment, ms apart" 0 "$median" 400
ask "$target" stop
stopped=$(field "$socket" samples)
sleep 0.3
expect "counts stand still while stopped" "$stopped" "$(field "$socket" samples)"
runs() { grep -q '^State:.R' "/proc/$target/status"; } # sampling may stop it for a moment
expect "the target runs" yes "$(await runs && echo yes)"
ask "$socket" start
await counted $((stopped + 300))
before=$(cpu_ticks $target)
ask "$socket" startclr
expect "startclr starts" on "$(field "$socket" sampling)"
await counted 10
ask "$socket" flush; expect "flush" 0 $?
"$pprofil" report -f json "$work/p.pb.gz" >"$work/json"
used=$(($(cpu_ticks $target) - before))
between "what was flushed can be read" 5 "$(number "$work/json" samples)" 1e9
# up to 0.1 s may have been used between the read of /proc and the clear
between "and holds the time since the clear" 0 "$(number "$work/json" cpu_ns)" $(((used + 10) * 10000000))
expect "an unknown command is not sent" 125 "$(ask "$socket" frobnicate; echo $?)"
expect_text "with the reason" 'takes start, stop, startclr, flush or status' "$work/err"
"$targets/control-client" "$target" frobnicate >"$work/answer"
expect_text "and is refused if it comes" 'bad process or channel control request' "$work/answer"
expect "nobody there" 125 "$(ask "$work/none" status; echo $?)"
expect_text "nobody there: what to do" '--control' "$work/err"
expect "no command" 125 "$("$pprofil" ctl "$socket" 2>/dev/null; echo $?)"
expect "a socket in use is left alone" 125 \
	"$("$pprofil" -q --control "$socket" true 2>"$work/err"; echo $?)"
expect "and still works" on "$(field "$socket" sampling)"
: >"$work/file"
expect "a file is no socket" 125 \
	"$("$pprofil" -q --control "$work/file" true 2>"$work/err"; echo $?)"
expect "and stays" yes "$([ -f "$work/file" ] && echo yes)"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work"
	chmod 666 "$socket"
	setpriv --reuid 65534 --clear-groups "$pprofil" ctl "$socket" stop 2>"$work/refused"
	expect "another user is refused" on "$(field "$socket" sampling)"
	expect_text "and told" 'refuses' "$work/refused"
	chmod 600 "$socket"
	setpriv --reuid 65534 --clear-groups "$pprofil" ctl "$target" stop 2>"$work/err"
	expect "through the number too" on "$(field "$socket" sampling)"
fi

# In a user namespace all users that are unknown there appear as one, which may also be the user of the session.
nobody="setpriv --reuid 1234 --regid 1234 --clear-groups unshare --user --map-user=65534"
if [ "$(id -u)" = 0 ] && $nobody true 2>/dev/null; then
	listens() { grep -q "@pprofil/$other\$" /proc/net/unix; }
	$nobody "$pprofil" -q --start-stopped sleep 120 & other=$!
	await listens
	expect "a user unknown here is refused" "" \
		"$(setpriv --reuid 2345 --regid 2345 --clear-groups "$targets/control-client" "$other" status)"
	kill "$other"
	wait "$other" 2>/dev/null
	setpriv --reuid 1234 --regid 1234 --clear-groups "$pprofil" -q --start-stopped sleep 120 & other=$!
	await listens
	expect_text "where all users are known" '^sampling off' \
		"$(setpriv --reuid 1234 --regid 1234 --clear-groups "$targets/control-client" "$other" status >"$work/answer"; echo "$work/answer")"
	kill "$other"
	wait "$other" 2>/dev/null
else
	echo "SKIP a user unknown here: needs root and user namespaces"
fi

# commands of four clients at once
hammer() {
	for i in $(seq 84); do
		"$pprofil" ctl "$socket" start
		"$pprofil" ctl "$socket" stop
		"$pprofil" ctl "$socket" startclr
	done
}
for client in 1 2 3 4; do hammer & clients="${clients:-} $!"; done
wait $clients
expect "after 1000 commands it answers" yes "$(ask "$socket" status >/dev/null && echo yes)"
ask "$socket" stop
stopped=$(field "$socket" samples)
sleep 0.2
expect "and obeys: stop" "$stopped" "$(field "$socket" samples)"
ask "$socket" startclr
await counted 5
expect "and startclr" on "$(field "$socket" sampling)"
expect "the target is not stuck" yes "$(await runs && echo yes)"

kill -TERM "$run"
wait "$run"
expect "the socket is gone" no "$([ -e "$socket" ] && echo yes || echo no)"
expect_free "the target is let go" "$target"
kill "$target"

# the socket of a run that was killed
"$pprofil" -q --control "$socket" sleep 997.$$ & run=$!
await test -S "$socket"
kill -9 "$run"
wait "$run" 2>/dev/null
expect "a stale socket is there" yes "$([ -S "$socket" ] && echo yes)"
"$pprofil" -q --control "$socket" true
expect "and is taken over" 0 $?
pkill -x -f "sleep 997.$$"

"$pprofil" --control "$work/none/ctl" sh -c ": >'$work/began'" 2>"$work/err"
expect "a socket that cannot be made" 125 $?
expect "nothing is started then" no "$([ -e "$work/began" ] && echo yes || echo no)"
"$pprofil" --start-stopped -f json true 2>"$work/json"
expect "a run that was never started has no samples" 0 "$(number "$work/json" samples)"
finish
