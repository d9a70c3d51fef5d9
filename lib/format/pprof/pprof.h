/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprof: reads and writes profile.proto, the file format of pprof.
 *
 * Some contents of a profile have no field in this format. The writer puts them into notes of one line each. The notes
 * are in the field pprofil_note, which other tools skip. The command is a comment, which pprof prints. Files of earlier
 * versions have comments in place of notes.
 *
 *    pprofil: totals asked_nhz=N (nanohertz) KEY=NUMBER ... (struct profile_totals)
 *    pprofil: command TEXT
 *    pprofil: process pid=N ppid=N generation=N start=N end=N status=N cpu_ns=N host=WORD job=WORD
 *             rank=WORD comm=TEXT (without host, job or rank if the process has none)
 *    pprofil: object mapping=N kind=N device=N inode=N pid=N generation=N deleted=N
 *             and invented=1 if addresses are made up
 *    pprofil: timeline start=N slot_ns=N at=SLOT cpu_us=N,N,... (CPU time of slot SLOT and of the slots after it)
 *
 * The history of the samples (profile/history.h) is in the field pprofil_history, which other tools skip.
 *
 * Samples have these labels: pid, tid, generation (of the process, if not 0), comm (of the thread), process (the comm
 * of the process, if it differs from that of the thread), host, job and rank (of the process, if it has a rank),
 * syscall, abi ("compat" for system calls of the 32-bit ABI), and state (profile_state_name, except for "running").
 */
#ifndef PPROFIL_PPROF_H
#define PPROFIL_PPROF_H

#include <zlib.h>

#include "format/format.h"
#include "format/memo.h"
#include "format/pprof/pprof-stream.h"
#include "format/pprof/profile.pb-c.h"

typedef Perftools__Profiles__Profile PbProfile;
typedef Perftools__Profiles__ValueType PbValueType;
typedef Perftools__Profiles__Sample PbSample;
typedef Perftools__Profiles__Label PbLabel;
typedef Perftools__Profiles__Mapping PbMapping;
typedef Perftools__Profiles__Location PbLocation;
typedef Perftools__Profiles__Line PbLine;
typedef Perftools__Profiles__Function PbFunction;

/* Returns true if addresses in an object of this kind are offsets in a file, and false if they are addresses in
 * memory. */
static inline bool pprof_relative(enum profile_object_kind kind)
{
    return kind == PROFILE_OBJECT_FILE || kind == PROFILE_OBJECT_VDSO;
}

/* The field `write` of format_pprof points to this function. */
int pprof_write(int fd, const struct profile *profile);

/* --- messages ------------------------------------------------------------------------ */

/* A file that is read. */
struct pprof_file {
    PbProfile *message;         /* owned; the message without its samples and its history */
    struct pprof_stream stream; /* the file, from which the samples are read */
    size_t sample_count;        /* number of samples in the file */
    uint8_t *history;           /* owned; the contents of the field pprofil_history, packed */
    size_t history_size;        /* bytes */
};

/* Reads a file, gzip'd or plain, which contains a message of the type Profile. Returns 0, -errno or
 * PPROFIL_ERROR_DAMAGED. The caller calls pprof_unload in either case. */
int pprof_load(const char *path, struct pprof_file *file);
void pprof_unload(struct pprof_file *file);
/* Unpacks the next sample. The caller calls this at most file->sample_count times, and frees the sample with
 * perftools__profiles__sample__free_unpacked. Returns 0, -errno or PPROFIL_ERROR_DAMAGED. */
int pprof_next_sample(struct pprof_file *file, PbSample **sample);
/* Writes a message to an open descriptor, compressed by gzip. Returns 0 or -errno. */
int pprof_store(int fd, const PbProfile *message);

/* A file that is written piece by piece, so that its samples need not be in memory. It compresses what is packed into
 * its buffer of protobuf-c. */
struct pprof_output {
    ProtobufCBuffer base;
    gzFile file;
    int error; /* the first error, -errno; 0: none */
};

/* Begins to write to an open descriptor, which stays open. Returns 0 or -errno. */
int pprof_output_open(struct pprof_output *output, int fd);
/* Write fields of the message, and a sample. The fields of all pieces together are the message. */
void pprof_output_put(struct pprof_output *output, const PbProfile *fields);
void pprof_output_put_sample(struct pprof_output *output, const PbSample *sample);
/* Writes the rest. Returns 0, or the first error of all calls. */
int pprof_output_close(struct pprof_output *output);

/* A sample in a file is an array of values. These are the indexes of the values that are read: the number of samples,
 * the time, and the elapsed time; -1: the samples do not have this value. */
struct pprof_values {
    int count, time, wall;
    uint64_t unit; /* nanoseconds in the unit of the value `time` */
};
/* Chooses the values that are read. The message must have at least one value. The time is the value "cpu", or else the
 * value that the file declares as the default, or else the last value. In files of other programs, this value may be
 * something else than a time, such as a number of bytes. The count is the value "samples", or else the last value with
 * the unit "count" before the time. */
void pprof_choose_values(const PbProfile *message, struct pprof_values *values);
/* Returns true if a value has this type and this unit. NULL stands for any type or any unit. */
bool pprof_is_type(const PbProfile *message, const PbValueType *value, const char *type, const char *unit);

/* --- notes ------------------------------------------------------------------------ */

/* Return the text of a note about the totals, the command, a process or an object. The caller frees the text. They
 * return NULL if there is no memory. */
char *pprof_encode_totals(const struct profile *profile);
char *pprof_encode_command(const struct profile *profile);
char *pprof_encode_process(const struct profile *profile, uint32_t process);
char *pprof_encode_object(const struct profile *profile, uint32_t object, uint64_t mapping);
/* Returns the text of a note about a part of the timeline, which begins with slot *slot, and sets *slot to the first
 * slot of the next note. Slots without CPU time may be left out. The caller frees the text. */
char *pprof_encode_timeline(const struct profile *profile, uint32_t *slot);

enum pprof_note {
    PPROF_OF_OTHERS,
    PPROF_TOTALS,
    PPROF_COMMAND,
    PPROF_PROCESS,
    PPROF_OBJECT,
    PPROF_TIMELINE,
};
/* Returns the kind of a note, which its first words show. Sets *text to the place after these words. */
enum pprof_note pprof_note_kind(const char **text);
/* Finds KEY=NUMBER in a note, and returns the number. Returns 0 if the key is not in the note. */
uint64_t pprof_number(const char *text, const char *key);
/* Put the contents of a note into the profile. `text` begins after the words that pprof_note_kind skips.
 * Functions that return an int return 0 or -errno. */
void pprof_decode_totals(const char *text, struct profile *profile);
int pprof_decode_command(const char *text, struct profile *profile);
/* Adds the process that a note describes, and sets *index to its index in the profile. */
int pprof_decode_process(const char *text, struct profile *profile, uint32_t *index);
/* Adds the slots in a note about the timeline. Ignores slots that contradict earlier notes. */
int pprof_decode_timeline(const char *text, struct profile *profile);

/* --- the history (pprof-history.c) ------------------------------------------------------- */

struct pprof_writer;
/* Adds the history to the message. samples[i]: index, in the message, of the profile's sample i; UINT32_MAX: the
 * message does not have it. */
void pprof_add_history(struct pprof_writer *writer, const uint32_t *samples);
/* Reads the history of a file. samples[i]: index, in the profile, of the message's sample i; UINT32_MAX: none. Returns
 * 0, -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. */
int pprof_read_history(const struct pprof_file *file, const uint32_t *samples, struct profile *profile);

/* --- reading ------------------------------------------------------------------------- */

/* What is known about an entry of the file that has an id: a mapping, a function or a location. An id is any 64-bit
 * number except 0. */
struct pprof_id {
    uint64_t id;
    uint32_t index;  /* the entry's index in the profile; until the entry is read: its index in the message */
    uint32_t object; /* only for a function: index + 1 of its object in the profile; 0: not known yet */
    /* only for a mapping: an address in the file plus `shift` is the address in the profile's object */
    uint64_t shift;
};

struct pprof_ids {
    struct pprof_id *sorted; /* owned; sorted by id */
    size_t count;
};

/* The kinds of keys in the reader's memo. */
enum pprof_memo_kind { PPROF_MEMO_PROCESS, PPROF_MEMO_THREAD };

struct pprof_reader {
    const PbProfile *message;
    struct profile *profile;
    /* an element for each string of the file: its index + 1 in the profile; 0: not in the profile yet */
    uint32_t *strings;
    struct pprof_ids mappings, functions, locations;
    /* one for each mapping with a note of pprofil: `id` is the id of the mapping, and `index` is the index of the
     * note in the message's table of strings */
    struct pprof_ids notes;
    struct memo memo;
    struct pprof_values values;
    /* owned; the stack of the last sample, outermost frame first. Most stacks begin as the one before */
    struct pprof_frame {
        uint64_t location; /* id of the location in the file */
        uint32_t node;     /* index in the profile's nodes */
    } *stack;
    uint32_t stack_depth; /* number of valid elements */
    uint64_t made_up; /* the next address to try when a made-up address is needed */
};

/* Makes an empty array with memory for `count` ids. Returns 0 or -ENOMEM. The caller frees ids->sorted. */
int pprof_ids_make(struct pprof_ids *ids, size_t count);
/* Sorts the ids. Returns 0, or PPROFIL_ERROR_DAMAGED if an id is 0 or occurs twice. */
int pprof_ids_sort(struct pprof_ids *ids);
/* Returns the entry with this id, or NULL if there is none. */
struct pprof_id *pprof_ids_find(const struct pprof_ids *ids, uint64_t id);

/* Returns the file's string with this index, or NULL if there is none. */
const char *pprof_text_at(const struct pprof_reader *reader, int64_t index);
/* Copies the file's string with this index into the profile, and sets *string to its index there. Returns 0,
 * PPROFIL_ERROR_DAMAGED (the file has no string with this index), -ENOMEM or -EOVERFLOW. */
int pprof_read_string(const struct pprof_reader *reader, int64_t index, uint32_t *string);
/* Finds a process by pid and generation, or adds it. (The generation distinguishes programs that ran one after another
 * under one pid.) The name of an added process is the string `comm`; 0 stands for "[unknown]". */
int pprof_find_process(struct pprof_reader *reader, uint32_t pid, uint32_t generation, uint32_t comm, uint32_t *index);

/* Reads the tables that samples refer to, in this order: mappings, functions and locations. Returns 0,
 * PPROFIL_ERROR_DAMAGED, -ENOMEM or -EOVERFLOW. */
int pprof_read_tables(struct pprof_reader *reader);
/* Finds or adds the object that stands for all code that is in no mapping. Returns 0, -ENOMEM or -EOVERFLOW. */
int pprof_unknown_object(const struct pprof_reader *reader, uint32_t *index);

/* --- writing (pprof-message.c) --------------------------------------------------------- */

/*
 * A message while it is made. The id of a function or a location is its index in the profile. The id of a mapping is
 * the index of its object plus 1.
 *
 * Most of the message is in one arena, which is memory that is freed as a whole. When memory runs out, out_of_memory is
 * set, and pprof_allocate returns a pointer to `nowhere`, an array whose contents are never used. So callers need not
 * check each call. A message that ran out of memory is discarded at the end.
 */
struct pprof_writer {
    const struct profile *profile;
    struct pprof_block *blocks; /* owned: the arena */
    bool out_of_memory;
    PbProfile message;
    struct memo elsewhere; /* ids of copies of functions with another source file; key: function and this file */
    int64_t *string_ids;   /* an element for each string of the profile: its index in the message; 0: not written yet */
    PbMapping *mappings;   /* the mappings in the message, one for each object of the profile */
    _Alignas(16) unsigned char nowhere[256];
};

/* Begins an empty message. Returns 0 or -ENOMEM. The caller clears the writer in either case. */
int pprof_writer_begin(struct pprof_writer *writer, const struct profile *profile);
void pprof_writer_clear(struct pprof_writer *writer);

/* Returns memory of the arena, filled with zeros. When memory runs out, returns writer->nowhere, or NULL if `size` is
 * larger than that array. */
void *pprof_allocate(struct pprof_writer *writer, size_t size);
/* Returns a table of `count` entries, each of `entry` bytes. protobuf-c needs an array that has a pointer to each
 * entry. *pointers is set to such an array. Returns NULL if there is no memory. */
void *pprof_allocate_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers);
/* Calls array_grow for an array that is not in the arena. Returns false if this allocation fails, or if an earlier
 * allocation of the writer has failed. */
bool pprof_grow(struct pprof_writer *writer, void *array, size_t count, size_t element);

/* Adds a text to the message's strings, and returns its index there. Strings of protobuf must be UTF-8, but file names
 * need not be. So each byte that is not UTF-8 becomes U+FFFD. */
int64_t pprof_add_string(struct pprof_writer *writer, const char *text);
/* `string` is the index of a string in the profile. Returns the index of the same string in the message. If the message
 * does not have it yet, adds it. */
int64_t pprof_string_index(struct pprof_writer *writer, uint32_t string);
/* Add a comment or a note with this text, and free the text. NULL means that there was no memory for the text. */
void pprof_add_comment(struct pprof_writer *writer, char *text);
void pprof_add_note(struct pprof_writer *writer, char *text);

/* Writes mappings, functions and locations. With each mapping, writes the note about its object. */
void pprof_write_tables(struct pprof_writer *writer);

#endif
