#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints a line about the last make check in a build directory: "N passed, N failed, N skipped". Unit tests are counted
# as Criterion counts them, end-to-end tests by their checks. A test program that failed without a message counts as one.
cd "${1:-.}" || exit 1
passed=0 failed=0 skipped=0
# how many checks of $log have that verdict; automake adds a line on the whole script
assertions() { grep "^$1 " "$log" | grep -vc '^[A-Z]* tests/.*(exit status: [0-9]*)$'; }
for log in tests/unit/*.log tests/e2e/*.log; do
	[ -f "$log" ] || continue
	result=$(sed -n 's/^:test-result: \([A-Z]*\).*/\1/p' "${log%.log}.trs")
	synthesis=$(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep 'Synthesis: Tested:')
	if [ -n "$synthesis" ]; then
		good=$(echo "$synthesis" | sed 's/.*Passing: \([0-9]*\).*/\1/')
		all=$(echo "$synthesis" | sed 's/.*Tested: \([0-9]*\).*/\1/')
		bad=$((all - good))
	else
		good=$(assertions PASS)
		bad=$(assertions FAIL)
	fi
	left_out=$(assertions SKIP)
	[ "$result" = SKIP ] && [ "$left_out" -eq 0 ] && left_out=1
	skipped=$((skipped + left_out))
	if [ "$result" = FAIL ] && [ "$bad" -eq 0 ]; then
		bad=1
		# a script that took too long has status 124, from timeout(1)
		last=$(grep -E '^(PASS|SKIP) ' "$log" | tail -n 1)
		[ -z "$last" ] || echo "The last check of ${log%.log}: $last"
	fi
	if [ "$bad" -gt 0 ]; then
		grep -h '^FAIL\|^\[FAIL\]\|^\[----\]' "$log" | head -n 20
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
done
echo "$passed passed, $failed failed, $skipped skipped"
