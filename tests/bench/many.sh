#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: what many threads and processes cost that do nothing: the samples of a program that has just
# made 300 of them, as part of those without; and what the supervisor uses, and a target is billed, for one sample
# beside thousands of sleepers.
#
#   many.sh [-n ROUNDS]
set -u
export LC_ALL=C
. "${abs_srcdir:-.}/tests/bench/lib.sh"
build=${abs_builddir:-$PWD}
rounds=5
while getopts n: option; do [ "$option" = n ] && rounds=$OPTARG; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pprofil=$build/.libs/pprofil
export LD_LIBRARY_PATH=$build/.libs
[ -x "$pprofil" ] || pprofil=$build/pprofil
sleepers=$build/tests/targets/sleepers

number() { grep -o "\"$1\": *[0-9]*" "$work/profile.json" | head -n 1 | grep -o '[0-9]*$'; }

# births WORD...: samples for each second of work, beside a program without
births() {
	for ((i = 0; i < rounds; i++)); do
		for count in 0 300; do
			"$pprofil" -q -f json -o "$work/profile.json" "$sleepers" $count 1 0.9 "$@" >"$work/own"
			awk -v samples="$(number samples)" '{ print samples / $3 * 1000 }' "$work/own" >>"$work/births.$count"
		done
	done
	without=$(median <"$work/births.0") with=$(median <"$work/births.300")
	printf '%-24s %.0f samples a CPU second, without %.0f: %.3f\n' "300 births, ${1:-threads}" "$with" "$without" \
		"$(awk "BEGIN { print $with / $without }")"
	rm "$work"/births.*
}

# asleep COUNT WORD...: of a sample, once they have all been made: a long run less a short one
asleep() {
	count=$1
	shift
	for ((i = 0; i < rounds; i++)); do
		for some in 0 "$count"; do
			for seconds in 2 10; do
				"$pprofil" -q -f json -o "$work/profile.json" "$sleepers" "$some" 1 $seconds "$@" >/dev/null
				echo "$(number supervisor_cpu_ns) $(number samples) $(number sample_cost_ns)"
			done | awk '{ cpu[NR] = $1; samples[NR] = $2; cost = $3 }
				END { print (cpu[2] - cpu[1]) / (samples[2] - samples[1]) / 1e3, cost / 1e3 }' \
				>>"$work/asleep.$some"
		done
	done
	for column in 1 2; do
		for some in 0 "$count"; do cut -d' ' -f$column "$work/asleep.$some" | median; done | paste -s -d' '
	done | awk -v name="$count ${1:-threads} asleep" '
		NR == 1 { printf "%-24s supervisor %.1f us a sample, without %.1f: %.3f;", name, $2, $1, $2 / $1 }
		NR == 2 { printf " a sample is billed %.1f us, without %.1f\n", $2, $1 }'
	rm "$work"/asleep.*
}

births
births processes
asleep 4000
asleep 10000 processes
