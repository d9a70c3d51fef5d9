/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * meta: FILE.meta, which lies beside a file of an old system and holds what that has no room for. Lines of text:
 *
 *   size BYTES             of the file, so that another one in its place is noticed
 *   pid PID                of the process
 *   hz NUMBER              ticks per second
 *   module START END PATH  what was mapped where, hexadecimal
 *   calls 1                kpdata: the cells are of system calls, by number, not of text
 *
 * Lines of other words, and those that begin with #, are for people and later versions.
 */
#ifndef PPROFIL_META_H
#define PPROFIL_META_H

#include "format/codec.h"

/* Does a file of this format leave out what a histogram has? */
bool meta_is_needed(const struct codec *codec, const struct histogram_file *file);

/* Writes PATH.meta for a file of so many bytes. 0 or -errno. */
int meta_write(const char *path, const struct histogram_file *file, uint64_t size);

/* Adds what PATH.meta says to what was read from a file of so many bytes at PATH. Nothing where there is none, and
 * where it is about a file of another size. 0 or -ENOMEM. */
int meta_read(const char *path, uint64_t size, struct histogram_file *file);
/* The same from the text itself. */
int meta_parse(const char *text, uint64_t size, struct histogram_file *file);

#endif
