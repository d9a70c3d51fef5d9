#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil doctor: what it finds as root and as another user, in namespaces, under filters of system calls, under Yama,
# and of processes that it can and cannot attach to. It leaves nothing behind.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# a supervisor of this test's own, so that it is known which ones are left over
PPROFIL_SUPERVISE=$work/pprofil-supervise
export PPROFIL_SUPERVISE
cp "$build/pprofil-supervise" "$PPROFIL_SUPERVISE"
chmod 755 "$work" "$PPROFIL_SUPERVISE"

# read_json TEXT: prints JSON as lines: "KEY VALUE" for the members of the object, "NAME VERDICT" for checks
read_json() {
	python3 -c '
import json, sys
document = json.load(open(sys.argv[1]))
for key, value in document.items():
    if key != "checks":
        print(key, json.dumps(value))
for check in document["checks"]:
    assert check["verdict"] in ("yes", "limited", "no") and check["fact"] and check["group"]
    assert (check["why"] == "") == (check["verdict"] == "yes"), check
    print(check["name"], check["verdict"])
    for name, number in check["numbers"].items():
        print(check["name"] + "." + name, number)' "$1"
}
# doctor NAME STATUS [OPTION...]: runs "$how pprofil doctor OPTION...", and checks its status. The text is in $work/out.
how=
doctor() {
	name=$1 status=$2
	shift 2
	# shellcheck disable=SC2086 # $how is words
	expect "$name: status" "$status" "$(status_of timeout 120 $how "$pprofil" doctor "$@")"
	expect "$name: nothing on standard error" "" "$(cat "$work/err")"
}
# says VERDICT FACT [WHY]: the last doctor has a line with this verdict and fact, and the line below it says why
says() {
	if awk -v verdict="$1" -v fact="$2" -v why="${3:-}" '
		found { if ($0 ~ why) good = 1; found = 0 }
		$1 ~ "^" verdict "$" && $0 ~ fact { if (why == "") good = 1; found = 1 }
		END { exit !good }' "$work/out"; then
		pass "$name: $1: $2"
	else
		fail "$name: $1: $2" "not in: $(head -c 1000 "$work/out")"
	fi
}

# --- this machine
doctor "plain" 0
says yes 'profiles programs that it starts: tried, [1-9][0-9]* samples? of a child'
says yes 'Linux [0-9]'
says yes 'reading the clock: [0-9]+ ns|a context switch between two processes: [0-9.]+ us'
says yes "pprofil-supervise: $PPROFIL_SUPERVISE\$"
expect_text "plain: the rates" \
	'busy thread.*: [1-9][0-9]* Hz reached; a sample costs [0-9.]+ us, so 2 % .* allow [1-9]' "$work/out"
expect "plain: the end" "pprofil can profile programs that it starts." "$(tail -n 1 "$work/out")"
expect "plain: each line has a verdict, a reason or a title" "" "$(grep -vE \
	'^(  (yes|limited|no) +[^ ]|           [^ ]|[A-Z][^ ]|pprofil |$)' "$work/out")"

doctor "JSON" 0 -f json
cp "$work/out" "$work/json"
read_json "$work/json" >"$work/out"
expect "JSON: is valid" 0 $?
expect_text "JSON: result" '^profiles_programs true$' "$work/out"
expect "JSON: nothing about a process" "" "$(grep '^attaches' "$work/out")"
expect_text "JSON: launch" '^launch yes$' "$work/out"
for number in launch.samples clock.clock_ns wake-up.wake_up_ns switch.switch_ns stop.stop_ns sample.sample_ns \
	rate-one.reached_hz rate-one.allowed_hz rate-all.reached_hz rate-all.allowed_hz; do
	between "JSON: $number" 1e-9 "$(sed -n "s/^$number //p" "$work/out")" 1e12
done
expect "JSON: a busy child for each CPU" "$(nproc)" "$(sed -n 's/^rate-all.children \([0-9]*\).*/\1/p' "$work/out")"

how="env DEBUGINFOD_URLS=https://debuginfod.example"
doctor "a server" 0
says yes 'DEBUGINFOD_URLS: https://debuginfod.example$'
how=
if command -v script >/dev/null; then
	timeout 60 script -qec "env -u NO_COLOR TERM=xterm '$pprofil' doctor" /dev/null >"$work/out" </dev/null
	expect_text "a terminal: colours" "$(printf '\033\\[32myes')" "$work/out"
	expect_text "a terminal: says so" 'a terminal with colours \(TERM=xterm\)' "$work/out"
fi

# --- wrong options, no output, no supervisor
for options in "-p x" "-p 0" "-p 1,2" "-f csv" "-f x" "something" "--busy=x"; do
	# shellcheck disable=SC2086
	expect "$options: status" 125 "$(status_of "$pprofil" doctor $options)"; one_line "$options"
done
expect "a full disk: status" 125 "$(status_of sh -c "'$pprofil' doctor >/dev/full")"; one_line "a full disk"
how="env PPROFIL_SUPERVISE=/no/such"
doctor "no supervisor" 1
says no 'profiles programs that it starts' 'cannot start /no/such: No such file or directory; PPROFIL_SUPERVISE'
says no 'pprofil-supervise: /no/such' 'No such file'
how=

# --- a process
"$targets/known-shares" 600 >/dev/null & target=$!
doctor "a process" 0 -p $target
says yes "process $target \(known-shares\): of user .*, with 1 thread: .*known-shares 600"
says yes 'pprofil can attach to it'
says yes 'program .*known-shares: 64-bit, can be read'
says yes 'its file has symbols and source lines'
expect "a process: the end" "pprofil can profile programs that it starts, and can attach to $target." \
	"$(tail -n 1 "$work/out")"
expect_free "a process: afterwards" $target
doctor "a process, JSON" 0 -f json -p $target
cp "$work/out" "$work/json"
read_json "$work/json" >"$work/out"
expect_text "a process, JSON: result" '^attaches true$' "$work/out"
expect_text "a process, JSON: attached" '^attach-to-process yes$' "$work/out"

doctor "no process" 1 -p 99999999
says no 'process 99999999' 'there is no such process'
says no 'pprofil cannot attach to it' 'no process 99999999'
sh -c 'sleep 0.01 & exec sleep 60' & parent=$!
is_dead() { ps -o stat= --ppid $parent | grep -q Z; }
await is_dead
doctor "a zombie" 1 -p "$(ps -o pid= --ppid $parent | tr -d ' ')"
says no 'pprofil cannot attach to it' 'is a zombie'
kill $parent

# begin WAY: a target some of whose threads have another tracer
begin() {
	: >"$work/ready"
	"$targets/other-tracer" "$1" 600 >"$work/ready" & other=$!
	await has_begun
	grep -q ready "$work/ready"
}
has_begun() { grep -q ready "$work/ready" || ! kill -0 "$other" 2>/dev/null; }
if begin all; then
	doctor "traced" 1 -p $other
	says no 'pprofil cannot attach to it' "$other \(other-tracer\) is already traced by [0-9]+ \(other-tracer\)"
	kill $other
	begin short
	doctor "a thread is traced" 0 -p $other
	says limited 'but not to all of its threads' "1 of [0-9]+ threads of $other \(other-tracer\) cannot be traced"
	kill $other
else
	echo "SKIP traced: no process can trace its parent here"
fi

if /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
	/usr/bin/python3 -c 'import time; time.sleep(600)' & python=$!
	is_python() { readlink /proc/$python/exe | grep -q python; }
	await is_python
	doctor "Python" 0 -p $python
	says yes 'Python 3\.[0-9]+: -g shows the functions of the Python program'
	kill $python
fi
if can_run_32_bit; then
	echo 'int main(void) { for (;;) __builtin_ia32_pause(); }' >"$work/bits.c"
	gcc -m32 "$work/bits.c" -o "$work/bits" && strip "$work/bits"
	"$work/bits" & narrow=$!
	is_narrow() { readlink /proc/$narrow/exe | grep -q bits; }
	await is_narrow
	doctor "32 bits" 0 -p $narrow
	says yes 'program .*bits: 32-bit, can be read'
	says limited 'its file has no symbols and no source lines' 'compile with -g, do not strip'
	kill $narrow
fi

# --- filters of system calls: numbers are those of ptrace, process_vm_readv and memfd_create
case $(uname -m) in x86_64) ptrace=101 readv=310 memfd=319 ;; *) ptrace=117 readv=270 memfd=279 ;; esac
# a LeakSanitizer in this build needs ptrace, too
no_ptrace="env ASAN_OPTIONS=detect_leaks=0 $targets/refuse-call $ptrace"
"$targets/refuse-call" 999 1 true
if [ $? = 77 ]; then
	echo "SKIP filters: no filter can be set"
else
	for error in 1 38; do
		how="$no_ptrace $error"
		doctor "no ptrace, error $error" 1 -p $target
		says no 'profiles programs that it starts' 'a seccomp filter refuses ptrace\(2\) here'
		says no 'attaches to running processes' 'a seccomp filter refuses ptrace\(2\) here'
		says limited 'seccomp: a filter' 'may refuse ptrace'
		says limited 'NoNewPrivs: set' 'sudo gives no privileges'
		says no 'a stop by ptrace: not measured' 'seccomp'
		expect "no ptrace, error $error: the end" \
			"pprofil cannot profile programs that it starts, and cannot attach to $target." "$(tail -n 1 "$work/out")"
	done
	how="$targets/refuse-call $readv 1"
	doctor "no process_vm_readv" 0
	says yes 'seccomp: a filter, which permits ptrace'
	says no 'process_vm_readv: stacks are copied' 'stacks have no callers'
	how="$targets/refuse-call $memfd 1"
	doctor "no memfd_create" 1
	says no 'memfd_create' 'no session can be opened'
	how="$no_ptrace 1"
	expect "no ptrace, a run: status" 125 "$(status_of $how "$pprofil" "$targets/known-shares" 1)"
	expect_text "no ptrace, a run: why" 'a seccomp filter refuses ptrace' "$work/err"
fi
how=

# --- another user
root=
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && $unprivileged test -x "$pprofil" && root=yes
if [ -n "$root" ]; then
	sleep 600 & sleeper=$!
	how=$unprivileged
	doctor "unprivileged" 1 -p $sleeper
	says yes 'profiles programs that it starts'
	says limited 'CAP_SYS_PTRACE: this process does not have it' 'use sudo'
	says no '/proc/PID/stack' 'CAP_SYS_ADMIN'
	says no 'pprofil cannot attach to it' "$sleeper \(sleep\) belongs to user 0, not to you \(65534\): use sudo"
	# a process that is not "dumpable", as after set-user-ID
	echo '#include <sys/prctl.h>
		#include <unistd.h>
		int main(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); sleep(600); return 0; }' >"$work/closed.c"
	${CC:-cc} "$work/closed.c" -o "$work/closed"
	$unprivileged "$work/closed" & closed=$!
	is_closed() { [ "$(stat -c %u /proc/$closed/status)" = 0 ] && grep -q '^Uid:.65534' /proc/$closed/status; }
	await is_closed
	doctor "a process that forbids tracing" 1 -p $closed
	says no 'pprofil cannot attach to it' "$closed \(closed\) forbids tracing: .*; use sudo"
	# one that has a capability, which is not lost at an exec because it is ambient
	$unprivileged --inh-caps +net_raw --ambient-caps +net_raw sleep 600 & capable=$!
	is_sleep() { grep -q '^Name:.sleep' /proc/$capable/status; }
	await is_sleep
	doctor "a process with a capability" 1 -p $capable
	says no 'pprofil cannot attach to it' "$capable \(sleep\) has capabilities that you do not have"
	kill $sleeper $closed $capable
	how=

	scope=/proc/sys/kernel/yama/ptrace_scope
	if [ -w $scope ]; then
		was=$(cat $scope)
		trap 'echo "$was" >$scope; rm -rf "$work"' EXIT
		how=$unprivileged
		echo 0 >$scope
		doctor "Yama 0" 0
		says yes 'attaches to running processes of this user: tried'
		echo 1 >$scope
		doctor "Yama 1" 0
		says limited 'Yama: ptrace_scope 1' 'ptrace_scope=0'
		says no 'attaches to running processes' 'protected by Yama \(kernel.yama.ptrace_scope = 1\)'
		echo 2 >$scope
		doctor "Yama 2" 1
		says no 'Yama: ptrace_scope 2' 'use sudo'
		says no 'profiles programs that it starts' 'protected by Yama \(kernel.yama.ptrace_scope = 2\)'
		how=
		doctor "Yama 2, root" 0
		says yes 'Yama: ptrace_scope 2: .*; CAP_SYS_PTRACE is there'
		echo "$was" >$scope
		trap 'rm -rf "$work"' EXIT
	else
		echo "SKIP Yama: this kernel has none, or its setting cannot be changed"
	fi
	# with a file in the place of Yama's setting, and a filter that refuses ptrace as Yama does
	# shellcheck disable=SC2016 # the inner shell expands it
	echo 'mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama &&
		echo "$1" >/proc/sys/kernel/yama/ptrace_scope && shift && exec "$@"' >"$work/pretend"
	for value in 1 2 3; do
		how="unshare -m sh $work/pretend $value $no_ptrace 1 $unprivileged"
		$how true 2>/dev/null || continue
		doctor "as Yama $value" 1
		says '(limited|no)' "Yama: ptrace_scope $value"
		case $value in
		1) # a program that pprofil starts permits the supervisor to trace it
			says no 'profiles programs that it starts' 'a seccomp filter refuses'
			says no 'attaches to running' "protected by Yama .kernel.yama.ptrace_scope = 1.*or start it with 'pprofil" ;;
		2) says no 'profiles programs that it starts' "protected by Yama .kernel.yama.ptrace_scope = 2.*scope=0'\$" ;;
		3) says no 'profiles programs that it starts' 'forbidden on this system until it is rebooted' ;;
		esac
	done
	how=
else
	echo "SKIP another user: needs root and setpriv"
fi

# --- namespaces
if unshare -Urm true 2>/dev/null; then
	how="unshare -Urm"
	doctor "a user namespace" 0
	says limited "user namespace: not the first one; uid_map is '0 $(id -u) 1'" 'run pprofil outside'
	says no '/proc/PID/stack' 'outside of any user namespace'
else
	echo "SKIP a user namespace: not permitted"
fi
if [ -n "$root" ] && unshare -pf --mount-proc true 2>/dev/null; then
	how="unshare -pf --mount-proc"
	doctor "a PID namespace" 0
	says limited 'container: this PID namespace is not the first one' 'run pprofil outside'
	# shellcheck disable=SC2016 # the inner shell expands it
	echo 'mount -o remount,hidepid=2 /proc && "$@"' >"$work/hide"
	how="$how sh $work/hide $unprivileged"
	doctor "hidepid" 0
	says limited '/proc: mounted with hidepid=' 'processes of others are hidden'
else
	echo "SKIP a PID namespace: not permitted"
fi
how=

# --- the end: whatever ends it, its children and its supervisor end
own_left() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c "$PPROFIL_SUPERVISE"; }
busy_left() { pgrep -f -- "doctor --busy=$doctor\$" | wc -l; }
nothing_is_left() { [ "$(own_left)" = 0 ] && [ "$(busy_left)" = 0 ]; }
has_busy_child() { [ "$(busy_left)" != 0 ]; }
for signal in TERM KILL; do
	"$pprofil" doctor >/dev/null 2>&1 & doctor=$!
	await has_busy_child
	kill -$signal $doctor
	wait $doctor
	if await nothing_is_left; then pass "SIG$signal: nothing is left"; else
		fail "SIG$signal: nothing is left" "$(ps -ef | grep -E 'pprofil-superv|--busy' | head -n 5)"
	fi
done
# Ctrl-C reaches all processes of the terminal. timeout(1) sends the signal to its child and to its own process group.
for seconds in 0.5 1.3 2; do
	timeout -s INT $seconds "$pprofil" doctor >/dev/null 2>&1
	doctor='[0-9]*'
	if await nothing_is_left; then pass "SIGINT after $seconds s: nothing is left"; else
		fail "SIGINT after $seconds s: nothing is left" "$(ps -ef | grep -E 'pprofil-superv|--busy' | head -n 5)"
	fi
done
kill $target
finish
