#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# make check-vm: runs the end-to-end tests on other kernels and on AArch64, in guests of qemu. It needs packages of
# Debian, and root only to install them. It does not need KVM.
#
#   run.sh [-a] [-g GUESTS] [SCRIPT...]
#
#   -a  all tests in all guests, also those that take long
#   -g  guests, of "linux-6.1 aarch64 linux-5.10 linux-6.12" (all)
#   SCRIPT  for example tests/e2e/accuracy.sh (those in the lists below)
#
# A guest is ten to thirty times slower than its host, so none of these tests has bounds in seconds or expects a number
# of samples per second. A check that finds too few samples is skipped, and says so.
#
# All files are in BUILD/vm: packages, kernels and disks, which are kept, and results/GUEST/SCRIPT.log.
. "$(dirname "$0")/lib.sh"
guests='linux-6.1 aarch64 linux-5.10 linux-6.12' all=
while getopts ag: option; do
	case $option in
	a) all=1 ;;
	g) guests=$OPTARG ;;
	*) exit 125 ;;
	esac
done
shift $((OPTIND - 1))

# GUESTS SCRIPT: scripts that may behave differently in these guests. What does not depend on the kernel is tested in
# one guest of each architecture, so that all of it takes less than twenty minutes on two CPUs.
tests='
	all tests/e2e/accuracy.sh
	all tests/e2e/full-transfers.sh
	all tests/vm/policies.sh
	linux-5.10,aarch64 tests/e2e/kill.sh
	linux-5.10,linux-6.1,linux-6.12 tests/vm/overlay.sh
	linux-5.10,linux-6.1 tests/vm/fallocate.sh
	linux-5.10,aarch64 tests/e2e/storms.sh
	linux-6.1,aarch64 tests/e2e/eintr.sh
	linux-6.1,aarch64 tests/e2e/call-graphs.sh
	aarch64 tests/e2e/attach.sh
	aarch64 tests/e2e/short-writes.sh
	aarch64 tests/e2e/thread-states.sh
	aarch64 tests/e2e/dialects.sh
	aarch64 tests/e2e/kprof.sh
	aarch64 tests/e2e/api.sh
	aarch64 tests/e2e/machines.sh
	aarch64 tests/vm/vectors.sh
	aarch64 tests/vm/arm32.sh
	aarch64 tests/vm/units.sh'
long='
	all tests/e2e/unwind.sh
	all tests/e2e/edge-cases.sh
	all tests/e2e/unusual-processes.sh
	all tests/e2e/debug-log.sh'
[ -z "$all" ] || tests="$(echo "$tests" | awk 'NF == 2 { print "all", $2 }')$long"
[ $# -eq 0 ] || tests=$(printf 'all %s\n' "$@")
tests_of() { # GUEST: prints lines "SECONDS SCRIPT"; the limit is for tests that hang
	echo "$tests" | awk -v guest="$1" 'NF == 2 && ($1 == "all" || index("," $1 ",", "," guest ",")) { print 900, $2 }'
}

guest_architecture() { case $1 in aarch64) echo arm64 ;; *) echo amd64 ;; esac; }
guest_suite() {
	case $1 in
	linux-5.10) echo bullseye ;;
	linux-6.12) echo trixie ;;
	*) echo bookworm ;;
	esac
}

# Builds for AArch64, with Debian's cross compiler and the guest's libraries.
cross_build() { # ROOT
	mkdir -p "$home/build-arm64"
	cd "$home/build-arm64" || exit
	export PKG_CONFIG_SYSROOT_DIR="$1" \
		PKG_CONFIG_LIBDIR="$1/usr/lib/aarch64-linux-gnu/pkgconfig:$1/usr/share/pkgconfig"
	[ -f Makefile ] || "$source/configure" -q --host=aarch64-linux-gnu \
		CC="aarch64-linux-gnu-gcc --sysroot=$1" CXX="aarch64-linux-gnu-g++ --sysroot=$1" || exit
	make -s -j"$(nproc)" all && make -s -j"$(nproc)" check TESTS= >/dev/null &&
		arm-linux-gnueabihf-as -o tests/targets/arm32.o "$here/arm32.s" &&
		arm-linux-gnueabihf-ld -o tests/targets/arm32 tests/targets/arm32.o
}

# Makes a disk with the build and the sources, which the guest mounts at the same paths, and a disk for results.
make_disks() { # BUILD
	tested=$guest/tested
	rm -rf "$tested" "$tested.img" "$guest/results.img"
	mkdir -p "$tested/builddir" "$tested/srcdir"
	tar -c -C "$1" --exclude='*.o' --exclude=./vm --exclude=./asan --exclude=./conform . | tar -x -C "$tested/builddir"
	tar -c -C "$source" --exclude=.git --exclude=./build . | tar -x -C "$tested/srcdir"
	# in this order, because the build may be in a directory of the sources
	printf 'srcdir %s\nbuilddir %s\n' "$source" "$1" >"$tested/paths"
	cp "$here/guest.sh" "$tested/guest.sh"
	chmod 755 "$tested/guest.sh"
	tests_of "${guest##*/}" >"$tested/tests"
	mke2fs -q -t ext4 -d "$tested" "$tested.img" 2G >/dev/null && rm -rf "$tested" && truncate -s 64M "$guest/results.img"
}

make_guest() { # GUEST
	guest=$home/guests/$1
	mkdir -p "$guest"
	guest_architecture "$1" >"$guest/architecture"
	architecture=$(cat "$guest/architecture")
	kernel=$("$SHELL" "$here/kernel.sh" "$architecture" "$(guest_suite "$1")") || return
	root=$("$SHELL" "$here/root.sh" "$architecture") || return
	ln -sfn "$kernel" "$guest/kernel"
	ln -sfn "$root" "$guest/root"
	tested_build=$build
	if [ "$architecture" = arm64 ]; then
		tested_build=$home/build-arm64
		(cross_build "$root/root") >&2 || return
	fi
	make_disks "$tested_build"
}

# Prints a line for each check that failed or was skipped, and how many there are of each.
report_guest() { # GUEST
	results=$home/results/$1
	if [ ! -f "$results/statuses" ]; then
		echo "FAIL $1: the guest has not run"
		return 1
	fi
	grep -H -E '^(FAIL|SKIP)' "$results"/*.log | sed "s|^$results/||"
	awk '$2 != 0 && $2 != 77 { print "FAIL", $1 ": status", $2 }' "$results/statuses"
	echo "$1 ($(cut -d' ' -f3 "$results/kernel")): $(cat "$results"/*.log | grep -c '^PASS') passed," \
		"$(cat "$results"/*.log | grep -c '^FAIL') failed, $(cat "$results"/*.log | grep -c '^SKIP') skipped"
	! awk '$2 != 0 && $2 != 77' "$results/statuses" | grep -q .
}

SHELL=${SHELL:-sh}
install_missing qemu-system-x86 qemu-system-arm kmod cpio e2fsprogs gcc-aarch64-linux-gnu binutils-arm-linux-gnueabihf xz-utils zstd
status=0
for name in $guests; do rm -rf "$home/results/$name"; done
# Each guest has two CPUs. If two guests share our CPUs, they take longer than one after the other. So one guest runs at
# a time, and the next is made meanwhile.
for name in $guests; do
	make_guest "$name" >&2 && echo "$name"
done | xargs -r -n 1 -P $((($(nproc) + 1) / 2)) "$SHELL" "$here/boot.sh"
for name in $guests; do
	report_guest "$name" || status=1
done
exit $status
