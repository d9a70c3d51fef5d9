#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Attaching where some threads or processes cannot be traced: the others are sampled, and those that cannot are named.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# begin WAY SECONDS: starts a target some of whose threads have another tracer
begin() {
	: >"$work/out"
	"$targets/other-tracer" "$1" "$2" >"$work/out" &
	target=$!
	await has_begun
	grep -q ready "$work/out" || skip "no process can trace its parent here"
}
has_begun() { grep -q ready "$work/out" || ! kill -0 "$target" 2>/dev/null; }
# ends NAME PID: it ends by itself
ends() {
	if await has_ended "$2"; then pass "$1"; else fail "$1" "still there"; fi
	kill "$2" 2>/dev/null
}
has_ended() { ! kill -0 "$1" 2>/dev/null; }
# tracer PID: the tracer of one of its threads
tracer() { sed -n 's/^TracerPid:[^0-9]*\([1-9]\)/\1/p' "/proc/$1"/task/*/status | head -n 1; }

# short threads have few samples: their CPU time is scaled to that of their process, less the thread that refuses
begin short 6
timeout 60 "$pprofil" -f json -o "$work/p.pb.gz" -p "$target" 2>"$work/err"
expect "one thread refuses: status" 0 $?
expect_text "one thread refuses: which, and why" \
	"^pprofil: 1 of [0-9]+ threads of $target \(other-tracer\) cannot be traced, and nothing is seen of their time: [0-9]+; [0-9]+ \(other-tracer\) is already traced by [0-9]+ \(other-tracer\)" \
	"$work/err"
"$pprofil" report -f json -n 0 "$work/p.pb.gz" >"$work/json"
expect "one thread refuses: the number is saved" 1 "$(number "$work/json" untraced)"
own=$(sed -n 's/^cpu //p' "$work/out")
mostly_stopped "one thread refuses: its time is not given to the others" "$work/json" ||
	between "one thread refuses: its time is not given to the others" 0.4 \
		"$(awk "BEGIN{print $(number "$work/json" cpu_ns) / $own}")" 1.6
expect "one thread refuses: nothing of it is sampled" 0 "$(grep -c spend_there "$work/json")"
"$pprofil" report "$work/p.pb.gz" >"$work/text"
expect_text "one thread refuses: the report says so" '^# note: 1 thread could not be traced' \
	"$work/text"
wait "$target"

begin short 60
"$pprofil" top -b -n 1 -d 1 -p "$target" >"$work/text" 2>"$work/err"
expect "top: status" 0 $?
expect_text "top: names it" '^pprofil: 1 of [0-9]+ threads' "$work/err"
expect_text "top: shows it" 'threads not traced 1' "$work/text"

# when its tracer leaves the thread, pprofil traces it
other=$(tracer "$target")
timeout 60 "$pprofil" -d 4 -f csv -p "$target" >"$work/csv" 2>&1 & run=$!
sleep 1
kill "$other"
wait "$run"
expect_text "a tracer that leaves a thread: it is sampled" ',spend_there' "$work/csv"
expect_free "a tracer that leaves a thread: afterwards" "$target"

# a thread of another user: the system call setresuid(2) changes one thread only
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	begin rights 60
	$unprivileged timeout 60 "$pprofil" -d 5 -f csv -p "$target" >"$work/csv" 2>&1
	expect "a thread of another user: status" 0 $?
	expect_text "a thread of another user: why" 'belongs to user 0, not to you \(65534\): use sudo$' "$work/csv"
	expect_text "a thread of another user: the others are sampled" ',spend_here' "$work/csv"
	expect "a thread of another user: nothing of it is sampled" 0 "$(grep -c spend_there "$work/csv")"
	kill "$target"
else
	echo "SKIP a thread of another user: needs root and setpriv"
fi

# several processes
"$targets/known-shares" 60 >/dev/null & other=$!
begin all 60
all=$target
timeout 60 "$pprofil" -d 2 -f csv -p "$all,$other" >"$work/csv" 2>&1
expect "one process of two refuses: status" 0 $?
expect_text "one process of two refuses: why" "^pprofil: $all \(other-tracer\) is already traced by" \
	"$work/csv"
expect_text "one process of two refuses: the other is sampled" ',spend_half,' "$work/csv"
timeout 60 "$pprofil" -d 2 -f csv -p "99999999,$other" >"$work/csv" 2>&1
expect "one process of two is none: status" 0 $?
expect_text "one process of two is none: says so" '^pprofil: no process 99999999' "$work/csv"
timeout 60 "$pprofil" -d 2 -p "$all,99999999" >"$work/text" 2>&1
expect "all refuse: status" 125 $?
expect "all refuse: a line each" 2 "$(grep -c '^pprofil: ' "$work/text")"
expect "all refuse: and no more" 2 "$(wc -l <"$work/text")"
timeout 60 "$pprofil" -d 2 -p "$all" >"$work/text" 2>&1
expect "a process refuses: status" 125 $?
expect "a process refuses: in a line" 1 "$(wc -l <"$work/text")"
expect_free "one process of two refuses: the other afterwards" "$other"
kill "$all" "$other"

# a new thread of one that has another tracer is found a little later
begin births 4
timeout 60 "$pprofil" -f csv -p "$target" >"$work/csv" 2>&1
expect "born of a thread that refuses: status" 0 $?
expect_text "born of a thread that refuses: sampled" ',spend_here,' "$work/csv"
ends "born of a thread that refuses: the target ends" "$target"

# the process's end is seen, though its leader, which has another tracer, does not report it
begin leader 4
timeout 60 "$pprofil" -f json -p "$target" >"$work/json" 2>"$work/err"
expect "the leader refuses: its end is seen" 0 $?
expect_text "the leader refuses: the others are sampled" 'spend_here' "$work/json"
between "the leader refuses: the target's CPU time is told" 1 \
	"$(awk "BEGIN{print $(number "$work/json" target_cpu_ns) / 1e9}")" 5
wait "$target"
expect "the leader refuses: the target's status" 3 $?

begin exec 1
timeout 60 "$pprofil" -f csv --by process -p "$target" >"$work/csv" 2>&1
expect "the leader refuses, and a thread executes: the end is seen" 0 $?
ends "the leader refuses, and a thread executes: the target ends" "$target"
expect "the leader refuses, and a thread executes: two images" 2 \
	"$(grep -c ",$target," "$work/csv")"

# an exec waits for ever for another tracer: the other process is sampled, and both are let go at the end
in_exec() { grep -q '^State:.*[ZX] ' "/proc/$1/status"; }
begin stuck 1
heedless=$(tracer "$target")
"$targets/known-shares" 60 >/dev/null & other=$!
timeout 60 "$pprofil" -d 6 -f csv -p "$target,$other" >"$work/csv" 2>&1 & run=$!
await is_traced "$other"
sleep 0.5
kill -USR1 "$target"
await in_exec "$target"
wait "$run"
expect "an exec that waits for another tracer: status" 0 $?
expect_text "an exec that waits for another tracer: the other is sampled" ',spend_half,' "$work/csv"
timeout 60 "$pprofil" -d 2 -f csv -p "$target,$other" >"$work/csv" 2>&1
expect "an exec that waits for another tracer, before: status" 0 $?
expect_text "an exec that waits for another tracer, before: says so" \
	"^pprofil: $target \(other-tracer\) executes another program, and waits for $heedless \(other-tracer\)" "$work/csv"
expect_text "an exec that waits for another tracer, before: the other is sampled" ',spend_half,' "$work/csv"
expect_free "an exec that waits for another tracer: the other afterwards" "$other"
kill "$heedless"
ends "an exec that waits for another tracer: it comes to its end then" "$target"
kill "$other"

# In kernels before 5.7 a read of /proc/PID/task/TID/syscall waits for an exec of another thread, so where there are
# several threads stat is read instead.
# looked_at FILE: of how many threads of the target the supervisor has that file open
looked_at() {
	supervisor=$(tracer "$target")
	ls -l "/proc/$supervisor/fd" | grep -c "/proc/$target/task/[0-9]*/$1\$"
}
# looks NAME EXPECTED SLEEPERS OPTION...: EXPECTED says how many files "syscall" and "stat" are open
looks() {
	name=$1 expected=$2
	"$targets/sleepers" "$3" 0 600 >/dev/null & target=$!
	shift 3
	timeout 60 "$pprofil" "$@" -w -f csv --by syscall -d 4 -p "$target" >"$work/csv" 2>&1 & run=$!
	await looks_are "$expected"
	expect "$name" "$expected" "$found"
	wait "$run"
	kill "$target"
}
looks_are() {
	found="syscall $(looked_at syscall) stat $(looked_at stat)"
	[ "$found" = "$1" ]
}
if [ "$(uname -r | cut -d. -f1)" -gt 5 ]; then
	looks "looks at three threads" "syscall 3 stat 0" 2
	expect_text "looks at three threads: what they sleep in" ',futex,' "$work/csv"
fi
looks "as before Linux 5.7: one thread" "syscall 1 stat 0" 0 --wary
expect_text "as before Linux 5.7: one thread: what it sleeps in" 'nanosleep' "$work/csv"
looks "as before Linux 5.7: three threads" "syscall 0 stat 3" 2 --wary
expect "as before Linux 5.7: three threads: asleep all the same" yes \
	"$(awk -F, 'NR > 1 { ns += $3 } END { print (ns > 4e9 ? "yes" : ns) }' "$work/csv")"

"$targets/thread-groups" leaderless 5 & target=$!
sleep 0.3
timeout 60 "$pprofil" -f json -p "$target" >"$work/json" 2>"$work/err"
expect "without a leader: its end is seen" 0 $?
expect "without a leader: nobody refuses" 0 "$(number "$work/json" untraced)"

# An alarm ends PTRACE_SEIZE after some milliseconds. Where CPUs are busy the alarm may come when the call has
# succeeded, but has not returned.
cc=${CC:-cc}
cat >"$work/late.c" <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <sys/ptrace.h>
	#include <unistd.h>

	long ptrace(enum __ptrace_request request, ...)
	{
	    long (*real)() = (long (*)())dlsym(RTLD_NEXT, "ptrace");
	    __builtin_va_list rest;
	    __builtin_va_start(rest, request);
	    int pid = __builtin_va_arg(rest, int);
	    void *address = __builtin_va_arg(rest, void *), *data = __builtin_va_arg(rest, void *);
	    __builtin_va_end(rest);
	    long result = real(request, pid, address, data);
	    if (request == PTRACE_SEIZE)
	        usleep(30000);
	    return result;
	}
END
sanitizers=$(sed -n 's/^SANITIZER_FLAGS = //p' "$build/Makefile")
if [ -n "$sanitizers" ]; then
	echo "SKIP an alarm behind PTRACE_SEIZE: ASan's library wants to be loaded first"
elif command -v "$cc" >/dev/null && "$cc" -w -shared -fPIC -o "$work/late.so" "$work/late.c" -ldl; then
	timeout 30 env LD_PRELOAD="$work/late.so" "$pprofil" -f csv sh -c 'exit 7' >"$work/csv" 2>&1
	expect "an alarm behind PTRACE_SEIZE, launched: status" 7 $?
	"$targets/known-shares" 20 >/dev/null &
	target=$!
	timeout 30 env LD_PRELOAD="$work/late.so" "$pprofil" -d 5 -f csv -p "$target" >"$work/csv" 2>&1
	expect "an alarm behind PTRACE_SEIZE, attached: status" 0 $?
	expect_text "an alarm behind PTRACE_SEIZE, attached: samples" ',spend_[a-z]*' "$work/csv"
	kill "$target"
fi
finish
