/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprof: reads and writes profile.proto, the file format of pprof.
 *
 * The format has no field for some contents of a profile. The writer puts them into comments of one line each, which
 * other tools show or ignore:
 *
 *    pprofil: totals asked_nhz=N (nanohertz) KEY=NUMBER ... (struct profile_totals)
 *    pprofil: command TEXT
 *    pprofil: process pid=N ppid=N generation=N start=N end=N status=N cpu_ns=N comm=TEXT
 *    pprofil: object mapping=N kind=N device=N inode=N pid=N generation=N deleted=N
 *             and invented=1 if addresses are made up
 *    pprofil: timeline start=N slot_ns=N at=SLOT cpu_us=N,N,... (CPU time of slot SLOT and the slots after it)
 *
 * Samples have these labels: pid, tid, generation (of the process image, if not 0), comm (of the thread), process (the
 * comm of the process, if it differs), syscall, abi ("compat" for system calls of the 32-bit ABI), and state
 * (profile_state_name, except for "running").
 */
#ifndef PPROFIL_PPROF_H
#define PPROFIL_PPROF_H

#include "format/format.h"
#include "format/memo.h"
#include "format/pprof/profile.pb-c.h"

typedef Perftools__Profiles__Profile PbProfile;
typedef Perftools__Profiles__ValueType PbValueType;
typedef Perftools__Profiles__Sample PbSample;
typedef Perftools__Profiles__Label PbLabel;
typedef Perftools__Profiles__Mapping PbMapping;
typedef Perftools__Profiles__Location PbLocation;
typedef Perftools__Profiles__Line PbLine;
typedef Perftools__Profiles__Function PbFunction;

#define PPROF_SIZE_MAX (1u << 30) /* limit for an unpacked file, bytes: a larger file is an attack or a mistake */

/* Are addresses in an object of this kind offsets in a file? Otherwise they are addresses in memory. */
static inline bool pprof_relative(enum profile_object_kind kind)
{
    return kind == PROFILE_OBJECT_FILE || kind == PROFILE_OBJECT_VDSO;
}

/* The function `write` of format_pprof. */
int pprof_write(int fd, const struct profile *profile);

/* --- messages ------------------------------------------------------------------------ */

/* Reads the message of a file, gzip'd or plain. Returns 0, -errno or PPROFIL_ERROR_DAMAGED. The caller unloads the
 * message. */
int pprof_load(const char *path, PbProfile **message);
void pprof_unload(PbProfile *message);
/* Writes a message gzip'd to an open descriptor. Returns 0 or -errno. */
int pprof_store(int fd, const PbProfile *message);

/* Indexes of the values that are read from each sample; -1: none. */
struct pprof_values {
    int count, time, wall;
    uint64_t unit; /* nanoseconds in the unit of time */
};
/* Chooses the values that are read. The message has at least one value. The time is the value "cpu". If there is no
 * such value, the time is the value that the file declares as default, or else the last value. In files of other
 * programs this value may count bytes. The count is the value "samples", or else the last value before the time whose
 * unit is "count". */
void pprof_choose_values(const PbProfile *message, struct pprof_values *values);
/* Does a value have this type and unit? A type or unit of NULL means any. */
bool pprof_is_type(const PbProfile *message, const PbValueType *value, const char *type, const char *unit);

/* --- comments ------------------------------------------------------------------------ */

/* Return the text of the comment about the totals, the command, a process or an object. The caller frees it; NULL: no
 * memory. */
char *pprof_encode_totals(const struct profile *profile);
char *pprof_encode_command(const struct profile *profile);
char *pprof_encode_process(const struct profile *profile, uint32_t process);
char *pprof_encode_object(const struct profile *profile, uint32_t object, uint64_t mapping);
/* Returns a comment about the slots of the timeline from *slot on; the caller frees it. Moves *slot to the first slot
 * of the next comment. Slots without CPU time may be skipped. */
char *pprof_encode_timeline(const struct profile *profile, uint32_t *slot);

enum pprof_comment {
    PPROF_OF_OTHERS,
    PPROF_TOTALS,
    PPROF_COMMAND,
    PPROF_PROCESS,
    PPROF_OBJECT,
    PPROF_TIMELINE,
};
/* Returns the kind of a comment. Moves *text behind the words that show the kind. */
enum pprof_comment pprof_comment_kind(const char **text);
/* Returns the number of KEY=NUMBER in a comment's text, or 0. */
uint64_t pprof_number(const char *text, const char *key);
/* Put the contents of a comment into the profile. text begins behind the words that pprof_comment_kind skips. Functions
 * with a result return 0 or -errno. */
void pprof_decode_totals(const char *text, struct profile *profile);
int pprof_decode_command(const char *text, struct profile *profile);
/* Adds a process, and sets *index to its index. */
int pprof_decode_process(const char *text, struct profile *profile, uint32_t *index);
/* Adds the slots of a timeline comment. Slots that contradict earlier comments are ignored. */
int pprof_decode_timeline(const char *text, struct profile *profile);

/* --- reading ------------------------------------------------------------------------- */

/* An entry of the file that has an id. An id is any 64-bit number except 0. */
struct pprof_id {
    uint64_t id;
    uint32_t index;  /* index in the profile; index in the message until the entry is read */
    uint32_t object; /* of a function: index + 1 of its object; 0: not known yet */
    uint64_t shift;  /* of a mapping: added to an address in the file, gives the address in the object */
};

struct pprof_ids {
    struct pprof_id *sorted; /* owned; sorted by id */
    size_t count;
};

/* The kinds of keys in the memo of a reader. */
enum pprof_memo_kind { PPROF_MEMO_PROCESS, PPROF_MEMO_THREAD };

struct pprof_reader {
    const PbProfile *message;
    struct profile *profile;
    uint32_t *strings; /* by index in the file: index + 1 in the profile; 0: not used yet */
    struct pprof_ids mappings, functions, locations;
    struct pprof_ids notes; /* mapping id -> string of the comment about its object */
    struct memo memo;
    struct pprof_values values;
    uint64_t made_up; /* next invented address to try */
};

/* Makes an empty array with room for count ids. Returns 0 or -ENOMEM; the caller frees sorted. */
int pprof_ids_make(struct pprof_ids *ids, size_t count);
/* Sorts the ids. Returns 0, or PPROFIL_ERROR_DAMAGED if an id is 0 or occurs twice. */
int pprof_ids_sort(struct pprof_ids *ids);
/* Returns the entry with this id; NULL: there is none. */
struct pprof_id *pprof_ids_find(const struct pprof_ids *ids, uint64_t id);

/* Returns a string of the file; NULL: there is none at this index. */
const char *pprof_text_at(const struct pprof_reader *reader, int64_t index);
/* Adds a string of the file to the profile. Returns 0, PPROFIL_ERROR_DAMAGED (no string has this index), -ENOMEM or
 * -EOVERFLOW. */
int pprof_read_string(const struct pprof_reader *reader, int64_t index, uint32_t *string);
/* Finds or adds a generation of a process. comm: string with the name of a new generation; 0: "[unknown]". */
int pprof_find_process(struct pprof_reader *reader, uint32_t pid, uint32_t generation, uint32_t comm, uint32_t *index);

/* Reads the tables that samples refer to: mappings, functions and locations, in this order. Returns 0,
 * PPROFIL_ERROR_DAMAGED, -ENOMEM or -EOVERFLOW. */
int pprof_read_tables(struct pprof_reader *reader);
/* Finds or adds the object for all code that is in no mapping. Returns 0, -ENOMEM or -EOVERFLOW. */
int pprof_unknown_object(const struct pprof_reader *reader, uint32_t *index);

/* --- writing (pprof-message.c) --------------------------------------------------------- */

/*
 * A message while it is made. The id of a function or a location is its index in the profile. The id of a mapping is
 * the index of its object plus 1.
 *
 * Most of the message is in one arena. When memory runs out, out_of_memory is set, and pprof_allocate returns the bytes
 * `nowhere`, whose contents are never used. So callers need not check each step. A message that ran out of memory is
 * discarded at the end.
 */
struct pprof_writer {
    const struct profile *profile;
    struct pprof_block *blocks; /* owned: the arena */
    bool out_of_memory;
    PbProfile message;
    struct memo elsewhere; /* (function, file of a line) -> id of a copy of the function, with this file */
    int64_t *string_ids;   /* index in the message, by string of the profile; 0: not written yet */
    PbMapping *mappings;   /* the message's mappings, by object */
    _Alignas(16) unsigned char nowhere[256];
};

/* Begins an empty message. Returns 0 or -ENOMEM. The caller clears the writer in either case. */
int pprof_writer_begin(struct pprof_writer *writer, const struct profile *profile);
void pprof_writer_clear(struct pprof_writer *writer);

/* Returns memory of the arena, all 0. The result is never NULL if size is at most sizeof nowhere. */
void *pprof_allocate(struct pprof_writer *writer, size_t size);
/* Returns a table of count entries of size entry. Sets *pointers to an array with a pointer to each entry, which
 * protobuf-c needs. NULL: no memory. */
void *pprof_allocate_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers);
/* Calls array_grow for an array outside the arena. Returns false if this, or any earlier allocation of writer,
 * fails. */
bool pprof_grow(struct pprof_writer *writer, void *array, size_t count, size_t element);

/* Adds a text to the strings of the message and returns its index. Strings of protobuf must be UTF-8, but file names
 * need not be. So each byte that is not UTF-8 becomes U+FFFD. */
int64_t pprof_add_string(struct pprof_writer *writer, const char *text);
/* Returns the index in the message of a string of the profile. Adds the string the first time. */
int64_t pprof_string_index(struct pprof_writer *writer, uint32_t string);
/* Adds a comment, and frees the text. text NULL: there was no memory for it. */
void pprof_add_comment(struct pprof_writer *writer, char *text);

/* Writes mappings, functions and locations, with the comments about objects. */
void pprof_write_tables(struct pprof_writer *writer);

#endif
