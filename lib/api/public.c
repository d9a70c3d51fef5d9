/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Profiles and reports as pprofil.h shows them: structures of the rooms below are copied into
 * public ones, so that they can change without breaking programs.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "report/report.h"
#include "session/session.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int public_need_symbolizer(struct pprofil_profile *profile)
{
    if (profile->symbolizer == NULL)
        profile->symbolizer = symbolizer_new(profile->profile);
    return profile->symbolizer == NULL ? -ENOMEM : 0;
}

/* What the caller's structure, perhaps an older one, says. */
static struct pprofil_file told(const struct pprofil_file *file)
{
    struct pprofil_file all = {0};

    if (file != NULL)
        memcpy(&all, file, least(file->size, sizeof all));
    return all;
}

/* What formats with options are told: -EINVAL where there is no such choice. */
static int choose_options(const struct pprofil_file *file, struct format_options *options)
{
    static const char *const roots[] = {
        [FORMAT_ROOTS_NONE] = "none",
        [FORMAT_ROOTS_COMM] = "comm",
        [FORMAT_ROOTS_PROCESS] = "process",
        [FORMAT_ROOTS_THREAD] = "thread",
    };

    *options = (struct format_options){.object = file->object, .scale = file->scale};
    for (unsigned i = FORMAT_ROOTS_NONE; file->roots != NULL && i <= FORMAT_ROOTS_THREAD; i++)
        if (strcmp(file->roots, roots[i]) == 0)
            options->roots = (enum format_roots)i;
    if (file->roots != NULL && options->roots == FORMAT_ROOTS_ANY)
        return -EINVAL;
    options->time = file->values != NULL && strcmp(file->values, "time") == 0;
    return file->values == NULL || options->time || strcmp(file->values, "samples") == 0 ? 0
                                                                                         : -EINVAL;
}

int pprofil_profile_open(const char *path, pprofil_profile **result)
{
    return pprofil_profile_open_with(path, NULL, result);
}

int pprofil_profile_open_with(const char *path, const struct pprofil_file *file,
                              pprofil_profile **result)
{
    struct pprofil_file how = told(file);
    const struct format *format = how.format != NULL ? format_by_name(how.format) : NULL;
    struct format_options options;

    if ((how.format != NULL && format == NULL) || choose_options(&how, &options) != 0)
        return -EINVAL;
    struct pprofil_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return -ENOMEM;
    int error = format_read_file_as(path, format, &options, &profile->profile);
    if (error != 0) {
        free(profile);
        return error;
    }
    profile->counters = format_is_of_counters(format, path);
    *result = profile;
    return 0;
}

bool pprofil_profile_has_counters(const pprofil_profile *profile)
{
    return profile->counters;
}

void pprofil_profile_close(pprofil_profile *profile)
{
    if (profile == NULL)
        return;
    symbolizer_free(profile->symbolizer);
    profile_free(profile->profile);
    free(profile->selected);
    free(profile);
}

static int name_all(struct pprofil_profile *profile)
{
    int error = public_need_symbolizer(profile);

    if (error == 0)
        error = symbolizer_look_up_all(profile->symbolizer, PROFILE_LOOKED_LINE);
    for (uint32_t i = 1; error == 0 && i < profile->profile->location_count; i++)
        error = symbolizer_define(profile->symbolizer, i);
    return error;
}

int pprofil_profile_save(pprofil_profile *profile, const char *path, const char *name,
                         bool symbolize)
{
    struct pprofil_file file = {.size = sizeof file, .format = name};

    return pprofil_profile_save_with(profile, path, &file, symbolize);
}

static const struct format *format_for(const char *path)
{
    const struct format *format = format_by_path(path);

    return format != NULL ? format : &format_pprof;
}

const char *pprofil_format_for(const char *path)
{
    return format_for(path)->name;
}

/* 0, or -EINVAL, -ENOTSUP as pprofil_profile_save_with. */
static int how_to_save(const char *path, const struct pprofil_file *file,
                       const struct format **format, struct format_options *options)
{
    struct pprofil_file how = told(file);

    *format = how.format != NULL ? format_by_name(how.format) : format_for(path);
    if (choose_options(&how, options) != 0 || *format == NULL || !format_writable(*format))
        return -EINVAL;
    if (how.dialect != NULL && (options->dialect = dialect_find(how.dialect)) == NULL)
        return -ENOTSUP;
    return 0;
}

/* Counters have no names: those who read them look into the object. */
static int name_for(pprofil_profile *profile, const struct pprofil_file *how,
                    const struct format *format)
{
    int error = format->codec == NULL ? name_all(profile) : 0;

    return error == 0 && how->baseline != NULL ? name_all(how->baseline) : error;
}

int pprofil_profile_symbolize(pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file)
{
    const struct format *format;
    struct format_options options;
    const struct pprofil_file how = told(file);
    int error = how_to_save(path, file, &format, &options);

    return error == 0 ? name_for(profile, &how, format) : error;
}

int pprofil_profile_save_with(pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file, bool symbolize)
{
    const struct format *format;
    struct format_options options;
    const struct pprofil_file how = told(file);
    int error = how_to_save(path, file, &format, &options);

    if (error == 0 && symbolize)
        error = name_for(profile, &how, format);
    if (how.baseline != NULL)
        options.baseline = how.baseline->profile;
    return error == 0 ? format_write_file_as(format, path, profile->profile, &options) : error;
}

int pprofil_write_file(const char *path, const void *bytes, size_t size)
{
    return format_write_bytes(path, bytes, size);
}

int pprofil_profile_file_at(const pprofil_profile *profile, const char *path,
                            const struct pprofil_file *file, unsigned i, char *name, size_t size)
{
    const struct format *format;
    struct format_options options;
    char whole[PATH_MAX];
    int error = how_to_save(path, file, &format, &options);

    if (error == 0)
        error = format_file_at(format, path, profile->profile, &options, i, whole);
    if (error == 0 && strlen(whole) >= size)
        error = -ENAMETOOLONG;
    if (error == 0)
        strcpy(name, whole);
    return error;
}

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals,
                            size_t size)
{
    const struct profile_totals *from = &profile->profile->totals;
    struct pprofil_totals all = {
        .samples = from->samples,
        .cpu_ns = from->cpu_ns,
        .wall_ns = from->wall_ns,
        .elapsed_ns = from->elapsed_ns,
        .target_cpu_ns = from->target_cpu_ns,
        .stopped_ns = from->stopped_ns,
        .supervisor_cpu_ns = from->supervisor_cpu_ns,
        .lost = from->lost,
        .throttled_ns = from->throttled_ns,
        .repaired = from->repaired,
        .threads_seen = from->threads_seen,
        .threads_alive = from->threads_alive,
        .processes_seen = from->processes_seen,
        .processes_alive = from->processes_alive,
        .asked_hz = from->asked_hz,
        .wall = from->wall,
        .continued = from->continued,
        .cut_short = from->cut_short,
        .untraced = from->untraced,
        .full_ns = from->full_ns,
        .sample_cost_ns = from->sample_cost_ns,
        .overhead = (double)from->overhead_ppm / 1e6,
        .running = from->running,
    };
    memcpy(totals, &all, least(size, sizeof all));
}

/* Not every second spent a little below the rate is worth words. */
#define THROTTLED_MIN 0.01
/* An overhead that is not to be recommended, per cent. */
#define ADVISED_MAX 20.0

/* The overhead that the rate asked for takes; where that is much, what some more gives. */
static void totals_advise(const struct pprofil_totals *totals, char *text, size_t size)
{
    double cost = (double)totals->sample_cost_ns / 1e9, needed = ceil(100 * totals->asked_hz * cost);
    double more = ceil(250 * totals->overhead);
    double hz = more / 100 / cost;

    if (needed <= ADVISED_MAX)
        snprintf(text, size, "; --overhead %.0f would give all", needed);
    else if (more <= ADVISED_MAX)
        snprintf(text, size, "; --overhead %.0f would give about %.0f", more,
                 hz < 100 ? round(hz) : round(hz / 10) * 10);
}

int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size)
{
    bool throttled = (double)totals->throttled_ns > THROTTLED_MIN * (double)totals->elapsed_ns;
    bool dear = totals->asked_hz * (double)totals->sample_cost_ns / 1e9 > totals->overhead;
    bool full = totals->full_ns > totals->elapsed_ns / 2;
    char why[64], cure[64] = "";

    if (!throttled || !dear || totals->overhead <= 0)
        return 0;
    snprintf(why, sizeof why, "a sample cost %.0f us%s", (double)totals->sample_cost_ns / 1e3,
             full ? ", for no CPU was idle" : "");
    if (advice)
        totals_advise(totals, cure, sizeof cure);
    return snprintf(text, size, "%s%s", why, cure);
}

void pprofil_profile_set_command(pprofil_profile *profile, const char *command)
{
    char *copy = strdup(command);

    if (copy == NULL)
        return;
    free(profile->profile->command);
    profile->profile->command = copy;
}

const char *pprofil_profile_command(const pprofil_profile *profile)
{
    return profile->profile->command != NULL ? profile->profile->command : "";
}

int pprofil_format_at(unsigned i, const char **name, const char **extensions,
                      const char **summary, bool *writable)
{
    const struct format *format = format_at(i);

    if (format == NULL)
        return -ENOENT;
    if (name != NULL)
        *name = format->name;
    if (extensions != NULL)
        *extensions = format->extensions;
    if (summary != NULL)
        *summary = format->summary;
    if (writable != NULL)
        *writable = format_writable(format);
    return 0;
}

int pprofil_format_describe(unsigned i, struct pprofil_format *description, size_t size)
{
    const struct format *format = format_at(i);

    if (format == NULL)
        return -ENOENT;
    struct pprofil_format all = {
        .name = format->name,
        .extensions = format->extensions,
        .summary = format->summary,
        .keeps = format->keeps != NULL ? format->keeps : "",
        .loses = format->loses != NULL ? format->loses : "",
        .readable = format_readable(format),
        .writable = format_writable(format),
    };
    memcpy(description, &all, least(size, sizeof all));
    return 0;
}

int pprofil_report_new(pprofil_profile *profile, enum pprofil_by by, uint32_t limit,
                       pprofil_report **result)
{
    struct pprofil_report_options options = {.size = sizeof options, .by = by, .limit = limit};

    return pprofil_report_new_with(profile, &options, result);
}

int pprofil_report_new_with(pprofil_profile *profile, const struct pprofil_report_options *asked,
                            pprofil_report **result)
{
    struct pprofil_report_options all = {0};
    memcpy(&all, asked, least(asked->size, sizeof all));
    struct report_options options = {.limit = all.limit,
                                     .stacks = all.totals,
                                     .by_total = all.by_total,
                                     .no_inlines = all.no_inlines};
    if (!report_is_grouping(all.by))
        return -EINVAL;
    options.by = all.by;
    struct pprofil_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return -ENOMEM;

    int error = public_need_symbolizer(profile);
    if (error == 0)
        error = report_flat(profile->profile, profile->symbolizer, &options, &report->report);
    if (error != 0) {
        free(report);
        return error;
    }
    *result = report;
    return 0;
}

bool pprofil_report_has_totals(const pprofil_report *report)
{
    return report->report->stacks;
}

void pprofil_report_free(pprofil_report *report)
{
    if (report == NULL)
        return;
    report_free(report->report);
    free(report);
}

uint32_t pprofil_report_count(const pprofil_report *report)
{
    return report->report->count;
}

uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns)
{
    if (rest_ns != NULL)
        *rest_ns = report->report->rest_ns;
    return report->report->total;
}

struct pprofil_row public_row(const struct report_row *from)
{
    return (struct pprofil_row){
        .name = from->name,
        .object = from->object,
        .file = from->file,
        .line = from->line,
        .pid = from->pid,
        .tid = from->tid,
        .samples = from->samples,
        .ns = from->ns,
        .share = from->share,
        .error95 = from->error95,
        .id = from->id,
        .pending = from->pending,
        .hottest = from->hottest,
        .total_samples = from->total_samples,
        .total_ns = from->total_ns,
        .total_share = from->total_share,
        .total_error95 = from->total_error95,
    };
}

void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row,
                        size_t size)
{
    struct pprofil_row all = public_row(&report->report->rows[i]);

    memcpy(row, &all, least(size, sizeof all));
}

/* "[vdso]", "[outside]": no file is missing. */
static bool is_no_file(const struct profile *profile, uint32_t object)
{
    return profile->strings[profile->objects[object].path][0] == '[';
}

/* The time in each file that gave no names; the caller frees. */
static uint64_t *sum_nameless(const struct pprofil_profile *profile, uint64_t *total)
{
    const struct profile *data = profile->profile;
    uint64_t *sums = calloc(data->object_count + 1u, sizeof *sums);

    *total = 0;
    for (uint32_t i = 0; sums != NULL && i < data->sample_count; i++) {
        const struct profile_sample *sample = &data->samples[i];
        const struct profile_node *leaf = &data->nodes[sample->node];
        uint64_t ns = data->totals.wall ? sample->wall_ns : sample->cpu_ns;
        uint32_t object = data->locations[leaf->location].object;
        *total += ns;
        if (symbolizer_problem(profile->symbolizer, object) != NULL && !is_no_file(data, object))
            sums[object] += ns;
    }
    return sums;
}

int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path,
                             const char **why, double *share)
{
    const struct profile *data = profile->profile;
    uint64_t total, *sums;
    uint32_t best = 0;

    if (public_need_symbolizer(profile) != 0 || (sums = sum_nameless(profile, &total)) == NULL)
        return -ENOMEM;
    for (unsigned rank = 0; rank <= i; rank++) {
        if (rank > 0)
            sums[best] = 0;
        for (uint32_t object = 0; object < data->object_count; object++)
            if (sums[object] > sums[best])
                best = object;
    }
    uint64_t ns = sums[best];
    free(sums);
    if (ns == 0)
        return -ENOENT;
    *path = data->strings[data->objects[best].path];
    *why = symbolizer_problem(profile->symbolizer, best);
    *share = (double)ns / (double)total;
    return 0;
}

const char *pprofil_version(void)
{
    return PACKAGE_VERSION;
}
