#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that use libpprofil, each of which prints PASS and FAIL itself.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

PPROFIL_SUPERVISE=$build/pprofil-supervise
export PPROFIL_SUPERVISE
"$build/tests/api/histograms" "$targets/known-shares" || failures=1
"$build/tests/api/rates" "$targets/known-shares" || failures=1
mkdir "$work/sockets"
"$build/tests/api/control" "$work/sockets" || failures=1
finish
