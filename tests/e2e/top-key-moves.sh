# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests of the keys of pprofil top that move the selection, and of those that lead to another page or view. Sourced by
# top-keys.sh after top-screen.sh.

few() { # a number of lines, or as many as there are
	if [ "$1" -le "$most" ]; then echo "$1"; else echo "$most"; fi
}
do_up() {
	measure
	case $bound in Wheel*) do_scroll_up && return ;; esac
	go_to "$(few 2)"
	press
	must is_at $((first + $(few 2) - 1))
}
do_down() {
	measure
	case $bound in Wheel*) do_scroll_down && return ;; esac
	go_to 0
	press
	must is_at $((first + 1))
}
# Scrolls by three lines. In a list that is shorter than the screen, the selection moves instead.
do_scroll_down() {
	go_to 0
	fourth=$(screen_line $((first + 3)))
	press
	case $place in
	output | help) must is_at $((first + $(few 3))) ;;
	*) if is_short; then must is_at $((first + 3)); else must line_is "$first" "$fourth"; fi ;;
	esac
}
is_short() { [ -z "$(screen_line "$last_line")" ]; }
do_scroll_up() {
	case $place in
	output | help)
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
do_page_down() {
	measure
	press
	must is_at $((first + page))
}
do_page_up() {
	measure
	screen_keys NPage
	must is_at $((first + page))
	press
	must is_at "$first"
}
do_half_down() {
	measure
	press
	must is_at $((first + half))
}
do_half_up() {
	measure
	screen_keys NPage
	must is_at $((first + page))
	press
	must is_at $((first + page - half))
}
do_first() {
	measure
	top=$(screen_line "$first")
	screen_keys End
	must is_not_at "$first"
	press
	must is_at "$first"
	case $place in table | code) must line_is "$first" "$top" ;; esac
}
do_last() {
	measure
	top=$(screen_line "$first")
	press
	case $place in
	output | help) must is_at $((first + most)) ;;
	processes) must is_at $((first + rows - 1)) ;;
	*) must is_at "$last_line" && must line_is_not "$first" "$top" ;;
	esac
}
do_right() {
	measure
	line=$([ "$place" = output ] && echo 9 || echo $((first + 2)))
	before=$(screen_line "$line")
	press
	must line_is_not "$line" "$before"
	screen_keys Left # the next key is judged by what is there now
	must line_is "$line" "$before"
}
do_left() {
	measure
	line=$([ "$place" = output ] && echo 9 || echo $((first + 2)))
	before=$(screen_line "$line")
	screen_keys Right
	must line_is_not "$line" "$before"
	press
	must line_is "$line" "$before"
}
do_select() { # a click
	measure
	press $((first + 2))
	must is_at $((first + 2))
	sleep 0.5 # or the next click makes a double click of it
}
do_enter() {
	if [ "$place" = processes ]; then
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
do_back() {
	case $place in
	table)
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
	help)
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
shows_view() {
	let_go
	press
	must view_is "$1"
	[ "$place" = output ] || must screen_has "$2"
	screen_keys 1
	must view_is 'func(tions)?'
	come_back
}
do_view_functions() { shows_view 'func(tions)?' 'work_'; }
do_view_objects() { shows_view 'obj(ects)?' '/long-lists$'; }
do_view_threads() { shows_view 'thr(eads)?' ' (long-lists|sleeper)( |$)'; }
do_view_processes() { shows_view 'proc(esses)?' 'long-lists'; }
do_view_syscalls() { shows_view 'sysc(alls)?' 'write'; }
do_view_lines() { shows_view 'lines?' 'long-lists\.c:[0-9]+'; }
do_view_time() { shows_view 'time' 'thread +CPU%'; }
do_view_states() { shows_view 'stat(es)?' 'running'; }
do_view_waits() { shows_view 'waits?' 'running'; }
# this target is sampled without stacks: top-calls.sh has targets with stacks
do_view_calls() {
	press
	must screen_has 'start with -g'
}
do_view_flame() { do_view_calls; }
do_callers() { do_view_calls; }
do_callees() { do_view_calls; }
do_next_view() { # from other pages it leads to the present view
	case $place in table) shows_view 'obj(ects)?' '/long-lists$' ;; *) shows_view 'func(tions)?' work_ ;; esac
}
do_previous_view() {
	case $place in table) shows_view 'lines?' 'long-lists\.c:[0-9]+' ;; *) shows_view 'func(tions)?' work_ ;; esac
}
