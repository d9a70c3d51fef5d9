#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls that a tracer's stops cut short return all their bytes under pprofil, and no byte is lost or doubled: in
# programs that it starts or attaches to, in CPU and wall mode, with stacks, at 1 and 10 kHz, in 64 and 32 bits.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

rounds=${WHOLE_ROUNDS:-12} long_rounds=${WHOLE_LONG_ROUNDS:-1500}

# expect_whole NAME FILE: nothing was short or wrong, and all calls were tried
expect_whole() {
	expect "$1: short or wrong" "" "$(grep -v ' short 0 of [0-9]*, wrong 0$' "$2")"
	between "$1: calls tried" 25 "$(grep -c ' short ' "$2")" 99
}

"$targets/full-transfers" 4 >"$work/out" 2>&1
expect_whole "plain" "$work/out"

for options in "" "-w" "-g" "-F 10000 --overhead 100" "-g -w -F 10000 --overhead 100" \
	"--restless -F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	timeout 600 "$pprofil" -f json $options "$targets/full-transfers" "$rounds" >"$work/out" 2>"$work/report"
	expect "launched, '$options': status" 0 $?
	expect_whole "launched, '$options'" "$work/out"
	expect "launched, '$options': left short" 0 "$(number "$work/report" cut_short)"
done
between "calls that were continued" 10 "$(number "$work/report" continued)" 1e9

# many rounds: once in thousands of stops a thread stops again before it has run
timeout 600 "$pprofil" -q -F 10000 --overhead 100 "$targets/full-transfers" "$long_rounds" tcp-sendfile >"$work/out"
expect "$long_rounds rounds: status" 0 $?
expect "$long_rounds rounds: short or wrong" "tcp-sendfile short 0 of $long_rounds, wrong 0" "$(cat "$work/out")"

# as in a container, where pidfd_getfd(2) is refused: calls that send, and those on pipes
"$targets/full-transfers" "$rounds" >"$work/out" 2>&1 &
target=$!
"$targets/refuse-call" 438 1 "$pprofil" -f json -F 10000 --overhead 100 -p $target >"$work/report"
expect "no copies of descriptors: status" 0 $?
wait $target
grep -v -E '^[a-z]*-(recv|low-mark)' "$work/out" >"$work/sent"
expect "no copies of descriptors: short or wrong" "" "$(grep -v ' short 0 of [0-9]*, wrong 0$' "$work/sent")"
between "no copies of descriptors: calls that were continued" 10 "$(number "$work/report" continued)" 1e9

if can_run_32_bit && gcc -m32 -idirafter /usr/include/x86_64-linux-gnu -D_FILE_OFFSET_BITS=64 -O1 -std=gnu11 \
	"$source/tests/targets/full-transfers.c" "$source/tests/targets/blocking-calls.c" -o "$work/whole32" -lutil 2>/dev/null; then
	timeout 600 "$pprofil" -f json -F 10000 --overhead 100 "$work/whole32" "$rounds" >"$work/out" \
		2>"$work/report"
	expect_whole "32 bits" "$work/out"
	between "32 bits: calls that were continued" 10 "$(number "$work/report" continued)" 1e9
else
	echo "SKIP 32 bits: gcc makes no 32-bit programs here, or the kernel runs none"
fi

# Attached to and left again and again. A call that still waits 0.3 s after pprofil wants to leave returns what it has
# done. pprofil counts these, so no more calls may come back short than it has counted.
"$targets/full-transfers" "$rounds" >"$work/out" 2>&1 &
target=$! visits=0 counted=0
while kill -0 "$target" 2>/dev/null; do
	"$pprofil" -f json -F 5000 --overhead 100 -d 0.3 -p "$target" >"$work/report" 2>"$work/err" || continue
	visits=$((visits + 1)) counted=$((counted + $(number "$work/report" cut_short)))
done
wait "$target"
between "visited: visits" 1 "$visits" 1e9
between "visited: calls tried" 25 "$(grep -c ' short ' "$work/out")" 99
between "visited: calls that came back short, of those that are counted" 0 \
	"$(awk '{ short += $3 } END { print short + 0 }' "$work/out")" "$counted"
expect "visited: wrong, and not short" "" "$(grep -v ' short [1-9]' "$work/out" | grep -v ' wrong 0$')"

# a program that writes, and does not look how many bytes were written
if command -v python3 >/dev/null; then
	bad=0
	for i in 1 2 3 4 5 6 7 8 9 10; do
		got=$(PYTHONUNBUFFERED=1 "$pprofil" -q -- python3 -c \
			"import sys; sys.stdout.write('x' * 8388609)" | wc -c)
		[ "$got" = 8388609 ] || bad=$((bad + 1))
	done
	expect "unbuffered python: runs that lost bytes" 0 "$bad"
fi
finish
