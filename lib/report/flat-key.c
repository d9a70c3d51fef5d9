/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of flat rows: by what samples, and the frames of their stacks, are summed. What a profile
 * that still grows has not looked up yet has a key of its own.
 */
#include "config.h"

#include "report/flat.h"

#define KEY_PENDING UINT64_MAX
#define INLINED_MAX 64 /* frames of one place; a damaged file may say anything */

const struct profile_line *flat_line(const struct profile_location *place, uint32_t frame)
{
    static const struct profile_line none;
    return frame < place->line_count ? &place->lines[frame] : &none;
}

/* Without stacks rows are functions as the linker knows them: inlined ones count for their
 * caller; and lines are those of the innermost. */
uint32_t flat_frame(const struct profile_location *place, enum pprofil_by by)
{
    return by == PPROFIL_BY_FUNCTION && place->line_count > 0 ? place->line_count - 1 : 0;
}

uint32_t flat_function(const struct profile_location *place)
{
    return flat_line(place, flat_frame(place, PPROFIL_BY_FUNCTION))->function;
}

void flat_frames(const struct profile_location *place, const struct report_options *options,
                 uint32_t *first, uint32_t *end)
{
    uint32_t count = place->line_count > 0 ? place->line_count : 1;

    *first = 0;
    *end = count < INLINED_MAX ? count : INLINED_MAX;
    if (options->by == PPROFIL_BY_OBJECT)
        *end = 1;
    else if (options->no_inlines && options->by == PPROFIL_BY_FUNCTION)
        *first = count - 1, *end = count;
    else if (options->no_inlines)
        *end = 1;
}

void flat_frame_key(const struct profile *profile, const struct profile_location *place,
                    uint32_t frame, enum pprofil_by by, uint64_t key[2])
{
    const struct profile_line *line = flat_line(place, frame);

    key[1] = place->object;
    if (by == PPROFIL_BY_FUNCTION)
        key[0] = profile->functions[line->function].name;
    else if (by == PPROFIL_BY_LINE)
        key[0] = (uint64_t)line->file << 32 | line->line;
    else
        key[0] = place->object;
}

static void code_key(const struct profile *profile, const struct profile_location *place,
                     enum pprofil_by by, uint64_t key[2])
{
    flat_frame_key(profile, place, flat_frame(place, by), by, key);
}

static bool is_pending(const struct profile_location *place, enum pprofil_by by)
{
    return (by == PPROFIL_BY_FUNCTION && (place->looked & PROFILE_LOOKED_NAME) == 0) ||
           (by == PPROFIL_BY_LINE && (place->looked & PROFILE_LOOKED_LINE) == 0);
}

bool flat_is_pending(const uint64_t key[2])
{
    return key[0] == KEY_PENDING;
}

void flat_location_key(const struct profile *profile, uint32_t location,
                       const struct report_options *options, uint64_t key[2])
{
    const struct profile_location *place = &profile->locations[location];

    code_key(profile, place, options->by, key);
    if (options->live && is_pending(place, options->by))
        key[0] = KEY_PENDING;
}

void flat_key(const struct profile *profile, const struct profile_sample *sample,
              const struct report_options *options, uint64_t key[2])
{
    key[1] = 0;
    switch (options->by) {
    case PPROFIL_BY_FUNCTION:
    case PPROFIL_BY_LINE:
    case PPROFIL_BY_OBJECT:
        flat_location_key(profile, profile->nodes[sample->node].location, options, key);
        break;
    case PPROFIL_BY_THREAD:
        key[0] = sample->thread;
        break;
    case PPROFIL_BY_PROCESS:
        key[0] = profile->threads[sample->thread].process;
        break;
    case PPROFIL_BY_SYSCALL:
        key[0] = sample->syscall;
        break;
    case PPROFIL_BY_STATE:
        key[0] = sample->state;
        break;
    }
}

/* Lines have too much in their key for 64 bits: that two of a report's have the same id is as
 * likely as a broken computer. */
uint64_t flat_id(const uint64_t key[2], enum pprofil_by by)
{
    if (by == PPROFIL_BY_FUNCTION)
        return (key[1] + 1) << 32 | (key[0] == KEY_PENDING ? 0 : key[0]);
    if (by == PPROFIL_BY_LINE)
        return sums_hash(key) | UINT64_C(1) << 63;
    return key[0] + 1;
}

uint64_t report_task_id(uint32_t index)
{
    return flat_id((const uint64_t[]){index, 0}, PPROFIL_BY_THREAD);
}

uint64_t report_id(const struct profile *profile, enum pprofil_by by, uint32_t location)
{
    uint64_t key[2];

    code_key(profile, &profile->locations[location], by, key);
    return flat_id(key, by);
}

bool flat_counts(const struct profile *profile, const struct report_options *options,
                 const struct profile_sample *sample)
{
    if (options->live && report_ns(profile, sample) == 0)
        return false;
    if (!profile->totals.wall && sample->state != PROFILE_RUNNING) /* wall mode was on for a while */
        return false;
    return report_lets_through(profile, &options->filter, sample);
}
