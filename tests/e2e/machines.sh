#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Other machines than x86-64: 32-bit x86, which an x86-64 kernel runs, too, and AArch64.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# --- a 32-bit x86 target is profiled like any other, its system calls under its own names
if can_run_32_bit && gcc -m32 -O1 -g -pthread "$source/tests/targets/known-shares.c" -o "$work/shares32" 2>/dev/null; then
	"$pprofil" -f json -n 0 "$work/shares32" 1 >"$work/out" 2>"$work/report"
	expect "32-bit target" 0 $?
	expect_text "32-bit functions" 'spend_half' "$work/report"
	cat >"$work/sleep32.c" <<-END
		#include <unistd.h>
		int main(void) { return sleep(1); }
	END
	gcc -m32 -O1 "$work/sleep32.c" -o "$work/sleep32"
	"$pprofil" -w -f csv --by syscall "$work/sleep32" 2>"$work/report"
	expect_text "32-bit system calls" 'clock_nanosleep|,nanosleep' "$work/report"
	expect "32-bit system calls: no 64-bit names" "" "$(grep -E 'umask|mlock' "$work/report")"
else
	echo "SKIP 32-bit target: gcc makes no 32-bit programs here, or the kernel runs none"
fi

# --- the supervisor builds for AArch64 without a warning, with Debian's cross compiler
echo 'int main(void) { return 0; }' >"$work/try.c"
if [ "$(uname -m)" = aarch64 ]; then
	echo "SKIP supervisor builds for AArch64: this machine is one"
elif ! aarch64-linux-gnu-gcc "$work/try.c" -o "$work/try" 2>/dev/null; then
	echo "SKIP supervisor builds for AArch64: no cross compiler with a C library"
else
	mkdir "$work/build"
	if (cd "$work/build" && "$source/configure" -q --host=aarch64-linux-gnu --enable-supervisor-only \
		--enable-werror && make -s pprofil-supervise) >"$work/log" 2>&1; then
		pass "supervisor builds for AArch64"
	else
		fail "supervisor builds for AArch64" "$(tail -n 5 "$work/log")"
	fi
fi

# --- programs of AArch64 copy their own stacks (tests/unwind/aarch64.c), and pprofil finds the callers in them that the
# compiler's unwinder finds: without frame pointers, with them, and with signed return addresses. On other machines the
# programs run under qemu.
compiler=aarch64-linux-gnu-gcc emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu max"
[ "$(uname -m)" = aarch64 ] && compiler=gcc emulator=
# like NAME FLAG...: compiles the program with these flags, and compares
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
if ! command -v $compiler >/dev/null; then
	echo "SKIP AArch64's stacks: no compiler for AArch64"
elif [ -n "$emulator" ] && ! command -v qemu-aarch64 >/dev/null; then
	echo "SKIP AArch64's stacks: no qemu-aarch64"
else
	like static -fomit-frame-pointer -static
	like frame-pointers -fno-omit-frame-pointer
	like signed -fomit-frame-pointer -mbranch-protection=standard
fi
finish
