#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Inlined functions are frames: trees, flat rows, folded stacks and pprof files name them, with the lines
# of their calls. Parts of profiles are annotated, compared and merged.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"
go=$(ls /usr/lib/go-*/pkg/tool/linux_*/pprof 2>/dev/null | head -n 1)
go=${GO_PPROF:-$go}

csv() { "$pprofil" report -n 0 -f csv "$@" | tr -d '\r'; }
self() { csv "$@" "$work/p.pb.gz" | awk -F, -v name="$name" '$5 == name { print $4 }'; }

mkdir "$work/src"
cat >"$work/src/scale.h" <<'END_OF_SCALE'
static inline __attribute__((always_inline)) double scale(double value)
{
	return value / 1.9999 / 1.0001 / 1.01 / 1.02;
}
END_OF_SCALE
echo 'sum = sum / 1.001 / 1.002 / 1.003 + 1;' >"$work/src/body.def"
cat >"$work/src/program.c" <<'END_OF_PROGRAM'
#include <time.h>
#include "scale.h"
static inline __attribute__((always_inline)) double row(double sum, int n)
{
	for (int i = 0; i < n; i++)
		sum = scale(sum) + 3;
	return sum;
}
__attribute__((noinline)) double work(double sum, int n)
{
	sum = row(sum, n);
	for (int i = 0; i < n; i++)
#include "body.def"
	return sum;
}
int main(void)
{
	volatile double sum = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 2;
	while (clock() < end)
		sum = work(sum, 50000);
	return 0;
}
END_OF_PROGRAM
(cd "$work/src" && "$cc" -O2 -g -o ../program "$work/src/program.c")
"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$work/program"
"$pprofil" -q --overhead 100 -o "$work/flat.pb.gz" "$work/program"

# --- trees and rows
"$pprofil" report --tree "$work/p.pb.gz" | tr -d '\r' >"$work/out"
expect "who was inlined into whom" "main work row(inlined) scale(inlined)" \
	"$(grep -oE ' (main|work|row|scale)( \(inlined\))? ' "$work/out" | tr -d ' ' | awk '!seen[$0]++' |
		head -n 4 | paste -s -d' ')"
expect "self times add up to the whole" "$("$pprofil" report -f json "$work/p.pb.gz" >"$work/json" &&
	number "$work/json" samples)" "$(csv "$work/p.pb.gz" | awk -F, 'NR > 1 { sum += $4 } END { print sum }')"
expect "a tree says the same of each" "$(csv "$work/p.pb.gz" | awk -F, '$5 == "scale" || $5 == "row" || $5 == "work" { print $5, $3 }' | sort)" \
	"$(csv --tree --min 0 "$work/p.pb.gz" | awk -F, '$5 == "scale" || $5 == "row" || $5 == "work" { ns[$5] += $3 }
		END { for (name in ns) print name, ns[name] }' | sort)"
name=work
inlined=$(csv "$work/p.pb.gz" | awk -F, '$5 == "scale" || $5 == "row" || $5 == "work" { sum += $4 } END { print sum }')
expect "--no-inlines: all is the caller's" "$inlined" "$(self --no-inlines)"
expect "and the others have no rows" "" "$(name=scale && self --no-inlines)"
expect "where it is declared" "$work/src/scale.h 1" \
	"$(csv "$work/p.pb.gz" | awk -F, '$5 == "scale" { print $7, $8 }')"
"$pprofil" report --callers scale --min 5 "$work/p.pb.gz" >"$work/out"
expect_text "callers" '^ *[0-9.]+ .* work +program' "$work/out"
expect "without stacks they are their caller's" "work" \
	"$(csv "$work/flat.pb.gz" | awk -F, '$5 ~ /^(scale|row|work)$/ { print $5 }')"
"$pprofil" report --by line "$work/flat.pb.gz" >"$work/out"
expect_text "lines are those of the innermost" 'src/scale.h:3|scale.h +.*:3\)' "$work/out"

# --- other formats
"$pprofil" convert -o "$work/p.folded" "$work/p.pb.gz"
expect_text "folded" ';main;work;row;scale [0-9]+$' "$work/p.folded"
if [ -n "$go" ]; then
	pprof() { PPROF_TMPDIR=$work "$go" -symbolize=none -unit=ns -nodecount=1000 -nodefraction=0 "$@" "$work/p.pb.gz" 2>/dev/null; }
	pprof -top | awk '$2 ~ /^[0-9.]+%$/ { sub("ns", "", $1); sub("ns", "", $4); print $6, $1 + 0, $4 + 0 }' |
		grep -E '^(main|work|row|scale) ' | sort >"$work/theirs"
	csv "$work/p.pb.gz" | awk -F, '$5 ~ /^(main|work|row|scale)$/ { print $5, $3, $13 }' | sort >"$work/ours"
	expect "as pprof counts" "$(cat "$work/theirs")" "$(cat "$work/ours")"
	expect "pprof: four functions" 4 "$(wc -l <"$work/theirs" | tr -d ' ')"
	pprof -list '^work$' >"$work/list"
	expect "pprof: work is in two files" "body.def program.c" \
		"$(awk '/^ROUTINE/ { sub(".*/", "", $NF); print $NF }' "$work/list" | sort | paste -s -d' ')"
	expect_text "pprof: a line of the other file" '^ *[0-9.]+m?u?n?s .* 1:sum = sum / 1.001' "$work/list"
	expect_text "pprof: the line of a call" '^ +\. +[0-9.]+m?u?n?s +11:	sum = row\(sum, n\);$' "$work/list"
	pprof -list '^scale$' >"$work/list"
	expect_text "pprof: the header's own line" '^ *[0-9.]+m?u?n?s .* 3:	return value / 1.9999' "$work/list"
fi

# --- C++: inlined functions are named like others. Each has a loop, because emulated machines are
# interrupted only at jumps, so that all samples might be in one function.
if command -v c++ >/dev/null; then
	cat >"$work/src/classes.cc" <<'END_OF_CLASSES'
#include <ctime>
volatile double d = 1.0001;
#define LOOP(value) do { for (int i = 0; i < 100; i++) value = value / d / 1.002 + 1; } while (0)
namespace outer { namespace { struct Hidden {
	double v;
	inline __attribute__((always_inline)) double down() const { double value = v; LOOP(value); return value; }
}; } template <class T> struct Box {
	T v;
	inline __attribute__((always_inline)) T down() const { T value = v; LOOP(value); return value; }
}; }
__attribute__((noinline)) double work(double sum, int n)
{
	for (int i = 0; i < n; i++)
		sum = outer::Hidden{sum}.down() + outer::Box<double>{sum}.down() + 1;
	return sum;
}
int main()
{
	double sum = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 3;
	while (clock() < end)
		sum = work(sum, 500);
	return 0 * sum;
}
END_OF_CLASSES
	c++ -O2 -g -o "$work/classes" "$work/src/classes.cc"
	"$pprofil" -q -g --overhead 100 -o "$work/c.pb.gz" "$work/classes"
	expect "scopes of what was inlined" "outer::(anonymous namespace)::Hidden::down outer::Box<double>::down() const" \
		"$(csv "$work/c.pb.gz" | awk -F, '$5 ~ /down/ { sub(/Hidden::down\(\) const/, "Hidden::down", $5); print $5 }' |
			LC_ALL=C sort | paste -s -d' ')"
	"$pprofil" annotate --instructions "$work/c.pb.gz" '^work' >"$work/out" 2>&1
	expect_text "annotate names them alike" '\(inlined: outer::Box<double>::down\(\) const\)' "$work/out"
fi

# --- parts of profiles, in all commands that read them
expect "a function that was inlined" "$(name=scale && self)" \
	"$(csv --function scale "$work/p.pb.gz" | awk -F, 'NR > 1 { sum += $4 } END { print sum }')"
expect "annotate" 0 "$(status_of "$pprofil" annotate --source --function scale "$work/p.pb.gz" work)"
expect "annotate: only its lines have samples" "" \
	"$(awk '$1 ~ /^[0-9]+\.[0-9][0-9]$/ && $2 > 0' "$work/out" | grep -v scale)"
expect "annotate: no such function" 125 \
	"$(status_of "$pprofil" annotate --focus no_such "$work/p.pb.gz" work)"
one_line "annotate: no such function"
expect "diff" 0 "$(status_of "$pprofil" diff -f csv -n 0 --comm program --function work "$work/flat.pb.gz" "$work/flat.pb.gz")"
expect "diff: one function is left" "work" "$(tr -d '\r' <"$work/out" | awk -F, 'NR > 1 { print $1 }')"
expect "diff: no such process" 125 "$(status_of "$pprofil" diff --comm nobody "$work/p.pb.gz" "$work/flat.pb.gz")"
one_line "diff: no such process"
expect "merge" 0 "$(status_of "$pprofil" merge --function work -o "$work/both.pb.gz" "$work/flat.pb.gz" "$work/flat.pb.gz")"
expect "merge: twice that part" "$(csv "$work/flat.pb.gz" | awk -F, '$5 == "work" { print 2 * $4 }')" \
	"$(csv "$work/both.pb.gz" | awk -F, 'NR > 1 { print $4 }')"
expect "merge: no such process" 125 \
	"$(status_of "$pprofil" merge --comm nobody -o "$work/none.pb.gz" "$work/p.pb.gz")"
one_line "merge: no such process"
expect "a heat map of a part" 0 \
	"$(status_of "$pprofil" convert --ignore work -o "$work/part.heat.svg" "$work/flat.pb.gz")"
expect "a heat map of what was merged" 0 "$("$pprofil" merge -o "$work/two.pb.gz" "$work/p.pb.gz" "$work/flat.pb.gz" &&
	status_of "$pprofil" convert -o "$work/two.heat.svg" "$work/two.pb.gz")"
# a part of a name that is no expression is taken as it is, and that is said
printf 'main;f(int) 5\nmain;g 7\n' >"$work/names.folded"
"$pprofil" report --focus 'f(' -f csv -n 0 "$work/names.folded" >"$work/part.csv" 2>"$work/err"
expect "no expression: status" 0 $?
expect "no expression: the part" "f(int)" "$(awk -F, 'NR > 1 && $4 > 0 { print $5 }' "$work/part.csv")"
expect_text "no expression: the note" "note: --focus: 'f[(]' is no regular expression" "$work/err"
"$pprofil" report --focus 'f(int)' "$work/names.folded" >/dev/null 2>"$work/err"
expect "a whole name: no note" "" "$(cat "$work/err")"
finish
