/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the live view shows: how sampling begins, and the snapshots that are taken of it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "top-live.h"

#define MILLISECOND 1000000ull /* ns */
#define FIRST_NAMES_NS (100 * MILLISECOND)
#define FIRST_WINDOW_NS (300 * MILLISECOND)
#define CANDIDATES_NS (1000 * MILLISECOND)
/* After the end nothing but what is looked up comes: it is asked for often, then now and then. */
#define ASK_OFTEN_NS (2000 * MILLISECOND)
#define ASK_SELDOM_NS (1000 * MILLISECOND)
#define ASK_NS_MAX (30000 * MILLISECOND) /* where a definition is read nobody says when */
#define PROGRAM_ROWS 24
#define PROGRAM_COLUMNS 80

/* --- beginning ------------------------------------------------------------------------- */

static int begin_program(struct top *top)
{
    int program;
    int error = output_open(&top->output, PROGRAM_ROWS, PROGRAM_COLUMNS, &program);

    if (error != 0) {
        snprintf(top->result->problem, sizeof top->result->problem,
                 "no pseudo-terminal for the program: %s", strerror(-error));
        return error;
    }
    error = top_start_program(&top->source, top->request, program, top->result);
    close(program);
    top->model->has_output = true;
    return error;
}

void top_begin_sampling(struct top *top)
{
    const pprofil_profile *profile = pprofil_session_profile(top->source.session);

    top_describe(top->model, top->request, pprofil_profile_command(profile));
    top->model->page = PAGE_TABLE;
    top->agreed_hz = top->model->asked_hz;
    top->agreed_wall = top->model->wall;
    top->names_at = top_now() + FIRST_NAMES_NS;
    top->window_at = top_now() + FIRST_WINDOW_NS;
    if (top->source.warning[0] != '\0')
        model_say(top->model, top_now(), "%s", top->source.warning);
    top->repaint = true;
}

int top_begin(struct top *top)
{
    const struct top_request *request = top->request;
    int error = 0;

    if (request->program != NULL)
        error = begin_program(top);
    else if (request->pid_count > 0)
        error = source_open(&top->source, request, NULL, top->result->problem,
                            sizeof top->result->problem);
    else
        top->model->page = PAGE_PICKER;
    if (error == 0 && top->source.session != NULL)
        top_begin_sampling(top);
    return error;
}

/* --- snapshots ------------------------------------------------------------------------- */

void top_take_candidates(struct top *top)
{
    struct pprofil_candidate *candidates;
    uint32_t count;

    top->candidates_at = top_now() + CANDIDATES_NS;
    int error = pprofil_candidates(&candidates, &count);
    if (error == 0)
        model_take_candidates(top->model, candidates, count, top_now());
    else
        model_say(top->model, top_now(), "cannot list the processes: %s", strerror(-error));
    top->repaint = true;
}

bool top_is_over(const struct top *top)
{
    return top->source.ended || top->source.dead;
}

static bool lacks_rows(const struct snapshot *snapshot)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        for (uint32_t i = 0; i < snapshot->by[by].count; i++)
            if (snapshot->by[by].rows[i].pending)
                return true;
    return snapshot->pending > 0;
}

/* No window brings what is looked up after the end: rows just come into sight, another view. */
static uint64_t next_ask(const struct top *top, const struct snapshot *snapshot)
{
    uint64_t now = top_now(), idle = now - top->key_at;
    bool unknown_status = top->source.child > 0 && top->source.status < 0;

    if (snapshot->code_state == -EAGAIN)
        return now + TOP_ASK_NS;
    if (!top_is_over(top))
        return 0;
    if (idle < ASK_OFTEN_NS)
        return now + TOP_ASK_NS;
    bool more = idle < ASK_NS_MAX || unknown_status || lacks_rows(snapshot);
    return more ? now + ASK_SELDOM_NS : 0;
}

void top_take_snapshot(struct top *top, bool due)
{
    struct snapshot_wants wants;
    struct snapshot snapshot;

    model_wants(top->model, &wants);
    if (source_take(&top->source, &wants, &snapshot) != 0)
        return; /* no memory: the screen stays as it is */
    top->ask_at = next_ask(top, &snapshot);
    model_take(top->model, &snapshot, due);
    if (top->ask_at == 0 && !top_is_over(top) && model_awaits_names(top->model))
        top->ask_at = top_now() + TOP_ASK_NS;
    if (top->source.dead && !top->told_dead) { /* the header goes on to say it */
        model_say(top->model, top_now(), "the supervisor has died; the target runs on");
        top->told_dead = true;
    }
    top->repaint = true;
}

void top_end_window(struct top *top)
{
    uint64_t window = (uint64_t)(top->model->window_seconds * 1e9);

    top_take_snapshot(top, true);
    uint64_t now = top_now();
    top->window_at += window;
    if (top->window_at <= now) /* suspended, or a long window was made a short one */
        top->window_at = now + window;
    top->names_at = top->window_at - top_names_lead(top->model);
}
