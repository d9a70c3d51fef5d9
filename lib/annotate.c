/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public face of lib/report/annotate. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "code-internal.h"
#include "report/annotate.h"
#include "session-internal.h"

struct pprofil_annotation {
    struct annotation annotation;
    pprofil_code *codes[ANNOTATE_MOST]; /* owned: by block */
    const char *problem;                /* or NULL */
};

int pprofil_profile_find(pprofil_profile *profile, const char *pattern, pprofil_report **result)
{
    pprofil_report *report;
    int error = pprofil_report_new(profile, PPROFIL_BY_FUNCTION, 0, &report);

    if (error != 0)
        return error;
    if (!annotate_keep(report->report, pattern)) {
        pprofil_report_free(report);
        return -EINVAL;
    }
    *result = report;
    return 0;
}

static int count(const struct pprofil_profile *profile, struct pprofil_annotation *annotation)
{
    const struct report_options options = {.by = REPORT_BY_FUNCTION};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < annotation->annotation.count; i++)
        error = code_new(profile->profile, &options, annotation->annotation.blocks[i],
                         &annotation->codes[i]);
    return error;
}

int pprofil_annotate(pprofil_profile *profile, uint64_t id, pprofil_annotation **result)
{
    struct pprofil_annotation *annotation = calloc(1, sizeof *annotation);

    if (annotation == NULL)
        return -ENOMEM;
    if (profile->symbolizer == NULL)
        profile->symbolizer = symbolizer_new(profile->profile);
    int error = profile->symbolizer == NULL
                    ? -ENOMEM
                    : annotate_function(profile->profile, profile->symbolizer, id,
                                        &annotation->annotation, &annotation->problem);
    if (error == -ENODATA) /* no blocks, and why */
        error = 0;
    if (error == 0)
        error = count(profile, annotation);
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
