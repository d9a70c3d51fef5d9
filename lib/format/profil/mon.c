/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes mon.out, which monitor(3) wrote and prof(1) read. It has the bounds of the text, the number of
 * functions, how often each function was called, and counters up to the end of the file. It does not say how wide a
 * pointer is, so the reader takes the first width with which the sizes are consistent.
 *
 * A PDP-11 stores the upper half of a long first, and in each half the lower byte first.
 */
#include "config.h"

#include <errno.h>

#include "format/profil/profil.h"

#define HEADER(pointer_size) ((pointer_size) == 2 ? 6u : 3 * (pointer_size))
#define CALLS(pointer_size) ((pointer_size) == 2 ? 6u : 2 * (pointer_size))

struct shape {
    uint32_t pointer_size;
    bool big_endian;
};

/* The PDP-11 comes last, because with numbers of 16 bits nearly every file seems to be consistent. */
static const struct shape shapes[] = {{8, false}, {8, true}, {4, false}, {4, true}, {2, false}};
#define SHAPES (sizeof shapes / sizeof *shapes)
#define SCALE_MIN 2 /* the smallest scale with which there may be more than one counter, see profil(2) */

struct header {
    uint64_t low, high, functions, counter_bytes;
};

/* Reads the header, and checks its numbers. If `likely` is true, the counters must have a size that is plausible for
 * the text. */
static bool read_header(const struct shape *shape, struct bytes *bytes, uint64_t all, bool likely,
                        struct header *header)
{
    header->low = bytes_get_pointer(bytes);
    header->high = bytes_get_pointer(bytes);
    header->functions = bytes_get(bytes, shape->pointer_size);
    uint64_t size = HEADER(shape->pointer_size), each = CALLS(shape->pointer_size);
    if (bytes->missing || all < size || header->functions > (all - size) / each)
        return false;
    header->counter_bytes = all - size - header->functions * each;
    if (codec_plausible(header->low, header->high, header->counter_bytes))
        return header->counter_bytes % 2 == 0;
    uint64_t text = header->high - header->low;
    bool scaled = header->counter_bytes == 2 || histogram_scale(header->counter_bytes, text) >= SCALE_MIN;
    return !likely && header->low < header->high && text <= UINT32_MAX && header->counter_bytes > 0 &&
           header->counter_bytes % 2 == 0 && scaled;
}

/* Returns true if the first function in the file's list is in the text. If the list is empty, or if the function is at
 * address 0, this is not known, and the result is the opposite of `sure`. */
static bool is_called(struct bytes *at, const struct header *header, bool sure)
{
    uint64_t pc = bytes_get_pointer(at);

    if (header->functions == 0 || at->missing || pc == 0)
        return !sure;
    return pc >= header->low && pc < header->high;
}

static const struct shape *try_shapes(const unsigned char *bytes, size_t size, uint64_t all, size_t first, size_t end,
                                      bool sure, bool likely, struct header *header)
{
    for (size_t i = first; i < end; i++) {
        struct bytes at = bytes_of(bytes, size, shapes[i].pointer_size, shapes[i].big_endian);
        if (read_header(&shapes[i], &at, all, likely, header) && is_called(&at, header, sure))
            return &shapes[i];
    }
    return NULL;
}

/* Finds the width of pointers and the byte order of a mon.out, a pair in `shapes`. Tries in this order:
 *    - pairs with a usual scale, except for the pair of the PDP-11
 *    - pairs with any scale, if the first function of the file is in the text, except for the pair of the PDP-11
 *    - the pair of the PDP-11, with a usual scale
 *    - all pairs, with any scale */
static const struct shape *find_shape(const unsigned char *bytes, size_t size, struct header *header)
{
    const struct shape *shape = try_shapes(bytes, size, size, 0, SHAPES - 1, false, true, header);

    if (shape == NULL)
        shape = try_shapes(bytes, size, size, 0, SHAPES - 1, true, false, header);
    if (shape == NULL)
        shape = try_shapes(bytes, size, size, SHAPES - 1, SHAPES, false, true, header);
    return shape != NULL ? shape : try_shapes(bytes, size, size, 0, SHAPES, false, false, header);
}

/* Recognises a file only if it lists at least one function, because the files of every monitor() do. A file without
 * functions is read only if its name shows the format, or if the user names the format. */
static bool mon_matches(const unsigned char *head, size_t size, uint64_t all)
{
    struct header header;

    return try_shapes(head, size, all, 0, SHAPES - 1, true, true, &header) != NULL;
}

static uint64_t get_long(struct bytes *bytes)
{
    if (bytes->pointer_size != 2)
        return bytes_get_pointer(bytes);
    uint64_t upper = bytes_get(bytes, 2);
    return upper << 16 | bytes_get(bytes, 2);
}

int mon_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    struct header header;
    const struct shape *shape = find_shape(bytes, size, &header);
    int error = 0;

    if (shape == NULL)
        return PPROFIL_ERROR_DAMAGED;
    struct bytes at = bytes_of(bytes, size, shape->pointer_size, shape->big_endian);
    file->pointer_size = shape->pointer_size;
    file->big_endian = shape->big_endian;
    bytes_take(&at, HEADER(shape->pointer_size));
    for (uint64_t i = 0; error == 0 && i < header.functions; i++) {
        uint64_t pc = bytes_get_pointer(&at);
        error = histogram_add_calls(file, pc, get_long(&at));
    }
    if (error != 0)
        return error;
    struct histogram *histogram = histogram_add(file, header.low, header.high,
                                                histogram_scale(header.counter_bytes, header.high - header.low), 2,
                                                header.counter_bytes / 2);
    if (histogram == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < histogram->count; i++) {
        histogram->counters[i] = bytes_get(&at, 2);
        file->ticks += histogram->counters[i];
    }
    return 0;
}

/* --- writing ----------------------------------------------------------------------------- */

static void put_long(struct bytes_out *out, uint64_t number)
{
    uint64_t most = out->pointer_size == 8 ? INT64_MAX : INT32_MAX;

    if (number > most)
        number = most;
    if (out->pointer_size == 2) {
        bytes_put(out, number >> 16, 2);
        bytes_put(out, number & UINT16_MAX, 2);
    } else {
        bytes_put_pointer(out, number);
    }
}

/* Writes how often functions were called. Solaris' prof prints nothing if no function was called. So if the file has no
 * calls, writes that a function at the start of the text was called once. */
static void put_calls(struct bytes_out *out, const struct histogram_file *file, uint64_t low)
{
    bool any = false;

    for (size_t i = 0; i < file->calls_count; i++)
        any |= file->calls[i].count > 0;
    bytes_put(out, file->calls_count + !any, out->pointer_size);
    for (size_t i = 0; i < file->calls_count; i++) {
        bytes_put_pointer(out, file->calls[i].pc);
        put_long(out, file->calls[i].count);
    }
    if (!any) {
        bytes_put_pointer(out, low);
        put_long(out, 1);
    }
}

int mon_write(int fd, const struct histogram_file *file)
{
    const struct histogram *histogram = histogram_single(file, 0);
    struct bytes_out out;

    if (histogram == NULL)
        return PPROFIL_ERROR_COUNTERS;
    bytes_begin(&out, fd, file->pointer_size, file->big_endian);
    bytes_put_pointer(&out, histogram->low);
    bytes_put_pointer(&out, histogram->high);
    put_calls(&out, file, histogram->low);
    for (uint64_t i = 0; i < histogram->count; i++)
        bytes_put(&out, histogram_cut(file, 2, histogram->counters[i]), 2);
    return bytes_finish(&out);
}

static const struct codec codec = {
    .dialect = "solaris", .single = true, .rate_hz = 100, .counter_size = 2, .read = mon_read, .write = mon_write};

const struct format format_mon = {
    .name = "mon",
    .extensions = "mon.out .mon",
    .summary = "mon.out of monitor(3), for prof; a file for each object",
    .keeps = "ticks for every few bytes of one object's code",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states, the rate",
    .matches = mon_matches,
    .codec = &codec,
};
