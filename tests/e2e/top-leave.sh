#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Leaving pprofil top, in an orderly way or not. Its targets run on, untraced and undisturbed, the
# terminal is restored, and no process of top is left.
#
# TOP_KILLS: how often top is killed; 10 if not given.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

kills=${TOP_KILLS:-10}
target=
trap 'kill -9 $target 2>/dev/null; screen_stop; rm -rf "$work"' EXIT

# A program that prints on after top has gone, and notes what happens to it.
cat >"$work/printer" <<'END'
trap 'echo "got HUP" >>"$1"' HUP
echo $$ >"$1.pid"
i=0
until [ -e "$1.stop" ] || [ $((i += 1)) -gt 1000000 ]; do
	echo "line $i of many" || echo "cannot write" >>"$1"
	[ $((i % 100)) != 0 ] || sleep 0.01
done 2>>"$1"
echo stopped >>"$1"
exit 4
END
# Stands for the user's shell, which has the terminal before and after.
cat >"$work/shell" <<'END'
out=$1
shift
stty -g >"$out.before"
sh -c 'echo $$ >"$0.top"; exec "$@"' "$out" "$@"
echo $? >"$out.status"
stty -g >"$out.after"
echo back in the shell
exec cat
END

# --- what is seen from outside ----------------------------------------------------------------

is_gone() { ! grep -qs '^State:.[^Z]' "/proc/$1/status"; }
are_gone() {
	for one in "$@"; do is_gone "$one" || return 1; done
}
is_free() {
	grep -qs '^TracerPid:.0$' "/proc/$1/status" && ! grep -q '^State:.[tT]' "/proc/$1/status"
}
# Does the program get CPU time? A program that prints gets it only while somebody reads.
ticks() { cut -d ' ' -f 14 "/proc/$1/stat"; }
ran_since() { [ "$(ticks "$1" 2>/dev/null || echo 0)" -gt "$2" ]; }
runs_on() { screen_until ran_since "$1" "$(ticks "$1")"; }
# The supervisor, and the process that keeps the program's terminal open. They are not top's
# children.
helpers() { # TOP TARGET
	sed -n 's/^TracerPid:.//p' "/proc/$2/status" | grep -vx 0
	pgrep -f "^[^ ]*pprofil top sh .* $out\$" | grep -vx "$1"
}

# The thread that looks up names.
other_thread() { ls "/proc/$1/task" | grep -vx "$1"; }

begin() { # NAME attached|launched
	name="$1, $2" kind=$2 out=$work/run$((number = ${number-0} + 1))
	if [ "$kind" = attached ]; then
		[ -n "$target" ] || "$targets/phases" 1000 >/dev/null &
		target=${target:-$!}
		pid=$target
		screen_start 24 80 sh "$work/shell" "$out" "$pprofil" top -p "$target"
	else
		screen_start 24 80 sh "$work/shell" "$out" "$pprofil" top sh "$work/printer" "$out"
		screen_until test -s "$out.pid" || fail "$name" "it did not start"
		pid=$(cat "$out.pid")
	fi
}
# Checks what must hold after any ending. The program ends only after that.
finish_target() {
	if screen_until is_free "$pid"; then pass "$name: target free"; else expect_free "$name: target free" "$pid"; fi
	if runs_on "$pid"; then pass "$name: target runs"; else fail "$name: target runs" "no CPU time"; fi
	if [ "$kind" = launched ]; then
		: >"$out.stop"
		screen_until is_gone "$pid"
		expect "$name: its output undisturbed" stopped "$(cat "$out")"
	fi
	# shellcheck disable=SC2086
	if screen_until are_gone $others; then pass "$name: nothing of ours is left"; else
		# shellcheck disable=SC2086
		fail "$name: nothing of ours is left" "$(ps -o pid,args $others)"
	fi
}
expect_terminal() {
	screen_expect "$name: back in the shell" '^back in the shell'
	expect "$name: the terminal's settings" "$(cat "$out.before")" "$(cat "$out.after")"
	expect "$name: screen, cursor, mouse" "0 1 0" \
		"$(screen_value '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')"
	expect "$name: status" "$1" "$(cat "$out.status")"
}

# --- in order ---------------------------------------------------------------------------------

for kind in attached launched; do
	for way in q C-c TERM HUP SEGV SEGV-of-its-thread; do
		begin "$way" $kind
		screen_expect "$name: it is watched" '^ +[0-9.-]+ .*(phase_|sh|libc)'
		top=$(cat "$out.top")
		others=$(helpers "$top" "$pid")
		case $way in
		q | C-c) screen_keys $way ;;
		SEGV-of-its-thread) "$targets/tgkill" 11 "$top" "$(other_thread "$top")" ;;
		*) kill -"$way" "$top" ;;
		esac
		case $way in SEGV*) expect_terminal 139 ;; *) expect_terminal 0 ;; esac
		if [ "${way#SEGV}" = "$way" ]; then
			screen_history >"$work/summary"
			expect_text "$name: the summary is there" '^# [0-9]+ samples?,' "$work/summary"
			expect_text "$name: it has functions" '^ *[0-9]+\.[0-9]+ .* (phase_|[a-z_]+)' "$work/summary"
		fi
		finish_target
	done
done

for way in USR1 ALRM XCPU; do
	begin "$way" attached
	screen_expect "$name: it is watched" '^ .*phase_'
	top=$(cat "$out.top")
	others=$(helpers "$top" "$pid")
	kill -"$way" "$top"
	expect_terminal 0
	finish_target
done

# the program has ended before: its status counts
begin q launched
screen_expect "ended: it is watched" '^ +[0-9.-]+ .*(sh|libc)'
: >"$out.stop"
screen_expect "ended: said" 'program ended: exit status 4'
screen_keys q
expect_terminal 4

# --- the terminal goes ------------------------------------------------------------------------

for kind in attached launched; do
	begin "terminal closed" $kind
	screen_expect "$name: it is watched" '^ +[0-9.-]+ .*(phase_|sh|libc)'
	top=$(cat "$out.top")
	others="$(helpers "$top" "$pid") $top"
	screen_stop
	finish_target
done

# --- stopped and continued --------------------------------------------------------------------

begin "stopped" attached
screen_expect "$name: it is watched" '^ .*phase_'
top=$(cat "$out.top")
others=$(helpers "$top" "$pid")
kill -STOP "$top"
if runs_on "$pid"; then pass "$name: target runs"; else fail "$name: target runs" "no CPU time"; fi
kill -CONT "$top"
screen_keys '?'
screen_expect "$name: goes on" '^Keys '
screen_keys q q
expect_terminal 0
finish_target

# In a shell with job control: the shell gets the terminal back, and top takes it again. In the
# background top waits for it.
name="suspended"
screen_start 24 80 bash --norc --noprofile -i
screen_type "PS1='sh> '; stty -g >$work/before"
screen_keys Enter
screen_type "$pprofil top $targets/phases 1001.$$" # $target has another number
screen_keys Enter
screen_expect "$name: it is watched" '^ .*phase_'
top=$(pgrep -f "^[^ ]*pprofil top $targets/phases 1001.$$" | head -n 1)
pid=$(pgrep -f "^$targets/phases 1001.$$")
kind=attached others=$(sed -n 's/^TracerPid:.//p' "/proc/$pid/status")
for way in C-z TSTP; do
	name="suspended by $way"
	case $way in C-z) screen_keys C-z ;; *) kill -"$way" "$top" ;; esac
	screen_expect "$name: back in the shell" 'Stopped'
	expect "$name: screen, cursor, mouse" "0 1 0" \
		"$(screen_value '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')"
	screen_type "clear; stty -g | cmp - $work/before && echo the same"
	screen_keys Enter
	screen_expect "$name: the terminal's settings" '^the same'
	if runs_on "$pid"; then pass "$name: target runs"; else fail "$name: target runs" "no CPU time"; fi
	screen_type 'bg; sleep 0.3; clear; fg'
	screen_keys Enter
	screen_expect "$name: goes on" '^pprofil top ' # a long path leaves no room for the program's name
	screen_keys '?'
	screen_expect "$name: takes keys" '^Keys '
	screen_keys q
	screen_expect_gone "$name: obeys them" '^Keys ' # a stop discards keys that were not read
	expect "$name: screen, cursor" "1 0" "$(screen_value '#{alternate_on} #{cursor_flag}')"
done
screen_keys q
screen_expect "suspended: ends" '^# [0-9]+ samples?,'
finish_target
kill "$pid"

# without a shell that would continue it, top does not stop
screen_start 24 80 "$pprofil" top -p "$target"
screen_expect "no shell: it is watched" '^ .*phase_'
screen_keys C-z
screen_keys '?'
screen_expect "no shell: goes on" '^Keys '
screen_keys q q
screen_expect_end "no shell: ends" 0

# --- the supervisor hangs ---------------------------------------------------------------------

begin "supervisor hangs" attached
screen_expect "$name: it is watched" '^ .*phase_'
top=$(cat "$out.top")
others=$(helpers "$top" "$pid")
kill -STOP "$(sed -n 's/^TracerPid:.//p' "/proc/$pid/status")"
screen_expect "$name: that nothing comes is said" '^no news of the supervisor for [0-9]+ s'
screen_keys q
screen_expect "$name: that it waits is said" '^pprofil: waiting for the supervisor'
expect_terminal 0 # the supervisor has 10 s to answer
screen_expect "$name: that it was ended is said" '^pprofil: the supervisor hung, and was ended'
finish_target

# --- killed -----------------------------------------------------------------------------------

bad=0
for i in $(seq "$kills"); do
	[ $((i % 2)) = 0 ] && kind=attached || kind=launched
	begin "kill" $kind
	screen_until test -s "$out.top"
	top=$(cat "$out.top")
	# at any time from the start to well into the second window
	sleep "$(awk -v seed="$i$$" 'BEGIN { srand(seed); print rand() * 1.3 }')"
	others=$(helpers "$top" "$pid")
	kill -9 "$top"
	failures_before=$failures
	finish_target >"$work/said"
	[ "$failures" = "$failures_before" ] && continue
	grep '^FAIL' "$work/said" | sed "s/^FAIL/    kill $i:/"
	failures=$failures_before bad=$((bad + 1))
done
expect "$kills kills at any time: targets harmed, or helpers left" 0 "$bad"
finish
