/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * picture: flame graphs and heat maps of a profile, in files that a browser opens.
 *
 * A flame graph is a tree of frames: stacks that begin alike share frames, and a frame is as wide as the time that was
 * spent in it and in what it called. The tree is made once; each file format is a way to draw it. With a second
 * profile, the baseline, the picture shows what has changed.
 *
 * The formats are rows of the table in lib/format. The profiled program chooses the names of functions, files and
 * processes. So all of them pass picture_clean, and are escaped where they are written.
 */
#ifndef PPROFIL_PICTURE_H
#define PPROFIL_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pprofil/error.h"
#include "format/memo.h"
#include "profile/profile.h"

/* The kind of a frame: the legend. */
enum picture_kind {
    PICTURE_ALL,     /* the root */
    PICTURE_PROCESS, /* the first frame of a stack, if there are processes of several names */
    PICTURE_PROGRAM,
    PICTURE_LIBRARY,
    PICTURE_JIT,    /* code in no file */
    PICTURE_KERNEL, /* a system call, or code of the kernel */
    PICTURE_ASLEEP, /* a system call that waits */
    PICTURE_MARK,   /* not code: why the stack ends there, or that it is not known */
    PICTURE_KINDS,
};

/* The word for a kind in the legend: "program". */
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

/* Frames are in the order of a walk: a frame is before those that it called, which are sorted by name. Frame 0 is the
 * root, which stands for all. */
struct picture_tree {
    struct picture_name *names;
    struct picture_frame *frames;
    uint32_t name_count, frame_count, depth; /* depth: of the deepest frame */
    bool timed;                              /* values are nanoseconds */
    bool wall;                               /* of elapsed time, not CPU time */
    bool compares;                           /* there is a baseline */
    uint32_t dropped;                        /* frames left out because they are too small */
    uint64_t cut;                            /* the largest value of one that was left out */
    uint32_t deeper;                         /* frames left out because they are below the last row */
    uint64_t gone;                           /* value of the baseline in frames that the profile does not have, where
                                                this is more than chance */
    uint64_t kinds;                          /* the set of kinds that occur: 1 << kind */
    struct profile *strings;                 /* owned: the texts of names are its strings */
};

/* What is left out. */
struct picture_limits {
    uint32_t most; /* frames that are kept: the largest */
    double share;  /* 0 to 1 of all: narrower frames are dropped */
    uint32_t rows; /* rows that are always kept */
    double deep;   /* share of all: deeper rows are kept while more than this reaches them */
    bool keep_old; /* a frame has the larger of its two values; else frames of the baseline alone are dropped */
};

/* Merges the stacks of a profile. baseline: the profile to compare with, or NULL. 0, -ENOMEM, -EOVERFLOW, or
 * PPROFIL_ERROR_MIXED_TIMES (one is of elapsed time, the other of CPU time). The caller clears the tree after 0. */
int picture_tree_make(const struct profile *profile, const struct profile *baseline,
                      const struct picture_limits *limits, struct picture_tree *tree);
void picture_tree_clear(struct picture_tree *tree);

/* --- merged stacks (merge-stacks.c) --------------------------------------------------------- */

/* Names and stacks of all profiles that are merged, each once. Index 0 is the root, of nodes and of names. */
struct picture_store {
    struct profile *strings; /* owned: an otherwise empty profile, for its table of strings */
    struct stored_name {
        uint32_t text, object; /* strings */
        enum picture_kind kind;
    } *names; /* owned */
    struct stored_node {
        uint32_t parent, name;
    } *nodes; /* owned; parents are before their children */
    uint32_t name_count, node_count;
    struct memo memo;
};

/* 0, -ENOMEM or -EOVERFLOW. The caller clears it in any case. */
int picture_store_open(struct picture_store *store);
void picture_store_clear(struct picture_store *store);

/* A profile while its stacks are merged into the store. */
struct stack_merge {
    const struct profile *from;
    struct picture_store *to;
    bool several;     /* processes of several names: a stack has its process as its first frame */
    uint32_t *order;  /* samples by the name of their process */
    uint32_t *lane;   /* by node of from: the number of the process name that it was merged for last */
    uint32_t *merged; /* by node of from: the node of the store that it was then merged into */
    uint32_t *stack;  /* nodes on the way from a leaf to what is merged already */
    uint32_t *names;  /* by location with one function at most: its name in the store; 0: not made yet */
    uint32_t *leaves; /* by sample: its node in the store */
};

/* Merges all stacks, and sets leaves. 0, -ENOMEM or -EOVERFLOW. The caller clears it in any case. */
int stack_merge_profile(struct stack_merge *merge);
void stack_merge_clear(struct stack_merge *merge);

/* Do processes with different names have samples? */
bool stack_merge_has_several(const struct profile *profile);

/* --- pages --------------------------------------------------------------------------------- */

/* A page is made in memory, and written when it is complete. */
struct page {
    FILE *out;
    char *text;
    size_t size;
};

/* 0 or -ENOMEM. */
int page_open(struct page *page);
/* Writes the page, unless error is not 0, and frees it. 0 or the first error. */
int page_close(struct page *page, int fd, int error);

/* A number with at most this many decimals, and a point in every locale. */
void page_put_number(FILE *out, double number, unsigned decimals);
/* Lines with a frame's time, share, samples and self; in a comparison also what they were before. */
void page_put_figures(FILE *out, const struct picture_tree *tree, uint32_t frame);

/* --- text ---------------------------------------------------------------------------------- */

/* A copy that cannot do harm or hide anything: valid UTF-8, control characters made visible, characters that change the
 * direction of writing replaced, at most 500 characters. The caller frees it; NULL: no memory. */
char *picture_clean(const char *text);

/* Writes clean text into XML or HTML, between tags or in a quoted attribute. */
void picture_escape(FILE *out, const char *text);
/* The same, in at most this many columns; "â¦" ends a text that is longer. Nothing in less than three columns. */
void picture_escape_clipped(FILE *out, const char *text, unsigned columns);
/* Writes clean text as a JSON string that may stand in a script element. 0 or -ENOMEM. */
int picture_json(FILE *out, const char *text);

/* "1.23 s" or "1,234 samples"; and "1,234". */
#define PICTURE_FIGURE_SIZE 64
void picture_format_value(const struct picture_tree *tree, uint64_t value, char text[PICTURE_FIGURE_SIZE]);
void picture_format_count(uint64_t count, char text[PICTURE_FIGURE_SIZE]);

/* The line that says what the picture shows, and the line with the figures. The caller frees them. 0 or -ENOMEM. */
int picture_title(const struct profile *profile, const char *what, char **title);
int picture_subtitle(const struct profile *profile, const struct picture_tree *tree, char **subtitle);

/* --- colours ------------------------------------------------------------------------------- */

struct picture_colour {
    unsigned char red, green, blue;
};

/* A name has the same colour in every picture. Black text is legible on every colour. */
struct picture_colour picture_colour_of(const struct picture_name *name);
/* The colour of a kind in the legend. */
struct picture_colour picture_colour_of_kind(enum picture_kind kind);
/* The colour of a frame in a comparison: red for more, blue for less, grey if chance explains the difference. largest:
 * picture_largest_change. */
struct picture_colour picture_colour_of_change(const struct picture_tree *tree, uint32_t frame, double largest);
/* The same for the legend. direction: -1, 0 or 1. */
struct picture_colour picture_colour_of_direction(int direction);

/* A frame's share of all, less its share in the baseline: -1 to 1. */
double picture_change(const struct picture_tree *tree, uint32_t frame);
double picture_largest_change(const struct picture_tree *tree);
/* Is the difference larger than chance makes it in 95 % of cases? */
bool picture_is_significant(const struct picture_tree *tree, uint32_t frame);
/* The same for a frame that is not in a tree yet, and the root. */
bool picture_differs(const struct picture_frame *frame, const struct picture_frame *root);

/* --- embedded files ------------------------------------------------------------------------ */

/* The scripts, styles and pages: the contents of the files of these names in this room. */
extern const char picture_flame_js[], picture_flame_svg_js[], picture_flame_svg_css[], picture_flame_html_html[],
    picture_flame_html_css[], picture_flame_html_js[], picture_heat_svg_js[];

#endif
