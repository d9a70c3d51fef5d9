/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-format-*.c: write profiles as sorted texts, so that two profiles can be compared. */
#ifndef PPROFIL_TEST_FORMAT_FIXTURE_H
#define PPROFIL_TEST_FORMAT_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"
#include "format/frames.h"
#include "format/text.h"
#include "test-directory.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

static const char *const hostile[] = {
    "plain",
    "operator()(int, char)",
    "a;b",
    "new\nline",
    "say \"it\", twice",
    "bad\xffutf8",
    "ends with 12",
    "  spaces  ",
    "std::map<int, (anonymous)>::at(int)",
    "[brackets]",
    "x+0x1f y",
    "\xc3\xa4\xe2\x82\xac",
    "fn=(3)",
    "#comment",
    "tab\there",
    "back\\slash",
    "-1/2",
    "(4) five",
    "libz.so.1+0x1f30",
};

/* --- profiles in words --------------------------------------------------------------- */

enum show {
    STACKS = 1 << 0, /* whole stacks; otherwise only the innermost frames */
    OBJECTS = 1 << 1,
    FUNCTION_PLACE = 1 << 2, /* file and line at which a function is defined */
    LINES = 1 << 3,
    ADDRESSES = 1 << 4, /* addresses instead of names */
    WHO = 1 << 5,
    CALLS = 1 << 6,
    COUNT = 1 << 7,
    NS = 1 << 8, /* for formats with only one time: CPU time, or elapsed time in wall mode */
    TIMES = 1 << 9,
    INLINED = 1 << 10, /* show which frames are inlined */
    NUMBERS = 1 << 11, /* file and line of the frame, but not of the function's definition */
};

struct fact {
    char *key;
    uint64_t count, cpu, wall;
};

UNUSED static bool shown(const struct profile *profile, const struct frame *frame, unsigned show)
{
    uint32_t object = profile->locations[frame->location].object;
    return !(show & ADDRESSES) || profile->objects[object].kind != PROFILE_OBJECT_MARK;
}

UNUSED static void tell_name(FILE *out, const char *name, const char *bad)
{
    for (; *name != '\0'; name++) {
        if (*name == '\xff')
            fputs("\xef\xbf\xbd", out);
        else if (strchr(bad, *name) != NULL)
            putc(*name == ';' ? ':' : ' ', out);
        else
            putc(*name, out);
    }
}

UNUSED static void tell_frame(FILE *out, const struct profile *profile, const struct frame *frame,
                       unsigned show, const char *bad)
{
    const struct profile_location *place = &profile->locations[frame->location];
    const struct profile_function *function = &profile->functions[frame->function];
    const struct profile_object *object = &profile->objects[place->object];
    bool mark = object->kind == PROFILE_OBJECT_MARK;

    fputs(" <", out);
    if (show & ADDRESSES)
        fprintf(out, "%" PRIx64, place->address);
    else
        tell_name(out, profile->strings[function->name], bad);
    if ((show & OBJECTS) && !mark)
        fprintf(out, " in %s", profile->strings[object->path]);
    if ((show & FUNCTION_PLACE) && !mark)
        fprintf(out, " of %s:%u", profile->strings[function->file], function->line);
    if ((show & (LINES | NUMBERS)) && !mark)
        fprintf(out, " at %s:%u", profile->strings[frame->file], frame->line);
    if ((show & INLINED) && frame->inlined)
        fputs(" inlined", out);
    if (mark)
        fputs(" mark", out);
    putc('>', out);
}

UNUSED static void tell_sample(FILE *out, const struct profile *profile,
                        const struct profile_sample *sample, unsigned show, const char *bad)
{
    const struct profile_thread *thread = &profile->threads[sample->thread];
    struct frame_list list = {0};

    if (show & WHO) {
        tell_name(out, profile->strings[thread->comm], bad);
        const struct profile_process *process = &profile->processes[thread->process];
        fprintf(out, " %u.%u/%u", process->pid, process->generation, thread->tid);
        if (thread->tid == process->pid) /* main thread: its name also tells a reader the name of the process */
            tell_name(out, profile->strings[process->comm], bad);
    }
    if (show & CALLS)
        fprintf(out, " %s %s", profile->strings[profile->syscalls[sample->syscall].name],
                profile_state_name((enum profile_state)sample->state));
    cr_assert_eq(frame_list_of(profile, sample->node, &list), 0);
    for (uint32_t i = show & STACKS ? 0 : list.count - 1; i < list.count; i++)
        if (shown(profile, &list.all[i], show) && (!(show & ADDRESSES) || !list.all[i].inlined))
            tell_frame(out, profile, &list.all[i], show, bad);
    free(list.all);
}

UNUSED static int compare_facts(const void *a, const void *b)
{
    return strcmp(((const struct fact *)a)->key, ((const struct fact *)b)->key);
}

UNUSED static char *tell(const struct profile *profile, unsigned show, const char *bad)
{
    struct fact *facts = calloc(profile->sample_count + 1u, sizeof *facts);
    char *text;
    size_t size;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        FILE *out = open_memstream(&facts[i].key, &size);
        tell_sample(out, profile, sample, show, bad);
        fclose(out);
        facts[i].count = show & COUNT ? sample->count : 0;
        facts[i].cpu = show & (NS | TIMES) ? sample->cpu_ns : 0;
        facts[i].wall = show & TIMES ? sample->wall_ns : 0;
        if ((show & NS) && profile->totals.wall)
            facts[i].cpu = sample->wall_ns;
    }
    qsort(facts, profile->sample_count, sizeof *facts, compare_facts);
    FILE *out = open_memstream(&text, &size);
    struct fact sum = {0};
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        sum.count += facts[i].count;
        sum.cpu += facts[i].cpu;
        sum.wall += facts[i].wall;
        if (i + 1 == profile->sample_count || strcmp(facts[i].key, facts[i + 1].key) != 0) {
            fprintf(out, "%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", facts[i].key, sum.count, sum.cpu, sum.wall);
            sum = (struct fact){0};
        }
    }
    for (uint32_t i = 0; i < profile->sample_count; i++)
        free(facts[i].key);
    free(facts);
    fclose(out);
    return text;
}

#endif
