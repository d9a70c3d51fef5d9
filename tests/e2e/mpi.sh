#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs that Open MPI and MPICH start: a pprofil in each rank, and one above the launcher. The program measures with its
# own clock how long each rank computes and how long it waits in MPI, where both libraries poll.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
cat >steps.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double used(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
__attribute__((noinline)) void solve(double seconds)
{
	for (double end = used() + seconds; used() < end;)
		for (volatile int i = 0; i < 200000; i++)
			;
}
int main(int argc, char **argv)
{
	double computed = 0, waited = 0, step = atof(argv[1]), sum, in = 1;
	int rank, ranks;
	char name[64];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < 10; i++) {
		double start = used();
		solve(step * (1 + 2.0 * rank / (ranks - 1)));
		double between = used();
		MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		computed += between - start;
		waited += used() - between;
	}
	snprintf(name, sizeof name, "own-%d", rank);
	FILE *own = fopen(name, "w");
	fprintf(own, "%d %.0f %.0f\n", rank, computed * 1e9, waited * 1e9);
	fclose(own);
	MPI_Finalize();
	return sum == ranks ? 0 : 1;
}
C

# cell FILE RANK FUNCTION: "SAMPLES NS" of the function with all that it calls
cell() {
	"$pprofil" report -n 0 -f csv --rank "$2" "$1" >cell.csv
	awk -F, -v f="$3" '$5 == f || $5 == "P" f { print $NF, $(NF - 1); exit }' cell.csv
}
# unsampled FILE RANK: the time for which the rank could not be sampled, ns
unsampled() {
	cell "$1" "$2" '[not sampled]' | awk '{ ns = $2 } END { print ns + 0 }'
}
# check_ranks NAME FILE RANKS
check_ranks() {
	expect "$1: ranks" "$3" "$("$pprofil" report -n 0 -f csv --by rank "$2" | awk -F, 'NR > 1 && $5 ~ /^[0-9]+$/' | wc -l)"
	expect "$1: the host" "$(uname -n)" "$("$pprofil" report -f csv --by host "$2" | awk -F, 'NR == 2 { print $5 }')"
	"$pprofil" report -n 0 -f csv --imbalance "$2" >imbalance.csv
	expect "$1: waiting in MPI is a row of its own" 1 "$(grep -c '^P*MPI_Allreduce,[^,]*,1,' imbalance.csv)"
}
# check_picture NAME FILE RANKS: the bars have the time in MPI of the report, and each has at least what the rank waited
check_picture() {
	"$pprofil" convert -o job.ranks.svg "$2"
	sed -n 's/.*>rank \([0-9]*\), the whole run: .*, \([0-9.]*\) s in MPI<.*/\2 \1/p' job.ranks.svg >bars
	expect "$1: a bar for each rank" "$3" "$(wc -l <bars)"
	while read -r seconds rank; do
		between "$1: rank $rank: time in MPI, in the picture" \
			"$(awk -v unsampled="$(unsampled "$2" "$rank")" '{ print 0.7e-9 * $3 - 0.05 - unsampled / 1e9 }' \
				"own-$rank")" "$seconds" 100
	done <bars
	seconds=$("$pprofil" report -f json --imbalance "$2" | sed 's/.*"mpi":{//; s/}.*//; s/.*"ns":\([0-9]*\).*/\1/')
	between "$1: time in MPI, in the picture" "$(awk "BEGIN { print $seconds / 1e9 - 0.01 }")" \
		"$(awk '{ sum += $1 } END { print sum }' bars)" "$(awk "BEGIN { print $seconds / 1e9 + 0.01 }")"
}
# check_times NAME FILE RANKS: times of each rank, and the imbalance, are what the program has measured
check_times() {
	name=$1 file=$2 rank=0
	while [ "$rank" -lt "$3" ]; do
		read -r _ computed waited <"own-$rank"
		for function in solve MPI_Allreduce; do
			due=$computed
			[ $function = solve ] || due=$waited
			cell "$file" $rank $function >cell
			read -r samples ns <cell || samples=0 ns=0
			time_is "$name: rank $rank: $function" "$due" "$samples" "$ns" $((computed + waited)) \
				"$(unsampled "$file" $rank)"
		done
		rank=$((rank + 1))
	done
	check_picture "$name" "$file" "$3"
	awk '{ print $1, $2 }' own-* >own
	imbalance_is "$name" solve imbalance.csv own
}

tried=0
for mpi in openmpi mpich; do
	command -v mpirun.$mpi >/dev/null && command -v mpicc.$mpi >/dev/null || continue
	mpicc.$mpi -O1 -g -o steps steps.c >log 2>&1 || { echo "# $mpi: $(head -n 1 log)"; continue; }
	options=
	[ $mpi = openmpi ] && options="--oversubscribe --bind-to none"
	[ $mpi = openmpi ] && [ "$(id -u)" = 0 ] && options="$options --allow-run-as-root"
	# shellcheck disable=SC2086
	mpirun.$mpi $options -n 2 ./steps 0.001 >log 2>&1 </dev/null ||
		{ echo "# mpirun.$mpi does not work here: $(head -n 3 log | tr '\n' ' ')"; continue; }
	tried=$((tried + 1))
	for ranks in 4 16; do
		# 16 ranks on few CPUs are only to be there
		step=0.05
		[ $ranks = 4 ] || step=0.002
		rm -rf own-* prof
		mkdir prof
		# shellcheck disable=SC2086
		expect "$mpi, $ranks ranks: status" 0 "$(status_of mpirun.$mpi $options -n $ranks \
			"$pprofil" -g --overhead 100 -o 'prof/%h-%r.pb.gz' ./steps "$step")"
		expect "$mpi, $ranks ranks: one says so" 1 "$(grep -c 'profile saved' err)"
		expect "$mpi, $ranks ranks: files" $ranks "$(ls prof/"$(uname -n)"-*.pb.gz | wc -l)"
		expect "$mpi, $ranks ranks: merge" 0 "$(status_of "$pprofil" merge -o all.pb.gz prof)"
		check_ranks "$mpi, $ranks ranks" all.pb.gz $ranks
		[ $ranks = 16 ] || check_times "$mpi, $ranks ranks" all.pb.gz $ranks
	done
	rm -f own-*
	# shellcheck disable=SC2086
	expect "above mpirun.$mpi: status" 0 "$(status_of "$pprofil" -q -g --overhead 100 -o above.pb.gz \
		mpirun.$mpi $options -n 4 ./steps 0.05)"
	check_ranks "above mpirun.$mpi" above.pb.gz 4
	check_times "above mpirun.$mpi" above.pb.gz 4
done
[ $tried -gt 0 ] || skip "neither Open MPI nor MPICH can run programs here"
finish
