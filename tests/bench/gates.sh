#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: how often pprofil diff --fail-over 2% is wrong about real runs: in pairs of five runs each of the
# same program, and in pairs in which one function of the new program takes 5 % longer. Compares seconds, and shares,
# which do not depend on how fast the machine is during a run.
#
#   gates.sh [-n PAIRS] [-r ROUNDS]     ROUNDS: how much a run does; 1000 take some 5 s
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
pairs=20 rounds=1000
while getopts n:r: option; do
	case $option in
	n) pairs=$OPTARG ;;
	r) rounds=$OPTARG ;;
	*) exit 125 ;;
	esac
done
bench_start
# The loops use registers only: where the stack lies, which is another place in each run, does not change their speed.
cat >program.c <<'C'
#include <stdlib.h>
#define WORK(name) \
	__attribute__((noinline)) void name(long n) \
	{ \
		unsigned long x = 1; \
		for (long i = 0; i < n; i++) { \
			x = x * 6364136223846793005u + 1; \
			__asm__ volatile("" : "+r"(x)); \
		} \
	}
WORK(parse) WORK(solve) WORK(print)
int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 1;
	double slower = argc > 2 ? atof(argv[2]) : 1;
	for (int i = 0; i < rounds; i++) {
		parse(1200000);
		solve((long)(1600000 * slower));
		print(1200000);
	}
	return 0;
}
C
${CC:-cc} -O1 -g -o program program.c || exit 1

# sample DIRECTORY RUN SLOWER
sample() {
	mkdir -p "$1"
	"$pprofil" -q -F 2k --overhead 1000 -o "$1/$2.pb.gz" ./program "$rounds" "$3" ||
		{ echo "gates.sh: a run failed"; exit 1; }
}
# gate NEW [OPTION...]: 1 if the gate finds that NEW is slower than old
gate() {
	new=$1
	shift
	"$pprofil" diff --fail-over 2% "$@" old vs "$new" >"$new.diff" 2>err
	status=$?
	[ $status -le 1 ] || { echo "gates.sh: $(head -n 1 err)" >&2; status=1000000; }
	echo $status
}
# count HOW [OPTION...]: adds what the gate finds in this pair to the sums of HOW
declare -A alarms alarms_of_one found found_of_all wrong
count() {
	how=$1
	shift
	alarms[$how]=$((${alarms[$how]:-0} + $(gate equal "$@")))
	alarms_of_one[$how]=$((${alarms_of_one[$how]:-0} + $(gate equal --function solve "$@")))
	found_of_all[$how]=$((${found_of_all[$how]:-0} + $(gate slower "$@")))
	found[$how]=$((${found[$how]:-0} + $(gate slower --function solve "$@")))
	wrong[$how]=$((${wrong[$how]:-0} + $(gate slower --function '[!s]*' "$@")))
}
for ((i = 0; i < pairs; i++)); do
	rm -rf old equal slower
	for run in 1 2 3 4 5; do
		sample old $run 1
		sample equal $run 1
		sample slower $run 1.05
	done
	count seconds --absolute
	count shares
done
samples=$("$pprofil" report -f json old/1.pb.gz | sed -n 's/.*"samples": \([0-9]*\),.*/\1/p' | head -n 1)
for how in seconds shares; do
	echo "$how, $pairs pairs of equal runs, $samples samples a run:" \
		"${alarms[$how]} false alarms; ${alarms_of_one[$how]} with --function solve"
	echo "$how, $pairs pairs with solve 5 % slower: ${found[$how]} found with --function solve," \
		"${found_of_all[$how]} among all; ${wrong[$how]} alarms of others"
done
