# SPDX-License-Identifier: LGPL-2.1-or-later
# The screen of pprofil top: where its selection is, and how to reach each of its pages. Sourced
# after tmux.sh. The target is long-lists, whose 300 functions work_000 to work_299 fill any
# table. A test has one screen of $size on the page $place, which is one of table, code, output,
# processes and help. It tries the key $bound, whose action is $action.
target=
narrowed=
measured=
first=
held=
quick=
step_failed=0
size=24x80 place=table bound='' action=''
napping=97$$ # seconds that no other process sleeps for
escape=$(printf '\033')
trap 'stop_many; screen_stop; rm -rf "$work"' EXIT

# --- what is on the screen --------------------------------------------------------------------

# The selected line. Without colours it is reversed, and so are the titles above it.
selected_line() {
	screen_colours | awk -v escape="$escape" '
	/./ {
		first = -1
		while (match($0, escape "\\[[0-9;]*m")) {
			if (RSTART > 1 && first < 0) first = reversed
			count = split(substr($0, RSTART + 2, RLENGTH - 3), code, ";")
			if (count == 0) reversed = 0
			for (i = 1; i <= count; i++)
				if (code[i] == 7) reversed = 1
				else if (code[i] + 0 == 0 || code[i] == 27) reversed = 0
			$0 = substr($0, RSTART + RLENGTH)
		}
		if (first < 0) first = reversed
		if (first) last = NR
	}
	END { print last + 0 }'
}
# Prints "FIRST LAST ALL" of the lines that a page shows, if it says so.
shown_lines() {
	screen_text | sed -n '1,6s/.* \([0-9][0-9]*\)-\([0-9][0-9]*\) of \([0-9][0-9]*\).*/\1 \2 \3/p'
}
# Copies everything that is sent to the terminal to a file.
record() { screen_tmux pipe-pane -O "cat >>'$work/sent'"; }
# The position: a row of the screen or, without a selection, a line of the text.
position() {
	case $place in
	output | help) shown_lines | cut -d ' ' -f 1 ;;
	*) selected_line ;;
	esac
}
is_at() { [ "$(position)" = "$1" ]; }
is_not_at() { [ "$(position)" != "$1" ]; }
line_is() { [ "$(screen_line "$1")" = "$2" ]; }
is_on_line() { line_is "$(position)" "$1"; }
line_is_not() { [ "$(screen_line "$1")" != "$2" ]; }
view_is() { screen_has "\\[([0-69t] )?$1\\]"; }

# The session itself says how many samples it has: the screen might be wrong.
status() { "$pprofil" ctl "$target" status | sed -n "s/^$1 //p"; }
samples_pass() { [ "$(status samples)" -gt "$1" ]; }

# Waits for a condition of a test's step. The first failure is reported and ends the step.
must() {
	[ "$step_failed" = 0 ] || return 1
	screen_until "$@" && return
	step_failed=1
	screen_fail "$size $place: $bound does $action" "not so: $* (at $(position), first $first)"
	return 1
}

# --- going there ------------------------------------------------------------------------------

start_top() { # at a high rate, so that all functions are met soon
	size=$1
	shift
	screen_start "${size%x*}" "${size#*x}" "$pprofil" top -F 2000 --overhead=1000 "$@"
	last_line=$((${size%x*} - 1))
	held=
}
is_full() { screen_line "$last_line" | grep -q 'work_'; }
# A program that top has started outlives it, so the test ends it.
start_many() {
	stop_many
	start_top "$1" "$targets/long-lists" 300 400
	must has_target
	must view_is 'func(tions)?'
	[ -n "$quick" ] && [ "$place" != code ] || must has_many_names
}
has_many_names() { is_full && samples_pass 600; }
has_target() {
	target=$(pgrep -P "$(screen_value '#{pane_pid}')" -x long-lists)
}
stop_many() {
	[ -z "$target" ] || kill "$target" 2>/dev/null
	target=
}
# Makes the table stand still, or move again.
hold() {
	[ -z "$held" ] && [ "$place" != output ] && [ "$place" != processes ] && [ "$place" != help ] || return
	# names that are still being looked up do not enter a table that stands still
	[ "$place" != table ] || must screen_lacks ' long-lists(…|~)( |$)'
	screen_keys Space
	must screen_has PAUSED
	held=1
}
let_go() {
	[ -n "$held" ] || return
	screen_keys Space
	must screen_lacks PAUSED
	held=
}
search() {
	screen_keys /
	must screen_has '^search:'
	screen_type "$1"
	screen_keys Enter
	must screen_lacks '^search:'
}
# Narrows the picker's list to our sleepers, which keep their order, or shows all of it again.
narrow() {
	[ "$place" = processes ] && [ -z "$narrowed" ] || return
	screen_type $napping
	must screen_has "^filter: $napping"
	must screen_has '12 of'
	narrowed=1
}
widen() {
	[ "$place" = processes ] || return
	[ -z "$narrowed" ] || screen_keys Escape
	must screen_lacks "^filter: $napping"
	narrowed=
}
enter_code() {
	must is_in_code
	must screen_has 'mulq|movabsq|STEPS'
}
is_in_code() { # its name may not be known yet
	screen_has '^code of work_00' && return
	screen_keys 1 /
	screen_type work_00
	screen_keys Enter Enter
	has_stopped
	screen_has '^code of work_00'
}
enter_help() {
	screen_keys '?'
	must screen_has '^Keys '
}
enter_output() {
	screen_keys o
	must screen_has '^output of'
}
arrive() { # after a start or a failure, from any page
	step_failed=0 measured=
	if [ "$place" = processes ]; then
		narrowed=
		stop_many
		start_top "$size"
		must screen_has '[1-9][0-9]* of [0-9]+ processes'
		return
	fi
	start_many "$size"
	case $place in
	code) enter_code ;;
	output) enter_output ;;
	help) enter_help ;;
	esac
}
come_back() { # from the table
	case $place in
	code) enter_code ;;
	output) enter_output ;;
	esac
}

# --- keys -------------------------------------------------------------------------------------

press() { # the key of the table; for clicks at row $1
	case $bound in
	PgUp) screen_keys PPage ;;
	PgDn) screen_keys NPage ;;
	Backspace) screen_keys BSpace ;;
	Shift-Tab) screen_keys BTab ;;
	Esc) screen_keys Escape ;;
	Ctrl-?) screen_keys "C-$(echo "${bound#Ctrl-}" | tr '[:upper:]' '[:lower:]')" ;;
	Up | Down | Left | Right | Home | End | Enter | Tab | Space | F[1-9] | F10 | ?) screen_keys "$bound" ;;
	"Wheel up") screen_click "$last_line" 3 64 ;;
	"Wheel down") screen_click "$last_line" 3 65 ;;
	Click) screen_click "$1" 3 ;;
	"Double click") # all at once, as a slow line delivers it
		line=$(printf %x $((32 + $1)))
		set -- 1b 5b 4d 20 23 "$line" 1b 5b 4d 23 23 "$line"
		screen_tmux send-keys -H "$@" "$@"
		;;
	*) step_failed=1 && fail "$bound" "this test knows no such key" ;;
	esac
}

# Finds the first line of a list, and how far a page and half a page go.
measure() {
	hold
	narrow
	if [ "$measured" = "$place $size" ]; then
		# keys are handled in order: after these two, all keys before them have been handled
		screen_keys End
		must is_not_at "$first"
		screen_keys Home
		must is_at "$first"
		return
	fi
	screen_keys Home
	# a page that opens shows that the keys before it were handled; in the picker names are typed
	if [ "$place" = code ]; then
		screen_keys '?'
		must screen_has '^Keys '
		screen_keys '?'
		must screen_lacks '^Keys '
	fi
	measured="$place $size"
	case $place in
	output | help)
		must is_at 1
		set -- $(shown_lines)
		first=1 rows=$(($2 - $1 + 1)) most=$(($3 - rows))
		;;
	*)
		must has_stopped
		first=$(position)
		rows=$((last_line - first + 1)) most=9999
		[ "$place" != processes ] || [ "$rows" -le 12 ] || rows=12
		;;
	esac
	page=$((rows - 1)) half=$((rows / 2))
	[ "$page" -le "$most" ] || page=$most
	[ "$half" -le "$most" ] || half=$most
}
has_stopped() {
	still=$(screen_colours)
	sleep 0.05
	[ "$still" = "$(screen_colours)" ]
}
go_to() { # the line with this number, counted from the first
	screen_keys Home
	must is_at "$first"
	i=0
	while [ $((i += 1)) -le "$1" ]; do screen_keys Down; done
	must is_at $((first + $1))
}
