/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "base/plain.h"
#include "base/utf8.h"

bool plain_is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

bool plain_is_safe(uint32_t character)
{
    return character >= 0x20 && !(character >= 0x7f && character <= 0x9f) && character != 0x61c &&
           !(character >= 0x200b && character <= 0x200f) &&
           !(character >= 0x2028 && character <= 0x202e) &&
           !(character >= 0x2060 && character <= 0x206f) && character != 0xfeff &&
           (character & 0xfffe) != 0xfffe;
}

void plain_make(char *text, const char *kept)
{
    char *to = text;

    for (const char *at = text, *from; *(from = at) != '\0';) {
        bool safe = plain_is_safe(utf8_take(&at)) || strchr(kept, *from) != NULL;
        size_t size = safe ? (size_t)(at - from) : 1;
        memmove(to, safe ? from : "?", size);
        to += size;
    }
    *to = '\0';
}

void plain_put(FILE *out, const char *text)
{
    for (const char *at = text, *from; *(from = at) != '\0';)
        if (plain_is_safe(utf8_take(&at)))
            fwrite(from, 1, (size_t)(at - from), out);
        else
            putc('?', out);
}
