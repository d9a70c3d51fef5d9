/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows saved profiles on the screen of pprofil top: see view-file.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "view-file.h"

/* Returns true if PATH has a program of this name. */
static bool path_has_program(const char *name)
{
    const char *directory = getenv("PATH");
    char path[PATH_MAX];

    while (directory != NULL && *directory != '\0') {
        size_t length = strcspn(directory, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, directory, name);
        if (length > 0 && access(path, X_OK) == 0)
            return true;
        directory += length + (directory[length] == ':');
    }
    return false;
}

bool view_file_is(const char *word)
{
    struct stat status;

    if (stat(word, &status) != 0 || !S_ISREG(status.st_mode) || access(word, X_OK) == 0)
        return false;
    return strchr(word, '/') != NULL || !path_has_program(word);
}

static int view_file_run(const struct top_request *request)
{
    struct top_result result;
    int error = top_run(request, &result);

    if (error != 0)
        complain("%s", result.problem[0] != '\0' ? result.problem : pprofil_error_text(error));
    return error != 0 ? EXIT_OWN_FAILURE : 0;
}

int view_file_show(const struct top_request *asked, const struct selection_request *selection, const char *path)
{
    /* rates and times of a run, which the user's own options may have, are none of a file */
    struct top_request request = {.rows = asked->rows, .batch = asked->batch, .path = path};

    request.profile = selection_open(selection, path);
    if (request.profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = view_file_run(&request);
    pprofil_profile_close(request.profile);
    return status;
}

/* Makes the first diff before there is a screen: if the profiles cannot be compared, this says it, and it looks up the
 * names, which may take long. */
static bool view_files_can_be_compared(const struct top_request *request)
{
    pprofil_diff *diff;
    int error = pprofil_diff_new(request->old, request->profile, NULL, &diff);

    if (error != 0)
        complain("%s -> %s: %s", request->old_path, request->path, pprofil_error_text(error));
    else
        pprofil_diff_free(diff);
    return error == 0;
}

int view_files_compare(const struct top_request *asked, const struct selection_request *selection,
                       const char *const paths[2])
{
    struct top_request request = {.rows = asked->rows, .batch = asked->batch, .old_path = paths[0], .path = paths[1]};
    struct selection_request both = *selection;
    int status = EXIT_OWN_FAILURE;

    both.selection.no_inlines = true; /* as in pprofil diff */
    request.old = selection_open(&both, paths[0]);
    if (request.old != NULL)
        request.profile = selection_open(&both, paths[1]);
    if (request.profile != NULL && view_files_can_be_compared(&request))
        status = view_file_run(&request);
    pprofil_profile_close(request.old);
    pprofil_profile_close(request.profile);
    return status;
}
