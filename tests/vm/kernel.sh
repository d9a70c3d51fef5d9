#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fetches a kernel of Debian, and makes an initramfs for it:
#
#   kernel.sh ARCHITECTURE SUITE      for example amd64 bookworm
#
# Prints the directory with the files vmlinuz, initramfs, and version, which has the kernel's version.
. "$(dirname "$0")/lib.sh"
architecture=$1 suite=$2
kernel=$home/kernel/$architecture-$suite
[ ! -f "$kernel/initramfs" ] || { echo "$kernel" && exit 0; }

package=$(apt "$architecture" "$suite" cache depends "linux-image-$architecture" |
	sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
[ -n "$package" ] || die "$suite has no kernel for $architecture"
rm -rf "$kernel"
mkdir -p "$kernel/packages" "$kernel/files" "$kernel/tree/bin" "$kernel/tree/modules"
(cd "$kernel/packages" && apt "$architecture" "$suite" get download -qq "$package" &&
	apt "$architecture" bookworm get download -qq busybox-static) >/dev/null ||
	die "cannot fetch $package of $suite"
unpack "$kernel/files" "$kernel"/packages/*.deb || exit
modules=$(find "$kernel/files" -type d -path '*lib/modules/*' -prune)
version=${modules##*/}
mkdir -p "$kernel/modules/lib"
mv "${modules%/*}" "$kernel/modules/lib/modules"
depmod -b "$kernel/modules" "$version" || exit

# modules that the disk and the tests need, in the order in which they have to be loaded
for module in virtio_pci virtio_mmio virtio_blk ext4 crc32c_generic overlay; do
	modprobe -d "$kernel/modules" -S "$version" --show-depends "$module" 2>/dev/null
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$kernel/load"
while read -r file; do
	name=$(basename "$file")
	case $name in
	*.xz) xz -dc "$file" >"$kernel/tree/modules/${name%.xz}" ;;
	*.zst) zstd -qdc "$file" >"$kernel/tree/modules/${name%.zst}" ;;
	*) cp "$file" "$kernel/tree/modules/" ;;
	esac
	name=${name%.xz}
	echo "${name%.zst}" >>"$kernel/tree/modules/list"
done <"$kernel/load"

cp "$kernel"/files/bin/busybox "$kernel/tree/bin/" 2>/dev/null || cp "$kernel"/files/usr/bin/busybox "$kernel/tree/bin/"
# the first process of a guest: mounts its disks, and executes guest.sh on the second one
cat >"$kernel/tree/init" <<'INIT'
#!/bin/busybox sh
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
INIT
chmod 755 "$kernel/tree/init"
cp "$kernel"/files/boot/vmlinu?-"$version" "$kernel/vmlinuz" || exit
echo "$version" >"$kernel/version"
(cd "$kernel/tree" && find . | cpio -o -H newc --quiet) | gzip -1 >"$kernel/initramfs.new" &&
	mv "$kernel/initramfs.new" "$kernel/initramfs" || exit
rm -rf "$kernel/packages" "$kernel/files" "$kernel/modules" "$kernel/tree"
echo "$kernel"
