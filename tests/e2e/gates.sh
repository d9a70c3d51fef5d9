#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Gates for builds: pprofil diff --fail-over with several runs of each side. The runs are made up: their figures vary as
# those of samples do, and the speed of a run by 1 %. The random numbers are the same in each run of this test.
# tests/bench/gates.sh does the same with real runs.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
# runs SIDE SEED SLOWER: five files SIDE-N.folded of about 10000 samples; `solve` takes SLOWER times as long
runs() {
	awk -v side="$1" -v seed="$2" -v slower="$3" '
		function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
		function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform()) }
		BEGIN {
			seed = seed * 1009 + 17
			names = split("parse solve print hash sort", name)
			split("0.3 0.4 0.2 0.06 0.04", share)
			for (i = 0; i < 10; i++) uniform()
			for (run = 1; run <= 5; run++) {
				speed = 1 + 0.01 * normal()
				for (i = 1; i <= names; i++) {
					n = 10000 * share[i] * speed * (name[i] == "solve" ? slower : 1)
					printf "main;%s %d\n", name[i], n + sqrt(n) * normal() > side "-" run ".folded"
				}
			}
		}'
}
gate() { status_of "$pprofil" diff --absolute --fail-over 2% "$@"; }

alarms=0 alarms_of_one=0 found=0
for pair in $(seq 20); do
	runs old "$pair" 1
	runs new $((pair + 100)) 1
	alarms=$((alarms + $(gate old-*.folded vs new-*.folded)))
	alarms_of_one=$((alarms_of_one + $(gate --function solve old-*.folded vs new-*.folded)))
	runs new $((pair + 200)) 1.05
	found=$((found + $(gate --function solve old-*.folded vs new-*.folded)))
done
# a sum that has a status of 125 in it is larger than all bounds
between "20 pairs of equal runs: false alarms" 0 $alarms 1
between "20 pairs of equal runs: false alarms, one function" 0 $alarms_of_one 1
between "20 pairs, solve is 5 % slower: found" 18 $found 20

# --- what is printed
runs old 1 1
runs new 2 1.3
expect "slower" 1 "$(gate old-*.folded vs new-*.folded)"
expect "the other way round" 0 "$(gate new-*.folded vs old-*.folded)"
expect "another function" 0 "$(gate --function 'h*' old-*.folded vs new-*.folded)"
expect "a pattern that no name matches" 125 "$(gate --function 'nope*' old-*.folded vs new-*.folded)"
one_line "a pattern that no name matches"
expect "a pattern" 1 "$(gate --function 's[a-o]*' old-*.folded vs new-*.folded)"
expect "a higher limit" 0 "$(status_of "$pprofil" diff --absolute --fail-over 50% old-*.folded vs new-*.folded)"
mkdir old new
mv old-*.folded old
mv new-*.folded new
expect "folders" 1 "$(gate old vs new)"
expect "two folders without vs" 1 "$(gate old new)"
expect "the seconds are those of a run" 1 "$("$pprofil" diff --absolute old vs new |
	awk '{ sub(/^[-+ ]/, "") } $NF == "[unknown]" && $(NF - 1) == "solve" && $4 > 3.8 && $4 < 4.2 && $5 > 5 && $5 < 5.4' | wc -l)"
expect "no note on single runs" 0 "$("$pprofil" diff old vs new | grep -c 'each profile is one run')"
expect "Markdown" 1 "$(gate -f markdown old vs new)"
expect_text "Markdown: the heading" '2 of 6 functions changed significantly, 2 fail, and the total fails$' out
expect_text "Markdown: a table" '^\| \*\*fails\*\* \| solve \| \\\[unknown\\\] \| [34]\.[0-9]* s \| 5\.[0-9]* s \| \+(2|3)[0-9]\.[0-9] % \(' out
sed 's/solve/a<b>|\&"c"/' -i old/*.folded new/*.folded
gate -f junit old vs new >/dev/null
if command -v xmllint >/dev/null; then
	expect "JUnit: XML" 0 "$(xmllint --noout out >/dev/null 2>&1; echo $?)"
	# main with all that it calls, and the total, take longer too
	expect "JUnit: the failures" 'name="a&lt;b&gt;|&amp;&quot;c&quot;" name="main" name="total"' \
		"$(xmllint --xpath '//testcase[failure]/@name' out | sort | xargs -d '\n' echo | sed 's/  */ /g; s/^ //')"
	expect "JUnit: how many" "$(xmllint --xpath 'count(//testcase)' out)" \
		"$(xmllint --xpath 'string(/testsuite/@tests)' out)"
else
	echo "SKIP JUnit: XML: xmllint is not installed"
fi
expect "JUnit: number of failures" 3 "$(sed -n 's/.*failures="\([0-9]*\)".*/\1/p' out)"

# --- functions of the same name in two objects
columns=pid,tid,process,thread,function,object,samples
printf '%s,cpu_ns\n1,1,p,p,main,a,4000,4000000000\n1,1,p,p,main,b,4000,4000000000\n' $columns >same-old.csv
printf '%s,cpu_ns\n1,1,p,p,main,a,4000,4000000000\n1,1,p,p,main,b,5000,5000000000\n' $columns >same-new.csv
expect "the same name" 1 "$(gate -f junit same-old.csv same-new.csv)"
expect_text "the same name: JUnit, the one that fails" 'classname="b" name="main" time="0"><failure' out
expect_text "the same name: JUnit, the other one" 'classname="a" name="main" time="0"><system-out>' out

# --- what is wrong
printf '%s\n1,1,p,p,main,a,4000\n1,1,p,p,main,b,4000\n' $columns >counts.csv
expect "times and counts" 125 "$(status_of "$pprofil" diff same-old.csv counts.csv vs same-old.csv same-new.csv)"
one_line "times and counts"
no_samples() {
	"$pprofil" -q -F 1 -o none.pb.gz true
	"$pprofil" report -f json none.pb.gz >json
	[ "$(number json samples)" = 0 ]
}
if await no_samples; then
	for sides in "none.pb.gz old/old-1.folded" "old/old-1.folded none.pb.gz" "none.pb.gz none.pb.gz vs old"; do
		# shellcheck disable=SC2086
		expect "no samples: $sides" 125 "$(gate $sides)"
		one_line "no samples: $sides"
	done
	expect "shares of a run without samples" 125 \
		"$(status_of "$pprofil" diff old/old-1.folded none.pb.gz vs new/new-1.folded)"
	expect_text "shares of a run without samples: which" 'none.pb.gz' err
else
	echo "SKIP no samples: each run has some"
fi
expect "no new side" 125 "$(gate old/old-1.folded vs)"; one_line "no new side"
expect "three profiles without vs" 125 "$(gate old/old-1.folded old/old-2.folded new/new-1.folded)"
one_line "three profiles without vs"
printf '%s\n1,1,p,p,f,o,100\n1,1,p,p,g,o,100\n' $columns >counts.csv
expect "seconds without times" 125 "$(gate counts.csv counts.csv)"; one_line "seconds without times"
expect_text "seconds without times: why" 'not their times' err
expect "a missing file" 125 "$(gate old vs new/none)"; one_line "a missing file"
expect "no percentage" 125 "$(status_of "$pprofil" diff --fail-over lots old vs new)"; one_line "no percentage"
finish
