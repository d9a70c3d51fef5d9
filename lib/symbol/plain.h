/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plain: names and lines from others' files and processes go to terminals, which obey controls. */
#ifndef PPROFIL_SYMBOL_PLAIN_H
#define PPROFIL_SYMBOL_PLAIN_H

#include <stdbool.h>

/* ASCII's: bytes of UTF-8 are none, and no terminal of that takes the others for themselves. */
bool plain_is_control(char byte);
/* Each control character becomes '?'; those in kept stay. */
void plain_make(char *text, const char *kept);

#endif
