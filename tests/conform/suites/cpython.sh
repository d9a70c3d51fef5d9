# SPDX-License-Identifier: LGPL-2.1-or-later
# CPython: the tests of the interpreter that Debian installs, of modules that make system calls. A unit is a module, a
# test is a method.
. "${0%/*}/../lib.sh"
python=/usr/bin/python3

packages() {
	version=$(apt-cache depends python3 | sed -n 's/.*Depends: \(python3\.[0-9]*\)$/\1/p' | head -n 1)
	echo "python3 lib$version-testsuite"
}

prepare() { :; }

# those that take long first
units() {
	"$python" "${0%.sh}.py" --units multiprocessing_spawn multiprocessing_fork \
		multiprocessing_forkserver multiprocessing_main_handling asyncio signal subprocess \
		socket threading io os fork1 selectors
}

# When a test ends the interpreter, or hangs, another interpreter runs the rest of its module. Children of tests write
# unbuffered, as programs in containers often do: so a short write() shows, after which a buffer would write the rest.
run() {
	unit=$1 file=$2
	shift 2
	export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
	for attempt in 1 2 3; do
		subject 500 "$python" "${0%.sh}.py" "$unit" "$file" "$@" && return
		echo "attempt $attempt of $unit ended with status $?"
	done
}

"$@"
