#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A saved profile on the screen of pprofil top: all views, and none of the keys that change a running session.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

# the command stands in the title; with a long path there, what follows it would not fit
cd "$targets" || exit 1
"$pprofil" -q -g -w --overhead 100 -o "$work/saved.pb.gz" ./phases 2 1 >/dev/null
"$pprofil" -q --overhead 100 -o "$work/flat.pb.gz" ./phases 0.5 1 >/dev/null
cd "$work" || exit 1

# --- each view
screen_start 24 130 "$pprofil" top saved.pb.gz
screen_expect "its file" 'pprofil view .* saved\.pb\.gz +0:00:0'
screen_expect "how much there is" '^samples [0-9]+ +[0-9.]+ s of wall time'
screen_expect "functions, with totals and histories" '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ [▁▂▃▄▅▆▇█ ]+ phase_[ab].* phases'
screen_expect "phase_a ran first" '[0-9] +[▁▂▃▄▅▆▇█]+  +phase_a'
screen_expect "and phase_b then" '  +[▁▂▃▄▅▆▇█]+ +phase_b'
screen_keys 2
screen_expect "objects" '/phases$'
screen_keys 3
screen_expect "threads" ' TID +thread'
screen_keys 4
screen_expect "processes" 'exited 0 .*phases'
screen_keys 5
screen_expect "system calls" '\[user\]'
screen_keys 6
screen_expect "lines" 'phases\.c:[0-9]+'
screen_keys 7
screen_expect "calls" '^ *[0-9.]+ .*main'
screen_keys 8
screen_expect "a flame graph" '▏main'
screen_keys 9
screen_expect "states" ' running'
screen_keys 1
screen_keys /
screen_type phase_b
screen_keys Enter c
screen_expect "callers" 'callers of phase_b'
screen_keys 1 Enter
screen_expect "code" '^code of phase_b'
screen_keys BSpace

# --- a thread as a filter
screen_keys 3 Enter
screen_expect "a thread as a filter" '^only phases [0-9]+$'
screen_keys BSpace
screen_expect_gone "and back" '^only phases'
screen_keys 1

# --- what cannot be done with a saved profile
for key in z x + - w d; do
	screen_keys $key
	screen_expect "$key is refused" '^a saved profile does not change'
	screen_keys Down
done

# --- saved again
screen_keys S
screen_type "$work/again.folded"
screen_keys Enter
screen_expect "it can be saved in another format" 'samples saved as folded'
expect_text "the copy has its stacks" 'main;phase_a' "$work/again.folded"
screen_keys q
screen_expect_end "quits" 0
screen_text >"$work/after"
expect "nothing is printed after it" "" "$(grep -c 'self%' "$work/after" | sed 's/^0$//')"

# --- other files
screen_start 24 100 "$pprofil" view --function phase_b flat.pb.gz
screen_expect "a part of a profile without stacks" 'only --function ph'
screen_keys 7
screen_expect "calls need stacks" 'no stacks'
screen_keys q
screen_expect_end "quits again" 0
"$pprofil" convert -o flat.folded flat.pb.gz
screen_start 24 100 "$pprofil" view flat.folded
screen_expect "a file of another format" '^ +[0-9.]+ .* phase_'
screen_keys t
screen_expect "a file without times" 'does not say when its samples were taken'
screen_keys q
screen_expect_end "and again" 0
screen_stop

# --- without a terminal, and mistakes
"$pprofil" view -b saved.pb.gz >frame
expect_text "a frame of text" '^ +[0-9.]+ .*phase_a' frame
expect_text "its head" '^# pprofil view: .*, saved\.pb\.gz; 0:00:[0-9]+$' frame
expect_text "its head: threads" '^# 1 process, [0-9]+ threads?$' frame
expect "nothing of a running session" 0 "$(grep -c 'asleep\|window\|have ended' frame)"
"$pprofil" top -b saved.pb.gz >frame.top
expect "top prints the same" "$(cat frame)" "$(cat frame.top)"
echo 'no profile' >text
for bad in text missing.pb.gz; do
	expect "$bad: status" 125 "$(status_of "$pprofil" view "$bad")"
	one_line "$bad"
	expect_text "$bad is named" "$bad" "$work/err"
done
expect "nothing goes with a file: status" 125 "$(status_of "$pprofil" top saved.pb.gz x)"
one_line "nothing goes with a file"
finish
