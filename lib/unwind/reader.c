/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads DWARF's numbers (version 5, section 7.6) from bytes that may end anywhere. */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

const uint8_t *reader_skip(struct reader *reader, uint64_t size)
{
    const uint8_t *here = reader->at;

    if (reader->failed || size > (uint64_t)(reader->end - reader->at)) {
        reader->failed = true;
        reader->at = reader->end;
        return NULL;
    }
    reader->at += size;
    return here;
}

uint64_t reader_fixed(struct reader *reader, size_t size)
{
    uint64_t value = 0;
    const uint8_t *bytes = reader_skip(reader, size);

    if (bytes != NULL)
        memcpy(&value, bytes, size);
    return value;
}

static int64_t reader_extend(uint64_t value, unsigned bits)
{
    if (bits < 64 && (value >> (bits - 1) & 1) != 0)
        value |= ~UINT64_C(0) << bits;
    return (int64_t)value;
}

int64_t reader_signed(struct reader *reader, size_t size)
{
    return reader_extend(reader_fixed(reader, size), (unsigned)size * 8);
}

/* Reads a LEB128 number. *bits becomes how many bits were read. Bits above the 64th are dropped:
 * they can only be padding. */
static uint64_t reader_leb(struct reader *reader, unsigned *bits)
{
    uint64_t value = 0;
    const uint8_t *byte;

    *bits = 0;
    do {
        byte = reader_skip(reader, 1);
        if (byte == NULL)
            return 0;
        if (*bits < 64) {
            value |= (uint64_t)(*byte & 0x7f) << *bits;
            *bits += 7;
        }
    } while ((*byte & 0x80) != 0);
    return value;
}

uint64_t reader_uleb(struct reader *reader)
{
    unsigned bits;
    return reader_leb(reader, &bits);
}

int64_t reader_sleb(struct reader *reader)
{
    unsigned bits;
    uint64_t value = reader_leb(reader, &bits);
    return bits == 0 ? 0 : reader_extend(value, bits);
}
