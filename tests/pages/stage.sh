# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the libraries for programs that call profil in a directory, as make install would, and compiles such programs
# with only the flags that pkg-config gives.
stage=$work/stage
stage_all() {
	[ -e "$build/.libs/libpprofil-irix.so" ] || skip "no shared libraries"
	command -v pkg-config >/dev/null || skip "no pkg-config"
	mkdir -p "$stage/lib/pkgconfig" "$stage/include/pprofil" "$stage/lib/pprofil-m32"
	for system in irix solaris bsd macos osf1 n64; do
		cp -P "$build/.libs/libpprofil-$system.so"* "$build/libpprofil-$system.a" "$stage/lib/"
		cp "$build/lib/pprofil-$system.pc" "$stage/lib/pkgconfig/"
		[ ! -e "$build/m32/libpprofil-$system.a" ] ||
			cp "$build/m32/libpprofil-$system.a" "$stage/lib/pprofil-m32/"
		cp -r "$source/lib/compat/$system" "$stage/include/pprofil/"
	done
	cp "$build/pprofil-supervise" "$work/pprofil-supervise"
	# the supervisor is found by its path; the leak checker is a tracer too
	export PPROFIL_SUPERVISE=$work/pprofil-supervise ASAN_OPTIONS=detect_leaks=0
	export LD_LIBRARY_PATH="$stage/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	export PPROFIL_GPERF=test-$$ # other tests send profiles at the same time
}

flags_of() { # SYSTEM
	PKG_CONFIG_PATH=$stage/lib/pkgconfig pkg-config --define-variable="libdir=$stage/lib" \
		--define-variable="includedir=$stage/include" --cflags --libs "pprofil-$1"
}

sanitizers=$(sed -n 's/^SANITIZER_FLAGS = //p' "$build/Makefile")
m32=$(sed -n 's/^M32_CFLAGS = //p' "$build/Makefile")
modes="pie no-pie"
# a program with sanitizers can be linked in neither way
if [ -z "$sanitizers" ]; then
	modes="$modes static"
	[ ! -e "$build/m32/libpprofil-irix.a" ] || ! can_run_32_bit || modes="$modes m32"
fi
mode_flags() {
	case $1 in
	pie) echo -fPIE -pie ;;
	no-pie) echo -fno-pie -no-pie ;;
	static) echo -static ;;
	m32) echo "$m32" ;;
	esac
}

# build PROGRAM SYSTEM MODE FLAGS AND SOURCES...: fails if the compiler warns, except about archives that do not fit
build_program() {
	program=$1 system=$2 mode=$3
	shift 3
	# shellcheck disable=SC2046,SC2086 # the flags are words
	${CC:-cc} -O1 -g -pthread $sanitizers $(mode_flags "$mode") "$@" -o "$work/$program" $(flags_of "$system") -lm \
		>"$work/cc.$program" 2>&1 || { fail "$program: compiles" "$(head -c 400 "$work/cc.$program")"; return 1; }
	said=$(grep -v 'skipping incompatible' "$work/cc.$program" | head -c 400)
	[ -z "$said" ] || fail "$program: compiles without a word" "$said"
}
