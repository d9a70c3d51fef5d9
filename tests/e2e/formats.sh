#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Real profiles in the formats of the profil family: GNU gprof reads the same names and seconds
# from gmon.out that pprofil reports, and pprofil reads back what it wrote.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"

# seconds_of_report FILE OBJECT: "name seconds" of the functions of an object, from JSON
seconds_of_report() {
	awk -F'"' '
		$2 == "name" { name = $4; object = "" }
		$2 == "ns" { split($3, ns, /[:,]/) }
		$2 == "object" { if ($4 == wanted) print name, ns[2] / 1e9 }' wanted="$2" "$1" | sort
}
seconds_of_gprof() { awk '$1 ~ /^[0-9.]+$/ && $3 ~ /^[0-9.]+$/ { print $NF, $3 }' "$1" | sort; }
# Names and seconds are the same, but for a tick and what gprof rounds to two digits. Two ticks may be in
# code without a symbol, or with one that has a dot, which gprof gives to the symbol before it.
same_seconds() { # NAME REPORT GPROF
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$2" "$3" >"$work/both"
	wrong=$(awk '{ d = $2 - $3; if (d < 0) d = -d; if (d > 0.0075 && ($2 > 0.025 || $3 > 0.025)) print }' "$work/both")
	expect "$1: seconds" "" "$wrong"
	between "$1: functions" 2 "$(awk '$2 > 0.02' "$work/both" | wc -l)" 1000
}
# with_gprof NAME PROFILE OBJECT SYMBOLS GMON
with_gprof() {
	"$pprofil" report -n 0 -f json "$2" >"$work/json"
	seconds_of_report "$work/json" "$3" >"$work/ours"
	gprof -b -p "$4" "$5" >"$work/gprof" 2>"$work/gprof.err"
	expect "$1: gprof" "" "$(cat "$work/gprof.err")"
	seconds_of_gprof "$work/gprof" >"$work/theirs"
	same_seconds "$1" "$work/ours" "$work/theirs"
}
top() { "$pprofil" report -f csv -n 1 "$@" | awk -F, 'NR == 2 { print $5 }'; }

# a counter is for four bytes, and gprof divides one that two functions share
flags="-O1 -g -falign-functions=16"

# --- kinds of programs
if command -v gprof >/dev/null; then
	for kind in "-pie -fPIE" "-no-pie" "-static"; do
		# shellcheck disable=SC2086
		"$cc" $flags $kind -pthread -o "$work/split" "$source/tests/targets/known-shares.c" || continue
		"$pprofil" -q -o "$work/p.pb.gz" "$work/split" 0.7 >/dev/null
		"$pprofil" convert -o "$work/gmon.out" "$work/p.pb.gz"
		with_gprof "linked with $kind" "$work/p.pb.gz" split "$work/split" "$work/gmon.out"
	done

	# --- symbols in a file of their own
	# shellcheck disable=SC2086
	"$cc" $flags -pthread -o "$work/split" "$source/tests/targets/known-shares.c"
	objcopy --only-keep-debug "$work/split" "$work/split.debug"
	objcopy --strip-all --add-gnu-debuglink="$work/split.debug" "$work/split"
	"$pprofil" -q -o "$work/p.pb.gz" "$work/split" 0.7 >/dev/null
	"$pprofil" convert -f gmon -o "$work/debug.gmon" "$work/p.pb.gz"
	with_gprof "debug file" "$work/p.pb.gz" split "$work/split.debug" "$work/debug.gmon"

	# --- saved at once, and read again
	"$pprofil" -q --overhead 100 -f gmon -o "$work/direct.gmon" "$work/split" 1 >/dev/null
	expect "saved at once" spend_half "$(top --object "$work/split" "$work/direct.gmon")"
fi

# --- two objects, one file each; parts of the CPU time, whatever the CPU thinks of each loop
body() { # NAMES...
	for name in "$@"; do
		echo "__attribute__((noinline)) void $name(void) { for (volatile int i = 0; i < 100000; i++); }"
	done
}
body library_one library_two >"$work/library.c"
{ echo '#include "clocks.h"'
  body program_one program_two
  echo 'void library_one(void);
	void library_two(void);
	static struct part parts[] = {{"library_one", library_one, 0.2, 0}, {"library_two", library_two, 0.4, 0},
		{"program_one", program_one, 0.2, 0}, {"program_two", program_two, 0.2, 0}};
	int main(void) { spend_parts(parts, 4, 2); return 0; }'; } >"$work/program.c"
# shellcheck disable=SC2086
"$cc" $flags -shared -fPIC -o "$work/libwork.so" "$work/library.c" &&
	"$cc" $flags -I"$source/tests/targets" -o "$work/program" "$work/program.c" -L"$work" -lwork -Wl,-rpath,"$work"
"$pprofil" -q --overhead 1000 -o "$work/two.pb.gz" "$work/program" >"$work/own"
"$pprofil" convert -o "$work/two.gmon" "$work/two.pb.gz"
"$pprofil" report -n 0 -f csv "$work/two.pb.gz" >"$work/csv"
shares_are "two objects" "$work/own" "$work/csv"
if command -v gprof >/dev/null; then
	with_gprof "program of two" "$work/two.pb.gz" program "$work/program" "$work/two.gmon"
	with_gprof "library of two" "$work/two.pb.gz" libwork.so "$work/libwork.so" \
		"$work/two.gmon.libwork.so"
fi

# --- what was written is read
for format in gmon gmon-bsd mon kpdata n64 pcsample sprof; do
	"$pprofil" convert -f $format -o "$work/file" "$work/two.pb.gz"
	expect "$format: read back" program_one,program_two \
		"$("$pprofil" report -f csv -n 2 --input-format $format --object "$work/program" "$work/file" |
			awk -F, 'NR > 1 { print $5 }' | sort | paste -s -d,)"
	expect "$format: library read back" library_two \
		"$(top --input-format $format --object "$work/libwork.so" "$work/file.libwork.so")"
done
"$pprofil" convert -f mon-solaris -o "$work/mon.out" "$work/two.pb.gz"
expect "mon-solaris: finds its objects" library_two "$(top "$work/mon.out")"
"$pprofil" convert --object "$work/program" -o "$work/again.pb.gz" "$work/two.gmon"
expect "from gmon" program_one,program_two "$("$pprofil" report -f csv -n 2 "$work/again.pb.gz" |
	awk -F, 'NR > 1 { print $5 }' | sort | paste -s -d,)"
"$pprofil" convert -f kpdata --dialect plan9 -o "$work/plan9" "$work/two.pb.gz"
cpu_ns() { "$pprofil" report -f json "$@" >"$work/json" && number "$work/json" cpu_ns; }
due=$("$pprofil" report --by object -f csv -n 0 "$work/two.pb.gz" | awk -F, '$5 ~ /\/program$/ { print $1 }')
# of its ticks a part is lost to rounding
between "kpdata: Plan 9 read back" "$(echo "$due" | awk '{ print $1 - 0.02 }')" \
	"$(echo "$(cpu_ns --input-format kpdata "$work/plan9") $(cpu_ns "$work/two.pb.gz")" | awk '{ print $1 / $2 }')" \
	"$(echo "$due" | awk '{ print $1 + 0.02 }')"

# --- one counter with more than it can hold: the same pc, often
address=$(nm "$work/program" | sed -n 's/^0*\([0-9a-f]*\) T program_two$/\1/p')
address=$(printf %x $(((0x$address + 7) & ~3))) # the counter is this function's alone
bytes=$(echo "0000000000000000$address" | sed 's/.*\(................\)$/\1/; s/../& /g' |
	awk '{ for (i = 8; i > 0; i--) print $i }')
for byte in $bytes; do
	# shellcheck disable=SC2059
	printf "\\$(printf %o "0x$byte")"
done >"$work/once"
cp "$work/once" "$work/often.pcsample"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
	cat "$work/often.pcsample" "$work/often.pcsample" >"$work/twice"
	mv "$work/twice" "$work/often.pcsample"
done
"$pprofil" convert --object "$work/program" -o "$work/often.gmon" "$work/often.pcsample"
if command -v gprof >/dev/null; then
	gprof -b -p "$work/program" "$work/often.gmon" >"$work/gprof" 2>&1
	expect "131072 ticks in a counter" "program_two 1310.72" "$(seconds_of_gprof "$work/gprof")"
fi

# --- errors
expect "no output" 125 "$(status_of "$pprofil" convert "$work/two.pb.gz")"; one_line "no output"
expect "no file" 125 "$(status_of "$pprofil" convert -o "$work/x" /no/file)"; one_line "no file"
# what a file does not say is left out, and no zero stands for it
printf 'main;work 40\nmain 20\n' >"$work/bare.folded"
"$pprofil" report "$work/bare.folded" >"$work/out"
expect "unknown figures: text" "
# pprofil
# 60 samples, 0.060 s of CPU time
# 1 process, 1 thread" "$(sed '/self%/,$d' "$work/out")"
"$pprofil" report -f json "$work/bare.folded" >"$work/out"
for key in command elapsed_ns target_cpu_ns stopped_ns supervisor_cpu_ns lost repaired overhead asked_hz; do
	expect_text "unknown figures: $key in JSON" "\"$key\": null" "$work/out"
done
expect "unknown figures: CSV" "work,[unknown],,,," "$("$pprofil" report -f csv "$work/bare.folded" | sed -n 2p | cut -d, -f5-10)"
"$pprofil" diff "$work/bare.folded" "$work/bare.folded" >"$work/out"
expect_text "unknown figures: diff" '^# old: 60 samples, 0.060 s of CPU time$' "$work/out"
"$pprofil" report -f json "$work/two.pb.gz" >"$work/out"
expect "figures of a run are all known" 0 "$(grep -cE '"(command|elapsed_ns|target_cpu_ns|lost|asked_hz)": null' "$work/out")"
expect "no such format" 125 "$(status_of "$pprofil" convert -f x -o "$work/x" "$work/two.pb.gz")"
one_line "no such format"
expect "a format that is only read" 125 \
	"$(status_of "$pprofil" convert -f events -o "$work/x" "$work/two.pb.gz")"
one_line "a format that is only read"
expect "no such dialect" 125 \
	"$(status_of "$pprofil" convert --dialect x -f mon -o "$work/x" "$work/two.pb.gz")"
one_line "no such dialect"
expect "scale that counts nothing" 125 \
	"$(status_of "$pprofil" convert --scale 1 --dialect irix -f mon -o "$work/x" "$work/two.pb.gz")"
one_line "scale that counts nothing"
expect "not of that format" 125 "$(status_of "$pprofil" report --input-format kpdata "$work/two.gmon")"
one_line "not of that format"
expect "no such object" 125 "$(status_of "$pprofil" report --object /no/file "$work/two.gmon")"
one_line "no such object"
mkdir "$work/way.gmon.libwork.so"
expect "another's name beside it" 125 \
	"$(status_of "$pprofil" convert -o "$work/way.gmon" "$work/two.pb.gz")"
one_line "another's name beside it"
expect_text "another's name beside it: which" 'way.gmon.libwork.so: cannot write: it is no file' \
	"$work/err"
expect "and nothing was written" "" "$(ls -d "$work/way.gmon" 2>/dev/null)"
head -c 200 "$work/two.gmon" >"$work/short.gmon"
expect "cut short" 125 "$(status_of "$pprofil" report "$work/short.gmon")"; one_line "cut short"
expect "nothing was left behind" "" "$(ls -a "$work" | grep '^\.pprofil')"
finish
