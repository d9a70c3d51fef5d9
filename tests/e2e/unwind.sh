#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stacks equal gdb's at the same instants: programs are stopped by gdb, which writes down what it
# sees and what pprofil would have copied (tests/unwind/). Each program is stopped 100 times, and
# one stack may differ: what gdb sees amiss is rarer. UNWIND_COUNT is another number of stops.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

count=${UNWIND_COUNT:-100}
gdb -nx -batch -ex 'python print(1)' >"$work/log" 2>&1 || skip "no gdb with Python"
command -v gcc >/dev/null || skip "no compiler"
here=$source/tests/unwind

# like NAME PROGRAM [ARGUMENT...]
like() {
	name=$1 program=$2
	shift 2
	timeout 300 gdb -nx -batch -ex "set args $*" \
		-ex "python output, count, pause, most = '$work/$name', $count, 0.003, 1048576" \
		-x "$here/stacks.py" "$program" >"$work/log" 2>&1 </dev/null
	if [ ! -s "$work/$name" ]; then
		echo "SKIP $name: gdb cannot run it: $(tail -n 1 "$work/log")"
	elif "$build/tests/unwind/compare" "$work/$name" >"$work/result" 2>&1; then
		pass "$name: $(cat "$work/result")"
	else
		fail "$name" "$(cat "$work/result")"
	fi
	rm -f "$work/$name"
}

# make NAME COMPILER...: a program of tests/unwind, optimised and without frame pointers
make_program() {
	name=$1
	shift
	"$@" -O2 -fomit-frame-pointer -pthread -o "$work/$name.program" 2>"$work/log"
}

for each in signals coroutines threads; do
	make_program $each gcc "$here/$each.c" && like $each "$work/$each.program"
done
like alternate-stack "$work/signals.program" x
make_program static-pie gcc -static-pie "$here/signals.c" &&
	like static-pie "$work/static-pie.program"
make_program narrow gcc -m32 "$here/signals.c" && like 32-bit "$work/narrow.program"
make_program exceptions g++ -std=c++17 "$here/exceptions.cc" &&
	like exceptions "$work/exceptions.program"
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
