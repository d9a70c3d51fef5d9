#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil --dialect: runs counted from outside by the rules of each system, compared with what the
# kernel says of CPU time, with glibc's own profil(3), and with gprof.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
ticks_of() { sed -n 's/^pprofil: [^:]*: \([0-9]*\) ticks.*/\1/p' "$1" | head -n 1; }

# --- every dialect writes its system's file, and its ticks are the CPU time -----------------
# split prints its own CPU time, in ns. A tick may be owed; user-only dialects miss what the
# program spends in system calls, which is next to nothing.
for dialect in irix irix-sprofil solaris pcsample bsd44 osx osf1 osf1x n64 inferno plan9 v7 glibc; do
	hz=100
	case $dialect in osf1*) hz=1024 ;; v7) hz=60 ;; esac
	"$pprofil" --dialect "$dialect" -o "out.$dialect" "$targets/split" 1 >own 2>err
	cpu=$(sed -n 's/^cpu \([0-9]*\).*/\1/p' own)
	expected=$((cpu / (1000000000 / hz)))
	between "$dialect: ticks x period is the CPU time" $((expected * 97 / 100 - 2)) \
		"$(ticks_of err)" $((expected + 1))
	"$pprofil" report -f json -n 0 "out.$dialect" >json 2>err ||
		"$pprofil" report -f json -n 0 --format-of-file "$dialect" "out.$dialect" >json 2>err
done
