#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The functions of a program are found on an overlay file system that has copied it to the upper layer, as a chmod does
# when a container image is built.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/hostname)" = guest ] || skip "this is no guest"

mkdir -p "$work/layers"
mount -t tmpfs layers "$work/layers"
mkdir -p "$work/layers/lower" "$work/layers/upper" "$work/layers/work" "$work/merged"
cp "$targets/known-shares" "$work/layers/lower"
mount -t overlay overlay \
	-o "lowerdir=$work/layers/lower,upperdir=$work/layers/upper,workdir=$work/layers/work" "$work/merged" ||
	skip "this kernel has no overlays"
"$pprofil" -q -o "$work/lower.pb.gz" "$work/merged/known-shares" 2 >/dev/null
chmod 755 "$work/merged/known-shares" && chmod 700 "$work/merged/known-shares"
expect "it was copied up" known-shares "$(ls "$work/layers/upper")"
"$pprofil" -q -o "$work/upper.pb.gz" "$work/merged/known-shares" 2 >/dev/null
for layer in lower upper; do
	"$pprofil" report "$work/$layer.pb.gz" >"$work/report"
	expect_text "its functions, $layer layer" spend_half "$work/report"
done
umount "$work/merged" "$work/layers"
finish
