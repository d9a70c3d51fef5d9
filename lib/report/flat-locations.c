/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and makes the sums of a location, one for each of its frames: see flat-sums.h. */
#include "config.h"

#include <errno.h>

#include "base/array.h"
#include "report/flat-sums-internal.h"
#include "report/row.h"

struct report_options flat_options_of(const struct flat_sums *sums)
{
    return (struct report_options){.by = sums->by,
                                   .no_inlines = sums->no_inlines,
                                   .stacks = sums->stacks,
                                   .live = true,
                                   .filter = sums->added.filter};
}

bool flat_is_looked_up(const struct flat_update *update, uint32_t location)
{
    uint32_t needs = update->options->live ? row_needs(update->options) : 0;
    return (update->profile->locations[location].looked & needs) == needs;
}

/* Lets a sum take its name from a frame of a location, if this frame is a better choice than the frame that the sum
 * uses now. A location that has not been looked up may later get another name, which does not fit the sum. So a
 * location that has been looked up replaces one that has not. */
static void flat_name_by(const struct flat_update *update, struct sum *sum, uint32_t location, uint32_t frame)
{
    if (flat_is_looked_up(update, location) && !flat_is_looked_up(update, sum->location))
        sum->location = PROFILE_NONE;
    row_name_by(update->profile, sum, location, frame);
}

static int flat_remember(struct flat_sums *sums, uint32_t value)
{
    int error = array_grow(&sums->frame_sums, sums->frame_sum_count, sizeof *sums->frame_sums);

    if (error == 0)
        sums->frame_sums[sums->frame_sum_count++] = value;
    return error;
}

/* If the location has been looked up, its samples stay in these sums, so the indexes of the sums are stored in
 * frame_sums. */
int flat_need_location(const struct flat_update *update, uint32_t location)
{
    struct flat_sums *sums = update->sums;
    bool is_final = flat_is_looked_up(update, location);
    uint32_t first, end;
    uint64_t key[2];
    int error = 0;

    if (sums->known[location] != 0)
        return 0;
    row_frames(&update->profile->locations[location], update->options, &first, &end);
    if (is_final) {
        error = flat_remember(sums, end - first);
        sums->known[location] = sums->frame_sum_count;
    }
    for (uint32_t frame = first; error == 0 && frame < end; frame++) {
        row_frame_key(update->profile, location, frame, update->options, key);
        struct sum *sum = sums_need(&sums->sums, key);
        if (sum == NULL)
            return -ENOMEM;
        flat_name_by(update, sum, location, frame);
        if (is_final)
            error = flat_remember(sums, (uint32_t)(sum - sums->sums.all));
    }
    return error;
}

uint32_t flat_sum_of(const struct flat_update *update, uint32_t location, uint32_t first, uint32_t frame)
{
    const struct flat_sums *sums = update->sums;
    uint64_t key[2];

    if (sums->known[location] != 0)
        return sums->frame_sums[sums->known[location] + frame - first];
    row_frame_key(update->profile, location, frame, update->options, key);
    return (uint32_t)(sums_find(&sums->sums, key) - sums->sums.all);
}

void flat_sums_named(struct flat_sums *sums, const struct profile *profile, uint32_t location)
{
    const struct report_options options = flat_options_of(sums);
    const struct profile_location *place = &profile->locations[location];
    uint32_t first, end;
    uint64_t key[2];

    /* code that was made at run time may have got another name. The hottest functions are found by name, so they must
     * be found again */
    if (!flat_is_code(sums->by) && profile->objects[place->object].kind == PROFILE_OBJECT_ANON)
        hottest_clear(&sums->hottest);
    if (!flat_is_code(sums->by) || location >= sums->known_count || sums->known[location] == 0)
        return;
    const uint32_t *known = &sums->frame_sums[sums->known[location] - 1];
    row_frames(place, &options, &first, &end);
    bool is_same = known[0] == end - first;
    for (uint32_t i = 0; is_same && i < end - first; i++) {
        struct sum *sum = &sums->sums.all[known[1 + i]];
        row_frame_key(profile, location, first + i, &options, key);
        is_same = key[0] == sum->key[0] && key[1] == sum->key[1];
        /* the look-up of lines may have added lines to the location, so the line with this key may now have another
         * index */
        if (is_same && sum->location == location)
            sum->frame = first + i;
        if (is_same)
            row_name_by(profile, sum, location, first + i);
    }
    if (!is_same)
        flat_sums_clear(sums);
}
