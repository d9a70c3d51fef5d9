#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs some tests of a unit alone, plain and in a mode in turn, so that both see the same machine:
#
#   again.sh MODE TIMES RESULTS SUITE.UNIT
#
# The tests are those that RESULTS/unlike.MODE names; the runs are in RESULTS/again.MODE. Where they take long, they end
# after three runs each or two minutes, whichever is later.
set -u
mode=$1 times=$2 results=$3 unit=$4
end=$(($(date +%s) + 120)) number=0
while [ $number -lt "$times" ] && { [ $number -lt 3 ] || [ "$(date +%s)" -lt $end ]; }; do
	number=$((number + 1))
	for which in plain "$mode"; do
		to=$results/again.$mode/$which.$number
		mkdir -p "$to"
		awk -F '\t' -v unit="$unit" '$1 == unit { print $2 }' "$results/unlike.$mode" | tr '\n' '\0' |
			xargs -0 sh "${0%/*}/unit.sh" "$which" "$to" "${unit%%.*}" "${unit#*.}"
	done
done
