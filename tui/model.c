/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model as a whole: makes and frees it, keeps messages, and says which page, list and filters are shown. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model-internal.h"

struct model *model_new(void)
{
    struct model *model = calloc(1, sizeof *model);

    if (model == NULL)
        return NULL;
    model->page = PAGE_TABLE;
    model->view = model->position = PPROFIL_BY_FUNCTION;
    model->now.status = -1;
    model->blocked_in = "";
    model->calls.first = CALLS_NONE;
    model->output_follows = true;
    model->own_targets = true;
    model->asked_hz = 1000;
    model->window_seconds = 1;
    return model;
}

void snapshot_rows_free(struct snapshot_rows *rows)
{
    free(rows->rows);
    free(rows->history);
    *rows = (struct snapshot_rows){0};
}

void snapshot_timeline_free(struct snapshot_timeline *timeline)
{
    free(timeline->rows);
    free(timeline->cells);
    *timeline = (struct snapshot_timeline){0};
}

void snapshot_free(struct snapshot *snapshot)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        snapshot_rows_free(&snapshot->by[by]);
    free(snapshot->calls.rows);
    snapshot_timeline_free(&snapshot->timeline);
    free(snapshot->tasks);
    free(snapshot->processes);
    free(snapshot->code);
    free(snapshot->code_old);
    *snapshot = (struct snapshot){.status = -1};
}

void model_free(struct model *model)
{
    if (model == NULL)
        return;
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++) {
        table_free(&model->tables[by]);
        table_free(&model->frozen[by]);
    }
    snapshot_free(&model->now);
    calls_free(&model->calls);
    snapshot_timeline_free(&model->timeline.now);
    free(model->candidates);
    free(model->candidate_cpu);
    free(model->picked);
    free(model->marked);
    free(model->attach_pids);
    free(model->shown);
    free(model);
}

/* --- messages, pages and lists ------------------------------------------------------------ */

void model_say(struct model *model, uint64_t now_ns, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(model->message, sizeof model->message, format, arguments);
    va_end(arguments);
    model->message_until_ns = now_ns + MESSAGE_NS;
    model->message_waits = false;
}

void model_answer(struct model *model, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(model->message, sizeof model->message, format, arguments);
    va_end(arguments);
    model->message_until_ns = UINT64_MAX;
    model->message_waits = true;
}

void model_answer_seen(struct model *model, uint64_t time_ns)
{
    if (model->message_waits)
        model->message_until_ns = time_ns + MESSAGE_NS;
    model->message_waits = false;
}

enum key_where model_where(const struct model *model)
{
    static const enum key_where pages[MODEL_PAGES] = {
        [PAGE_PICKER] = KEY_IN_PICKER,
        [PAGE_TABLE] = KEY_IN_TABLE,
        [PAGE_CODE] = KEY_IN_CODE,
        [PAGE_CALLS] = KEY_IN_CALLS,
        [PAGE_FLAME] = KEY_IN_FLAME,
        [PAGE_OUTPUT] = KEY_IN_OUTPUT,
        [PAGE_TIMELINE] = KEY_IN_TIMELINE,
    };

    return model->help ? KEY_IN_HELP : pages[model->page];
}

/* Returns the table of the present view. If the view is opened during a pause, the table has no rows
 * until the next snapshot. */
const struct table *model_table(const struct model *model)
{
    return model->paused ? &model->frozen[model->view] : &model->tables[model->view];
}

uint32_t model_list_count(const struct model *model)
{
    switch (model->page) {
    case PAGE_PICKER:
        return model->picked_count;
    case PAGE_TABLE:
        return model_table(model)->count;
    case PAGE_CODE:
        return model->now.code_count;
    case PAGE_TIMELINE:
        return timeline_lines(model);
    case PAGE_CALLS:
        return model->calls.line_count;
    case PAGE_FLAME:
        return 0; /* the page has boxes, not lines */
    case PAGE_OUTPUT:
        return model->output.count;
    }
    return 0;
}

const struct pprofil_task *model_task(const struct model *model, uint32_t tid)
{
    for (uint32_t i = 0; i < model->now.task_count; i++)
        if (model->now.tasks[i].tid == tid)
            return &model->now.tasks[i];
    return NULL;
}

void model_breadcrumb(const struct model *model, char *text, size_t size)
{
    size_t used = 0;

    if (size == 0)
        return;
    text[0] = '\0';
    for (unsigned i = 0; i < model->filter_count && used < size; i++) {
        int more = snprintf(text + used, size - used, "%s%s", i > 0 ? " › " : "", model->filters[i].label);
        used += more > 0 ? (size_t)more : 0;
    }
}
