#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# LeakSanitizer does not work under a tracer, and ends its program with a status of its own. pprofil then says why, and
# what to set; it says so of no other program.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cat >"$work/sanitized.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef OFF
const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
const char *__lsan_default_options(void) { return "detect_leaks=0"; }
#endif

static int is_traced(void)
{
    char line[256];
    int tracer = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "TracerPid: %d", &tracer);
    if (file != NULL)
        fclose(file);
    return tracer != 0;
}

/* The pointer to one of them may be left in a register, or above the stack of who looks for leaks. */
static void leak(void)
{
    for (int i = 0; i < 100; i++) {
        char *volatile lost = malloc(10);
        lost[0] = 0;
    }
}

/* sanitized STATUS [exit|quit|fork|error|leak] */
int main(int argc, char **argv)
{
    int status = argc > 1 ? atoi(argv[1]) : 0;
    const char *how = argc > 2 ? argv[2] : "exit";
    int tenths = getenv("TENTHS") != NULL ? atoi(getenv("TENTHS")) : 1;
    char *volatile memory = malloc(10);

    memset(memory, 0, 10);
    for (clock_t end = clock() + CLOCKS_PER_SEC / 10 * tenths; clock() < end;) /* samples, in its own code */
        for (volatile int i = 0; i < 100000; i++)
            ;
    if (strcmp(how, "leak") == 0) {
        leak();
        for (int i = 0; i < 600 && is_traced(); i++)
            usleep(100000);
        return status;
    }
    free(memory);
    if (strcmp(how, "error") == 0)
        return memory[3];
    if (strcmp(how, "quit") == 0)
        _exit(status);
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0)
            _exit(0);
        wait(NULL);
    }
    return status;
}
END

# run STATUS NOTES NAME COMMAND...: pprofil ends with that status, and so many lines say why
run() {
	expected=$1 notes=$2 what=$3
	shift 3
	"$pprofil" "$@" >"$work/out" 2>"$work/err"
	status_of_it=$?
	expect "$what: status" "$expected" "$status_of_it"
	[ "$status_of_it" = "$expected" ] || sed 's/^/# /' "$work/err"
	expect "$what: lines that say why" "$notes" \
		"$(grep -c "exit status $expected is LeakSanitizer's.* LSAN_OPTIONS=detect_leaks=0 leaves it out" "$work/err")"
}

any=
ours=${LSAN_OPTIONS-} # set where pprofil itself is built with it
while read -r name status compiler flags; do
	program=$work/$name
	# shellcheck disable=SC2086
	if ! $compiler $flags "$work/sanitized.c" -o "$program" 2>/dev/null ||
		! LSAN_OPTIONS=detect_leaks=0 "$program" 0 2>/dev/null; then
		continue
	fi
	any=yes
	# shellcheck disable=SC2086
	$compiler $flags -DOFF "$work/sanitized.c" -o "$program-off"
	run "$status" 1 "$name" "$program" 0
	run "$status" 1 "$name, a status of its own" "$program" 3
	run "$status" 1 "$name, behind another program" env TENTHS=10 "$program" 0 # a sample shows that it has LeakSanitizer
	run "$status" 1 "$name, -o" -o "$work/p.pb.gz" "$program" 0
	run "$status" 0 "$name, -q" -q "$program" 0
	run "$status" 0 "$name, -f csv" -f csv "$program" 0
	export LSAN_OPTIONS=detect_leaks=0
	run 0 0 "$name, switched off" "$program" 0
	run "$status" 0 "$name, switched off, a status of its own" "$program" "$status"
	run "$status" 0 "$name, switched off, with a child" "$program" "$status" fork
	export LSAN_OPTIONS="$ours"
	run "$status" 0 "$name, switched off for it alone" env LSAN_OPTIONS=detect_leaks=0 "$program" "$status"
	run 0 0 "$name, switched off by itself" env -u ASAN_OPTIONS "$program-off" 0
	run "$status" 0 "$name, switched off by itself, a status of its own" \
		env -u ASAN_OPTIONS "$program-off" "$status"
	run "$status" 0 "$name, ends without a look for leaks" "$program" "$status" quit
	run "$status" 0 "$name, a leak, not traced any more" -d 0.1 "$program" 0 leak
	[ "$status" = 1 ] && run 1 0 "$name, an error" "$program" 0 error
done <<-'END'
	gcc-address 1 gcc -fsanitize=address
	gcc-address-static 1 gcc -fsanitize=address -static-libasan
	gcc-leak 23 gcc -fsanitize=leak
	clang-address 1 clang -fsanitize=address
	clang-leak 23 clang -fsanitize=leak
END
[ -n "$any" ] || skip "no compiler here links a sanitizer that runs"
${CC:-cc} "$work/sanitized.c" -o "$work/plain"
run 1 0 "no sanitizer" "$work/plain" 1 fork
run 23 0 "no sanitizer, 23" "$work/plain" 23 fork
finish
