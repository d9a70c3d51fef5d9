/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows a saved profile on the screen of pprofil top: see view-file.h. */
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

int view_file_show(const struct top_request *asked, const struct selection_request *selection, const char *path)
{
    /* rates and times of a run, which the user's own options may have, are none of a file */
    struct top_request request = {.rows = asked->rows, .batch = asked->batch, .path = path};
    struct top_result result;

    request.profile = selection_open(selection, path);
    if (request.profile == NULL)
        return EXIT_OWN_FAILURE;
    int error = top_run(&request, &result);
    if (error != 0)
        complain("%s", result.problem[0] != '\0' ? result.problem : pprofil_error_text(error));
    pprofil_profile_close(request.profile);
    return error != 0 ? EXIT_OWN_FAILURE : 0;
}
