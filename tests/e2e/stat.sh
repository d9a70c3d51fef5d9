#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil stat: figures of programs that use what is known. No figure depends on how fast the machine is, or how busy.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

known=$targets/known-usage
# run NAME EXPECTED-STATUS ARGUMENTS...: what known-usage prints is in $work/own, and the figures are in $work/csv
run() {
	name=$1
	status=$2
	shift 2
	timeout 60 "$pprofil" stat -f csv -o "$work/csv" "$known" "$@" >"$work/own" 2>"$work/err"
	expect "$name: status" "$status" $?
	expect "$name: nothing is said" "" "$(cat "$work/err")"
}
# figure NAME [LINE]: a field of that process, the one with the most CPU time being the first
figure() {
	tr -d '\r' <"$work/csv" | awk -F, -v name="$1" -v line="${2:-1}" 'NR == 1 {
		for (i = 1; i <= NF; i++) if ($i == name) field = i }
		NR == line + 1 { print $field }'
}
# of_pid PID NAME
of_pid() {
	tr -d '\r' <"$work/csv" | awk -F, -v pid="$1" -v name="$2" 'NR == 1 {
		for (i = 1; i <= NF; i++) if ($i == name) field = i }
		$1 == pid { print $field }'
}
own() { sed -n "s/^$1 //p" "$work/own"; }
processes() { echo $(($(wc -l <"$work/csv") - 1)); }

# Faults: each new page is one. The rest of the program has the same each time, and more of them at its end.
run "no faults" 3
rest=$(figure minor_faults)
run faults 3 faults 3000
between "faults: each page once" $((rest + 3000 - 20)) "$(figure minor_faults)" $((rest + 3000 + 20))
expect "faults: one process" 1 "$(processes)"
expect "faults: exit status" 3 "$(figure exit_status)"
expect "faults: no signal" "" "$(figure signal)"
expect "faults: threads" 1 "$(figure threads)"
# the program reads its own count at its end, and then only prints; this count also has its part before the exec
between "faults: as getrusage says" 3000 "$(figure minor_faults)" $(($(own minor_faults) + 20))

# Memory: the kernel counts resident pages in batches, of at most 256 KiB here for each CPU
run resident 3 resident 40000
slack=$((256 * $(nproc) * 1024))
between "resident: bytes" $((40000 * 1024 - slack)) "$(figure max_rss_bytes)" $(($(own max_rss_kb) * 1024 + slack))

# I/O: the calls of the program, and the few of its loader and of its output, of which a run without them tells
run "no I/O" 3
reads=$(figure read_calls) writes=$(figure write_calls) read=$(figure read_bytes) written=$(figure written_bytes)
run I/O 3 writes 300 1000 reads 200 500
expect "I/O: calls that write" $((writes + 300)) "$(figure write_calls)"
expect "I/O: calls that read" $((reads + 200)) "$(figure read_calls)"
expect "I/O: bytes read" $((read + 100000)) "$(figure read_bytes)"
between "I/O: bytes written" $((written + 300000 - 20)) "$(figure written_bytes)" $((written + 300000 + 20))

# Switches: each sleep is one, and so is the end of the program. Page faults that wait may add some. The stops of the
# tracer are none: a program that only computes is stopped many times, and gives up its CPU hardly ever.
run sleeps 3 sleeps 200
between "sleeps: voluntary switches" 200 "$(figure voluntary_switches)" 1e9
timeout 60 "$pprofil" stat -F 10000 --overhead 100 -f json -o "$work/json" "$known" burn 500 >"$work/own"
samples=$(number "$work/json" samples)
switches=$(number "$work/json" voluntary_switches)
if [ "${samples:-0}" -gt 100 ]; then
	between "burn: stops are no switches" 0 "$switches" $((samples / 2))
else
	echo "SKIP burn: stops are no switches: only $samples samples"
fi

# CPU time: at least what was burnt, and no more than the program's own count before its end, and what the end takes:
# the kernel frees some pages and files. user and system are its parts
run burn 3 burn 200
between "burn: CPU time" 200000000 "$(figure cpu_ns)" 1e12
between "burn: not more" 0 "$(figure cpu_ns)" $((($(own cpu_us) + 20000) * 1000))
expect "burn: user and system" "$(figure cpu_ns)" $(($(figure user_ns) + $(figure system_ns)))

# Threads: those that have ended count, too
run threads 3 threads 30
expect "threads: number" 31 "$(figure threads)"
between "threads: switches" 300 "$(figure voluntary_switches)" 1e9
[ ! -e /proc/self/schedstat ] || between "threads: run delay" 0 "$(figure run_delay_ns)" 1e12

# Children: each once, and nothing of theirs is their parent's
run "before children" 3 resident 8000
run children 3 resident 8000 children 40
expect "children: number" 41 "$(processes)"
expect "children: exit status" 40 "$(tr -d '\r' <"$work/csv" | awk -F, '$4 == 7' | wc -l)"
parent=$(tr -d '\r' <"$work/csv" | awk -F, '$4 == 3 { print $1 }')
expect "children: their parent" 40 "$(awk -F, -v parent="$parent" '$2 == parent' "$work/csv" | wc -l)"
expect "children: the parent's writes" "$writes" "$(of_pid "$parent" write_calls)"
expect "children: the parent's reads" "$reads" "$(of_pid "$parent" read_calls)"
child=$(tr -d '\r' <"$work/csv" | awk -F, '$4 == 7 { print $1; exit }')
expect "children: a child's writes" 1 "$(of_pid "$child" write_calls)"
expect "children: a child's bytes" 10 "$(of_pid "$child" written_bytes)"
between "children: a child's faults" 10 "$(of_pid "$child" minor_faults)" 500
run orphan 3 faults 100 orphan
expect "orphan: both" 2 "$(processes)"
parent=$(tr -d '\r' <"$work/csv" | awk -F, '$4 == 3 { print $1 }')
expect "orphan: the parent's writes" "$writes" "$(of_pid "$parent" write_calls)"

# A storm of children, and of all other events: each process once, nothing lost
cat >"$work/storm" <<'EOF'
i=0
while [ $i -lt 500 ]; do (exit 5) & i=$((i + 1)); done
wait
EOF
for options in "" "-F 10000 --overhead 100"; do
	# shellcheck disable=SC2086
	timeout 120 "$pprofil" stat $options -f csv -o "$work/csv" sh "$work/storm" 2>"$work/err"
	expect "storm $options: status" 0 $?
	expect "storm $options: processes" 501 "$(tail -n +2 "$work/csv" | cut -d, -f1 | sort -u | wc -l)"
	expect "storm $options: lines" 501 "$(processes)"
	expect "storm $options: exit status" 500 "$(awk -F, '$4 == 5' "$work/csv" | wc -l)"
	expect "storm $options: none is blank" 0 "$(awk -F, '$2 == ""' "$work/csv" | wc -l)"
done
for storm in "exec 40 500" "nonleader-exec 40 500" "fork 60 500" "vfork 60 500" "thread 100 500"; do
	for options in "" "-F 10000 --overhead 100"; do
		# shellcheck disable=SC2086
		timeout 120 "$pprofil" stat $options -o "$work/text" "$targets/event-storm" $storm >"$work/out" 2>"$work/err"
		expect "$storm $options: status" 0 $?
		expect_text "$storm $options: output" "^storm ${storm%% *} done" "$work/out"
	done
done

# An exec makes no other process. The counts of a leader that another thread has replaced are gone, and so blank.
run exec 3 faults 700 exec faults 50
expect "exec: one process" 1 "$(processes)"
between "exec: faults of both programs" 750 "$(figure minor_faults)" 1e9
run "exec of a thread" 3 threads 2 thread-exec faults 50
expect "exec of a thread: one process" 1 "$(processes)"
expect "exec of a thread: run delay" "" "$(figure run_delay_ns)"
expect "exec of a thread: switches" "" "$(figure voluntary_switches)"
between "exec of a thread: faults" 50 "$(figure minor_faults)" 1e9

# A program that is killed, and a tracer that is killed
timeout 60 "$pprofil" stat -f csv -o "$work/csv" "$known" faults 1000 kill 2>/dev/null
expect "kill: status" 137 $?
expect "kill: signal" 9 "$(figure signal)"
expect "kill: no exit status" "" "$(figure exit_status)"
between "kill: faults" 1000 "$(figure minor_faults)" 1e9
mkfifo "$work/input"
"$pprofil" stat -f csv -o "$work/csv" "$known" wait <"$work/input" >"$work/own" 2>"$work/err" &
client=$!
exec 3>"$work/input"
await grep -q ready "$work/own"
child=$(pgrep -P "$client" -x known-usage)
kill -9 "$(tracer_of "$child")"
await is_untraced "$child"
expect_free "dead tracer: the program" "$child"
exec 3>&-
wait "$client"
expect "dead tracer: status" 3 $?
expect_text "dead tracer: it is said" "the profile ends there" "$work/err"
expect "dead tracer: no figures" 0 "$(processes)"

# Attached: from the attach on, and until the detach
"$known" faults 5000 writes 1000 10 wait writes 70 10 faults 800 wait <"$work/input" >"$work/own" 2>&1 &
target=$!
exec 3>"$work/input"
await grep -q ready "$work/own"
timeout 60 "$pprofil" stat -d 200ms -f csv -o "$work/csv" -p "$target" 2>"$work/err"
expect "detach: status" 0 $?
expect_free "detach: the program" "$target"
expect "detach: it lives" "" "$(figure exit_status)$(figure signal)"
between "detach: faults before do not count" 0 "$(figure minor_faults)" 100
expect "detach: writes before do not count" 0 "$(figure write_calls)"
between "detach: resident" $((5000 * 4096 - slack)) "$(figure max_rss_bytes)" 1e12
timeout 60 "$pprofil" stat -f csv -o "$work/csv" -p "$target" 2>"$work/err" 3>&- &
client=$!
is_attached() { "$pprofil" ctl "$target" status >"$work/status" 2>&1; } # answered when the attach is complete
await is_attached
exec 3>&-
wait "$target"
wait "$client"
expect "attached: status" 0 $?
expect "attached: exit status" 3 "$(figure exit_status)"
between "attached: faults" 800 "$(figure minor_faults)" 1500
# 70 of its own, "ready" and what it prints at the end
expect "attached: writes" 72 "$(figure write_calls)"

# Children that are left out have no row
timeout 60 "$pprofil" stat --no-inherit -f csv -o "$work/csv" "$known" children 5 >/dev/null
expect "no-inherit: one process" 1 "$(processes)"
expect "no-inherit: what may be a child's is blank" "" "$(figure write_calls)"

# Another user than root: the kernel gives the files of a process that has ended to root
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
if [ "$(id -u)" = 0 ] && as_nobody "$known" writes 1 1 >/dev/null 2>&1; [ $? = 3 ]; then
	as_nobody timeout 60 "$pprofil" stat -f csv -o - "$known" writes 40 1 children 2 2>/dev/null |
		grep -v '^[a-z_]* [0-9]*$' >"$work/csv"
	expect "nobody: processes" 3 "$(processes)"
	expect "nobody: writes of all" $((writes + 40 + 2)) \
		$(($(figure write_calls 1) + $(figure write_calls 2) + $(figure write_calls 3)))
else
	echo "SKIP nobody: this is not root, or the program cannot be run as nobody"
fi

# Text: fits a terminal, has a total, and says what it leaves out
timeout 60 "$pprofil" stat "$known" children 20 burn 50 >/dev/null 2>"$work/text"
expect_text "text: head" '^# pprofil stat: .*known-usage children 20' "$work/text"
expect_text "text: process" '^known-usage \([0-9]+\), exit status 3, 1 thread$' "$work/text"
expect_text "text: figures" '^ +[0-9.]+ s CPU time +[0-9.]+ s user +[0-9.]+ s system$' "$work/text"
expect_text "text: more" '^# 11 more processes; -n 0 shows all$' "$work/text"
expect_text "text: total" '^total of 21 processes, 21 threads$' "$work/text"
expect_text "text: functions" '^ self% ' "$work/text"
expect "text: groups" 11 "$(grep -c 'CPU time  ' "$work/text")"
timeout 60 "$pprofil" stat -n 0 "$known" children 20 >/dev/null 2>"$work/text"
expect "text: -n 0" 22 "$(grep -c 'CPU time  ' "$work/text")"
if command -v script >/dev/null; then
	for columns in 80 60 40; do
		script -qec "stty cols $columns; '$pprofil' stat '$known' burn 20" "$work/typescript" >/dev/null </dev/null
		expect "$columns columns: longest line of figures" "" "$(tr -d '\r' <"$work/typescript" |
			sed 's/\x1b\[[0-9;]*m//g' | grep -E ' (CPU time|user|switches|RSS|faults|calls|storage)' |
			grep -v '^#' | awk -v most="$columns" 'length > most')"
	done
else
	echo "SKIP columns: there is no script(1)"
fi

# JSON
timeout 60 "$pprofil" stat -f json -o "$work/json" "$known" children 3 burn 20 >/dev/null
expect_text "JSON: null" '"signal": null' "$work/json"
expect_text "JSON: profile" '"profile": ' "$work/json"
if command -v python3 >/dev/null; then
	expect "JSON: members" "4 4 4 3" "$(python3 -c 'import json, sys
stat = json.load(open(sys.argv[1]))
print(len(stat["processes"]), stat["total"]["processes"], stat["total"]["threads"],
      stat["processes"][0]["exit_status"])' "$work/json")"
fi

# Wrong input is one line, and nothing is started
expect "nothing to measure" 125 "$(status_of "$pprofil" stat)"
one_line "nothing to measure"
expect "both" 125 "$(status_of "$pprofil" stat -p 1 true)"
one_line "both"
expect "format" 125 "$(status_of "$pprofil" stat -f xml true)"
one_line "format"
expect "output" 125 "$(status_of "$pprofil" stat -o "$work/none/file" touch "$work/started")"
one_line "output"
expect "output: not started" "" "$(ls "$work/started" 2>/dev/null)"
expect "not found" 127 "$(status_of "$pprofil" stat /nonexistent)"
one_line "not found"
finish
