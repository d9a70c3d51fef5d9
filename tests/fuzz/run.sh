#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fuzzes the readers of files, each for some seconds:
#
#   tests/fuzz/run.sh [-b BUILD] [-t SECONDS] [FORMAT...]     all formats, if none is named
#
# It needs clang, and builds in BUILD (./build-fuzz). What it finds beyond tests/fuzz/corpus stays in
# BUILD/corpus; an input that crashes, hangs or needs too much memory is left in BUILD and fails.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$PWD/build-fuzz seconds=60
while getopts b:t: option; do
	case $option in
	b) build=$OPTARG ;;
	t) seconds=$OPTARG ;;
	*) exit 125 ;;
	esac
done
shift $((OPTIND - 1))
command -v clang >/dev/null || { echo "clang was not found: apt-get install clang" >&2; exit 77; }

mkdir -p "$build"
cd "$build"
sanitize=-fsanitize=address,undefined
flags="-O1 -g -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
[ -f Makefile ] || "$source/configure" -q CC=clang CFLAGS="$flags $sanitize,fuzzer-no-link" \
	LDFLAGS="$sanitize" --disable-shared --enable-static
make -s lib/format/profile.pb-c.h lib/profile/syscall-table.h && make -s libcore.la
# shellcheck disable=SC2046,SC2086
clang -std=gnu11 -D_GNU_SOURCE $flags $sanitize,fuzzer -I"$source/lib" -I"$build" -Ilib \
	"$source/tests/fuzz/fuzz-read.c" -o fuzz-read .libs/libcore.a \
	$(pkg-config --libs libdw libelf zlib libprotobuf-c jansson) -liberty -lm

[ $# -gt 0 ] || set -- $(cd "$source/tests/fuzz/corpus" && ls)
for format in "$@"; do
	mkdir -p "corpus/$format"
	echo "$format: $seconds s"
	PPROFIL_FUZZ_FORMAT=$format nice ./fuzz-read -max_total_time="$seconds" -timeout=10 \
		-rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 "corpus/$format" \
		"$source/tests/fuzz/corpus/$format" 2>"$format.log" || {
		tail -n 40 "$format.log" >&2
		exit 1
	}
	grep -E 'number_of_executed_units|peak_rss|new_units' "$format.log" | sed 's/^/    /'
done
