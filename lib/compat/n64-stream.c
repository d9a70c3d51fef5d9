/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the stream that osProfileFlush sends to the host. Also writes the lines of the .meta file, which contain facts
 * that the stream cannot hold. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "compat/compat.h"
#include "compat/n64-internal.h"
#include "compat/own-maps.h"

#define BLOCK 512 /* number of counters that are written with one call */

/* Like write(2), but the program gets no SIGPIPE if the other end of a socket is closed. May write fewer bytes than
 * `size`. */
static ssize_t stream_write_some(int fd, const void *bytes, size_t size)
{
    ssize_t wrote = send(fd, bytes, size, MSG_NOSIGNAL);

    return wrote < 0 && errno == ENOTSOCK ? write(fd, bytes, size) : wrote;
}

static bool stream_is_late(const struct n64_stream *stream)
{
    return stream->deadline_ns != 0 && time_now() > stream->deadline_ns;
}

int n64_stream_put(struct n64_stream *stream, const void *bytes, size_t size)
{
    stream->sum = hash_fnv(stream->sum, bytes, size);
    while (size > 0) {
        ssize_t wrote = stream_write_some(stream->fd, bytes, size);
        if (wrote < 0 && errno != EINTR && errno != EAGAIN)
            return -errno;
        if (wrote > 0) {
            bytes = (const char *)bytes + wrote;
            size -= (size_t)wrote;
        }
        if (size > 0 && stream_is_late(stream))
            return -ETIMEDOUT;
    }
    return 0;
}

static int stream_put_words(struct n64_stream *stream, const u32 *words, size_t count)
{
    u32 swapped[4];

    for (size_t i = 0; i < count; i++)
        swapped[i] = htobe32(words[i]);
    return n64_stream_put(stream, swapped, count * sizeof *swapped);
}

/* Converts counters to big-endian, in place. */
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

static int stream_put_counters(struct n64_stream *stream, const OSProf *segment, u32 counter_size)
{
    const unsigned char *from = (const unsigned char *)segment->histo_base;
    unsigned char block[BLOCK * sizeof(u32)];
    int error = 0;

    for (u32 done = 0; error == 0 && done < segment->histo_size; done += BLOCK) {
        u32 count = segment->histo_size - done < BLOCK ? segment->histo_size - done : BLOCK;
        error = compat_copy(block, from + (size_t)done * counter_size, (size_t)count * counter_size);
        if (error != 0)
            break;
        stream_swap(block, count, counter_size);
        error = n64_stream_put(stream, block, (size_t)count * counter_size);
    }
    return error;
}

int n64_stream_write(struct n64_stream *stream, const struct n64_list *list)
{
    const u32 head[] = {list->count, list->period_us, list->overflow};
    int error = stream_put_words(stream, head, 3);

    for (u32 i = 0; error == 0 && i < list->count; i++) {
        const OSProf *segment = &list->segments[i];
        const u32 opening[] = {(u32)(uintptr_t)segment->text_start, segment->histo_size};
        error = stream_put_words(stream, opening, 2);
        if (error == 0)
            error = stream_put_counters(stream, segment, list->counter_size);
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

int n64_meta_make(uint64_t sum)
{
    int fd = memfd_create("pprofil-meta", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    dprintf(fd, "# what the profile beside this file has no room for: pprofil-formats(5)\npid %d\n", (int)getpid());
    if (sum != 0)
        dprintf(fd, "sum %" PRIx64 "\n", sum);
    int error = own_maps_objects(meta_put_module, &fd);
    if (error == 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    close(fd);
    return error != 0 ? error : -EIO;
}
