#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: what many idle threads and processes cost.
#   births   a program has just made 300 of them: how many samples it has, compared with the same program without them
#   asleep   4000 threads or 10 000 processes sleep: how much CPU time the supervisor uses for a sample, and how long it
#            stops the target
#
#   many.sh [-n ROUNDS] [births] [asleep]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
rounds=5
while getopts n: option; do [ "$option" = n ] && rounds=$OPTARG; done
shift $((OPTIND - 1))
rows=${*:-births asleep}
bench_start
sleepers=$build/tests/targets/sleepers

number() { grep -o "\"$1\": *[0-9]*" "$work/profile.json" | head -n 1 | grep -o '[0-9]*$'; }

# The argument SECONDS with which the target works for 0.9 s on this machine.
work_asked=$("$sleepers" 0 1 1 | awk '{ print 900 / $2 }')

# births WORD...: the samples in a second of work, as a share of those of a program without idle threads
births() {
	for ((i = 0; i < rounds; i++)); do
		for count in 0 300; do
			"$pprofil" -q -f json -o "$work/profile.json" "$sleepers" $count 1 "$work_asked" "$@" >"$work/own"
			awk -v samples="$(number samples)" '{ print samples / $3 * 1000 }' "$work/own" >>"$work/births.$count"
		done
	done
	without=$(median <"$work/births.0") with=$(median <"$work/births.300")
	printf '%-24s %.0f samples a CPU second, without %.0f: %.3f\n' "300 births, ${1:-threads}" "$with" "$without" \
		"$(awk "BEGIN { print $with / $without }")"
	rm "$work"/births.*
}

# Prints the CPU time of a supervisor, ns.
cpu_of() { cat "/proc/$1"/task/*/schedstat | awk '{ ns += $1 } END { printf "%.0f\n", ns }'; }

# PID: number of the threads and of the children of a process
tasks_of() { echo $(($(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l) + $(wc -w <"/proc/$1/task/$1/children"))); }
# asleep COUNT WORD...: measures five seconds after the threads or processes have been made
asleep() {
	count=$1
	shift
	for ((i = 0; i < rounds; i++)); do
		for some in 0 "$count"; do
			"$pprofil" -q -F 1000 --overhead 100 --control="$work/control" -f json -o "$work/profile.json" \
				"$sleepers" "$some" 1 60 "$@" >/dev/null &
			profiler=$!
			sleep 2
			read -r target < <(pgrep -x -o -P "$profiler" sleepers)
			until [ "$(tasks_of "$target")" -gt "$some" ]; do sleep 1; done
			sleep 2
			supervisor=$(awk '$1 == "TracerPid:" { print $2 }' "/proc/$target/status")
			"$pprofil" ctl "$work/control" startclr >/dev/null
			sleep 1 # else it has the 50 ms that forgetting thousands of tasks takes
			before=$(cpu_of "$supervisor")
			sleep 5
			after=$(cpu_of "$supervisor")
			"$pprofil" ctl "$work/control" stop >/dev/null
			"$pprofil" ctl "$work/control" flush >/dev/null
			sleep 0.5
			echo "$before $after $(number stopped_ns) $(number samples) $(number elapsed_ns)" |
				awk '{ print ($2 - $1) / ($4 * 5e9 / $5) / 1e3, $3 / $4 / 1e3 }' >>"$work/asleep.$some"
			kill "$target"
			wait "$profiler"
		done
	done
	for column in 1 2; do
		for some in 0 "$count"; do cut -d' ' -f$column "$work/asleep.$some" | median; done | paste -s -d' '
	done | awk -v name="$count ${1:-threads} asleep" '
		NR == 1 { printf "%-24s supervisor %.1f us a sample, without %.1f: %.3f;", name, $2, $1, $2 / $1 }
		NR == 2 { printf " stopped %.1f us a sample, without %.1f\n", $2, $1 }'
	rm "$work"/asleep.*
}

case " $rows " in *" births "*) births && births processes ;; esac
case " $rows " in *" asleep "*) asleep 4000 && asleep 10000 processes ;; esac
