# SPDX-License-Identifier: LGPL-2.1-or-later
# What the suites in suites/ share. Each is a script with the functions
#
#   packages                  prints the Debian packages that it needs
#   prepare                   fetches and builds the suite; it is called once, in $suite_home
#   units                     prints the parts that can be run by themselves, one a line; names have no blanks
#   run UNIT FILE [TEST...]   runs a unit, or these tests of it, in an empty directory, and appends "VERDICT TEST" to
#                             FILE as each test ends
#
# and is called as "sh suites/NAME.sh FUNCTION [ARGUMENT...]". All of it is done as a user other than root, for libuv's
# tests refuse root, and many of Tcl's tests are skipped for root.
set -u
suite_home=$CONFORM_DIR/$(basename "$0" .sh)

# Runs the program under test, plain or under pprofil, for at most so many seconds. The program must not get the
# LD_LIBRARY_PATH that libtool's script sets for pprofil.
subject() { # SECONDS PROGRAM [ARGUMENT...]
	limit=$1
	shift
	# shellcheck disable=SC2086
	timeout -k 10 "$limit" $CONFORM_WITH env -u LD_LIBRARY_PATH "$@" </dev/null
}

# apt-get with lists of its own, of the sources of the archive that the system has its binaries from. Only the release
# itself: the archives of updates may have dropped what they list.
apt_get() {
	apt=$CONFORM_DIR/apt
	export APT_CONFIG="$apt/apt.conf"
	if [ ! -f "$apt/apt.conf" ]; then
		mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
		APT_CONFIG='' apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
			--format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' | grep -v -e -updates -e -security |
			sort -u >"$apt/sources.list"
		cat >"$apt/apt.conf" <<-END
			Dir::Etc::SourceList "$apt/sources.list";
			Dir::Etc::SourceParts "-";
			Dir::State::Lists "$apt/lists";
			Dir::Cache "$apt/cache";
			APT::Sandbox::User "root";
		END
		apt-get update -qq || rm -f "$apt/apt.conf"
	fi
	apt-get "$@"
}

# Fetches the source of a Debian package, with its patches, into the directory "source".
fetch_source() { # PACKAGE
	rm -rf source
	apt_get source -qq --download-only "$1" && dpkg-source --extract -- *.dsc source
}
