#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The list of processes of pprofil top: several are marked, and top attaches to all of them.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

# programs of names that no other process has: this test's own
name=pp$$
mkdir "$work/bin"
cp "$targets/phases" "$work/bin/$name-one"
cp "$targets/phases" "$work/bin/$name-two"
cp "$targets/phases" "$work/bin/$name-child"
started=
start() { "$@" >/dev/null & started="$started $!" last=$!; }
trap 'screen_stop; kill $started $child 2>/dev/null; rm -rf "$work"' EXIT
start "$work/bin/$name-one" 300
one=$last
start "$work/bin/$name-two" 300
two=$last
start sh -c "'$work/bin/$name-child' 300; :"
parent=$last
child_runs() { child=$(pgrep -P "$parent" -x "$name-child"); }
await child_runs

# --- marks one by one, with a filter that changes meanwhile
screen_start 24 100 "$pprofil" top
screen_expect "a list" 'processes$'
screen_type "$name-one"
screen_expect "narrowed to one" "^ +$one .*$name-one"
screen_keys F5
screen_expect "a mark" "^\* +$one "
screen_expect "their number" '1 of [0-9]+ processes, 1 marked'
screen_keys C-u
screen_type "$name-two"
screen_expect "another one" "^ +$two .*$name-two"
screen_keys F5 Enter
screen_expect "attached to both" ' 2 PIDs '
screen_keys 4
screen_expect "the first" "$name-one"
screen_expect "the second" "$name-two"
screen_keys q
screen_expect_end "quits" 0
expect "both run on" "$one $two" "$(for pid in $one $two; do kill -0 "$pid" && printf '%s ' "$pid"; done | sed 's/ $//')"

# --- all that the filter shows
screen_start 24 100 "$pprofil" top
screen_type "bin/$name-"
screen_expect "the three, and the shell" '^pprofil top +4 of '
screen_keys C-a
screen_expect "all are marked" ', 4 marked'
screen_keys C-a
screen_expect_gone "and none again" 'marked$'
screen_keys F7 Enter
screen_expect "attached to all" ' 4 PIDs '
screen_keys q
screen_expect_end "quits, too" 0

# --- a process and its children
screen_start 24 100 "$pprofil" top
screen_type "$name-child'" # the quote is in the shell's arguments only
screen_expect "the parent" "^ +$parent .* sh -c"
screen_keys C-t
screen_expect "and its child" ', 2 marked'
screen_keys Enter
screen_expect "attached to these" ' 2 PIDs '
screen_keys 4
screen_expect "one is the child" "$name-child"
screen_keys q
screen_expect_end "quits at last" 0
screen_stop
finish
