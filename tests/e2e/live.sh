#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The library's live view, as tests/api/live sees it.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

PPROFIL_SUPERVISE=$build/pprofil-supervise
export PPROFIL_SUPERVISE
big=$(command -v node || true)
# shellcheck disable=SC2086 # no argument where there is no such program
"$build/tests/api/live" "$targets/known-shares" "$targets/sleepers" $big || failures=1
finish
