/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * characters: bytes that others wrote (names, sources, a program's output) as characters that are safe
 * to show, and the columns they take. No locale has a say in it.
 */
#ifndef TUI_CHARACTERS_H
#define TUI_CHARACTERS_H

#include <stdint.h>

/* The next character, Unicode, and its columns (0 to 2); *at is moved past its bytes, which is
 * never past the end. What is no UTF-8, no character or a control character is a '?'. At the end
 * of the text: 0. */
uint32_t character_next(const char **at, int *width);
/* The columns of a whole text; of one that is wider than most, most. */
int characters_width(const char *text, int most);

#endif
