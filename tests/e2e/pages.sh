#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The old systems' manual pages, sentence by sentence: tests/pages/sentences has the sentences, and which check shows
# each. The checks are programs that were written from a page alone. They are built in each way that the compiler can.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "$source/tests/pages/stage.sh"
stage_all
export PPROFIL_N64_OUTPUT=$work/osprofile.out
pages=$source/tests/pages
: >"$work/passed"

# note MODE CHECK STATUS OUTPUT: prints what a check said
note() {
	sed "s|^\(PASS\|FAIL\) |&$2 ($1): |" "$4"
	if [ "$3" = 0 ] && grep -q '^PASS' "$4" && ! grep -q '^FAIL' "$4"; then
		echo "$2 $1" >>"$work/passed"
	else
		fail "$2 ($1)" "status $3: $(head -c 300 "$4.err")"
	fi
}

# run MODE CHECK PROGRAM ARGUMENTS...
run() {
	mode=$1 check=$2 program=$3
	shift 3
	timeout 600 "$work/$program" "$@" >"$work/out.$program" 2>"$work/out.$program.err"
	note "$mode" "$check" $? "$work/out.$program"
}

work_object() { # MODE: compiles what is in today's C
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -std=gnu11 -O1 -g -pthread $sanitizers $(mode_flags "$1") -Wno-unused -c "$pages/work.c" -o "$work/work-$1.o"
}

# --- programs that declare the function as their page does, and as was usual then
declared() { # SYSTEM MODE
	for way in KANDR PAGE ADDRESS HEADER IMPLICIT; do
		standard=-std=gnu89
		# C has no implicit declarations since C99; the pages of Mac OS X and BSD have a header
		case $1/$way in bsd/IMPLICIT | macos/IMPLICIT) standard="-std=gnu89 -Wno-implicit-function-declaration" ;; esac
		# shellcheck disable=SC2086
		build_program "declared-$1-$2" "$1" "$2" $standard -w -DSYSTEM_$(echo "$1" | tr a-z A-Z) -D$way "$pages/declared.c" \
			"$work/work-$2.o" && run "$2" "$1/declared-$way" "declared-$1-$2"
	done
}

# --- the checks of tests/compat that a page's sentences need; compat.sh runs all of them, as position-independent code
system_checks() { # SYSTEM MODE
	define=-UPPROFIL_N64_DEBUG checks="basic fork exec fault all-into-one"
	case $1 in
	solaris) checks="$checks overflow pcsample pcsample-and-profil pcsample-fork pcsample-fault pcsample-exec" ;;
	irix) checks="$checks off-scale wrap returns sprofil sprofil-errors fast saturation" ;;
	bsd | macos) checks="basic fork exec results scale" ;;
	osf1) checks="$checks off-scale two ranges refused range-fault" ;;
	n64) checks="basic bin stream wrap before-init" ;;
	esac
	case $1 in
	macos) program_source="-DCHILD_COUNTS=0 $source/tests/compat/bsd.c" ;; # the same call, which a child does not inherit
	*) program_source=$source/tests/compat/$1.c ;;
	esac
	# shellcheck disable=SC2086 # two words
	build_program "$1-$2" "$1" "$2" -std=gnu11 -Wno-unused $program_source || return
	for check in $checks; do
		"$work/$1-$2" list | grep -qx "$check" && PPROFIL_N64_OUTPUT=$work/$1-$2.out run "$2" "$1/$check" "$1-$2" "$check"
	done
}

mode_lane() { # MODE
	work_object "$1"
	for system in irix solaris bsd macos osf1; do declared $system "$1"; done
	for system in irix solaris bsd macos osf1 n64; do
		[ "$1" = pie ] || system_checks $system "$1"
	done
	build_program "threads-$1" osf1 "$1" -std=gnu11 "$pages/osf1-threads.c" "$work/work-$1.o" &&
		run "$1" osf1/threads "threads-$1"
	if build_program "lwp-$1" solaris "$1" -std=gnu11 "$pages/solaris-lwp.c" "$work/work-$1.o"; then
		run "$1" solaris/all-lwps "lwp-$1"
		PPROFIL_SOLARIS_PER_LWP=1 run "$1" solaris/per-lwp "lwp-$1" per-lwp
	fi
}
for mode in $modes; do
	(failures=0 && mode_lane "$mode") >"$work/lane.$mode" 2>&1 &
done
wait
cat "$work"/lane.*
failures=$((failures + $(cat "$work"/lane.* | grep -c '^FAIL')))

# --- FORTRAN
if command -v gfortran >/dev/null && [ -z "$sanitizers" ]; then
	# shellcheck disable=SC2046
	gfortran -w -O1 "$pages/fortran.f" -o "$work/fortran" $(flags_of irix) >"$work/cc" 2>&1
	expect "fortran: compiles" 0 $?
	"$work/fortran" >"$work/out" 2>"$work/err"
	expect_text "fortran: counts, and returns 0" 'ticks +[1-9][0-9]* +0$' "$work/out"
	grep -q 'ticks *[1-9]' "$work/out" && for mode in $modes; do echo "irix/fortran $mode" >>"$work/passed"; done
else
	echo "SKIP fortran: no gfortran"
	no_fortran='irix/fortran'
fi

# --- a plugin of a program that is not linked with the library; and the C library first on the command line
if [ -z "$sanitizers" ]; then
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu11 -w -O1 -g -fPIC -pthread -c "$pages/work.c" -o "$work/work-plugin.o"
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu89 -w -O1 -g -fPIC -shared -pthread -DSYSTEM_IRIX -DKANDR -Dmain=plugin "$pages/declared.c" \
		"$work/work-plugin.o" -o "$work/plugin.so" -lm $(flags_of irix)
	cat >"$work/host.c" <<-'END'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
			int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin") : 0;
			return run ? run() : 2;
		}
	END
	${CC:-cc} -std=gnu11 "$work/host.c" -o "$work/host" -ldl
	"$work/host" "$work/plugin.so" >"$work/out" 2>"$work/err"
	expect "a plugin: status" 0 $?
	expect_text "a plugin counts" 'PASS ticks' "$work/out"
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu89 -w -O1 -g -pthread -DSYSTEM_IRIX -DKANDR "$pages/declared.c" "$work/work-pie.o" -o "$work/first" \
		-lm -lc $(flags_of irix)
	"$work/first" >"$work/out" 2>"$work/err"
	expect_text "the C library first: counts" 'PASS ticks' "$work/out"
	expect_text "the C library first: no SIGPROF" 'PASS no SIGPROF' "$work/out"
fi

# --- the headers compile by old and new standards of C and C++
header() { # SYSTEM STANDARD COMPILER INCLUDES...
	system=$1 standard=$2 compiler=$3
	shift 3
	for include in "$@"; do echo "#include <$include>"; done >"$work/header.c"
	echo 'int main(void) { return 0; }' >>"$work/header.c"
	language=c only=-Wstrict-prototypes
	case $compiler in *++) language=c++ only= ;; esac
	# shellcheck disable=SC2046
	$compiler -x $language -std="$standard" -pedantic-errors -Wall -Wextra $only -Werror \
		-fsyntax-only $(flags_of "$system" | tr ' ' '\n' | grep '^-I') "$work/header.c" >"$work/cc" 2>&1
	expect "headers of $system: $compiler -std=$standard" "" "$(head -c 300 "$work/cc")"
}
for compiler in gcc clang g++ clang++; do
	command -v $compiler >/dev/null || { echo "SKIP headers: no $compiler"; continue; }
	standards="c89 c99 c17 c2x gnu17"
	case $compiler in *++) standards="c++98 c++17 c++20" ;; esac
	for standard in $standards; do
		header irix $standard $compiler sys/profil.h unistd.h
		header solaris $standard $compiler unistd.h pcsample.h
		header bsd $standard $compiler unistd.h
		header macos $standard $compiler unistd.h
		header osf1 $standard $compiler unistd.h sys/resource.h sys/sysinfo.h machine/hal_sysinfo.h
		header n64 $standard $compiler ultra64.h
	done
done

# --- calls that cannot be served: a message says so, and with PPROFIL_STRICT they fail where the page says so
refused() { # SYSTEM
	build_program "refused-$1" "$1" no-pie -std=gnu11 -w -DSYSTEM_$(echo "$1" | tr a-z A-Z) "$pages/refused.c"
}
refused osf1 && PPROFIL_DEBUG=1 "$work/refused-osf1" 2>"$work/err"
for said in 'ascending: pprofil: profil: range 1, 0x30 to 0x40, is above' \
	'overlapping: pprofil: profil: range 1, 0x10 to 0x30, overlaps' 'empty: pprofil: profil: range 0, .*is empty' \
	'65: pprofil: profil: there are 65 ranges' 'unreadable: pprofil: profil: range 0 cannot be read' \
	'buffer: pprofil: profil: the buffer of 4096 bytes at 0x10 cannot be written'; do
	expect_text "osf1 says: ${said%%:*}" "$said" "$work/err"
done
# with random addresses, in one run of some thousand a text lies at the offset that is to be in none
still=
! setarch -R true 2>/dev/null || still="setarch -R"
refused irix && $still "$work/refused-irix" 2>"$work/err"
expect_text "irix: 101 regions are served" '101 regions: status 0' "$work/err"
expect_text "irix: an offset in no text is said" \
	'nowhere: pprofil: profil: offset 0x10 is in no text of this program: nothing is counted' "$work/err"
PPROFIL_STRICT=1 "$work/refused-irix" 2>"$work/err"
expect_text "irix, strict: PROFIL_MAX" '101 regions: status -1 E2BIG' "$work/err"
PPROFIL_DEBUG=0 "$work/refused-irix" 2>"$work/err"
expect "irix: nothing is said if it must not be" "" "$(grep pprofil: "$work/err")"
refused bsd && "$work/refused-bsd" 2>"$work/err"
expect_text "bsd: a bad buffer is not refused" 'buffer: status 0' "$work/err"
PPROFIL_STRICT=1 "$work/refused-bsd" 2>"$work/err"
expect_text "bsd, strict: EFAULT" 'buffer: status -1 EFAULT' "$work/err"
expect_text "bsd, strict: a good one is served" 'good: status 0' "$work/err"
refused macos && PPROFIL_STRICT=1 "$work/refused-macos" 2>"$work/err"
expect_text "macos, strict: always EINVAL" 'good: status -1 EINVAL' "$work/err"
# a cell that is full at the first tick, in a program that never turns profiling off
cat >"$work/overflow.c" <<'END'
#include <time.h>
#include <unistd.h>
int main(void)
{
	static unsigned short full = 65535;
	profil(&full, sizeof full, 0, 2);
	while (clock() < CLOCKS_PER_SEC / 2)
		;
	return 0;
}
END
build_program early irix no-pie -std=gnu11 -w "$work/overflow.c" && "$work/early" 2>"$work/err"
expect_text "irix: an overflow is said to a program that ends without a call" 'ticks found their counter full' "$work/err"
# the counters of this check overflow; the page says nothing of a message then
if build_program wrap irix no-pie -std=gnu11 -Wno-unused "$source/tests/compat/irix.c"; then
	"$work/wrap" wrap >"$work/out" 2>"$work/err"
	expect_text "irix: an overflow is said" 'pprofil: profil: [0-9]+ ticks found their counter full' "$work/err"
fi

# --- a standard error that is closed, or whose number is another file's by now: no message goes there
if build_program rude irix no-pie -std=gnu11 -w -DSYSTEM_IRIX "$pages/refused.c"; then
	{ "$work/rude" 2>&1 >"$work/out" | true; } 2>/dev/null
	sh -c '"$1" >"$2" 2>&-' sh "$work/rude" "$work/out" </dev/null
	expect "no standard error: status" 0 $?
fi

# --- the table of sentences
awk -F ' *[|] *' '/^[^#]/ { print $2 }' "$pages/sentences" | grep / | sort -u >"$work/wanted"
for check in $(grep '^tests/' "$work/wanted"); do
	grep -q "$check" "$source/tests/tests.am" || fail "sentences: $check" "there is no such test"
done
for check in $(grep -v '^tests/' "$work/wanted" | grep -vx "${no_fortran:-none}"); do
	for mode in $modes; do
		grep -qx "$check $mode" "$work/passed" || { [ "$mode" = pie ] && [ "${check#*/declared}" = "$check" ]; } ||
			fail "sentences: $check ($mode)" "it has not passed"
	done
done
expect "sentences: every one has a check or a reason" "" "$(awk -F ' *[|] *' \
	'/^[^#]/ && !($2 ~ "/" || $3 ~ /^(impossible|refused): ./)' "$pages/sentences")"
finish
