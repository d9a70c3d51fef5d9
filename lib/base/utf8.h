/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * utf8: decodes and encodes UTF-8 (RFC 3629), and makes untrusted texts harmless.
 *
 * Names and lines from other people's files and processes go to terminals, which obey control characters. Control
 * characters are those of ASCII, and U+0080 to U+009F (U+009B begins a sequence as ESC [ does). Marks of direction, and
 * characters without width, can make a text look like another one. A terminal may interpret bytes that are not UTF-8 in
 * any way.
 */
#ifndef PPROFIL_BASE_UTF8_H
#define PPROFIL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_NONE 0xffffffffu
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Decodes the character at *at, and moves *at behind it. If no valid character begins there, returns UTF8_NONE and
 * moves *at by one byte. Overlong forms and surrogates are not valid. *at must not be at the end of its text. */
uint32_t utf8_decode(const char **at);

/* Writes a character, at most U+10FFFF, without a NUL at the end. Returns the number of its bytes, 1 to 4. */
size_t utf8_encode(uint32_t character, char bytes[4]);

/* Returns true if the byte is a control character of ASCII. */
bool utf8_is_control(char byte);

/* Returns true if the character is harmless on a terminal. UTF8_NONE is not harmless. */
bool utf8_is_harmless(uint32_t character);

/* Replaces each character that is not harmless by "?", which may make the text shorter. ASCII characters that are in
 * the string `kept` are not replaced. */
void utf8_make_harmless(char *text, const char *kept);

/* Prints a text, with a "?" in place of each character that is not harmless. */
void utf8_print_harmless(FILE *out, const char *text);

#endif
