/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plain: names and lines from others' files and processes go to terminals, which obey control
 * characters: those of ASCII, and U+0080 to U+009F, of which U+009B begins a sequence as ESC [
 * does. Marks of direction and of no width let a text look like another. Bytes that are no UTF-8
 * are what the terminal takes them for.
 */
#ifndef PPROFIL_BASE_PLAIN_H
#define PPROFIL_BASE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ASCII's control characters. */
bool plain_is_control(char byte);
/* Is the character harmless? UTF8_NONE is not. */
bool plain_is_safe(uint32_t character);
/* What is not harmless becomes '?', which may make the text shorter; bytes in kept stay. */
void plain_make(char *text, const char *kept);
/* Prints a text so; it stays as it is. */
void plain_put(FILE *out, const char *text);

#endif
