/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top-internal: what the files of pprofil top share. */
#ifndef TUI_TOP_INTERNAL_H
#define TUI_TOP_INTERNAL_H

#include "canvas.h"
#include "model.h"
#include "program-output.h"
#include "snapshot-source.h"

#define TOP_LAST_NAMES_NS UINT64_C(2000000000) /* at most, that a last screen waits for names */

/* So long before a window ends names are asked for, ns. */
uint64_t top_names_lead(const struct model *model);

/* The model as the request wants it. */
void top_set_up_model(struct model *model, const struct top_request *request);
/* What is profiled, for the header. */
void top_describe(struct model *model, const struct top_request *request, const char *command);
/* Starts the program with nothing to read, and its output to a descriptor. 0, or a negative errno
 * and a problem. */
int top_start_program(struct source *source, const struct top_request *request, int output,
                      struct top_result *result);
/* Ends the sampling, for the result; of what went wrong with it that is said which came first. */
void top_finish(struct source *source, struct top_result *result);

/* pprofil top --batch: as top_run. */
int top_batch(const struct top_request *request, struct top_result *result);

/* --- top-session.c: the state of the live view ---------------------------------------------- */

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
