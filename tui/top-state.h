/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top-state: what the files of pprofil top share. */
#ifndef TUI_TOP_STATE_H
#define TUI_TOP_STATE_H

#include "canvas.h"
#include "model.h"
#include "program-output.h"
#include "snapshot-source.h"

#define TOP_LAST_NAMES_NS UINT64_C(2000000000) /* longest time that the last screen waits for names */

/* Returns how long before the end of a window its names are asked for, in ns. */
uint64_t top_names_lead(const struct model *model);

/* Sets up the model for the request. */
void top_set_up_model(struct model *model, const struct top_request *request);
/* Sets what the header says is profiled. */
void top_describe(struct model *model, const struct top_request *request, const char *command);
/* Starts the program: it reads from /dev/null and writes to a descriptor. Returns 0, or a
 * negative error and result->problem. */
int top_start_program(struct source *source, const struct top_request *request, int output,
                      struct top_result *result);
/* Ends the sampling and fills the result. An earlier problem is kept. */
void top_finish(struct source *source, struct top_result *result);

/* Runs pprofil top --batch, as top_run does. */
int top_batch(const struct top_request *request, struct top_result *result);

/* --- top-session.c: the state of the live view ---------------------------------------------- */

/* Time to the next snapshot while code is being read, or names at the end. */
#define TOP_ASK_NS UINT64_C(100000000)

struct top {
    const struct top_request *request;
    struct top_result *result;
    struct model *model;
    struct canvas canvas;
    struct source source;
    struct output output;
    uint64_t window_at; /* when the window ends; 0: nothing is profiled */
    uint64_t names_at;  /* when names for the window are asked for; 0: they have been */
    uint64_t ask_at;    /* when a snapshot is taken between two windows; 0: not */
    uint64_t key_at;    /* when the last key came, or the end */
    double agreed_hz;   /* rate that the library has agreed to */
    bool agreed_wall;
    uint64_t last_at; /* when the last screen is painted, even if it lacks names; 0: the targets live */
    uint64_t candidates_at;
    bool told_dead;
    uint64_t painted_ns; /* when the screen was last painted */
    uint64_t output_at;  /* when new output is put on the screen; 0: there is none */
    bool repaint, redraw, quit;
};

/* Starts the program, or attaches, or shows the list of processes. Returns 0, or a negative
 * error and result->problem. */
int top_begin(struct top *top);
/* To be called when the session is open: its first window begins. */
void top_begin_sampling(struct top *top);
bool top_is_over(const struct top *top);

void top_take_candidates(struct top *top);
/* due: a window ends with the snapshot. */
void top_take_snapshot(struct top *top, bool due);
void top_end_window(struct top *top);

/* Carries out an effect of an action. */
void top_obey(struct top *top, enum effect effect);
/* Stops us, as Ctrl-Z does anywhere, until the shell continues us. */
void top_suspend(struct top *top);

#endif
