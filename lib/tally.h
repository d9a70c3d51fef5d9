/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tally: a whole run counted by the rules of one dialect, live, as that system would have. Each
 * image of each process has histograms of its own, bound to text when that is first seen.
 */
#ifndef PPROFIL_TALLY_H
#define PPROFIL_TALLY_H

#include "dialect/dialect.h"
#include "format/histogram.h"
#include "profile/profile.h"

/* A stretch of text to count in. */
struct tally_region {
    char *object;       /* owned: path or its last part; NULL: the program */
    uint64_t low, high; /* link-time addresses; high 0: all its code */
};

struct tally_options {
    const struct dialect *dialect;
    uint32_t counter_size; /* bytes; 0: the dialect's */
    uint32_t scale;        /* if scaled; else two bytes of counter for four of text, or four */
    bool scaled;
    uint64_t size;      /* of each buffer, bytes; 0: what the text needs */
    uint64_t period_ns; /* 0: the dialect's */
};

/* Reads "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI". 0, -EINVAL or -ENOMEM. */
int tally_parse_region(const char *text, struct tally_region *region);

struct tally;

/* Takes regions over, also on error; none: the program's code. 0 or -errno. */
int tally_new(const struct tally_options *options, struct tally_region *regions, size_t count,
              struct tally **tally);
void tally_free(struct tally *tally);

/* Takes an event that the profile has had already. 0 or -ENOMEM. */
int tally_feed(struct tally *tally, const struct profile *profile,
               const struct wire_header *event);

/* All counts begin anew. */
void tally_clear(struct tally *tally);

/* The images that have counted, in the order in which they came. */
struct tally_image_facts {
    uint32_t pid;
    uint32_t generation; /* of the images of this process */
    bool on;             /* the dialect has not ended the counting */
    uint64_t ticks, outside, overflows;
};
size_t tally_images(const struct tally *tally);
void tally_image(const struct tally *tally, size_t i, struct tally_image_facts *facts);
/* What goes into a file: a region, all regions of its object, or all. */
enum tally_extent { TALLY_REGION, TALLY_OBJECT, TALLY_ALL };
/* What an image counted in the region-th region, and in those that go with it. 0; -ENODATA: its
 * text was never seen; -EEXIST: it went with an earlier one; -ENOMEM. The profile says what was
 * mapped where. The caller clears the file. */
int tally_histograms(const struct tally *tally, const struct profile *profile, size_t image,
                     size_t region, enum tally_extent extent, struct histogram_file *file);
/* How many regions before this one are of the same object. */
size_t tally_same_object(const struct tally *tally, size_t image, size_t region);
size_t tally_regions(const struct tally *tally);
const struct dialect *tally_dialect(const struct tally *tally);

#endif
