/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the live view and its batch mode share: how a run begins, and how it is saved. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "top-internal.h"

#define DEFAULT_HZ 1000.0
#define LEAD_NS_MAX 100e6

uint64_t top_names_lead(const struct model *model)
{
    double lead = model->window_seconds / 4 * 1e9;

    return lead < LEAD_NS_MAX ? (uint64_t)lead : (uint64_t)LEAD_NS_MAX;
}

void top_set_up_model(struct model *model, const struct top_request *request)
{
    model->asked_hz = request->options.frequency != 0 ? request->options.frequency : DEFAULT_HZ;
    model->wall = request->options.flags & PPROFIL_WALL;
    model->stacks = request->options.flags & PPROFIL_CALL_GRAPH;
    if (request->window_seconds > 0)
        model->window_seconds = request->window_seconds;
}

/* Describes what is launched. What is attached to is described by the first snapshot: a command, not "-p PID". */
void top_describe(struct model *model, const struct top_request *request, const char *command)
{
    if (request->program != NULL)
        snprintf(model->command, sizeof model->command, "%s", command);
}

int top_start_program(struct source *source, const struct top_request *request, int output,
                      struct top_result *result)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct pprofil_launch launch = {.size = sizeof launch,
                                    .input = nothing,
                                    .output = output,
                                    .new_session = !request->batch};

    if (nothing < 0) {
        snprintf(result->problem, sizeof result->problem, "/dev/null: %s", strerror(errno));
        return -errno;
    }
    int error = source_open(source, request, &launch, result->problem, sizeof result->problem);
    close(nothing);
    return error;
}

void top_finish(struct source *source, struct top_result *result)
{
    int error = source_finish(source, &result->session);

    if (error != 0 && result->problem[0] == '\0')
        snprintf(result->problem, sizeof result->problem, "%s",
                 pprofil_session_problem(result->session));
    result->status = source->status;
}

/* --- saving ---------------------------------------------------------------------------- */

/* What is there already is asked about once: whoever gives its name again means it. Devices and
 * pipes lose nothing by being written to. */
static bool may_write(struct model *model, const pprofil_profile *profile,
                      const struct pprofil_file *file)
{
    char name[PATH_MAX], first[PATH_MAX] = "";
    uint32_t there = 0;
    struct stat status;

    for (unsigned i = 0;
         pprofil_profile_file_at(profile, model->text, file, i, name, sizeof name) == 0; i++)
        if (stat(name, &status) == 0 && S_ISREG(status.st_mode) && there++ == 0)
            memcpy(first, name, sizeof first);
    bool again = strcmp(model->asked, model->text) == 0 && there <= model->asked_files;
    const char *slash = strrchr(first, '/');

    model->asked[0] = '\0';
    if (there == 0 || again)
        return true;
    memcpy(model->asked, model->text, sizeof model->asked);
    model->asked_files = there;
    if (there == 1)
        model_say(model, top_now(), "%s exists; S again with the same name overwrites it",
                  slash != NULL ? slash + 1 : first);
    else
        model_say(model, top_now(), "%s and %u more exist; S again with the same name overwrites them",
                  slash != NULL ? slash + 1 : first, there - 1);
    return false;
}

static const char *save_problem(int error)
{
    return error == -EEXIST ? "a file beside it would replace what is no file" : pprofil_error_text(error);
}

/* Narrow screens cut off the ends of messages, so the path is there. Saving may take longer than a message is shown. */
void top_save(struct model *model, pprofil_session *session)
{
    pprofil_profile *profile = pprofil_session_profile(session);
    /* asked for by name, so that what is said of it is what was written */
    const char *format = pprofil_format_for(model->text);
    const struct pprofil_file file = {.size = sizeof file, .format = format};
    struct pprofil_totals totals;

    if (!may_write(model, profile, &file))
        return;
    int error = pprofil_profile_save(profile, model->text, &file, true);
    pprofil_profile_totals(profile, &totals, sizeof totals);
    if (error == 0)
        model_say(model, top_now(), "%" PRIu64 " samples saved as %s to %s", totals.samples, format,
                  model->text);
    else
        model_say(model, top_now(), "not saved: %s: %s", save_problem(error), model->text);
}
