/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprof: what the writer and the reader of profile.proto must agree on.
 *
 * What the messages have no field for goes into comments, one line each, which other tools
 * show or ignore:
 *
 *   pprofil: totals asked_nhz=N (nanohertz) KEY=NUMBER ... (struct profile_totals)
 *   pprofil: command TEXT
 *   pprofil: process pid=N ppid=N generation=N start=N end=N status=N cpu_ns=N comm=TEXT
 *   pprofil: object mapping=N kind=N device=N inode=N pid=N generation=N deleted=N
 *            and invented=1 where addresses are made up
 *   pprofil: timeline start=N slot_ns=N at=SLOT cpu_us=N,N,... (of that slot and those behind it)
 *
 * Samples carry the labels pid, tid, generation (of the process image, if not 0), comm (the
 * thread's), process (its process's comm, if another), syscall, abi ("compat": the system
 * call was one of the 32-bit ABI), and state ("asleep": profile_state_name, but for "running").
 */
#ifndef PPROFIL_PPROF_H
#define PPROFIL_PPROF_H

#include "format/format.h"
#include "format/pprof/profile.pb-c.h"

typedef Perftools__Profiles__Profile PbProfile;
typedef Perftools__Profiles__ValueType PbValueType;
typedef Perftools__Profiles__Sample PbSample;
typedef Perftools__Profiles__Label PbLabel;
typedef Perftools__Profiles__Mapping PbMapping;
typedef Perftools__Profiles__Location PbLocation;
typedef Perftools__Profiles__Line PbLine;
typedef Perftools__Profiles__Function PbFunction;

#define PPROF_SIZE_MAX (1u << 30) /* bytes when unpacked; more is an attack, or a mistake */

/* Addresses of these objects are offsets in a file; others are as mapped. */
static inline bool pprof_relative(enum profile_object_kind kind)
{
    return kind == PROFILE_OBJECT_FILE || kind == PROFILE_OBJECT_VDSO;
}

/* The message in a file, gzip'd or plain. 0 or -errno. */
int pprof_load(const char *path, PbProfile **message);
void pprof_unload(PbProfile *message);
/* Writes it gzip'd to an open descriptor. 0 or -errno. */
int pprof_store(int fd, const PbProfile *message);

/* Which of a sample's values count here, by index; -1: none. */
struct pprof_values {
    int count, time, wall;
    uint64_t unit; /* of time, in nanoseconds */
};
/* Time is CPU time where there is any, else what the file says is to be shown, else the last
 * value; the count is that of samples, or the one before that value. For others' files, where
 * time may be bytes; the message has at least one value. */
void pprof_choose_values(const PbProfile *message, struct pprof_values *values);
/* Is a value of this type and unit? NULL: of any. */
bool pprof_is_type(const PbProfile *message, const PbValueType *value, const char *type,
                   const char *unit);

/* Copies text to to, which may be NULL, and returns the length of the copy: protobuf strings
 * must be UTF-8, file names need not, so each wrong byte becomes U+FFFD. */
size_t pprof_clean(const char *text, char *to);
/* The bytes of the UTF-8 character at text; 0: there is none, the byte is wrong. */
size_t pprof_character(const char *text);

/* The comments that hold a profile's totals, its command, a process, an object: to be freed
 * by the caller, NULL where there is no memory. */
char *pprof_say_totals(const struct profile *profile);
char *pprof_say_command(const struct profile *profile);
char *pprof_say_process(const struct profile *profile, uint32_t process);
char *pprof_say_object(const struct profile *profile, uint32_t object, uint64_t mapping);

#define PPROF_TIMELINE_WORDS "pprofil: timeline" /* that the comments about it begin with */

/* The comment about the slots of the time line from *slot on, which moves to where the next one
 * has to begin; slots with nothing in them may be left out. */
char *pprof_say_timeline(const struct profile *profile, uint32_t *slot);

enum pprof_comment {
    PPROF_OF_OTHERS,
    PPROF_TOTALS,
    PPROF_COMMAND,
    PPROF_PROCESS,
    PPROF_OBJECT,
    PPROF_TIMELINE,
};
/* What a comment is; *text moves to what is behind the word that says so. */
enum pprof_comment pprof_comment_kind(const char **text);
/* The number of KEY=NUMBER in a comment's text; 0 where it is not there. */
uint64_t pprof_number(const char *text, const char *key);
/* Takes a comment's text into the profile. 0 or -ENOMEM; the process is added as *index. */
void pprof_hear_totals(const char *text, struct profile *profile);
int pprof_hear_command(const char *text, struct profile *profile);
/* Slots that do not fit to those of earlier comments are left out. */
int pprof_hear_timeline(const char *text, struct profile *profile);
int pprof_hear_process(const char *text, struct profile *profile, uint32_t *index);

/* As read and write of struct format. */
int pprof_read(const char *path, struct profile *profile);
int pprof_write(int fd, const struct profile *profile);

#endif
