# SPDX-License-Identifier: LGPL-2.1-or-later
# A terminal for tests: a tmux server of our own whose screen can be read. Sourced after lib.sh.
#
#	screen_start 24 80 "$pprofil" top ./program
#	screen_expect "the program is named" 'program'
#	screen_keys Down Enter
#	screen_stop
#
# There is one screen at a time, and it ends with the script. After the program has ended, its
# exit status and its last screen remain, but not the cursor, which tmux hides.
command -v tmux >/dev/null || skip "no tmux"

# What the next screen_start gives to the program. A C locale has no UTF-8. NO_COLOR is unset
# unless screen_no_color is set.
screen_term=screen-256color
screen_locale=C.UTF-8
screen_no_color=

# The server itself needs UTF-8, whatever the program has, and reads no configuration.
screen_tmux() { LC_ALL=C.UTF-8 tmux -S "$work/tmux" -f /dev/null "$@"; }
trap 'screen_stop; rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# screen_start ROWS COLUMNS PROGRAM [ARGUMENTS...]: no argument may end in a semicolon. PROGRAM is
# started without a shell.
screen_start() {
	screen_stop
	rows=$1 columns=$2
	shift 2
	# without a status line all rows are the program's
	screen_tmux start-server \; set-option -g status off \; set-option -g remain-on-exit on \; \
		set-option -gq remain-on-exit-format '' \; set-option -g history-limit 1000 \; \
		new-session -d -x "$columns" -y "$rows" -c "$PWD" env -u NO_COLOR -u LANG -u COLUMNS \
		-u LINES "LC_ALL=$screen_locale" "TERM=$screen_term" \
		${screen_no_color:+"NO_COLOR=$screen_no_color"} "$@"
}
screen_stop() {
	[ ! -S "$work/tmux" ] || screen_tmux kill-server 2>/dev/null
	rm -f "$work/tmux"
}
# a root directory without /dev/pts has no terminals
LC_ALL=C.UTF-8 tmux -S "$work/try" -f /dev/null new-session -d true 2>"$work/log" ||
	skip "tmux cannot start: $(tail -n 1 "$work/log")"

# screen_keys KEY...: keys have the names of tmux(1): a, Enter, Escape, Up, PPage, F1, C-c, ...
# tmux sends the keys of its own kind of terminal. If those of xterm differ, they are sent
# instead.
screen_keys() {
	for key in "$@"; do
		case $screen_term:$key in
		xterm*:Home) screen_tmux send-keys -H 1b 4f 48 ;;
		xterm*:End) screen_tmux send-keys -H 1b 4f 46 ;;
		*) screen_tmux send-keys -- "$key" ;;
		esac
	done
}
# screen_type TEXT: types a text letter by letter
screen_type() { screen_tmux send-keys -l -- "$1"; }
# screen_click ROW COLUMN [BUTTON]: presses and releases a button of the mouse. ROW and COLUMN
# count from 1. Terminals number the buttons: 0 left, 64 wheel up, 65 wheel down. The encoding is
# the one of the terminal's description.
screen_click() {
	button=${3:-0}
	case $screen_term in
	xterm*)
		screen_type "$(printf '\033[<%d;%d;%dM' "$button" "$2" "$1")"
		[ "$button" -ge 64 ] || screen_type "$(printf '\033[<%d;%d;%dm' "$button" "$2" "$1")"
		;;
	*)
		at=$(printf '%x %x' $((32 + $2)) $((32 + $1)))
		# shellcheck disable=SC2086
		screen_tmux send-keys -H 1b 5b 4d "$(printf %x $((32 + button)))" $at
		# shellcheck disable=SC2086
		[ "$button" -ge 64 ] || screen_tmux send-keys -H 1b 5b 4d 23 $at
		;;
	esac
}
screen_resize() { screen_tmux resize-window -y "$1" -x "$2"; }

# The screen on standard output: as text without blanks at the ends of lines; with colours as
# escape sequences; with the lines that have scrolled off.
screen_text() { screen_tmux capture-pane -p; }
screen_colours() { screen_tmux capture-pane -p -e; }
screen_history() { screen_tmux capture-pane -p -S -; }
# screen_line ROW: one line, counted from 1
screen_line() { screen_text | sed -n "$1p"; }
# What can be seen of the cells: characters with their colours and attributes. A blank has no
# colour of letters.
screen_cells() {
	screen_colours | awk -v escape="$(printf '\033')" '
	function apply(codes, count, code, i) {
		count = split(codes, code, ";")
		if (count == 0) bold = under = reversed = fore = back = ""
		for (i = 1; i <= count; i++) {
			if (code[i] + 0 == 0) bold = under = reversed = fore = back = ""
			else if (code[i] == 1 || code[i] == 22) bold = code[i] == 1 ? "b" : ""
			else if (code[i] == 4 || code[i] == 24) under = code[i] == 4 ? "u" : ""
			else if (code[i] == 7 || code[i] == 27) reversed = code[i] == 7 ? "r" : ""
			else if (code[i] == 38) { fore = "f" code[i + 2]; i += 2 }
			else if (code[i] == 48) { back = "g" code[i + 2]; i += 2 }
			else if (code[i] == 39) fore = ""
			else if (code[i] == 49) back = ""
			else if (code[i] % 60 >= 30 && code[i] % 60 < 38) fore = "f" code[i]
			else if (code[i] % 60 >= 40 && code[i] % 60 < 48) back = "g" code[i]
		}
	}
	{
		line = ""
		while ($0 != "") {
			if (match($0, "^" escape "\\[[0-9;]*m")) {
				apply(substr($0, 3, RLENGTH - 3))
				$0 = substr($0, RLENGTH + 1)
				continue
			}
			letter = substr($0, 1, 1)
			line = line "<" (letter == " " ? "" : bold fore) under reversed back ">" letter
			$0 = substr($0, 2)
		}
		sub(/(<> )+$/, "", line)
		print line
	}'
}
# screen_value FORMAT: a value of tmux, such as '#{pane_pid}' (the program), '#{alternate_on}',
# '#{cursor_flag}', '#{cursor_y}', '#{mouse_any_flag}' or '#{pane_height}'
screen_value() { screen_tmux display-message -p "$1"; }

screen_until() { await "$@"; }
screen_has() { screen_text | grep -Eq -- "$1"; }
screen_lacks() { ! screen_has "$1"; }
# The terminal is closed some time before the exit status is known. tmux 3.3 may leave a child
# unreaped until another one ends, so another one is started.
screen_end() {
	screen_value '#{?pane_dead_signal,signal #{pane_dead_signal},#{pane_dead_status}}'
	[ "$(screen_value '#{pane_dead}')" = 0 ] || screen_tmux run-shell true
}
screen_has_ended() { [ -n "$(screen_end)" ]; }
screen_fail() {
	fail "$1" "$2; the screen:"
	screen_text | sed 's/^/    |/'
}

# screen_expect NAME PATTERN: the pattern appears on the screen
screen_expect() {
	if screen_until screen_has "$2"; then pass "$1"; else screen_fail "$1" "no '$2'"; fi
}
# screen_expect_gone NAME PATTERN: the pattern disappears
screen_expect_gone() {
	if screen_until screen_lacks "$2"; then pass "$1"; else screen_fail "$1" "still '$2'"; fi
}
# screen_expect_end NAME STATUS: the program ends with this exit status, or by "signal 15"
screen_expect_end() {
	if screen_until screen_has_ended; then expect "$1" "$2" "$(screen_end)"; else
		screen_fail "$1" "it runs on"
	fi
}
