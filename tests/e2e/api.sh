#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that use libpprofil, each of which prints PASS and FAIL itself. API_PROGRAMS: which of them; all.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

PPROFIL_SUPERVISE=$build/pprofil-supervise
export PPROFIL_SUPERVISE
mkdir "$work/sockets"
big=$(command -v node || true)
for program in ${API_PROGRAMS:-histograms machine rates sessions live}; do
	case $program in
	sessions) set -- "$work/sockets" ;;
	# shellcheck disable=SC2086 # no argument where there is no such program
	live) set -- "$targets/known-shares" "$targets/sleepers" $big ;;
	*) set -- "$targets/known-shares" ;;
	esac
	"$build/tests/api/$program" "$@" || failures=1
done
finish
