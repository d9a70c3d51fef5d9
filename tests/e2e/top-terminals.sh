#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top on several kinds of terminals: without UTF-8, with 256 colours and without, with few
# keys, and with the mouse of xterm.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"
. "${abs_srcdir:-.}/tests/e2e/top-screen.sh"

expect_none() { # the file is empty
	if [ -s "$2" ]; then fail "$1" "$(head -c 200 "$2" | od -c | head -n 5)"; else pass "$1"; fi
}
coloured() { grep -oE "$escape\\[[0-9;]*[34]8;5;[0-9]+[0-9;]*m|$escape\\[([0-9;]*;)?[34][0-7]m"; }
tour() { # visits all views once
	: >"$work/sent"
	start_top 24x80 sh -c 'printf "\303\244\303\266 \342\202\254\n"; exec "$@"' sh "$targets/long-lists" 300 40
	must screen_until has_target
	record
	must is_full
	screen_keys C-l
	for i in 2 3 4 5 6; do
		screen_keys $i
		must view_is "$i [a-z]+"
		must has_stopped
	done
	screen_keys 1
	must view_is '1 functions|functions'
	screen_keys o
	must screen_has '^output of'
	must screen_has 'line 0040'
	screen_keys o '?'
	must screen_has '^Keys '
	screen_keys '?'
	must screen_lacks '^Keys '
	screen_colours >"$work/screen"
	[ "$step_failed" != 0 ] || pass "$1: all views seen"
	step_failed=0
}
leave() {
	screen_tmux pipe-pane # the report after it is not on the screen
	screen_keys q
	screen_expect_end "$1: ends" 0
	screen_history >"$work/summary"
	stop_many
}
size=24x80 bound=tour action='its views'
screen_term=xterm-256color screen_locale=C screen_no_color=
tour "C locale"
leave "C locale"
tr -d '\000-\177' <"$work/sent" >"$work/high"
expect_none "C locale: nothing but ASCII" "$work/high"
expect_text "C locale: +-" '\+-95%' "$work/screen"
expect_text "C locale: the summary's, too" '^ self%  \+-95% ' "$work/summary"
expect "256 colours" yes "$(grep -q "38;5" "$work/screen" && echo yes)"

screen_locale=C.UTF-8 screen_no_color=1
tour NO_COLOR
leave NO_COLOR
coloured <"$work/sent" >"$work/colours"
expect_none "NO_COLOR: no colours" "$work/colours"
expect_text "UTF-8: plus-minus" '±95%' "$work/screen"
expect_text "UTF-8: the summary's, too" '^ self%   ±95% ' "$work/summary"

screen_term=vt100 screen_no_color=
tour vt100
hold
is_below() { [ "$(selected_line)" -gt 8 ]; }
screen_keys NPage # the description of this terminal lacks it
must is_below
must view_is '1 functions'
screen_tmux pipe-pane
screen_keys F10
screen_expect_end "vt100: F10 ends it" 0
stop_many
coloured <"$work/sent" >"$work/colours"
expect_none "vt100: no colours" "$work/colours"

# mouse events in the encoding of xterm
screen_term=xterm-256color screen_no_color=1 place=table bound=mouse action='what it points at'
screen_is_sorted() { screen_text | sed -n '7,23p' | awk '{print $(NF - 1)}' | sort -c 2>/dev/null; }
start_many 24x80
record
must screen_has ' 0:0([1-9]:..|0:(0[2-9]|[1-5].))$' # the list is longer than the screen now
hold
must is_at 7
must has_stopped
screen_click 10 30
must is_at 10
tenth=$(screen_line 10)
screen_click 10 30 65
must line_is 7 "$tenth"
must is_at 7
screen_click 10 30 64
must line_is 10 "$tenth"
column=$(screen_line 6 | awk '{ print index($0, "function") + 1 }')
screen_click 6 "$column"
must screen_is_sorted
[ "$step_failed" != 0 ] || pass "xterm: mouse selects, scrolls and sorts"
leave "xterm"
finish
