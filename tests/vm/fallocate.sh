#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# fallocate(2) on tmpfs ends, although the kernel restarts it whenever it is interrupted.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# least PROGRAM...: the smallest CPU time of three runs, ms
least() { for round in 1 2 3; do timeout 120 "$@" "$targets/fallocate" /dev/shm 3; done | awk '
	NR == 1 || $2 < least { least = $2 } END { print NR == 3 ? least : "" }'; }

plain=$(least env)
for options in "-F 1000 --overhead 100" "-F 1000 --overhead 100 -g" "-w -F 1000 --overhead 100"; do
	# shellcheck disable=SC2086 # the options are words
	between "fallocate on tmpfs, $options, for plain's $plain ms" 0 \
		"$(least "$pprofil" -q -o "$work/profile" $options)" "$(awk "BEGIN { print 1.5 * $plain }")"
done
finish
