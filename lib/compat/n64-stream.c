/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What osProfileFlush sends to the host, and what it leaves out. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compat/n64-internal.h"
#include "compat/own-maps.h"

#define BLOCK 512 /* words written at once */

static int stream_put(int fd, const void *bytes, size_t size)
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

static int stream_put_words(int fd, const u32 *words, size_t count)
{
    u32 swapped[4];

    for (size_t i = 0; i < count; i++)
        swapped[i] = htobe32(words[i]);
    return stream_put(fd, swapped, count * sizeof *swapped);
}

/* Turns counters into big-endian ones, in place. */
static void stream_swap(unsigned char *counters, size_t count, u32 counter_size)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char *counter = counters + i * counter_size;
        uint32_t four;
        uint16_t two;
        if (counter_size == sizeof four) {
            memcpy(&four, counter, sizeof four);
            four = htobe32(four);
            memcpy(counter, &four, sizeof four);
        } else {
            memcpy(&two, counter, sizeof two);
            two = htobe16(two);
            memcpy(counter, &two, sizeof two);
        }
    }
}

static int stream_put_counters(int fd, const OSProf *segment, u32 counter_size)
{
    const unsigned char *from = (const unsigned char *)segment->histo_base;
    unsigned char block[BLOCK * sizeof(u32)];
    int error = 0;

    for (u32 done = 0; error == 0 && done < segment->histo_size; done += BLOCK) {
        u32 count = segment->histo_size - done < BLOCK ? segment->histo_size - done : BLOCK;
        memcpy(block, from + (size_t)done * counter_size, (size_t)count * counter_size);
        stream_swap(block, count, counter_size);
        error = stream_put(fd, block, (size_t)count * counter_size);
    }
    return error;
}

int n64_stream_write(int fd, const struct n64_profile *profile)
{
    const u32 head[] = {profile->count, profile->period_us, profile->overflow};
    int error = stream_put_words(fd, head, 3);

    for (u32 i = 0; error == 0 && i < profile->count; i++) {
        const OSProf *segment = &profile->segments[i];
        const u32 opening[] = {(u32)(uintptr_t)segment->text_start, segment->histo_size};
        error = stream_put_words(fd, opening, 2);
        if (error == 0)
            error = stream_put_counters(fd, segment, profile->counter_size);
    }
    return error;
}

static bool meta_put_module(void *context, const struct own_object *object)
{
    const int *fd = context;

    if (object->path[0] == '/')
        dprintf(*fd, "module %" PRIx64 " %" PRIx64 " %s\n", object->start, object->end, object->path);
    return true;
}

int n64_meta_write(int fd, uint64_t size)
{
    if (dprintf(fd, "# what the profile beside this file has no room for: pprofil-formats(5)\npid %d\n",
                (int)getpid()) < 0)
        return -errno;
    if (size > 0)
        dprintf(fd, "size %" PRIu64 "\n", size);
    return own_maps_objects(meta_put_module, &fd);
}
