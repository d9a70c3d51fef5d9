# SPDX-License-Identifier: LGPL-2.1-or-later
# Tcl: channels over files, pipes, sockets and child processes, blocking and not, with event
# loops, copies in the background and compression on top. Its tests count bytes.
. "${0%/*}/../lib.sh"

packages() { echo gcc libc6-dev make dpkg-dev; }

prepare() {
	fetch_source tcl8.6 && cd source/unix && ./configure -q --disable-shared && make -s tcltest
}

# the test files of what makes system calls
units() {
	printf '%s\n' async chan chanio encoding env event exec fCmd fileName fileSystem http http11 \
		httpPipeline io ioCmd ioTrans iogt main pid pwd safe socket source timer unixFCmd \
		unixFile unixForkEvent unixInit unixNotfy zlib
}

verdicts() {
	sed -n 's/^++++ \([^ ]*\) PASSED$/ok \1/p
		s/^++++ \([^ ]*\) SKIPPED.*/skip \1/p
		s/^==== \([^ ]*\) .*FAILED$/fail \1/p'
}

run() {
	unit=$1 file=$2
	shift 2
	[ $# = 0 ] || set -- -match "$*"
	export TCL_LIBRARY="$suite_home/source/library"
	subject 200 "$suite_home/source/unix/tcltest" "$suite_home/source/tests/$unit.test" \
		-tmpdir "$PWD" -verbose 'pass skip body error' "$@" >log 2>&1
	cat log
	verdicts <log >>"$file"
}

"$@"
