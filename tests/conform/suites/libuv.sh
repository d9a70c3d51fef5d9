# SPDX-License-Identifier: LGPL-2.1-or-later
# libuv: an event loop over epoll, io_uring, eventfd, signals, child processes, pipes, terminals
# and a pool of threads. A runner runs each test in a process of its own, and prints TAP.
. "${0%/*}/../lib.sh"

packages() { echo gcc libc6-dev make automake libtool dpkg-dev; }

prepare() {
	fetch_source libuv1 && cd source && ./autogen.sh && ./configure -q --disable-shared &&
		make -s && make -s check TESTS=
}

units() { echo all; }

verdicts() {
	sed -n 's/^not ok [0-9]* - \(.*\)/fail \1/p
		s/^ok [0-9]* - \([^ ]*\) # SKIP.*/skip \1/p
		s/^ok [0-9]* - \([^ ]*\)$/ok \1/p'
}

run() {
	unit=$1 file=$2
	shift 2
	# the tests look for fixtures below their working directory
	mkdir test && cp -R "$suite_home/source/test/fixtures" test
	for name in "${@:-}"; do # all tests if none is named
		subject 400 "$suite_home/source/test/run-tests" ${name:+"$name"} >log 2>&1
		cat log
		verdicts <log >>"$file"
	done
}

"$@"
