#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: the time that a frame takes to unwind, here and in libdwfl's unwinder, for the same copies of
# stacks. gdb makes the copies: 200 of a C++ program, whose stacks have about 20 frames.
set -u
build=${abs_builddir:-$PWD}
source=${abs_srcdir:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gdb -nx -batch -ex 'python print(1)' >/dev/null 2>&1 || { echo "unwind: no gdb here"; exit 0; }
g++ -std=c++17 -O2 -fomit-frame-pointer "$source/tests/unwind/exceptions.cc" -o "$work/program" ||
	exit 0
gdb -nx -batch -ex "python output, count, pause, most = '$work/stacks', 300, 0.003, 1048576" \
	-x "$source/tests/unwind/stacks.py" "$work/program" >"$work/log" 2>&1 </dev/null
printf 'unwind           '
"$build/tests/unwind/speed" "$work/stacks"
