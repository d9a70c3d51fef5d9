#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Reports in the style of other systems' programs. The style of gprof is compared with gprof itself, on the files of
# programs that were compiled with -pg; in the others some lines are looked for.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"
unset GMON_OUT_PREFIX


# --- the command line
expect "unknown style" 125 "$(status_of "$pprofil" report --style x /dev/null)"
expect_text "unknown style: says which there are" 'kprof-plan9.*gprof' "$work/err"
expect "unknown order" 125 "$(status_of "$pprofil" report --style prof --sort x /dev/null)"
expect "rows of a style are functions" 125 "$(status_of "$pprofil" report --style prof -t /dev/null)"
expect "no style to sort" 125 "$(status_of "$pprofil" report --sort name /dev/null)"
expect_text "no style: says so" 'need --style' "$work/err"
expect "no file" 125 "$(status_of "$pprofil" report --style gprof "$work/none")"
expect "kprof has words for that" 125 "$(status_of "$pprofil" report --style kprof "$work/none")"
expect "kprof: its words" "kprof: $work/none: No such file or directory" "$(cat "$work/err")"
expect "no profile" 125 "$(status_of "$pprofil" report --style prof-bsd /etc/passwd)"

# --- files of programs that were compiled to profile themselves
cat >"$work/source.c" <<-C
	#include <stdlib.h>
	volatile int x;
	__attribute__((noinline)) static int leaf(int n) { for (int i = 0; i < n; i++) x += i; return x; }
	__attribute__((noinline)) int middle(int n) { return leaf(n) + leaf(2 * n); }
	int odd(int n);
	int even(int n) { return n == 0 ? leaf(5000) : odd(n - 1) + middle(1000); }
	int odd(int n) { return n == 0 ? 0 : even(n - 1) + leaf(3000); }
	int deep(int n) { return n == 0 ? middle(100) : deep(n - 1) + leaf(2000); }
	int main(int argc, char **argv)
	{
		int sum = 0, n = atoi(argv[argc - 1]);
		for (int i = 0; i < n; i++)
			sum += even(9) + deep(7) + middle(9000);
		return sum == 12345;
	}
C
cd "$work" || exit 1
compiled=no
for kind in "-no-pie" "-pie -fPIE" "-static"; do
	# shellcheck disable=SC2086
	"$cc" -O1 -pg $kind -o self source.c 2>cc.err && rm -f gmon.out && ./self 10000 || continue
	compiled=yes
	"$pprofil" report --style gprof --object self gmon.out >ours
	"$pprofil" report --style prof-bsd --object self gmon.out >out
	expect "calls in prof, linked with $kind" "$(awk '$7 == "middle" { print $4 }' ours)" \
		"$(awk '$5 == "middle" { print $3 }' out)"
	expect_text "calls are counted, linked with $kind" ' 70000 .* middle' ours
	command -v gprof >/dev/null || continue
	gprof -b -p self gmon.out >theirs
	expect "gprof, linked with $kind" "" "$(diff theirs ours)"
done
[ $compiled = yes ] || echo "SKIP files of programs: not compiled"

# --- a saved profile in every style
"$cc" -O1 -no-pie -o plain source.c || finish
"$pprofil" -q -o p.pb.gz ./plain 20000
for style in gprof prof prof-v7 prof-bsd prof-solaris prof-solaris-versioned kprof kprof-plan9; do
	expect "a profile, $style" 0 "$(status_of "$pprofil" report --style $style p.pb.gz)"
	expect_text "a profile, $style: leaf" '(leaf)' out
done
# The same samples, without those outside of the program, and rounded to whole ticks of 10 ms. The rounding of each of
# the program's five functions moves the sum of all ticks by up to half a tick.
"$pprofil" report -f csv -n 0 p.pb.gz >csv
least=$(awk -F, 'NR > 1 { ns += $3 } $5 == "leaf" { share = 100 * $1 }
	END { print share - 3 - 100 * 3 / (ns / 1e7) }' csv)
between "leaf's share, gprof" "$least" \
	"$("$pprofil" report --style gprof p.pb.gz | awk '$NF == "leaf" { print $1 }')" 100
between "leaf's share, prof" "$least" \
	"$("$pprofil" report --style prof p.pb.gz | awk '$NF == "leaf" { print $1 }')" 100
expect "rows by name" "$("$pprofil" report --style prof --no-header p.pb.gz | awk '{ print $NF }' | sort)" \
	"$("$pprofil" report --style prof --no-header --sort name p.pb.gz | awk '{ print $NF }')"
# --- files of those systems, as convert writes them, are read back
for format in kpdata mon mon-solaris gmon gmon-bsd pcsample; do
	"$pprofil" convert -f $format -o "saved.$format" p.pb.gz
	"$pprofil" report --style prof --input-format $format --object plain "saved.$format" >out
	expect "prof of $format" leaf "$(awk 'NR == 2 { print $NF }' out)"
done
if command -v gprof >/dev/null; then
	gprof -b -p plain saved.gmon >theirs
	"$pprofil" report --style gprof --object plain saved.gmon >ours
	expect "gprof of gmon" "" "$(diff theirs ours)"
fi
expect "kprof has to be told the text" 125 "$(status_of "$pprofil" report --style kprof saved.kpdata)"
expect "kprof: its words for that" "kprof: usage: kprof text data" "$(cat err)"
expect "kprof: no text" 125 \
	"$(status_of "$pprofil" report --style kprof --object source.c saved.kpdata)"
expect "kprof: its words for no text" "kprof: text file not an a.out" "$(cat err)"
for object in /dev/null "$work"; do # neither is an ELF file, nor a regular one
	status_of "$pprofil" report --style kprof --object "$object" saved.kpdata >/dev/null
	expect "kprof: its words for $object" "kprof: text file not an a.out" "$(cat err)"
done

# --- a program and its library, in the one style that has several objects
cat >library.c <<-C
	volatile int y;
	int in_library(int n) { for (int i = 0; i < n; i++) y += i; return y; }
C
cat >uses.c <<-C
	int in_library(int n);
	volatile int x;
	__attribute__((noinline)) int in_program(int n) { for (int i = 0; i < n; i++) x += i; return x; }
	int main(void) { int s = 0; for (int i = 0; i < 9000; i++) s += in_library(90000) + in_program(60000);
		return s == 12345; }
C
if "$cc" -O1 -shared -fPIC -o libtimes.so library.c &&
	"$cc" -O1 -o uses uses.c -L. -ltimes -Wl,-rpath,"$work"; then
	"$pprofil" -q -o both.pb.gz ./uses
	"$pprofil" convert -f mon-solaris -o both.mon both.pb.gz
	for file in both.pb.gz both.mon; do
		"$pprofil" report --style prof-solaris-versioned --no-header $file >out
		expect "modules of $file" "in_library in_program" \
			"$(awk 'NR <= 2 { print $NF }' out | sort | tr '\n' ' ' | sed 's/ $//')"
	done
	expect "one object of a profile" in_library "$("$pprofil" report --style gprof \
		--object libtimes.so both.pb.gz | awk '/in_/ { print $NF }')"
fi

expect "an object that was not profiled" 125 \
	"$(status_of "$pprofil" report --style prof --object nothing.so p.pb.gz)"
finish
