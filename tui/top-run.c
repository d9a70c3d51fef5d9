/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loop of the live view. Keys become actions of the model, and the loop carries out their
 * effects. At the end of each window a snapshot becomes a screen. The loop waits only in poll(2).
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "screen.h"
#include "signals.h"
#include "top-state.h"
#include "view.h"

#define MILLISECOND 1000000ull /* ns */
/* least time between two screens that differ only in the program's output */
#define OUTPUT_NS (50 * MILLISECOND)

/* --- the screen ------------------------------------------------------------------------ */

static void top_paint(struct top *top)
{
    int rows, columns;

    screen_size(&rows, &columns);
    top->canvas.utf8 = screen_utf8();
    if (rows != top->canvas.rows || columns != top->canvas.columns) {
        if (canvas_resize(&top->canvas, rows, columns) != 0)
            return;
        output_resize(&top->output, rows > 4 ? rows - 4 : 1, columns);
    }
    view_screen(top->model, &top->canvas, time_now());
    screen_show(&top->canvas, top->redraw);
    top->repaint = top->redraw = false;
    top->painted_ns = time_now();
    top->output_at = 0;
}

/* Reads the program's output. The model gets the new lines immediately, because lines that are dropped are freed, and
 * the model may have pointers to them. The screen gets the lines later, because a program may write much more than
 * anybody can read. */
static void top_read_output(struct top *top)
{
    struct model *model = top->model;
    uint64_t dropped = top->output.dropped;

    if (!output_read(&top->output))
        return;
    dropped = top->output.dropped - dropped;
    model->output.lines = (const char *const *)top->output.lines;
    model->output.count = top->output.count;
    if (model->page != PAGE_OUTPUT)
        return;
    if (!model->output_follows) /* keeps the same lines on the screen when older lines were dropped */
        model->top -= dropped < model->top ? (uint32_t)dropped : model->top;
    if (top->output_at == 0)
        top->output_at = top->painted_ns + OUTPUT_NS;
}

/* Handles a key. A click on a column's title sorts by the column. The model handles all other keys. */
static enum effect top_take_key(struct top *top, const struct key_event *event)
{
    struct model *model = top->model;
    bool on_header = event->key == TUI_KEY_CLICK && model->page == PAGE_TABLE && !model->help &&
                     model->header_row > 0 && event->row == (int)model->header_row;
    int sort = on_header ? view_sort_at(model, top->canvas.columns, event->column) : -1;

    return sort < 0 ? model_key(model, event) : model_act(model, ACTION_SORT, sort);
}

static void top_read_keys(struct top *top)
{
    struct key_event event;

    while (!top->quit && screen_key(&event)) {
        if (event.key == TUI_KEY_RESIZE)
            top->redraw = true;
        else
            top_obey(top, top_take_key(top, &event));
        top->repaint = true;
        top->key_at = time_now();
        /* other rows may be on the screen now; the next snapshot brings their names and definitions */
        if (top_is_over(top) && top->window_at == 0 && top->source.diff == NULL)
            top->ask_at = top->key_at + TOP_ASK_NS;
    }
}

/* --- the loop -------------------------------------------------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return b != 0 && b < a ? b : a;
}

static int top_wait_ms(const struct top *top)
{
    uint64_t now = time_now(), next = now + 1000 * MILLISECOND;

    next = earlier(next, top->window_at);
    next = earlier(next, top->names_at);
    next = earlier(next, top->ask_at);
    next = earlier(next, top->output_at);
    next = earlier(next, top->model->message[0] != '\0' ? top->model->message_until_ns : 0);
    if (top->model->page == PAGE_PICKER)
        next = earlier(next, top->candidates_at);
    return next <= now ? 0 : (int)((next - now) / MILLISECOND) + 1;
}

/* Returns true if the last screen must still wait for names. The last screen stays after the end of
 * all targets, so it should have all names. The wait takes at most TOP_LAST_NAMES_NS. */
static bool top_lacks_names(struct top *top, uint64_t now)
{
    if (top->last_at == 0)
        top->last_at = now + TOP_LAST_NAMES_NS;
    return now < top->last_at && source_ask_names(&top->source) > 0;
}

static void top_do_due(struct top *top)
{
    uint64_t now = time_now();
    bool over = top_is_over(top);

    if (top->model->page == PAGE_PICKER && now >= top->candidates_at)
        top_take_candidates(top);
    if (top->names_at != 0 && now >= top->names_at) {
        source_ask_names(&top->source);
        top->names_at = 0;
    }
    if (top->window_at != 0 && now >= top->window_at && over && !top->source.saved && top_lacks_names(top, now))
        top->window_at = now + TOP_ASK_NS;
    if (top->window_at != 0 && now >= top->window_at) {
        /* makes snapshots frequent for a while (top_next_ask), because names of the last rows may still come */
        if (over)
            top->key_at = now;
        top_end_window(top);
        if (over) /* there are no more windows */
            top->window_at = top->names_at = 0;
    }
    if (top->output_at != 0 && now >= top->output_at)
        top->repaint = true;
    if (top->ask_at != 0 && now >= top->ask_at)
        top_take_snapshot(top, false);
    if (top->model->message[0] != '\0' && now >= top->model->message_until_ns) {
        top->model->message[0] = '\0';
        top->repaint = true;
    }
}

static void top_turn(struct top *top)
{
    bool live = top->source.session != NULL && !top_is_over(top);
    struct pollfd fds[] = {
        {.fd = screen_fd(), .events = POLLIN},
        {.fd = signals_fd(), .events = POLLIN},
        {.fd = live ? pprofil_session_fd(top->source.session) : -1, .events = POLLIN},
        {.fd = top->output.master, .events = POLLIN},
    };

    if (top->repaint)
        top_paint(top);
    poll(fds, sizeof fds / sizeof *fds, top_wait_ms(top));
    if (fds[0].revents & (POLLHUP | POLLERR))
        top->result->signal = SIGHUP; /* the terminal is closed */
    if (signals_stop_asked())
        top_suspend(top);
    if (signals_ending() != 0)
        top->result->signal = signals_ending();
    top->quit = top->result->signal != 0;
    /* keys are read even if a signal interrupted poll(2), because a new size of the terminal comes as a key */
    top_read_keys(top);
    if (fds[2].revents != 0)
        source_pump(&top->source);
    if (fds[3].revents != 0)
        top_read_output(top);
    top_do_due(top);
}

static int top_view(struct top *top)
{
    int error = screen_open();

    if (error == -ENOTTY)
        snprintf(top->result->problem, sizeof top->result->problem,
                 "the screen needs a terminal; --batch writes text to a file or a pipe");
    else if (error != 0)
        snprintf(top->result->problem, sizeof top->result->problem,
                 "the terminal '%s' is not known; set TERM, or use --batch",
                 getenv("TERM") != NULL ? getenv("TERM") : "");
    if (error != 0)
        return error;
    error = signals_catch(screen_close);
    signals_catch_stop();
    if (error == 0)
        error = top_begin(top);
    top->repaint = true;
    while (error == 0 && !top->quit)
        top_turn(top);
    screen_close();
    signals_release();
    return error;
}

int top_run(const struct top_request *request, struct top_result *result)
{
    struct top top = {.request = request, .result = result, .source = {.status = -1},
                      .output = {.master = -1, .keeper = -1}};

    *result = (struct top_result){.status = -1};
    if (request->batch)
        return top_batch(request, result);
    top.model = model_new();
    if (top.model == NULL)
        return -ENOMEM;
    top_set_up_model(top.model, request);
    int error = top_view(&top);
    if (top.model->silent_seconds > 0)
        fprintf(stderr, "pprofil: waiting for the supervisor, which does not answer\n");
    top_finish(&top.source, result);
    output_close(&top.output);
    canvas_free(&top.canvas);
    model_free(top.model);
    return error;
}
