/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * picture: makes flame graphs and heat maps of a profile, in files that a browser opens.
 *
 * A flame graph is a tree of frames. Stacks that begin with the same frames share these frames. The width of a frame
 * shows how much time was spent in it and in what it called. The tree is made once, and each file format draws it in
 * its own way. With a second profile, the baseline, the picture shows what has changed. Which changes are significant
 * is decided by the tests of pprofil diff (report/diff-tests.h).
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
#include "report/diff-tests.h"

/* The kind of a frame, which the legend explains. */
enum picture_kind {
    PICTURE_ALL,     /* the root */
    PICTURE_PROCESS, /* the first frame of a stack, if processes with different names have samples */
    PICTURE_PROGRAM,
    PICTURE_LIBRARY,
    PICTURE_JIT,    /* code in no file */
    PICTURE_KERNEL, /* a system call, or code of the kernel */
    PICTURE_ASLEEP, /* a system call that waits */
    PICTURE_MARK,   /* not code: shows why a stack ends, or that the code is not known */
    PICTURE_KINDS,
};

/* Returns the kind that all frames in this object have. */
enum picture_kind picture_kind_of(const struct profile *profile, uint32_t object);
/* Returns the word that the legend has for a kind, such as "program". */
const char *picture_kind_name(enum picture_kind kind);

struct picture_name {
    const char *text;   /* name of the function, made harmless by picture_clean */
    const char *object; /* last part of the path of the function's object, made harmless by picture_clean; may be "" */
    enum picture_kind kind;
    /* how the function differs from the baseline, if its name is that of a function that the linker knows; NULL: it is
     * not, or there is no baseline; borrowed from picture_tree.tests */
    const struct pprofil_diff_row *function;
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
    struct picture_weight old_total, old_self; /* the values of total and self in the baseline */
    enum diff_verdict verdict; /* on the change of the total since the baseline */
};

/* A tree of frames, in depth-first order: a frame comes before the frames that it called. Frames with the same caller
 * are sorted by name. Frame 0 is the root, which contains all other frames. */
struct picture_tree {
    struct picture_name *names;
    struct picture_frame *frames;
    uint32_t name_count, frame_count, depth; /* `depth` is the depth of the deepest frame */
    bool timed;                              /* values are ns, not samples */
    bool wall;                               /* values are of elapsed time, not of CPU time */
    bool compares;                           /* there is a baseline */
    uint32_t dropped;                        /* number of frames that are left out because they are too small */
    uint64_t cut;                            /* none of the frames counted in `dropped` has a larger value than this */
    uint32_t deeper;                         /* number of frames that are left out because their row is not kept */
    /* total value of the frames that only the baseline has, without frames that the profile may lack by chance */
    uint64_t gone;
    uint64_t kinds;                          /* set of the kinds of frames that occur: bit 1 << kind */
    /* owned; a profile of which only the strings are used: the texts of the names */
    struct profile *strings;
    /* owned; the functions of both profiles and their changes, if there is a baseline */
    struct diff_functions functions;
    struct diff_tests tests;
};

/* Limits of what a picture shows. */
struct picture_limits {
    uint32_t most; /* largest number of frames that are kept; the smallest frames are dropped first */
    double share;  /* a frame with a smaller share of the whole than this is dropped; 0 to 1 */
    uint32_t rows; /* number of rows of frames that are always kept */
    /* a deeper row is kept only if its frames together have more than this share of the whole; 0 to 1 */
    double deep;
    /* which size of a frame decides whether it is dropped. true: its value, or its value in the baseline if that is
     * larger. false: its value, so frames that only the baseline has are dropped */
    bool keep_old;
};

/* Makes the tree of a profile. baseline is the profile to compare with, or NULL. Returns 0, -ENOMEM, -EOVERFLOW, or
 * PPROFIL_ERROR_MIXED_TIMES if one profile has elapsed time and the other has CPU time. The caller clears the tree only
 * if the result is 0, and before it frees the profiles. The tree may not be copied. */
int picture_tree_make(const struct profile *profile, const struct profile *baseline,
                      const struct picture_limits *limits, struct picture_tree *tree);
void picture_tree_clear(struct picture_tree *tree);

/* Returns true if the samples of a profile represent time. If not, they are only counted. */
bool picture_is_timed(const struct profile *profile);

/* --- merged stacks (merge-stacks.c) --------------------------------------------------------- */

/* The names and stacks of the profiles that are merged. Names and stacks that are equal are stored once. names[0] and
 * nodes[0] are those of the root. */
struct picture_store {
    struct profile *strings; /* owned: a profile of which only the table of strings is used */
    struct stored_name {
        uint32_t text, object; /* strings */
        enum picture_kind kind;
        uint32_t function; /* index in diff_functions.all, or DIFF_NO_FUNCTION */
    } *names; /* owned */
    struct stored_node {
        uint32_t parent, name;
        uint32_t place; /* index in `places`; 0: no place, or no places were asked for */
        bool call;      /* the node is the system call of a sample, not a frame of its stack */
    } *nodes; /* owned; a parent comes before its children */
    struct stored_place {
        uint32_t file, line; /* `file` is a string of the merged profile, not of `strings` */
    } *places; /* owned; places[0] stands for no place */
    uint32_t name_count, node_count, place_count;
    struct memo memo;
};

/* Makes a store that contains only the root and no place. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears the store
 * in any case. */
int picture_store_open(struct picture_store *store);
void picture_store_clear(struct picture_store *store);

/* What is needed while the stacks of one profile are merged into the store. */
struct stack_merge {
    const struct profile *from;
    struct picture_store *to;
    const struct diff_functions *functions; /* the functions of this profile and another; NULL: nothing is compared */
    int side;         /* which of the two profiles of `functions` this is */
    bool several;     /* processes with different names have samples, so the first frame of each stack is its process */
    bool places;      /* frames are merged only if they are at the same line of the same source file */
    uint32_t *order;  /* owned; indexes in from->samples, sorted by the names of the processes */
    /* owned; an element for each node of `from`. Samples are merged in the order of `order`, one process name after
     * another, and these names are numbered from 1. lane[i] is the number of the last name for which node i was merged;
     * 0: none yet */
    uint32_t *lane;
    uint32_t *merged; /* owned; merged[i] is the node of the store that node i became when it was merged for lane[i] */
    uint32_t *stack; /* owned; nodes of the current stack that are still to be merged, leaf first */
    /* owned; an element for each location of `from`: the index of its function's name in to->names; 0: not stored yet.
     * Not used for a location with several functions */
    uint32_t *names;
    /* owned; an element for each sample of `from`: the node of the store for the sample's innermost frame */
    uint32_t *leaves;
};

/* Merges all stacks of merge->from into the store, and fills merge->leaves. Returns 0, -ENOMEM or -EOVERFLOW. The
 * caller clears *merge in any case. */
int stack_merge_profile(struct stack_merge *merge);
void stack_merge_clear(struct stack_merge *merge);

/* Returns true if processes with different names have samples. */
bool stack_merge_has_several(const struct profile *profile);

/* --- drafts (draft.c) ---------------------------------------------------------------------- */

/* All frames, before some are dropped and the others sorted: an element for each node of the store. */
struct draft {
    struct picture_frame *frames; /* owned */
    uint32_t count;
};

/* Makes the draft from the merged stacks of the profile and of the baseline. If tree->compares is set, tests the change
 * of each frame; tree->tests must have been made. Returns 0 or -ENOMEM. The caller frees draft->frames in any case. */
int draft_make(const struct stack_merge *merge, const struct stack_merge *old, const struct picture_tree *tree,
               struct draft *draft);
/* Finds the functions of both profiles, and compares their shares as pprofil diff does. Fills tree->functions and
 * tree->tests. Returns 0, -ENOMEM or -EOVERFLOW. */
int draft_test_functions(const struct profile *profile, const struct profile *baseline, struct picture_tree *tree);
/* Returns how much of the baseline is in frames that the profile does not have. Leaves out frames that the profile may
 * lack by chance. Adds a frame only if its caller is in the profile, because the value of a frame includes all frames
 * below it. */
uint64_t draft_sum_gone(const struct draft *draft);

/* --- pages --------------------------------------------------------------------------------- */

/* A page is made in memory, and written when it is complete. */
struct page {
    FILE *out;
    char *text;
    size_t size;
};

/* Begins a page. Returns 0 or -ENOMEM. */
int page_open(struct page *page);
/* Writes the page to the descriptor `fd` if `error` is 0. Frees the page in any case. Returns `error` if it is not 0,
 * else 0 or the error of writing. */
int page_close(struct page *page, int fd, int error);

/* Writes the beginning of an HTML page, until <body>. `css` is the page's style. */
void page_put_head(FILE *out, const char *title, const char *css);
/* Writes the kinds of frames as the JSON member "kinds", with a comma before it: an array of arrays [word, 1 if the
 * kind is in the set `kinds`, colour]. */
void page_put_kinds(FILE *out, uint64_t kinds);
/* Writes four elements of a JSON array about a name: text, object, kind, colour. Returns 0 or -ENOMEM. */
int page_put_name(FILE *out, const struct picture_name *name);

/* Writes a number with at most `decimals` decimals (0 to 4), and a decimal point in every locale. */
void page_put_number(FILE *out, double number, unsigned decimals);
/* Writes lines of text about a frame: its total and its self value. In a comparison, also writes its total in the
 * baseline, and how much it has changed. */
void page_put_figures(FILE *out, const struct picture_tree *tree, uint32_t frame);

/* --- heat maps (page-svg.c) ---------------------------------------------------------------- */

/* Writes the beginning of an SVG page: its size in units, the style, and the background. */
void page_put_svg_head(FILE *out, unsigned width, unsigned height);
/* Writes the title, as the name of the page and as its first line. */
void page_put_svg_title(FILE *out, const char *title);
/* Writes a rectangle, without the end of its tag. */
void page_put_rect(FILE *out, double x, double y, double width, double height);
/* Writes the labels of a time axis, from 0 to `seconds` (more than 0), which is `width` units long. y: where the text
 * stands. */
void page_put_time_axis(FILE *out, double left, double y, double width, double seconds);
/* Writes the line of text that describes the place under the pointer, and the end of the page. A place is a group in
 * the element "places" that has a title. */
void page_put_svg_end(FILE *out, unsigned x, unsigned y);

/* --- text ---------------------------------------------------------------------------------- */

/* Returns a copy of a text that can neither do harm nor hide anything. The copy is valid UTF-8, and is cut after 500
 * characters. Control characters become visible symbols, and characters that change the direction of writing are
 * replaced. The caller frees the copy. Returns NULL if there is no memory. */
char *picture_clean(const char *text);

/* Writes a text that picture_clean has made harmless into XML or HTML, between tags or in a quoted attribute. */
void picture_escape(FILE *out, const char *text);
/* Writes a text as picture_escape does, but at most `columns` columns of it. A text that is cut ends with "…". Writes
 * nothing if `columns` is less than 3. */
void picture_escape_clipped(FILE *out, const char *text, unsigned columns);
/* Writes a text that picture_clean has made harmless as a JSON string that is safe in a script element. Returns 0 or
 * -ENOMEM. */
int picture_json(FILE *out, const char *text);

/* Write a number into text. picture_format_value writes a value of the tree, such as "1.23 s" or "1,234 samples".
 * picture_format_count writes a count, such as "1,234". */
#define PICTURE_FIGURE_SIZE 64
void picture_format_value(const struct picture_tree *tree, uint64_t value, char text[PICTURE_FIGURE_SIZE]);
void picture_format_count(uint64_t count, char text[PICTURE_FIGURE_SIZE]);

/* Make the two lines of text that are above a picture. The title has the command and the kind of picture (`what`). The
 * subtitle has the totals of the picture. The caller frees the text. Return 0 or -ENOMEM. */
int picture_title(const struct profile *profile, const char *what, char **title);
int picture_subtitle(const struct profile *profile, const struct picture_tree *tree, char **subtitle);

/* --- colours ------------------------------------------------------------------------------- */

struct picture_colour {
    unsigned char red, green, blue;
};

/* Returns the colour of a name, which is the same in every picture. Black text is legible on every colour. */
struct picture_colour picture_colour_of(const struct picture_name *name);
/* Returns the colour that the legend has for a kind. */
struct picture_colour picture_colour_of_kind(enum picture_kind kind);
/* Returns the colour of a frame in a comparison: red if its share has grown, blue if it has shrunk, grey if the change
 * may be chance. `largest` is the result of picture_largest_change. */
struct picture_colour picture_colour_of_change(const struct picture_tree *tree, uint32_t frame, double largest);
/* Returns the colour that the legend has for a direction of change. direction is 1 for more, -1 for less, and 0 for a
 * change that may be chance. */
struct picture_colour picture_colour_of_direction(int direction);

/* Returns a frame's share of the whole profile minus its share of the whole baseline. The result is from -1 to 1. */
double picture_change(const struct picture_tree *tree, uint32_t frame);
double picture_largest_change(const struct picture_tree *tree);

/* --- embedded files ------------------------------------------------------------------------ */

/* The contents of the scripts, styles and pages in this folder. Each variable is named after its file. */
extern const char picture_flame_js[], picture_flame_canvas_js[], picture_figures_js[], picture_frame_trees_js[],
    picture_flame_svg_js[],
    picture_flame_svg_css[], picture_flame_html_html[], picture_flame_html_css[], picture_flame_html_js[],
    picture_heat_svg_js[];

#endif
