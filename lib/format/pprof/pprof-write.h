/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprof-write: what the files that make a message share. The tree is built in one arena; ids are
 * table indexes plus one.
 *
 * Memory may run out anywhere while the tree is built: the arena then gives out a place of no
 * use, and the tree is thrown away at the end instead of being checked at every step.
 */
#ifndef PPROFIL_PPROF_WRITE_H
#define PPROFIL_PPROF_WRITE_H

#include "format/pprof-tables.h"
#include "format/pprof/pprof.h"

struct pprof_block {
    struct pprof_block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

struct pprof_writer {
    const struct profile *profile;
    struct pprof_block *blocks;
    bool out_of_memory;
    PbProfile message;
    struct memo elsewhere; /* ids of functions with code from another file, by both */
    int64_t *string_ids;   /* of the profile's strings; 0: not written yet */
    PbMapping *mappings;   /* by object */
    _Alignas(16) unsigned char nowhere[256];
};

/* Begins an empty message. 0 or -ENOMEM; to be ended by pprof_writer_clear in any case. */
int pprof_writer_begin(struct pprof_writer *writer, const struct profile *profile);
void pprof_writer_clear(struct pprof_writer *writer);

/* Zeroed memory that lives as long as the writer; NULL only for what is larger than nowhere. */
void *pprof_take(struct pprof_writer *writer, size_t size);
/* A table of count entries and, in *pointers, the array of pointers to them that protobuf-c wants;
 * NULL: no memory. */
void *pprof_take_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers);
/* array_grow for an array that is not in the arena. False: no memory, now or before. */
bool pprof_grow(struct pprof_writer *writer, void *array, size_t count, size_t element);

/* The index of a copy of a text, clean; of a string of the profile's, which is copied once. */
int64_t pprof_add_string(struct pprof_writer *writer, const char *text);
int64_t pprof_put_string(struct pprof_writer *writer, uint32_t string);
/* Takes the text over, as pprof_say_... made it; NULL: there was no memory. */
void pprof_add_comment(struct pprof_writer *writer, char *text);

/* Mappings, functions and locations, with the comments about objects. */
void pprof_put_tables(struct pprof_writer *writer);

#endif
