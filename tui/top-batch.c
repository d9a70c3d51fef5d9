/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil top --batch: prints frames of text instead of screens, for scripts and logs. The frames
 * go to standard output. The output of the program goes to our standard error.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "signals.h"
#include "top-state.h"
#include "view.h"

#define DEFAULT_COLUMNS 132
#define NAMES_MS 20

struct batch {
    const struct top_request *request;
    struct top_result *result;
    struct model *model;
    struct canvas canvas;
    struct source source;
    unsigned frames;
};

static int batch_columns(void)
{
    const char *text = getenv("COLUMNS");
    long width = text != NULL ? strtol(text, NULL, 10) : 0;

    return width >= VIEW_COLUMNS_MIN && width <= 4096 ? (int)width : DEFAULT_COLUMNS;
}

/* Waits until the time `until` (CLOCK_MONOTONIC, ns), or until all targets have ended. Processes
 * events meanwhile. Returns false if a signal asks for the end of top. */
static bool batch_wait_until(struct batch *batch, uint64_t until)
{
    while (time_now() < until && !batch->source.ended && !batch->source.dead) {
        struct pollfd fds[] = {
            {.fd = signals_fd(), .events = POLLIN},
            {.fd = pprofil_session_fd(batch->source.session), .events = POLLIN},
        };
        poll(fds, 2, (int)((until - time_now()) / 1000000) + 1);
        if (signals_ending() != 0) {
            batch->result->signal = signals_ending();
            return false;
        }
        source_pump(&batch->source);
    }
    return true;
}

static int batch_show(struct batch *batch)
{
    struct snapshot_wants wants;
    struct snapshot snapshot;

    model_wants(batch->model, &wants);
    int error = source_take(&batch->source, &wants, &snapshot);
    if (error != 0)
        return error;
    model_take(batch->model, &snapshot, true);
    error = view_frame(batch->model, &batch->canvas, batch_columns(), batch->request->rows);
    if (error == 0)
        error = canvas_print(&batch->canvas, stdout);
    if (error == 0 && (putchar('\n') == EOF || fflush(stdout) == EOF))
        error = -errno;
    return error;
}

/* Waits until the names for the last frame are known, but at most TOP_LAST_NAMES_NS. A short
 * program may end before its names are known. */
static void batch_wait_for_names(struct batch *batch)
{
    uint64_t until = time_now() + TOP_LAST_NAMES_NS;

    while (source_ask_names(&batch->source) > 0 && time_now() < until && signals_ending() == 0)
        poll(NULL, 0, NAMES_MS);
}

static int batch_print_frames(struct batch *batch)
{
    uint64_t window = (uint64_t)(batch->model->window_seconds * 1e9);
    uint64_t next = time_now();
    int error = 0;

    batch->model->began_ns = next; /* so the first frame has a window, too; it may be the only frame */

    while (error == 0) {
        next += window;
        if (!batch_wait_until(batch, next - top_names_lead(batch->model)))
            break;
        source_ask_names(&batch->source);
        if (!batch_wait_until(batch, next))
            break;
        if (batch->source.ended)
            batch_wait_for_names(batch);
        error = batch_show(batch);
        batch->frames++;
        if (batch->source.ended || batch->source.dead ||
            (batch->request->frames > 0 && batch->frames >= batch->request->frames))
            break;
    }
    return error;
}

static void restore_nothing(void)
{
}

int top_batch(const struct top_request *request, struct top_result *result)
{
    struct batch batch = {.request = request, .result = result, .source = {.status = -1}};

    batch.model = model_new();
    if (batch.model == NULL)
        return -ENOMEM;
    top_set_up_model(batch.model, request);
    batch.model->page = PAGE_TABLE;
    batch.model->whole_names = true; /* as in reports that go to no terminal */
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        /* a frame shows the shares of its own window, not shares smoothed over several windows */
        batch.model->tables[by].unsmoothed = true;
    int error = signals_catch(restore_nothing);
    if (error == 0 && request->program != NULL)
        error = source_open_program(&batch.source, request, STDERR_FILENO, result);
    else if (error == 0 && request->profile != NULL)
        error = source_open_saved(&batch.source, request, result->problem, sizeof result->problem);
    else if (error == 0)
        error = source_open(&batch.source, request, NULL, result->problem, sizeof result->problem);
    if (error == 0) {
        top_describe(batch.model, request, pprofil_profile_command(batch.source.profile));
        error = batch_print_frames(&batch);
        if (error == -EPIPE) /* no error: the reader of the pipe needs no more frames, as with head(1) */
            error = 0;
        if (error != 0)
            snprintf(result->problem, sizeof result->problem, "cannot write: %s", strerror(-error));
    }
    signals_release();
    top_finish(&batch.source, result);
    canvas_free(&batch.canvas);
    model_free(batch.model);
    return error;
}
