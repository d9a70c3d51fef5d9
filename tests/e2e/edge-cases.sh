#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls that end by a signal with a handler, by a time limit, or short by themselves end so under pprofil, too.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# right NAME OPTIONS PROGRAM...: under pprofil no try of the program goes wrong
right() {
	name="$1, options '$2'" options=$2
	shift 2
	# shellcheck disable=SC2086
	timeout -k 5 600 "$pprofil" -q $options "$@" >"$work/out" 2>&1
	expect "$name: status" 0 $?
	expect "$name: wrong" "" "$(grep -v ' wrong 0 of ' "$work/out")"
	between "$name: tried" 1 "$(grep -c ' wrong 0 of [1-9]' "$work/out")" 99
	sed -n "s/\(.*\) wrong 0 of 0, late .*/SKIP $name: \1: each try was late/p" "$work/out"
}
right native "" "$targets/edge-cases"
right native "-F 10000 --overhead 100" "$targets/edge-cases"
# another user's process: its resource limits cannot be read, whatever the tracer may do
cp "$targets/edge-cases" "$work/edges" && chmod 711 "$work"
another="setpriv --reuid=65534 --clear-groups $work/edges"
# bit 19 of the capabilities is CAP_SYS_PTRACE
if [ $((0x$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status) >> 19 & 1)) = 1 ] && $another none 2>/dev/null; then
	# shellcheck disable=SC2086
	right "another user's" "-F 10000 --overhead 100" $another copy-to
else
	echo "SKIP another user's: needs root that may trace it"
fi
# a tracer that may trace another user's target, but not send it signals, for it has no CAP_KILL
caps=+sys_ptrace,+dac_override
tracer="setpriv --reuid=65533 --clear-groups --inh-caps=-all,$caps --ambient-caps=$caps --bounding-set=-all,$caps"
if $tracer true 2>/dev/null; then
	# shellcheck disable=SC2016 # its own number
	setpriv --reuid=65534 --clear-groups sh -c 'until grep -q "^TracerPid:.[1-9]" /proc/$$/status; do sleep 0.05; done
		exec "$0" two-signals' "$work/edges" >"$work/out" & target=$!
	# shellcheck disable=SC2086
	timeout -k 5 60 $tracer "$pprofil" -q -F 10000 --overhead 100 -p $target >/dev/null 2>"$work/err"
	status=$?
	[ "$status" = 0 ] || kill "$target" # else it waits for a tracer for ever
	expect "may not send signals: status" "0 " "$status $(cat "$work/err")"
	wait $target
	expect_text "may not send signals" '^two-signals wrong 0 of [1-9]' "$work/out"
else
	echo "SKIP may not send signals: needs root that may trace others"
fi
# 32-bit programs: their calls have other numbers, and signal handlers other registers
if can_run_32_bit && gcc -m32 -idirafter /usr/include/x86_64-linux-gnu -D_FILE_OFFSET_BITS=64 -O1 -std=gnu11 -pthread \
	"$source"/tests/targets/edge-cases*.c -o "$work/edges32" -lutil 2>/dev/null; then
	right 32-bit "" "$work/edges32"
else
	echo "SKIP 32-bit: gcc makes no 32-bit programs here, or the kernel runs none"
fi
finish
