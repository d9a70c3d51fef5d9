#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A 32-bit x86 target is profiled like any other, its system calls under its own names.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

gcc -m32 -O1 -g -pthread "$source/tests/targets/known-shares.c" -o "$work/split32" 2>/dev/null ||
	skip "no 32-bit compiler"
"$pprofil" -f json -n 0 "$work/split32" 1 >"$work/out" 2>"$work/report"
expect "32-bit target" 0 $?
expect_text "32-bit functions" 'spend_half' "$work/report"
cat >"$work/sleep32.c" <<-END
	#include <unistd.h>
	int main(void) { return sleep(1); }
END
gcc -m32 -O1 "$work/sleep32.c" -o "$work/sleep32"
"$pprofil" -w -f csv --by syscall "$work/sleep32" 2>"$work/report"
expect_text "32-bit system calls" 'clock_nanosleep|,nanosleep' "$work/report"
expect "32-bit system calls: no 64-bit names" "" "$(grep -E 'umask|mlock' "$work/report")"
finish
