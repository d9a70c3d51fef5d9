/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* utf8: characters of texts that may be anything (RFC 3629). */
#ifndef PPROFIL_BASE_UTF8_H
#define PPROFIL_BASE_UTF8_H

#include <stdint.h>

#define UTF8_NONE 0xffffffffu

/* Takes a character; *at moves behind it. Of what is none (overlong forms and surrogates too) one
 * byte is taken, for UTF8_NONE. Not to be called at the end of the text. */
uint32_t utf8_take(const char **at);

#endif
