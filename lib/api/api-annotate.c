/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil_profile_find and pprofil_annotate: find functions by a pattern, and read their code. lib/report/annotate.c
 * finds the code of a function, and lib/report/code.c counts the samples in that code. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "report/code.h"

struct pprofil_annotation {
    struct annotation annotation;
    pprofil_code *codes[ANNOTATE_BLOCKS_MAX]; /* owned; one for each block */
    const char *problem;                      /* reason why there is no block; NULL: there is at least one */
};

/* Makes a report of the functions that match a pattern. If `no_inlines` is true, inlined functions count as parts of
 * their callers. */
static int annotate_find(pprofil_profile *profile, const char *pattern, bool no_inlines, pprofil_report **result)
{
    const struct pprofil_report_options options = {.size = sizeof options,
                                                   .by = PPROFIL_BY_FUNCTION,
                                                   .totals = true,
                                                   .by_total = true,
                                                   .no_inlines = no_inlines};
    pprofil_report *report = NULL;
    int error = pprofil_report_new(profile, &options, &report);

    if (error == 0)
        error = annotate_keep(report, pattern, profile->problem, sizeof profile->problem);
    if (error != 0)
        pprofil_report_free(report);
    else
        *result = report;
    return error;
}

/* Sets the profile's problem if the pattern matches only inlined functions, which have no code of their own. */
static int explain_inlined(pprofil_profile *profile, const char *pattern)
{
    char problem[sizeof profile->problem];
    pprofil_report *inlined;

    memcpy(problem, profile->problem, sizeof problem);
    int error = annotate_find(profile, pattern, false, &inlined);
    if (error != 0)
        return error;
    if (pprofil_report_count(inlined) == 0)
        memcpy(profile->problem, problem, sizeof problem);
    else
        snprintf(profile->problem, sizeof profile->problem,
                 "'%s' was inlined: its code is that of its callers, which pprofil report --callers "
                 "shows",
                 pattern);
    pprofil_report_free(inlined);
    return 0;
}

int pprofil_profile_find(pprofil_profile *profile, const char *pattern, pprofil_report **result)
{
    pprofil_report *report = NULL;

    profile->problem[0] = '\0';
    int error = annotate_find(profile, pattern, true, &report);
    if (error == 0 && pprofil_report_count(report) == 0)
        error = explain_inlined(profile, pattern);
    if (error == 0)
        *result = report;
    else
        pprofil_report_free(report);
    return error;
}

static int annotation_count(const struct pprofil_profile *profile, struct pprofil_annotation *annotation)
{
    const struct report_options options = {.by = PPROFIL_BY_FUNCTION};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < annotation->annotation.count; i++)
        error = code_new(profile->profile, &options, annotation->annotation.blocks[i], &annotation->codes[i]);
    return error;
}

int pprofil_annotate(pprofil_profile *profile, uint64_t id, pprofil_annotation **result)
{
    struct pprofil_annotation *annotation = calloc(1, sizeof *annotation);

    if (annotation == NULL)
        return -ENOMEM;
    int error = api_need_symbolizer(profile);
    if (error == 0)
        error = annotate_function(profile->profile, profile->symbolizer, id, &annotation->annotation,
                                  &annotation->problem);
    if (error == PPROFIL_ERROR_NO_CODE) /* annotation->problem has the reason */
        error = 0;
    if (error == 0)
        error = annotation_count(profile, annotation);
    if (error != 0) {
        pprofil_annotation_free(annotation);
        return error;
    }
    *result = annotation;
    return 0;
}

void pprofil_annotation_free(pprofil_annotation *annotation)
{
    if (annotation == NULL)
        return;
    for (uint32_t i = 0; i < annotation->annotation.count; i++)
        pprofil_code_free(annotation->codes[i]);
    annotate_clear(&annotation->annotation);
    free(annotation);
}

const char *pprofil_annotation_problem(const pprofil_annotation *annotation)
{
    return annotation->problem != NULL ? annotation->problem : "";
}

const pprofil_code *pprofil_annotation_code(const pprofil_annotation *annotation, uint32_t i)
{
    return i < annotation->annotation.count ? annotation->codes[i] : NULL;
}
