#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top on terminals of all sizes. Each key that pprofil top --list-keys names does what its
# action says, on each page where it is valid. top-calls.sh tests the pages of calls, and
# top-timeline.sh the time line.
#
# TOP_SIZES: sizes ROWSxCOLUMNS. Tables, where most keys are valid, are tested at all of
# them, other pages at one. TOP_THOROUGH=1: all pages at all sizes.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"
. "${abs_srcdir:-.}/tests/e2e/top-screen.sh"

sizes=${TOP_SIZES:-10x40 60x200}
thorough=${TOP_THOROUGH:-0}

# --- the table of keys: lines "place key action" with tabs between --------------------------------
tab=$(printf '\t')
"$pprofil" top --list-keys >"$work/keys"
expect "the key table: bindings" "" "$(grep -Ev "^[^$tab]+$tab[a-z,]+$tab[a-z-]+$tab[^$tab]+\$" "$work/keys")"
awk -F '\t' -v OFS='\t' '{
	count = split($2, place, ",")
	gsub(/-/, "_", $3)
	for (i = 1; i <= count; i++)
		print place[i], $1, $3
}' "$work/keys" | grep -Ev '^(calls|flame|timeline)' >"$work/bindings"
expect "the key table: places" "code help output processes table" \
	"$(cut -f 1 "$work/bindings" | sort -u | tr '\n' ' ' | sed 's/ $//')"

# --- what each action does --------------------------------------------------------------------
. "${abs_srcdir:-.}/tests/e2e/top-key-moves.sh"

do_output() {
	press
	case $place in
	output)
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
do_search() {
	if [ "$place" = processes ]; then
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
	case $place in table) word=work_1 ;; code) word=mul ;; output) word='9 abc' ;; esac
	search "$word"
	must is_on_match
}
is_on_match() {
	at=$(position)
	case $place in
	output) [ $((at % 10)) = 9 ] ;;
	*) screen_line "$at" | grep -q "$word" ;;
	esac
}
do_search_next() {
	look_for
	start=$(position)
	before=$(screen_colours)
	press
	must screen_is_not "$before"
	must is_on_match
	[ "$place" != output ] || must is_at $((start + 10))
	screen_keys Escape
	come_back_from_search
}
screen_is_not() { [ "$(screen_colours)" != "$1" ]; }
do_search_previous() {
	look_for
	was=$(position)
	now=$(screen_line "$was")
	screen_keys n
	must has_stopped
	press
	must is_on_match
	[ "$place" != output ] || must is_at "$was"
	[ "$place" = output ] || must is_on_line "$now"
	come_back_from_search
}
come_back_from_search() { # Escape leaves pages; in the table it only ends the marking of matches
	case $place in code | output)
		screen_keys 1
		must view_is 'func(tions)?'
		come_back
		;;
	esac
}
do_sort() {
	let_go
	press
	must screen_has '^sorted by '
}
samples_are() { [ "$(status samples)" "$@" ]; }
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$target/stat"; }
# Are between LEAST and MOST samples taken for each second of CPU time?
counts_at() { # LEAST MOST
	counted=$(status samples) ticks=$(cpu_ticks)
	sleep 0.5
	counted=$(($(status samples) - counted)) ticks=$(($(cpu_ticks) - ticks))
	[ "$ticks" -gt 0 ] && [ $((counted * 100 / ticks)) -ge "$1" ] && [ $((counted * 100 / ticks)) -le "$2" ]
}
# without the line of messages, and without places of definition, which may come while the display is held still
rows() { screen_text | sed '1,7d;$d;s/ *[^ ]*\.[cS]:[0-9]*$//'; }
rows_are() { [ "$(rows)" = "$1" ]; }
rows_are_not() { [ "$(rows)" != "$1" ]; }
seconds_shown() { screen_text | awk '/ [^ ]*\/long-lists$/ { print $5 }'; } # of the program, by object
seconds_pass() { [ "$(seconds_shown | tr -d .)" -ge $(($(echo "$1" | tr -d . | sed 's/^0*//') + $2)) ]; }
do_names() {
	let_go
	press
	must screen_has '^whole names of functions'
	press
	must screen_has '^names of functions that fit'
}
do_mark() {
	widen # a blank is typed into a filter
	press
	must screen_has ', 1 marked'
	unmark
}
do_mark_children() {
	narrow
	press
	must screen_has ', 1 marked'
	unmark
}
do_mark_all() {
	narrow
	press
	must screen_has ', 12 marked'
	press
	must screen_lacks ' marked$'
}
# The key marks all if one has no mark, so a process that has just begun lets it mark all again.
all_unmarked() {
	screen_lacks ' marked$' && return
	screen_keys C-a
	sleep 0.3
	screen_lacks ' marked$'
}
unmark() { must all_unmarked; }
do_pause() {
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
	[ "$place" != table ] || [ "$size" = 10x40 ] || pause_seconds
}
pause_seconds() { # CPU time that passes during a pause is shown at once after it
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
do_clear() {
	let_go
	must samples_pass 1000
	counted=$(status samples)
	press
	must screen_has '^all counts are cleared'
	must samples_are -lt "$counted"
	must samples_pass $(($(status samples) + 300))
}
do_sample() {
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
do_faster() {
	press
	must screen_has '5000 asked|/5000 Hz'
	must counts_at 1 6000
	screen_keys -
	must screen_has '2000 asked|/2000 Hz'
}
do_slower() {
	press
	must screen_has '1000 asked|/1000 Hz'
	must counts_at 1 1400
	screen_keys +
	must screen_has '2000 asked|/2000 Hz'
}
do_wall() { # sleeping threads get time, and lose it again
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
do_window() {
	press
	must screen_has '^windows of 2 s'
	screen_keys d d d d
	must screen_has '^windows of 1 s'
}
do_save() {
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
do_help() {
	widen
	press
	if [ "$place" = help ]; then
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
# Drawing anew removes what another program has written to the terminal.
do_redraw() {
	must is_stray_shown
	press
	must screen_lacks 'STRAY'
}
# No shell here would continue top, so it does not stop. top-leave.sh has the rest.
do_suspend() { do_redraw; }
do_quit() {
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
	# the keys that quit are last, because top starts anew after each
	while IFS=$tab read -r _ bound action <&3; do
		[ "$step_failed" = 0 ] || arrive
		tried=$((tried + 1))
		if command -v "do_$action" >/dev/null; then "do_$action"; else
			fail "$place: $bound" "no test of what $action does"
		fi
	done 3<<-END
		$(grep "^$place$tab" "$work/bindings" | grep -v "${tab}quit$")
		$(grep "^$place$tab" "$work/bindings" | grep "${tab}quit$")
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
	try_place table "$i"
	[ "$thorough" = 0 ] || for place in code output processes help; do try_place $place "$i"; done
done
if [ "$thorough" = 0 ]; then
	try_place code "$1"
	try_place help "$1"
	try_place output "${2-$1}"
	try_place processes "${2-$1}"
fi
stop_many
finish
