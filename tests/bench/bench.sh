#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# make bench: what pprofil and other profilers cost a target. Prints medians of wall times, and their ratios to runs
# without a profiler; all runs are interleaved. Profilers that are not installed, or not permitted, are left out.
#
#   bench.sh [-n RUNS] [ROW...]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
build=${abs_builddir:-$PWD}
targets=$build/tests/targets
runs=10
while getopts n: option; do [ "$option" = n ] && runs=$OPTARG; done
shift $((OPTIND - 1))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# the program itself, not libtool's wrapper script
pprofil=$build/.libs/pprofil
export LD_LIBRARY_PATH=$build/.libs
[ -x "$pprofil" ] || pprofil=$build/pprofil
profiler_library=$(ls /usr/lib/*/libprofiler.so.0 2>/dev/null | head -n 1)

have() { command -v "$1" >/dev/null 2>&1; }

plain() { "$@"; }
with_pprofil() { "$pprofil" -q "$@"; }
with_pprofil_10k() { "$pprofil" -q -F 10000 --overhead 100 "$@"; }
with_pprofil_200() { "$pprofil" -q -F 200 "$@"; }
with_pprofil_g() { "$pprofil" -q -g "$@"; }
with_perf_dwarf() { perf record -q -e cpu-clock -F 1000 --call-graph dwarf -o "$work/perf.data" "$@"; }
with_perf() { perf record -q -e cpu-clock -F 1000 -o "$work/perf.data" "$@"; }
with_perf_10k() { perf record -q -e cpu-clock -F 10000 -o "$work/perf.data" "$@"; }
with_gperftools() { CPUPROFILE=$work/cpu.prof CPUPROFILE_FREQUENCY=1000 LD_PRELOAD=$profiler_library "$@"; }
# what people do without a profiler: a stack dump ten times a second
by_hand() { # DUMPER... -- TARGET...
	local dump=()
	while [ "$1" != -- ]; do dump+=("$1"); shift; done
	shift
	"$@" & local pid=$!
	while kill -0 $pid 2>/dev/null; do "${dump[@]}" $pid >/dev/null 2>&1; sleep 0.1; done
	wait $pid
}
with_eu_stack() { by_hand eu-stack -p -- "$@"; }
with_gdb() { by_hand gdb -q -batch -nx -ex 'thread apply all bt' -p -- "$@"; }

usable() {
	case $1 in
	with_perf*) have perf && perf record -q -e cpu-clock -o "$work/try" true >/dev/null 2>&1 ;;
	with_gperftools) [ -n "$profiler_library" ] ;;
	with_eu_stack) have eu-stack ;;
	with_gdb) have gdb ;;
	esac
}

# row NAME WAYS -- TARGET...: medians of wall time, and their ratios to plain
row() {
	local name=$1 ways=$2 times=() way i start
	shift 3
	if [ "${#rows[@]}" -gt 0 ] && [[ " ${rows[*]} " != *" $name "* ]]; then return; fi
	for way in $ways; do usable "$way" && times+=("$way"); done
	times=(plain "${times[@]}")
	rm -f "$work"/time.*
	for ((i = 0; i < runs; i++)); do
		for way in "${times[@]}"; do
			start=$(date +%s%N)
			"$way" "$@" >/dev/null 2>&1
			echo $(($(date +%s%N) - start)) >>"$work/time.$way"
		done
	done
	local base
	base=$(median "$work/time.plain")
	for way in "${times[@]}"; do
		local own
		own=$(median "$work/time.$way")
		printf '%-16s %-18s %9.1f ms  %6.3f\n' "$name" "${way#with_}" \
			"$(awk "BEGIN{print $own / 1e6}")" "$(awk "BEGIN{print $own / $base}")"
	done
}

rows=("$@")
printf '%-16s %-18s %12s  %6s   (medians of %d interleaved runs)\n' what with wall ratio "$runs"
row one-thread "with_pprofil with_perf with_gperftools with_eu_stack with_gdb" -- "$targets/sleepers" 0 1 2
row one-thread-10k "with_pprofil_10k with_perf_10k" -- "$targets/sleepers" 0 1 2
row deep-stacks "with_pprofil_g with_perf_dwarf" -- "$targets/call-chain" fixed 30 2
row two-threads "with_pprofil with_perf" -- "$targets/sleepers" 0 2 1
row 1000-sleepers "with_pprofil with_perf" -- "$targets/sleepers" 1000 1 2
row 160-at-200Hz "with_pprofil_200" -- "$targets/sleepers" 160 1 2
row exec-storm "with_pprofil with_perf" -- "$targets/event-storm" exec 300 5000
row fork-storm "with_pprofil with_perf" -- "$targets/event-storm" fork 300 5000
row fork-storm-20ms "with_pprofil with_perf" -- "$targets/event-storm" fork 80 20000
row thread-storm "with_pprofil with_perf" -- "$targets/event-storm" thread 1000 5000
row signal-storm "with_pprofil with_perf" -- "$targets/event-storm" signal 200 5000
row start-up "with_pprofil with_perf" -- true
