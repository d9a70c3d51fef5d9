#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: the time that a sample costs a target that keeps its CPUs busy. Each profiled run comes between
# two plain ones. The loss is the time by which it takes longer than their mean, times the number of busy CPUs. Only the
# target is timed, neither the start nor the report of the profiler.
#
#   loss.sh [-n ROUNDS] [ROW...]
#
# PPROFIL_OTHER is the pprofil of another build (not libtool's script), which is measured in the same rounds.
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
. "${abs_srcdir:-.}/tests/bench/programs.sh"
build=${abs_builddir:-$PWD}
rounds=9
while getopts n: option; do [ "$option" = n ] && rounds=$OPTARG; done
shift $((OPTIND - 1))
rows=("$@")
work=$(mktemp -d)
trap 'stop_beside; database_stop; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
own=$build/.libs/pprofil
[ -x "$own" ] || own=$build/pprofil
other=${PPROFIL_OTHER:-}
beside=

can_perf=no
perf record -q -e cpu-clock -o "$work/perf.data" true >/dev/null 2>&1 && can_perf=yes

# Times a command within the profiler's run: wall, user and system time in seconds.
timed() { { time "$@" >/dev/null 2>&1; } 2>"$work/time"; }
export TIMEFORMAT='%3R %3U %3S' work
export -f timed

# WAY OPTIONS TARGET...: runs the target, and sets $samples to the number of samples; its times are in $work/time. The
# target does not get our LD_LIBRARY_PATH, which would make each exec slower.
samples=0
run() {
	local way=$1 options=$2
	shift 2
	case $way in
	plain)
		env -u LD_LIBRARY_PATH bash -c 'timed "$@"' timed "$@" 2>/dev/null
		samples=0
		;;
	perf)
		local rate
		rate=$(sed -n 's/.*-F \([0-9]*\).*/\1/p' <<<"$options")
		perf record -e cpu-clock -F "${rate:-1000}" -o "$work/perf.data" -- \
			env -u LD_LIBRARY_PATH bash -c 'timed "$@"' timed "$@" >/dev/null 2>"$work/said"
		samples=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$work/said")
		rm -f "$work/perf.data" # so that it is not written to the disk during the next runs
		;;
	*)
		local profiler=$own
		[ "$way" = other ] && profiler=$other
		# shellcheck disable=SC2086 # the options are words
		LD_LIBRARY_PATH=${profiler%/*} "$profiler" -q $options -f json -o "$work/profile.json" -- \
			env -u LD_LIBRARY_PATH bash -c 'timed "$@"' timed "$@" >/dev/null 2>&1
		samples=$(grep -o '"samples": *[0-9]*' "$work/profile.json" | head -n 1 | grep -o '[0-9]*$')
		;;
	esac
}
wall() { cut -d' ' -f1 "$work/time"; }

start_beside() {
	[ "$beside" ] || return 0
	setsid bash -c "while :; do $beside; done" >/dev/null 2>&1 &
	beside_pid=$!
	sleep 0.2
}
stop_beside() {
	[ "${beside_pid:-}" ] && kill -- "-$beside_pid" 2>/dev/null
	beside_pid=
}

is_wanted() { [ "${#rows[@]}" = 0 ] || [[ " ${rows[*]} " == *" $1 "* ]]; }

# row NAME CPUS OPTIONS TARGET...: the target keeps CPUS CPUs busy
row() {
	local name=$1 cpus=$2 options=$3 way ways=(pprofil) before after
	shift 3
	is_wanted "$name" || return 0
	[ "$other" ] && ways+=(other)
	[ $can_perf = yes ] && ways+=(perf)
	rm -f "$work"/figures.*
	start_beside
	run plain "" "$@"
	before=$(wall)
	for ((i = 0; i < rounds; i++)); do
		for way in $(shuf -e "${ways[@]}"); do # what a run leaves behind may change the time of the next one
			run "$way" "$options" "$@"
			local took
			took="$(cat "$work/time") ${samples:-0}"
			run plain "" "$@"
			after=$(wall)
			echo "$before $after $took" >>"$work/figures.$way"
			before=$after
		done
	done
	stop_beside
	for way in "${ways[@]}"; do
		# in: plain before, plain after, wall, user, system, samples; out: loss in us a sample, ratio, spread, rate
		awk -v cpus="$cpus" '{
			plain = ($1 + $2) / 2; samples = $6 > 0 ? $6 : 1
			print ($3 - plain) * cpus / samples * 1e6, $3 / plain, ($1 > $2 ? $1 / $2 : $2 / $1), $6 / ($4 + $5)
		}' "$work/figures.$way" >"$work/derived"
		printf '%-24s %-8s %7.1f us a sample  %6.3f of plain (plain of plain %.3f)  %6.0f samples a CPU second\n' \
			"$name" "$way" $(for column in 1 2 3 4; do cut -d' ' -f$column "$work/derived" | median; done)
	done
}

# --- the rows

busy=$build/tests/targets/sleepers cpus=$(nproc)
echo "loss: medians of $rounds rounds, each run between two plain ones"
for threads in 1 2 4; do
	filled=$((threads < cpus ? threads : cpus))
	row "$threads-at-10k" $filled "-F 10000 --overhead 100" "$busy" 0 $threads 2
	row "$threads-at-1k" $filled "-F 1000 --overhead 100" "$busy" 0 $threads 2
	row "$threads-by-default" $filled "" "$busy" 0 $threads 2
done
make_tree
row make "$cpus" "" bash "$work/make.sh"
is_wanted go && go_program && row go "$cpus" "" "$work/collect"
is_wanted database && database && row database "$cpus" "" bash "$work/database.sh" -n -S -c 2 -t 12000
cp -r "$work/tree" "$work/other-tree"
beside="make -s -C $work/other-tree clean all"
row beside-a-compile 1 "" "$busy" 0 1 3
