/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* records: the parts of which some files consist. Each record begins with a head, which contains the size of the
 * record. */
#ifndef PPROFIL_FUZZ_RECORDS_H
#define PPROFIL_FUZZ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_HEAD 32u /* size of the longest head of a record, bytes */

struct record {
    const uint8_t *at;
    size_t head, size; /* bytes; `size` does not include the head */
};

/* A format whose files consist of records. */
struct frame;

/* These return the format of the target that is fuzzed (NULL: it has no records), and the target's name. */
const struct frame *frame_of_target(void);
const char *target(void);

/* Returns true if records may contain other records. */
bool frame_nested(const struct frame *frame);
/* Sets `start` and `end` to the offsets at which the records begin and end. */
void frame_bounds(const struct frame *frame, const uint8_t *file, size_t size, size_t *start, size_t *end);
/* Finds the record that begins at address `at`. Returns false if there is none. */
bool frame_next(const struct frame *frame, const uint8_t *at, size_t left, struct record *record);
/* Makes the head of a record whose body has `size` bytes. Returns the size of the head. */
size_t frame_head(const struct frame *frame, const struct record *record, size_t size, uint8_t head[RECORD_HEAD]);
/* Corrects the parts of a file that depend on the size of all its records together. This size has changed from `old` to
 * `new` bytes. The records begin at offset `start`. */
void frame_finish(const struct frame *frame, uint8_t *file, size_t size, size_t start, size_t old, size_t new);

#endif
