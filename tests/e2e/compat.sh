#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that call profil(2) and its relatives get what their system's page says, and nothing else changes for them.
# The checks and their bounds are in tests/compat/, a program for each system.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cc=${CC:-cc}
library=$build/.libs
[ -e "$library/libpprofil-irix.so" ] || skip "no shared library"
cp "$build/pprofil-supervise" "$work/pprofil-supervise"
export PPROFIL_SUPERVISE=$work/pprofil-supervise LD_LIBRARY_PATH=$library
export PPROFIL_N64_OUTPUT=$work/osprofile.out PPROFIL_GPERF=test-$$
# the leak checker is a tracer too
export ASAN_OPTIONS=detect_leaks=0
sanitizers=$(sed -n 's/^SANITIZER_FLAGS = //p' "$build/Makefile")

compile() { # PROGRAM SYSTEM SOURCE FLAGS...
	program=$1 system=$2 file=$3
	shift 3
	# shellcheck disable=SC2086
	$cc -std=gnu11 -O1 -g -pthread -Wall -Wextra -Werror $sanitizers "$@" \
		-I"$source/lib/compat/$system" "$source/$file" -o "$work/$program" \
		-L"$library" -lpprofil-"$system" -lm 2>"$work/cc.err" ||
		{ fail "$program compiles" "$(head -c 400 "$work/cc.err")"; return 1; }
}

run_check() { # PROGRAM CHECK...
	checked=$1
	shift
	timeout 600 "$work/$checked" "$@" >"$work/out.$checked" 2>"$work/err.$checked"
	status=$?
	sed "s/^\(PASS\|FAIL\) /&$checked $1: /" "$work/out.$checked"
	[ $status -le 1 ] || fail "$checked $1" "status $status: $(head -c 400 "$work/err.$checked")"
}

run_all() { # PROGRAM...
	for program in "$@"; do
		[ -x "$work/$program" ] || continue
		for check in $("$work/$program" list); do
			case $program/$check in
			*/after-exec | */init | */refused | */output) ;; # these need more: see below
			# only what differs from bsd
			macos/basic | macos/fork | macos/exec | macos/usage) run_check macos "$check" ;;
			# only what differs from plain
			n64-debug/reinit | n64-debug/list-in-force) run_check "$program" "$check" ;;
			n64-strict/bin | n64-wide/basic | n64-wide/stream | n64-wide/wrap)
				run_check "$program" "$check" ;;
			macos/* | n64-debug/* | n64-strict/* | n64-wide/*) ;;
			*) run_check "$program" "$check" ;;
			esac
		done
	done
}

systems="solaris irix bsd macos osf1"
for system in $systems; do
	case $system in
	macos) compile macos macos tests/compat/bsd.c -DCHILD_COUNTS=0 ;; # the same call, which a child does not inherit
	*) compile $system $system tests/compat/$system.c ;;
	esac
done
for variant in plain debug strict wide; do
	case $variant in
	plain) define=-UPPROFIL_N64_DEBUG ;;
	debug) define=-DPPROFIL_N64_DEBUG ;;
	strict) define=-DPPROFIL_N64_STRICT ;;
	wide) define=-DPPROFIL_N64_COUNTERS=32 ;;
	esac
	compile n64-$variant n64 tests/compat/n64.c $define
done
compile invisible solaris tests/compat/invisible.c
compile callers solaris tests/compat/callers.c
# three at a time: half of the time they only wait for supervisors to end
run_all solaris macos callers n64-plain >"$work/lane.1" 2>&1 &
PPROFIL_N64_OUTPUT=$work/strict.out run_all bsd invisible n64-debug n64-strict >"$work/lane.2" 2>&1 &
PPROFIL_N64_OUTPUT=$work/other.out run_all irix osf1 n64-wide >"$work/lane.3" 2>&1 &
wait
cat "$work"/lane.?
failures=$((failures + $(cat "$work"/lane.? | grep -c '^FAIL')))
expect "every program ran" 11 "$(cat "$work"/lane.? |
	awk '/^PASS/ { seen[$2] = 1 } END { for (name in seen) n++; print n + 0 }')"

# --- without ioctl(2), as before Linux 6.11, which introduced PROCMAP_QUERY
case $(uname -m) in x86_64) ioctl=16 ;; *) ioctl=29 ;; esac
"$targets/refuse-call" $ioctl 25 "$work/solaris" many-children >"$work/out" 2>&1
case $? in
77) echo "SKIP no ioctl: no filter can be set" ;;
*) expect_text "no ioctl: all of many children" '^PASS all of many children' "$work/out" ;;
esac

# --- what the debug library of the Nintendo 64 prints: codes, texts, order
errors() { "$work/n64-$1" "$2" 2>&1 | sed 's/^0x[0-9A-F]\{8\} //; s/([0-9a-f]\{5,\})/(ADDRESS)/g'; }
expect "n64: silent where it is not the debug library" "" "$(errors plain errors)"
size=$(errors debug errors | sed -n 's/.*illegal size (\([0-9]*\))$/\1/p')
expect "n64: errors of the debug library" "(0068):osProfileStop: profiling has already been stopped
(0062):osProfileInit: profcnt is 0
(0063):osProfileInit: histo_base pointer must be 32-bit aligned (ADDRESS)
(0064):osProfileInit: text_start (ADDRESS) >= text_end (ADDRESS)
(0065):osProfileInit: histo_size is an illegal size ($size)
(0066):osProfileStart: microseconds is < PROF_MIN_INTERVAL (49)
(0067):osProfileStart: profiling has already been started
(0061):osProfileInit: profile counter is running, call osProfileStop before init
(0068):osProfileStop: profiling has already been stopped" "$(errors debug errors)"
size=$(errors strict strict | sed -n 's/.*illegal size (\([0-9]*\))$/\1/p')
expect "n64: strict" "(0063):osProfileInit: histo_base pointer must be 32-bit aligned (ADDRESS)
(0065):osProfileInit: histo_size is an illegal size ($size)
osProfileInit: text segments overlap" "$(errors strict strict)"

# --- the same program without position-independent code, and with the address sanitizer
if compile no-pie solaris tests/compat/callers.c -no-pie; then
	for check in handler exec-amid no-leader; do run_check no-pie $check; done
fi
if [ -z "$sanitizers" ] && compile asan solaris tests/compat/invisible.c -fsanitize=address &&
	compile asan-callers solaris tests/compat/callers.c -fsanitize=address; then
	for check in children processes closed; do run_check asan $check; done
	for check in two-callers short-threads; do run_check asan-callers $check; done
fi

# --- a program prints the same, whether it profiles itself or not
"$work/invisible" output off >"$work/off"
different=0
for i in $(seq "${OUTPUT_ROUNDS:-100}"); do
	"$work/invisible" output on >"$work/on" 2>&1
	cmp -s "$work/off" "$work/on" || different=$((different + 1))
done
expect "output differs" 0 "$different"

# --- a program that is traced already; no supervisor; the first process of a container
refused() { # NAME COMMAND...
	name=$1
	shift
	PPROFIL_DEBUG=1 timeout 600 "$@" "$work/invisible" refused >"$work/out" 2>"$work/err"
	expect "under $name: status" 0 $?
	expect_text "under $name: why" 'pcsample: this process is traced already, by process [0-9]+' \
		"$work/err"
}
if command -v strace >/dev/null; then
	refused strace strace -f -qq -e trace=none -o /dev/null
fi
refused pprofil "$pprofil" -q
PPROFIL_SUPERVISE=/no/such/file PPROFIL_DEBUG=1 "$work/callers" handler >"$work/out" 2>"$work/err"
expect_text "no supervisor: why" 'profil: cannot start /no/such/file: No such file' "$work/err"
if unshare -pf --mount-proc true 2>/dev/null; then
	timeout 600 unshare -pf --mount-proc "$work/invisible" init >"$work/out" 2>"$work/err"
	sed 's/^\(PASS\|FAIL\) /&init: /' "$work/out"
	expect "init: status" 0 $?
	failures=$((failures + $(grep -c '^FAIL' "$work/out")))
else
	echo "SKIP init of a PID namespace: not permitted"
fi

# --- the examples of contrib/compat
example() { # NAME PATTERN FLAGS...
	name=$1 pattern=$2
	shift 2
	compile "$name" "${name%%-*}" "contrib/compat/$name.c" "$@" || return
	rm -f "$work/debug"
	(cd "$work" && PPROFIL_DEBUG=supervisor:$work/debug timeout 600 "./$name") >"$work/out" 2>&1
	expect "example $name: status" 0 $?
	expect_text "example $name" "$pattern" "$work/out"
	grep -Eq "$pattern" "$work/out" || sed 's/^/# supervisor: /' "$work/debug"
	grep -q ' sample ' "$work/debug" || fail "example $name: samples in the debug log" "none"
}
example irix-profil '^divide 0*[1-9.][0-9.]* s, add [0-9.]+ s$'
example irix-sprofil '^a tick is 1000 us: [1-9][0-9]* in this program, [0-9]+ around memmove'
example solaris-profil '^twice [1-9][0-9]* once [1-9][0-9]*$'
example solaris-pcsample '^stored [1-9][0-9]*, of which in this program [1-9][0-9]*$'
example bsd-profil '^count_bits +\+0x[0-9a-f]+ +[1-9]'
example macos-profil '^thrice took [1-9][0-9]*\.[0-9] times as long as once$'
example osf1-profil '^two ranges: 0*[0-9.]*[1-9][0-9]* s in this program'
example n64-osprofile '^draw [1-9][0-9]* ms, play [1-9][0-9]* ms$' -DPPROFIL_N64_DEBUG
expect "flush wrote where gperf was" 1 "$(od -An -N4 -tu1 "$work/osprofile.out" | awk '{ print $4 }')"

# --- no supervisor is left
left() { # how many supervisors of this test run
	for exe in /proc/[0-9]*/exe; do readlink "$exe" 2>/dev/null; done | grep -cF "$work/"
}
for i in $(seq 30); do
	[ "$(left)" -eq 0 ] && break
	sleep 0.1
done
expect "no process is left over" 0 "$(left)"
finish
