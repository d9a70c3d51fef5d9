/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys, ids, names and numbers of report rows: see row.h. */
#include "config.h"

#include <string.h>

#include "base/path.h"
#include "report/row.h"
#include "report/statistics.h"

#define KEY_PENDING UINT64_MAX
/* largest number of frames of one location; in a damaged file, a location may have any number of lines */
#define INLINED_MAX 64

/* --- frames ------------------------------------------------------------------------------ */

const struct profile_line *row_line(const struct profile_location *location, uint32_t frame)
{
    static const struct profile_line none;
    return frame < location->line_count ? &location->lines[frame] : &none;
}

uint32_t row_function(const struct profile_location *location)
{
    return row_line(location, location->line_count - 1)->function;
}

void row_frames(const struct profile_location *location, const struct report_options *options,
                uint32_t *first, uint32_t *end)
{
    uint32_t count = location->line_count > 0 ? location->line_count : 1;

    *first = 0;
    *end = count < INLINED_MAX ? count : INLINED_MAX;
    if (options->by == PPROFIL_BY_OBJECT)
        *end = 1;
    else if (options->no_inlines && options->by == PPROFIL_BY_FUNCTION)
        *first = count - 1, *end = count;
    else if (options->no_inlines)
        *end = 1;
}

/* --- which samples count ----------------------------------------------------------------- */

/* filter->process selects one entry of profile->processes. A process that executed several programs has an entry for
 * each of them, with the same pid. */
bool report_lets_through(const struct profile *profile, const struct report_filter *filter,
                         const struct profile_sample *sample)
{
    const struct profile_thread *thread = &profile->threads[sample->thread];

    if (filter->pid != 0 && profile->processes[thread->process].pid != filter->pid)
        return false;
    if (filter->tid != 0 && thread->tid != filter->tid)
        return false;
    if (filter->process != 0 && thread->process != filter->process - 1)
        return false;
    if (filter->thread != 0 && sample->thread != filter->thread - 1)
        return false;
    if (filter->state != 0 && sample->state != filter->state - 1)
        return false;
    if (filter->wait != 0 && row_subject(PPROFIL_BY_WAIT, sample) != filter->wait - 1)
        return false;
    if (filter->syscall != 0 && sample->syscall != filter->syscall - 1)
        return false;
    if (filter->object == 0)
        return true;
    uint32_t location = profile->nodes[sample->node].location;
    return profile->locations[location].object == filter->object - 1;
}

bool row_counts(const struct profile *profile, const struct report_options *options,
                const struct profile_sample *sample)
{
    if (options->live && report_ns(profile, sample) == 0)
        return false;
    if (!profile->totals.wall &&
        sample->state != PROFILE_RUNNING) /* the sample was taken while wall mode was on, and does not count now */
        return false;
    return report_lets_through(profile, &options->filter, sample);
}

/* --- keys -------------------------------------------------------------------------------- */

/* A report by function needs source lines if inlined functions have rows, because only a look-up of source lines finds
 * inlined functions. */
uint32_t row_needs(const struct report_options *options)
{
    if (options->by == PPROFIL_BY_LINE)
        return PROFILE_LOOKED_LINE;
    if (options->by == PPROFIL_BY_FUNCTION)
        return options->no_inlines ? PROFILE_LOOKED_NAME : PROFILE_LOOKED_LINE;
    return 0;
}

int row_look_up(struct symbolizer *symbolizer, const struct report_options *options)
{
    uint32_t what = row_needs(options);

    return symbolizer == NULL || what == 0 ? 0 : symbolizer_look_up_all(symbolizer, what);
}

static bool row_location_is_pending(const struct profile_location *location, enum pprofil_by by)
{
    return (by == PPROFIL_BY_FUNCTION && (location->looked & PROFILE_LOOKED_NAME) == 0) ||
           (by == PPROFIL_BY_LINE && (location->looked & PROFILE_LOOKED_LINE) == 0);
}

void row_frame_key(const struct profile *profile, uint32_t index, uint32_t frame,
                   const struct report_options *options, uint64_t key[2])
{
    const struct profile_location *location = &profile->locations[index];
    const struct profile_line *line = row_line(location, frame);

    key[1] = location->object;
    if (options->live && row_location_is_pending(location, options->by))
        key[0] = KEY_PENDING;
    else if (options->by == PPROFIL_BY_FUNCTION)
        key[0] = profile->functions[line->function].name;
    else if (options->by == PPROFIL_BY_LINE)
        key[0] = (uint64_t)line->file << 32 | line->line;
    else
        key[0] = location->object;
}

bool row_is_pending(const uint64_t key[2])
{
    return key[0] == KEY_PENDING;
}

bool row_is_origin(enum pprofil_by by)
{
    return by == PPROFIL_BY_PROGRAM || by == PPROFIL_BY_HOST || by == PPROFIL_BY_JOB || by == PPROFIL_BY_RANK;
}

uint32_t row_origin(const struct profile *profile, enum pprofil_by by, uint32_t process)
{
    const struct profile_process *entry = &profile->processes[process];

    if (by == PPROFIL_BY_HOST)
        return entry->host;
    if (by == PPROFIL_BY_JOB)
        return entry->job;
    return by == PPROFIL_BY_RANK ? entry->rank : entry->comm;
}

void row_task_key(const struct profile *profile, const struct profile_sample *sample,
                  enum pprofil_by by, uint64_t key[2])
{
    uint32_t subject = row_subject(by, sample);

    key[1] = 0;
    key[0] = subject;
    if (by == PPROFIL_BY_PROCESS)
        key[0] = profile->threads[subject].process;
    else if (row_is_origin(by))
        key[0] = row_origin(profile, by, profile->threads[subject].process);
}

uint32_t row_subject(enum pprofil_by by, const struct profile_sample *sample)
{
    if (by == PPROFIL_BY_STATE)
        return sample->state;
    if (by == PPROFIL_BY_WAIT)
        return sample->wait == PROFILE_NONE ? sample->state : PROFILE_STATES + sample->wait;
    return by == PPROFIL_BY_SYSCALL ? sample->syscall : sample->thread;
}

const char *row_subject_name(const struct profile *profile, enum pprofil_by by, uint32_t subject)
{
    if (by == PPROFIL_BY_WAIT && subject >= PROFILE_STATES)
        return profile->strings[profile->waits[subject - PROFILE_STATES].name];
    if (by == PPROFIL_BY_STATE || by == PPROFIL_BY_WAIT)
        return profile_state_name((enum profile_state)subject);
    if (by == PPROFIL_BY_SYSCALL)
        return subject == PROFILE_NONE ? "[user]" : profile->strings[profile->syscalls[subject].name];
    const struct profile_thread *thread = &profile->threads[subject];
    if (by == PPROFIL_BY_THREAD)
        return profile->strings[thread->comm];
    uint32_t word = row_origin(profile, by, thread->process);
    if (word != 0 || by == PPROFIL_BY_PROGRAM || by == PPROFIL_BY_PROCESS)
        return profile->strings[word];
    return by == PPROFIL_BY_RANK ? "[no rank]" : by == PPROFIL_BY_JOB ? "[no job]" : "[unknown]";
}

/* --- ids --------------------------------------------------------------------------------- */

/* Hashes two numbers. Every bit of the result depends on both numbers. */
static uint64_t row_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b;

    x ^= x >> 32;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* The key of a line does not fit into 64 bits, so the id of a line is a hash. Two lines of one report are very unlikely
 * to get the same id. */
uint64_t row_id(const uint64_t key[2], enum pprofil_by by)
{
    if (by == PPROFIL_BY_FUNCTION)
        return (key[1] + 1) << 32 | (key[0] == KEY_PENDING ? 0 : key[0]);
    if (by == PPROFIL_BY_LINE)
        return row_mix(key[0], key[1]) | UINT64_C(1) << 63;
    return key[0] + 1;
}

uint64_t row_id_below(uint64_t above, uint64_t id)
{
    return row_mix(above, id) | 1;
}

uint64_t report_task_id(uint32_t index)
{
    return row_id((const uint64_t[]){index, 0}, PPROFIL_BY_THREAD);
}

uint64_t report_id(const struct profile *profile, enum pprofil_by by, uint32_t location)
{
    const struct report_options options = {.by = by, .no_inlines = true};
    uint32_t first, end;
    uint64_t key[2];

    row_frames(&profile->locations[location], &options, &first, &end);
    row_frame_key(profile, location, first, &options, key);
    return row_id(key, by);
}

/* --- names ------------------------------------------------------------------------------- */

/* A definition that is known comes first. Then the names of the files decide, and then the numbers of the lines. */
static int row_compare_definitions(const struct profile *profile, const struct profile_function *a,
                                   const struct profile_function *b)
{
    int result = (a->line == 0) - (b->line == 0);

    if (result == 0)
        result = (a->file == 0) - (b->file == 0);
    if (result == 0)
        result = row_compare_text(profile->strings[a->file], profile->strings[b->file]);
    return result != 0 ? result : (a->line > b->line) - (a->line < b->line);
}

/* Functions with the same name in one object share a row, and the row shows where one of them is defined. Which one
 * must not depend on the order of the locations, because that depends on the order in which files were merged. */
void row_name_by(const struct profile *profile, struct sum *sum, uint32_t location, uint32_t frame)
{
    const struct profile_location *candidate = &profile->locations[location];

    if (sum->location != PROFILE_NONE) {
        const struct profile_location *now = &profile->locations[sum->location];
        const struct profile_function *defined = &profile->functions[row_line(now, sum->frame)->function];
        int result = row_compare_definitions(
            profile, &profile->functions[row_line(candidate, frame)->function], defined);
        if (result > 0 || (result == 0 && (defined->line != 0 || candidate->address >= now->address)))
            return;
    }
    sum->location = location;
    sum->frame = frame;
}

void row_name_code(const struct profile *profile, const struct sum *sum, enum pprofil_by by, struct pprofil_row *row)
{
    const struct profile_location *location = &profile->locations[sum->location];
    const struct profile_object *object = &profile->objects[location->object];
    const char *path = profile->strings[object->path];
    const struct profile_line *line = row_line(location, sum->frame);
    const struct profile_function *function = &profile->functions[line->function];

    row->object = object->kind == PROFILE_OBJECT_MARK ? "" : path_base_name(path);
    row->name = path;
    if (by == PPROFIL_BY_FUNCTION) {
        row->name = function->name != 0 ? profile->strings[function->name] : row->object;
        row->file = profile->strings[function->file];
        row->line = function->line;
    } else if (by == PPROFIL_BY_LINE && row->pending) {
        row->name = row->object;
    } else if (by == PPROFIL_BY_LINE) {
        row->name = line->file != 0 ? profile->strings[line->file] : "[no line]";
        row->file = profile->strings[line->file];
        row->line = line->line;
    }
}

int row_compare_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

/* --- amounts ----------------------------------------------------------------------------- */

static double row_share(const struct amount *part, const struct amount *whole)
{
    return whole->ns == 0 ? 0 : (double)part->ns / (double)whole->ns;
}

void row_set_amounts(struct pprofil_row *row, const struct amount *self, const struct amount *total,
                     const struct amount *whole)
{
    row->samples = self->samples;
    row->ns = self->ns;
    row->share = row_share(self, whole);
    row->error95 = statistics_half_width(row->share, (double)whole->samples);
    if (total == NULL)
        return;
    row->total_samples = total->samples;
    row->total_ns = total->ns;
    row->total_share = row_share(total, whole);
    row->total_error95 = statistics_half_width(row->total_share, (double)whole->samples);
}
