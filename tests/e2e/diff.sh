#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Diffs of real profiles: they show what changed in a program, and nothing else. Their seconds are those of go's pprof.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"
go=$(ls /usr/lib/go-*/pkg/tool/linux_*/pprof 2>/dev/null | head -n 1)
go=${GO_PPROF:-$go}


# A diff counts an inlined function as its caller; so does pprof with -noinlines.
# program NAME STEADY CHANGED: its functions have these parts of the CPU time. What they really took is in
# $work/NAME.own.
program() {
	cat >"$work/$1.c" <<-END
		#include "clocks.h"
		#define BODY for (volatile int i = 0; i < 100000; i++)
		__attribute__((noinline)) void steady(void) { BODY; }
		__attribute__((noinline)) void changed(void) { BODY; }
		__attribute__((noinline)) void only_$1(void) { BODY; }
		int main(void)
		{
			struct part parts[] = {{"steady", steady, $2, 0}, {"changed", changed, $3, 0}, {"only_$1", only_$1, 0.2, 0}};
			spend_parts(parts, 3, 1);
			return 0;
		}
	END
	"$cc" -O1 -g -fno-inline -I"$source/tests/targets" -o "$work/$1" "$work/$1.c"
	"$pprofil" -q --overhead 1000 -F 2000 -o "$work/$1.pb.gz" "$work/$1" >"$work/$1.own"
	"$pprofil" report -n 0 -f csv "$work/$1.pb.gz" >"$work/csv"
	shares_are "$1" "$work/$1.own" "$work/csv" 0.01
}
program old 0.6 0.2
program new 0.3 0.5
"$pprofil" -q --overhead 1000 -o "$work/again.pb.gz" "$work/old" >"$work/out"

# --- what changed: shares of 60, 20 and 20 % become 30, 50 and 20 %
field() { awk -F, -v name="$1" -v column="$2" '$1 == name { print $column }' "$work/csv"; }
# differs_by NAME COLUMN FUNCTION UNIT: the difference of the reports' column is what the diff says
differs_by() {
	for profile in old new; do
		"$pprofil" report -n 0 -f csv "$work/$profile.pb.gz" | awk -F, -v name="$3" -v column="$2" '$5 == name { print $column }'
	done >"$work/values"
	paste -s "$work/values" | awk -v unit="$4" '{ print ($2 - $1) / unit - 0.00001, ($2 - $1) / unit + 0.00001 }' >"$work/bounds"
	read -r low high <"$work/bounds"
	between "$1" "$low" "$(field "$3" 13)" "$high"
}
"$pprofil" diff -f csv "$work/old.pb.gz" "$work/new.pb.gz" >"$work/csv"
expect "changed: significant" 1 "$(field changed 4)"
differs_by "changed: by" 1 changed 1
expect "changed: in old" old "$(field changed 2)"
expect "changed: in new" new "$(field changed 3)"
expect "steady: significant" 1 "$(field steady 4)"
differs_by "steady: by" 1 steady 1
expect "gone" 1, "$(field only_old 4),$(field only_old 3)"
expect "appeared" 1, "$(field only_new 4),$(field only_new 2)"
status_of "$pprofil" diff "$work/old.pb.gz" "$work/new.pb.gz" >"$work/status"
expect "status" 0 "$(cat "$work/status")"
expect_text "mark of more" '^\+.* changed +old -> new$' "$work/out"
expect_text "mark of less" '^-.* steady ' "$work/out"
expect_text "only in old" '^-.*only_old .*\(only in old\)$' "$work/out"
expect_text "verdict" '^# total CPU [0-9.]+ s -> [0-9.]+ s, [-+][0-9.]+ % \+- [0-9.]+ %; [0-9]+ of [0-9]+ functions changed significantly$' \
	"$work/out"
expect_text "how large a change must be" \
	'^# to be found in 4 of 5 cases, a change of [a-z_]+ must be about [0-9.]+ points or more \([0-9]+ % of its [0-9.]+ %\); with more samples, smaller changes are found$' \
	"$work/out"
expect_text "one run a side" '^# note: each profile is one run' "$work/out"
expect "--exit-code" 1 "$(status_of "$pprofil" diff --exit-code "$work/old.pb.gz" "$work/new.pb.gz")"
# in two runs of one program no share differs by 30 points by chance
expect "--exit-code and the same" 0 \
	"$(status_of "$pprofil" diff --exit-code --least 30 "$work/old.pb.gz" "$work/again.pb.gz")"
expect "--exit-code and itself" 0 \
	"$(status_of "$pprofil" diff --exit-code "$work/old.pb.gz" "$work/old.pb.gz")"
expect_text "itself" '; 0 of [0-9]+ functions changed' "$work/out"

# --- the same verdicts in pictures
# verdicts_agree NAME OLD NEW: a function with one frame is coloured if diff marks its total (or its self, if there are
# no stacks); of one with several, a frame is coloured. A frame is grey if its text says that it may be chance. Names
# that occur twice and frames that are too narrow are left out.
verdicts_agree() {
	"$pprofil" diff -n 0 -f csv "$2" "$3" | tr -d '\r' >"$work/csv"
	"$pprofil" diff "$2" "$3" | sed -n 's/.*; \([0-9]* of [0-9]* function.* changed significantly\)$/\1/p' >"$work/verdict"
	"$pprofil" convert --baseline "$2" -o "$work/changes.flame.svg" "$3"
	expect_text "$1: heading" "$(cat "$work/verdict")" "$work/changes.flame.svg"
	awk '/<rect.*><title>/ { name = $0; sub(/.*<title>/, "", name); grey = /fill="#e8e6e3"/ }
		/^change / { print name "," !grey "," !/may be chance/ }' "$work/changes.flame.svg" >"$work/frames"
	expect "$1: colours are what texts say" "" "$(awk -F, '$2 != $3' "$work/frames")"
	awk -F, 'NR == FNR { frames[$1]++; coloured[$1] += $2; next }
		FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i
			changed = "total_significant" in column ? column["total_significant"] : column["significant"]
			share = "total_significant" in column ? column["total_new_share"] : column["new_share"]; next }
		{ rows[$1]++; verdict[$1] = $changed; wide[$1] = $share > 0.001 }
		END { for (name in rows) if (rows[name] == 1 && wide[name]) {
			compared++
			if (verdict[name] ? !coloured[name] : frames[name] == 1 && coloured[name]) print name }
			print compared + 0 >"/dev/stderr" }' "$work/frames" "$work/csv" >"$work/differ" 2>"$work/compared"
	expect "$1: other verdicts" "" "$(cat "$work/differ")"
	between "$1: functions" 3 "$(cat "$work/compared")" 10000
}
verdicts_agree "picture of what changed" "$work/old.pb.gz" "$work/new.pb.gz"
expect "picture of what changed: changed" 1 "$(grep -c '^changed,1,1$' "$work/frames")"
expect "picture of what changed: steady" 1 "$(grep -c '^steady,1,1$' "$work/frames")"
verdicts_agree "picture of the same program" "$work/old.pb.gz" "$work/again.pb.gz"
for program in old new; do
	"$pprofil" -q -g --overhead 1000 -F 2000 -o "$work/$program-g.pb.gz" "$work/$program" >"$work/out"
done
"$pprofil" -q -g --overhead 1000 -F 2000 -o "$work/again-g.pb.gz" "$work/old" >"$work/out"
verdicts_agree "picture of stacks" "$work/old-g.pb.gz" "$work/new-g.pb.gz"
verdicts_agree "picture of stacks of the same program" "$work/old-g.pb.gz" "$work/again-g.pb.gz"
verdicts_agree "picture of itself" "$work/old-g.pb.gz" "$work/old-g.pb.gz"
expect "picture of itself: coloured" 0 "$(grep -c ',1,' "$work/frames")"

# --- other measures
"$pprofil" diff --absolute -f csv -n 0 "$work/old.pb.gz" "$work/new.pb.gz" >"$work/csv"
differs_by "seconds" 3 changed 1e9
if [ -n "$go" ]; then
	PPROF_TMPDIR=$work "$go" -top -noinlines -symbolize=none -nodecount=1000 -nodefraction=0 -unit=ns -diff_base "$work/old.pb.gz" "$work/new.pb.gz" \
		2>/dev/null | awk '{ sub(/ \(inline\)$/, "") } $1 ~ /ns$/ { sub(/ns$/, "", $1); print $NF, $1 }' | sort >"$work/go"
	tr -d '\r' <"$work/csv" | awk -F, 'NR > 1 && $8 != $7 { sum[$1] += $8 - $7 }
		END { for (name in sum) printf "%s %.0f\n", name, sum[name] }' | sort >"$work/ours"
	wrong=$(join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$work/go" "$work/ours" |
		awk '{ d = $2 - $3; if (d < -1e6 || d > 1e6) print }')
	expect "go: differences" "" "$wrong"
	between "go: has rows" 3 "$(wc -l <"$work/go")" 1000
fi
expect "--per-elapsed" 0 "$(status_of "$pprofil" diff --per-elapsed "$work/old.pb.gz" "$work/new.pb.gz")"
expect_text "--per-elapsed: verdict" '^# total CPU [0-9.]+ s/s -> ' "$work/out"
if command -v python3 >/dev/null; then
	"$pprofil" diff -f json "$work/old.pb.gz" "$work/new.pb.gz" | python3 -c '
import json, sys
diff = json.load(sys.stdin)
row = [r for r in diff["rows"] if r["name"] == "changed"][0]["self"]
assert row["low"] < row["change"] < row["high"] and row["significant"] and row["q"] <= 0.05
assert abs(row["new"]["share"] - row["old"]["share"] - row["change"]) < 1e-9
print(diff["by"], diff["functions"] == len(diff["rows"]))' >"$work/out" 2>&1
	expect "JSON" "share True" "$(cat "$work/out")"
fi
expect "-n" 2 "$("$pprofil" diff -f csv -n 1 "$work/old.pb.gz" "$work/new.pb.gz" | wc -l | tr -d ' ')"

# --- errors
expect "one file" 125 "$(status_of "$pprofil" diff "$work/old.pb.gz")"; one_line "one file"
expect "no file" 125 "$(status_of "$pprofil" diff "$work/old.pb.gz" /no/file)"; one_line "no file"
"$pprofil" -q -w -o "$work/wall.pb.gz" "$targets/known-shares" 0.1 >/dev/null
expect "CPU and elapsed time" 125 "$(status_of "$pprofil" diff "$work/old.pb.gz" "$work/wall.pb.gz")"
one_line "CPU and elapsed time"
expect "no output" 125 "$(status_of "$pprofil" diff -o /no/file "$work/old.pb.gz" "$work/new.pb.gz")"
one_line "no output"
finish
