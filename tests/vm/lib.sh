# SPDX-License-Identifier: LGPL-2.1-or-later
# What the scripts of make check-vm share.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
source=${abs_srcdir:-$(cd "$here/../.." && pwd)}
build=${abs_builddir:-$PWD}
home=${VM_DIR:-$build/vm} # for all that is made

say() { printf '%s\n' "$*" >&2; }
die() {
	say "check-vm: $*"
	exit 125
}

# install_missing PACKAGE...: installs the missing ones on this machine
install_missing() {
	missing=$(for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$package"
	done)
	[ -n "$missing" ] || return 0
	say "Installing: $missing"
	sudo=
	[ "$(id -u)" = 0 ] || sudo='sudo -n'
	# shellcheck disable=SC2086 # the packages are words
	$sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
		die "this needs packages: apt-get install --no-install-recommends $missing"
}

mirror() {
	apt-get indextargets 'Created-By: Packages' 'Origin: Debian' --format '$(REPO_URI)' |
		grep -v security | head -n 1
}

# apt ARCHITECTURE SUITE PROGRAM ARGUMENT...: apt-get or apt-cache for an empty system of that architecture and release.
# This machine's own lists do not change.
apt() {
	apt_home=$home/apt/$1-$2 apt_program=$3
	if [ ! -f "$apt_home/complete" ]; then
		mkdir -p "$apt_home/state/lists/partial" "$apt_home/cache/archives/partial"
		: >"$apt_home/state/status"
		echo "deb $(mirror) $2 main" >"$apt_home/sources.list"
		cat >"$apt_home/apt.conf" <<-END
			Dir::Etc::SourceList "$apt_home/sources.list";
			Dir::Etc::SourceParts "-";
			Dir::State "$apt_home/state";
			Dir::State::status "$apt_home/state/status";
			Dir::Cache "$apt_home/cache";
			APT::Architecture "$1";
			APT::Architectures { "$1"; };
			APT::Install-Recommends "false";
			APT::Sandbox::User "root";
			Acquire::Languages "none";
			Acquire::Check-Valid-Until "false";
		END
		APT_CONFIG=$apt_home/apt.conf apt-get update -qq || return
		touch "$apt_home/complete"
	fi
	shift 3
	APT_CONFIG=$apt_home/apt.conf "apt-$apt_program" "$@"
}

# unpack DIRECTORY PACKAGE-FILE...: does not run the scripts of the packages, and keeps links like /lib to usr/lib
unpack() {
	unpack_to=$1
	shift
	for file in "$@"; do
		dpkg-deb --fsys-tarfile "$file" | tar -x --keep-directory-symlink -C "$unpack_to" || return
	done
}
