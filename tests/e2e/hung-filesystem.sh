#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A mapped file lies on a file system (FUSE) that does not answer. The run goes on and ends, the targets are let go, and
# only the names of that file are missing.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "$(id -u)" = 0 ] || skip "to mount a file system takes root"

started=
export HANGS_TEST=$work
# the file systems are killed first: rm would hang in them
trap 'kill -9 $started 2>/dev/null; umount -l "$work"/mount-* 2>/dev/null; rm -rf "$work" 2>/dev/null' EXIT
chmod 755 "$work"
# serve NAME FILE KIND: mounts a file system at $mount; $server is its process
serve() {
	mount=$work/mount-$1
	mkdir "$mount"
	rm -f "$work/served" # the background shell may truncate it only after the next command has begun
	"$targets/hangfs" "$mount" "$2" "$3" >"$work/served" 2>&1 & server=$!
	started="$started $server"
	await said ready "$work/served" "$server"
}
# said PATTERN FILE PROCESS: the file has the pattern, or the process has ended
said() { grep -qs "$1" "$2" || ! kill -0 "$3" 2>/dev/null; }
hang() { kill -USR1 "$server"; }
end() { # PROCESS...: children of this shell
	kill -9 "$@" 2>/dev/null
	wait "$@" 2>/dev/null
}
begin() { # COMMAND...: in the background; $begun is its process
	"$@" >"$work/begun" 2>/dev/null & begun=$!
	started="$started $begun"
	await runs "$begun"
}
# has the process used 0.05 s of CPU time? Then it has executed its program.
runs() { [ "$(awk '{ print ($14 >= 5) }' "/proc/$1/stat")" = 1 ]; }
# the processes of this test that open files for pprofil: the number and the session of each
list_openers() {
	for each in $(grep -lsz "HANGS_TEST=$work" /proc/[0-9]*/environ); do
		sed -n 's/^\([0-9]*\) (pprofil-open) . [0-9]* [0-9]* \([0-9]*\).*/\1 \2/p' "${each%environ}stat" 2>/dev/null
	done
}
opener_pids() { list_openers | cut -d ' ' -f 1; }
opener_sessions() { list_openers | cut -d ' ' -f 2; }
openers() { list_openers | grep -c .; }

serve try "$targets/known-shares" all
grep -q ready "$work/served" || skip "no file system can be mounted: $(head -n 1 "$work/served")"
end "$server"

# longer COMMAND...: runs it with $seconds of 1, 2, 4 and 8 until it succeeds. Where CPUs are full a target may not run,
# and so not be sampled, for a second.
longer() {
	for seconds in 1 2 4 8; do
		"$@" && break
	done
}
# profile_once COMMAND...: it fails if all went well, but a target has not been sampled
profile_once() {
	began=$(date +%s)
	# shellcheck disable=SC2086
	timeout -s KILL 60 "$@" "$pprofil" $options -f csv -n 0 -d $seconds -p "$far,$near" >"$work/csv" 2>&1
	status=$? lasted=$(($(date +%s) - began))
	[ "$status" = 0 ] && ! grep -qi supervisor "$work/csv" || return 0
	grep -q ',spend_[a-z]*,known-shares,' "$work/csv" && grep -q "$own" "$work/csv"
}
# profile NAME OPTIONS PATTERN COMMAND...: of $far, whose file hangs and whose rows have the pattern, and $near
profile() {
	name=$1 options=$2 own=$3
	shift 3
	longer profile_once "$@"
	expect "$name: status" 0 "$status"
	between "$name: lasts, s" "$seconds" "$lasted" $((seconds + 39))
	expect_text "$name: the other's names" ',spend_[a-z]*,known-shares,' "$work/csv"
	expect_text "$name: its samples" "$own" "$work/csv"
	expect "$name: the supervisor has not hung" "" "$(grep -i 'supervisor' "$work/csv")"
	expect_free "$name: the target that hangs" "$far"
	expect_free "$name: the other" "$near"
}

begin "$targets/known-shares" 6000
near=$begun
for kind in all open read flush; do
	case $kind in open | flush) options= ;; *) options=-g ;; esac
	serve "$kind" "$targets/known-shares" "$kind"
	begin "$mount/file" 6000
	far=$begun
	hang
	own=,file,
	[ "$kind" != flush ] || own=.
	profile "$kind" "$options" "$own" env
	if [ "$kind" = all ]; then
		for options in "" -g; do
			# shellcheck disable=SC2086
			timeout -s KILL 60 "$pprofil" top -b -n 60 -d 0.5 $options -p "$far,$near" 2>"$work/err" |
				grep -m 1 spend_half >"$work/top"
			expect_text "top $options: the other's names" spend_half "$work/top"
		done
	fi
	end "$server" "$far"
done

# A child executes a program, and so closes a file, which hangs. Meanwhile reads of the child's syscall and stat in
# /proc wait.
serve closes "$targets/known-shares" flush
begin "$targets/hung-file" close "$mount/file" 6000
far=$begun
hang
profile "a file that an exec closes" "" ,burn,hung-file, env
profile "a file that an exec closes, -g" -g ,burn,hung-file, env
read -r child rest <"/proc/$far/task/$far/children"
timeout -s KILL 60 "$pprofil" -f csv -d 2 -p "$child,$near" >"$work/csv" 2>&1
expect "such a child is attached to: status" 0 $?
expect_text "such a child is attached to: says so" "^pprofil: $child .hung-file. executes another program" "$work/csv"
expect_text "such a child is attached to: the other's names" ',spend_[a-z]*,known-shares,' "$work/csv"
end "$server" "$far"

# Both targets are let go when the client is killed while a file hangs.
traced() { ! grep -q '^TracerPid:[^0-9]*0$' "/proc/$1/status"; }
asked() { [ "$(openers)" -ge 2 ]; }
opens() { [ "$(openers)" -ge 1 ]; }
untraced() { ! traced "$1" && ! traced "$2"; }
serve killed "$targets/known-shares" all
begin "$mount/file" 6000
far=$begun
hang
"$pprofil" -g -f csv -p "$far,$near" >"$work/out" 2>&1 & client=$!
started="$started $client"
await asked
expect "killed: the target is traced before" 0 "$(traced "$far"; echo $?)"
kill -9 "$client"
await untraced "$far" "$near"
expect_free "killed: the target that hangs" "$far"
expect_free "killed: the other" "$near"
end "$server" "$far"

# At the end of the run the files are waited for. The targets are still traced then, and none stands still for that.
serve ending "$targets/known-shares" all
begin "$mount/file" 6000
far=$begun
# shellcheck disable=SC2016
begin sh -c 'while :; do /bin/true; echo; done >"$0"' "$work/forked"
forks=$begun
# shellcheck disable=SC2016
begin sh -c 'while :; do /bin/true; echo; done >"$0"' "$work/twin" # not traced, to compare with
twin=$begun
hang
timeout -s KILL 60 "$pprofil" -f csv -d 1 -p "$far,$forks" >"$work/out" 2>&1 & client=$!
started="$started $client"
stuck=0 longest=0 size=0 twin_size=0
while kill -0 "$client" 2>/dev/null; do
	before=$size twin_before=$twin_size
	size=$(stat -c %s "$work/forked") twin_size=$(stat -c %s "$work/twin")
	if [ "$size" != "$before" ]; then
		stuck=0
	elif [ "$twin_size" != "$twin_before" ]; then
		stuck=$((stuck + 1))
	fi
	[ "$stuck" -le "$longest" ] || longest=$stuck
	sleep 0.2
done
wait "$client"
expect "ending: status" 0 $?
between "ending: looks, 0.2 s apart, that found it stuck and its twin not" 0 "$longest" 5
end "$server" "$far" "$forks" "$twin"

# Something stops the process that opens files. The supervisor must not take that for a stop of a target.
cat >"$work/stopped.c" <<-'END'
	#define _GNU_SOURCE
	#include <signal.h>
	#include <string.h>
	#include <sys/prctl.h>
	#include <sys/syscall.h>
	#include <unistd.h>

	int prctl(int option, ...)
	{
	    __builtin_va_list rest;
	    __builtin_va_start(rest, option);
	    unsigned long a = __builtin_va_arg(rest, unsigned long), b = __builtin_va_arg(rest, unsigned long);
	    unsigned long c = __builtin_va_arg(rest, unsigned long), d = __builtin_va_arg(rest, unsigned long);
	    __builtin_va_end(rest);
	    int result = (int)syscall(SYS_prctl, option, a, b, c, d);
	    if (option == PR_SET_NAME && strcmp((const char *)a, "pprofil-open") == 0)
	        raise(SIGSTOP);
	    return result;
	}
END
if grep -q '^SANITIZER_FLAGS = ..*' "$build/Makefile"; then
	echo "SKIP an opener that is stopped: ASan's library wants to be loaded first"
elif "${CC:-cc}" -w -shared -fPIC -o "$work/stopped.so" "$work/stopped.c"; then
	timeout -s KILL 60 env LD_PRELOAD="$work/stopped.so" "$pprofil" -g -f csv "$targets/event-storm" fork 80 2000 \
		>"$work/out" 2>"$work/csv"
	expect "an opener that is stopped: status" 0 $?
	expect "an opener that is stopped: output" "storm fork done 80" "$(head -n 1 "$work/out")"
	# shellcheck disable=SC2046
	kill -CONT $(opener_pids)
fi

# However many files of one file system hang, those of another have their names. With -g each file that two running
# threads have mapped is asked for, and the first that hangs is waited for, for five seconds.
if echo 'int nothing;' | gcc -shared -fPIC -x c -o "$work/library" - 2>/dev/null; then
	serve many "$work/library" all
	many=$mount many_server=$server
	serve healthy "$targets/known-shares" all
	begin env LD_PRELOAD="$(for i in $(seq 24); do printf '%s/file%s:' "$many" "$i"; done)" "$targets/known-shares" 6000
	far=$begun
	begin "$mount/file" 6000
	kill -USR1 "$many_server"
	timeout -s KILL 60 "$pprofil" -g -f csv -n 0 -d 12 -p "$begun,$far" >"$work/csv" 2>&1
	expect "many files: status" 0 $?
	expect_text "many files: names of another file system" ',spend_half,file,' "$work/csv"
	end "$server" "$many_server" "$far" "$begun"
fi

# The kernel reads a file's first page for its build-id, and holds the lock of the target's mappings meanwhile.
"$targets/hung-file" write "$work/code"
serve first-page "$work/code" all
begin "$targets/hung-file" run "$mount/file"
far=$begun
hang
profile "first page" "" . env
end "$server" "$far"

# A thread waits in a call whose path is a page of the file. -w looks for what it waits, but not in that page.
serve argument "$targets/known-shares" all
begin "$targets/hung-file" path "$mount/file"
far=$begun
hang
kill -USR1 "$far"
profile "the path of a call" -w ,burn,hung-file, env
end "$server" "$far"

# Files are opened by their paths where /proc/PID/map_files is denied.
if $unprivileged test -x "$pprofil" 2>/dev/null; then
	root_near=$near
	serve by-path "$targets/known-shares" all
	# shellcheck disable=SC2086
	begin $unprivileged "$mount/file" 6000
	far=$begun
	# shellcheck disable=SC2086
	begin $unprivileged "$targets/known-shares" 6000
	near=$begun
	hang
	# shellcheck disable=SC2086
	profile "by path" "" . $unprivileged
	end "$server" "$far" "$near"
	near=$root_near
else
	echo "SKIP by path: no other user may run pprofil here"
fi

# A file hangs while its program is run; the profile is saved, and reported later.
serve launched "$targets/known-shares" all
cat >"$work/both" <<-'SH'
	"$1/file" 3 & far=$!
	sleep 0.5
	kill -USR1 "$2"
	"$3" 1
	kill -9 "$far"
	exit 7
SH
timeout -s KILL 90 "$pprofil" -q -o "$work/launched.pb.gz" sh "$work/both" "$mount" "$server" "$targets/known-shares" \
	>/dev/null 2>"$work/err"
expect "launched: the program's status" 7 $?
timeout -s KILL 60 "$pprofil" report -f csv -n 0 "$work/launched.pb.gz" >"$work/csv" 2>&1
expect "a report of it: status" 0 $?
expect_text "a report of it: the other's names" ',spend_[a-z]*,known-shares,' "$work/csv"
end "$server"

# The file system's server and a reader are both targets. While the server is stopped, the reader's call on the file
# waits, and the supervisor must not wait for that call. 300 reads end short, at the end of the file.
mkdir "$work/mount-own"
head -c 1000000 /dev/zero >"$work/zeros"
cat >"$work/own" <<-'SH'
	"$1" "$2" "$3" direct & server=$!
	until [ -e "$2/file" ]; do sleep 0.05; done
	for i in $(seq 300); do dd if="$2/file" bs=70000 status=none; done | wc -c
	kill "$server"
	wait "$server"
SH
timeout -s KILL 90 "$pprofil" -q -F 5000 --overhead 100 sh "$work/own" "$targets/hangfs" "$work/mount-own" \
	"$work/zeros" >"$work/out" 2>"$work/err"
expect "a server of ours: status" 0 $?
expect "a server of ours: bytes" 300000000 "$(tail -n 1 "$work/out")"

# While the file system answers, its files have names. A profile without names gets them later, by the files' paths, of
# which one hangs in the end.
serve sound "$targets/known-shares" all
begin "$mount/file" 6000
far=$begun
names_of_sound() {
	timeout -s KILL 60 "$pprofil" -f csv -n 0 -d "$seconds" -p "$far" >"$work/csv" 2>&1
	grep -q ',file,' "$work/csv"
}
longer names_of_sound
expect_text "a sound one: names" ',spend_[a-z]*,file,' "$work/csv"
names_by_path() {
	timeout -s KILL 60 "$pprofil" -q --no-symbolize -o "$work/later.pb.gz" -d "$seconds" -p "$far,$near" 2>"$work/err"
	timeout -s KILL 60 "$pprofil" report -f csv -n 0 "$work/later.pb.gz" >"$work/csv" 2>&1
	grep -q ',file,' "$work/csv" && grep -q ',known-shares,' "$work/csv"
}
longer names_by_path
expect_text "a sound one, by its path: names" ',spend_[a-z]*,file,' "$work/csv"
hang
began=$(date +%s)
timeout -s KILL 60 "$pprofil" report -f csv -n 0 "$work/later.pb.gz" >"$work/csv" 2>&1 & client=$!
opens_in_sessions() { sessions=$(opener_sessions | sort -u) && [ -n "$sessions" ]; }
await opens_in_sessions
# in a session of its own it may wait for a CPU for seconds: sched(7), "The autogroup feature"
expect "a report of a file that hangs: the session in which it is opened" "$(ps -o sid= -p $$ | tr -d ' ')" "$sessions"
wait "$client"
expect "a report of a file that hangs: status" 0 $?
between "a report of a file that hangs: lasts, s" 0 $(($(date +%s) - began)) 30
expect_text "a report of a file that hangs: the other's names" ',spend_[a-z]*,known-shares,' "$work/csv"
end "$server" "$far" "$near"

no_openers() { [ "$(openers)" = 0 ]; }
await no_openers
expect "openers that are left when no file hangs any more" 0 "$(openers)"
finish
