/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * script: code that an interpreter executes. The only interpreter so far is CPython, from version 3.8 on.
 *
 * The supervisor reads frames from the memory of an interpreter (lib/supervisor/python). Here, these frames become
 * locations of a profile: functions and lines of source files. script_find_interpreter (interpreter.c) tells whether a
 * file has an interpreter. code-objects.c keeps the code objects that the supervisor has sent, and line-tables.c
 * decodes their line tables. lib/unwind puts the locations into the stack, in the place of the interpreter's own
 * functions.
 *
 * In a profile, a source file is an object of kind PROFILE_OBJECT_FILE, whose addresses are invented.
 */
#ifndef PPROFIL_SCRIPT_H
#define PPROFIL_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "wire/wire.h"

/* --- files of interpreters: interpreter.c ---------------------------------------------------------- */

#define SCRIPT_EVAL_PARTS 2u
#define SCRIPT_SEGMENTS_MAX 4u

struct script_interpreter {
    uint32_t version; /* PY_VERSION_HEX; its last 16 bits are 0 if they are not known */
    uint64_t runtime; /* link-time address of _PyRuntime */
    /* The code of _PyEval_EvalFrameDefault, as offsets [start, end) in the file. The compiler may have split it. If
     * `end` is 0, there is no such part, or it is not known */
    struct {
        uint64_t start, end;
    } eval[SCRIPT_EVAL_PARTS];
    struct script_segment {
        uint64_t offset, size, address; /* offset in the file, size in the file, link-time address */
    } segments[SCRIPT_SEGMENTS_MAX];    /* the segments with code */
    unsigned segment_count;
};

/* Finds a Python interpreter in the ELF file behind fd, which stays open. path: path of the file. It is read only if
 * nothing in the file tells the version. False: there is no interpreter in the file, or its version is not known. */
bool script_find_interpreter(int fd, const char *path, struct script_interpreter *interpreter);
/* Finds the address of _PyRuntime in a process that has mapped the file's code. start: address of the mapping. offset:
 * offset in the file of the byte at that address. False: no segment with code is mapped there. */
bool script_runtime_address(const struct script_interpreter *interpreter, uint64_t start, uint64_t offset,
                            uint64_t *address);

/* --- code objects: code-objects.c ------------------------------------------------------------------ */

struct script_codes;

/* Returns an empty collection of code objects for a profile, which must outlive it. NULL: no memory. */
struct script_codes *script_codes_new(struct profile *profile);
void script_codes_free(struct script_codes *codes);
/* Adds a code object. Does nothing if it is there already. 0, -ENOMEM or -EOVERFLOW. */
int script_codes_add(struct script_codes *codes, const struct wire_python_code *event);
/* Forgets the ids of a process's code objects, because the process has ended or executes another program. Without this,
 * a profile of many short processes would grow with each of them. 0, -ENOMEM or -EOVERFLOW. */
int script_codes_forget(struct script_codes *codes, uint32_t pid);
/* Adds the code objects to their profile again, which has begun a new period (profile_end_period). ended: the profile
 * of the period before. 0, -ENOMEM or -EOVERFLOW; after an error, the collection can only be freed. */
int script_codes_end_period(struct script_codes *codes, const struct profile *ended);
/* Finds or adds the location of a frame in the profile. If the code object of the frame is not known, the location has
 * the name "[Python code]". PROFILE_NONE: the frame is one of the interpreter's own, which no user wants to see. 0,
 * -ENOMEM or -EOVERFLOW. */
int script_codes_location(struct script_codes *codes, const struct wire_python_frame *frame, uint32_t *location);

/* --- line tables: line-tables.c ---------------------------------------------------------------------- */

/* Returns the line number of an instruction. 0: the instruction belongs to no line. version: PY_VERSION_HEX of the
 * interpreter that made the table. first_line: line with which the code object begins. instruction: offset in the
 * bytecode, bytes. */
uint32_t script_line(uint32_t version, const uint8_t *table, uint32_t size, uint32_t first_line, uint32_t instruction);

#endif
