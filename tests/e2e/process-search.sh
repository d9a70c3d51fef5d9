#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which processes are attached to: by name, pattern, user, control group, and their children.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# programs of names that no other process has: this test's own
name=pp$$
mkdir "$work/bin"
cp "$targets/phases" "$work/bin/$name-worker"
cp "$targets/phases" "$work/bin/$name-other"
long=$name-with-a-name-that-is-cut-off
cp "$targets/phases" "$work/bin/$long"
cat >"$work/$name-script.sh" <<'END'
while :; do :; done
END
started=
start() { "$@" >/dev/null & started="$started $!" last=$!; }
trap 'kill $started 2>/dev/null; pkill -f "$work/bin" 2>/dev/null; rm -rf "$work"' EXIT
start "$work/bin/$name-worker" 300
first=$last
start "$work/bin/$name-worker" 300
second=$last
start "$work/bin/$name-other" 300
other=$last
start "$work/bin/$long" 300
cut=$last
start sh "$work/$name-script.sh"
script=$last
# tail is not an interpreter, so its argument is not a script
start tail "$work/$name-script.sh" -f
start sh -c "'$work/bin/$name-worker' 300; :"
parent=$last
child_runs() { child=$(pgrep -P "$parent" -x "$name-worker"); }
await child_runs

# found NAME EXPECTED OPTIONS...: the processes that are attached to are those with the numbers EXPECTED
found() {
	what=$1 expected=$(echo $2 | tr ' ' '\n' | sort -n | tr '\n' ' ')
	shift 2
	"$pprofil" -q -d 0.2 -f json -o "$work/found.json" "$@" >"$work/out" 2>"$work/err"
	got=$(sed -n 's/^{"pid":\([0-9]*\),"comm".*/\1/p' "$work/found.json" | sort -nu | tr '\n' ' ')
	expect "$what" "$expected" "$got"
	rm -f "$work/found.json"
}
found "a name" "$first $second $child" -p "$name-worker"
found "several names" "$first $second $child $other" -p "$name-worker,$name-other"
found "names and numbers" "$other $first" -p "$name-other,$first"
found "-p twice" "$other $cut" -p "$other" -p "$cut"
found "a name that the kernel cuts off" "$cut" -p "$long"
found "a script" "$script" -p "$name-script.sh"
found "a pattern of the command line" "$script" -p "sh *$name-script*"
found "a pattern of names" "$first $second $child $other $cut" -p "$name-*"
found "of a user" "$other" -u "$(id -un)" -p "$name-other"
found "of a user's number" "$other" -u "$(id -u)" -p "$name-other"
found "a parent alone" "$parent" -p "$parent"
found "with its children" "$parent $child" -p "$parent" --children
group=$(sed -n 's/^0:://p' "/proc/$other/cgroup")
found "in a control group" "$other" --cgroup "$group" -p "$name-other"
found "numbers that meet the conditions" "$other $parent" -p "$other,$parent" --cgroup "$group" -u "$(id -u)"
digits=$work/bin/7z$$
cp "$targets/phases" "$digits"
start "$digits" 300
found "a name that begins with a digit" "$last" -p "7z$$"
numbers=$(seq -s, 4000001 4001500)
expect "many numbers: status" 125 "$(status_of "$pprofil" -d 0.2 -p "$numbers")"
expect_text "many numbers" 'at most [0-9]* processes' "$work/err"
"$pprofil" top -b -n 1 -d 0.3 -p "$name-other" >"$work/frame" 2>"$work/err"
expect_text "top, too" "PID $other" "$work/frame"

# who was found is said
"$pprofil" -d 0.2 -p "$name-worker" >"$work/out" 2>"$work/err"
expect_text "several of one name are listed" "^pprofil: 3 processes: .*$first $(id -un) [^;]*$name-worker 300" "$work/err"
"$pprofil" -d 0.2 -p "$name-other" >"$work/out" 2>"$work/err"
expect "one is not" 0 "$(grep -c ' processes: ' "$work/err")"
"$pprofil" -d 0.2 -f csv -p "$name-worker" >"$work/out" 2>"$work/err"
expect "CSV says nothing about that" "" "$(cat "$work/err")"
expect "the report goes to standard output" 1 "$(head -n 1 "$work/out" | grep -c '^share,')"
"$pprofil" -d 0.2 -p "$other" >"$work/out" 2>"$work/err"
expect_text "the head of a number has a name" "^# pprofil: -p $other \($name-" "$work/out"

# the message about children
"$pprofil" -d 0.2 -p "$parent" >"$work/out" 2>"$work/err"
expect_text "children that are left out are said" 'child process .*--children' "$work/err"
expect "children that use no CPU time are not said to use it" 0 "$(grep -c 'left out used' "$work/err")"
start sh -c "sh -c 'while :; do :; done; :'; :"
grandparent=$last
spins() { spinner=$(pgrep -P "$grandparent"); }
await spins
"$pprofil" -d 1.5 -p "$grandparent" >"$work/out" 2>"$work/err"
expect_text "busy children that are left out are said" 'left out used [0-9.]* s of CPU time.*--children' "$work/err"
"$pprofil" -d 1 --children -p "$grandparent" >"$work/out" 2>"$work/err"
expect "children that are taken are not said" 0 "$(grep -c 'left out' "$work/err")"
"$pprofil" -q -d 1 -p "$grandparent" >"$work/out" 2>"$work/err"
expect "-q says nothing" "" "$(cat "$work/err")"
kill "$spinner" "$grandparent"
"$pprofil" -d 0.2 -p "$name-other" >"$work/out" 2>"$work/err"
expect_text "the head says what was asked for" "^# pprofil: -p $name-other \(1 process\)" "$work/out"

# all processes of a user who has none that can be attached to, and of one who has some
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work" "$work/bin"
	start setpriv --reuid 65533 --clear-groups "$work/bin/$name-other" 300
	stranger=$last
	is_stranger() { [ "$(cat "/proc/$stranger/comm")" = "$name-other" ]; }
	await is_stranger
	found "all processes of a user" "$stranger" -a -u 65533
	found "-u alone means the same" "$stranger" -u 65533
	found "of this user only" "$other" -u "$(id -un)" -p "$name-other"
fi

# mistakes
refused() { # NAME PATTERN OPTIONS...
	what=$1 pattern=$2
	shift 2
	expect "$what: status" 125 "$(status_of "$pprofil" -d 0.2 "$@")"
	one_line "$what"
	expect_text "$what" "$pattern" "$work/err"
}
refused "a name with an error" "did you mean '$name-other'" -p "$name-othre"
refused "a name of nothing" "no process is called so" -p "$name-nothing-at-all-is-called-so"
refused "a pattern of nothing" "no process has such a name or command line" -p "$name-nothing*"
refused "an empty -p" "numbers or names" -p ''
refused "an option in its place" "numbers or names" -p -q
refused "a comma too many" "numbers or names" -p "$other,"
refused "a number that is none" "numbers or names" -p 0
refused "a user without processes" "no process matches: -u 65531" -u 65531
refused "a group that is not there" "no process matches: --cgroup $name.service" --cgroup "$name.service"
refused "a container that is not there" "no process matches: --container ffff" --container ffffffffffff0000
refused "no user" "-u needs" -u ''
refused "an unknown user" "there is no such user" -u no-such-user-here
refused "no group" "group" --cgroup '' -p "$other"
refused "no container" "container" --container '' -p "$other"
refused "the beginning of a container's number is too short" "container" --container ff
refused "a process of another user" "is none of the processes that -u" -p "$other" -u 65531
refused "children of a program" "children" --children true
refused "a program and a process" "not both" -p "$other" true
expect "names that are too long: status" 125 "$(status_of "$pprofil" -p "$(printf '%05000d' 0 | tr 0 a)")"
one_line "names that are too long"
finish
