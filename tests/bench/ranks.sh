#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: what a sample costs each rank of a job of Open MPI, if each rank has its own pprofil, and if one
# pprofil is above the launcher. The ranks do the same fixed work, and say how much CPU time they needed for it. They
# send no messages meanwhile, because ranks that wait use CPU time, too. Each profiled run comes between two plain ones.
#
#   ranks.sh [-n ROUNDS]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
rounds=7
while getopts n: option; do [ "$option" = n ] && rounds=$OPTARG; done
bench_start
command -v mpirun.openmpi >/dev/null && command -v mpicc.openmpi >/dev/null ||
	{ echo "ranks.sh: Open MPI is not installed"; exit 0; }
cat >program.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static double used(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}
__attribute__((noinline)) static unsigned long solve(long n)
{
	unsigned long x = 1;
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	double start = used();
	unsigned long x = solve(1500000000);
	printf("%.3f\n", used() - start);
	MPI_Finalize();
	return x == 0;
}
C
mpicc.openmpi -O1 -g -o program program.c || exit 1
options="--oversubscribe --bind-to none"
[ "$(id -u)" = 0 ] && options="$options --allow-run-as-root"

# run RANKS [COMMAND...]: prints the mean CPU time of a rank, ms
# shellcheck disable=SC2086
run() {
	ranks=$1
	shift
	mpirun.openmpi $options -n "$ranks" "$@" ./program 2>err </dev/null |
		awk -v ranks="$ranks" '{ sum += $1 } END { if (NR == ranks) print sum / NR }'
}
# above RANKS: the same as run, with one pprofil for all ranks
# shellcheck disable=SC2086
above() {
	"$pprofil" -q -o prof/all.pb.gz mpirun.openmpi $options -n "$1" ./program 2>err </dev/null |
		awk -v ranks="$1" '{ sum += $1 } END { if (NR == ranks) print sum / NR }'
}
# cost RANKS HOW: what the profiled runs of so many ranks needed more than the plain ones around them
cost() {
	rm -f ratios costs samples
	before=$(run "$1")
	for ((i = 0; i < rounds; i++)); do
		rm -rf prof
		mkdir prof
		case $2 in
		each) with=$(run "$1" "$pprofil" -o 'prof/%r.pb.gz') ;;
		above) with=$(above "$1") ;;
		esac
		after=$(run "$1")
		number=$("$pprofil" report -n 0 -f csv prof | awk -F, '$5 == "solve" { print $4 }')
		[ -n "$before" ] && [ -n "$with" ] && [ -n "$after" ] && [ -n "$number" ] ||
			{ echo "ranks.sh: a run failed: $(head -n 1 err)"; exit 1; }
		echo "$before $with $after $number $1" | awk '{ plain = ($1 + $3) / 2
			print $2 / plain >>"ratios"; print 1000 * ($2 - plain) * $5 / $4 >>"costs"; print $4 / $5 >>"samples" }'
		before=$after
	done
	printf 'ranks: %d, pprofil: %-5s  %.3f of the CPU time without it, %.0f samples a rank, %.0f us each\n' \
		"$1" "$2" "$(median ratios)" "$(median samples)" "$(median costs)"
}
for ranks in 1 2 4; do
	cost $ranks each
	cost $ranks above
done
