/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the live view and its batch mode share. */
#ifndef TUI_TOP_INTERNAL_H
#define TUI_TOP_INTERNAL_H

#include "model.h"
#include "snapshot-source.h"

#define TOP_LAST_NAMES_NS UINT64_C(2000000000) /* at most, that a last screen waits for names */

uint64_t top_now(void); /* CLOCK_MONOTONIC, ns */

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
/* Saves the profile to the path that was typed, and says so. */
void top_save(struct model *model, pprofil_session *session);

/* pprofil top --batch: as top_run. */
int top_batch(const struct top_request *request, struct top_result *result);

#endif
