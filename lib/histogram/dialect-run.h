/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dialect-run: a whole run counted by the rules of one dialect, as that system would have counted it. An image is one
 * program in one process: an exec ends it, and begins another. Each image has histograms of its own. The counters of a
 * region are allocated when its object is mapped.
 */
#ifndef PPROFIL_DIALECT_RUN_H
#define PPROFIL_DIALECT_RUN_H

#include "dialect/dialect.h"
#include "format/profil/profil.h"
#include "profile/profile.h"

/* A stretch of text to count in. */
struct dialect_run_region {
    char *object;       /* owned: path or the last component of it; NULL: the program */
    uint64_t low, high; /* link-time addresses; high 0: all code of the object */
    bool seen;          /* a process has mapped the object. Most objects are known only when a tick falls into them */
};

struct dialect_run_options {
    const struct dialect *dialect;
    uint32_t counter_size; /* bytes; 0: the dialect's */
    uint32_t scale;        /* if scaled; otherwise a counter of 2 bytes for 4 of text, or a wider one for as many */
    bool scaled;
    uint64_t size;      /* of each buffer, bytes; 0: what the text needs */
    uint64_t period_ns; /* CPU time of a tick; 0: the dialect's */
};

/* What is known of an image that has counted. */
struct dialect_run_facts {
    uint32_t pid;
    uint32_t generation; /* number of earlier images of this process that have counted */
    uint32_t process;    /* index in the profile; PROFILE_NONE: not known */
    bool on;             /* the dialect has not ended the counting */
    uint64_t ticks, outside, overflows;
};

/* A region in one image. */
struct run_binding {
    void *counters; /* owned; NULL: its object has not been mapped */
    uint64_t low, high;
    uint32_t object, pointer_size;
    bool big_endian;
    const char *path; /* of the object; borrowed from the profile */
};

struct run_image {
    struct dialect_run_facts facts;
    struct dialect_count *count;  /* owned; NULL: a child that does not count */
    struct run_binding *bindings; /* owned; one for each region */
    uint64_t *pcs;                /* owned; NULL: the dialect does not store addresses */
    struct run_image *next;
    struct run_image *live_next; /* in its bucket */
};

#define DIALECT_RUN_BUCKETS 256

struct dialect_run {
    struct dialect_run_options options;
    struct dialect_run_region *regions; /* owned */
    size_t region_count;
    struct run_image *images, *last;             /* owned; in the order in which they came */
    struct run_image *live[DIALECT_RUN_BUCKETS]; /* those that have not ended, by process number */
};

/* Reads "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI", with addresses in hexadecimal. 0, -EINVAL or -ENOMEM. */
int dialect_run_parse_region(const char *text, struct dialect_run_region *region);

/* Takes regions over, also after an error. count 0: the program's code is the only region. 0 or -ENOMEM. */
int dialect_run_new(const struct dialect_run_options *options, struct dialect_run_region *regions, size_t count,
                    struct dialect_run **run);
void dialect_run_free(struct dialect_run *run);

/* Counts an event that has been added to the profile. 0, -ENOMEM, or -EFBIG: a region needs too large a buffer. */
int dialect_run_feed(struct dialect_run *run, const struct profile *profile, const struct wire_header *event);

/* Sets all counts to 0. Images that were full count again. */
void dialect_run_clear(struct dialect_run *run);

/* Does the dialect know where the text of a region ends? Otherwise it knows how large the buffer is. */
bool dialect_run_is_ranged(const struct dialect *dialect);

/* --- files ------------------------------------------------------------------------------------ */

/* Only images that have counted a tick are numbered here. */
size_t dialect_run_image_count(const struct dialect_run *run);
void dialect_run_image(const struct dialect_run *run, size_t i, struct dialect_run_facts *facts);

/* What a file has: one region, all regions of an object, or all regions. */
enum dialect_run_extent { DIALECT_RUN_REGION, DIALECT_RUN_OBJECT, DIALECT_RUN_ALL };

/* Fills *file with what an image has counted in a region, and in the further regions that a file of this extent has.
 * Returns 0; -ENOMEM; or 1: there is no such file, because the object was not mapped, or an earlier region's file has
 * this region. The profile says what was mapped where. The caller clears the file in any case. */
int dialect_run_histograms(const struct dialect_run *run, const struct profile *profile, size_t image, size_t region,
                           enum dialect_run_extent extent, struct histogram_file *file);

/* Returns the number of earlier regions of the same object. */
size_t dialect_run_same_object(const struct dialect_run *run, size_t image, size_t region);

/* Returns the object of the first region whose object no process has mapped; NULL: there is none. */
const char *dialect_run_unseen_object(const struct dialect_run *run);

#endif
