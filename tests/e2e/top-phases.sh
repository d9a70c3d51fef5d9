#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top over time: the window follows what a program does. Frames of text. The output of a
# program, and its end.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

target=
trap 'kill $target 2>/dev/null; screen_stop; rm -rf "$work"' EXIT
often="-F 1000 --overhead=1000"

# --- the window follows -----------------------------------------------------------------------

# Among the frames the program says when phase_b begins. Before that, phase_a has most of a
# window. After that, phase_b has most of it, except for the window that was being counted, and
# some windows that were late. A frame with a function without a name, or with an empty window,
# proves nothing.
tops_are() {
	awk '/^# pprofil top/ { frame++ }
		/^b$|^phases done$/ { printf "|" }
		/phase_[ab]/ && $1 >= 50 && !top[frame]++ { sub(/.*phase_/, ""); printf "%s", substr($0, 1, 1) }' \
		"$work/frames" >"$work/tops"
	grep -Eq "$1" "$work/tops"
}
end_phase() { pkill -USR1 -P "$top" -x phases; }
"$pprofil" top -b -d 0.5 $often "$targets/phases" 300 >"$work/frames" 2>&1 & top=$!
await tops_are '^aa'
end_phase
await tops_are '[|]a*bb'
end_phase
wait $top
tops_are ''
expect_text "phases: on top, window by window" '^aa+[|]a{0,3}bb+[|][ab]*$' "$work/tops"
"$pprofil" top -b -d 0.5 $often "$targets/phases" 0.1 >"$work/frames" 2>/dev/null
expect "phases: batch's status" 0 $?

# on the screen, phase_b begins when the program is told to
screen_start 24 80 "$pprofil" top -d 0.5 $often "$targets/phases" 300
hottest_is() { screen_text | grep -E 'phase_[ab][ .]' | head -n 1 | grep -q "phase_$1"; }
for phase in a b; do
	if screen_until hottest_is $phase; then pass "phases: $phase comes to the top"; else
		screen_fail "phases: $phase comes to the top" "it does not"
	fi
	pkill -USR1 -x phases -P "$(screen_value '#{pane_pid}')"
done
screen_expect "phases: the end" 'program ended: exit status 0'
screen_keys o
screen_expect "phases: its output" '^phases done'
screen_keys q
screen_expect_end "phases: ends" 0
screen_history >"$work/summary"
expect_text "phases: the summary has both" 'phase_a' "$work/summary"
expect_text "phases: the summary has both" 'phase_b' "$work/summary"

# --- frames -----------------------------------------------------------------------------------

# the head has room for a short command only
(cd "$targets" && exec ./known-shares 6000 >/dev/null) &
target=$!
await grep -qx known-shares /proc/$target/comm
"$pprofil" top -b -n 3 -d 2 -p $target >"$work/frames" 2>"$work/err"
expect "frames: status" 0 $?
expect "frames: as many as asked for" 3 "$(grep -c '^# pprofil top' "$work/frames")"
expect "frames: nothing on standard error" "" "$(cat "$work/err")"
expect_text "frames: what was attached to is named" "[.]/known-shares.* PID $target" "$work/frames"
expect_text "frames: functions" 'spend_half' "$work/frames"
expect_free "frames: the target" $target

# the reader has gone; the disk is full
{
	"$pprofil" top -b -n 20 -d 0.1 -p $target 2>"$work/err"
	echo $? >"$work/status"
} | head -n 1 >"$work/line"
screen_until test -s "$work/status"
expect_text "closed pipe: what was read" '^# pprofil top' "$work/line"
expect "closed pipe: status" 0 "$(cat "$work/status")"
expect "closed pipe: nothing on standard error" "" "$(cat "$work/err")"
expect_free "closed pipe: the target" $target
"$pprofil" top -b -n 3 -d 0.1 -p $target >/dev/full 2>"$work/err"
expect "full disk: status" 125 $?
expect "full disk: said in one line" "pprofil: cannot write: No space left on device" "$(cat "$work/err")"
expect_free "full disk: the target" $target

# without standard descriptors, files that are opened must not get their numbers
"$pprofil" top -b -n 2 -d 0.1 -p $target <&- >"$work/frames" 2>&-
expect "no standard input and error: status" 0 $?
expect "no standard input and error: frames" 2 "$(grep -c '^# pprofil top' "$work/frames")"
"$pprofil" top -b -n 2 -d 0.1 -p $target <&- >&- 2>&-
expect "no standard descriptors: status" 125 $?
expect_free "no standard descriptors: the target" $target

# --- saving -----------------------------------------------------------------------------------

save() { # NAME
	screen_keys S
	screen_until screen_has '^save as'
	screen_type "$1"
	screen_keys Enter
}
screen_start 24 100 "$pprofil" top -p $target
screen_expect "save: it is watched" '^ .*spend_half'
echo precious >"$work/e.json"
save "$work/e.json"
screen_expect "save: asks" '^e.json exists; S again with the same name overwrites it'
expect "save: asks first" precious "$(cat "$work/e.json")"
save "$work/f.json"
screen_expect "save: says the format" '^[0-9]+ samples saved as json to /.*/f.json'
save "$work/e.json"
screen_expect "save: another name between" '^e.json exists; S again with the same name overwrites it'
save "$work/e.json"
screen_expect "save: twice means it" '^[0-9]+ samples saved as json to /.*/e.json'
save "$work/e.gmon"
screen_expect "save: another format" '^[0-9]+ samples saved as gmon to /.*/e.gmon'
save -
screen_expect "save: not to -" '^not saved: the screen is on standard output'
save "$work"
screen_expect "save: not to a directory" '^not saved: Is a directory: /'
save /dev/full
screen_expect "save: not to a full disk" '^not saved: No space left on device: /dev/full'
screen_keys q
screen_expect_end "save: ends" 0
kill $target
wait $target 2>/dev/null
target=

"$pprofil" top -b -d 0.2 sh -c 'echo words; exit 7' >"$work/frames" 2>"$work/err"
expect "frames: the program's status" 7 $?
expect "frames: its output is on standard error" words "$(cat "$work/err")"
"$pprofil" top -b -d 0.2 no-such-program >"$work/frames" 2>"$work/err"
expect "frames: no such program" 127 $?
"$pprofil" top -b -n 0 -p $$ >"$work/frames" 2>"$work/err"
expect "frames: none asked for" 125 $?

# --- a program's output -----------------------------------------------------------------------

cat >"$work/noisy" <<'END'
printf 'plain\n'
printf '\033[31;1mred\033[0m and \033]0;title\007titled \033[2J\033[Hhome \033(0lqk\033(B\n'
printf 'progress 10\rprogress 20\rprogress 99\n'
printf 'back\b\b\b\bover\n'
printf 'tab\there\n'
printf 'long '
i=0; while [ $((i += 1)) -le 300 ]; do printf '0123456789 %03d ' $i; done; printf 'END-OF-LONG\n'
head -c 3000 "$1" | tr -d '\n'; echo
printf '\377\376\200 broken \303 utf\n\303\244 umlaut \344\275\240 wide\n'
printf '\033[5;5Hnowhere \016 \017 \033P1$r\033\\after \233 end\n'
printf '\033c\033[?1049h\033[?1000h\033[r\007last line\n'
[ -t 1 ] && echo a terminal
read line || echo no input
printf 'unfinished'
exit 3
END
text_is() { [ "$(screen_text)" = "$1" ]; }
for size in 24x80 10x40; do
	screen_start "${size%x*}" "${size#*x}" "$pprofil" top sh "$work/noisy" "$targets/known-shares"
	screen_keys o
	screen_expect "$size output: its end" '^unfinished'
	screen_expect "$size output: status" 'program ended: exit status 3'
	screen_has '^a terminal' && pass "$size output: a terminal" || screen_fail "$size output: a terminal" none
	screen_keys g
	screen_expect "$size output: the first line" '^plain'
	screen_expect "$size output: no escapes" '^red and titled home'
	screen_expect "$size output: carriage returns" '^progress 99$'
	screen_has 'progress [12]0' && screen_fail "$size output: overwritten" "it is there"
	screen_expect "$size output: the header is unharmed" '(^|  )sh /.*(noisy|/no…|…) .*0:00:0'
	screen_keys /
	screen_type 'umlaut'
	screen_keys Enter
	screen_expect "$size output: UTF-8" '^ä umlaut 你 wide'
	screen_keys k
	screen_expect "$size output: what is none" 'broken .* ?utf'
	screen_keys G
	screen_expect "$size output: the last line" '^unfinished$'
	before=$(screen_text)
	screen_keys C-l '?'
	screen_expect "$size output: drawn anew" '^Keys '
	screen_keys '?'
	screen_expect "$size output: back" '^unfinished$'
	screen_until text_is "$before"
	expect "$size output: nothing is left over" "$before" "$(screen_text)"
	screen_keys q
	screen_expect_end "$size output: the program's status" 3
done

# --- its end ----------------------------------------------------------------------------------

# long enough for a sample
screen_start 24 80 "$pprofil" top sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done; kill -SEGV $$'
screen_expect "killed: shown" 'program ended: killed by SIGSEGV'
screen_keys 4
screen_expect "killed: in the processes" 'SIGSEGV +sh'
screen_keys q
screen_expect_end "killed: status" 139

# a program ends before a process that it started: the screen goes on until that has ended, too
# shellcheck disable=SC2016
printf '%s ${1-300} & echo $! >%s; exit 3\n' "$targets/phases" "$work/child" >"$work/parent"
screen_start 24 80 "$pprofil" top -d 0.5 $often sh "$work/parent"
screen_expect "in part: said" 'program ended: exit status 3, 1 process goes on'
if screen_until hottest_is a; then pass "in part: it is sampled"; else
	screen_fail "in part: it is sampled" "it is not"
fi
kill -USR1 "$(cat "$work/child")"
if screen_until hottest_is b; then pass "in part: the screen goes on"; else
	screen_fail "in part: the screen goes on" "it does not"
fi
kill -USR1 "$(cat "$work/child")"
screen_expect "in part: the end" 'program ended: exit status 3  '
for key in x w + -; do
	screen_keys $key
	screen_expect "in part: $key comes too late" 'the program has ended'
	screen_keys Escape
done
screen_expect "in part: nothing has changed" 'CPU time .*window'
screen_expect "in part: nothing has changed" '1000 asked'
screen_keys 6
screen_expect "in part: lines are looked up" 'phases\.c:[0-9]'
screen_keys q
screen_expect_end "in part: status" 3
"$pprofil" top -b -d 0.5 $often sh "$work/parent" 3 >"$work/frames" 2>/dev/null
expect "in part: batch's status" 3 $?
expect_text "in part: frames until all has ended" 'phase_b' "$work/frames"

screen_start 24 80 "$pprofil" top no-such-program
screen_expect_end "no such program: status" 127
screen_expect "no such program: said" 'no-such-program: No such file'
finish
