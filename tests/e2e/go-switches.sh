#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stacks of Go programs: the runtime works on a scheduler stack of the thread, and its callers are on the stack of a
# goroutine. Stacks must be whole, from the one through the other.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
go=${GO:-go}
command -v "$go" >/dev/null || skip "no Go"
export GOCACHE="$work/cache" GO111MODULE=off GOTOOLCHAIN=local GOFLAGS= CGO_ENABLED=0

"$go" build -o "$work/scheduler-stacks" "$source/tests/targets/scheduler-stacks.go" >"$work/log" 2>&1 ||
	skip "Go cannot build: $(tail -n 1 "$work/log")"
expect "runs" 0 "$(status_of "$pprofil" -q --overhead 100 -g -o "$work/go.pb.gz" "$work/scheduler-stacks" 6 3)"
"$pprofil" convert -f folded -o "$work/folded" "$work/go.pb.gz"

# share PATTERN [OF [LEFT_OUT]]: the share of the samples whose stack matches PATTERN, among those that match OF and not
# LEFT_OUT
share() {
	awk -v pattern="$1" -v of="${2:-.}" -v left_out="${3:-}" '{ n = $NF; sub(/ [0-9]+$/, "") }
		$0 ~ of && !(left_out != "" && $0 ~ left_out) { all += n; if ($0 ~ pattern) some += n }
		END { printf "%.4f\n", (all > 0 ? some / all : -1) }' "$work/folded"
}

# The supervisor knows after some time that it is Go: 0.05 s, or 0.5 s on a busy machine. Until then the program computes
# and leaves its stack hardly ever. Incomplete stacks are those of the few instructions at which a stack is being
# switched. This is less than 1 in 100. The bounds below are three times as wide.
between "incomplete stacks" 0 "$(share '^\[')" 0.03
# Where a signal handler has interrupted the scheduler stack, three stacks would be needed, and two are copied. main.func1
# runs before the program computes.
between "the runtime has callers" 0.97 \
	"$(share '^runtime[.](goexit|mstart|clone|rt0_go)' 'runtime[.]systemstack' 'runtime[.](sigtramp|main[.]func1)')" 1
between "no caller is wrong" 0 "$(share '(newproc|rt0_go)[^;]*;runtime[.](systemstack|mcall|morestack)')" 0.03
between "clocks have callers" 0.97 "$(share ';main[.]main;main[.]' 'time[.]now')" 1
between "functions that switch for good have none" 0.97 "$(share '^runtime[.]mcall' 'runtime[.]mcall')" 1
expect_text "from a goroutine to its scheduler stack" \
	'^runtime[.]goexit.*;main[.]main;main[.]allocations;.*;runtime[.]mallocgc.*;runtime[.]systemstack' "$work/folded"

# After the first process of a program, the supervisor knows at once that the others are Go. Without that, an eighth of
# these stacks are incomplete.
expect "short processes: run" 0 "$(status_of "$pprofil" -q --overhead 100 -g -o "$work/go.pb.gz" sh -c "
	'$work/scheduler-stacks' 1 2
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do '$work/scheduler-stacks' 0.04 0; done")"
"$pprofil" convert -f folded --roots process -o "$work/folded" "$work/go.pb.gz"
between "short processes: incomplete stacks" 0 "$(share ';\[broken' 'runtime[.](systemstack|mcall)')" 0.1
finish
