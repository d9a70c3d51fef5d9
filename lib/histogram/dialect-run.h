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
    char *object;       /* owned: path of the object, or only the last component of this path; NULL: the program */
    uint64_t low, high; /* link-time addresses; if `high` is 0, the region is all code of the object */
    /* a WIRE_MAP event has reported that the object is mapped. For most mappings, the supervisor sends this event only
     * when a tick is in the mapping */
    bool seen;
};

struct dialect_run_options {
    const struct dialect *dialect;
    uint32_t counter_size; /* size of a counter, bytes; 0: the size that is usual in the dialect */
    /* ignored unless `scaled` is true. By default the scale is 0x8000 for counters of 2 bytes, and 0x10000 for wider
     * ones */
    uint32_t scale;
    bool scaled;
    uint64_t size;      /* size of each buffer, bytes; 0: as many bytes as the text needs */
    uint64_t period_ns; /* CPU time of a tick; 0: the tick of the dialect */
};

/* What is known about the counting in one image (one program in one process). */
struct dialect_run_facts {
    uint32_t pid;
    uint32_t generation; /* number of earlier images of this process that have at least one tick */
    uint32_t process;    /* index in profile->processes; PROFILE_NONE: not known */
    bool on;             /* true until a rule of the dialect, such as a full counter, ends the counting */
    uint64_t ticks, outside, overflows;
};

/* The counters and the addresses of a region in one image. */
struct run_binding {
    void *counters; /* owned; NULL: the object of the region has not been mapped */
    uint64_t low, high;
    uint32_t object, pointer_size;
    bool big_endian;
    const char *path; /* path of the object; borrowed from the profile */
};

struct run_image {
    struct dialect_run_facts facts;
    /* owned; NULL: the image belongs to a forked child in which nothing is counted */
    struct dialect_count *count;
    struct run_binding *bindings; /* owned; one element for each region */
    uint64_t *pcs;                /* owned; pcs that were stored; NULL: the dialect does not store pcs */
    struct run_image *next;
    struct run_image *live_next; /* next image in the same bucket of the hash table dialect_run.live */
};

#define DIALECT_RUN_BUCKETS 256

struct dialect_run {
    struct dialect_run_options options;
    struct dialect_run_region *regions; /* owned */
    size_t region_count;
    struct run_image *images, *last;             /* list, owned; in the order in which the images began */
    struct run_image *live[DIALECT_RUN_BUCKETS]; /* hash table of the images that have not ended; the key is the pid */
};

/* Reads a region from a text: "OBJECT", "LO-HI" (a range of the program) or "OBJECT:LO-HI". The addresses LO and HI are
 * hexadecimal. Returns 0, -EINVAL or -ENOMEM. */
int dialect_run_parse_region(const char *text, struct dialect_run_region *region);

/* Creates a dialect_run. Takes over the ownership of `regions`, an array of `count` elements, even if it returns an
 * error. If `count` is 0, the only region is the code of the program. Returns 0 or -ENOMEM. */
int dialect_run_new(const struct dialect_run_options *options, struct dialect_run_region *regions, size_t count,
                    struct dialect_run **run);
void dialect_run_free(struct dialect_run *run);

/* Updates the images and their counts after an event. The caller has already added the event to the profile. Returns 0,
 * -ENOMEM, or -EFBIG if a region needs a buffer of more than 4 GiB. */
int dialect_run_feed(struct dialect_run *run, const struct profile *profile, const struct wire_header *event);

/* Sets all counts to 0. If a full counter or a full array had ended the counting, the counting begins again. */
void dialect_run_clear(struct dialect_run *run);

/* Returns true if the regions of the dialect have an end address. In other dialects the size of the buffer decides
 * where the text of a region ends. */
bool dialect_run_is_ranged(const struct dialect *dialect);

/* --- files ------------------------------------------------------------------------------------ */

/* The functions below see only images that have at least one tick. They number these images from 0. The parameters `i`
 * and `image` are such numbers. */
size_t dialect_run_image_count(const struct dialect_run *run);
void dialect_run_image(const struct dialect_run *run, size_t i, struct dialect_run_facts *facts);

/* Which regions a file contains: only one region, all regions of one object, or all regions. */
enum dialect_run_extent { DIALECT_RUN_REGION, DIALECT_RUN_OBJECT, DIALECT_RUN_ALL };

/* Fills *file with the counts of one image. `extent` says whether the file contains only the region `region`, or also
 * others. `profile` contains the mappings. Returns 0 or -ENOMEM. Returns 1 if `region` needs no file: its object was
 * not mapped, or the file of an earlier region contains its counts. The caller clears *file with histogram_file_clear,
 * even after an error. */
int dialect_run_histograms(const struct dialect_run *run, const struct profile *profile, size_t image, size_t region,
                           enum dialect_run_extent extent, struct histogram_file *file);

/* Returns how many of the regions before `region` are in the same object as `region`. */
size_t dialect_run_same_object(const struct dialect_run *run, size_t image, size_t region);

/* Searches for a region whose object no process has mapped. Returns the object of the first such region; NULL: there is
 * none. */
const char *dialect_run_unseen_object(const struct dialect_run *run);

#endif
