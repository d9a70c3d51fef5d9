/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * meta: FILE.meta, which lies beside a file of an old system and holds what that has no room for. Lines of text:
 *
 *   sum NUMBER             of the file's bytes (base/fnv.h), hexadecimal: another one in its place is noticed
 *   pid PID                of the process
 *   hz NUMBER              ticks per second
 *   module START END PATH  what was mapped where, hexadecimal
 *   calls CELLS            kpdata of so many cells: they are of system calls, by number, not of text
 *
 * Lines of other words, and those that begin with #, are for people and later versions.
 */
#ifndef PPROFIL_META_H
#define PPROFIL_META_H

#include "format/profil/codec.h"

/* Does a file of this format leave out what a histogram has? */
bool meta_is_needed(const struct codec *codec, const struct histogram_file *file);

/* Writes PATH.meta for the file at PATH. 0 or -errno. */
int meta_write(const char *path, const struct histogram_file *file);
/* There is another file at PATH, which needs none: one that lies there still is removed. */
void meta_remove(const char *path);

/* Adds what PATH.meta says to what was read from a file at PATH that has these bytes. Nothing where there is none,
 * where it is about other bytes, and where it is another user's than ours, root's or the file's. 0 or -ENOMEM. */
int meta_read(const char *path, const void *bytes, size_t size, struct histogram_file *file);
/* The same from the text itself. sum: of the file's bytes. */
int meta_parse(const char *text, uint64_t sum, struct histogram_file *file);

#endif
