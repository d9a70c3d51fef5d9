/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * census: a whole run counted by the rules of one dialect, live, as that system would have. Each
 * image of each process has histograms of its own, bound to text when that is first seen.
 */
#ifndef PPROFIL_DIALECT_RUN_H
#define PPROFIL_DIALECT_RUN_H

#include "dialect/dialect.h"
#include "format/profil/histogram.h"
#include "profile/profile.h"

/* A stretch of text to count in. */
struct dialect_run_region {
    char *object;       /* owned: path or its last part; NULL: the program */
    uint64_t low, high; /* link-time addresses; high 0: all its code */
    bool seen;          /* its object was seen in a process; most are seen only when a tick falls into them */
};

struct dialect_run_options {
    const struct dialect *dialect;
    uint32_t counter_size; /* bytes; 0: the dialect's */
    uint32_t scale;        /* if scaled; else two bytes of counter for four of text, or four */
    bool scaled;
    uint64_t size;      /* of each buffer, bytes; 0: what the text needs */
    uint64_t period_ns; /* 0: the dialect's */
};

/* Reads "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI". 0, -EINVAL or -ENOMEM. */
int dialect_run_parse_region(const char *text, struct dialect_run_region *region);

struct dialect_run;

/* Takes regions over, also on error; none: the program's code. 0 or -errno. */
int dialect_run_new(const struct dialect_run_options *options, struct dialect_run_region *regions, size_t count,
              struct dialect_run **run);
void dialect_run_free(struct dialect_run *run);

/* Takes an event that the profile has had already. 0 or -ENOMEM. */
int dialect_run_feed(struct dialect_run *run, const struct profile *profile,
               const struct wire_header *event);

/* All counts begin anew. */
void dialect_run_clear(struct dialect_run *run);

/* The images that have counted, in the order in which they came. */
struct dialect_run_facts {
    uint32_t pid;
    uint32_t generation; /* of the images of this process that have counted */
    uint32_t process;    /* index in the profile; PROFILE_NONE: not known */
    bool on;             /* the dialect has not ended the counting */
    uint64_t ticks, outside, overflows;
};
size_t dialect_run_image_count(const struct dialect_run *run);
void dialect_run_image(const struct dialect_run *run, size_t i, struct dialect_run_facts *facts);
/* What goes into a file: a region, all regions of its object, or all. */
enum dialect_run_extent { DIALECT_RUN_REGION, DIALECT_RUN_OBJECT, DIALECT_RUN_ALL };
/* What an image counted in the region-th region, and in those that go with it. Returns 0; -ENOMEM; or 1: there is
 * nothing for a file of its own, because its text was never seen, or it went with an earlier region. The profile says
 * what was mapped where. The caller clears the file. */
int dialect_run_histograms(const struct dialect_run *run, const struct profile *profile, size_t image,
                     size_t region, enum dialect_run_extent extent, struct histogram_file *file);
/* How many regions before this one are of the same object. */
size_t dialect_run_same_object(const struct dialect_run *run, size_t image, size_t region);
size_t dialect_run_region_count(const struct dialect_run *run);
/* Returns the object of the first region whose object was never seen; NULL: there is none. */
const char *dialect_run_unseen_object(const struct dialect_run *run);
const struct dialect *dialect_run_dialect(const struct dialect_run *run);

#endif
