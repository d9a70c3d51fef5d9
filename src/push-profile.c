/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a profile for pprofil push: its pprof bytes, the name of its program, its labels and its times. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/regular-file.h"
#include "options.h"
#include "push.h"

#define NS_PER_S 1000000000u

/* --- its name ----------------------------------------------------------------------------------- */

/* Stores the name of the program that was run, or of the first process if pprofil attached to it: the command then
 * begins with -p. Stores "" if the file does not say. */
static void push_program_name(const pprofil_profile *profile, char *name, size_t size)
{
    const char *command = pprofil_profile_command(profile);
    struct pprofil_process process = {.comm = ""};
    char word[PUSH_NAME_MAX + 1];

    if (command == NULL || command[0] == '\0' || command[0] == '-') {
        int error = pprofil_profile_process(profile, 0, &process, offsetof(struct pprofil_process, command));
        /* a name in brackets stands for one that is not known */
        snprintf(name, size, "%s", error != 0 || process.comm[0] == '[' ? "" : process.comm);
    } else {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(command, " "), command);
        snprintf(name, size, "%s", path_base_name(word));
    }
    push_clean_name(name);
}

static int push_profile_name(const char *path, const pprofil_profile *from, const char *wanted,
                             struct push_profile *profile)
{
    char name[PUSH_NAME_MAX + 1];

    if (wanted == NULL)
        push_program_name(from, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", wanted);
    if (name[0] == '\0')
        return complain("%s: it does not say which program was profiled; give --name APP", path);
    profile->name = strdup(name);
    return profile->name != NULL ? 0 : complain_file(path, -ENOMEM, false);
}

/* --- its labels --------------------------------------------------------------------------------- */

/* Stores the value that all samples have; "": they have several, or it is not known. A name in brackets stands for one
 * that is not known. If there are no samples, stores the value of the first process. */
static int push_value_of_all(pprofil_profile *from, enum pprofil_by by, char *value, size_t size)
{
    const struct pprofil_report_options options = {.size = sizeof options, .by = by};
    struct pprofil_process process;
    struct pprofil_row row = {.name = ""};
    pprofil_report *report;
    int error = pprofil_report_new(from, &options, &report);

    if (error != 0)
        return error;
    if (pprofil_report_count(report) == 1)
        pprofil_report_row(report, 0, &row, sizeof row);
    else if (pprofil_report_count(report) == 0 && pprofil_profile_process(from, 0, &process, sizeof process) == 0)
        row.name = by == PPROFIL_BY_HOST ? process.host : by == PPROFIL_BY_JOB ? process.job : process.rank;
    snprintf(value, size, "%s", row.name[0] != '[' ? row.name : "");
    pprofil_report_free(report);
    return 0;
}

static int push_label_of_all(pprofil_profile *from, enum pprofil_by by, const char *label, struct push_labels *labels)
{
    char value[PUSH_VALUE_MAX + 1];
    int error = push_value_of_all(from, by, value, sizeof value);

    if (error != 0)
        return error;
    push_clean_value(value);
    if (value[0] != '\0')
        error = push_labels_add(labels, label, value);
    return error == -EEXIST ? 0 : error; /* a label of the command line replaces it */
}

static int push_profile_labels(pprofil_profile *from, const struct push_labels *given, struct push_labels *labels)
{
    static const struct {
        enum pprofil_by by;
        const char *label;
    } own[] = {{PPROFIL_BY_HOST, "host"}, {PPROFIL_BY_JOB, "job"}, {PPROFIL_BY_RANK, "rank"}};
    int error = 0;

    for (size_t i = 0; error == 0 && i < given->count; i++)
        error = push_labels_add(labels, given->items[i].name, given->items[i].value);
    for (size_t i = 0; error == 0 && i < sizeof own / sizeof *own; i++)
        error = push_label_of_all(from, own[i].by, own[i].label, labels);
    return error;
}

/* --- its times ---------------------------------------------------------------------------------- */

/* If the profile does not say when it was taken, it ended when its file was written; standard input ends now. The
 * profile is then told so, because some servers read the times in it. */
static void push_profile_times(const char *path, pprofil_profile *from, struct push_profile *profile)
{
    struct pprofil_totals totals;
    struct stat status;

    pprofil_profile_totals(from, &totals, sizeof totals);
    uint64_t elapsed_ns = totals.start_ns != 0 ? totals.end_ns - totals.start_ns : totals.elapsed_ns;
    int64_t elapsed = (int64_t)((elapsed_ns + NS_PER_S - 1) / NS_PER_S);
    if (elapsed < 1)
        elapsed = 1;
    if (totals.start_ns != 0)
        profile->from = (int64_t)(totals.start_ns / NS_PER_S);
    else if (strcmp(path, "-") != 0 && stat(path, &status) == 0)
        profile->from = (int64_t)status.st_mtime - elapsed;
    else
        profile->from = (int64_t)time(NULL) - elapsed;
    profile->until = profile->from + elapsed;
    if (totals.start_ns == 0)
        pprofil_profile_set_start(from, (uint64_t)profile->from * NS_PER_S);
}

/* --- its bytes ---------------------------------------------------------------------------------- */

/* The library saves to paths. The file is only in memory, so nobody else can read or change it. */
static int push_profile_save(pprofil_profile *from, bool symbolize, struct push_profile *profile)
{
    const struct pprofil_file file = {.size = sizeof file, .format = "pprof"};
    int fd = memfd_create("pprofil-push", MFD_CLOEXEC);
    char path[64];

    if (fd < 0)
        return -errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int error = pprofil_profile_save(from, path, &file, symbolize);
    if (error == 0)
        error = regular_file_load(fd, &profile->pprof, &profile->size);
    close(fd);
    return error;
}

int push_profile_read(const char *path, const struct push_reading *reading, struct push_profile *profile)
{
    pprofil_profile *from = open_profile(path, &reading->file);

    if (from == NULL)
        return EXIT_OWN_FAILURE;
    int status = push_profile_name(path, from, reading->name, profile);
    if (status == 0) {
        push_profile_times(path, from, profile);
        int error = push_profile_labels(from, reading->labels, &profile->labels);
        if (error == 0)
            error = push_profile_save(from, reading->symbolize, profile);
        if (error == -E2BIG)
            status = complain("%s: there may be %u labels at most", path, PUSH_LABELS_MAX);
        else if (error != 0)
            status = complain_file(path, error, false);
    }
    pprofil_profile_close(from);
    return status;
}

void push_profile_clear(struct push_profile *profile)
{
    free(profile->name);
    free(profile->pprof);
    push_labels_clear(&profile->labels);
}
