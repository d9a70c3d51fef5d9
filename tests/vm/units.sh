#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The unit tests of code that differs between machines.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cd "$work" || exit
for test in supervisor unwind profile dialect; do
	program=$build/tests/unit/test-$test
	if [ ! -x "$program" ]; then
		echo "SKIP test-$test: there was no Criterion"
		continue
	fi
	timeout 300 "$program" -j1 >"$work/log" 2>&1
	expect "test-$test" 0 $?
	grep -E '^\[FAIL\]|Assert|Synthesis' "$work/log" | sed 's/^/# /'
done
finish
