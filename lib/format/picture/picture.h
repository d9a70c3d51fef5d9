/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * picture: makes flame graphs and heat maps of a profile, in files that a browser opens.
 *
 * A flame graph is a tree of frames. Stacks that begin alike share frames. A frame is as wide as the time that was
 * spent in it and in what it called. The tree is made once, and each file format is a way to draw it. With a second
 * profile, the baseline, the picture shows what has changed.
 *
 * The profiled program chooses the names of functions, files and processes. So all names pass through picture_clean,
 * and are escaped where they are written.
 */
#ifndef PPROFIL_PICTURE_H
#define PPROFIL_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pprofil/error.h"
#include "format/memo.h"
#include "profile/profile.h"

/* The kind of a frame, which the legend explains. */
enum picture_kind {
    PICTURE_ALL,     /* the root */
    PICTURE_PROCESS, /* the first frame of a stack, if processes of several names have samples */
    PICTURE_PROGRAM,
    PICTURE_LIBRARY,
    PICTURE_JIT,    /* code in no file */
    PICTURE_KERNEL, /* a system call, or code of the kernel */
    PICTURE_ASLEEP, /* a system call that waits */
    PICTURE_MARK,   /* a mark, which shows why a stack ends, or code that is not known */
    PICTURE_KINDS,
};

/* Returns the word for a kind in the legend, such as "program". */
const char *picture_kind_name(enum picture_kind kind);

struct picture_name {
    const char *text;   /* name of the function, clean (picture_clean) */
    const char *object; /* last part of its object's path, clean; may be "" */
    enum picture_kind kind;
};

struct picture_weight {
    uint64_t value; /* ns if picture_tree.timed, otherwise samples */
    uint64_t samples;
};

struct picture_frame {
    uint32_t parent; /* index; the root is its own parent */
    uint32_t name;   /* index */
    uint32_t depth;  /* 0: the root */
    struct picture_weight total, self;
    struct picture_weight old_total, old_self; /* the same in the baseline */
};

/* A tree of frames, in depth-first order: a frame comes before the frames that it called, which are sorted by name.
 * Frame 0 is the root, which contains all others. */
struct picture_tree {
    struct picture_name *names;
    struct picture_frame *frames;
    uint32_t name_count, frame_count, depth; /* depth: of the deepest frame */
    bool timed;                              /* values are ns, not samples */
    bool wall;                               /* values are of elapsed time, not of CPU time */
    bool compares;                           /* there is a baseline */
    uint32_t dropped;                        /* frames left out because they are too small */
    uint64_t cut;                            /* largest possible value of a dropped frame */
    uint32_t deeper;                         /* frames left out because they are below the last row that is kept */
    /* value of the baseline in frames that the profile does not have, if chance does not explain the difference */
    uint64_t gone;
    uint64_t kinds;                          /* set of the kinds that occur: bit 1 << kind */
    struct profile *strings;                 /* owned; its strings are the texts of names */
};

/* Limits of what a picture shows. */
struct picture_limits {
    uint32_t most; /* largest number of frames that are kept; smaller frames are dropped first */
    double share;  /* share of the whole, 0 to 1: narrower frames are dropped */
    uint32_t rows; /* number of rows that are always kept */
    /* share of the whole, 0 to 1: the next row is also kept, as long as more than this share reaches it */
    double deep;
    /* true: the size of a frame is the larger of its value and its value in the baseline. false: the size is the value
     * alone, so frames that only the baseline has are dropped. */
    bool keep_old;
};

/* Makes the tree of a profile. baseline: the profile to compare with, or NULL. Returns 0, -ENOMEM, -EOVERFLOW, or
 * PPROFIL_ERROR_MIXED_TIMES if one profile is of elapsed time and the other of CPU time. The caller clears the tree if
 * the result is 0. */
int picture_tree_make(const struct profile *profile, const struct profile *baseline,
                      const struct picture_limits *limits, struct picture_tree *tree);
void picture_tree_clear(struct picture_tree *tree);

/* --- merged stacks (merge-stacks.c) --------------------------------------------------------- */

/* The names and stacks of all profiles that are merged, each stored once. Entry 0 of names and entry 0 of nodes are the
 * root. */
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

/* Makes a store that has only the root. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears the store in any case. */
int picture_store_open(struct picture_store *store);
void picture_store_clear(struct picture_store *store);

/* A profile while its stacks are merged into the store. */
struct stack_merge {
    const struct profile *from;
    struct picture_store *to;
    bool several;     /* processes of several names have samples: the first frame of a stack is its process */
    uint32_t *order;  /* owned; indexes of samples, sorted by the name of their process */
    uint32_t *lane;   /* owned; by node of from: number (from 1) of the process name for which it was merged last */
    uint32_t *merged; /* owned; by node of from: the node of the store into which it was merged for that name */
    uint32_t *stack;  /* owned; nodes on the way from a leaf to the first caller that has been merged already */
    uint32_t *names;  /* owned; by location with at most one function, its name in the store; 0: not made yet */
    uint32_t *leaves; /* owned; by sample, its node in the store */
};

/* Merges all stacks into the store, and sets leaves. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears merge in any
 * case. */
int stack_merge_profile(struct stack_merge *merge);
void stack_merge_clear(struct stack_merge *merge);

/* Returns true if processes with different names have samples. */
bool stack_merge_has_several(const struct profile *profile);

/* --- pages --------------------------------------------------------------------------------- */

/* A page is made in memory, and written when it is complete. */
struct page {
    FILE *out;
    char *text;
    size_t size;
};

/* Begins a page. Returns 0 or -ENOMEM. */
int page_open(struct page *page);
/* Writes the page to fd, unless error is not 0, and frees it. Returns 0 or the first error. */
int page_close(struct page *page, int fd, int error);

/* Writes a number with at most `decimals` decimals (0 to 4), and a decimal point in every locale. */
void page_put_number(FILE *out, double number, unsigned decimals);
/* Writes lines with the total and the self value of a frame. In a comparison also writes its total in the baseline, and
 * the change. */
void page_put_figures(FILE *out, const struct picture_tree *tree, uint32_t frame);

/* --- text ---------------------------------------------------------------------------------- */

/* Returns a copy of a text that can neither do harm nor hide anything. It is valid UTF-8 of at most 500 characters.
 * Control characters are made visible, and characters that change the direction of writing are replaced. The caller
 * frees it; NULL: no memory. */
char *picture_clean(const char *text);

/* Writes clean text into XML or HTML, between tags or in a quoted attribute. */
void picture_escape(FILE *out, const char *text);
/* Writes clean text as picture_escape does, but at most `columns` columns. A longer text is cut, and "…" is added.
 * Writes nothing if columns is less than 3. */
void picture_escape_clipped(FILE *out, const char *text, unsigned columns);
/* Writes clean text as a JSON string that is safe in a script element. Returns 0 or -ENOMEM. */
int picture_json(FILE *out, const char *text);

/* Format a value as "1.23 s" or "1,234 samples", and a count as "1,234". */
#define PICTURE_FIGURE_SIZE 64
void picture_format_value(const struct picture_tree *tree, uint64_t value, char text[PICTURE_FIGURE_SIZE]);
void picture_format_count(uint64_t count, char text[PICTURE_FIGURE_SIZE]);

/* Make the title (the command and the kind of picture) and the subtitle (the totals of the picture). The caller frees
 * them. Return 0 or -ENOMEM. */
int picture_title(const struct profile *profile, const char *what, char **title);
int picture_subtitle(const struct profile *profile, const struct picture_tree *tree, char **subtitle);

/* --- colours ------------------------------------------------------------------------------- */

struct picture_colour {
    unsigned char red, green, blue;
};

/* Returns the colour of a name, which is the same in every picture. Black text is legible on every colour. */
struct picture_colour picture_colour_of(const struct picture_name *name);
/* Returns the colour of a kind in the legend. */
struct picture_colour picture_colour_of_kind(enum picture_kind kind);
/* Returns the colour of a frame in a comparison: red for more, blue for less, grey if chance explains the difference.
 * largest: what picture_largest_change returns. */
struct picture_colour picture_colour_of_change(const struct picture_tree *tree, uint32_t frame, double largest);
/* Returns the colour of a change in the legend. direction: 1 for more, -1 for less, 0 for no more than chance. */
struct picture_colour picture_colour_of_direction(int direction);

/* Returns a frame's share of the whole minus its share in the baseline, -1 to 1. */
double picture_change(const struct picture_tree *tree, uint32_t frame);
double picture_largest_change(const struct picture_tree *tree);
/* Returns true if the change of a frame is significant: chance alone makes a smaller change in 95 % of cases. */
bool picture_is_significant(const struct picture_tree *tree, uint32_t frame);
/* Does the same for a frame that is not in a tree yet. root is the root frame of its future tree. */
bool picture_differs(const struct picture_frame *frame, const struct picture_frame *root);

/* --- embedded files ------------------------------------------------------------------------ */

/* The scripts, styles and pages: the contents of the files with these names in this folder. */
extern const char picture_flame_js[], picture_flame_svg_js[], picture_flame_svg_css[], picture_flame_html_html[],
    picture_flame_html_css[], picture_flame_html_js[], picture_heat_svg_js[];

#endif
