/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top-state: declarations that the files of pprofil top share. */
#ifndef TUI_TOP_STATE_H
#define TUI_TOP_STATE_H

#include "canvas.h"
#include "model.h"
#include "program-output.h"
#include "snapshot-source.h"

#define TOP_LAST_NAMES_NS UINT64_C(2000000000) /* longest time that the last screen waits for names */

/* --- top-session.c: what the live view and the batch mode share ----------------------------- */

/* Names for a window's rows are requested some time before the end of the window. Returns this time in ns. */
uint64_t top_names_lead(const struct model *model);

/* Copies the rate, kind of time, stacks and length of the window from the request to the model. */
void top_set_up_model(struct model *model, const struct top_request *request);
/* Sets the command in the header, if the request has a program. */
void top_describe(struct model *model, const struct top_request *request, const char *command);
/* Ends the sampling and fills the result. An earlier problem in the result is kept. */
void top_finish(struct source *source, struct top_result *result);

/* --- top-batch.c --------------------------------------------------------------------------- */

/* Runs pprofil top --batch. Returns the same as top_run. */
int top_batch(const struct top_request *request, struct top_result *result);

/* --- top-session.c: the state of the live view ---------------------------------------------- */

/* Time to the next snapshot, in ns, while code is being read, or while names are looked up after the
 * end of all targets. */
#define TOP_ASK_NS UINT64_C(100000000)

struct top {
    const struct top_request *request;
    struct top_result *result;
    struct model *model;
    struct canvas canvas;
    struct source source;
    struct output output;
    uint64_t window_at; /* end of the present window; 0: there is none */
    uint64_t names_at;  /* time when names of the window's rows will be requested; 0: the names have been requested */
    uint64_t ask_at;    /* time of the next snapshot that does not end a window; 0: none */
    uint64_t key_at;    /* time when the last key was pressed or the last window ended */
    double agreed_hz;   /* the last rate that the library accepted */
    bool agreed_wall;
    /* time until which the last screen waits for names; 0: the targets have not ended */
    uint64_t last_at;
    uint64_t candidates_at;
    bool told_dead;
    uint64_t painted_ns; /* time when the screen was last painted */
    uint64_t output_at;  /* time when new output of the program will be shown; 0: there is no new output */
    bool repaint, redraw, quit;
};

/* Starts the program, or attaches to processes, or shows the picker. Returns 0, or a negative error
 * and a text in result->problem. */
int top_begin(struct top *top);
/* Begins the first window. The session must be open. */
void top_begin_sampling(struct top *top);
bool top_is_over(const struct top *top);

void top_take_candidates(struct top *top);
/* Takes a snapshot for the model. If `due` is true, a window ends with the snapshot. */
void top_take_snapshot(struct top *top, bool due);
void top_end_window(struct top *top);

/* Saves a profile to the path in model->text. If that would overwrite files, only asks, with a message. */
void top_save(struct model *model, pprofil_profile *profile);

/* Carries out an effect of an action. */
void top_obey(struct top *top, enum effect effect);
/* Stops pprofil, as Ctrl-Z stops any program, until the shell continues it. */
void top_suspend(struct top *top);

#endif
