#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls that end by a signal with a handler, by a time limit, or short by themselves do so under pprofil.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

for options in "" "-F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	timeout -k 5 120 "$pprofil" -q $options "$targets/edges" >"$work/out" 2>&1
	expect "options '$options': status" 0 $?
	expect "options '$options': wrong" "" "$(grep -v ' wrong 0 of ' "$work/out")"
	between "options '$options': tried" 1 "$(grep -c ' wrong 0 of [1-9]' "$work/out")" 99
done
finish
