#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# --from and --to choose a range of time of a saved profile.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# rounds of 2 s in phase_a, then 2 s in phase_b. A busy machine may start the program late, so 0.6 s around each change
# of phase are left out.
"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$targets/phases" 2 2 >/dev/null
# share FILE FUNCTION OPTIONS...: the function's share, 0 to 1
share() {
	file=$1 function=$2
	shift 2
	"$pprofil" report -n 0 -f csv "$@" "$file" | awk -F, -v f="$function" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR > 1 && index($column["name"], f) == 1 { found = $column["share"] }
		END { print found + 0 }'
}
samples() { "$pprofil" report -f json "$@" >"$work/json" && number "$work/json" samples; }
between "phase_a in the first phase" 0.95 "$(share "$work/p.pb.gz" phase_a --from 0.6 --to 1.4)" 1
between "phase_b in the second" 0.95 "$(share "$work/p.pb.gz" phase_b --from 2.6 --to 3.4)" 1
between "phase_a in the third" 0.95 "$(share "$work/p.pb.gz" phase_a --from 4.6 --to 5.4)" 1
between "phase_b until the end" 0.95 "$(share "$work/p.pb.gz" phase_b --from 6.6)" 1
all=$(samples "$work/p.pb.gz")
first=$(samples --to 3 "$work/p.pb.gz")
rest=$(samples --from 3 "$work/p.pb.gz")
expect "two ranges are the whole" "$all" "$((first + rest))"
between "time of a range" 0.999 "$("$pprofil" report -f json --from 1 --to 3 "$work/p.pb.gz" >"$work/json" &&
	number "$work/json" elapsed_ns | awk '{ print $1 / 2e9 }')" 1.001

# --- saved, in other formats, and parts of parts
for format in pb.gz json perf.data; do
	"$pprofil" convert --from 1 --to 3 -o "$work/part.$format" "$work/p.pb.gz"
	between "a saved range as $format" 0.95 "$(share "$work/part.$format" phase_a --to 1.4)" 1
done
between "a range of a range" 0.95 "$(share "$work/part.pb.gz" phase_b --from 2.6 --to 2.9)" 1
"$pprofil" convert --from 4.5 --to 5.5 -o "$work/a.pb.gz" "$work/p.pb.gz"
"$pprofil" convert --from 6.5 --to 7.5 -o "$work/b.pb.gz" "$work/p.pb.gz"
"$pprofil" merge -o "$work/ab.pb.gz" "$work/a.pb.gz" "$work/b.pb.gz"
between "a range of merged files" 0.95 "$(share "$work/ab.pb.gz" phase_b --from 6.6)" 1
"$pprofil" convert --from 2.6 --to 3.4 -o "$work/part.folded" "$work/p.pb.gz"
between "the stacks of a range" 0.95 \
	"$(awk '/phase_b/ { b += $NF } { all += $NF } END { print b / all }' "$work/part.folded")" 1
"$pprofil" convert --thread phases --from 0 --to 3 -o "$work/part.heat.svg" "$work/p.pb.gz"
expect_text "a heat map of a part" '</svg>' "$work/part.heat.svg"

# --- sleeping threads
"$pprofil" -q -w -o "$work/w.pb.gz" "$targets/sleepers" 5 0 3 >/dev/null
"$pprofil" report -n 0 -f csv --by thread --from 1 --to 2 "$work/w.pb.gz" >"$work/threads"
between "each thread sleeps for the whole range" 0.9 "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
	NR > 1 && (least == "" || $column["ns"] < least) { least = $column["ns"] }
	END { print least / 1e9 }' "$work/threads")" 1.1

# --- what cannot be chosen
"$pprofil" convert -o "$work/p.folded" "$work/p.pb.gz"
# refused NAME PATTERN OPTIONS...
refused() {
	name=$1 pattern=$2
	shift 2
	expect "$name: status" 125 "$(status_of "$pprofil" report "$@")"
	one_line "$name"
	expect_text "$name" "$pattern" "$work/err"
}
refused "a file without times" "does not say when its samples were taken" --from 1 "$work/p.folded"
refused "a range after the end" "the profile ends after [78]" --from 100 "$work/p.pb.gz"
refused "a range without length" "the shortest range of this profile is 0.02 s" --from 1 --to 1.001 "$work/p.pb.gz"
refused "a range that is the wrong way round" "must be before --to" --from 3 --to 2 "$work/p.pb.gz"
refused "a range that is no number" "from" --from x "$work/p.pb.gz"
finish
