#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: how often pprofil diff --fail-over 2% is wrong about real runs: in pairs of five runs each of the
# same program, and in pairs in which one function of the new program takes 5 % longer.
#
#   gates.sh [-n PAIRS]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
build=${abs_builddir:-$PWD}
pairs=20
while getopts n: option; do [ "$option" = n ] && pairs=$OPTARG; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pprofil=$build/.libs/pprofil
export LD_LIBRARY_PATH=$build/.libs
[ -x "$pprofil" ] || pprofil=$build/pprofil
cd "$work" || exit 1
cat >program.c <<'C'
#include <stdlib.h>
#define WORK(name) __attribute__((noinline)) void name(long n) { for (volatile long i = 0; i < n; i++) ; }
WORK(parse) WORK(solve) WORK(print)
int main(int argc, char **argv)
{
	double slower = argc > 1 ? atof(argv[1]) : 1;
	for (int i = 0; i < 100; i++) {
		parse(1200000);
		solve((long)(1600000 * slower));
		print(1200000);
	}
	return 0;
}
C
${CC:-cc} -O1 -g -o program program.c || exit 1

# runs NEW: five runs of the old program and five of the new one, in turn
runs() {
	rm -rf old new
	mkdir old new
	for run in 1 2 3 4 5; do
		"$pprofil" -q -F 10k --overhead 1000 -o old/$run.pb.gz ./program
		"$pprofil" -q -F 10k --overhead 1000 -o new/$run.pb.gz ./program "$1"
	done
}
gate() {
	"$pprofil" diff --absolute --fail-over 2% "$@" old vs new >diff
	echo $?
}
alarms=0 alarms_of_one=0 found=0 found_of_all=0 wrong=0
for ((i = 0; i < pairs; i++)); do
	runs 1
	alarms=$((alarms + $(gate)))
	alarms_of_one=$((alarms_of_one + $(gate --function solve)))
	runs 1.05
	found_of_all=$((found_of_all + $(gate)))
	found=$((found + $(gate --function solve)))
	wrong=$((wrong + $(gate --function '[!s]*')))
done
samples=$("$pprofil" report -f json old/1.pb.gz | sed -n 's/.*"samples": \([0-9]*\),.*/\1/p' | head -n 1)
echo "$pairs pairs of equal runs, $samples samples a run: $alarms false alarms; $alarms_of_one with --function solve"
echo "$pairs pairs with solve 5 % slower: $found found with --function solve, $found_of_all among all; $wrong alarms of others"
