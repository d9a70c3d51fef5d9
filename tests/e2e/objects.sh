#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions have names where a path no longer leads to the code: executables and libraries that were
# deleted or replaced, other mount namespaces and roots, stripped files, code made at run time.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"

# build FILE FUNCTION [OPTIONS...]: makes a program that spends its time in FUNCTION until it is killed
build() {
	file=$1 function=$2
	shift 2
	cat >"$work/source.c" <<-C
		#include <unistd.h>
		__attribute__((noinline)) void $function(void)
		{
			for (volatile int i = 0; i < 100000; i++)
				;
		}
		int main(void)
		{
			alarm(600);
			for (;;)
				$function();
		}
	C
	"$cc" -O1 -o "$file" "$work/source.c" "$@" 2>"$work/cc.err"
}
top() { awk -F, 'NR == 2 { print $5 }' "$1"; }
# A process may get no CPU time in such a short time; then it is profiled once more.
sampled() { # OPTIONS...
	"$pprofil" -f csv -n 3 -d 0.3 "$@" 2>"$work/csv" >"$work/csv.out"
	cat "$work/csv.out" >>"$work/csv"
	[ -n "$(top "$work/csv")" ]
}
# attached NAME FUNCTION PID: expects that the process PID spends its time in FUNCTION
attached() {
	await sampled -p "$3"
	expect "$1" "$2" "$(top "$work/csv")"
}
# has_begun PID NAME: has the process executed the program NAME and used 0.2 s of CPU time, so that main runs?
has_begun() { awk -v name="($2)" '{ exit !($2 == name && $14 >= 20) }' "/proc/$1/stat"; }
# begin FILE
begin() {
	"$1" & target=$!
	await has_begun $target "$(basename "$1")"
}
stop() { kill "$1" 2>/dev/null; wait "$1" 2>/dev/null; }

# --- kinds of files
for kind in "-no-pie" "-pie -fPIE" "-static" "-static-pie" "-Wl,-z,separate-code -g"; do
	# shellcheck disable=SC2086
	build "$work/kind" spend_here $kind || continue
	begin "$work/kind"
	attached "linked with $kind" spend_here $target
	stop $target
done

# --- code that the program has moved to memory without a file: at first half of its code, then all
copied() { # NAME OPTIONS... -- ARGUMENTS...
	name=$1 options=
	shift
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	# shellcheck disable=SC2086
	expect "$name: runs" 0 "$(status_of "$pprofil" -q --overhead 100 -g $options -o "$work/copied.pb.gz" \
		"$targets/copied-code" "$@")"
	"$pprofil" convert -f folded -o "$work/folded" "$work/copied.pb.gz"
	# what runs before main is not judged: with a sanitizer it is long
	between "$name: names and callers" 0.95 "$(awk '/(^|;)(_dl_start(_user)?|call_init);/ { next }
		{ n = $NF; all += n } /;main;work(;spend_here)? / { good += n } END { print good / all }' "$work/folded")" 1
}
copied "code moved by the program" -- 1
copied "a part of its code" -- 1 part
copied "the same, without PROCMAP_QUERY" --parse-maps -- 1
copied "a part, without PROCMAP_QUERY" --parse-maps -- 1 part
"$targets/copied-code" 600 & target=$!
await has_begun $target copied-code
attached "moved before pprofil came" spend_here $target
stop $target

# --- stripped: names come from .dynsym, .gnu_debugdata or a separate file
build "$work/plain" spend_linked -g
if objcopy --only-keep-debug "$work/plain" "$work/plain.debug" 2>/dev/null; then
	objcopy --strip-all --add-gnu-debuglink="$work/plain.debug" "$work/plain" "$work/linked"
	begin "$work/linked"
	attached "debug link" spend_linked $target
	stop $target
fi
if command -v xz >/dev/null; then
	nm "$work/plain" | awk '$2 ~ /[Tt]/ { print $3 }' >"$work/keep"
	objcopy -S --remove-section .comment --keep-symbols="$work/keep" "$work/plain.debug" "$work/mini" 2>/dev/null
	rm -f "$work/mini.xz"
	xz "$work/mini"
	objcopy --strip-all --add-section .gnu_debugdata="$work/mini.xz" "$work/plain" "$work/packed"
	begin "$work/packed"
	attached ".gnu_debugdata" spend_linked $target
	stop $target
fi

# --- deleted, and replaced by another program, while it runs
build "$work/first" spend_first
build "$work/second" spend_second
cp "$work/first" "$work/runs"
begin "$work/runs"
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
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		void *library = dlopen(argv[argc - 1], RTLD_NOW);
		void (*work)(void) = (void (*)(void))dlsym(library, "work");
		alarm(600);
		for (;;)
			work();
	}
C
if library spend_old && "$cc" -O1 -o "$work/loads" "$work/loads.c" -ldl; then
	"$work/loads" "$work/libwork.so" & target=$!
	await has_begun $target loads
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
	await has_begun $target program
	attached "mount namespace" spend_first $target
	saved() { "$pprofil" -q -o "$work/ns.pb.gz" -d 0.3 -p $target && "$pprofil" report -f csv "$work/ns.pb.gz" | grep -q spend; }
	await saved
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
	await has_begun $target program
	attached "another root" spend_rooted $target
	stop $target
fi
# Absolute links in that root stay in it, even if the same path exists here. Before Linux 5.6 they do not.
jit_begun() { made=$(pgrep -P $target) && [ -s "$work/tree$here/perf-$made.map" ]; }
if [ "$(id -u)" = 0 ] && [ "$(uname -r | awk -F. '{print ($1 * 1000 + $2 >= 5006)}')" = 1 ] &&
	"$cc" -O1 -static -o "$work/jit" "$source/tests/targets/jit.c" 2>/dev/null &&
	here=$(mktemp -d /var/tmp/pprofil-e2e-XXXXXX); then
	trap 'rm -rf "$work" "$here"' EXIT
	mkdir -p "$work/tree$here"
	mv "$work/jit" "$work/tree/program"
	ln -s "$here" "$work/tree/tmp"
	chroot "$work/tree" /program 1 30 >/dev/null & target=$!
	await jit_begun
	sed 's/jit_made/elsewhere/' "$work/tree$here/perf-$made.map" >"$here/perf-$made.map"
	attached "another root: an absolute link in it" jit_made_0 "$made"
	stop "$made"
	stop $target
fi

# --- code made at run time, named by /tmp/perf-PID.map
if command -v node >/dev/null; then
	cat >"$work/hot.js" <<-J
		function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
		const end = Date.now() + (process.argv[2] || 1500);
		let s = 0;
		while (Date.now() < end || process.cpuUsage().user < 8e5) s += hotLoop(100000);
		console.log(s > 0);
	J
	mapped() { grep -qs hotLoop "/tmp/perf-$1.map"; }
	# shellcheck disable=SC2016
	"$pprofil" -q -o "$work/js.pb.gz" sh -c 'echo $$ >"$1.pid"; exec node --perf-basic-prof --no-logfile-per-isolate --logfile=/dev/null "$1"' \
		sh "$work/hot.js" >/dev/null
	rm -f "/tmp/perf-$(cat "$work/hot.js.pid").map"
	"$pprofil" report -f csv -n 3 "$work/js.pb.gz" >"$work/csv"
	expect_text "node: saved" 'hotLoop' "$work/csv"
	node --perf-basic-prof --no-logfile-per-isolate --logfile=/dev/null "$work/hot.js" 600000 >/dev/null & target=$!
	await mapped $target
	hot_loop_is_seen() { sampled -p $target && grep -q hotLoop "$work/csv"; }
	await hot_loop_is_seen
	expect_text "node: attached" 'hotLoop' "$work/csv"
	stop $target
	rm -f "/tmp/perf-$target.map"
fi

# Many programs at once each write a map of their own. Each program that has samples must have its name. Where the
# tracer has no priority, because it is not permitted, it seldom gets a CPU among so many programs, so some programs have
# no samples. The overhead is not limited, so that throttling leaves none without samples.
many=40 some=10
often="-F 1000 --overhead 1000"
named() { grep -o 'jit_made_[0-9]*' "$1" | sort -u | wc -l; }
unnamed() { grep -cE '\[(anon|jit)\]' "$1"; }
have_names() { # NAME FILE
	between "$1: programs with samples" $some "$(($(named "$2") + $(unnamed "$2")))" $many
	expect "$1: those without a name" 0 "$(unnamed "$2")"
}
# shellcheck disable=SC2086
"$pprofil" -q $often -o "$work/many.pb.gz" "$targets/jit" $many 3 >/dev/null
"$pprofil" report -f csv -n 0 "$work/many.pb.gz" >"$work/csv"
have_names "$many with JIT code: saved" "$work/csv"
# shellcheck disable=SC2086
"$pprofil" top -b -d 1 --rows 0 $often "$targets/jit" $many 4 2>/dev/null |
	awk '/^# pprofil top/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' >"$work/frame"
have_names "$many with JIT code: top" "$work/frame"
"$targets/jit" $many 600 >/dev/null & target=$!
all_run() { [ "$(pgrep -P $target | sed 's,.*,/tmp/perf-&.map,' | xargs ls 2>/dev/null | wc -l)" = $many ]; }
await all_run
profiled_s=2
some_seen() { # the tracer, too, may wait for a CPU for seconds
	profiled_s=$((2 * profiled_s))
	# shellcheck disable=SC2086
	"$pprofil" -f csv -n 0 -d $profiled_s $often -p "$(pgrep -d , -P $target)" >"$work/csv" 2>&1
	[ $(($(named "$work/csv") + $(unnamed "$work/csv"))) -ge $some ]
}
await some_seen
have_names "$many with JIT code: attached" "$work/csv"
for pid in $(pgrep -P $target); do
	kill "$pid"
done
wait $target 2>/dev/null
finish
