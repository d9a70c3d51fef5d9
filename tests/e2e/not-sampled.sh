#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The supervisor is stopped for a while, as if it got no CPU. What the target does meanwhile is not put down to the code
# that it executes afterwards: the time is a row of its own.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
cat >phases.c <<'C'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double used(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
static void work(double seconds)
{
	for (double end = used() + seconds; used() < end;)
		for (volatile int i = 0; i < 200000; i++)
			;
}
__attribute__((noinline)) void sampled(void)
{
	work(0.5);
	__asm__ volatile("");
}
__attribute__((noinline)) void hidden(void)
{
	work(1.5);
	__asm__ volatile("");
}
int main(void)
{
	sampled();
	printf("%d\n", (int)getpid());
	fflush(stdout);
	getchar();
	double start = used();
	hidden();
	double end = used();
	puts("continue");
	fflush(stdout);
	getchar();
	sampled();
	printf("%.0f %.0f\n", (used() - (end - start)) * 1e9, (end - start) * 1e9);
	return 0;
}
C
"${CC:-cc}" -O1 -g -o phases phases.c || exit 1

# the supervisor must not stay behind stopped, nor its target
# shellcheck disable=SC2154
trap 'kill -9 ${client:-} ${supervisor:-} ${target:-} 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT PIPE TERM

target_sleeps() { grep -q '^State:.S' "/proc/$target/status"; }
has_supervisor() { supervisor=$(tracer_of "$target") && [ "${supervisor:-0}" -gt 0 ]; }
all_threads_are_stopped() { ! grep -h '^State:' /proc/"$supervisor"/task/*/status | grep -qv 'T (stopped)'; }

# profile SECONDS OPTION...: the target reads its standard input before and after the supervisor is stopped, so that the
# supervisor does not hold it. SECONDS is how long it sleeps afterwards
profile() {
	seconds=$1
	shift
	rm -f to from
	mkfifo to from
	timeout -k 1 100 "$pprofil" -q -g "$@" -o phases.pb.gz ./phases <to >from 2>err &
	client=$!
	exec 3>to 4<from
	read -r target <&4
	await has_supervisor
	await target_sleeps
	kill -STOP "$supervisor"
	await all_threads_are_stopped
	echo >&3
	read -r _ <&4
	await target_sleeps
	kill -CONT "$supervisor"
	sleep "$seconds"
	echo >&3
	read -r sampled hidden <&4
	wait "$client"
	status=$?
	exec 3>&- 4<&-
	client= supervisor= target=
}
# cell FUNCTION: "SAMPLES NS" of CPU time
cell() { awk -F, -v f="$1" '$5 == f { print $NF, $(NF - 1); exit }' functions.csv; }

# The target works on immediately, or sleeps first
for options in "" -w "-w 0.3"; do
	name="time not sampled, options '$options'"
	# shellcheck disable=SC2086
	set -- $options
	profile "${2:-0}" -F 1000 --overhead 100 ${1-}
	expect "$name: status" 0 "$status"
	"$pprofil" report -n 0 -f csv phases.pb.gz >functions.csv
	# it may get no CPU at another time, too, if other programs are at work here
	row=$(cell '[not sampled]' | awk '{ ns = $2 } END { printf "%.0f", ns }')
	between "$name: the time without samples" "$((hidden - 50000000))" "$row" "$((hidden + 600000000))"
	cell sampled >counts
	read -r samples ns <counts || samples=0 ns=0
	time_is "$name: the time with samples" "$sampled" "$samples" "$ns" "$sampled" \
		"$((row > hidden ? row - hidden : 0))"
	expect "$name: the function without samples" "" "$(cell hidden)"
	"$pprofil" report phases.pb.gz >report
	expect_text "$name: the report" '\[not sampled\]' report
	expect "$name: no frames are missing" 0 "$(grep -c '^# stacks:' report)"
	"$pprofil" convert -f folded -o - phases.pb.gz >folded
	expect "$name: folded" 1 "$(grep -c '^\[not sampled\] ' folded)"
	"$pprofil" convert -o again.json phases.pb.gz
	expect "$name: as JSON" "$(cell '[not sampled]')" \
		"$("$pprofil" report -n 0 -f csv again.json >functions.csv; cell '[not sampled]')"
done

# elapsed time: what was not sampled is no sleep, too
"$pprofil" report -f json phases.pb.gz >report.json
between "-w: the thread's time is what has elapsed" 0.8 \
	"$(awk "BEGIN { print $(number report.json wall_ns) / $(number report.json elapsed_ns) }")" 1.1

# without a stop, hardly any time is not sampled: none, unless the supervisor really gets no CPU here
expect "without a stop: status" 0 "$(status_of "$pprofil" -q -o plain.json ./phases </dev/null)"
"$pprofil" report -n 0 -f csv plain.json >functions.csv
between "without a stop" 0 "$(cell '[not sampled]' | awk '{ ns = $2 } END { print ns + 0 }')" 0.6e9
finish
