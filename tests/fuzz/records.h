/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* records: parts of a file. Each begins with a head that has its length. */
#ifndef PPROFIL_FUZZ_RECORDS_H
#define PPROFIL_FUZZ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_HEAD 32u /* bytes of the longest head */

struct record {
    const uint8_t *at;
    size_t head, size; /* bytes; size: without the head */
};

/* A format that has records. */
struct frame;

/* Return the format of the target that is fuzzed (NULL: it has no records), and the name of that target. */
const struct frame *frame_of_target(void);
const char *target(void);

/* Returns true if records may have records in them. */
bool frame_nested(const struct frame *frame);
/* Sets the offsets where the records begin and end. */
void frame_bounds(const struct frame *frame, const uint8_t *file, size_t size, size_t *start,
                  size_t *end);
/* Finds the record that begins at "at". Returns false if there is none. */
bool frame_next(const struct frame *frame, const uint8_t *at, size_t left, struct record *record);
/* Makes the head of a record for a body of size bytes. Returns the size of the head. */
size_t frame_head(const struct frame *frame, const struct record *record, size_t size,
                  uint8_t head[RECORD_HEAD]);
/* Corrects the parts of a file that depend on the size of its records. They begin at offset start, and their size has
 * changed from old to new bytes. */
void frame_finish(const struct frame *frame, uint8_t *file, size_t size, size_t start, size_t old,
                  size_t new);

#endif
