/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libFuzzer over every reader of lib/format, and over every writer with what was read: see
 * run.sh. An input is a file; PPROFIL_FUZZ_FORMAT names the one format that it is read as, else
 * each of them reads it, and the recognition by contents too.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/format.h"

#define MOST_SAMPLES 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* perf-script writes each sample, and a count of a million takes three bytes: little is learnt
 * for much time. */
static void write_all(const struct profile *profile)
{
    if (profile->totals.samples > MOST_SAMPLES)
        return;
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (format_writable(format_at(i)) && format_at(i)->codec == NULL)
            format_write_file(format_at(i), "/dev/null", profile);
}

static void read_as(const char *path, const struct format *format)
{
    struct format_options options = {0};
    struct profile *profile;

    if (format_read_file_as(path, format, &options, &profile) != 0)
        return;
    write_all(profile);
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *name = getenv("PPROFIL_FUZZ_FORMAT");
    int fd = memfd_create("input", MFD_CLOEXEC);
    char path[64];

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (format_readable(format_at(i)) &&
            (name == NULL || strcmp(name, format_at(i)->name) == 0))
            read_as(path, format_at(i));
    if (name == NULL)
        read_as(path, NULL);
    close(fd);
    return 0;
}
