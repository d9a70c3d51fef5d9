#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# AArch64's stacks, as programs of that machine write them down themselves (tests/unwind/aarch64.c),
# equal those that their compiler's unwinder sees: without frame pointers, with them, and with
# return addresses that are signed. On other machines they run under qemu.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

compiler=aarch64-linux-gnu-gcc emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu max"
[ "$(uname -m)" = aarch64 ] && compiler=gcc emulator=
command -v $compiler >/dev/null || skip "no compiler for AArch64"
[ -z "$emulator" ] || command -v qemu-aarch64 >/dev/null || skip "no qemu-aarch64"

# like NAME FLAG...
like() {
	name=$1
	shift
	if ! $compiler -O2 "$@" -o "$work/program" "$source/tests/unwind/aarch64.c" 2>"$work/log"; then
		echo "SKIP $name: $(head -n 1 "$work/log")"
	elif ! timeout 60 $emulator "$work/program" "$work/stacks" >"$work/log" 2>&1; then
		fail "$name" "it did not write its stacks: $(head -n 1 "$work/log")"
	elif "$build/tests/unwind/compare" "$work/stacks" >"$work/result" 2>&1 &&
		[ "$(sed 's/ .*//' "$work/result")" -ge 400 ]; then
		pass "$name: $(cat "$work/result")"
	else
		fail "$name" "$(cat "$work/result")"
	fi
}

like static -fomit-frame-pointer -static
like frame-pointers -fno-omit-frame-pointer
like signed -fomit-frame-pointer -mbranch-protection=standard
finish
