/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * picture: what a profile looks like, in files that a browser opens.
 *
 * A flame graph is a tree of frames: stacks that begin alike share their frames, and a frame is
 * as wide as the time that was spent in it and in what it called. The tree is made once, here;
 * each file format is a way to draw it. With a second profile, the baseline, it shows what has
 * changed.
 *
 * The formats are rows of lib/format's table. Everything that a target could have made up (names
 * of functions, files, processes) passes picture_clean, and is escaped where it is written.
 */
#ifndef PPROFIL_PICTURE_H
#define PPROFIL_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pprofil/error.h"
#include "profile/profile.h"

/* What kind of code a frame is: the legend. */
enum picture_kind {
    PICTURE_ALL,     /* the root */
    PICTURE_PROCESS, /* stands below the stacks where there are several programs */
    PICTURE_PROGRAM,
    PICTURE_LIBRARY,
    PICTURE_JIT,    /* code in no file */
    PICTURE_KERNEL, /* in a system call, or in the kernel's own object */
    PICTURE_ASLEEP, /* waiting in a system call */
    PICTURE_MARK,   /* no code: why the stack ends there, or what is not known */
    PICTURE_KINDS,
};

/* "program", for people. */
const char *picture_kind_name(enum picture_kind kind);

struct picture_name {
    const char *text;   /* clean; of the function */
    const char *object; /* clean; the last part of its path; may be "" */
    enum picture_kind kind;
};

struct picture_weight {
    uint64_t value; /* nanoseconds, or samples: picture_tree.timed */
    uint64_t samples;
};

struct picture_frame {
    uint32_t parent; /* index; the root is its own */
    uint32_t name;   /* index */
    uint32_t depth;  /* 0: the root */
    struct picture_weight total, self;
    struct picture_weight old_total, old_self; /* of the baseline */
};

/* Frames are in the order of a walk: each before those that it called, which are sorted by
 * name; frame 0 is the root, which stands for all. */
struct picture_tree {
    struct picture_name *names;
    struct picture_frame *frames;
    uint32_t name_count, frame_count, depth; /* depth: of the deepest frame */
    bool timed;                              /* values are nanoseconds */
    bool wall;                               /* ... of elapsed time */
    bool compares;                           /* there is a baseline */
    uint32_t dropped;                        /* frames left out, for they are too small, and ... */
    uint64_t cut;                            /* ... have no more value than this */
    uint32_t deeper;                         /* frames left out, for they are behind the last row */
    uint64_t gone;  /* value of the baseline in frames that have none any more, not by chance */
    uint64_t kinds; /* set of those that occur: 1 << kind */
    struct profile *store; /* private: owns the strings */
};

/* What is left out. */
struct picture_limits {
    uint32_t most; /* frames that are kept, the largest */
    double share;  /* of all, 0 to 1: narrower frames are dropped */
    uint32_t rows; /* a deeper row, and all behind it, is dropped if ... */
    double deep;   /* ... no more than this share of all reaches it */
    bool keep_old; /* frames count by the larger of what they are and were; else those that are
                      gone are dropped */
};

/* Merges the stacks of a profile. baseline: NULL, or what to compare with. 0, and then to be cleared;
 * -ENOMEM, -EOVERFLOW, or PPROFIL_ERROR_MIXED_TIMES: one is of elapsed time, the other of CPU time. */
int picture_tree_make(const struct profile *profile, const struct profile *baseline,
                      const struct picture_limits *limits, struct picture_tree *tree);
void picture_tree_clear(struct picture_tree *tree);

/* --- words --------------------------------------------------------------------------------- */

/* A copy in which nothing can do harm or hide: valid UTF-8, control characters made visible,
 * those that turn the direction of writing replaced, no more than 500 characters. The caller
 * frees it; NULL where there is no memory. */
char *picture_clean(const char *text);

/* Writes clean text into XML or HTML, between tags or in a quoted attribute. */
void picture_escape(FILE *out, const char *text);

/* The same, of no more than so many columns; "…" says that there was more. Nothing where there
 * is no room for three. */
void picture_escape_clipped(FILE *out, const char *text, unsigned columns);

/* Writes clean text as a JSON string that may stand in a script element. 0 or -ENOMEM. */
int picture_json(FILE *out, const char *text);

/* "1.23 s" or "1,234 samples". */
#define PICTURE_WORDS 64
void picture_say_value(const struct picture_tree *tree, uint64_t value, char words[PICTURE_WORDS]);
void picture_say_count(uint64_t count, char words[PICTURE_WORDS]);

/* A line that says what the picture is of, and one with the figures; the caller frees them. 0 or
 * -ENOMEM. */
int picture_say_title(const struct profile *profile, const char *what, char **title);
int picture_say_subtitle(const struct profile *profile, const struct picture_tree *tree,
                         char **subtitle);

/* --- colours ------------------------------------------------------------------------------- */

struct picture_colour {
    unsigned char red, green, blue;
};

/* The same name has the same colour in every picture. Black text can be read on all of them. */
struct picture_colour picture_colour_of(const struct picture_name *name);
/* The colour that stands for a kind in the legend. */
struct picture_colour picture_colour_of_kind(enum picture_kind kind);
/* Returns the colour of a frame that is compared: red, blue, or grey if chance explains the difference. largest:
 * picture_largest_change. */
struct picture_colour picture_colour_of_change(const struct picture_tree *tree, uint32_t frame,
                                               double largest);
/* The share of all that a frame has, less the one it had: -1 to 1. */
double picture_change(const struct picture_tree *tree, uint32_t frame);
/* Is that more than chance makes of samples, in nineteen cases of twenty? */
bool picture_is_significant(const struct picture_tree *tree, uint32_t frame);
/* The same of a frame that is in no tree yet, and its root. */
bool picture_differs(const struct picture_frame *frame, const struct picture_frame *root);
/* The same, for the legend: -1, 0 or 1. */
struct picture_colour picture_colour_of_shift(int direction);
double picture_largest_change(const struct picture_tree *tree);

/* --- files embedded ------------------------------------------------------------------------ */

/* The scripts, styles and pages as they are in the files of those names in this room. */
extern const char picture_flame_js[], picture_flame_svg_js[], picture_flame_svg_css[],
    picture_flame_html_html[], picture_flame_html_css[], picture_flame_html_js[],
    picture_heat_svg_js[];

#endif
