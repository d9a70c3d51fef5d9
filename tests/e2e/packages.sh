#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The rules for Debian packages (debian/) fit what is built: the version, the libraries that configure needs, the
# library's symbols, and what make install installs. No package is built.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
debian=$source/debian
[ -d "$debian" ] || skip "no debian/, as in what make dist packs"

expect "version" "$(sed -n 's/^AC_INIT(\[pprofil\], \[\(.*\)\])$/\1/p' "$source/configure.ac")" \
	"$(sed -n '1s/^pprofil (\(.*\)-[^-]*) .*/\1/p' "$debian/changelog")"

# configure names the package of each library that it needs or can use
grep -oE '[a-z0-9-]+-(dev|compiler)\>' "$source/configure.ac" | sort -u >"$work/needed"
sed -n '/^Build-Depends:/,/^[A-Z].*:/s/^ \([a-z0-9-]*\).*/\1/p' "$debian/control" | sort -u >"$work/named"
between "packages that configure names" 5 "$(wc -l <"$work/needed")" 100
expect "packages that Build-Depends lacks" "" "$(comm -23 "$work/needed" "$work/named" | paste -s -d' ')"

library=$(ls "$build"/.libs/libpprofil.so.? 2>/dev/null) || skip "no shared library"
soname=${library##*/}
expect "the library's package" "$soname libpprofil${soname##*.} #MINVER#" "$(head -n 1 "$debian"/libpprofil?.symbols)"
nm -D --defined-only "$library" | awk '{ sub(/@@.*/, "", $3); print $3 }' | sort >"$work/exported"
sed -n 's/^ \([^@]*\)@.*/\1/p' "$debian"/libpprofil?.symbols | sort >"$work/listed"
expect "symbols that the list lacks" "" "$(comm -23 "$work/exported" "$work/listed" | paste -s -d' ')"
expect "symbols that only the list has" "" "$(comm -13 "$work/exported" "$work/listed" | paste -s -d' ')"

# each file belongs to one package
if ! command -v dh_install >/dev/null; then
	echo "SKIP files: no debhelper"
	finish
fi
prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
if ! grep -Eq '^libdir = \$\{exec_prefix\}/lib$' "$build/Makefile"; then
	echo "SKIP files: libdir is not PREFIX/lib"
	finish
fi
mkdir -p "$work/packages/debian/tmp/usr"
find "$debian" -maxdepth 1 -type f -exec cp '{}' "$work/packages/debian" ';' # without what a build has left there
make -s -C "$build" install DESTDIR="$work/root" >"$work/out" 2>&1
expect "make install" 0 $?
cd "$work/packages" || exit 1
mv "$work/root$prefix"/* debian/tmp/usr
mv debian/tmp/usr/lib "$work/lib"
mkdir -p debian/tmp/usr/lib
mv "$work/lib" debian/tmp/usr/lib/machine
between "files that are installed" 50 "$(find debian/tmp ! -type d | wc -l)" 500
# the package of archives for 32-bit programs, which this compiler may not make
[ -d debian/tmp/usr/lib/machine/pprofil-m32 ] || export DH_OPTIONS=-Nlib32pprofil-compat-dev
dh_install >"$work/out" 2>&1
expect "dh_install" "" "$(cat "$work/out")"
dh_missing --list-missing >"$work/out" 2>&1
expect "files in no package" "" "$(sed -n 's/.*warning: \(.*\) exists in .*/\1/p' "$work/out" | paste -s -d' ')"
find debian/*pprofil*/ ! -type d -path '*/usr/*' | sed 's|debian/[^/]*/||' | sort >"$work/packed"
between "files in packages" 50 "$(wc -l <"$work/packed")" 500
expect "files in two packages" "" "$(uniq -d "$work/packed" | paste -s -d' ')"
finish
