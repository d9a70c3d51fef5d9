/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Live views: the code of functions, with its samples. The thread of the async symbolizer reads the code of a function
 * once, and the live view keeps the code. Each call of pprofil_live_code sums all samples again.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "base/array.h"
#include "live/live-internal.h"
#include "report/code.h"

static int live_no_code(struct pprofil_live *live, const char *why)
{
    snprintf(live->problem, sizeof live->problem, "%s", why);
    return PPROFIL_ERROR_NO_CODE;
}

const char *pprofil_live_problem(const pprofil_live *live)
{
    return live->problem;
}

static struct live_code *live_find_code(const struct pprofil_live *live, uint64_t id)
{
    for (uint32_t i = 0; i < live->code_count; i++)
        if (live->codes[i].id == id)
            return &live->codes[i];
    return NULL;
}

static int live_ask_for_code(struct pprofil_live *live, uint64_t id, uint32_t location)
{
    struct live_code code = {.id = id, .code = {.location = location}};
    int error = array_grow(&live->codes, live->code_count, sizeof *live->codes);

    if (error == 0)
        error = async_symbolizer_want_code(live->async, location);
    if (error == 0)
        live->codes[live->code_count++] = code;
    if (error == 0)
        error = live_exchange(live);
    return error == 0 ? -EAGAIN : error;
}

int pprofil_live_code(pprofil_live *live, enum pprofil_by by, uint64_t id, const struct pprofil_filter *filter,
                      pprofil_code **result)
{
    int error = live_exchange(live);

    if (error != 0)
        return error;
    if (by != PPROFIL_BY_FUNCTION && by != PPROFIL_BY_LINE)
        return live_no_code(live, "only functions and lines have code");
    uint32_t location = live_location(live, by, id);
    if (location == PROFILE_NONE && by == PPROFIL_BY_FUNCTION && async_symbolizer_pending(live->async) == 0)
        return live_no_code(live, "no such row");
    if (location == PROFILE_NONE) /* no location of the row has been looked up yet */
        return -EAGAIN;
    uint64_t function = report_id(live->profile, PPROFIL_BY_FUNCTION, location);
    const struct live_code *code = live_find_code(live, function);
    if (code == NULL)
        return live_ask_for_code(live, function, location);
    if (!code->arrived)
        return -EAGAIN;
    if (code->code.listing == NULL)
        return live_no_code(live, code->code.problem != NULL ? code->code.problem : "no code");
    struct report_options options = {.live = true};
    error = live_filter(live, filter, &options.filter);
    return error != 0 ? error : code_new(live->profile, &options, code->code.listing, result);
}
