#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stacks equal those of gdb and eu-stack at the same instants. gdb stops each program, and writes the
# frames that it sees and what pprofil would have copied (tests/unwind/), or a core that eu-stack reads
# afterwards. Each program is stopped 100 times (UNWIND_COUNT), and one stack may differ: gdb is wrong
# less often than that.
#
# eu-stack gives up where a description is wrong, and says so. That happens in one stack of ten of 32-bit
# programs that sort, because at some instructions libc's memcpy has pushed one word more than it
# describes. gdb and pprofil look for a call there. The frames that eu-stack does have must be equal. On
# AArch64 eu-stack leaves out frames, and gives up silently at entries of linkage tables and in the vdso,
# so only gdb is compared there.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

count=${UNWIND_COUNT:-100}
gdb -nx -batch -ex 'python print(1)' >"$work/log" 2>&1 || skip "no gdb with Python"
command -v gcc >/dev/null || skip "no compiler"
here=$source/tests/unwind

# record OUTPUT EU_STACK PROGRAM [ARGUMENT...]
record() {
	output=$1 eu_stack=$2 program=$3
	shift 3
	timeout 300 gdb -nx -batch -ex "set args $*" \
		-ex "python output, count, pause, most = '$work/$output', $count, 0.003, 1048576" \
		-ex "python eu_stack = $eu_stack" -x "$here/stacks.py" "$program" \
		>"$work/log" 2>&1 </dev/null
	[ -s "$work/$output" ] || echo "SKIP $output: gdb cannot run it: $(tail -n 1 "$work/log")"
}

# compare NAME [PERCENT]: so many stacks must be equal
compare() {
	if [ ! -s "$work/$1" ]; then
		return
	elif "$build/tests/unwind/compare" -l "${2:-99}" "$work/$1" >"$work/result" 2>&1; then
		pass "$1: $(cat "$work/result")"
	else
		fail "$1" "$(cat "$work/result")"
		"$build/tests/unwind/compare" -v "$work/$1" | head -n 60
	fi
	rm -f "$work/$1"
}

# like NAME PROGRAM [ARGUMENT...]
like() {
	name=$1
	shift
	record "$name" False "$@"
	compare "$name"
	command -v eu-stack >/dev/null && [ "$machine" != aarch64 ] || return
	record "$name-eu-stack" True "$@"
	compare "$name-eu-stack"
}

# make NAME COMPILER...: compiles a program of tests/unwind, optimised and without frame pointers
make_program() {
	name=$1
	shift
	"$@" -O2 -fomit-frame-pointer -pthread -o "$work/$name.program" 2>"$work/log"
}

machine=$(uname -m)
[ "$machine" != aarch64 ] || echo "SKIP eu-stack: it leaves out frames on AArch64"
for each in signals coroutines threads; do
	if [ $each = coroutines ] && [ "$machine" = aarch64 ]; then
		echo "SKIP coroutines: glibc does not describe where swapcontext of AArch64 keeps its return address"
		continue
	fi
	make_program $each gcc "$here/$each.c" && like $each "$work/$each.program"
done
like alternate-stack "$work/signals.program" x
make_program static-pie gcc -static-pie "$here/signals.c" &&
	like static-pie "$work/static-pie.program"
make_program narrow gcc -m32 "$here/signals.c" && like 32-bit "$work/narrow.program"
make_program exceptions g++ -std=c++17 "$here/exceptions.cc" &&
	like exceptions "$work/exceptions.program"
# The program that gdb stops has frame descriptions, and the same program that pprofil reads has none: its rules
# come from its code. Where gdb knows by a frame description that a function has no caller, pprofil says
# [no unwind info], but the frames must be equal. In one of 200 stacks no rule is found. Five of 100 may differ: more do once in 60000 times.
without_descriptions() {
	name=$1
	shift
	cp "$work/$name.program" "$work/$name.whole"
	objcopy --remove-section=.eh_frame "$work/$name.whole" "$work/$name.bare" 2>"$work/log" || return
	record "$name" False "$work/$name.program"
	cp "$work/$name.bare" "$work/$name.program"
	compare "$name" 95
}
if [ "$machine" = x86_64 ]; then
	make_program bare gcc -static "$here/library-calls.c" && without_descriptions bare
fi
command -v rustc >/dev/null && rustc -O -o "$work/generic" "$here/generic.rs" 2>"$work/log" &&
	like rust "$work/generic"

if command -v python3 >/dev/null; then
	cat >"$work/busy.py" <<'END'
import json
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    fib(12)
    sorted(json.loads(json.dumps(list(range(300)))), key=lambda n: fib(n % 5))
END
	like python "$(python3 -c 'import sys; print(sys.executable)')" "$work/busy.py"
fi
finish
