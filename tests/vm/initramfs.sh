#!/bin/busybox sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The first process of a guest: finds its disk, and goes on there.
export PATH=/bin
/bin/busybox mkdir -p /proc /dev /root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module" 2>/dev/null; done </modules/list
for try in 1 2 3 4 5 6 7 8 9; do
	[ -b /dev/vda ] && break
	sleep 1
done
mount -t ext4 -o rw /dev/vda /root || exec poweroff -f
umount /proc
exec switch_root /root /guest.sh
