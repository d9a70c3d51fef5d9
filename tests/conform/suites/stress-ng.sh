# SPDX-License-Identifier: LGPL-2.1-or-later
# stress-ng: a stressor for each facility of the kernel, which checks with --verify that results are right.
. "${0%/*}/../lib.sh"

packages() { echo stress-ng util-linux; }

prepare() { :; }

# Left out: ptrace and vm-segv, which trace their own children. A process has one tracer, so they fail under strace(1),
# too. And forkheavy, which fills the disk, so that other units fail.
left_out='ptrace|vm-segv|forkheavy'

units() {
	for class in pipe network scheduler interrupt io vm; do
		stress-ng --class "$class?" 2>&1 | sed -n "s/^class '.*' stressors: //p"
	done | tr ' ' '\n' | sort -u | grep -Evx "$left_out"
}

# Ends at so many operations, or after a second. Memory is limited, for some stressors take all of it.
run() {
	unit=$1 file=$2
	subject 150 prlimit --as=$((4 << 30)) stress-ng "--$unit" 1 "--$unit-ops" 10000 --verify \
		--timeout 1 --vm-bytes 64m --hdd-bytes 16m --metrics --temp-path "$PWD" >log 2>&1
	status=$?
	cat log
	case $status in
	0) verdict=passed ;;
	2) verdict=failed ;;
	3) verdict=no-resource ;;
	4) verdict=not-implemented ;;
	7) verdict=untrustworthy ;;
	*) verdict=status-$status ;;
	esac
	if grep -q "fail: .*$unit\|: fail:" log; then verdict=failed; fi
	echo "$verdict $unit" >>"$file"
}

"$@"
