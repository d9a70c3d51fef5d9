#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# How much is copied of the targets' stacks. --events keeps all that the supervisor sends.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
# bytes_of_samples OPTIONS... PROGRAM...: runs it, and prints the mean size of a sample with its stack
bytes_of_samples() {
	"$pprofil" -q -g --overhead 100 --events "$work/events" -f json -o "$work/json" "$@" >/dev/null
	echo $(($(wc -c <"$work/events") / $(number_of samples)))
}
number_of() { sed -n "s/^\"totals\":{.*\"$1\":\([0-9]*\).*/\1/p" "$work/json"; }

# The stack of the first thread that a program makes lies below the libraries, with no gap between them. The stacks of
# these threads have less than 8 kB, and at most 1 MB is copied at once.
cat >"$work/threads.c" <<'C'
#include <pthread.h>
#include <time.h>
static void *spend(void *unused)
{
	struct timespec used;
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while (used.tv_nsec < 300000000);
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, spend, NULL);
	return pthread_join(thread, NULL);
}
C
${CC:-cc} -O1 -pthread -o "$work/threads" "$work/threads.c" || skip "no C compiler"
between "the first thread: bytes of a sample" 100 "$(bytes_of_samples "$work/threads")" 50000

# The stack of a thread that sleeps on is sent with its 1st, 2nd, 4th, 8th... sample. Each of the 22 stacks here takes
# more than 2000 bytes, and a sample without a stack takes 72.
between "sleeping threads: bytes of a sample" 72 "$(bytes_of_samples -w "$targets/waiters" 2)" 800
"$pprofil" report -n 0 -f csv --wait account_lock "$work/json" >"$work/csv"
between "the share of a sleep's samples that have its stack" 0.95 "$(awk -F, '$5 == "wait_lock" { print $11 }' "$work/csv")" 1
finish
