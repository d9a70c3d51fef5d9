#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# -w: what sleeping threads wait for, in reports, in files and on the screen.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
"$pprofil" -q -w -g -F 200 --overhead 100 -o p.pb.gz "$targets/waiters" 2
report() { "$pprofil" report -n 0 "$@" p.pb.gz; }

# --- what each thread waited for most of its time; fields: the wait, ns, the thread's name
report --by thread,wait -f csv | tr -d '\r' >threads.csv
waits_for() { # THREAD PATTERN
	got=$(grep "^$1," threads.csv | awk -F, '{ print $6, $0 }' | sort -rn | head -n 1)
	if echo "$got" | grep -Eq -- "$2"; then pass "$1"; else fail "$1" "no '$2' in '$got'"; fi
}
holder=$(grep '^holder,' threads.csv | head -n 1 | cut -d, -f 3)
waits_for lock "lock account_lock in waiters, held by holder $holder"
waits_for robust "lock robust_lock\+0x[0-9a-f]+ in waiters, held by holder $holder|lock robust_lock in waiters, held by holder $holder"
waits_for inherit "lock inherit_lock in waiters, held by holder $holder"
waits_for reader "lock table_lock in waiters, held by holder $holder"
waits_for writer "lock table_lock in waiters, held by holder $holder"
waits_for config "lock config_lock in waiters,,"
waits_for semaphore 'futex work_sem(\+0x[0-9a-f]+)? in waiters'
waits_for join "end of thread holder $holder"
waits_for pipe 'pipe from waiters [0-9]+'
waits_for tcp 'socket to 127\.0\.0\.1:[0-9]+'
waits_for listener 'listening socket 127\.0\.0\.1:[0-9]+'
waits_for epoll 'epoll of 2 files, the last event from eventfd, descriptor [0-9]+'
waits_for poll 'one of 2 files: pipe from waiters [0-9]+, listening socket'
waits_for select 'socket to 127\.0\.0\.1:[0-9]+'
waits_for child 'end of child [0-9]+'
waits_for signal 'a signal'
waits_for time 'a timer'
waits_for file "lock of .*/lock-file\"?,"
waits_for process "lock of .*/child-file"
waits_for holder 'a signal'
if [ "$(readlink /proc/self/ns/net)" = "$(readlink /proc/1/ns/net 2>/dev/null)" ] || grep -q 'socket to waiters' threads.csv; then
	waits_for unix 'socket to waiters [0-9]+'
else
	waits_for unix 'socket'
fi

# --- a shell that has passed the end of a pipe on to a program, and waits for this program
sh -c 'dd if=/dev/zero bs=65536 count=1000 2>dd.err | (sleep 600; true) & wait' & shell=$!
blocked() { writer=$(pgrep -x dd -P "$shell") && grep -q '^State:.*S ' "/proc/$writer/status"; }
await blocked
"$pprofil" -q -w -d 0.5 -o pipe.pb.gz -p "$writer"
"$pprofil" report --by wait pipe.pb.gz >pipe
if [ "$(cat "/proc/$writer/wchan")" = 0 ]; then
	echo "SKIP the program that has the pipe's end: this kernel does not tell where a task sleeps"
else
	expect_text "the program that has the pipe's end" 'pipe to sleep [0-9]+' pipe
fi
kill "$writer" "$(pgrep -P "$(pgrep -x sh -P "$shell")")"
wait "$shell"

# --- the report by wait
report --by wait >text
expect_text "text: its heading" 'waits for$' text
expect_text "text: the lock" "lock account_lock in waiters, held by holder $holder\$" text
expect_text "what the holder does meanwhile" \
	"^# lock account_lock in waiters, held by holder $holder: meanwhile $holder ran 0 %.*waited (9[0-9]|100) % for a signal; most often in .*refill" text
report --by wait -f json >json
expect_text "json" '"name": "lock account_lock in waiters' json
report --by wait,thread >groups
expect_text "who waits for it" "^# wait lock account_lock in waiters, held by holder $holder: " groups
report --wait account_lock --by thread -f csv >only
expect "--wait: one thread" 2 "$(wc -l <only)"
report --tree --wait account_lock >tree
expect_text "the stack" 'wait_lock' tree
expect "an unknown wait: status" 125 "$(status_of "$pprofil" report --wait no-such-wait p.pb.gz)"
one_line "an unknown wait"

# --- other formats, merged and cut
"$pprofil" convert -o p.json p.pb.gz
"$pprofil" report -n 0 --by wait -f csv p.json >json.csv
report --by wait -f csv >pprof.csv
expect "JSON has the same waits" "" "$(diff pprof.csv json.csv)"
"$pprofil" merge -o twice.pb.gz p.pb.gz p.pb.gz
"$pprofil" report -n 0 --by wait -f csv twice.pb.gz >twice.csv
expect "merged: the same waits" "$(cut -d, -f 5- pprof.csv | sort)" "$(cut -d, -f 5- twice.csv | sort)"
"$pprofil" convert --from 0.5 --to 1 -o part.pb.gz p.pb.gz
"$pprofil" report --by wait part.pb.gz >part
expect_text "a part of the time" 'lock account_lock in waiters' part

# --- without -w nothing is known, and nothing is said
"$pprofil" -q -o cpu.pb.gz "$targets/phases" 0.3 1 >/dev/null
"$pprofil" report --by wait cpu.pb.gz >cpu
expect_text "CPU time: running" ' running$' cpu

# --- on the screen of top
"$pprofil" top -b -w -n 2 -d 0.5 "$targets/waiters" 3 >frames 2>&1
expect "top ends" 0 $?
finish
