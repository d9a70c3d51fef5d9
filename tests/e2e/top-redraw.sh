#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top leaves nothing on the screen that does not belong there, neither after the terminal
# was resized nor after a page was opened over another and closed again.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"
. "${abs_srcdir:-.}/tests/e2e/top-screen.sh"

# Drawing the screen anew begins with clearing it.
clears() { tr '\033' '~' <"$work/sent" | grep -oE '~\[2?J' | wc -l; }
more_clears() { [ "$(clears)" -gt "$1" ]; }
# After the program's end its profile does not change. What changes when the screen is drawn anew
# was left over from before.
expect_clean() {
	must has_stopped
	before=$(screen_cells) count=$(clears)
	screen_keys C-l
	must more_clears "$count"
	if await cells_are "$before"; then pass "$size $1: clean"; else
		fail "$size $1" "not what is drawn anew"
		echo "$before" >"$work/left"
		screen_cells | diff "$work/left" - | sed 's/^/    /'
	fi
}
cells_are() { [ "$(screen_cells)" = "$1" ]; }
resize() {
	size=$1 count=$(clears)
	screen_resize "${size%x*}" "${size#*x}"
	must more_clears "$count"
	case $size in
	5x*) must screen_has '40x10 at least' ;;
	60x*) # there is room for source lines, and for functions whose lines are looked up only now
		must screen_has '^F1Help|^search:|^save as'
		must screen_lacks 'work_[0-9]+ +long-lists$'
		;;
	*) must screen_has '^F1Help|^search:|^save as' ;;
	esac
}
over() { # opened and closed again
	bound=$2 action=$1 place=any
	screen_keys "$2"
	must screen_has "$3"
	must screen_lacks 'the code is being read'
	must has_stopped
	[ "${5-}" = "" ] || expect_clean "$1"
	screen_keys "$4"
	must screen_lacks "$3"
	expect_clean "$1 closed"
}

step_failed=0 place=table bound=resize action=clean
: >"$work/sent"
screen_term=xterm-256color screen_no_color=
start_top 24x80 "$targets/long-lists" 3 40
record
must screen_has 'program ended: exit status 0'
expect_clean "ended"
for i in 10x40 60x200 5x20 24x80; do
	resize "$i"
	expect_clean "resized"
done
for i in 10x40 24x80; do
	resize "$i"
	over help '?' '^Keys ' Escape show
	over search / '^search:' Escape
	over "save's name" S '^save as' Escape
	over output o '^output of' o show
	over code Enter '^code of' BSpace show
	over threads 3 '\[[3 ]*thr' 1 show
done
# resized while the help covers the page
screen_keys '?'
must screen_has '^Keys '
for i in 60x200 5x20 10x40; do
	size=$i count=$(clears)
	screen_resize "${size%x*}" "${size#*x}"
	must more_clears "$count"
	expect_clean "help resized"
done
screen_keys Escape
resize 24x80
expect_clean "help closed"

finish
