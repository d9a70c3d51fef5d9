#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Nintendo 64's host: pprofil gperf asks a running program for its profile, and takes profiles that programs send.
# Where no gperf runs, they go to a file.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "$source/tests/pages/stage.sh"
stage_all
cd "$work" || exit 1
export PPROFIL_N64_OUTPUT=$work/osprofile.out

# begin PROGRAM: starts it; it takes commands by descriptor 4
begin() {
	rm -f commands answers
	mkfifo commands
	"$work/$1" <commands >answers 2>game.err & game=$!
	exec 4>commands
	await grep -q running answers
}
command() {
	asked=$(grep -c "^$1" answers)
	echo "$1" >&4
	await answered "$1" "$asked"
}
answered() { [ "$(grep -c "^$1" answers)" -gt "$2" ]; }
end() {
	echo end >&4
	exec 4>&-
	wait "$game"
}
# the share of a function, and the number of ticks
row() { sed -n "s/^[0-9a-f]*  $1\.* *\([0-9.]*\).*/\1/p" "$2"; }
counted() { "$pprofil" gperf -c -p "$game" >rows 2>err && [ "$(row draw rows)" -gt 200 ]; }

build_program game n64 pie "$source/tests/pages/n64-game.c" || finish
begin game
expect "there are ticks" yes "$(await counted && echo yes)"
"$pprofil" gperf "$work/game" >out 2>err
expect "by the program's file: status" 0 $?
expect_text "head: the program" '^Profile Report for game$' out
expect_text "head: the period" '^Sample period: 1000 microseconds$' out
expect_text "head: segments" '^Number of profiled segments: 1$' out
expect_text "head: the segment" '^Text segment 0, start = [0-9a-f]{8,}, size = [0-9a-f]{8}$' out
expect_text "a row is as in the manual" '^[0-9a-f]{8,}  draw\.{39} +[0-9]+\.[0-9]{4} %$' out
shares=$(awk '/ %$/ { sum += $(NF - 1) } END { printf "%.1f", sum }' out)
between "shares and overflow are all" 99.9 "$shares" 100.1
expect "the smallest comes first" "$(awk '/ %$/ && !/^Overflow/ { print $(NF - 1) }' out)" \
	"$(awk '/ %$/ && !/^Overflow/ { print $(NF - 1) }' out | sort -n)"
"$pprofil" gperf -t 101 "$work/game" >out 2>err
expect "a threshold leaves rows out" 0 "$(grep -c ' %$' out)"
"$pprofil" gperf -r "$work/game" >out 2>err
expect_text "time" '^[0-9a-f]+  draw\.+ +[0-9.]+ ms$' out
command stop
"$pprofil" gperf -c "$work/game" >a 2>err
sleep 0.3
"$pprofil" gperf -c "$work/game" >b 2>err
expect_text "stopped: it answers" 'draw' b
expect "stopped: it counts no more" "" "$(cmp a b 2>&1)"

# --- no gperf runs: a file, whose addresses have names wherever the program lies in memory
command flush
expect "a file is written" yes "$([ -s osprofile.out ] && [ -s osprofile.out.meta ] && echo yes)"
"$pprofil" report --style gperf osprofile.out >out 2>err
expect_text "report --style gperf" '^[0-9a-f]{8,}  draw\.+ +[0-9.]+ %$' out
"$pprofil" report --object "$work/game" -f csv -n 0 osprofile.out >csv 2>err
expect_text "report --object, of a position-independent program" 'draw' csv
expect "and all of it is known" 0 "$(grep -c '\[unknown\]' csv)"
"$pprofil" report -f csv -n 0 osprofile.out >csv 2>err
expect_text "without --object too" 'play' csv
mv osprofile.out.meta kept
"$pprofil" report --object "$work/game" osprofile.out >out 2>err
expect "without what lies beside it: status" 125 $?
expect_text "without what lies beside it: why" '[.]meta file, which says where it was, is missing' err
"$pprofil" report --style gperf --object "$work/game" osprofile.out >out 2>err
expect "as a style: status" 125 $?
sed 's/^sum .*/sum 1/' kept >osprofile.out.meta
"$pprofil" report --object "$work/game" osprofile.out >out 2>err
expect "what is beside another file is not read" 125 $?
cp kept osprofile.out.meta
cp "$work/game" moved
"$pprofil" report --object moved -f csv -n 0 osprofile.out >csv 2>err
expect_text "the program may have another name by now" 'draw' csv

# --- gperf runs
"$pprofil" gperf -s -c >served 2>server.err & server=$!
await grep -q waiting server.err
rm -f osprofile.out*
command start
command flush
received() { grep -q 'draw' served; }
expect "a server gets what is flushed" yes "$(await received && echo yes)"
expect "and there is no file" no "$([ -e osprofile.out ] && echo yes || echo no)"
command flush
twice() { [ "$(grep -c '^Profile Report' served)" = 2 ]; }
expect "again" yes "$(await twice && echo yes)"
"$pprofil" gperf -s >out 2>err
expect "a second server: status" 125 $?
expect_text "a second server: why" 'another gperf -s' err
# a message that is no profile is complained of, and not by a file of our sources
if type python3 >/dev/null 2>&1; then
	python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX)
s.connect("\0pprofil-%s-%d" % (os.environ.get("PPROFIL_GPERF", "gperf"), os.geteuid()))
s.sendall(b"\0\0\0\0" + b"no profile at all")'
	await grep -q 'bad format' server.err
	expect "what is no profile" 'gperf: what the program sends: bad format' "$(grep 'bad format' server.err)"
else
	echo "SKIP what is no profile: needs python3"
fi
kill "$server"
end

# --- a program that goes on without its histogram, and a program whose host goes away
build_program rough n64 pie "$source/tests/pages/n64-rough.c" && {
	"$work/rough" >answers 2>err & game=$!
	await grep -q ready answers
	"$pprofil" gperf -p "$game" >out 2>err
	"$pprofil" gperf -p "$game" >out 2>err
	kill -0 "$game" 2>/dev/null
	expect "a histogram that was unmapped: the program goes on" 0 $?
	kill "$game"
	wait "$game" 2>/dev/null
}

# --- refusals
"$pprofil" gperf "$work/game" >out 2>err
expect "no such process: status" 125 $?
expect_text "no such process: why" 'no process that runs .*game has called osProfileInit' err
"$pprofil" gperf -p $$ >out 2>err
expect_text "a process without the call" "process $$ has not called osProfileInit" err
"$pprofil" gperf "$work/nosuch" >out 2>err
expect_text "no such file" 'nosuch: No such file' err

# --- wide counters are read back
if build_program wide n64 no-pie -DPPROFIL_N64_COUNTERS=32 "$source/tests/pages/n64-game.c"; then
	begin wide
	await counted
	command flush
	end
	"$pprofil" report -f csv -n 0 --object "$work/wide" osprofile.out >csv 2>err
	expect_text "counters of 32 bits" 'draw' csv
fi
finish
