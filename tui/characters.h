/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * characters: texts that other people wrote (names, sources, a program's output) as characters that
 * are safe to show, and the columns that they take. The locale does not matter.
 */
#ifndef TUI_CHARACTERS_H
#define TUI_CHARACTERS_H

#include <stdint.h>

/* Returns the next character (Unicode) and its columns, 0 to 2, and moves *at behind it, but
 * never past the end. Control characters and what is not UTF-8 become '?'. At the end of the
 * text it returns 0. */
uint32_t character_next(const char **at, int *width);
/* Returns the columns of a text, at most most. */
int characters_width(const char *text, int most);

#endif
