#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top on terminals of all sizes: each key of the table in tui/keys.c does in each place
# what it says, and nothing is left on the screen that does not belong there.
#
# TOP_SIZES: where the keys are tried, three of ROWSxCOLUMNS; tables, which most keys are for, have
# all, and other places one. TOP_THOROUGH=1: each place has all.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

sizes=${TOP_SIZES:-10x40 24x80 60x200}
thorough=${TOP_THOROUGH:-0}
escape=$(printf '\033')
target=
napping=97$$ # seconds that nobody else sleeps
measured=
first=
quick=

# --- the table of keys: lines "number place key action" ---------------------------------------
sed -n '/^const struct key_binding key_bindings/,/^};/p' "$source/tui/keys.c" | tr -d '\n' |
	awk -v RS='{' -F ', *' '
	function places(set) {
		gsub(/ /, "", set)
		if (set == "LISTS&~KEY_IN_OUTPUT") return "TABLE CODE PICKER"
		# pages of calls are tested by tests/e2e/top-calls.sh
		gsub(/\|?CALLS|\|?KEY_IN_(CALLS|FLAME)/, "", set)
		sub(/KEY_EVERYWHERE/, "LISTS|HELP", set)
		sub(/FUNCTIONS/, "TABLE_AND_CODE", set)
		sub(/TEXTS/, "TABLE|CODE|OUTPUT", set)
		sub(/TABLE_AND_CODE/, "TABLE|CODE", set)
		sub(/LISTS/, "PAGES|PICKER", set)
		sub(/PAGES/, "TABLE|CODE|OUTPUT", set)
		gsub(/KEY_IN_/, "", set)
		gsub(/\|/, " ", set)
		return set
	}
	/ACTION_/ {
		count = split(places($2), place, " ")
		key = $1
		if (sub(/^TUI_KEY_F1 \+ /, "", key)) key = "F" (key + 1)
		if (key == "\047 \047") key = "Space"
		gsub(/[ \047]|^TUI_KEY_|[()]/, "", key)
		number++
		for (i = 1; i <= count; i++)
			print number, place[i], key, substr($3, 8) ($3 == "ACTION_VIEW" ? $4 : "")
	}' >"$work/bindings"
expect "the key table: bindings" \
	"$(grep '{.*ACTION_' "$source/tui/keys.c" | grep -Evc ', (CALLS|KEY_IN_(CALLS|FLAME)),')" \
	"$(cut -d ' ' -f 1 "$work/bindings" | uniq | wc -l)"
expect "the key table: places" "" \
	"$(grep -Ev '^[0-9]+ (TABLE|CODE|OUTPUT|PICKER|HELP) [^ ]+ [A-Z_]+$' "$work/bindings")"

# --- what is on the screen --------------------------------------------------------------------

# The line that is selected: without colours it is reversed, as titles above it are.
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
# "FIRST LAST ALL" of what a page shows, where it says so
shown_lines() {
	screen_text | sed -n '1,6s/.* \([0-9][0-9]*\)-\([0-9][0-9]*\) of \([0-9][0-9]*\).*/\1 \2 \3/p'
}
# Where one is: a line of the screen or, where nothing is selected, of the text.
position() {
	case $place in
	OUTPUT | HELP) shown_lines | cut -d ' ' -f 1 ;;
	*) selected_line ;;
	esac
}
is_at() { [ "$(position)" = "$1" ]; }
is_not_at() { [ "$(position)" != "$1" ]; }
line_is() { [ "$(screen_line "$1")" = "$2" ]; }
is_on_line() { line_is "$(position)" "$1"; }
line_is_not() { [ "$(screen_line "$1")" != "$2" ]; }
view_is() { screen_has "\\[([1-69] )?$1\\]"; }

# What is waited for in a step of a test; its first failure is told, and ends the step.
must() {
	[ "$step_failed" = 0 ] || return 1
	screen_until "$@" && return
	step_failed=1
	screen_fail "$size $place: $bound does $action" "not so: $* (at $(position), first $first)"
	return 1
}

# --- going there ------------------------------------------------------------------------------

start_top() { # SIZE ARGUMENTS...: sampled often, so that all functions are soon there
	size=$1
	shift
	screen_start "${size%x*}" "${size#*x}" "$pprofil" top -F 2000 --overhead=1000 "$@"
	last_line=$((${size%x*} - 1))
	held=
}
is_full() { screen_line "$last_line" | grep -q 'work_'; }
# A program that top has started outlives it, so that somebody has to end it.
start_many() {
	stop_many
	start_top "$1" "$targets/long-lists" 300 400
	must has_target
	must view_is 'func(tions)?'
	[ -n "$quick" ] && [ "$place" != CODE ] || must has_many_names
}
has_many_names() { is_full && samples_pass 600; }
has_target() {
	target=$(pgrep -P "$(screen_value '#{pane_pid}')" -x long-lists)
}
stop_many() {
	[ -z "$target" ] || kill "$target" 2>/dev/null
	target=
}
# A table that does not move; one that does.
hold() {
	[ -z "$held" ] && [ "$place" != OUTPUT ] && [ "$place" != PICKER ] && [ "$place" != HELP ] || return
	# names that are still looked up do not come into a table that stands still
	[ "$place" != TABLE ] || must screen_lacks ' long-lists(…|~)( |$)'
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
# The picker, its list narrowed to sleepers of ours, which stay in order; or as it was.
narrow() {
	[ "$place" = PICKER ] && [ -z "$narrowed" ] || return
	screen_type $napping
	must screen_has "^filter: $napping"
	must screen_has '12 of'
	narrowed=1
}
widen() {
	[ "$place" = PICKER ] || return
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
arrive() { # after a start or a failure: wherever one was
	step_failed=0 measured=
	if [ "$place" = PICKER ]; then
		narrowed=
		stop_many
		start_top "$size"
		must screen_has '[1-9][0-9]* of [0-9]+ processes'
		return
	fi
	start_many "$size"
	case $place in
	CODE) enter_code ;;
	OUTPUT) enter_output ;;
	HELP) enter_help ;;
	esac
}
come_back() { # from a table
	case $place in
	CODE) enter_code ;;
	OUTPUT) enter_output ;;
	esac
}

# --- keys -------------------------------------------------------------------------------------

press() { # the key of the table; mice where they are told to
	case $bound in
	PAGE_UP) screen_keys PPage ;;
	PAGE_DOWN) screen_keys NPage ;;
	BACKSPACE) screen_keys BSpace ;;
	BACK_TAB) screen_keys BTab ;;
	UP | DOWN | LEFT | RIGHT | HOME | END | ENTER | ESCAPE | TAB)
		screen_keys "$(echo "$bound" | cut -c 1)$(echo "$bound" | cut -c 2- | tr '[:upper:]' '[:lower:]')" ;;
	CONTROL?) screen_keys "C-$(echo "${bound#CONTROL}" | tr '[:upper:]' '[:lower:]')" ;;
	CTRL_?) screen_keys "C-$(echo "${bound#CTRL_}" | tr '[:upper:]' '[:lower:]')" ;;
	Space | F[1-9] | F10 | ?) screen_keys "$bound" ;;
	WHEEL_UP) screen_click "$last_line" 3 64 ;;
	WHEEL_DOWN) screen_click "$last_line" 3 65 ;;
	CLICK) screen_click "$1" 3 ;;
	DOUBLE_CLICK) # all at once, as a slow line delivers it
		line=$(printf %x $((32 + $1)))
		set -- 1b 5b 4d 20 23 "$line" 1b 5b 4d 23 23 "$line"
		screen_tmux send-keys -H "$@" "$@"
		;;
	*) step_failed=1 && fail "$bound" "this test knows no such key" ;;
	esac
}

# The first line of a list, and how far a page and half a page go.
measure() {
	hold
	narrow
	if [ "$measured" = "$place $size" ]; then
		# keys are obeyed in their order: once these two are, those before them have been, too
		screen_keys End
		must is_not_at "$first"
		screen_keys Home
		must is_at "$first"
		return
	fi
	screen_keys Home
	# once a page that is opened later is there, that key has been obeyed; names are typed in the picker
	if [ "$place" = CODE ]; then
		screen_keys '?'
		must screen_has '^Keys '
		screen_keys '?'
		must screen_lacks '^Keys '
	fi
	measured="$place $size"
	case $place in
	OUTPUT | HELP)
		must is_at 1
		set -- $(shown_lines)
		first=1 rows=$(($2 - $1 + 1)) most=$(($3 - rows))
		;;
	*)
		must has_stopped
		first=$(position)
		rows=$((last_line - first + 1)) most=9999
		[ "$place" != PICKER ] || [ "$rows" -le 12 ] || rows=12
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
go_to() { # so many lines from the first
	screen_keys Home
	must is_at "$first"
	i=0
	while [ $((i += 1)) -le "$1" ]; do screen_keys Down; done
	must is_at $((first + $1))
}

# --- what each action does --------------------------------------------------------------------

few() { # so many lines, or what there is
	if [ "$1" -le "$most" ]; then echo "$1"; else echo "$most"; fi
}
do_UP() {
	measure
	case $bound in WHEEL*) do_scroll_up && return ;; esac
	go_to "$(few 2)"
	press
	must is_at $((first + $(few 2) - 1))
}
do_DOWN() {
	measure
	case $bound in WHEEL*) do_scroll_down && return ;; esac
	go_to 0
	press
	must is_at $((first + 1))
}
# By three lines: what was there is three lines above. A list that is shorter moves its selection.
do_scroll_down() {
	go_to 0
	fourth=$(screen_line $((first + 3)))
	press
	case $place in
	OUTPUT | HELP) must is_at $((first + $(few 3))) ;;
	*) if is_short; then must is_at $((first + 3)); else must line_is "$first" "$fourth"; fi ;;
	esac
}
is_short() { [ -z "$(screen_line "$last_line")" ]; }
do_scroll_up() {
	case $place in
	OUTPUT | HELP)
		screen_keys End
		must is_at $((first + most))
		press
		must is_at $((first + most - $(few 3)))
		;;
	*)
		go_to 0
		top=$(screen_line "$first")
		screen_click "$last_line" 3 65
		if is_short; then must is_at $((first + 3)); else must line_is_not "$first" "$top"; fi
		press
		if is_short; then must is_at "$first"; else must line_is "$first" "$top"; fi
		;;
	esac
}
do_PAGE_DOWN() {
	measure
	press
	must is_at $((first + page))
}
do_PAGE_UP() {
	measure
	screen_keys NPage
	must is_at $((first + page))
	press
	must is_at "$first"
}
do_HALF_DOWN() {
	measure
	press
	must is_at $((first + half))
}
do_HALF_UP() {
	measure
	screen_keys NPage
	must is_at $((first + page))
	press
	must is_at $((first + page - half))
}
do_FIRST() {
	measure
	top=$(screen_line "$first")
	screen_keys End
	must is_not_at "$first"
	press
	must is_at "$first"
	case $place in TABLE | CODE) must line_is "$first" "$top" ;; esac
}
do_LAST() {
	measure
	top=$(screen_line "$first")
	press
	case $place in
	OUTPUT | HELP) must is_at $((first + most)) ;;
	PICKER) must is_at $((first + rows - 1)) ;;
	*) must is_at "$last_line" && must line_is_not "$first" "$top" ;;
	esac
}
do_RIGHT() {
	measure
	line=$([ "$place" = OUTPUT ] && echo 9 || echo $((first + 2)))
	before=$(screen_line "$line")
	press
	must line_is_not "$line" "$before"
	screen_keys Left # the next key is judged by what is there then
	must line_is "$line" "$before"
}
do_LEFT() {
	measure
	line=$([ "$place" = OUTPUT ] && echo 9 || echo $((first + 2)))
	before=$(screen_line "$line")
	screen_keys Right
	must line_is_not "$line" "$before"
	press
	must line_is "$line" "$before"
}
do_NONE() { # a click
	measure
	press $((first + 2))
	must is_at $((first + 2))
	sleep 0.5 # or the next click is the second of a double one
}
do_ENTER() {
	if [ "$place" = PICKER ]; then
		narrow
		must has_stopped
		press 6
		must screen_has "^(pprofil top +)?sleep $napping .*PID"
		must screen_has 'all threads sleep|no samples|waiting'
		arrive
		return
	fi
	measure
	search work_1
	press "$(position)"
	must screen_has '^code of work'
	screen_keys BSpace
	must view_is 'func(tions)?'
}
do_BACK() {
	case $place in
	TABLE)
		let_go
		screen_keys 3
		must view_is 'thr(eads)?'
		must screen_has ' (long-lists|sleeper)( |$)'
		screen_keys Enter
		must view_is 'functions'
		must screen_has '(^only|\]) .*(long-lists|sleeper) [0-9]+$'
		press
		must view_is 'thr(eads)?'
		must screen_lacks '(^only|\]) .*(long-lists|sleeper) [0-9]+$'
		screen_keys 1
		;;
	HELP)
		press
		must screen_lacks '^Keys '
		enter_help
		;;
	*)
		press
		must view_is 'func(tions)?'
		come_back
		;;
	esac
}
do_view() {
	let_go
	press
	must view_is "$1"
	[ "$place" = OUTPUT ] || must screen_has "$2"
	screen_keys 1
	must view_is 'func(tions)?'
	come_back
}
do_VIEWPPROFIL_BY_FUNCTION() { do_view 'func(tions)?' 'work_'; }
do_VIEWPPROFIL_BY_OBJECT() { do_view 'obj(ects)?' '/long-lists$'; }
do_VIEWPPROFIL_BY_THREAD() { do_view 'thr(eads)?' ' (long-lists|sleeper)( |$)'; }
do_VIEWPPROFIL_BY_PROCESS() { do_view 'proc(esses)?' 'long-lists'; }
do_VIEWPPROFIL_BY_SYSCALL() { do_view 'sysc(alls)?' 'write'; }
do_VIEWPPROFIL_BY_LINE() { do_view 'lines?' 'long-lists\.c:[0-9]+'; }
do_VIEWPPROFIL_BY_STATE() { do_view 'stat(es)?' 'running'; }
# this target is sampled without stacks: top-calls.sh has others
do_VIEWKEYS_CALLS() {
	press
	must screen_has 'start with -g'
}
do_VIEWKEYS_FLAME() { do_VIEWKEYS_CALLS; }
do_CALLERS() { do_VIEWKEYS_CALLS; }
do_CALLEES() { do_VIEWKEYS_CALLS; }
do_NEXT_VIEW() { # from other pages to the present view
	case $place in TABLE) do_view 'obj(ects)?' '/long-lists$' ;; *) do_view 'func(tions)?' work_ ;; esac
}
do_PREVIOUS_VIEW() {
	case $place in TABLE) do_view 'lines?' 'long-lists\.c:[0-9]+' ;; *) do_view 'func(tions)?' work_ ;; esac
}
do_OUTPUT() {
	press
	case $place in
	OUTPUT)
		must screen_lacks '^output of'
		enter_output
		;;
	*)
		must screen_has '^output of'
		must screen_has 'line 0400'
		screen_keys o
		must screen_lacks '^output of'
		;;
	esac
}
do_SEARCH() {
	if [ "$place" = PICKER ]; then
		widen
		press
		must is_typing
		screen_type 'no such process'
		must screen_has ' 0 of '
		screen_keys C-u
		must screen_lacks ' 0 of '
		screen_keys Escape
		must is_not_typing
		return
	fi
	press
	must screen_has '^search:'
	must is_typing
	screen_keys x Escape
	must screen_lacks '^search:'
}
is_typing() { [ "$(screen_value '#{cursor_flag}')" = 1 ]; }
is_not_typing() { [ "$(screen_value '#{cursor_flag}')" = 0 ]; }
look_for() {
	measure
	case $place in TABLE) word=work_1 ;; CODE) word=mul ;; OUTPUT) word='9 abc' ;; esac
	search "$word"
	must is_on_match
}
is_on_match() {
	at=$(position)
	case $place in
	OUTPUT) [ $((at % 10)) = 9 ] ;;
	*) screen_line "$at" | grep -q "$word" ;;
	esac
}
do_SEARCH_NEXT() {
	look_for
	start=$(position)
	before=$(screen_colours)
	press
	must screen_is_not "$before"
	must is_on_match
	[ "$place" != OUTPUT ] || must is_at $((start + 10))
	screen_keys Escape
	come_back_from_search
}
screen_is_not() { [ "$(screen_colours)" != "$1" ]; }
do_SEARCH_PREVIOUS() {
	look_for
	was=$(position)
	now=$(screen_line "$was")
	screen_keys n
	must has_stopped
	press
	must is_on_match
	[ "$place" != OUTPUT ] || must is_at "$was"
	[ "$place" = OUTPUT ] || must is_on_line "$now"
	come_back_from_search
}
come_back_from_search() { # Escape leaves pages; in the table it only ends the marking
	case $place in CODE | OUTPUT)
		screen_keys 1
		must view_is 'func(tions)?'
		come_back
		;;
	esac
}
do_SORT() {
	let_go
	press
	must screen_has '^sorted by '
}
# What is counted, by the session's own word: the screen may say anything.
status() { "$pprofil" ctl "$target" status | sed -n "s/^$1 //p"; }
samples_pass() { [ "$(status samples)" -gt "$1" ]; }
samples_are() { [ "$(status samples)" "$@" ]; }
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$target/stat"; }
# so many samples for each second of CPU time
counts_at() { # LEAST MOST
	counted=$(status samples) ticks=$(cpu_ticks)
	sleep 0.5
	counted=$(($(status samples) - counted)) ticks=$(($(cpu_ticks) - ticks))
	[ "$ticks" -gt 0 ] && [ $((counted * 100 / ticks)) -ge "$1" ] && [ $((counted * 100 / ticks)) -le "$2" ]
}
rows() { screen_text | sed '1,7d;$d'; } # but for the line of messages
rows_are() { [ "$(rows)" = "$1" ]; }
rows_are_not() { [ "$(rows)" != "$1" ]; }
seconds_shown() { screen_text | awk '/ [^ ]*\/long-lists$/ { print $5 }'; } # of the program, by object
seconds_pass() { [ "$(seconds_shown | tr -d .)" -ge $(($(echo "$1" | tr -d . | sed 's/^0*//') + $2)) ]; }
do_PAUSE() {
	let_go
	press
	must screen_has PAUSED
	must has_stopped
	shown=$(rows)
	must samples_pass $(($(status samples) + 500))
	must rows_are "$shown"
	press
	must screen_lacks PAUSED
	must rows_are_not "$shown"
	[ "$place" != TABLE ] || [ "$size" = 10x40 ] || pause_seconds
}
pause_seconds() { # held still for some CPU time, which is there at once afterwards
	screen_keys 2
	must screen_has '/long-lists$'
	press
	must screen_has PAUSED
	must has_stopped
	shown=$(seconds_shown)
	must samples_pass $(($(status samples) + 600))
	must test "$shown" = "$(seconds_shown)"
	press
	must seconds_pass "$shown" 100
	screen_keys 1
	must view_is 'func(tions)?'
}
do_CLEAR() {
	let_go
	must samples_pass 1000
	counted=$(status samples)
	press
	must screen_has '^all counts are cleared'
	must samples_are -lt "$counted"
	must samples_pass $(($(status samples) + 300))
}
do_SAMPLE() {
	let_go
	press
	must screen_has '^sampling is stopped'
	must screen_has 'sampling stopped'
	counted=$(status samples)
	sleep 0.3
	must samples_are -eq "$counted"
	press
	must screen_has '^sampling goes on'
	must screen_lacks 'sampling stopped'
	must samples_pass "$counted"
}
do_FASTER() {
	press
	must screen_has '5000 asked|/5000 Hz'
	must counts_at 1 6000
	screen_keys -
	must screen_has '2000 asked|/2000 Hz'
}
do_SLOWER() {
	press
	must screen_has '1000 asked|/1000 Hz'
	must counts_at 1 1400
	screen_keys +
	must screen_has '2000 asked|/2000 Hz'
}
do_WALL() { # those who sleep have time, and have none again
	let_go
	press
	must screen_has 'wall time'
	screen_keys 5
	must screen_has '^ +[0-9.]+ .* pause$'
	screen_keys w
	must screen_has 'CPU time'
	must screen_lacks '^ +[0-9.]+ .* pause$'
	screen_keys 1
	must view_is 'func(tions)?'
	come_back
}
do_WINDOW() {
	press
	must screen_has '^windows of 2 s'
	screen_keys d d d d
	must screen_has '^windows of 1 s'
}
do_SAVE() {
	rm -f "$work/saved.pb.gz"
	press
	must screen_has '^save as'
	must is_typing
	screen_type "$work/saved.pb.gz"
	screen_keys Enter
	must screen_has '^[0-9]+ samples saved as pprof'
	must is_saved
}
is_saved() { "$pprofil" report "$work/saved.pb.gz" 2>&1 | grep -q work_; }
do_HELP() {
	widen
	press
	if [ "$place" = HELP ]; then
		must screen_lacks '^Keys '
		enter_help
		return
	fi
	must screen_has '^Keys '
	must screen_has 'Up, k'
	screen_keys Escape
	must screen_lacks '^Keys '
}
is_stray_shown() { # a line that changes may be drawn over it
	printf '\033[5;3HSTRAY' >"$(screen_value '#{pane_tty}')"
	screen_has STRAY
}
# What another program writes to the terminal is gone then.
do_REDRAW() {
	must is_stray_shown
	press
	must screen_lacks 'STRAY'
}
# There is no shell here that would continue it, so that it goes on at once; for the rest see
# top-leave.sh.
do_SUSPEND() { do_REDRAW; }
do_QUIT() {
	widen
	press
	must screen_has_ended
	quick=1
	arrive
	quick=
}

try_place() { # PLACE SIZE
	place=$1 size=$2 tried=0
	screen_no_color=1
	step_failed=0
	arrive
	failures_before=$failures
	# quitting at the end: it starts anew each time
	while read -r _ _ bound action <&3; do
		[ "$step_failed" = 0 ] || arrive
		tried=$((tried + 1))
		if command -v "do_$action" >/dev/null; then "do_$action"; else
			fail "$place: $bound" "no test of what $action does"
		fi
	done 3<<-END
		$(grep " $place " "$work/bindings" | grep -v QUIT)
		$(grep " $place " "$work/bindings" | grep QUIT)
	END
	[ "$failures" -gt "$failures_before" ] || pass "$size $place: each of $tried keys does what it says"
}

for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	sleep $napping &
	sleepers="${sleepers-} $!"
done
# shellcheck disable=SC2086
trap 'stop_many; kill $sleepers; screen_stop; rm -rf "$work"' EXIT

set -- $sizes
for i in $sizes; do
	try_place TABLE "$i"
	[ "$thorough" = 0 ] || for place in CODE OUTPUT PICKER HELP; do try_place $place "$i"; done
done
if [ "$thorough" = 0 ]; then
	try_place CODE "$1"
	try_place HELP "$1"
	try_place OUTPUT "${2-$1}"
	try_place PICKER "${2-$1}"
fi
stop_many

# --- nothing is left on the screen ------------------------------------------------------------

# Everything that the terminal is sent goes to a file too. A screen that is drawn again is
# cleared first.
record() { screen_tmux pipe-pane -O "cat >>'$work/sent'"; }
clears() { tr '\033' '~' <"$work/sent" | grep -oE '~\[2?J' | wc -l; }
more_clears() { [ "$(clears)" -gt "$1" ]; }
# A profile whose program has ended stays as it is: what changes when it is drawn again was
# left over from before.
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

step_failed=0 place=TABLE bound=resize action=clean
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
# while something lies over it
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

# --- kinds of terminals -----------------------------------------------------------------------

expect_none() { # NAME FILE: nothing is in it
	if [ -s "$2" ]; then fail "$1" "$(head -c 200 "$2" | od -c | head -n 5)"; else pass "$1"; fi
}
coloured() { grep -oE "$escape\\[[0-9;]*[34]8;5;[0-9]+[0-9;]*m|$escape\\[([0-9;]*;)?[34][0-7]m"; }
tour() { # all there is, seen once
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
	screen_tmux pipe-pane # the report after it is not the screen's
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
screen_keys NPage # which this terminal's description does not have
must is_below
must view_is '1 functions'
screen_tmux pipe-pane
screen_keys F10
screen_expect_end "vt100: F10 ends it" 0
stop_many
coloured <"$work/sent" >"$work/colours"
expect_none "vt100: no colours" "$work/colours"

# mice as xterm tells of them
screen_term=xterm-256color screen_no_color=1 place=TABLE bound=mouse action='what it points at'
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
