#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Reports of two levels: the rows of each process, thread and object, and their trees. Their times add up to those of
# the report of one level, and no sample is in two groups.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
PPROFIL_SUPERVISE=$build/pprofil-supervise
export PPROFIL_SUPERVISE
spender=$targets/known-shares

# a program of the same name in another directory is another object
mkdir "$work/other"
cp "$spender" "$work/other/known-shares"
"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" \
	sh -c "$spender 0.5 2 >/dev/null & $work/other/known-shares 0.3 >/dev/null; wait"
expect "recorded" 0 $?

report() { "$pprofil" report "$@" "$work/p.pb.gz" 2>"$work/err"; }
csv() { report -n 0 -f csv "$@" | tr -d '\r'; }
# sums COLUMN COLUMN: "VALUE SUM" of CSV rows, sorted
sums() { awk -F, -v key="$1" -v value="$2" 'NR > 1 { ns[$key] += $value } END { for (k in ns) printf "%s %d\n", k, ns[k] }' | sort; }

expect "csv: columns" group,group_pid,group_tid,share,error95,ns,samples,name "$(csv --by process,function | head -n 1 | cut -d, -f 1-8)"

# Columns of two levels: 1 group, 2 its process, 3 its thread, 6 ns, 8 name. Columns of one level: 3 ns, 5 name.
csv --by function | sums 5 3 >"$work/functions"
for first in process thread object; do
	csv --by $first,function >"$work/$first.csv"
	sums 8 6 <"$work/$first.csv" >"$work/$first.functions"
	expect "$first: functions add up" "" "$(diff "$work/functions" "$work/$first.functions")"
	expect "$first: shares add up" 1.000 "$(awk -F, 'NR > 1 { all += $4 } END { printf "%.3f", all }' "$work/$first.csv")"
done

# columns of one level: 9 pid, 10 tid
csv --by process | sums 9 3 | grep -v ' 0$' >"$work/processes"
expect "processes add up" "$(cat "$work/processes")" "$(sums 2 6 <"$work/process.csv" | grep -v ' 0$')"
csv --by thread | sums 10 3 | grep -v ' 0$' >"$work/threads"
expect "threads add up" "$(cat "$work/threads")" "$(sums 3 6 <"$work/thread.csv" | grep -v ' 0$')"
expect "a thread: its process" 1 "$(awk -F, '$1 == "known-shares" && $2 == "" { empty++ } END { print empty == 0 }' "$work/thread.csv")"
csv --by object | sums 5 3 | grep -v ' 0$' >"$work/objects"
expect "objects add up" "$(cat "$work/objects")" "$(sums 1 6 <"$work/object.csv" | grep -v ' 0$')"

# a process is the only row of its own group: what is said of the row is what is said of the group
csv --by process | awk -F, 'NR > 1 { print $1, $2, $3 }' >"$work/flat"
csv --by process,process | awk -F, 'NR > 1 { print $4, $5, $6 }' >"$work/self"
expect "a process in itself: share and time" "$(cut -d' ' -f 1,3 "$work/flat")" "$(cut -d' ' -f 1,3 "$work/self")"
expect "a process in itself: no smaller error" "" \
	"$(paste -d' ' "$work/flat" "$work/self" | awk '$5 < $2 - 0.000002')"

# --- text
report --by process,function -n 2 >"$work/text"
expect "text: status" 0 $?
expect "text: two groups" 2 "$(grep -c '^# process known-shares [0-9]*: ' "$work/text")"
expect "text: two rows in each" 4 "$(grep -c '^ *[0-9].* known-shares' "$work/text")"
report --by process,function -n 1 >"$work/one"
expect "text: groups that are not shown" 1 "$(grep -c '^# [0-9]* more process.*; -n 0 shows all$' "$work/one")"
expect "text: the head, once" 1 "$(grep -c '^# pprofil:' "$work/text")"
report --tree --by thread,function -n 0 --min 5 >"$work/tree"
expect "tree: status" 0 $?
between "tree: the threads" 3 "$(grep -c '^# thread ' "$work/tree")" 10
# each thread has a tree of its own: of the three threads, the one that the program made begins in clone
between "tree: a root of its own" 1 "$(grep -c ' \(clone3\{0,1\}\|thread_start\)  ' "$work/tree")" 1
report --callees spend_half --by process,function >"$work/callees"
expect "callees: status" 0 $?
expect "callees: the processes that call it" "2 of 2" \
	"$(grep -c '^# process known-shares' "$work/callees") of $(grep -c '^# process' "$work/callees")"
report --thread known-shares --by object,line -n 1 >"$work/part"
expect "a part: status" 0 $?
expect "a part: no other program" 0 "$(grep -c 'sh  ' "$work/part")"

# --- JSON: the same figures as CSV
report --by process,function -n 0 -f json >"$work/groups.json"
python3 - "$work/groups.json" "$work/process.csv" >"$work/compared" 2>&1 <<'END'
import csv, json, sys
document = json.load(open(sys.argv[1]))
rows = [(group["group"]["name"], group["group"]["pid"], row["name"], row["ns"], round(row["share"], 6))
        for group in document["groups"] for row in group["rows"]]
lines = [(line["group"], int(line["group_pid"] or 0), line["name"], int(line["ns"]), round(float(line["share"]), 6))
         for line in csv.DictReader(open(sys.argv[2], newline=""))]
print(document["by"], len(rows) > 2, sorted(rows) == sorted(lines), "totals" in document)
END
expect "JSON: the rows of CSV" "process True True True" "$(cat "$work/compared")"
report --tree --by thread,function -f json >"$work/trees.json"
expect "JSON: trees" "0 thread" "$(python3 -c 'import json, sys
document = json.load(open(sys.argv[1]))
print(sum(len(group["rows"]) == 0 for group in document["groups"]), document["by"])' "$work/trees.json")"

# --- CSV: the same columns in each group, whether there are totals in it or not
for first in process thread object; do
	csv --by $first,thread >"$work/columns.csv"
	expect "$first,thread: all lines have as many fields" 1 "$(awk -F, '{ print NF }' "$work/columns.csv" | sort -u | wc -l)"
done

# --- programs: all processes of a name
report --by program -f csv >"$work/programs.csv"
expect "each program once" "" "$(cut -d, -f 5 "$work/programs.csv" | sort | uniq -d)"
csv --by program | sums 5 3 | grep -v ' 0$' >"$work/programs"
expect "programs add up" "$(awk -F, 'NR > 1 { ns[$5] += $3 } END { for (name in ns) if (ns[name] > 0) print name, ns[name] }' \
	"$work/programs.csv" | sort)" "$(sort "$work/programs")"
csv --by program,function | sums 8 6 >"$work/program.functions"
expect "functions of programs add up" "" "$(diff "$work/functions" "$work/program.functions")"

# --- -t and --by: the last one counts
report --by process,function -t >"$work/threads"
expect "-t after two levels" 0 "$(grep -c '^# process' "$work/threads")"
"$pprofil" --by process,function "$targets/phases" 0.2 1 >/dev/null 2>"$work/run"
expect_text "pprofil PROGRAM, too" '^# process phases ' "$work/run"

# --- refused
refused() {
	label=$1
	shift
	expect "$label: status" 125 "$(status_of "$pprofil" report "$@" "$work/p.pb.gz")"
	one_line "$label"
}
refused "lines first" --by line,function
refused "three levels" --by process,thread,function
refused "nothing after the comma" --by process,
refused "nothing before the comma" --by ,function
refused "a tree as CSV" --by process,function --tree -f csv
refused "a style" --by process,function --style irix
refused "a part of the time in a style" --style irix --from 0.1
refused "no expression" --callers '[' --by process,function
refused "a function that no group has" --callers nowhere --by process,function
finish
