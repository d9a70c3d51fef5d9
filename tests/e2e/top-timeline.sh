#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The time line of pprofil top: what each thread did when, and a range of time as a filter.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

"$pprofil" -q -g --overhead 100 -o "$work/saved.pb.gz" "$targets/phases" 2 1 >/dev/null
"$pprofil" -q -w -o "$work/asleep.pb.gz" "$targets/sleepers" 3 0 1 >/dev/null
cd "$work" || exit 1
cursor_time() { screen_text | sed -n 's/^\([0-9.]*\) to [0-9.]* s: .*/\1/p'; }
later() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(b != "" && b > a) }'; }
moved_on() { later "$was" "$(cursor_time)"; }
moved_back() { later "$(cursor_time)" "$was"; }
expect_moved() { if await "$2"; then pass "$1"; else fail "$1" "from $was to $(cursor_time)"; fi; }

# --- the cursor
screen_start 24 120 "$pprofil" view saved.pb.gz
screen_expect "the profile" 'phase_a'
screen_keys t
screen_expect "the ruler" '^thread +CPU% ╵0 s .*╵[0-9]+ s'
screen_expect "all threads" '^all +100\.0 .*[▁▂▃▄▅▆▇█]'
screen_expect "a thread" '^phases [0-9]+ +[0-9.]+ .*[▁▂▃▄▅▆▇█]{9}'
screen_expect "what the cursor is on" '^0\.000 to 0\.0[0-9]+ s: .*Space: begin a range'
for keys in "Right Left" "l h" "L H"; do
	was=$(cursor_time)
	screen_keys "${keys% *}"
	expect_moved "${keys% *}: later" moved_on
	was=$(cursor_time)
	screen_keys "${keys#* }"
	expect_moved "${keys#* }: earlier" moved_back
done
screen_click 7 100
was=2
expect_moved "a click moves the cursor" moved_on

# --- a range: the first and the last quarter of the run
screen_keys Space Escape
screen_expect "Esc removes the mark" 'Space: begin a range'
screen_keys H H H H H H H H H Space L L
screen_expect "a range" 'Enter: only this range'
screen_keys Enter
screen_expect "is a filter" '^only 0\.00 to [01]\.[0-9]+ s$'
screen_expect "only phase_a ran then" '^ *(9[0-9]|100)\.[0-9]+ .*phase_a'
screen_keys t
screen_expect "the time line shows the range" '╵0\.[0-9]+ s'
screen_keys BSpace BSpace
screen_expect "all is back" ' [▁▂▃▄▅▆▇█].* phase_b'
screen_keys t L L L L L L L L L Space H H Enter
screen_expect "only phase_b ran at the end" '^ *(9[0-9]|100)\.[0-9]+ .*phase_b'
screen_keys BSpace t Down Enter
screen_expect "Enter on a thread" '^only phases [0-9]+$'
screen_keys q
screen_expect_end "quits" 0

# --- sleeping threads, narrow screens
screen_start 12 60 "$pprofil" view asleep.pb.gz
screen_keys t
screen_expect "a thread that sleeps" '^sleepers [0-9]+ +[0-9.]+ .*·····'
screen_expect "what the signs mean" 'asleep'
screen_resize 30 160
screen_expect "a larger screen has more columns" '^sleepers [0-9]+ +[0-9.]+ .*(·){60}'
screen_keys q
screen_expect_end "quits" 0

# --- a running program
screen_start 24 120 "$pprofil" top --overhead 100 "$targets/phases" 60
screen_keys t
screen_expect "a running program" '^phases [0-9]+ +[0-9.]+ .*[▁▂▃▄▅▆▇█]{9}'
screen_expect "grows" '╵(5|10|20) s'
screen_keys Space L L L L L Enter
screen_expect "a range of a running program" '^only 0\.00 to'
screen_expect "has totals" '[0-9.]+ .*phase_a'
screen_keys q
screen_expect_end "quits" 0
screen_stop
finish
