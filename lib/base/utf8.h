/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * utf8: texts that anybody may have written, as characters (RFC 3629) and made harmless.
 *
 * Names and lines that come from other people's files and processes go to terminals, which obey control characters:
 * those of ASCII, and U+0080 to U+009F (U+009B begins a sequence as ESC [ does). Marks of direction and characters
 * without width make a text look like another one. Bytes that are not UTF-8 are whatever the terminal takes them for.
 */
#ifndef PPROFIL_BASE_UTF8_H
#define PPROFIL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_NONE 0xffffffffu
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Decodes the character at *at, and moves *at behind it. Returns UTF8_NONE, and moves by one byte, where no character
 * begins: overlong forms and surrogates are none either. *at must not be at the end of its text. */
uint32_t utf8_decode(const char **at);

/* Writes a character up to U+10FFFF, without a NUL. Returns its bytes: 1 to 4. */
size_t utf8_encode(uint32_t character, char bytes[4]);

/* Is the byte a control character of ASCII? */
bool utf8_is_control(char byte);

/* Is the character harmless on a terminal? UTF8_NONE is not. */
bool utf8_is_harmless(uint32_t character);

/* Replaces all that is not harmless by '?', which may make the text shorter. Bytes that kept lists stay. */
void utf8_make_harmless(char *text, const char *kept);

/* Prints a text as utf8_make_harmless would make it. */
void utf8_print_harmless(FILE *out, const char *text);

#endif
