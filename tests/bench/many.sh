#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: what many threads and processes cost that do nothing: the samples of a program that has just
# made 300 of them, as part of those without; and what the supervisor uses, and a target stands still, for one sample
# beside 4000 threads that sleep.
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

# asleep COUNT: attached for 9 seconds, less 1: without what attaching takes
asleep() {
	count=$1
	for ((i = 0; i < rounds; i++)); do
		for some in 0 "$count"; do
			"$sleepers" "$some" 1 60 >/dev/null &
			target=$!
			sleep 2
			for seconds in 1 9; do
				"$pprofil" -q -f json -o "$work/profile.json" -d $seconds -p "$target"
				echo "$(number supervisor_cpu_ns) $(number stopped_ns) $(number samples)"
			done | awk '{ cpu[NR] = $1; stopped[NR] = $2; samples[NR] = $3 }
				END { n = (samples[2] - samples[1]) * 1e3; print (cpu[2] - cpu[1]) / n, (stopped[2] - stopped[1]) / n }' \
				>>"$work/asleep.$some"
			kill "$target"
			wait "$target" 2>/dev/null
		done
	done
	for column in 1 2; do
		for some in 0 "$count"; do cut -d' ' -f$column "$work/asleep.$some" | median; done | paste -s -d' '
	done | awk -v name="$count threads asleep" '
		NR == 1 { printf "%-24s supervisor %.1f us a sample, without %.1f: %.3f;", name, $2, $1, $2 / $1 }
		NR == 2 { printf " stopped %.1f us a sample, without %.1f\n", $2, $1 }'
	rm "$work"/asleep.*
}

births
births processes
asleep 4000
