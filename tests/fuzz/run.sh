#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fuzzes the readers of files, of ELF files and of Python stacks, and the unwinder, each for some seconds:
#
#   tests/fuzz/run.sh [-b BUILD] [-t SECONDS] [TARGET...]     all in tests/fuzz/corpus, if none is named
#   tests/fuzz/run.sh [-b BUILD] -k FILE TARGET
#
# It needs clang, and builds in BUILD (./build-fuzz). What it finds beyond tests/fuzz/corpus/TARGET.tar.gz stays in
# BUILD/corpus; an input that crashes, hangs or needs too much memory is left in BUILD and fails.
# With -m, what was found and covers more is added to the archive instead. With -k, FILE is added to it: an input that
# failed, by a name that says what it broke.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$PWD/build-fuzz seconds=60 merge= keep=
while getopts b:k:mt: option; do
	case $option in
	b) build=$OPTARG ;;
	k) keep=$(realpath "$OPTARG") ;;
	m) merge=1 ;;
	t) seconds=$OPTARG ;;
	*) exit 125 ;;
	esac
done
shift $((OPTIND - 1))
# unpack TARGET, and pack TARGET: the archive to and from BUILD/kept/TARGET
unpack() {
	rm -rf "$build/kept/$1"
	mkdir -p "$build/kept/$1"
	tar -xzf "$source/tests/fuzz/corpus/$1.tar.gz" -C "$build/kept/$1"
}
pack() {
	(cd "$build/kept/$1" && tar --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 \
		-cf - -- * | gzip -9n) >"$source/tests/fuzz/corpus/$1.tar.gz"
}
if [ -n "$keep" ]; then
	unpack "$1"
	cp "$keep" "$build/kept/$1/"
	pack "$1"
	exit
fi
command -v clang >/dev/null || { echo "clang was not found: apt-get install clang" >&2; exit 77; }

mkdir -p "$build"
cd "$build"
sanitize=-fsanitize=address,undefined
flags="-O1 -g -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
[ -f Makefile ] || "$source/configure" -q CC=clang CFLAGS="$flags $sanitize,fuzzer-no-link" \
	LDFLAGS="$sanitize" --disable-shared --enable-static
make -s lib/format/pprof/profile.pb-c.h lib/profile/syscall-table.h && make -s libcore.la
reader=
for part in code frames gather layout pages reader threads; do reader="$reader $source/lib/supervisor/python/python-$part.c"; done
# shellcheck disable=SC2046,SC2086
clang -std=gnu11 $flags $sanitize,fuzzer -I"$source/lib" -I"$build" -Ilib \
	"$source"/tests/fuzz/*.c $reader -o fuzz .libs/libcore.a \
	$(pkg-config --libs libdw libelf zlib libprotobuf-c jansson) -liberty -lm

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cd "$source/tests/fuzz/corpus" && ls | sed 's/\.tar\.gz$//')
for target in "$@"; do
	unpack "$target"
	kept=$build/kept/$target words=$build/$target.dict
	awk -v head="# $target" '/^# / { ours = $0 == head } ours' "$source/tests/fuzz/dictionaries" >"$words"
	export PPROFIL_FUZZ_TARGET="$target"
	mkdir -p "corpus/$target"
	if [ -n "$merge" ]; then
		./fuzz -set_cover_merge=1 -use_counters=0 -max_len=20000 "$kept" "corpus/$target"
		pack "$target"
		continue
	fi
	memory=2048 # MiB; sanitizers keep what was freed for a while
	[ "$target" != unwind ] || memory=512
	set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=$memory -max_len=65536 \
		-print_final_stats=1 -len_control=100
	[ ! -s "$words" ] || set -- "$@" -dict="$words"
	echo "$target: $seconds s"
	nice ./fuzz "$@" "corpus/$target" "$kept" 2>"$target.log" || {
		tail -n 40 "$target.log" >&2
		exit 1
	}
	grep -E 'number_of_executed_units|peak_rss|new_units' "$target.log" | sed 's/^/    /'
done
