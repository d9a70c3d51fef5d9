#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# make check-conform: other people's test suites, plain and under pprofil, verdict by verdict.
#
#   run.sh [-q] [-s SUITES] [-u REGEX] [-m MODES] [-r ROUNDS] [-n AGAIN] [-j JOBS]
#
#   -s  suites, of "cpython stress-ng libuv tcl" (all)
#   -u  only units whose SUITE.UNIT matches: -u 'cpython.*signal|tcl.io$'
#   -m  modes, of "cpu wall graph": pprofil without options, with -w, and with -g (all)
#   -r  how often each unit is run in each mode (1)
#   -n  how often a test is run again whose verdict differs (10)
#   -j  how many units are run at a time (as many as there are CPUs)
#   -q  quick: some units of each suite, in mode cpu
#
# It shows that a program does under pprofil what it does without it. The authors of these tests knew nothing of
# pprofil, and check what each system call must return. pprofil samples 1000 times a second of CPU time, with -w of
# elapsed time, and has no budget that would lower that rate.
#
# The rule. Every unit is run plain, then in each mode. A test that gets a verdict in a mode that it did not get in the
# plain runs is run alone, plain and in that mode in turn, AGAIN times each (at least three times where that takes
# long). Over all of these runs the test
#   DIFFERS   if two or more of its verdicts in the mode were given in no plain run, or if its usual plain verdict is
#             rarer in the mode by half of all runs, or more;
#   once      if one of its verdicts in the mode was given in no plain run;
#   same      otherwise. A test that fails plain, too, is no fault of pprofil's.
# The exit status is 1 if a test DIFFERS, 125 if the suites cannot be fetched or built.
#
# All files are in BUILD/conform: the suites' sources, and results/ with a directory for each round of a mode,
# again.MODE, judged.MODE, and differ.txt.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${abs_builddir:-$PWD}
export PPROFIL="${PPROFIL:-$build/pprofil}" CONFORM_DIR="${CONFORM_DIR:-$build/conform}"
export CONFORM_USER="${CONFORM_USER:-nobody}" PPROFIL_NO_CONFIG=1
suites='cpython stress-ng libuv tcl' modes='cpu wall graph' only=. rounds=1 again=10 jobs=$(nproc)
quick='cpython.*(fork1|signal|subprocess)$|stress-ng.(.*pipe.*|sock.*|splice|vm)$|libuv|tcl.(exec|io)$'
while getopts j:m:n:qr:s:u: option; do
	case $option in
	j) jobs=$OPTARG ;;
	m) modes=$OPTARG ;;
	n) again=$OPTARG ;;
	q) only=$quick modes=cpu ;;
	r) rounds=$OPTARG ;;
	s) suites=$OPTARG ;;
	u) only=$OPTARG ;;
	*) exit 125 ;;
	esac
done
results=$CONFORM_DIR/results

say() { printf '%s\n' "$*" >&2; }
die() {
	say "check-conform: $*"
	exit 125
}

as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid="$CONFORM_USER" --regid="$(id -g "$CONFORM_USER")" --clear-groups "$@"
	else
		"$@"
	fi
}

install_packages() { # SUITE
	missing=
	for package in $(sh "$here/suites/$1.sh" packages); do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
			missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	say "Installing:$missing"
	sudo=
	[ "$(id -u)" = 0 ] || sudo='sudo -n'
	# shellcheck disable=SC2086
	$sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
		die "$1 needs packages: apt-get install --no-install-recommends$missing"
}

prepare() { # SUITE
	home=$CONFORM_DIR/$1
	[ ! -f "$home/prepared" ] || return 0
	install_packages "$1"
	say "Preparing $1"
	as_user mkdir -p "$home"
	(cd "$home" && as_user env HOME="$home" sh "$here/suites/$1.sh" prepare >prepare.log 2>&1) || {
		tail -n 20 "$home/prepare.log" >&2
		die "$1 could not be fetched or built: see $home/prepare.log"
	}
	touch "$home/prepared"
}

# Prints what is to be run, lines "SUITE UNIT".
plan() {
	for suite in $suites; do
		(cd / && as_user sh "$here/suites/$suite.sh" units) | sed "s/^/$suite /"
	done | awk -v only="$only" '$1 "." $2 ~ only'
}

# Runs all units once in a mode.
round() { # MODE NUMBER
	mkdir -p "$results/$1.$2"
	start=$(date +%s)
	xargs -P "$jobs" -L 1 sh "$here/unit.sh" "$1" "$results/$1.$2" <"$results/plan"
	say "$1, round $2: $(($(date +%s) - start)) s"
}

# Prints the verdicts of runs, lines "SIDE UNIT TEST VERDICT", and for each run of a unit a line without a test, which
# has the KIND of run (round or again). A test that has begun and not ended has ended its program, or hung.
verdicts() { # SIDE KIND DIRECTORY...
	side=$1 kind=$2
	shift 2
	for log in $(find "$@" -name '*.log' 2>/dev/null); do
		touch "${log%.log}"
		awk -v side="$side" -v kind="$kind" -v unit="$(basename "$log" .log)" \
			-v OFS='\t' '
			{ verdict = $1; sub(/^[^ ]* /, ""); last[$0] = verdict }
			END {
				print side, unit, "", kind
				for (test in last)
					print side, unit, test, last[test] == "begun" ? "died" : last[test]
			}' "${log%.log}"
	done
}

judge() { # MODE
	{
		verdicts plain round "$results"/plain.*
		verdicts plain again "$results/again.$1"/plain.*
		verdicts under round "$results/$1".*
		verdicts under again "$results/again.$1/$1".*
	} | awk -v unlike="$results/unlike.$1" -f "$here/judge.awk" | sort >"$results/judged.$1"
}

# Runs the tests again that differ or seem to.
look_again() { # MODE
	judge "$1"
	awk -F '\t' -v OFS='\t' '$1 != "same" { print $2, $3 }' "$results/judged.$1" >"$results/unlike.$1"
	cut -f 1 "$results/unlike.$1" | sort -u |
		xargs -P "$jobs" -I UNIT sh "$here/again.sh" "$1" "$again" "$results" UNIT
	judge "$1"
}

[ -x "$PPROFIL" ] || die "$PPROFIL was not found: make first"
mkdir -p "$CONFORM_DIR"
[ "$(id -u)" != 0 ] || chown "$CONFORM_USER" "$CONFORM_DIR"
as_user test -x "$PPROFIL" -a -w "$CONFORM_DIR" ||
	die "the suites run as '$CONFORM_USER', who must be able to enter $build: build elsewhere"
for suite in $suites; do
	[ -f "$here/suites/$suite.sh" ] || die "'$suite' is no suite: cpython, stress-ng, libuv, tcl"
	prepare "$suite"
done
rm -rf "$results"
mkdir "$results"
plan >"$results/plan"
[ -s "$results/plan" ] || die "no unit matches '$only'"
say "$(wc -l <"$results/plan") units, $jobs at a time, results in $results"

number=0
while [ $number -lt "$rounds" ]; do
	number=$((number + 1))
	for mode in plain $modes; do round "$mode" $number; done
done
status=0
for mode in $modes; do
	look_again "$mode"
	awk -F '\t' -v mode="$mode" -v OFS='\t' '$1 != "same" {
		print $1, mode, $2, $3, "plain: " $4, mode ": " $5 }' "$results/judged.$mode" |
		tee -a "$results/differ.txt"
	awk -F '\t' -v mode="$mode" '{
			all++; number[$1]++
			if ($4 ~ /^skip/) skipped++
			else if ($4 !~ /^(ok|passed) [0-9]*$/) known++ }
		END { printf "%s: %d tests, %d differ, %d once; plain, %d are skipped and %d fail\n",
			mode, all, number["DIFFERS"], number["once"], skipped, known
			exit number["DIFFERS"] > 0 }' \
		"$results/judged.$mode" || status=1
done
exit $status
