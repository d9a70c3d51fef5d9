#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Signals under pprofil reach the program once, whether they were sent to pprofil alone, or to both: to their group, or
# one by one. SIGNAL_ROUNDS: so many programs in each case, at once.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

rounds=${SIGNAL_ROUNDS:-3}
at_once=6 # cases

# in a process group of its own, and with no signal ignored, as background processes of a shell and of nohup(1) have
# them
alone() { exec setsid env --default-signal=INT,QUIT,HUP "$@"; }

# begin WORDS COMMAND...: COMMAND runs the target, in $rounds process groups; $us and $programs are their numbers
begin() {
	file=$work/$BASHPID words=$1
	shift
	us=
	for i in $(seq "$rounds"); do
		# shellcheck disable=SC2086
		alone "$@" "$targets/count-signals" "$file.stop" $words >"$file.$i.out" 2>"$file.$i.err" &
		us="$us $!"
	done
	us=${us# }
	programs=
	for i in $(seq "$rounds"); do
		for _ in $(seq 300); do
			grep -q ready "$file.$i.out" && break
			sleep 0.1
		done
		[ $# = 0 ] || await has_probe "$(echo "$us" | cut -d ' ' -f "$i")"
		programs="$programs $(sed -n 's/^ready //p' "$file.$i.out")"
	done
	programs=${programs# }
}

# has_probe PROCESS: signals to its group are recognised from then on; timeout(1) leads the group itself
has_probe() { pgrep -g "$1" -x group-probe >/dev/null || ! kill -0 "$1" 2>/dev/null; }

# end NAME EXPECTED STATUS: all programs got these signals, and pprofil ends with that status
end() {
	sleep 3 # a signal too much comes then; pprofil passes nothing on in the first 0.2 s
	touch "$file.stop"
	for i in $(seq "$rounds"); do
		wait "$(echo "$us" | cut -d ' ' -f "$i")" 2>/dev/null
		status=$?
		for _ in $(seq 100); do
			grep -q '^got' "$file.$i.out" && break
			sleep 0.1
		done
		echo "$(sed -n 's/^got *//p' "$file.$i.out"): $status"
	done >"$file.results"
	expect "$1" "$rounds $2: $3" "$(counted "$file.results")"
	rm "$file".*
}
counted() { sort "$1" | uniq -c | sed 's/^ *//' | paste -s -d ','; }

# try NAME WORDS ACTION EXPECTED STATUS COMMAND...: a case, in the background; $at_once of them run at once
cases=0
try() {
	cases=$((cases + 1))
	(
		trap - EXIT
		name=$1 words=$2 action=$3 expected=$4 status=$5
		shift 5
		for _ in 1 2 3 4 5; do
			late=
			begin "$words" "$@"
			$action
			[ -n "$late" ] || break
			# shellcheck disable=SC2086
			kill -9 $us $programs
			rm "$file".*
		done
		end "$name" "$expected" "$status"
	) >"$work/case.$cases" 2>/dev/null &
	[ $((cases % at_once)) -ne 0 ] || wait
}

to_group() { for one in $us; do kill "-$1" -- "-$one"; done; }
to_us() { for one in $us; do kill "-$1" "$one"; done; }
to_programs() { for one in $programs; do kill "-$1" "$one"; done; }
nothing() { :; }
later() { sleep 1; "$@"; }
twice() {
	"$@"
	for one in $us; do await has_taken_term "$one"; done
	sleep 1
	"$@"
}
# in_time COMMAND...: what it sends counts as one signal if it all comes within 0.2 s. Where CPUs are full the shell may
# take longer; then the case is tried again.
in_time() {
	in_time_from=${EPOCHREALTIME/./}
	"$@"
	[ $((${EPOCHREALTIME/./} - in_time_from)) -lt 100000 ] || late=yes
}
stopped() { to_programs STOP; "$@"; sleep 0.5; to_programs CONT; }
# to each process of the group, as systemd does (KillMode=control-group): SIGTERM, SIGCONT, and perhaps SIGHUP
one_by_one() {
	for i in $(seq "$rounds"); do
		one=$(echo "$us" | cut -d ' ' -f "$i")
		program=$(echo "$programs" | cut -d ' ' -f "$i")
		tracer=$(tracer_of "$program")
		all=$(printf '%s\n' "$one" $(pgrep -g "$one") "$program" "$tracer" | awk '!seen[$0]++')
		# shellcheck disable=SC2086
		in_time kill_each $all
	done
}
kill_each() { for signal in TERM CONT HUP; do kill -$signal "$@"; done; }
with_echo() { for one in $us; do in_time kill_with_echo "$one"; done; }
kill_with_echo() {
	kill -TERM "$1"
	kill -TERM -- "-$1"
	kill -HUP "$1"
}

for how in handle block wait fd threads; do
	try "group, $how" $how "to_group TERM" "TERM 1" 0 "$pprofil" -q
	try "alone, $how" $how "to_us TERM" "TERM 1" 0 "$pprofil" -q
done
try "group, ignored" ignore "to_group TERM" "" 0 "$pprofil" -q
try "alone, ignored" ignore "to_us TERM" "" 0 "$pprofil" -q
for signal in INT HUP QUIT USR1 USR2 ALRM WINCH CONT; do
	try "group, $signal" handle "to_group $signal" "$signal 1" 0 "$pprofil" -q
	try "alone, $signal" handle "to_us $signal" "$signal 1" 0 "$pprofil" -q
done
try "alone, real-time" handle "to_us 40" "RT40 1" 0 "$pprofil" -q
for how in group session; do
	try "program in a $how of its own" $how "to_group TERM" "TERM 1" 0 "$pprofil" -q
	try "program in a $how of its own, alone" $how "to_us TERM" "TERM 1" 0 "$pprofil" -q
	try "program in a $how of its own, itself" $how "to_programs TERM" "TERM 1" 0 "$pprofil" -q
done
for how in handle wait session; do
	try "one by one, $how" $how one_by_one "TERM 1 HUP 1 CONT 1" 0 "$pprofil" -q
done
# timeout(1) signals pprofil, and then the group, which has the program, too
try "timeout" handle "sleep 12" "TERM 1 CONT 1" 124 timeout 12 "$pprofil" -q
try "timeout --foreground" handle "sleep 12" "TERM 1" 124 timeout --foreground 12 "$pprofil" -q
for how in handle wait; do # sampling has ended, and pprofil only waits for the program
	try "group, after -d, $how" $how "later to_group TERM" "TERM 1" 0 "$pprofil" -q -d 0.1
	try "alone, after -d, $how" $how "later to_us TERM" "TERM 1" 0 "$pprofil" -q -d 0.1
done
try "group, stopped" handle "stopped to_group TERM" "TERM 1 CONT 1" 0 "$pprofil" -q
try "alone, stopped" handle "stopped to_us TERM" "TERM 1 CONT 1" 0 "$pprofil" -q
# the second signal ends pprofil, and the program goes on; the same signal that comes by another way is no second one
try "second, alone" handle "twice to_us TERM" "TERM 1" 143 "$pprofil" -q
try "second, group" handle "twice to_group TERM" "TERM 2" 143 "$pprofil" -q
try "an echo is no second one" handle with_echo "TERM 1 HUP 1" 0 "$pprofil" -q
wait
for i in $(seq $cases); do cat "$work/case.$i"; done | tee "$work/cases"
failures=$(grep -c '^FAIL' "$work/cases")
expect "all cases came to their end" $cases "$(wc -l <"$work/cases" | tr -d ' ')"

# no process of pprofil is left in the group, however it ends
in_groups() {
	for one in $us; do
		ps -eo pid=,pgid=,stat= | awk -v g="$one" '$2 == g && $3 !~ /Z/ {print $1}'
	done | sort
}
groups_have() { [ "$(in_groups)" = "$1" ]; }
begin handle "$pprofil" -q
expect "found by name: pprofil" "$us" "$(for one in $us; do pgrep -g "$one" pprofil; done | paste -s -d ' ')"
expect "found by command line: pprofil and the program" "$(printf '%s\n' $us $programs | sort)" \
	"$(for one in $us; do pgrep -g "$one" -f count-signals; done | sort)"
expect "found by its parent: the program" "$programs" "$(for one in $us; do pgrep -P "$one"; done | paste -s -d ' ')"
end "found" "" 0
await groups_have ""
expect "ended: the groups are empty" "" "$(in_groups)"
begin handle "$pprofil" -q
to_us KILL
await groups_have "$(printf '%s\n' $programs | sort)"
expect "killed: only the programs are left" "$(printf '%s\n' $programs | sort)" "$(in_groups)"
end "killed" "" 137 2>/dev/null

# a terminal's signals: Ctrl-C goes to all of the group, a hangup only to the session's leader, which is pprofil here
cat >"$work/terminal.py" <<'END'
import os, pty, sys, time
what, out, stop = sys.argv[1:4]
open(out, "w").close()
child, terminal = pty.fork()
if child == 0:
    os.dup2(os.open(out, os.O_WRONLY), 1)
    os.execv(sys.argv[4], sys.argv[4:])
while "ready" not in open(out).read():
    time.sleep(0.1)
if what == "interrupt":
    os.write(terminal, b"\003")
else:
    os.close(terminal)
time.sleep(3)
open(stop, "w").close()
os.waitpid(child, 0)
END
for what in interrupt hangup; do
	command -v python3 >/dev/null || continue
	env --default-signal=INT,QUIT,HUP python3 "$work/terminal.py" $what "$work/$what" "$work/$what.stop" "$pprofil" -q \
		"$targets/count-signals" "$work/$what.stop"
	case $what in interrupt) expected="INT 1" ;; hangup) expected="HUP 1 CONT 1" ;; esac
	expect "terminal: $what" "got $expected" "$(grep '^got' "$work/$what")"
done

# attached: the target gets no signal, and the first one ends pprofil
clients=
begin handle
for one in $programs; do
	alone "$pprofil" -q -p "$one" &
	clients="$clients $!"
done
for one in $programs; do await is_traced "$one"; done
sleep 0.5
# shellcheck disable=SC2086
kill -TERM $clients
for one in $clients; do wait "$one"; echo $?; done 2>/dev/null >"$work/out"
expect "attached: our statuses" "$rounds 0" "$(counted "$work/out")"
end "attached" "" 0

# after -d pprofil waits for the program; the second signal ends pprofil, and the profile is written
alone "$pprofil" -q -d 0.3 -o "$work/left.pb.gz" sh -c 'trap "" TERM; echo $$ >"$0"; while :; do sleep 0.1; done' \
	"$work/heedless" 2>/dev/null &
us=$!
await test -s "$work/heedless"
heedless=$(cat "$work/heedless")
await is_untraced "$heedless"
kill -TERM "$us"
await has_taken_term "$us"
sleep 1
expect "after -d: the first signal" 0 "$(kill -0 "$us"; echo $?)"
kill -TERM "$us"
wait "$us" 2>/dev/null
expect "after -d: the second signal" 143 $?
expect "after -d: a profile" 1 "$(ls "$work/left.pb.gz" | wc -l)"
expect "after -d: the program goes on" 0 "$(kill -0 "$heedless"; echo $?)"
kill -9 "$heedless"

# SIGTERM after SIGTERM until pprofil has ended: the profile is there all the same
alone "$pprofil" -q -o "$work/many.pb.gz" sh -c 'echo $$ >"$0"; while :; do :; done' "$work/many" 2>/dev/null &
us=$!
await test -s "$work/many"
await is_traced "$(cat "$work/many")"
await has_used "$(cat "$work/many")" 50
while kill -TERM "$us" 2>/dev/null; do :; done
wait "$us" 2>/dev/null
expect "many SIGTERM: status" 143 $?
kill -9 "$(cat "$work/many")" 2>/dev/null # it goes on if the second signal came before the first one was passed on
expect "many SIGTERM: the profile is whole" 0 "$(status_of "$pprofil" report "$work/many.pb.gz")"

group_is_there() { pgrep -g "$1" -x sleep >/dev/null; }
# the program's death by a signal, and its status where pprofil was started with SIGCHLD ignored
alone "$pprofil" -q sleep 100 2>/dev/null &
us=$!
await group_is_there "$us"
kill -TERM -- "-$us"
wait "$us" 2>/dev/null
expect "death by the group's signal" 143 $?
for _ in 1 2 3 4 5 6 7 8 9 10; do
	env --ignore-signal=CHLD "$pprofil" -q sh -c 'exit 3'
	echo $?
done >"$work/out"
expect "SIGCHLD ignored: status" "10 3" "$(counted "$work/out")"
expect "SIGCHLD ignored: for the program, too" \
	"$(env --ignore-signal=CHLD sh -c 'grep SigIgn /proc/self/status')" \
	"$(env --ignore-signal=CHLD "$pprofil" -q sh -c 'grep SigIgn /proc/self/status')"
finish
