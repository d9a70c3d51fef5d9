#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# When a handler runs on an alternate stack, the supervisor looks in that stack for the registers of the interrupted
# code, and copies that code's stack, too. Other memory of a stack may look similar: while an exception is thrown, the
# C++ runtime notes there where registers are.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v gcc >/dev/null || skip "no compiler"

# share PATTERN: the share of the samples whose stack matches it
share() {
	"$pprofil" convert -f folded -o "$work/folded" "$work/p.pb.gz"
	awk -v pattern="$1" '{ all += $NF; if ($0 ~ pattern) some += $NF } END { print (all > 0 ? some / all : -1) }' \
		"$work/folded"
}

cat >"$work/handles.c" <<'EOF2'
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static volatile unsigned long sink;
static __attribute__((noinline)) void burn(clock_t how_long)
{
    for (clock_t begin = clock(); clock() - begin < how_long;)
        for (int i = 0; i < 10000; i++)
            sink += i;
    sink++; /* without this, the call of burn would be a jump */
}
static void handler(int number)
{
    burn(5000);
    sink += number;
}
int main(void)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct itimerval timer = {{0, 10000}, {0, 10000}};
    sigaltstack(&stack, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
    burn(2000000);
    return 0;
}
EOF2
gcc -O1 -g -o "$work/handles" "$work/handles.c" 2>"$work/log" || skip "$(cat "$work/log")"
"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$work/handles"
between "an alternate stack: all stacks are whole" 0.98 "$(share '^_start;')" 1
# the handler takes half of the CPU time: 5 ms after each 10 ms
between "an alternate stack: callers of the handler" 0.3 "$(share '^_start;.*;main;burn;.*;handler;burn')" 0.7

if command -v g++ >/dev/null; then
	cat >"$work/throws.cc" <<'EOF2'
__attribute__((noinline)) int thrower(int i)
{
    if (i >= 0)
        throw i;
    return i;
}
int main()
{
    long sum = 0;
    for (int i = 0; i < 1000000; i++)
        try {
            sum += thrower(i);
        } catch (int caught) {
            sum += caught;
        }
    return sum == 1;
}
EOF2
	g++ -O1 -o "$work/throws" "$work/throws.cc"
	"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$work/throws"
	# before, 3 to 5 of 100 were cut short
	between "exceptions: all stacks are whole" 0.99 "$(share '^_start;')" 1
fi
finish
