#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# One run of one unit of a suite in one mode, or of some of its tests:
#
#   unit.sh MODE DIRECTORY SUITE UNIT [TEST...]
#
# makes DIRECTORY/SUITE.UNIT with a line "VERDICT TEST" for each test, and DIRECTORY/SUITE.UNIT.log. The unit runs as
# $CONFORM_USER if root calls this, in a session without a terminal, in an empty directory, with the same environment in
# all modes. Processes that it leaves are killed.
set -u
mode=$1 to=$2 suite=$3 unit=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
rate='-q -F 1000 --overhead 100' # the rate is never lowered
case $mode in
plain) with= ;;
cpu) with="$PPROFIL $rate --" ;;
wall) with="$PPROFIL $rate -w --" ;;
graph) with="$PPROFIL $rate -g --" ;;
*) echo "unit.sh: '$mode' is no mode: plain, cpu, wall or graph" >&2; exit 125 ;;
esac

# a short path, for a socket's path may have 107 bytes
scratch=$(mktemp -d /tmp/conform-XXXXXX) || exit 125
token=CONFORM_RUN=${scratch##*-}
leftovers() { grep -lzxF "$token" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3; }
clean_up() {
	for try in 1 2 3 4 5; do
		left=$(leftovers)
		[ -n "$left" ] || break
		# shellcheck disable=SC2086
		kill -KILL $left 2>/dev/null
		sleep 0.1
	done
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

become=
if [ "$(id -u)" = 0 ]; then
	become="setpriv --reuid=$CONFORM_USER --regid=$(id -g "$CONFORM_USER") --clear-groups"
	chown "$CONFORM_USER" "$scratch" "$to"
fi
cd "$scratch" || exit 125
# shellcheck disable=SC2086
setsid -w $become env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 \
	HOME="$scratch" TMPDIR="$scratch" "$token" CONFORM_DIR="$CONFORM_DIR" CONFORM_WITH="$with" \
	sh "$here/suites/$suite.sh" run "$unit" "$to/$suite.$unit" "$@" \
	>"$to/$suite.$unit.log" 2>&1 </dev/null
