/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "symbol/plain.h"

bool plain_is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

void plain_make(char *text, const char *kept)
{
    for (; *text != '\0'; text++)
        if (plain_is_control(*text) && strchr(kept, *text) == NULL)
            *text = '?';
}
