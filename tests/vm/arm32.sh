#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# 32-bit Arm programs on AArch64: their functions, and where they sleep. run.sh has assembled arm32.s.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
program=$build/tests/targets/arm32
[ "$(uname -m)" = aarch64 ] || skip "this is no AArch64"
[ -x "$program" ] || skip "it was not assembled"
"$program" || skip "this kernel, or this CPU, runs no 32-bit programs"
for options in "" "-g" "-w"; do
	# shellcheck disable=SC2086
	"$pprofil" -q $options -F 1000 --overhead 1000 -o "$work/p.pb.gz" "$program" 2>"$work/err"
	expect "32-bit Arm, '$options': status" 0 $?
	"$pprofil" report -f csv -n 0 "$work/p.pb.gz" >"$work/csv"
	between "32-bit Arm, '$options': share of spend_third, which makes a third of the steps" 0.15 "$(awk -F, '
		$5 == "spend_third" { third += $3 }
		$5 == "spend_rest" { rest += $3 }
		END { print (third > 0 ? third / (third + rest) : "none") }' "$work/csv")" 0.55
done
"$pprofil" report --by state "$work/p.pb.gz" >"$work/states"
expect_text "32-bit Arm: it sleeps" asleep "$work/states"
finish
