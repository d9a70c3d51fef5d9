/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes the array of pcsample(2), exactly as it is in memory: pcs and nothing else. The contents of a file
 * do not show that it has this format, so the name of the file must show it, or the user must name the format. The
 * reader chooses the width and the byte order with which all pcs are plausible addresses.
 */
#include "config.h"

#include <errno.h>

#include "format/profil/profil.h"

#define TOP_BITS 47u /* on 64-bit systems, this bit of an address and all higher bits are equal */

static bool are_addresses(struct bytes bytes)
{
    if (bytes_left(&bytes) % bytes.pointer_size != 0)
        return false;
    while (bytes_left(&bytes) > 0) {
        uint64_t top = bytes_get_pointer(&bytes) >> TOP_BITS;
        if (top != 0 && top != UINT64_MAX >> TOP_BITS)
            return false;
    }
    return true;
}

/* Returns the distance between the lowest and the highest pc. With the right byte order this distance is smaller than
 * with the wrong one, because the text of a program is small compared with the range of all 32-bit addresses. */
static uint64_t address_range(struct bytes bytes)
{
    uint64_t low = UINT64_MAX, high = 0;

    while (bytes_left(&bytes) > 0) {
        uint64_t pc = bytes_get_pointer(&bytes);
        if (pc != 0 && pc < low)
            low = pc;
        if (pc > high)
            high = pc;
    }
    return high > low ? high - low : 0;
}

static bool guess_pointers(const unsigned char *bytes, size_t size, struct bytes *all)
{
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        *all = bytes_of(bytes, size, 8, big_endian != 0);
        if (are_addresses(*all))
            return true;
    }
    if (size % 4 != 0)
        return false;
    struct bytes other = bytes_of(bytes, size, 4, true);
    *all = bytes_of(bytes, size, 4, false);
    if (address_range(other) < address_range(*all))
        *all = other;
    return true;
}

/* Reads the pcs. Leaves out zeros at the end, because they are the part of the array that was not used. */
int pcsample_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    struct bytes all;
    int error = 0;

    if (!guess_pointers(bytes, size, &all))
        return PPROFIL_ERROR_DAMAGED;
    file->dialect = dialect_find("pcsample");
    file->pointer_size = all.pointer_size;
    file->big_endian = all.big_endian;
    while (error == 0 && bytes_left(&all) > 0)
        error = histogram_add_pcs(file, bytes_get_pointer(&all), 1);
    while (file->pc_count > 0 && file->pcs[file->pc_count - 1] == 0)
        file->pc_count--;
    file->ticks = file->pc_count;
    return error;
}

int pcsample_write(int fd, const struct histogram_file *file)
{
    struct bytes_out out;

    if (file->histogram_count > 0)
        return PPROFIL_ERROR_COUNTERS;
    bytes_begin(&out, fd, file->pointer_size, file->big_endian);
    for (size_t i = 0; i < file->pc_count; i++)
        bytes_put_pointer(&out, file->pcs[i]);
    return bytes_finish(&out);
}

static const struct codec codec = {
    .dialect = "pcsample", .rate_hz = 100, .read = pcsample_read, .write = pcsample_write};

const struct format format_pcsample = {
    .name = "pcsample",
    .extensions = "pcsample.out .pcsample",
    .summary = "pcsample's array of raw pcs; a file for each object",
    .keeps = "addresses of samples in one object",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states, the rate",
    .codec = &codec,
};
