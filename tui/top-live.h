/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the live view, which the files of its loop share. */
#ifndef TUI_TOP_LIVE_H
#define TUI_TOP_LIVE_H

#include "canvas.h"
#include "program-output.h"
#include "top-internal.h"

/* Between snapshots for what is being looked up: code, and names at the end. */
#define TOP_ASK_NS UINT64_C(100000000)

struct top {
    const struct top_request *request;
    struct top_result *result;
    struct model *model;
    struct canvas canvas;
    struct source source;
    struct output output;
    uint64_t window_at; /* time: the next window ends; 0: nothing is profiled yet */
    uint64_t names_at;  /* time: names for it are asked for; 0: they have been */
    uint64_t ask_at;    /* time of a snapshot between; 0: none */
    uint64_t key_at;    /* time of the last key, or of the end */
    double agreed_hz;   /* what the library was asked for and took */
    bool agreed_wall;
    uint64_t last_at; /* time of the last screen, whatever it lacks; 0: the targets live */
    uint64_t candidates_at;
    bool told_dead;
    uint64_t painted_ns; /* time of the last screen */
    uint64_t output_at;  /* time that output which is not on the screen yet is put there; 0: none */
    bool repaint, redraw, quit;
};

/* Starts the program or attaches, or shows the list of processes. 0, or a negative errno and a
 * problem. */
int top_begin(struct top *top);
/* The session is open: its first window begins. */
void top_begin_sampling(struct top *top);
bool top_is_over(const struct top *top);

void top_take_candidates(struct top *top);
/* due: a window ends with it. */
void top_take_snapshot(struct top *top, bool due);
void top_end_window(struct top *top);

/* Carries out what an action wants. */
void top_obey(struct top *top, enum effect effect);
/* Stops us, as Ctrl-Z does everywhere, until somebody lets us go on. */
void top_suspend(struct top *top);

#endif
