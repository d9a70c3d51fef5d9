#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# unwind.sh SECONDS [DIRECTORY]: fuzzes the unwinder, from the corpus beside this script. Needs a
# configured build (abs_builddir) and clang. What is found stays in DIRECTORY (default: fuzz-unwind
# in the build). A stack takes at most a second and all of it at most half a gigabyte.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=${abs_srcdir:-$here/../..}
build=${abs_builddir:?where is the build?}
work=${2:-$build/fuzz-unwind}
mkdir -p "$work/corpus"
changed=$work
[ ! -x "$work/fuzz" ] ||
	changed=$(find "$source/lib/unwind" "$source/tests/fuzz/fuzz-unwind.c" -newer "$work/fuzz")
[ -z "$changed" ] ||
	${FUZZ_CC:-clang} -O1 -g -std=gnu11 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -DHAVE_CONFIG_H -I"$build" -I"$build/lib" \
		-I"$source/lib" "$source/tests/fuzz/fuzz-unwind.c" "$source"/lib/unwind/*.c \
		"$source"/lib/profile/*.c "$source/lib/wire/event.c" -o "$work/fuzz" -ldw -lelf
cd "$work"
exec ./fuzz -max_total_time="$1" -timeout=1 -rss_limit_mb=512 -max_len=16384 -print_final_stats=1 \
	corpus "$here/corpus-unwind"
