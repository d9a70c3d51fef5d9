#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A gate for builds: runs an old and a new program in turn under pprofil, and fails if the new one is slower. In turn,
# because a machine that becomes slower in the meantime must not be taken for a slower program.
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
pprofil=${PPROFIL:-pprofil}
runs=5 limit=2% function='' folder=profile-gate options='' compare=--absolute

say() { printf 'profile-gate: %s\n' "$*" >&2; }
give_up() {
	say "$*"
	exit 125
}
usage() {
	cat <<END
usage: profile-gate.sh [-s] [-n RUNS] [-l LIMIT] [-f PATTERN] [-o FOLDER] [-p OPTIONS] OLD NEW [ARGUMENT...]

Runs the programs OLD and NEW, both with the same ARGUMENTs, in turn under pprofil. Prints a table in Markdown.

  -s           compare shares of the CPU time, not seconds: for machines whose speed changes; use it with -f
  -n RUNS      how often to run each (5)
  -l LIMIT     fail if a function takes longer by more than this percentage (2%)
  -f PATTERN   judge only functions with such names, and not the total
  -o FOLDER    for the profiles, the reports and what the programs print (profile-gate); it must not exist
  -p OPTIONS   options of pprofil, such as '-g -F 2000'

FOLDER/gate.md and FOLDER/gate.xml (JUnit) are the reports. The exit status is 0, 1 if something is slower, or 125 if
something went wrong. PPROFIL names another pprofil.
END
}
# run SIDE NUMBER PROGRAM [ARGUMENT...]
run() {
	side=$1 number=$2
	shift 2
	# shellcheck disable=SC2086
	"$pprofil" -q $options -o "$folder/$side/$number.pb.gz" "$@" >"$folder/output/$side-$number" 2>&1 </dev/null &&
		return
	status=$?
	tail -n 20 "$folder/output/$side-$number" >&2
	give_up "run $number of the $side program ended with status $status"
}
# diff_as FORMAT FILE
diff_as() {
	# shellcheck disable=SC2086
	"$pprofil" diff $compare --fail-over "$limit" ${function:+--function "$function"} -f "$1" -o "$2" \
		"$folder/old" vs "$folder/new"
}

while getopts sn:l:f:o:p:h option; do
	case $option in
	s) compare='' ;;
	n) runs=$OPTARG ;;
	l) limit=$OPTARG ;;
	f) function=$OPTARG ;;
	o) folder=$OPTARG ;;
	p) options=$OPTARG ;;
	h) usage && exit ;;
	*) usage >&2 && exit 125 ;;
	esac
done
shift $((OPTIND - 1))
if [ $# -lt 2 ]; then
	usage >&2
	exit 125
fi
old=$1 new=$2
shift 2
# before the runs, not after them
case $runs in
'' | *[!0-9]* | 0*) give_up "-n takes a number of runs, not '$runs'" ;;
esac
case ${limit%\%} in
'' | . | *[!0-9.]* | *.*.*) give_up "-l takes a percentage such as 2%, not '$limit'" ;;
esac
command -v "$pprofil" >/dev/null || give_up "there is no $pprofil"
for program in "$old" "$new"; do
	command -v "$program" >/dev/null || give_up "there is no program $program"
done
[ ! -e "$folder" ] || give_up "$folder exists already"
mkdir -p "$folder/old" "$folder/new" "$folder/output" || exit 125

number=1
while [ "$number" -le "$runs" ]; do
	say "runs $number of $runs"
	# each is the first one in every other round
	if [ $((number % 2)) = 1 ]; then
		run old "$number" "$old" "$@"
		run new "$number" "$new" "$@"
	else
		run new "$number" "$new" "$@"
		run old "$number" "$old" "$@"
	fi
	number=$((number + 1))
done

diff_as markdown "$folder/gate.md"
status=$?
[ $status -le 1 ] || exit 125
cat "$folder/gate.md"
diff_as junit "$folder/gate.xml"
[ $? = $status ] || give_up "the two reports do not agree"
exit $status
