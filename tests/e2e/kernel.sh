#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# --kernel: the functions of the kernel in which threads sleep are above their own. A thread that sleeps all the time
# has the stack that /proc shows.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# those who may not read kernel stacks are told so
without() { setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"; }
if [ "$(id -u)" != 0 ]; then denied=; else denied=without; fi
for command in "" "top -b -n 1"; do
	# shellcheck disable=SC2086
	expect "${command:-run} without CAP_SYS_ADMIN: status" 125 "$(status_of $denied "$pprofil" $command --kernel true)"
	one_line "${command:-run} without CAP_SYS_ADMIN"
	expect_text "${command:-run} without CAP_SYS_ADMIN: why, and what to do" 'CAP_SYS_ADMIN.*run pprofil as root' \
		"$work/err"
done
cat /proc/self/stack >/dev/null 2>&1 || skip "kernel stacks cannot be read here"

sleep 1000 & target=$!
trap 'kill $target 2>/dev/null; rm -rf "$work"' EXIT
in_call() { grep -q '^[0-9]' "/proc/$target/syscall"; }
await in_call
# the outermost first, as in folded stacks
shown=$(sed -n 's/^[^ ]* \([^+]*\)+.*/\1/p' "/proc/$target/stack" | tac | paste -s -d ';' -)
expect "runs" 0 "$(status_of "$pprofil" -q --kernel -d 1 -o "$work/p.pb.gz" -p "$target")"
expect_free "afterwards" "$target"
kill "$target"

for format in folded csv json callgrind speedscope firefox perf-script perf.data; do
	expect "$format is written" 0 "$(status_of "$pprofil" convert -f "$format" -o "$work/p.$format" "$work/p.pb.gz")"
done
innermost=${shown##*;}
expect "the stack that /proc shows is the only one" "1 stacks, 1 that ends so" \
	"$(awk -v end=";$shown" '{ sub(/ [0-9]*$/, ""); all++; so += substr($0, length($0) - length(end) + 1) == end }
		END { print all " stacks, " so " that ends so" }' "$work/p.folded")"
for format in csv json callgrind speedscope firefox perf-script; do
	expect_text "$format has $innermost" "$innermost" "$work/p.$format"
done
"$pprofil" report -f csv "$work/p.perf.data" >"$work/out" 2>&1
expect_text "perf.data has the kernel" '\[kernel\]' "$work/out"
"$pprofil" report -f csv "$work/p.pb.gz" >"$work/rows"
expect "the largest row is $innermost" "$innermost [kernel]" "$(awk -F, 'NR == 2 { print $5, $6 }' "$work/rows")"
"$pprofil" report --by object -f csv "$work/p.pb.gz" >"$work/rows"
expect_text "rows of objects have the kernel" '\[kernel\]' "$work/rows"
expect "annotate" 125 "$(status_of "$pprofil" annotate "$work/p.pb.gz" "$innermost")"
expect_text "annotate says that there is no code" "kernel's own code" "$work/err"

# 200 threads sleep in one stack: at least 95 of 100 of their samples show it. The others are of threads that run while
# their stack is read.
storm() { # NAME COMMAND...
	name=$1
	shift
	expect "$name: status" 0 "$(status_of timeout 100 "$pprofil" -q --kernel -o "$work/p.csv" "$@")"
	expect "$name: silence" "" "$(cat "$work/err")"
	awk -F, '$9 == "futex" && $10 == "asleep" { all += $11; if ($6 == "[kernel]") so += $11 }
		END { print (all ? so / all : "none") }' "$work/p.csv" >"$work/share"
	between "$name: samples of sleepers with the kernel's functions" 0.95 "$(cat "$work/share")" 1
}
storm "200 sleepers" -F 1000 "$targets/sleepers" 200 1 1
"$targets/sleepers" 200 0 5 >"$work/said" & target=$!
has_threads() { [ "$(ls "/proc/$target/task" | wc -l)" = 201 ]; }
await has_threads
storm "200 sleepers, attached to" -d 2 -p "$target"
for task in /proc/$target/task/*; do
	process_is_free "$target/task/${task##*/}" || echo "$task"
done >"$work/held"
expect "200 sleepers, attached to: none is held" "" "$(cat "$work/held")"
wait "$target"
expect "200 sleepers, attached to: their own end" "0 sleepers" "$? $(cut -d ' ' -f 1 "$work/said")"
finish
