#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: targets that share full CPUs with other programs. Four processes with fixed work run beside other
# programs, which never sleep and are in sessions of their own (the scheduler divides the CPUs among sessions). Without
# a profiler the targets have a share of the CPUs. A profiler should neither take some of it, nor add to it. Each
# profiled run comes between two plain ones.
#
#   full-cpus.sh [-n ROUNDS] [PROGRAMS...]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
rounds=5
while getopts n: option; do [ "$option" = n ] && rounds=$OPTARG; done
shift $((OPTIND - 1))
bench_start
target=$build/tests/targets/rank-work
others=
trap 'end_others; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
can_perf=no
perf record -q -e cpu-clock -o perf.data true >/dev/null 2>&1 && can_perf=yes

start_others() {
	for ((i = 0; i < $1; i++)); do
		setsid sh -c 'while :; do :; done' &
		others="$others $!"
	done
}
# shellcheck disable=SC2086
end_others() {
	[ "$others" ] || return 0
	kill -9 $others
	wait $others
	others=
} 2>/dev/null

cat >ranks <<'C'
for rank in 0 1 2 3; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 "$1" 0.3 &
done
wait
C
# run [PROFILER...]: prints the wall time of the targets, ms
run() {
	local start
	start=$(date +%s%N)
	setsid -w "$@" sh ranks "$target" >/dev/null 2>&1
	echo $((($(date +%s%N) - start) / 1000000))
}
# row PROGRAMS NAME PROFILER...
row() {
	local programs=$1 name=$2
	shift 2
	rm -f ratios samples
	start_others "$programs"
	before=$(run)
	for ((i = 0; i < rounds; i++)); do
		rm -f profile.pb.gz perf.data
		with=$(run "$@")
		after=$(run)
		[ -s "${*: -1}" ] || { echo "full-cpus.sh: $name wrote no profile"; exit 1; }
		echo "$before $with $after" | awk '{ print 2 * $2 / ($1 + $3) }' >>ratios
		case $name in
		perf) perf script -i perf.data 2>/dev/null | grep -c rank-work ;;
		*) "$pprofil" report -n 0 -f csv --by comm profile.pb.gz | awk -F, '$5 == "rank-work" { print $4 }' ;;
		esac >>samples
		before=$after
	done
	end_others
	printf '%s other programs, %-14s %.3f of the wall time without it, %.0f samples\n' \
		"$programs" "$name:" "$(median ratios)" "$(median samples)"
}
for programs in ${*:-1 2 6}; do
	row "$programs" "pprofil" "$pprofil" -q -o profile.pb.gz
	row "$programs" "pprofil, 1 kHz" "$pprofil" -q -F 1000 --overhead 100 -o profile.pb.gz
	[ $can_perf = no ] || row "$programs" "perf" perf record -q -e cpu-clock -F 1000 -o perf.data
done
