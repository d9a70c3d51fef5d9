/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saves the profile to the file that the user has typed. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "top-state.h"

/* Returns true if the file may be written. If that would overwrite regular files, shows a message
 * and returns false, unless the user has given the same name again. */
static bool top_may_write(struct model *model, const pprofil_profile *profile, const struct pprofil_file *file)
{
    char name[PATH_MAX], first[PATH_MAX] = "";
    uint32_t there = 0;
    struct stat status;

    for (unsigned i = 0; pprofil_profile_file_at(profile, model->text, file, i, name, sizeof name) == 0; i++)
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
        model_say(model, time_now(), "%s exists; S again with the same name overwrites it",
                  slash != NULL ? slash + 1 : first);
    else
        model_say(model, time_now(), "%s and %u more exist; S again with the same name overwrites them",
                  slash != NULL ? slash + 1 : first, there - 1);
    return false;
}

static const char *top_save_problem(int error)
{
    return error == -EEXIST ? "a file beside it would replace something that is not a file" : pprofil_error_text(error);
}

/* The path is at the end of the message, because narrow screens cut off the end. The message is timed from the end of
 * the saving, because the saving may take longer than a message is shown. */
void top_save(struct model *model, pprofil_profile *profile)
{
    /* the format is found before the save, so that the message can show its name */
    const char *format = pprofil_format_for(model->text);
    const struct pprofil_file file = {.size = sizeof file, .format = format};
    struct pprofil_totals totals;

    if (!top_may_write(model, profile, &file))
        return;
    int error = pprofil_profile_save(profile, model->text, &file, true);
    pprofil_profile_totals(profile, &totals, sizeof totals);
    if (error == 0)
        model_say(model, time_now(), "%" PRIu64 " samples saved as %s to %s", totals.samples, format, model->text);
    else
        model_say(model, time_now(), "not saved: %s: %s", top_save_problem(error), model->text);
}
