#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A room includes headers only of rooms in the lines below its own, in the list of CONTRIBUTING.md.
# No files of a room need each other in a circle.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cd "$source" || exit 1

# ROOM ROOM: the first may include headers of the second
{
	sed -n '/^```$/,/^```$/p' CONTRIBUTING.md | awk '
		/^[a-z ]+$/ { lines++; for (i = 1; i <= NF; i++) { room[++rooms] = $i; line[rooms] = lines } }
		END { for (i = 1; i <= rooms; i++) for (j = 1; j <= rooms; j++) if (line[i] < line[j]) print room[i], room[j] }'
	printf 'supervisor %s\n' wire dialect base
	printf 'compat %s\n' launch wire dialect base
	printf '%s\n' 'tui base' 'src base' 'src tui'
} | sort -u >"$work/allowed"
between "arrows that CONTRIBUTING.md allows" 50 "$(wc -l <"$work/allowed")" 200

# ROOM ROOM FILE: an include of a header in another room
find lib src tui -name '*.[ch]' | sort | while read -r file; do
	room=$(printf '%s' "$file" | sed 's|^lib/||; s|/.*||; s|[.]h$||')
	sed -n 's|^#include "\([a-z0-9-]*\)/.*|\1|p' "$file" | sort -u | sed "s|.*|$room & $file|"
done | awk '$1 != $2' >"$work/found"
between "files that include other rooms" 100 "$(wc -l <"$work/found")" 2000
expect "includes that run up" "" "$(awk 'NR == FNR { allowed[$1 " " $2]; next } !(($1 " " $2) in allowed)' \
	"$work/allowed" "$work/found")"
expect "rooms that are in no list" "" "$(ls -d lib/*/ | sed 's|^lib/||; s|/$||' | while read -r room; do
	grep -q "^$room \| $room\$" "$work/allowed" || echo "$room"; done)"

# FILE FILE: the first includes the header of the second. A file is x.c with x.h and x-internal.h.
find lib src tui -name '*.[ch]' | while read -r file; do
	name=${file%.*}
	sed -n 's|^#include "\(.*\)\.h"$|\1|p' "$file" | while read -r header; do
		for found in "lib/$header" "$header" "${file%/*}/$header"; do
			[ -f "$found.h" ] && [ "${found%-internal}" != "${name%-internal}" ] &&
				echo "${name%-internal} ${found%-internal}" && break
		done
	done
done >"$work/files"
between "includes of files" 500 "$(wc -l <"$work/files")" 10000
expect "circles of files" "" "$(tsort <"$work/files" 2>&1 >/dev/null | sed 's|^tsort: ||')"
# CONTRIBUTING.md names files by their paths, or by their last parts
grep -o '`[a-z0-9/_*-]*[.][ch]`' CONTRIBUTING.md | tr -d '`' | sort -u | while read -r name; do
	[ -n "$(find lib src tui tests -path "*${name##*/}" | head -n 1)" ] || echo "$name"
	case $name in
	lib/* | src/* | tui/* | tests/*) ls $name >/dev/null 2>&1 || echo "$name" ;;
	esac
done >"$work/gone"
expect "files in CONTRIBUTING.md that do not exist" "" "$(sort -u "$work/gone")"
expect "source files at lib/" "" "$(find lib -maxdepth 1 -name '*.c')"
finish
