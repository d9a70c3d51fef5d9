#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# AArch64: stops keep SVE's registers, as long as the program makes no system call.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "$(uname -m)" = aarch64 ] || skip "this is no AArch64"
grep -qw sve /proc/cpuinfo || skip "the CPU has no SVE"
cat >"$work/vectors.c" <<'END'
#include <stdio.h>
#include <string.h>

/* Keeps bytes in the lowest and the highest of the registers, and a predicate, while it counts. */
static void keep(const unsigned char *from, unsigned char *to, unsigned long times)
{
    __asm__ volatile("ptrue p0.b\nld1b {z0.b}, p0/z, [%1]\nmov z31.d, z0.d\nnot z31.b, p0/m, z31.b\n"
                     "cmphi p7.b, p0/z, z0.b, #9\n"
                     "1: subs %0, %0, #1\nb.ne 1b\n"
                     "st1b {z0.b}, p0, [%2]\nst1b {z31.b}, p7, [%2, #1, mul vl]\n"
                     : "+r"(times) : "r"(from), "r"(to) : "memory", "cc", "z0", "z31", "p0", "p7");
}

int main(void)
{
    unsigned char from[256], to[512], first[512];
    unsigned lost = 0;

    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + 3);
    memset(first, 0, sizeof first);
    keep(from, first, 1);
    for (int i = 0; i < 200; i++) {
        memset(to, 0, sizeof to);
        keep(from, to, 2000000);
        lost += memcmp(to, first, sizeof to) != 0;
    }
    printf("lost %u, all zero %d\n", lost, first[1] == 0);
    return 0;
}
END
gcc -O1 -march=armv8-a+sve -o "$work/vectors" "$work/vectors.c" || skip "the compiler knows no SVE"
"$pprofil" -f json -F 10000 --overhead 1000 "$work/vectors" >"$work/out" 2>"$work/report"
expect "SVE: status" 0 $?
expect "SVE: what was kept" "lost 0, all zero 0" "$(cat "$work/out")"
between "SVE: samples" 50 "$(number "$work/report" samples)" 1e9
finish
