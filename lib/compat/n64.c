/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nintendo 64: osProfileInit, osProfileStart, osProfileStop, osProfileFlush. There is no host to
 * talk to, so the I/O thread and its mailbox are not there: a flush writes a file.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/output-path.h"
#include "compat/compat.h"
#include "compat/n64/ultra64.h"
#include "dialect/dialect.h"

#define CYCLES_PER_MS 46875u /* of the COUNT register */
#define BLOCK 512            /* words written at once */

static struct {
    const OSProf *segments; /* the caller's */
    u32 count, counter_size;
    u32 overflow; /* the bin */
    u32 period_us;
    bool active;
} profile = {.counter_size = sizeof(u16)};

static uint32_t cycle_counter(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t)((uint64_t)time.tv_sec * CYCLES_PER_MS * 1000u +
                      (uint64_t)time.tv_nsec * CYCLES_PER_MS / 1000000u);
}

/* As the debug library's error handler printed it. */
static void report(int mode, int code, unsigned long first, unsigned long second)
{
    if (!(mode & PPROFIL_N64_IS_DEBUG))
        return;
    fprintf(stderr, "0x%08X (%04d):", cycle_counter(), code);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    fprintf(stderr, dialect_n64_error(code), (unsigned)first, (unsigned)second);
#pragma GCC diagnostic pop
    fputc('\n', stderr);
}

static u32 words_of(const OSProf *segment)
{
    return (u32)(segment->text_end - segment->text_start);
}

/* 0, or the error's code, which is reported. */
static int check(const OSProf *segment, int mode)
{
    bool strict = mode & PPROFIL_N64_IS_STRICT;
    uintptr_t base = (uintptr_t)segment->histo_base;

    if (base & (strict ? 3 : 1)) {
        report(mode, ERR_OSPROFILEINIT_ALN, base, 0);
        return ERR_OSPROFILEINIT_ALN;
    }
    if (segment->text_start >= segment->text_end) {
        report(mode, ERR_OSPROFILEINIT_ORD, (uintptr_t)segment->text_start,
               (uintptr_t)segment->text_end);
        return ERR_OSPROFILEINIT_ORD;
    }
    /* the library's own check is four times too lax */
    if (words_of(segment) / (strict ? 1 : 4) > segment->histo_size) {
        report(mode, ERR_OSPROFILEINIT_SIZ, segment->histo_size, 0);
        return ERR_OSPROFILEINIT_SIZ;
    }
    return 0;
}

static bool overlap(const OSProf *segments, u32 count)
{
    for (u32 i = 0; i < count; i++)
        for (u32 j = 0; j < i; j++)
            if (segments[i].text_start < segments[j].text_end &&
                segments[j].text_start < segments[i].text_end)
                return true;
    return false;
}

/* 0 or -errno. */
static int start(void)
{
    /* the timer counts whole cycles */
    uint64_t cycles = (uint64_t)profile.period_us * CYCLES_PER_MS / 1000;
    size_t room = (profile.count + 1u) * sizeof(struct wire_profil_region);
    int64_t value;

    struct wire_profil_region *regions = compat_map(room);
    if (regions == NULL)
        return -ENOMEM;
    for (u32 i = 0; i < profile.count; i++) {
        const OSProf *segment = &profile.segments[i];
        regions[i] = (struct wire_profil_region){
            .buffer = (uintptr_t)segment->histo_base,
            .size = (uint64_t)segment->histo_size * profile.counter_size,
            .offset = (uintptr_t)segment->text_start,
            .low = (uintptr_t)segment->text_start,
            .high = (uintptr_t)segment->text_end};
    }
    struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                  .counter_size = profile.counter_size,
                                  .dialect = "n64",
                                  .period_ns = cycles * 1000000 / CYCLES_PER_MS,
                                  .regions = (uintptr_t)regions,
                                  .region_count = profile.count,
                                  .overflow = (uintptr_t)&profile.overflow};
    int error = compat_ask("osProfileStart", &request, &value);
    compat_unmap(regions, room);
    return error;
}

void pprofil_n64_init(const void *list, u32 count, u32 counter_size, int mode)
{
    const OSProf *segments = list;

    if (mode & PPROFIL_N64_IS_DEBUG && profile.active) {
        report(mode, ERR_OSPROFILEINIT_STR, 0, 0);
        return;
    }
    if (mode & PPROFIL_N64_IS_DEBUG && count == 0) {
        report(mode, ERR_OSPROFILEINIT_CNT, count, 0);
        return;
    }
    if (mode & PPROFIL_N64_IS_STRICT && overlap(segments, count)) {
        fputs("osProfileInit: text segments overlap\n", stderr);
        return;
    }
    for (u32 i = 0; i < count; i++) {
        if (mode & PPROFIL_N64_IS_DEBUG && check(&segments[i], mode) != 0)
            return;
        memset(segments[i].histo_base, 0, (size_t)segments[i].histo_size * counter_size);
    }
    profile.overflow = 0;
    profile.segments = segments;
    profile.count = count;
    profile.counter_size = counter_size;
    if (profile.active) /* only the debug library forbids that */
        profile.active = start() == 0;
}

void pprofil_n64_start(u32 microseconds, int mode)
{
    if (microseconds < PROF_MIN_INTERVAL) {
        report(mode, ERR_OSPROFILESTART_TIME, microseconds, 0);
        if (mode & PPROFIL_N64_IS_DEBUG)
            return;
        microseconds = PROF_MIN_INTERVAL;
    }
    if (profile.active && mode & PPROFIL_N64_IS_DEBUG) {
        report(mode, ERR_OSPROFILESTART_FLAG, 0, 0);
        return;
    }
    profile.period_us = microseconds;
    profile.active = start() == 0;
}

void pprofil_n64_stop(int mode)
{
    if (!profile.active) {
        report(mode, ERR_OSPROFILESTOP_FLAG, 0, 0);
        return;
    }
    if (compat_stop() != 0) {
        report(mode, ERR_OSPROFILESTOP_TIMER, 0, 0);
        return;
    }
    profile.active = false;
}

static int write_all(int fd, const void *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            bytes = (const char *)bytes + written;
            size -= (size_t)written;
        }
    }
    return 0;
}

static int write_words(int fd, const u32 *words, size_t count)
{
    u32 swapped[4];

    for (size_t i = 0; i < count; i++)
        swapped[i] = htobe32(words[i]);
    return write_all(fd, swapped, count * sizeof *swapped);
}

static int write_counters(int fd, const OSProf *segment)
{
    const unsigned char *from = (const unsigned char *)segment->histo_base;
    size_t size = profile.counter_size;
    u32 block[BLOCK];
    int error = 0;

    for (u32 done = 0; error == 0 && done < segment->histo_size; done += BLOCK) {
        u32 count = segment->histo_size - done < BLOCK ? segment->histo_size - done : BLOCK;
        unsigned char *bytes = memcpy(block, from + done * size, count * size);
        for (u32 i = 0; i < count && size == sizeof(u32); i++)
            block[i] = htobe32(block[i]);
        for (u32 i = 0; i < count * size && size == sizeof(u16); i += sizeof(u16)) {
            u16 counter;
            memcpy(&counter, bytes + i, sizeof counter);
            counter = htobe16(counter);
            memcpy(bytes + i, &counter, sizeof counter);
        }
        error = write_all(fd, block, count * size);
    }
    return error;
}

void pprofil_n64_flush(void)
{
    const char *path = secure_getenv("PPROFIL_N64_OUTPUT");
    const u32 head[] = {profile.count, profile.period_us, profile.overflow};

    int fd = output_path_open(path != NULL ? path : "osprofile.out");
    if (fd < 0)
        return;
    int error = write_words(fd, head, 3);
    for (u32 i = 0; error == 0 && i < profile.count; i++) {
        const OSProf *segment = &profile.segments[i];
        const u32 opening[] = {(u32)(uintptr_t)segment->text_start, segment->histo_size};
        error = write_words(fd, opening, 2);
        if (error == 0)
            error = write_counters(fd, segment);
    }
    close(fd);
}
