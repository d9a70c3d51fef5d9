/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes and encodes UTF-8, and makes texts harmless: see utf8.h. */
#include "config.h"

#include <string.h>

#include "base/utf8.h"

uint32_t utf8_decode(const char **at)
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
            if ((text[i] & 0xc0) != 0x80) /* true for the NUL at the end of the text, too */
                return UTF8_NONE;
            character = character << 6 | (text[i] & 0x3fu);
        }
        if (character < forms[size - 1].least || character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
            return UTF8_NONE;
        *at = (const char *)text + size;
        return character;
    }
    return UTF8_NONE;
}

size_t utf8_encode(uint32_t character, char bytes[4])
{
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

    for (size_t i = size - 1; i > 0; i--, character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3f));
    bytes[0] = (char)(leads[size] | character);
    return size;
}

bool utf8_is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

bool utf8_is_harmless(uint32_t character)
{
    return character >= 0x20 && !(character >= 0x7f && character <= 0x9f) && character != 0x61c &&
           !(character >= 0x200b && character <= 0x200f) && !(character >= 0x2028 && character <= 0x202e) &&
           !(character >= 0x2060 && character <= 0x206f) && character != 0xfeff && (character & 0xfffe) != 0xfffe;
}

void utf8_make_harmless(char *text, const char *kept)
{
    char *to = text;

    for (const char *at = text, *from; *(from = at) != '\0';) {
        bool safe = utf8_is_harmless(utf8_decode(&at)) || strchr(kept, *from) != NULL;
        size_t size = safe ? (size_t)(at - from) : 1;
        memmove(to, safe ? from : "?", size);
        to += size;
    }
    *to = '\0';
}

void utf8_print_harmless(FILE *out, const char *text)
{
    for (const char *at = text, *from; *(from = at) != '\0';)
        if (utf8_is_harmless(utf8_decode(&at)))
            fwrite(from, 1, (size_t)(at - from), out);
        else
            putc('?', out);
}
