#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: what merging 5000 files costs. The files are made of three real profiles of a compiler: each copy
# has another host and another time, so that its processes are others.
#
#   merge.sh [-n FILES]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
. "${abs_srcdir:-.}/tests/bench/lib.sh"
source=${abs_srcdir:-$PWD}
files=5000
while getopts n: option; do [ "$option" = n ] && files=$OPTARG; done
bench_start
command -v python3 >/dev/null || { echo "merge.sh: python3 is not installed"; exit 0; }
for i in 1 2 3; do
	"$pprofil" -q -g -F 500 --overhead 50 -o real$i.pb.gz sh -c "for i in 1 2 3; do
		${CC:-cc} -O2 -I'$source' -I'$source/lib' -I'$source/src' -I'$build' -DHAVE_CONFIG_H \
			-c -o x.o '$source/src/report-text.c'; done" 2>/dev/null
done
mkdir files
python3 - "$files" <<'END'
import gzip, random, re, sys

# numbers keep their lengths, so that the sizes in the messages stay right
random.seed(7)
for i in range(int(sys.argv[1])):
    message = gzip.open(f"real{i % 3 + 1}.pb.gz").read()
    later = random.randrange(10**6) * 60_000_000
    def shift(match):
        moved = str(int(match[1]) + later).encode()
        return b"start=" + (moved if len(moved) == len(match[1]) else match[1])
    message = re.sub(rb"start=(\d{9,20})", shift, message)
    message = re.sub(rb"host=(\w\w)", lambda match: b"host=%02x" % (i % 40), message)
    gzip.GzipFile(f"files/{i:05}.pb.gz", "wb", 6, mtime=0).write(message)
END
# cost NAME COMMAND...
cost() {
	name=$1
	shift
	if command -v /usr/bin/time >/dev/null; then
		/usr/bin/time -o cost -f '%U %S %M' "$@"
		awk -v name="$name" -v files="$files" '{ printf "%-28s %.2f ms of CPU time a file, %.0f MB\n", name,
			1000 * ($1 + $2) / files, $3 / 1000 }' cost
	else
		"$@"
	fi
}
echo "$files files, $(du -sm files | cut -f1) MB"
cost "merge, one thread" "$pprofil" merge -j 1 --no-symbolize -o flat.pb.gz files
cost "merge, two threads" "$pprofil" merge -j 2 --no-symbolize -o two.pb.gz files
cost "to read the result" "$pprofil" convert --no-symbolize -f folded -o result.folded flat.pb.gz
mkdir tree
for group in 0 1 2 3 4 5 6 7 8 9; do
	ls files/*$group.pb.gz | "$pprofil" merge --no-symbolize -o tree/$group.pb.gz --files-from -
done
"$pprofil" merge --no-symbolize -o tree.pb.gz tree
# rows FILE: all stacks, and all processes
rows() {
	"$pprofil" convert --no-symbolize -f folded -o - "$1" | sort
	"$pprofil" report -n 0 -f csv --by process "$1" | sort
}
for other in two tree; do
	cmp -s <(rows flat.pb.gz) <(rows $other.pb.gz) && echo "flat and $other are equal" || echo "flat and $other DIFFER"
done
