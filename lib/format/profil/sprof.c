/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes the file that glibc's dynamic linker makes for the library in LD_PROFILE, and that sprof reads. The
 * file is like gmon.out, but has a fixed size, because the linker maps it and counts in it. The file has sixteen times
 * as much space for arcs as the linker uses (eight times with 4-byte pointers), and sprof refuses any other size. sprof
 * also refuses any rate except 100 Hz.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "format/profil/profil.h"

#define MAGIC "gmon"
#define FILE_VERSION 0x1ffffu
#define HEADER 20u
#define TAG 4u
#define NAMES "seconds\0\0\0\0\0\0\0\0s"
#define NAMES_SIZE 16u
#define RATE 100u
#define PAGE UINT64_C(4096)
#define ARCS_MIN 50u
#define ARCS_MAX (UINT64_C(1) << 20)

enum tag { HISTOGRAM, ARCS };

static bool sprof_matches(const unsigned char *head, size_t size, uint64_t all)
{
    static const unsigned char little[] = {0xff, 0xff, 1, 0}, big[] = {0, 1, 0xff, 0xff};

    (void)all;
    return size >= HEADER && memcmp(head, MAGIC, 4) == 0 &&
           (memcmp(head + 4, little, 4) == 0 || memcmp(head + 4, big, 4) == 0);
}

static uint64_t arc_size(uint32_t pointer_size)
{
    return 2 * pointer_size + 4;
}

static uint64_t arcs_for(uint64_t text)
{
    uint64_t arcs = text * 3 / 100;

    return arcs < ARCS_MIN ? ARCS_MIN : arcs > ARCS_MAX ? ARCS_MAX : arcs;
}

/* Returns how many bytes of the file are reserved for arcs. The linker multiplies the number of arcs by the size of an
 * arc, and multiplies the result by the size of an entry in an internal table. So most of these bytes are never
 * used. */
static uint64_t room_for(uint64_t text, uint32_t pointer_size)
{
    return arcs_for(text) * (2 * pointer_size) * arc_size(pointer_size);
}

/* Returns the size of the whole file in bytes. */
static uint64_t size_for(uint64_t text, uint32_t pointer_size)
{
    return HEADER + TAG + 2 * pointer_size + 8 + NAMES_SIZE + text / 2 + TAG + 4 + room_for(text, pointer_size);
}

/* --- reading ----------------------------------------------------------------------------- */

/* Reads the arcs. Their addresses are relative to the start of the text. If the address of a caller is 0, the caller is
 * in another object. */
static int read_arcs(struct bytes *bytes, uint64_t low, uint64_t most, struct histogram_file *file)
{
    uint64_t tag = bytes_get(bytes, TAG), count = bytes_get(bytes, 4);
    int error = 0;

    if (tag != ARCS || count > most)
        return PPROFIL_ERROR_DAMAGED;
    for (uint64_t i = 0; error == 0 && i < count; i++) {
        uint64_t from = bytes_get_pointer(bytes), self = bytes_get_pointer(bytes);
        error = histogram_add_arc(file, from == 0 ? 0 : from + low, self + low, bytes_get(bytes, 4));
    }
    return error;
}

static int read_as(struct bytes bytes, struct histogram_file *file)
{
    uint64_t size = bytes_left(&bytes);

    bytes_take(&bytes, HEADER);
    uint64_t tag = bytes_get(&bytes, TAG);
    uint64_t low = bytes_get_pointer(&bytes), high = bytes_get_pointer(&bytes);
    uint64_t count = bytes_get(&bytes, 4), rate = bytes_get(&bytes, 4);
    const unsigned char *names = bytes_take(&bytes, NAMES_SIZE);
    if (names == NULL || memcmp(names, NAMES, NAMES_SIZE) != 0 || tag != HISTOGRAM || low >= high ||
        high - low > BYTES_SIZE_MAX || (high - low) % 4 != 0 || count != (high - low) / 4 ||
        size != size_for(high - low, bytes.pointer_size))
        return PPROFIL_ERROR_DAMAGED;
    file->dialect = dialect_find("glibc");
    file->pointer_size = bytes.pointer_size;
    file->big_endian = bytes.big_endian;
    file->rate_hz = (double)rate;
    struct histogram *histogram = histogram_add(file, low, high, DIALECT_ONE_TO_ONE / 2, 2, count);
    if (histogram == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < count; i++) {
        histogram->counters[i] = bytes_get(&bytes, 2);
        file->ticks += histogram->counters[i];
    }
    return read_arcs(&bytes, low, arcs_for(high - low), file);
}

int sprof_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    int error = PPROFIL_ERROR_DAMAGED;

    if (!sprof_matches(bytes, size, size))
        return PPROFIL_ERROR_DAMAGED;
    for (uint32_t pointer_size = 8; error == PPROFIL_ERROR_DAMAGED && pointer_size >= 4; pointer_size -= 4)
        error = read_as(bytes_of(bytes, size, pointer_size, bytes[4] == 0), file);
    return error;
}

/* --- writing ----------------------------------------------------------------------------- */

static void put_arcs(struct bytes_out *out, const struct histogram_file *file, uint64_t low, uint64_t text)
{
    uint64_t most = arcs_for(text), count = file->arc_count < most ? file->arc_count : most;

    bytes_put(out, ARCS, TAG);
    bytes_put(out, count, 4);
    for (uint64_t i = 0; i < count; i++) {
        const struct histogram_arc *arc = &file->arcs[i];
        bytes_put_pointer(out, arc->from < low ? 0 : arc->from - low);
        bytes_put_pointer(out, arc->self - low);
        bytes_put(out, arc->count < UINT32_MAX ? arc->count : UINT32_MAX, 4);
    }
    bytes_put_zeros(out, room_for(text, out->pointer_size) - count * arc_size(out->pointer_size));
}

int sprof_write(int fd, const struct histogram_file *file)
{
    const struct histogram *histogram = histogram_single(file, 4);
    struct bytes_out out;

    if (histogram == NULL || histogram->low % 4 != 0)
        return PPROFIL_ERROR_COUNTERS;
    /* the dynamic linker counts whole pages of text */
    uint64_t low = histogram->low & ~(PAGE - 1), high = (histogram->high + PAGE - 1) & ~(PAGE - 1);
    bytes_begin(&out, fd, file->pointer_size, file->big_endian);
    bytes_put_all(&out, MAGIC, 4);
    bytes_put(&out, FILE_VERSION, 4);
    bytes_put_zeros(&out, HEADER - 8);
    bytes_put(&out, HISTOGRAM, TAG);
    bytes_put_pointer(&out, low);
    bytes_put_pointer(&out, high);
    bytes_put(&out, (high - low) / 4, 4);
    bytes_put(&out, RATE, 4);
    bytes_put_all(&out, NAMES, NAMES_SIZE);
    bytes_put_zeros(&out, (histogram->low - low) / 2);
    for (uint64_t i = 0; i < histogram->count; i++)
        bytes_put(&out, histogram_cut(file, 2, histogram->counters[i]), 2);
    bytes_put_zeros(&out, (high - histogram->high) / 2);
    put_arcs(&out, file, low, high - low);
    return bytes_finish(&out);
}

static const struct codec codec = {
    .dialect = "glibc", .single = true, .rate_hz = RATE, .counter_size = 2, .read = sprof_read,
    .write = sprof_write};

const struct format format_sprof = {
    .name = "sprof",
    .extensions = ".profile",
    .summary = "what LD_PROFILE makes, for sprof; a file for each object",
    .keeps = "ticks for every four bytes of one object's code",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states, the rate",
    .matches = sprof_matches,
    .codec = &codec,
};
