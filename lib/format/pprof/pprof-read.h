/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the reader of profile.proto share. */
#ifndef PPROFIL_PPROF_READ_H
#define PPROFIL_PPROF_READ_H

#include "format/pprof-tables.h"
#include "format/pprof/pprof.h"

struct pprof_reader {
    const PbProfile *message;
    struct profile *profile;
    uint32_t *strings; /* index + 1 in the profile of the file's strings; 0: not needed yet */
    struct entries mappings, functions, locations;
    struct entries notes; /* mapping id -> string of the comment about its object */
    struct memo memo;
    struct pprof_values values;
    uint64_t made_up; /* the next address to try where there are none */
};

/* A string of the file; NULL: there is none with this number. */
const char *pprof_text_at(const struct pprof_reader *reader, int64_t index);
/* The same string in the profile. 0, -EBADMSG: there is none; -ENOMEM, ... */
int pprof_take_string(const struct pprof_reader *reader, int64_t index, uint32_t *string);
/* The process image, added where it is not known; comm 0: "[unknown]". */
int pprof_find_process(struct pprof_reader *reader, uint32_t pid, uint32_t generation,
                       uint32_t comm, uint32_t *index);

/* --- pprof-read-tables.c ------------------------------------------------------------- */

/* Reads what samples refer to: mappings, functions and locations, in this order. 0, -EBADMSG or
 * -ENOMEM, ... */
int pprof_read_tables(struct pprof_reader *reader);
/* The object of what is in none. */
int pprof_need_unknown(const struct pprof_reader *reader, uint32_t *index);

#endif
