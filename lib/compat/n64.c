/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library for programs of the Nintendo 64: osProfileInit, osProfileStart, osProfileStop and osProfileFlush. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/output-path.h"
#include "compat/compat.h"
#include "compat/n64-internal.h"
#include "compat/own-maps.h"
#include "dialect/dialect.h"

#define CYCLES_PER_MS 46875u /* how often the console's COUNT register counts in a millisecond */
#define DEFAULT_FILE "osprofile.out"

static bool n64_active; /* osProfileStart was called, and osProfileStop was not called since then */

/* Returns the mode of a function call. compiled: the mode for which the program was compiled. If PPROFIL_STRICT is set
 * in the environment, every program has the mode of PPROFIL_N64_STRICT. */
static int n64_mode(int compiled)
{
    return compat_is_strict() ? compiled | PPROFIL_N64_IS_DEBUG | PPROFIL_N64_IS_STRICT : compiled;
}

static uint32_t n64_cycles(void)
{
    uint64_t now = time_now();

    return (uint32_t)(now / 1000000u * CYCLES_PER_MS + now % 1000000u * CYCLES_PER_MS / 1000000u);
}

/* Prints an error as the debug library's error handler did. */
static void n64_report(int mode, int code, unsigned long first, unsigned long second)
{
    if (!(mode & PPROFIL_N64_IS_DEBUG))
        return;
    fprintf(stderr, "0x%08X (%04d):", n64_cycles(), code);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    fprintf(stderr, dialect_n64_error(code), (unsigned)first, (unsigned)second);
#pragma GCC diagnostic pop
    fputc('\n', stderr);
}

/* Returns the end of a segment's text. In the manual page text_end is the last instruction. But the old library used
 * text_end as the end of the text. This library does the same, except in strict mode. */
static const u32 *n64_end(const OSProf *segment, int mode)
{
    return segment->text_end + (mode & PPROFIL_N64_IS_STRICT ? 1 : 0);
}

static u32 n64_words(const OSProf *segment, int mode)
{
    return (u32)(n64_end(segment, mode) - segment->text_start);
}

/* Checks a segment. Returns 0, or the code of an error that has been reported. */
static int n64_check(const OSProf *segment, int mode)
{
    bool strict = mode & PPROFIL_N64_IS_STRICT;
    uintptr_t base = (uintptr_t)segment->histo_base;

    if (base & 3) {
        n64_report(mode, ERR_OSPROFILEINIT_ALN, base, 0);
        return ERR_OSPROFILEINIT_ALN;
    }
    if (segment->text_start >= segment->text_end) {
        n64_report(mode, ERR_OSPROFILEINIT_ORD, (uintptr_t)segment->text_start, (uintptr_t)segment->text_end);
        return ERR_OSPROFILEINIT_ORD;
    }
    /* the debug library accepts a histogram that has only a quarter of the counters that its text needs */
    if (n64_words(segment, mode) / (strict ? 1 : 4) > segment->histo_size) {
        n64_report(mode, ERR_OSPROFILEINIT_SIZ, segment->histo_size, 0);
        return ERR_OSPROFILEINIT_SIZ;
    }
    return 0;
}

static bool n64_overlap(const OSProf *segments, u32 count, int mode)
{
    for (u32 i = 0; i < count; i++)
        for (u32 j = 0; j < i; j++)
            if (segments[i].text_start < n64_end(&segments[j], mode) &&
                segments[j].text_start < n64_end(&segments[i], mode))
                return true;
    return false;
}

/* Writes messages about errors in a segment. This is for the mode without error reports, in which such errors are
 * otherwise ignored. */
static void n64_explain(const OSProf *segment, u32 index, u32 counter_size)
{
    u32 words = n64_words(segment, 0);

    if ((uintptr_t)segment->histo_base & 3)
        compat_say("osProfileInit", "segment %u: histo_base is not 32-bit aligned; it is used all the same", index);
    if (segment->text_start >= segment->text_end)
        compat_say("osProfileInit", "segment %u: text_start is not below text_end: nothing is counted", index);
    else if (words > segment->histo_size)
        compat_say("osProfileInit", "segment %u: %u counters for %u words: the rest goes to the overflow bin", index,
                   segment->histo_size, words);
    if (!own_maps_writable((uintptr_t)segment->histo_base, (uint64_t)segment->histo_size * counter_size))
        compat_say("osProfileInit", "segment %u: histo_base cannot be written", index);
}

/* Begins to count in the current segments. Returns 0 or a negative errno. */
static int n64_start(int mode)
{
    /* the timer of the console counts whole cycles */
    uint64_t cycles = (uint64_t)n64_list.period_us * CYCLES_PER_MS / 1000;
    size_t room = (n64_list.count + 1u) * sizeof(struct wire_profil_region);

    struct wire_profil_region *regions = compat_map(room);
    if (regions == NULL)
        return -ENOMEM;
    for (u32 i = 0; i < n64_list.count; i++) {
        const OSProf *segment = &n64_list.segments[i];
        regions[i] = (struct wire_profil_region){
            .buffer = (uintptr_t)segment->histo_base,
            .size = (uint64_t)segment->histo_size * n64_list.counter_size,
            .offset = (uintptr_t)segment->text_start,
            .low = (uintptr_t)segment->text_start,
            .high = (uintptr_t)n64_end(segment, mode)};
    }
    struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                  .counter_size = n64_list.counter_size,
                                  .dialect = "n64",
                                  .period_ns = cycles * 1000000 / CYCLES_PER_MS,
                                  .regions = (uintptr_t)regions,
                                  .region_count = n64_list.count,
                                  .overflow = (uintptr_t)&n64_list.overflow};
    int error = compat_ask("osProfileStart", &request, NULL);
    compat_unmap(regions, room);
    return error;
}

void pprofil_n64_init(const void *list, u32 count, u32 counter_size, int mode)
{
    const OSProf *segments = list;

    mode = n64_mode(mode);
    if (mode & PPROFIL_N64_IS_DEBUG && n64_active) {
        n64_report(mode, ERR_OSPROFILEINIT_STR, 0, 0);
        return;
    }
    if (mode & PPROFIL_N64_IS_DEBUG && (count == 0 || count > WIRE_PROFIL_REGIONS_MAX)) {
        n64_report(mode, ERR_OSPROFILEINIT_CNT, count, 0);
        return;
    }
    if (mode & PPROFIL_N64_IS_STRICT && n64_overlap(segments, count, mode)) {
        fputs("osProfileInit: text segments overlap\n", stderr);
        return;
    }
    for (u32 i = 0; i < count; i++) {
        if (mode & PPROFIL_N64_IS_DEBUG && n64_check(&segments[i], mode) != 0)
            return;
        if (compat_is_debugged() && !(mode & PPROFIL_N64_IS_DEBUG))
            n64_explain(&segments[i], i, counter_size);
        memset(segments[i].histo_base, 0, (size_t)segments[i].histo_size * counter_size);
    }
    if (n64_list_replace(segments, count, counter_size) != 0)
        return;
    if (n64_active) /* this is not the debug library, which refuses a new list while counting is on */
        n64_active = n64_start(mode) == 0;
    n64_host_begin();
}

void pprofil_n64_start(u32 microseconds, int mode)
{
    mode = n64_mode(mode);
    if (microseconds < PROF_MIN_INTERVAL) {
        n64_report(mode, ERR_OSPROFILESTART_TIME, microseconds, 0);
        if (mode & PPROFIL_N64_IS_DEBUG)
            return;
        microseconds = PROF_MIN_INTERVAL;
    }
    if (n64_active && mode & PPROFIL_N64_IS_DEBUG) {
        n64_report(mode, ERR_OSPROFILESTART_FLAG, 0, 0);
        return;
    }
    n64_list.period_us = microseconds;
    n64_active = n64_start(mode) == 0;
}

void pprofil_n64_stop(int mode)
{
    mode = n64_mode(mode);
    if (!n64_active) {
        n64_report(mode, ERR_OSPROFILESTOP_FLAG, 0, 0);
        return;
    }
    if (compat_stop("osProfileStop", WIRE_PROFIL_ALL_THREADS) != 0) {
        n64_report(mode, ERR_OSPROFILESTOP_TIMER, 0, 0);
        return;
    }
    n64_active = false;
}

/* Returns true if another file can be created beside the file `path`: it is a regular file, and not in /dev or
 * /proc. */
static bool n64_has_neighbours(const char *path)
{
    struct stat status;

    return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

/* Writes FILE.meta beside the profile FILE. FILE.meta contains facts for which the profile has no place. Errors are
 * ignored, because FILE is useful without FILE.meta. */
static void n64_write_meta(const char *path, uint64_t sum)
{
    char beside[PATH_MAX], bytes[4096];
    ssize_t got = 0;
    int meta = -1, fd = -1;

    if (!n64_has_neighbours(path) || snprintf(beside, sizeof beside, "%s.meta", path) >= (int)sizeof beside)
        return;
    meta = n64_meta_make(sum);
    fd = meta < 0 ? meta : output_path_open(beside);
    while (fd >= 0 && (got = read(meta, bytes, sizeof bytes)) > 0 && write(fd, bytes, (size_t)got) == got)
        ;
    if (fd < 0 || got != 0)
        compat_say("osProfileFlush", "cannot write %s", beside);
    if (fd >= 0)
        close(fd);
    if (meta >= 0)
        close(meta);
}

static int n64_write_file(const char *path, const struct n64_list *list)
{
    struct n64_stream stream = {.fd = output_path_open(path), .sum = HASH_FNV_START};

    if (stream.fd < 0)
        return stream.fd;
    int error = n64_stream_write(&stream, list);
    close(stream.fd);
    if (error == 0)
        n64_write_meta(path, stream.sum);
    return error;
}

void pprofil_n64_flush(void)
{
    const char *path = secure_getenv("PPROFIL_N64_OUTPUT");
    struct compat_guard guard;

    if (path == NULL)
        path = DEFAULT_FILE;
    compat_enter(&guard);
    int error = n64_host_send(&n64_list) == 0 ? 0 : n64_write_file(path, &n64_list);
    if (error != 0)
        compat_warn("osProfileFlush", "cannot write %s: %s", path, strerror(-error));
    compat_leave(&guard);
}

/* For programs that do not include the <ultra64.h> of pprofil, but declare the osProfile functions themselves. These
 * functions report no errors, like the old library without debugging. */
void osProfileInit(OSProf *segments, u32 count)
{
    pprofil_n64_init(segments, count, sizeof(u16), 0);
}

void osProfileStart(u32 microseconds)
{
    pprofil_n64_start(microseconds, 0);
}

void osProfileStop(void)
{
    pprofil_n64_stop(0);
}

void osProfileFlush(void)
{
    pprofil_n64_flush();
}
