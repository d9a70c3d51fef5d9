/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fit-name: shortens names of functions and paths, so that they fit into a terminal.
 *
 * Short names have no arguments of templates and no parameters: vector<int, allocator<int>>::push_back(int const&)
 * becomes vector<>::push_back. A name that is still too long loses its middle, because names of one program often begin
 * alike, and their ends say what they do. A path loses its beginning.
 */
#ifndef PPROFIL_BASE_FIT_NAME_H
#define PPROFIL_BASE_FIT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of characters of a UTF-8 text, as an estimate of its width in columns. */
size_t fit_width(const char *text);
/* Writes a name without arguments of templates and without parameters. */
void fit_short_name(const char *name, char *text, size_t size);
/* Write a text of at most `width` characters. A name loses its middle, a path its beginning. */
void fit_name(const char *text, size_t width, bool utf8, char *to, size_t size);
void fit_path(const char *text, size_t width, bool utf8, char *to, size_t size);

#endif
