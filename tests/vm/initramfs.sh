#!/bin/busybox sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The first process of a guest: mounts its disks, and executes guest.sh on the second one.
export PATH=/bin
/bin/busybox mkdir -p /proc /dev /root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module" 2>/dev/null; done </modules/list
for try in 1 2 3 4 5 6 7 8 9; do
	[ -b /dev/vdc ] && break
	sleep 1
done
mount -t ext4 -o rw /dev/vda /root && mount -t ext4 -o rw /dev/vdb /root/mnt || exec poweroff -f
umount /proc
exec switch_root /root /mnt/guest.sh
