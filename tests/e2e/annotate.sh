#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Annotated functions of real profiles: lines have the times that go's pprof gives them, the hottest instruction is also
# perf's, and jumps lead where objdump says.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"
go=$(ls /usr/lib/go-*/pkg/tool/linux_*/pprof 2>/dev/null | head -n 1)
go=${GO_PPROF:-$go}

annotate() { "$pprofil" annotate "$@"; }

mkdir "$work/src"
cat >"$work/src/scale.h" <<'END'
static inline double scale(double value)
{
	return value / 1.9999 / 1.0001 / 1.01 / 1.02;
}
END
cat >"$work/src/program.c" <<'END'
#include <time.h>
#include "scale.h"
__attribute__((noinline)) double divide(double sum, int n)
{
	for (int i = 0; i < n; i++)
		sum = sum / 1.0001 + 3;

	if (sum > 1e9)
		sum = 1;
	return sum;
}
__attribute__((noinline)) double inlines(double sum, int n)
{
	for (int i = 0; i < n; i++)
		sum = scale(sum) + 3;
	return sum;
}
int main(void)
{
	volatile double sum = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 2;
	while (clock() < end)
		sum = inlines(divide(sum, 100000), 50000);
	return 0;
}
END
(cd "$work/src" && "$cc" -O2 -g -o ../program "$work/src/program.c")
"$pprofil" -q --overhead 100 -o "$work/p.pb.gz" "$work/program"

# --- counts
"$pprofil" report -n 0 -f csv "$work/p.pb.gz" >"$work/csv"
samples=$(awk -F, '$5 == "divide" { print $4 }' "$work/csv")
annotate --instructions "$work/p.pb.gz" divide >"$work/instructions"
annotate --source "$work/p.pb.gz" divide >"$work/source"
annotate "$work/p.pb.gz" divide >"$work/both"
add_up() { awk '$1 ~ /^[0-9]+\.[0-9][0-9]$/ { sum += $2 } END { print sum }' "$1"; }
expect "instructions have all samples" "$samples" "$(add_up "$work/instructions")"
expect "lines have all samples" "$samples" "$(add_up "$work/source")"
expect "both have all samples" "$((2 * samples))" "$(add_up "$work/both")"
expect_text "head" "^# divide in $work/program, [0-9a-f]+-[0-9a-f]+\$" "$work/both"
# samples are at the instruction that waits for the division, which may be of either line
expect_text "a hot line" '^ *[0-9.]+ +[0-9]+ +[56]  	.*(sum = sum / 1.0001 \+ 3;|i\+\+\))$' "$work/source"
expect_text "a line without code" '^ +7  $' "$work/source"
expect "lines in their order" "$(awk '$NF != "" && /^ / { print }' "$work/source" |
	sed -n 's/^.\{16\} *\([0-9]\{1,\}\)  .*/\1/p' | sort -n | tr '\n' ' ')" \
	"$(sed -n 's/^.\{16\} *\([0-9]\{1,\}\)  .*/\1/p' "$work/source" | tr '\n' ' ')"

# --- inlined functions are named, with their file
annotate "$work/p.pb.gz" inlines >"$work/out"
expect_text "inlined: heading" "^ +$work/src/scale.h \(inlined: scale\)\$" "$work/out"
expect_text "inlined: line" '3  	return value / 1.9999 / 1.0001 / 1.01 / 1.02;$' "$work/out"
annotate --source "$work/p.pb.gz" inlines >"$work/out"
expect_text "inlined: in its own file" '3  	return value / 1.9999 / 1.0001 / 1.01 / 1.02;  \[scale\]$' "$work/out"
annotate --instructions "$work/p.pb.gz" inlines >"$work/out"
expect_text "inlined: instructions" '^ +\(inlined: scale\)$' "$work/out"

# --- jumps: each target within the function has an arrow's head
objdump -d --no-show-raw-insn "$work/program" | sed -n '/<divide>:/,/^$/p' |
	sed -n 's/.*\tj[a-z]* *\([0-9a-f]*\) <divide+.*/\1/p' | sort -u >"$work/targets"
heads=$(sed -n 's/^.\{16\} *\([0-9a-f]*\) [|+ -]*>.*/\1/p' "$work/instructions" | sort -u)
expect "heads of arrows" "$(cat "$work/targets")" "$heads"
between "jumps" 1 "$(wc -l <"$work/targets")" 20

# --- other programs' annotations
if [ -n "$go" ]; then
	PPROF_TMPDIR=$work "$go" -list '^divide$' -symbolize=none -unit=us "$work/p.pb.gz" 2>/dev/null |
		sed -n 's/us */ /; s/^ *\([0-9.]*\) .* \([0-9]*\):.*/\2 \1/p' | awk '$2 > 0' >"$work/go"
	total=$(awk -F, '$5 == "divide" { print $3 }' "$work/csv")
	sed -n 's/^ *\([0-9.]*\) *[0-9]* *\([0-9]\{1,\}\)  .*/\2 \1/p' "$work/source" |
		awk -v total="$total" '$2 > 0 { print $1, $2 * total / 100000 }' >"$work/ours"
	wrong=$(awk 'NR == FNR { ours[$1] = $2; next } { d = $2 - ours[$1]; if (d < -60 || d > 60) print }' \
		"$work/ours" "$work/go")
	expect "go: microseconds of lines" "" "$wrong"
	between "go: has lines" 1 "$(wc -l <"$work/go")" 20
fi
if command -v perf >/dev/null &&
	perf record -q -e cpu-clock:u -F 2000 -o "$work/perf.data" "$work/program" >/dev/null 2>&1; then
	# the hottest instruction of each has at least half as much in the other
	perf annotate --stdio -i "$work/perf.data" divide 2>/dev/null |
		sed -n 's/^ *\([0-9.]*\) *: *\([0-9a-f]*\):.*/\2 \1/p' | awk '$2 > 0' | sort >"$work/perf"
	sed -n 's/^ *\([0-9.]*\) *[0-9]*  *\([0-9a-f]\{4,\}\) .*/\2 \1/p' "$work/instructions" |
		awk '$2 > 0' | sort >"$work/ours"
	wrong=$(join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$work/perf" "$work/ours" | awk '
		{ theirs[$1] = $2; ours[$1] = $3; if ($2 > t) { t = $2; ta = $1 } if ($3 > o) { o = $3; oa = $1 } }
		END { if (ours[ta] < t / 2 || theirs[oa] < o / 2) print ta, t, ours[ta], oa, o, theirs[oa] }')
	expect "perf: the hottest instruction" "" "$wrong"
	between "perf: has instructions" 1 "$(wc -l <"$work/perf")" 100
fi

# --- which function
expect "a part of a name" 0 "$(status_of annotate "$work/p.pb.gz" divid)"
expect "an expression" 0 "$(status_of annotate "$work/p.pb.gz" '^div.*e$')"
expect "with its object" 0 "$(status_of annotate "$work/p.pb.gz" program:divide)"
expect "several" 125 "$(status_of annotate "$work/p.pb.gz" 'divide|inlines')"
expect_text "several: listed" '^ *[0-9.]+ %  program:divide$' "$work/err"
expect_text "several: listed" '^ *[0-9.]+ %  program:inlines$' "$work/err"
expect "none" 125 "$(status_of annotate "$work/p.pb.gz" no_such_function)"; one_line "none"
expect "no expression" 125 "$(status_of annotate "$work/p.pb.gz" '(')"; one_line "no expression"
expect "no function: the hottest" 0 "$(status_of annotate "$work/p.pb.gz")"
expect_text "it comes first" '^# divide in ' "$work/out"
expect "in the order of their time" "$(sed -n 's/^# .* samples, .* s, \([0-9.]*\) % of the profile.*/\1/p' "$work/out" | sort -rn)" \
	"$(sed -n 's/^# .* samples, .* s, \([0-9.]*\) % of the profile.*/\1/p' "$work/out")"
if command -v script >/dev/null; then
	# a less that only notes what it is told
	mkdir "$work/pager"
	printf 'cat >"%s/paged"; printf %%s "$LESS" >"%s/less"' "$work" "$work" >"$work/pager/less"
	chmod 755 "$work/pager/less"
	unset LESS PAGER
	PATH="$work/pager:$PATH" TERM=xterm script -qec "$pprofil annotate $work/p.pb.gz divide" /dev/null </dev/null >"$work/screen" 2>&1
	hottest=$(awk '$1 ~ /^[0-9]+[.][0-9][0-9]$/ && $1 + 0 > most { most = $1 + 0; line = NR }
		END { print line }' "$work/paged")
	expect "the pager begins at the hottest line" "${hottest}g" "$(tail -n 1 "$work/less")"
	pattern=$(sed -n 's/.*+\///p' "$work/less")
	expect "n and N go to hot lines" "$(awk '$1 ~ /^[0-9]+[.][0-9][0-9]$/ && $1 + 0 >= 5' "$work/paged" | wc -l)" \
		"$(grep -Ec "$pattern" "$work/paged")"
fi
expect "no file" 125 "$(status_of annotate /no/file divide)"; one_line "no file"

# --- on a terminal
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	on_terminal() { script -qec "env -u NO_COLOR TERM=xterm $*" /dev/null </dev/null; }
	PAGER="sed 's/^/PAGED /'"
	export PAGER
	on_terminal "'$pprofil' annotate '$work/p.pb.gz' divide" >"$work/out"
	expect_text "pager" '^PAGED .*# divide' "$work/out"
	expect_text "colour" "$(printf '\033')\\[31m *[1-9][0-9.]+ .*" "$work/out"
	on_terminal "'$pprofil' annotate --no-pager '$work/p.pb.gz' divide" >"$work/out"
	expect "--no-pager" 0 "$(grep -c PAGED "$work/out")"
	expect_text "--no-pager: colour" "$(printf '\033')\\[31m" "$work/out"
	PAGER='head -n 1' on_terminal "'$pprofil' annotate '$work/p.pb.gz' divide; echo status \$?" >"$work/out"
	expect_text "a reader that leaves" '^status 0' "$work/out"
	PAGER=/no/pager on_terminal "'$pprofil' annotate '$work/p.pb.gz' divide; echo status \$?" >"$work/out"
	expect_text "no such pager: status" '^status 125' "$work/out"
	expect_text "no such pager" "no pager '/no/pager'" "$work/out"
	unset PAGER
fi
expect "no colour in a pipe" 0 "$(NO_COLOR='' TERM=xterm "$pprofil" annotate "$work/p.pb.gz" divide |
	grep -c "$(printf '\033')")"

# --- sources that changed, or are gone
sleep 0.1; touch "$work/src/program.c"
annotate "$work/p.pb.gz" divide >"$work/out"
expect_text "newer source" "^# source is newer than the program, .*: $work/src/program.c\$" "$work/out"
rm "$work/src/scale.h"
annotate --source "$work/p.pb.gz" inlines >"$work/out"
expect_text "a part without source" '^ *[0-9.]+ +[0-9]+  in lines that were not found' "$work/out"
expect "a part without source: all samples" "$(awk -F, '$5 == "inlines" { print $4 }' "$work/csv")" \
	"$(add_up "$work/out")"
rm "$work/src/program.c"
for how in "" --source; do
	# shellcheck disable=SC2086
	annotate $how "$work/p.pb.gz" divide >"$work/out"
	expect_text "no source $how" "^# source not found: $work/src/program.c\$" "$work/out"
	expect "no source $how: instructions" "$samples" "$(add_up "$work/out")"
done
mv "$work/program" "$work/elsewhere"
expect "no program" 125 "$(status_of annotate "$work/p.pb.gz" divide)"; one_line "no program"
expect_text "no program: why" 'file is gone' "$work/err"

# --- many functions share a long list of empty ranges, which must not be read for each of them: that takes minutes
cat >"$work/shared.c" <<'END'
#include <time.h>
int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    while (clock() < end)
        for (volatile int i = 0; i < 100000; i++)
            ;
    return 0;
}
__asm__(".section .debug_info,\"\",%progbits\n .long 3f-2f\n2: .2byte 4\n .long 5f\n .byte 8\n"
        " .uleb128 1\n .2byte 4\n .quad main, 4096\n"
        " .rept 160000\n .byte 2\n .long 0\n .endr\n .byte 0\n3:\n"
        ".section .debug_abbrev,\"\",%progbits\n5: .uleb128 1,0x11\n .byte 1\n"
        " .uleb128 0x13,5,0x11,1,0x12,7,0,0\n .uleb128 2,0x2e\n .byte 0\n"
        " .uleb128 0x55,0x17,0,0\n .uleb128 0\n"
        ".section .debug_ranges,\"\",%progbits\n .rept 160000\n .quad -1, 0\n .endr\n .quad 0, 0\n"
        ".text\n");
END
if "$cc" -O1 -o "$work/shared" "$work/shared.c" 2>"$work/err"; then
	"$pprofil" -q --overhead 100 --no-symbolize -o "$work/shared.pb.gz" "$work/shared"
	timeout 60 "$pprofil" annotate "$work/shared.pb.gz" main >"$work/out" 2>"$work/err"
	expect "a list that all share: status" 0 $?
	# which instructions of the loop have them depends on the CPU
	samples=$("$pprofil" report -n 0 -f csv "$work/shared.pb.gz" | awk -F, '$5 == "main" { print $4 }')
	expect "a list that all share: instructions have all samples" "${samples:-some}" "$(add_up "$work/out")"
else
	echo "SKIP a list that all share: $(tail -n 1 "$work/err")"
fi
finish
