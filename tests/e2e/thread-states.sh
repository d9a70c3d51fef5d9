#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# -w: how long each thread ran, waited for a CPU and slept, compared with the kernel's own figures, where CPUs are full
# and where they are not.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# The bound is 3 % of the elapsed time, and the time for which threads were stopped: then they neither run nor wait nor
# sleep by themselves, and others get the CPU.
states_are() { # NAME THREADS MS RUN_US SLEEP_US
	name=$1
	shift
	"$pprofil" -q -w -F 1000 --overhead 1000 -o "$work/p.pb.gz" "$targets/thread-states" all "$@" >"$work/own"
	"$pprofil" convert -f csv -o "$work/p.csv" "$work/p.pb.gz"
	"$pprofil" report -f json "$work/p.pb.gz" >"$work/json"
	samples=$(($(number "$work/json" samples) / $1))
	if [ "$samples" -lt 300 ]; then
		echo "SKIP $name: too few samples on this machine: $samples of each thread"
		return
	fi
	bound=$(awk "BEGIN { print 0.03 + $(number "$work/json" stopped_ns) / 1e6 / $2 }")
	expect "$name: threads" "$1" "$(wc -l <"$work/own")"
	awk -F '[, ]' '
		NR == FNR { elapsed[$1] = $3; run[$1] = $5; wait[$1] = $7; next }
		{
			tid = $2
			if ($0 ~ /\[waiting for a CPU\]/) waited[tid] += $(NF)
			else if ($0 ~ /,(asleep|uninterruptible),/) slept[tid] += $(NF)
			else ran[tid] += $(NF)
		}
		function off(got, due, whole) { off_by = (got - due) / whole; return off_by < 0 ? -off_by : off_by }
		END {
			for (tid in elapsed) {
				whole = elapsed[tid]
				a = off(ran[tid], run[tid], whole); b = off(waited[tid], wait[tid], whole)
				c = off(slept[tid], whole - run[tid] - wait[tid], whole)
				printf "%s %.4f %.4f %.4f of %.3f s: ran %.3f of %.3f, waited %.3f of %.3f, slept %.3f of %.3f\n",
					tid, a, b, c, whole / 1e9, ran[tid] / 1e9, run[tid] / 1e9, waited[tid] / 1e9,
					wait[tid] / 1e9, slept[tid] / 1e9, (whole - run[tid] - wait[tid]) / 1e9
			}
		}' "$work/own" "$work/p.csv" >"$work/off"
	sed 's/^/# /' "$work/off"
	between "$name: running, off by" 0 "$(awk '$2 > m { m = $2 } END { print m + 0 }' "$work/off")" "$bound"
	between "$name: waiting for a CPU, off by" 0 "$(awk '$3 > m { m = $3 } END { print m + 0 }' "$work/off")" "$bound"
	between "$name: asleep, off by" 0 "$(awk '$4 > m { m = $4 } END { print m + 0 }' "$work/off")" "$bound"
}

cpus=$(nproc)
[ "$cpus" -le 32 ] || cpus=32 # half of THREADS_MAX in thread-states.c
states_are "busy, two for each CPU" $((2 * cpus)) 3000 5000 0
states_are "busy and asleep, two for each CPU" $((2 * cpus)) 3000 4000 6000
states_are "one in bursts" 1 3000 2000 8000

# two processes: one waits uninterruptibly as long as the other sleeps
"$pprofil" -q -w -F 1000 -o "$work/p.pb.gz" "$targets/thread-states" uninterruptible 4000
"$pprofil" report --by state --format csv "$work/p.pb.gz" >"$work/states"
sed 's/^/# /' "$work/states"
between "uninterruptible: share" 0.4 "$(awk -F, '$5 == "uninterruptible" { print $1 }' "$work/states")" 0.6
between "asleep: share" 0.4 "$(awk -F, '$5 == "asleep" { print $1 }' "$work/states")" 0.6
for state in uninterruptible asleep; do
	expect "the head: $state" 1 \
		"$("$pprofil" report "$work/p.pb.gz" | grep -Ec "^# threads were (.*, )?$state [45][0-9]\\.[0-9] %")"
done

# a call that is cut short and continued, and then sleeps for long
began=$(date +%s%N)
"$pprofil" -q -w -F 10000 --overhead 100 -o "$work/p.csv" "$targets/thread-states" writev 2000
expect "a continued call returns all" 0 $?
between "a continued call: seconds that it took" 1.9 \
	"$(awk -F, '/^[^#]/ && $9 == "writev" { sum += $NF } END { print sum / 1e9 }' "$work/p.csv")" \
	"$(awk "BEGIN { print ($(date +%s%N) - $began) / 1e9 }")"

# Threads that work for a moment, and then sleep for good. Where no CPU is idle, the tracer may read what a thread that
# it has sampled has used so far when that thread sleeps already.
cat >"$work/moments.c" <<'C'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void *work(void *unused)
{
	struct timespec used;
	do {
		for (volatile int i = 0; i < 1000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while (used.tv_nsec < 3000000);
	pause();
	return unused;
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 200; i++) {
		pthread_create(&thread, NULL, work, NULL);
		usleep(1000);
	}
	sleep(3);
	_exit(0);
}
C
if ${CC:-cc} -O1 -pthread -o "$work/moments" "$work/moments.c"; then
	for i in $(seq "$(nproc)"); do
		sh -c 'while :; do :; done' & busy="${busy:-} $!"
	done
	"$pprofil" -q -w --overhead 100 -o "$work/p.csv" "$work/moments"
	# shellcheck disable=SC2086
	kill $busy
	expect "threads that sleep after a moment: how many were seen asleep" 200 \
		"$(awk -F, '$1 != $2 && $10 == "asleep" { print $2 }' "$work/p.csv" | sort -u | wc -l)"
fi
finish
