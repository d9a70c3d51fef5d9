/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/utf8.h"

uint32_t utf8_take(const char **at)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const unsigned char *text = (const unsigned char *)(*at)++;

    for (unsigned size = 1; size <= 4; size++) {
        if ((text[0] & forms[size - 1].mask) != forms[size - 1].lead)
            continue;
        uint32_t character = text[0] & (unsigned char)~forms[size - 1].mask;
        for (unsigned i = 1; i < size; i++) {
            if ((text[i] & 0xc0) != 0x80) /* a zero byte ends it too */
                return UTF8_NONE;
            character = character << 6 | (text[i] & 0x3fu);
        }
        if (character < forms[size - 1].least || character > 0x10ffff ||
            (character >= 0xd800 && character <= 0xdfff))
            return UTF8_NONE;
        *at = (const char *)text + size;
        return character;
    }
    return UTF8_NONE;
}
