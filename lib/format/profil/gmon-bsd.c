/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes gmon.out of the BSDs: the bounds of the text, the size of header and counters together, 16-bit
 * counters, and arcs up to the end of the file. Since 4.4BSD the header also has a version, the rate, and the width of
 * counters. In files of user programs this width is not set.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "format/profil/profil.h"

#define FILE_VERSION 0x00051879u
#define NEW_HEADER(pointer_size) (2 * (pointer_size) + 24)
#define OLD_HEADER(pointer_size) (2 * (pointer_size) + 4)
/* the old header with 8-byte pointers, if it is padded to a multiple of eight bytes as a C structure is */
#define PADDED_HEADER 24u

/* One of the forms that the header may have. */
struct shape {
    uint32_t pointer_size;
    bool big_endian, versioned;
    uint32_t header;
};

static const struct shape shapes[] = {
    {8, false, true, NEW_HEADER(8)},  {8, true, true, NEW_HEADER(8)},
    {4, false, true, NEW_HEADER(4)},  {4, true, true, NEW_HEADER(4)},
    {8, false, false, PADDED_HEADER}, {8, true, false, PADDED_HEADER},
    {8, false, false, OLD_HEADER(8)}, {8, true, false, OLD_HEADER(8)},
    {4, false, false, OLD_HEADER(4)}, {4, true, false, OLD_HEADER(4)},
};

struct header {
    uint64_t low, high, counter_bytes, rate;
    uint32_t counter_size;
};

/* Returns how many bytes a counter has, or 0 if its width in the header is not valid. In the header the width is a
 * number of bits, and is negative for signed counters. 0 stands for 16 bits. */
static uint32_t counter_size_of(uint64_t type)
{
    uint32_t bits = (uint32_t)type;

    if (bits > INT32_MAX)
        bits = -bits;
    return bits == 0 ? 2 : bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

/* Returns true if the file has as many bytes of counters as start-up code asks for: 2 bytes for each 2, 4 or 8 bytes of
 * text. The size may differ by `slack` bytes, because start-up code rounds it. */
static bool is_usual(const struct header *header, uint64_t slack)
{
    uint64_t text = header->high - header->low, bytes = header->counter_bytes;

    for (unsigned shift = 0; shift <= 2; shift++)
        if (bytes + slack >= text >> shift && bytes <= (text >> shift) + slack)
            return true;
    return false;
}

static bool read_header(struct bytes bytes, const struct shape *shape, uint64_t all, uint64_t slack,
                        struct header *header)
{
    header->low = bytes_get_pointer(&bytes);
    header->high = bytes_get_pointer(&bytes);
    uint64_t size = bytes_get(&bytes, 4);
    header->rate = 0;
    header->counter_size = 2;
    if (shape->versioned) {
        bool right = bytes_get(&bytes, 4) == FILE_VERSION;
        header->rate = bytes_get(&bytes, 4);
        header->counter_size = counter_size_of(bytes_get(&bytes, 4));
        if (!right || header->counter_size == 0)
            return false;
    }
    if (bytes.missing || header->low >= header->high || size < shape->header || size > all ||
        (size - shape->header) % header->counter_size != 0 || (all - size) % (3 * shape->pointer_size) != 0)
        return false;
    header->counter_bytes = size - shape->header;
    return shape->versioned || (codec_plausible(header->low, header->high, header->counter_bytes) &&
                                is_usual(header, slack));
}

/* Returns the first form of the header with which all sizes are consistent, or NULL if there is none. If the header has
 * no version, the counters must also have a usual size. All forms are tried twice. The first time, only the exact usual
 * sizes are accepted. This distinguishes the old header with 8-byte pointers, which has 20 bytes, from the same header
 * with padding, which has 24. The second time, the size may differ by up to 8 bytes. */
static const struct shape *find_shape(const unsigned char *bytes, size_t size, uint64_t all, struct header *header)
{
    for (uint64_t slack = 0; slack <= 8; slack += 8)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            const struct shape *shape = &shapes[i];
            struct bytes start = bytes_of(bytes, size, shape->pointer_size, shape->big_endian);
            if (read_header(start, shape, all, slack, header))
                return shape;
        }
    return NULL;
}

static bool gmon_bsd_matches(const unsigned char *head, size_t size, uint64_t all)
{
    struct header header;

    return find_shape(head, size, all, &header) != NULL;
}

int gmon_bsd_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    struct header header;
    const struct shape *shape = find_shape(bytes, size, size, &header);
    int error = 0;

    if (shape == NULL)
        return PPROFIL_ERROR_DAMAGED;
    struct bytes at = bytes_of(bytes, size, shape->pointer_size, shape->big_endian);
    bytes_take(&at, shape->header);
    file->dialect = dialect_find("bsd44");
    file->pointer_size = shape->pointer_size;
    file->big_endian = shape->big_endian;
    file->rate_hz = (double)header.rate;
    struct histogram *histogram = histogram_add(file, header.low, header.high,
                                                histogram_scale(header.counter_bytes, header.high - header.low),
                                                header.counter_size, header.counter_bytes / header.counter_size);
    if (histogram == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < histogram->count; i++) {
        histogram->counters[i] = bytes_get(&at, header.counter_size);
        file->ticks += histogram->counters[i];
    }
    while (error == 0 && bytes_left(&at) > 0) {
        uint64_t from = bytes_get_pointer(&at), self = bytes_get_pointer(&at);
        error = histogram_add_arc(file, from, self, bytes_get_pointer(&at));
    }
    return error;
}

/* If the file has no rate, the old header is written, which has no field for a rate. */
int gmon_bsd_write(int fd, const struct histogram_file *file)
{
    const struct histogram *histogram = histogram_single(file, 0);
    uint32_t header = file->rate_hz > 0 ? NEW_HEADER(file->pointer_size) : OLD_HEADER(file->pointer_size);
    struct bytes_out out;

    if (histogram == NULL || histogram->count > INT32_MAX / 4)
        return PPROFIL_ERROR_COUNTERS;
    bytes_begin(&out, fd, file->pointer_size, file->big_endian);
    bytes_put_pointer(&out, histogram->low);
    bytes_put_pointer(&out, histogram->high);
    bytes_put(&out, header + 2 * histogram->count, 4);
    if (file->rate_hz > 0) {
        bytes_put(&out, FILE_VERSION, 4);
        bytes_put(&out, (uint64_t)(file->rate_hz + 0.5), 4);
        bytes_put_zeros(&out, 12);
    }
    for (uint64_t i = 0; i < histogram->count; i++)
        bytes_put(&out, histogram_cut(file, 2, histogram->counters[i]), 2);
    for (size_t i = 0; i < file->arc_count; i++) {
        bytes_put_pointer(&out, file->arcs[i].from);
        bytes_put_pointer(&out, file->arcs[i].self);
        bytes_put_pointer(&out, file->arcs[i].count);
    }
    return bytes_finish(&out);
}

static const struct codec codec = {
    .dialect = "bsd44", .single = true, .counter_size = 2, .read = gmon_bsd_read, .write = gmon_bsd_write};

const struct format format_gmon_bsd = {
    .name = "gmon-bsd",
    .extensions = ".gmon-bsd",
    .summary = "BSD gmon.out; a file for each object",
    .keeps = "ticks for every few bytes of one object's code, the rate",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states",
    .matches = gmon_bsd_matches,
    .codec = &codec,
};
