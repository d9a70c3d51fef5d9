#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The supervisor builds for AArch64 without a warning, with Debian's cross compiler.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc"
echo 'int main(void) { return 0; }' >"$work/try.c"
aarch64-linux-gnu-gcc "$work/try.c" -o "$work/try" 2>/dev/null || skip "no C library for AArch64"
mkdir "$work/build"
if (cd "$work/build" && "$source/configure" -q --host=aarch64-linux-gnu --enable-supervisor-only \
	--enable-werror && make -s pprofil-supervise) >"$work/log" 2>&1; then
	pass "supervisor builds for AArch64"
else
	fail "supervisor builds for AArch64" "$(tail -n 5 "$work/log")"
fi
finish
