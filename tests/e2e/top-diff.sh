#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Two saved profiles on the screen of pprofil top: what differs between them is what pprofil diff says, in all views, and
# filters hold for both.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"

# program NAME STEADY CHANGED: a thread "worker" calls two functions, for these times in ms; a thread "writer" is the
# same in each
cd "$work" || exit 1
program() {
	mkdir -p "$1"
	cat >"$1/prog.c" <<-END
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <time.h>

		static double now(void)
		{
			struct timespec time;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
			return 1e3 * time.tv_sec + 1e-6 * time.tv_nsec;
		}
		__attribute__((noinline)) void steady(double end)
		{
			while (now() < end)
				for (volatile int i = 0; i < 10000; i++);
		}
		__attribute__((noinline)) void changed(double end)
		{
			while (now() < end)
				for (volatile int i = 0; i < 10000; i++);
		}
		__attribute__((noinline)) void only_$1(double end)
		{
			while (now() < end)
				for (volatile int i = 0; i < 10000; i++);
		}
		static void *write_things(void *nothing)
		{
			pthread_setname_np(pthread_self(), "writer");
			steady(300);
			return nothing;
		}
		int main(void)
		{
			pthread_t writer;
			pthread_create(&writer, NULL, write_things, NULL);
			pthread_setname_np(pthread_self(), "worker");
			steady($2);
			changed($2 + $3);
			only_$1($2 + $3 + 100);
			pthread_join(writer, NULL);
			return 0;
		}
	END
	(cd "$1" && "$cc" -O1 -g -fno-inline -pthread -o "prog-$1" prog.c)
	"$pprofil" -q -g --overhead 1000 -F 1000 -o "$1.pb.gz" "./$1/prog-$1" >/dev/null
	"$pprofil" convert -o "$1.folded" "$1.pb.gz"
}
program old 400 100
program new 100 400
"$pprofil" -q -w -g --overhead 1000 -o wall.pb.gz ./new/prog-new >/dev/null

# --- without a terminal: the rows, marks and words of pprofil diff
"$pprofil" diff -n 0 old.pb.gz new.pb.gz >diff.txt
COLUMNS=400 "$pprofil" view -b --rows 0 old.pb.gz new.pb.gz >frame
expect "the head is that of pprofil diff" "$(grep "^# " diff.txt | grep -v "^# to be found\|^# note")" "$(grep "^# " frame)"
# figures FILE COLUMNS: the marks, shares and points of each function
figures() { grep -v '^#' "$1" | grep -v 'old%' | grep -E '[a-z]' | sed 's/^ /=/' | awk "{ print $2 }" | sort; }
expect "the rows are those of pprofil diff" \
	"$(figures diff.txt '$1 == "+" || $1 == "-" ? $1 " " $2 " " $3 " " $4 : substr($1, 2) " " $2 " " $3')" \
	"$(figures frame '$1 == "+" || $1 == "-" ? $1 " " $2 " " $3 " " $4 : substr($1, 2) " " $2 " " $3')"
expect_text "an increase" '^\+ .* changed ' frame
expect_text "a decrease" '^- .* steady ' frame
expect_text "the program was renamed" 'prog-old -> prog-new' frame
expect_text "a function of one profile" 'only_old .*\(old\)' frame
"$pprofil" top -b old.pb.gz new.pb.gz >frame.top
"$pprofil" view -b old.pb.gz new.pb.gz >frame
expect "top prints the same" "$(cat frame)" "$(cat frame.top)"
"$pprofil" view -b --thread worker old.pb.gz new.pb.gz >frame
expect_text "options select a part of both: the old one" '^# old: .*only --thread worker' frame
expect_text "options select a part of both: the new one" '^# new: .*only --thread worker' frame
"$pprofil" view -b old.pb.gz old.pb.gz >frame
expect_text "nothing differs from itself" '; 0 of [0-9]+ functions changed significantly' frame
"$pprofil" view -b old.folded new.folded >frame
expect_text "files without times" '^\+ .* changed ' frame

# --- the views
screen_start 24 80 "$pprofil" view old.pb.gz new.pb.gz
screen_expect "both files" '^pprofil diff: old\.pb\.gz -> new\.pb\.gz$'
screen_expect "what the old one has" '^old: [0-9]+ samples, [0-9.]+ s of CPU time in [0-9.]+ s: '
screen_expect "what the new one has" '^new: [0-9]+ samples'
screen_expect "how many functions have changed" '^[0-9]+ of [0-9]+ functions changed significantly'
screen_expect "the largest change first" '^[-+] +[0-9.]+ +[0-9.]+ +[-+][0-9.]+ .*(changed|steady)'
screen_keys s
screen_expect "another order" '^sorted by the change with what was called'
screen_keys s
screen_expect "and another" '^sorted by the time in the old profile'
screen_keys 2
screen_expect "objects, of which one was renamed" 'prog-old -> prog-new'
screen_expect "their number" ' objects? changed significantly'
screen_keys 3
screen_expect "threads by name" '[0-9] writer$'
screen_keys 4
screen_expect "processes" ' processe?s? changed significantly'
screen_keys 5
screen_expect "system calls" ' system calls? changed significantly'
screen_keys 6
screen_expect "lines" 'prog\.c:[0-9]+'
screen_keys 9
screen_expect "states need elapsed time" 'states need elapsed time'
screen_keys t
screen_expect "a time line is of one file" '^the time line is of one file'
screen_keys 7
screen_expect "calls of both" '^\+ +[0-9.]+ +[0-9.]+ +\+[0-9.]+ .* changed'
screen_keys s
screen_expect "by the new share" '^sorted by the share in the new profile'
screen_keys 8
screen_expect "a flame graph with marks" '▏\+changed'
screen_keys Down Down Down
screen_expect "the selected box" ' -> [0-9.]+ %, [-+][0-9.]+ points'
screen_keys S
screen_expect "nothing is saved" '^both files are saved'
screen_keys 1 Enter
screen_expect "the code of a function" '^old% and new% of the code of '
screen_expect "with the samples of both" ' [0-9]+ -> [0-9]+ .* (for|while)'
screen_keys BSpace
for key in z x + - w d; do
	screen_keys $key
	screen_expect "$key is refused" '^a saved profile does not change'
	screen_keys Down
done

# --- filters hold for both, and the tests are made anew
screen_keys 3 /
screen_type writer
screen_keys Enter Enter
screen_expect "a thread as a filter" '^only writer$'
screen_expect "which both profiles have" '^old: .* s of CPU time'
screen_expect_gone "no other functions" ' changed  '
screen_keys 2 /
screen_type prog-
screen_keys Enter Enter
screen_expect "an object, too" '^only writer .+ prog-new$'
screen_keys BSpace BSpace
screen_expect_gone "and back" '^only'
screen_expect "to the threads" 'threads\]'
screen_expect "on which the cursor stood" '[0-9] writer$'
screen_keys q
screen_expect_end "quits" 0

# --- paths of any length, and terminals of all kinds
long=$work/$(printf 'a%.0s' $(seq 1 120))/$(printf 'b%.0s' $(seq 1 120))
mkdir -p "$long"
cp old.pb.gz new.pb.gz "$long"
screen_start 24 80 "$pprofil" view "$long/old.pb.gz" "$long/new.pb.gz"
screen_expect "the ends of long paths" '^pprofil diff: …b*/old\.pb\.gz -> …b*/new\.pb\.gz$'
screen_start 10 40 "$pprofil" view "$long/old.pb.gz" new.pb.gz
screen_expect "on a small screen, too" '^…b*/old\.pb\.gz -> new\.pb\.gz$'
screen_expect "which has rows" '^[-+] .*(changed|steady)'
screen_locale=C screen_no_color=1
screen_start 24 80 "$pprofil" view "$long/old.pb.gz" new.pb.gz
screen_expect "without UTF-8" '^pprofil diff: ~[ab/]*/old\.pb\.gz -> new\.pb\.gz$'
screen_keys 8
screen_expect "marks where there are no colours" '\|\+changed'
screen_keys q
screen_expect_end "quits there" 0
screen_locale=C.UTF-8 screen_no_color=
screen_start 24 80 "$pprofil" top wall.pb.gz wall.pb.gz
screen_expect "elapsed time" 's of thread time'
screen_keys 9
screen_expect "states" ' states? changed significantly'
screen_keys q
screen_expect_end "quits again" 0
screen_stop

# --- mistakes
echo 'no profile' >text
bad() { # NAME PATTERN ARGUMENTS...
	name=$1 pattern=$2
	shift 2
	expect "$name: status" 125 "$(status_of "$pprofil" "$@")"
	one_line "$name"
	expect_text "$name: which" "$pattern" "$work/err"
}
bad "the old file is missing" 'missing\.pb\.gz' view missing.pb.gz new.pb.gz
bad "the new file is none" 'text' view old.pb.gz text
bad "they have different times" 'old\.pb\.gz -> wall\.pb\.gz: ' view -b old.pb.gz wall.pb.gz
bad "three files" 'one argument too many' view old.pb.gz new.pb.gz wall.pb.gz
bad "a part that one does not have" 'new\.pb\.gz: .*only_old' view -b --function only_old old.pb.gz new.pb.gz
bad "top takes two files" 'old\.pb\.gz is a saved profile' top old.pb.gz new.pb.gz wall.pb.gz
finish
