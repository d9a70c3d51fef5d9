/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Live views: reports of a session that is sampling, or of a saved profile. A report contains the samples that the
 * profile has when the report is made. The async symbolizer looks up names in a thread of its own, but the names are
 * stored in the profile only during live_exchange.
 *
 * The id of a row is made from the key of the row, and does not show which locations belong to the row. So
 * live->functions and live->lines map row ids to locations. live_named adds a location to these maps when the location
 * gets its name.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "live/live-internal.h"
#include "report/row.h"

/* --- the locations of rows --------------------------------------------------------------- */

static const struct live_row *live_find_row(const struct live_rows *rows, uint64_t id)
{
    uint32_t hash = hash_pair(0, id), at = hash, found;

    while ((found = hash_next(&rows->index, hash, &at)) != HASH_NONE)
        if (rows->all[found].id == id)
            return &rows->all[found];
    return NULL;
}

/* Maps a row id to a location, unless the id is mapped already. If there is no memory, does nothing; in that case the
 * code of the row cannot be shown. */
static void live_add_row(struct live_rows *rows, uint64_t id, uint32_t location)
{
    if (live_find_row(rows, id) != NULL || array_grow(&rows->all, rows->count, sizeof *rows->all) != 0 ||
        hash_add(&rows->index, hash_pair(0, id), rows->count) != 0)
        return;
    rows->all[rows->count++] = (struct live_row){.id = id, .location = location};
}

/* For each row that a location belongs to, maps the row's id to the location. If the session samples stacks, the
 * location also belongs to the rows of functions that were inlined there. */
static void live_add_rows(struct pprofil_live *live, struct live_rows *rows, enum pprofil_by by, uint32_t location)
{
    const struct report_options options = {.by = by, .no_inlines = !live->inlines};
    uint32_t first, end;
    uint64_t key[2];

    row_frames(&live->profile->locations[location], &options, &first, &end);
    for (uint32_t frame = first; frame < end; frame++) {
        row_frame_key(live->profile, location, frame, &options, key);
        live_add_row(rows, row_id(key, by), location);
    }
}

static void live_rows_clear(struct live_rows *rows)
{
    free(rows->all);
    hash_free(&rows->index);
}

static void live_named(void *context, uint32_t location)
{
    struct pprofil_live *live = context;

    live_add_rows(live, &live->functions, PPROFIL_BY_FUNCTION, location);
    if (live->profile->locations[location].looked & PROFILE_LOOKED_LINE)
        live_add_rows(live, &live->lines, PPROFIL_BY_LINE, location);
    for (unsigned by = 0; by < REPORT_GROUPINGS; by++)
        flat_sums_named(&live->sums[by], live->profile, location);
}

uint32_t live_location(const struct pprofil_live *live, enum pprofil_by by, uint64_t id)
{
    const struct live_rows *rows = by == PPROFIL_BY_FUNCTION ? &live->functions
                                   : by == PPROFIL_BY_LINE   ? &live->lines
                                                             : NULL;
    const struct live_row *row = rows == NULL ? NULL : live_find_row(rows, id);
    return row == NULL ? PROFILE_NONE : row->location;
}

/* --- the view ---------------------------------------------------------------------------- */

/* Opens a live view of a profile. has_stacks: inlined functions get rows of their own. */
static int live_open(struct profile *profile, bool has_stacks, pprofil_live **result)
{
    struct pprofil_live *live = calloc(1, sizeof *live);

    if (live == NULL)
        return -ENOMEM;
    live->profile = profile;
    int error = async_symbolizer_new(live->profile, live_named, live, &live->async);
    if (error != 0) {
        free(live);
        return error;
    }
    live->inlines = has_stacks;
    if (live->inlines)
        async_symbolizer_want_lines(live->async);
    *result = live;
    return 0;
}

int pprofil_live_open(pprofil_session *session, pprofil_live **result)
{
    return live_open(session->profile->profile, session->unwinder != NULL, result);
}

int pprofil_live_open_profile(pprofil_profile *profile, pprofil_live **result)
{
    return live_open(profile->profile, report_has_stacks(profile->profile), result);
}

void pprofil_live_close(pprofil_live *live)
{
    if (live == NULL)
        return;
    async_symbolizer_free(live->async);
    for (uint32_t i = 0; i < live->code_count; i++)
        code_listing_clear(&live->codes[i].code);
    free(live->codes);
    for (unsigned by = 0; by < REPORT_GROUPINGS; by++)
        flat_sums_clear(&live->sums[by]);
    live_nodes_clear(&live->nodes);
    free(live->in_range);
    live_rows_clear(&live->functions);
    live_rows_clear(&live->lines);
    free(live);
}

static void live_keep_code(struct pprofil_live *live, struct code_listing *code)
{
    uint64_t id = report_id(live->profile, PPROFIL_BY_FUNCTION, code->location);

    for (uint32_t i = 0; i < live->code_count; i++)
        if (live->codes[i].code.location == code->location && !live->codes[i].arrived) {
            /* code that was made at run time may have got another name since the request. The id depends on the name,
             * so store the new id */
            live->codes[i].id = id;
            live->codes[i].arrived = true;
            live->codes[i].code = *code;
            return;
        }
    code_listing_clear(code);
}

int live_exchange(struct pprofil_live *live)
{
    struct code_listing code;
    int error = async_symbolizer_exchange(live->async);

    while (async_symbolizer_take_code(live->async, &code))
        live_keep_code(live, &code);
    return error;
}

/* Sums the samples in a range of time. */
static int live_sum_range(struct pprofil_live *live, struct report_filter *filter)
{
    const struct profile *profile = live->profile;
    uint64_t to = filter->to_ns != 0 ? filter->to_ns : UINT64_MAX;
    int error = array_extend(&live->in_range, &live->in_range_count, profile->sample_count, sizeof *live->in_range);

    if (error != 0)
        return error;
    profile_samples_in(profile, history_slots(&profile->history, filter->from_ns, to), live->in_range);
    filter->in_range = live->in_range;
    return 0;
}

int live_filter(struct pprofil_live *live, const struct pprofil_filter *from, struct report_filter *filter)
{
    struct pprofil_filter all = {0};

    if (from != NULL)
        memcpy(&all, from, from->size < sizeof all ? from->size : sizeof all);
    *filter = (struct report_filter){.pid = all.pid,
                                     .tid = all.tid,
                                     .process = (uint32_t)all.process,
                                     .thread = (uint32_t)all.thread,
                                     .object = (uint32_t)all.object,
                                     .syscall = (uint32_t)all.syscall,
                                     .state = (uint32_t)all.state,
                                     .wait = all.wait,
                                     .from_ns = all.from_ns,
                                     .to_ns = all.to_ns};
    return all.from_ns != 0 || all.to_ns != 0 ? live_sum_range(live, filter) : 0;
}

int pprofil_live_report(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter,
                        pprofil_report **result)
{
    struct report_options options = {.live = true, .stacks = true};

    if (!report_is_grouping(by))
        return -EINVAL;
    options.by = by;
    options.sums = &live->sums[options.by];
    options.no_inlines = !live->inlines;
    if (by == PPROFIL_BY_LINE)
        async_symbolizer_want_lines(live->async);
    int error = live_exchange(live);
    if (error == 0)
        error = live_filter(live, filter, &options.filter);
    if (error != 0)
        return error;
    return report_flat(live->profile, NULL, &options, result);
}

void pprofil_live_define(pprofil_live *live, enum pprofil_by by, uint64_t id)
{
    uint32_t location = live_location(live, by, id);

    if (location != PROFILE_NONE)
        async_symbolizer_want_definition(live->async, location);
}

uint32_t pprofil_live_pending(pprofil_live *live)
{
    live_exchange(live); /* an error means that there is no memory; then locations only stay pending */
    return async_symbolizer_pending(live->async);
}
