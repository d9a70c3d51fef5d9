/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dialect-run: counts a whole session by the rules of one dialect, as the system of this dialect would have counted it.
 * An image is one program in one process. An exec ends the image, and begins another one. Each image has its own
 * histograms. The counters of a region are allocated when its object is mapped. */
#ifndef PPROFIL_DIALECT_RUN_H
#define PPROFIL_DIALECT_RUN_H

#include "dialect/dialect.h"
#include "format/profil/profil.h"
#include "profile/profile.h"

/* A range of text that is counted. */
struct dialect_run_region {
    char *object;       /* owned: path of the object, or the last component of the path; NULL: the program */
    uint64_t low, high; /* link-time addresses; high 0: all code of the object */
    /* a WIRE_MAP event of the object has come. For most mappings this event comes only when a tick falls into them */
    bool seen;
};

struct dialect_run_options {
    const struct dialect *dialect;
    uint32_t counter_size; /* bytes; 0: the dialect's own size */
    /* used if scaled is true; otherwise 0x8000 for counters of 2 bytes, and 0x10000 for wider ones */
    uint32_t scale;
    bool scaled;
    uint64_t size;      /* bytes of each buffer; 0: as many as the text needs */
    uint64_t period_ns; /* CPU time of a tick; 0: the tick of the dialect */
};

/* The state of the counting in an image. */
struct dialect_run_facts {
    uint32_t pid;
    uint32_t generation; /* number of earlier images of this process that have at least one tick */
    uint32_t process;    /* index in profile->processes; PROFILE_NONE: not known */
    bool on;             /* the dialect has not ended the counting */
    uint64_t ticks, outside, overflows;
};

/* The counters and the addresses of a region in one image. */
struct run_binding {
    void *counters; /* owned; NULL: the region's object has not been mapped */
    uint64_t low, high;
    uint32_t object, pointer_size;
    bool big_endian;
    const char *path; /* path of the object; borrowed from the profile */
};

struct run_image {
    struct dialect_run_facts facts;
    struct dialect_count *count;  /* owned; NULL: the image is of a child that does not count */
    struct run_binding *bindings; /* owned; one for each region */
    uint64_t *pcs;                /* owned; NULL: the dialect does not store addresses */
    struct run_image *next;
    struct run_image *live_next; /* next image in its bucket of dialect_run.live */
};

#define DIALECT_RUN_BUCKETS 256

struct dialect_run {
    struct dialect_run_options options;
    struct dialect_run_region *regions; /* owned */
    size_t region_count;
    struct run_image *images, *last;             /* list, owned; in the order in which the images began */
    struct run_image *live[DIALECT_RUN_BUCKETS]; /* hash table of the images that have not ended; the key is the pid */
};

/* Reads "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI", with addresses in hexadecimal. Returns 0, -EINVAL or
 * -ENOMEM. */
int dialect_run_parse_region(const char *text, struct dialect_run_region *region);

/* Creates a dialect_run. Takes over the ownership of regions, also after an error. count 0: the code of the program is
 * the only region. Returns 0 or -ENOMEM. */
int dialect_run_new(const struct dialect_run_options *options, struct dialect_run_region *regions, size_t count,
                    struct dialect_run **run);
void dialect_run_free(struct dialect_run *run);

/* Counts an event that has been added to the profile. Returns 0, -ENOMEM, or -EFBIG if a region needs a buffer of more
 * than 4 GiB. */
int dialect_run_feed(struct dialect_run *run, const struct profile *profile, const struct wire_header *event);

/* Sets all counts to 0. If a full counter or a full array had ended the counting, it begins again. */
void dialect_run_clear(struct dialect_run *run);

/* Returns true if regions of the dialect have an end address. In other dialects the size of the buffer limits the
 * text. */
bool dialect_run_is_ranged(const struct dialect *dialect);

/* --- files ------------------------------------------------------------------------------------ */

/* The functions below number only images that have at least one tick: the parameters i and image are such numbers, from
 * 0. */
size_t dialect_run_image_count(const struct dialect_run *run);
void dialect_run_image(const struct dialect_run *run, size_t i, struct dialect_run_facts *facts);

/* The regions that one file contains: one region, all regions of an object, or all regions. */
enum dialect_run_extent { DIALECT_RUN_REGION, DIALECT_RUN_OBJECT, DIALECT_RUN_ALL };

/* Fills *file with the counts of one image: the counts of one region, and of the other regions that a file of this
 * extent contains. Returns 0 or -ENOMEM. Returns 1 if there is no such file: the object was not mapped, or the file of
 * an earlier region contains this region. The profile contains the mappings. The caller clears *file with
 * histogram_file_clear, even after an error. */
int dialect_run_histograms(const struct dialect_run *run, const struct profile *profile, size_t image, size_t region,
                           enum dialect_run_extent extent, struct histogram_file *file);

/* Returns the number of earlier regions that are in the same object as this region. */
size_t dialect_run_same_object(const struct dialect_run *run, size_t image, size_t region);

/* Returns the object of the first region whose object no process has mapped; NULL: all objects were mapped. */
const char *dialect_run_unseen_object(const struct dialect_run *run);

#endif
