#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# -g: the callers of running and of sleeping threads, of code without frame pointers, are those
# that there were.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
PPROFIL_SUPERVISE=$build/pprofil-supervise
export PPROFIL_SUPERVISE

# record NAME OPTIONS... -- PROGRAM...: the folded stacks are in $work/NAME, samples first
record() {
	name=$1
	shift
	"$pprofil" --overhead 100 -g -o "$work/$name.pb.gz" "$@" >"$work/$name.own" 2>"$work/$name.err"
	expect "$name: status" 0 $?
	"$pprofil" convert -f folded --roots none -o - "$work/$name.pb.gz" |
		sed 's/^\(.*\) \([0-9]*\)$/\2 \1/' >"$work/$name"
}
# share NAME PATTERN [OF]: of the samples (that match OF) those whose stacks match, 0..1
share() {
	awk -v pattern="$2" -v of="${3:-.}" '
		$0 ~ of { all += $1; if ($0 ~ pattern) some += $1 }
		END { print (all > 0 ? some / all : "none") }' "$work/$1"
}
samples() { awk '{ all += $1 } END { print all + 0 }' "$work/$1"; }
# repeat FUNCTION COUNT: "F;F;F"
repeat() { awk -v f="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? ";" : "", f }'; }

chain=$(repeat descend 31)
record busy -- "$targets/call-chain" busy 30 3
between "busy: samples" 100 "$(samples busy)" 100000
# what runs before main, and after it, takes as long as it takes
between "busy: from the beginning, every call" 0.98 "$(share busy "_start;.*;main;$chain;halves" halves)" 1
# where a clock read takes long some samples are in neither half
share_is "busy: the halves" "$(awk '{ ns[$1] = $2 } END { print ns["left"] / (ns["left"] + ns["right"]) }' "$work/busy.own")" \
	"$(share busy ';left(;|$)' ';(left|right)(;|$)')" "$(samples busy)"
between "busy: no stack is cut" 0 "$(share busy '\[truncated|\[no unwind|\[broken')" 0.01

record thread -- "$targets/call-chain" thread 30 1
between "a thread: from clone on" 0.97 "$(share thread "^[0-9]+ (clone3?|thread_start);start_thread;in_thread;$chain;halves" 'halves')" 1

record asleep -w -- "$targets/call-chain" asleep 30 1
between "asleep: without a stop, every call" 0.95 "$(share asleep "_start;.*;main;$chain;sleep_there" sleep_there)" 1
between "asleep: it is" 5 "$(awk '/sleep_there/ { all += $1 } END { print all + 0 }' "$work/asleep")" 100000

# glibc has functions of its own below raise
raised='handle;raise(;[^;]*)*;[^;]*(restore_rt|rt_sigreturn)'
record handler -- "$targets/call-chain" handler 10 0.7
between "a handler on a stack of its own, and what it interrupted" 0.95 \
	"$(share handler "_start;.*;main;$raised;handler;$(repeat descend 11);halves" halves)" 1
record handlers -- "$targets/call-chain" handlers 10 0.7
between "a handler in a handler" 0.95 \
	"$(share handlers "_start;.*;main;$raised;outer_handler;raise.*;handler;$(repeat descend 11);halves" halves)" 1
record small --stack-size 1024 -- "$targets/call-chain" handler 30 0.7
between "a handler in less room than its stack" 0.95 \
	"$(share small "^[0-9]+ \[truncated\];descend" halves)" 1

# 400 calls of more than 200 bytes are 80 KiB
record deep -- "$targets/call-chain" busy 400 0.7
between "deep: cut at 16 KiB, and said to be" 0.97 "$(share deep "^[0-9]+ \[truncated\];$(repeat descend 30)" halves)" 1
record whole --stack-size 262144 -- "$targets/call-chain" busy 400 0.7
between "deep: with more room whole" 0.97 "$(share whole "main;$(repeat descend 401);halves" halves)" 1

# where execs and forks follow each other
record execs -- "$targets/event-storm" exec 60 3000
between "execs: from the beginning" 0.9 "$(share execs '^[0-9]+ _start')" 1
record forks -- "$targets/event-storm" fork 60 3000
between "forks: from the beginning" 0.9 "$(share forks '^[0-9]+ _start')" 1
record listed --parse-maps -- "$targets/event-storm" fork 60 3000
between "forks, mappings from lists: from the beginning" 0.9 "$(share listed '^[0-9]+ _start')" 1
record lists --parse-maps -- "$targets/call-chain" busy 30 0.7
between "mappings from lists" 0.97 "$(share lists "main;$chain;halves" halves)" 1

# a recording replayed gives the same stacks
"$pprofil" -q -g --overhead 100 --events "$work/e.events" -o "$work/e.pb.gz" "$targets/call-chain" busy 5 0.5
"$pprofil" convert -f folded -o "$work/e1" "$work/e.pb.gz"
"$pprofil" convert -f folded -o "$work/e2" "$work/e.events"
# the kernel's own object is in no file
expect "replayed" "$(grep -Ev 'vdso|__kernel' "$work/e1" | sort)" "$(grep -Ev 'vdso|__kernel' "$work/e2" | sort)"

for bad in 1023 1048577 x; do
	"$pprofil" --stack-size "$bad" true 2>"$work/err"
	expect "stack size $bad: status" 125 $?
	expect "stack size $bad: one line" 1 "$(wc -l <"$work/err")"
done
finish
