#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Boots a guest, and lets it run its tests:
#
#   boot.sh GUEST        run.sh has made its architecture, kernel, root and disks in guests/GUEST
#
# Its results are in results/GUEST.
. "$(dirname "$0")/lib.sh"
guest=$home/guests/$1 results=$home/results/$1
rm -rf "$results"
mkdir -p "$results"
case $(cat "$guest/architecture") in
amd64) # by default the guest takes a clock that is slow to read
	set -- qemu-system-x86_64 -machine q35 -cpu max
	words='console=ttyS0 tsc=reliable clocksource=tsc'
	;;
arm64)
	set -- qemu-system-aarch64 -machine virt -cpu max,pauth-impdef=on
	words='console=ttyAMA0 kpti=0'
	;;
esac
timeout 5400 "$@" -accel tcg,thread=multi -smp 2 -m 3G -nographic -no-reboot \
	-kernel "$guest/kernel/vmlinuz" -initrd "$guest/kernel/initramfs" -append "$words mitigations=off panic=-1 quiet" \
	-drive "file=$guest/root/disk.img,format=raw,if=virtio,snapshot=on" \
	-drive "file=$guest/tested.img,format=raw,if=virtio,snapshot=on" \
	-drive "file=$guest/results.img,format=raw,if=virtio" </dev/null >"$results/console" 2>&1
tar -xf "$guest/results.img" -C "$results" 2>/dev/null || tail -n 20 "$results/console" >&2
