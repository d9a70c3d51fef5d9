/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A saved profile, or an older system's file of counters, as that system's own program showed it.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "command.h"

static const char *const orders[] = {
    [PPROFIL_SORT_TIME] = "time",
    [PPROFIL_SORT_CALLS] = "calls",
    [PPROFIL_SORT_ADDRESS] = "address",
    [PPROFIL_SORT_NAME] = "name",
};

bool style_is_known(const char *name)
{
    char list[256] = "";
    const char *known;

    for (unsigned i = 0; pprofil_style_at(i, &known, NULL) == 0; i++) {
        size_t length = strlen(list);
        if (strcmp(known, name) == 0)
            return true;
        snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : ", ", known);
    }
    complain("--style takes one of %s, not '%s'", list, name);
    return false;
}

int style_sort_name(const char *name)
{
    for (int i = 0; i < (int)(sizeof orders / sizeof *orders); i++)
        if (strcmp(orders[i], name) == 0)
            return i;
    return -1;
}

/* What failed is the file that was read, unless out did. */
int style_view_print(FILE *out, const char *path, const struct style_view *view)
{
    int error = pprofil_style_print(path, view->name, &view->options, out, stderr);

    if (error == -ENODATA) /* it has been said */
        return EXIT_OWN_FAILURE;
    if (error == -ENXIO && view->options.object != NULL)
        return complain("%s: nothing of '%s' was profiled", path, view->options.object);
    if (error == -ENXIO)
        return complain("%s: no program's file was profiled", path);
    if (error == -EINVAL && view->options.format != NULL)
        return complain("%s: pprofil cannot read it as '%s'", path, view->options.format);
    return error != 0 ? complain_file(path, error, false) : 0;
}
