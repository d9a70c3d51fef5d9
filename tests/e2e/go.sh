#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A Go program without symbols: functions, lines, inlined functions and whole stacks, all from the table that Go's
# runtime needs. The program allocates, so that Go's garbage collector works all the time.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v go >/dev/null || skip "no Go compiler"

cat >"$work/prog.go" <<'END_OF_PROGRAM'
package main

import "syscall"

type node struct{ left, right *node }

func leaf(n *node) int { return sum(n) + 1 }

func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

//go:noinline
func sum(n *node) (total int) {
	if n != nil {
		total = leaf(n.left) + leaf(n.right)
	}
	return
}

func work(results chan int) {
	results <- sum(grow(14))
}

// Returns the CPU time that the program has used, in seconds: on a busy machine, two seconds of time may be few samples.
func used() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Sec + usage.Stime.Sec
}

func main() {
	results := make(chan int)
	for used() < 2 {
		go work(results)
		go work(results)
		<-results
		<-results
	}
}
END_OF_PROGRAM
export GOCACHE="$work/cache" GO111MODULE=off
go build -ldflags '-s -w' -o "$work/prog" "$work/prog.go" || skip "the Go compiler does not work here"
"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$work/prog"
"$pprofil" convert -o "$work/p.folded" "$work/p.pb.gz"
"$pprofil" report -n 0 -f csv "$work/p.pb.gz" | tr -d '\r' >"$work/rows"

# share PATTERN [OTHER]: percent of the samples whose stack has the pattern, and has not the other one
share() {
	awk -v pattern="$1" -v other="${2:-^$}" '
		{ all += $NF } $0 ~ pattern && $0 !~ other { some += $NF }
		END { printf "%.2f\n", some / all * 100 }' "$work/p.folded"
}
between "samples" 100 "$(awk '{ sum += $NF } END { print sum + 0 }' "$work/p.folded")" 1000000
expect "no row without a name" "" "$(grep -F '[prog]' "$work/rows")"
expect "where main.grow is" "main.grow $work/prog.go 9" \
	"$(awk -F, '$5 == "main.grow" { print $5, $7, $8 }' "$work/rows")"
expect_text "from goexit down to the leaf" \
	'runtime.goexit;(main.main.func1;)?main.work;main.grow;main.grow;main.grow;' "$work/p.folded"
expect_text "inlined functions" 'main.sum;main.leaf;main.sum;main.leaf;main.sum' "$work/p.folded"
# these functions change to another stack, so what is around them is another matter. The remaining 1 % is for stacks
# that are larger than what is copied, and for samples in the few instructions that change the stack pointer
switches='runtime[.](systemstack|nanotime1|walltime)'
between "stacks that are not complete, without systemstack" 0 \
	"$(share '[[](broken stack|truncated|no unwind info|too deep)' "$switches")" 1
expect "Go code has unwind information" 0.00 "$(share 'no unwind info: prog')"
# a thread begins in one of these functions, and so does a goroutine; signals come on a stack of their own
between "complete stacks that begin elsewhere" 0 \
	"$(share '^[^[]' "^(runtime[.](goexit|mstart|rt0_go|mcall|morestack|clone)|_rt0_)|$switches")" 1
finish
