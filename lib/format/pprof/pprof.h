/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprof: what the reader and the writer of profile.proto share.
 *
 * The messages have no field for some of what a profile holds. It goes into comments, one line each, which other tools
 * show or ignore:
 *
 *   pprofil: totals asked_nhz=N (nanohertz) KEY=NUMBER ... (struct profile_totals)
 *   pprofil: command TEXT
 *   pprofil: process pid=N ppid=N generation=N start=N end=N status=N cpu_ns=N comm=TEXT
 *   pprofil: object mapping=N kind=N device=N inode=N pid=N generation=N deleted=N
 *            and invented=1 where addresses are made up
 *   pprofil: timeline start=N slot_ns=N at=SLOT cpu_us=N,N,... (of this slot and the following ones)
 *
 * Samples carry the labels pid, tid, generation (of the process image, if not 0), comm (the thread's), process (the
 * comm of its process, if it is another), syscall, abi ("compat" for system calls of the 32-bit ABI), and state
 * (profile_state_name, but not for "running").
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

#define PPROF_SIZE_MAX (1u << 30) /* bytes when unpacked: more is an attack or a mistake */

/* Addresses of these objects are offsets in a file; those of others are as mapped. */
static inline bool pprof_relative(enum profile_object_kind kind)
{
    return kind == PROFILE_OBJECT_FILE || kind == PROFILE_OBJECT_VDSO;
}

/* As read and write of struct format. */
int pprof_read(const char *path, struct profile *profile);
int pprof_write(int fd, const struct profile *profile);

/* --- messages ------------------------------------------------------------------------ */

/* Reads the message of a file, gzip'd or plain. 0 or -errno; the caller unloads it. */
int pprof_load(const char *path, PbProfile **message);
void pprof_unload(PbProfile *message);
/* Writes it gzip'd to an open descriptor. 0 or -errno. */
int pprof_store(int fd, const PbProfile *message);

/* Which of a sample's values are used, by index; -1: none. */
struct pprof_values {
    int count, time, wall;
    uint64_t unit; /* of time, in nanoseconds */
};
/* Chooses the values to read of a message, which has at least one. Time is CPU time if there is any, else what the file
 * says is to be shown, else the last value: in files of others it may be bytes. The count is that of samples, or else
 * the last count before that value. */
void pprof_choose_values(const PbProfile *message, struct pprof_values *values);
/* Does a value have this type and unit? NULL: any. */
bool pprof_is_type(const PbProfile *message, const PbValueType *value, const char *type, const char *unit);

/* --- comments ------------------------------------------------------------------------ */

/* The comments about totals, the command, a process and an object. The caller frees them; NULL: no memory. */
char *pprof_encode_totals(const struct profile *profile);
char *pprof_encode_command(const struct profile *profile);
char *pprof_encode_process(const struct profile *profile, uint32_t process);
char *pprof_encode_object(const struct profile *profile, uint32_t object, uint64_t mapping);
/* The comment about the slots of the timeline from *slot on. It moves *slot to the first slot of the next comment;
 * slots without CPU time may be left out. */
char *pprof_encode_timeline(const struct profile *profile, uint32_t *slot);

enum pprof_comment {
    PPROF_OF_OTHERS,
    PPROF_TOTALS,
    PPROF_COMMAND,
    PPROF_PROCESS,
    PPROF_OBJECT,
    PPROF_TIMELINE,
};
/* The kind of a comment. *text moves behind the words that say it. */
enum pprof_comment pprof_comment_kind(const char **text);
/* The number of KEY=NUMBER in a comment's text, or 0. */
uint64_t pprof_number(const char *text, const char *key);
/* Put what a comment's text says into the profile. 0 or -ENOMEM. */
void pprof_decode_totals(const char *text, struct profile *profile);
int pprof_decode_command(const char *text, struct profile *profile);
/* Adds a process, and returns its *index. */
int pprof_decode_process(const char *text, struct profile *profile, uint32_t *index);
/* Slots that contradict those of earlier comments are left out. */
int pprof_decode_timeline(const char *text, struct profile *profile);

/* --- reading ------------------------------------------------------------------------- */

/* What the file calls by an id, which is any 64-bit number but 0. */
struct pprof_id {
    uint64_t id;
    uint32_t index;  /* in the profile, or in the message as long as it is not read */
    uint32_t object; /* of a function: index + 1 of its object, 0: not known yet */
    uint64_t shift;  /* of a mapping: what its object's addresses are more than the file's */
};

struct pprof_ids {
    struct pprof_id *sorted; /* owned; by id */
    size_t count;
};

struct pprof_reader {
    const PbProfile *message;
    struct profile *profile;
    uint32_t *strings; /* by index in the file: index + 1 in the profile; 0: not needed yet */
    struct pprof_ids mappings, functions, locations;
    struct pprof_ids notes; /* mapping id -> string of the comment about its object */
    struct memo memo;
    struct pprof_values values;
    uint64_t made_up; /* the next address to try where there are none */
};

/* Makes room for count ids, none of which is in use yet. 0 or -ENOMEM; the caller frees sorted. */
int pprof_ids_make(struct pprof_ids *ids, size_t count);
/* Sorts them. PPROFIL_ERROR_DAMAGED: one is 0, or there are two of one. */
int pprof_ids_sort(struct pprof_ids *ids);
/* NULL: there is none. */
struct pprof_id *pprof_ids_find(const struct pprof_ids *ids, uint64_t id);

/* A string of the file; NULL: there is none at this index. */
const char *pprof_text_at(const struct pprof_reader *reader, int64_t index);
/* Adds it to the profile. 0, PPROFIL_ERROR_DAMAGED (there is none), -ENOMEM or -EOVERFLOW. */
int pprof_read_string(const struct pprof_reader *reader, int64_t index, uint32_t *string);
/* Finds an image of a process, or adds it. comm 0: "[unknown]". */
int pprof_find_process(struct pprof_reader *reader, uint32_t pid, uint32_t generation, uint32_t comm, uint32_t *index);

/* Reads what samples refer to: mappings, functions and locations, in this order. 0, PPROFIL_ERROR_DAMAGED, -ENOMEM
 * or -EOVERFLOW. */
int pprof_read_tables(struct pprof_reader *reader);
/* The object of code that is in no mapping. */
int pprof_unknown_object(const struct pprof_reader *reader, uint32_t *index);

/* --- writing (pprof-message.c) --------------------------------------------------------- */

/* A message while it is made. The ids in it are indexes of the profile's tables plus 1.
 *
 * All of it is in one arena. Memory may run out anywhere: then out_of_memory is set, and the arena gives out memory
 * that is of no use. So the message is not checked at every step, but thrown away at the end. */
struct pprof_writer {
    const struct profile *profile;
    struct pprof_block *blocks; /* owned: the arena */
    bool out_of_memory;
    PbProfile message;
    struct memo elsewhere; /* (function, file of a line) -> id of the function with that file */
    int64_t *string_ids;   /* by string of the profile; 0: not written yet */
    PbMapping *mappings;   /* by object */
    _Alignas(16) unsigned char nowhere[256];
};

/* Begins an empty message. 0 or -ENOMEM; the caller clears it in either case. */
int pprof_writer_begin(struct pprof_writer *writer, const struct profile *profile);
void pprof_writer_clear(struct pprof_writer *writer);

/* Memory of the arena, all 0. Never NULL for up to the size of nowhere. */
void *pprof_allocate(struct pprof_writer *writer, size_t size);
/* A table of count entries, and in *pointers the array of pointers to them that protobuf-c wants. NULL: no memory. */
void *pprof_allocate_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers);
/* array_grow for an array that is not in the arena. False: no memory, now or before. */
bool pprof_grow(struct pprof_writer *writer, void *array, size_t count, size_t element);

/* Adds a text to the strings of the message and returns its index. Strings of protobuf are UTF-8 and file names need
 * not be, so each wrong byte becomes U+FFFD. */
int64_t pprof_add_string(struct pprof_writer *writer, const char *text);
/* The index of a string of the profile, which is added once. */
int64_t pprof_string_index(struct pprof_writer *writer, uint32_t string);
/* Adds a comment, and frees the text. NULL: there was no memory for it. */
void pprof_add_comment(struct pprof_writer *writer, char *text);

/* Writes mappings, functions and locations, with the comments about objects. */
void pprof_write_tables(struct pprof_writer *writer);

#endif
