#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Names where a path no longer says what runs: executables and libraries deleted or replaced
# since, other mount namespaces and roots, stripped files, code made at run time.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"

# build FILE FUNCTION [OPTIONS...]: a program that spends its time in FUNCTION
build() {
	file=$1 function=$2
	shift 2
	cat >"$work/source.c" <<-C
		#include <stdlib.h>
		#include <time.h>
		__attribute__((noinline)) void $function(void)
		{
			for (volatile int i = 0; i < 100000; i++)
				;
		}
		int main(int argc, char **argv)
		{
			time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
			while (time(NULL) < end)
				$function();
			return 0;
		}
	C
	"$cc" -O1 -o "$file" "$work/source.c" "$@" 2>"$work/cc.err"
}
top() { awk -F, 'NR == 2 { print $5 }' "$1"; }
# attached NAME FUNCTION PID: what a PID spends its time in, live and from the file saved
attached() {
	"$pprofil" -f csv -n 1 -d 0.3 -p "$3" 2>"$work/csv" >"$work/csv.out"
	cat "$work/csv.out" >>"$work/csv"
	expect "$1" "$2" "$(top "$work/csv")"
}
stop() { kill "$1" 2>/dev/null; wait "$1" 2>/dev/null; }

# --- kinds of files
for kind in "-no-pie" "-pie -fPIE" "-static" "-static-pie" "-Wl,-z,separate-code -g"; do
	# shellcheck disable=SC2086
	build "$work/kind" spend_here $kind || continue
	"$work/kind" & target=$!
	sleep 0.1
	attached "linked with $kind" spend_here $target
	stop $target
done

# --- stripped: names come from .dynsym, .gnu_debugdata or a separate file
build "$work/plain" spend_linked -g
if objcopy --only-keep-debug "$work/plain" "$work/plain.debug" 2>/dev/null; then
	objcopy --strip-all --add-gnu-debuglink="$work/plain.debug" "$work/plain" "$work/linked"
	"$work/linked" & target=$!
	sleep 0.1
	attached "debug link" spend_linked $target
	stop $target
fi
if command -v xz >/dev/null; then
	nm "$work/plain" | awk '$2 ~ /[Tt]/ { print $3 }' >"$work/keep"
	objcopy -S --remove-section .comment --keep-symbols="$work/keep" "$work/plain.debug" "$work/mini" 2>/dev/null
	rm -f "$work/mini.xz"
	xz "$work/mini"
	objcopy --strip-all --add-section .gnu_debugdata="$work/mini.xz" "$work/plain" "$work/packed"
	"$work/packed" & target=$!
	sleep 0.1
	attached ".gnu_debugdata" spend_linked $target
	stop $target
fi

# --- deleted, and replaced by another program, while it runs
build "$work/first" spend_first
build "$work/second" spend_second
cp "$work/first" "$work/runs"
"$work/runs" & target=$!
sleep 0.1
rm "$work/runs"
attached "deleted" spend_first $target
cp "$work/second" "$work/runs"
attached "replaced" spend_first $target
stop $target

# --- a library, deleted and replaced after it was loaded
library() { # FUNCTION
	echo "void work(void); __attribute__((noinline)) void $1(void)
		{ for (volatile int i = 0; i < 100000; i++); } void work(void) { $1(); }" >"$work/lib.c"
	"$cc" -O1 -shared -fPIC -fno-optimize-sibling-calls -o "$work/libwork.so" "$work/lib.c"
}
cat >"$work/loads.c" <<-C
	#include <dlfcn.h>
	#include <time.h>
	int main(int argc, char **argv)
	{
		void *library = dlopen(argv[argc - 1], RTLD_NOW);
		void (*work)(void) = (void (*)(void))dlsym(library, "work");
		time_t end = time(0) + 5;
		while (time(0) < end)
			work();
		return 0;
	}
C
if library spend_old && "$cc" -O1 -o "$work/loads" "$work/loads.c" -ldl; then
	"$work/loads" "$work/libwork.so" & target=$!
	sleep 0.1
	rm "$work/libwork.so"
	attached "library deleted" spend_old $target
	library spend_new
	attached "library replaced" spend_old $target
	stop $target
fi

# --- another mount namespace, where the same path is another file; another root
if unshare -m true 2>/dev/null; then
	mkdir "$work/place"
	cp "$work/second" "$work/place/program"
	unshare -m sh -c "mount -t tmpfs none '$work/place' && cp '$work/first' '$work/place/program' &&
		exec '$work/place/program'" & target=$!
	sleep 0.5
	attached "mount namespace" spend_first $target
	"$pprofil" -q -o "$work/ns.pb.gz" -d 0.3 -p $target
	stop $target
	"$pprofil" report -f csv -n 1 "$work/ns.pb.gz" >"$work/csv"
	expect "mount namespace: saved" spend_first "$(top "$work/csv")"
else
	echo "SKIP mount namespaces: not permitted"
fi
if build "$work/static" spend_rooted -static && [ "$(id -u)" = 0 ]; then
	mkdir "$work/root"
	mv "$work/static" "$work/root/program"
	chroot "$work/root" /program & target=$!
	sleep 0.1
	attached "another root" spend_rooted $target
	stop $target
fi

# --- code made at run time, named by /tmp/perf-PID.map
if command -v node >/dev/null; then
	cat >"$work/hot.js" <<-J
		function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
		const end = Date.now() + (process.argv[2] || 1500);
		let s = 0;
		while (Date.now() < end) s += hotLoop(100000);
		console.log(s > 0);
	J
	# shellcheck disable=SC2016
	"$pprofil" -q -o "$work/js.pb.gz" sh -c 'echo $$ >"$1.pid"; exec node --perf-basic-prof --no-logfile-per-isolate --logfile=/dev/null "$1"' \
		sh "$work/hot.js" >/dev/null
	rm -f "/tmp/perf-$(cat "$work/hot.js.pid").map"
	"$pprofil" report -f csv -n 3 "$work/js.pb.gz" >"$work/csv"
	expect_text "node: saved" 'hotLoop' "$work/csv"
	node --perf-basic-prof --no-logfile-per-isolate --logfile=/dev/null "$work/hot.js" 5000 >/dev/null & target=$!
	sleep 0.5
	"$pprofil" -f csv -n 3 -d 0.5 -p $target >"$work/csv" 2>&1
	expect_text "node: attached" 'hotLoop' "$work/csv"
	stop $target
	rm -f "/tmp/perf-$target.map"
fi

# and by many programs at once, each of its own. They get about 0.15 s of CPU time each at the least,
# a hundred samples; no rate is too high for them, so that none is missed for being throttled.
many=40
often="-F 1000 --overhead 1000"
named() { grep -o 'jit_made_[0-9]*' "$1" | sort -u | wc -l; }
unnamed() { grep -cE '\[(anon|jit)\]' "$1"; }
# shellcheck disable=SC2086
"$pprofil" -q $often -o "$work/many.pb.gz" "$targets/jit" $many 3 >/dev/null
"$pprofil" report -f csv -n 0 "$work/many.pb.gz" >"$work/csv"
expect "$many with JIT code: saved" "$many 0" "$(named "$work/csv") $(unnamed "$work/csv")"
# shellcheck disable=SC2086
"$pprofil" top -b -d 1 -n 4 --rows 0 $often "$targets/jit" $many 8 2>/dev/null |
	awk '/^# pprofil top/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' >"$work/frame"
expect "$many with JIT code: top" "$many 0" "$(named "$work/frame") $(unnamed "$work/frame")"
"$targets/jit" $many 60 >/dev/null & target=$!
sleep 1
# shellcheck disable=SC2086
"$pprofil" -f csv -n 0 -d 3 $often -p "$(pgrep -d , -P $target)" 2>"$work/csv"
expect "$many with JIT code: attached" "$many 0" "$(named "$work/csv") $(unnamed "$work/csv")"
for pid in $(pgrep -P $target); do
	kill "$pid"
done
wait $target 2>/dev/null
finish
