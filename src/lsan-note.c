/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out whether LeakSanitizer has ended the program: see lsan-note.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc-stat.h"
#include "lsan-note.h"

#define OFF "detect_leaks=0"
#define STATUS_OF_ASAN 1

void lsan_note_begin(struct lsan_note *note, pid_t program)
{
    char link[32];

    snprintf(link, sizeof link, "/proc/%d/exe", (int)program);
    ssize_t length = readlink(link, note->program, sizeof note->program - 1);
    note->program[length < 0 ? 0 : length] = '\0';
}

/* Sets note->waited if cminflt of /proc/PID/stat is not 0. This field counts page faults of child
 * processes that were waited for; see proc_pid_stat(5). */
void lsan_note_end(struct lsan_note *note, pid_t program)
{
    char text[PROC_STAT_SIZE];
    const char *rest = proc_stat_read(program, text);
    unsigned long faults = 0;

    note->waited = rest != NULL && sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %*u %lu", &faults) == 1 && faults > 0;
}

static bool lsan_is_off(const char *variable)
{
    const char *options = getenv(variable);

    return options != NULL && strstr(options, OFF) != NULL;
}

/* Returns true if the environment, which the program shares, switches leak detection off. As a part
 * of AddressSanitizer, LeakSanitizer also reads ASAN_OPTIONS. */
static bool lsan_is_switched_off(int status)
{
    return lsan_is_off("LSAN_OPTIONS") || (status == STATUS_OF_ASAN && lsan_is_off("ASAN_OPTIONS"));
}

void lsan_note_decide(struct lsan_note *note, const pprofil_profile *profile, pid_t program, int status)
{
    if (!note->waited || !WIFEXITED(status) || WEXITSTATUS(status) == 0)
        return;
    int refused = pprofil_profile_leak_check(profile, program, note->program[0] == '\0' ? NULL : note->program);
    if (refused == WEXITSTATUS(status) && !lsan_is_switched_off(refused))
        note->status = refused;
}

void lsan_note_print(const struct lsan_note *note, FILE *out, const char *prefix)
{
    if (note->status != 0)
        fprintf(out,
                "%sthe exit status %d is LeakSanitizer's, it seems, which works under no tracer; "
                "LSAN_OPTIONS=" OFF " leaves it out\n",
                prefix, note->status);
}
