/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files that pprofil merge reads: those of the command line, the files in folders, and those of a list. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge.h"

/* Adds a copy of a path. Returns 0 or -ENOMEM. */
static int merge_inputs_add(struct merge_inputs *inputs, const char *path)
{
    if ((inputs->count & (inputs->count + 1)) == 0) { /* doubles the room */
        char **paths = reallocarray(inputs->paths, 2 * inputs->count + 1, sizeof *paths);
        if (paths == NULL)
            return -ENOMEM;
        inputs->paths = paths;
    }
    inputs->paths[inputs->count] = strdup(path);
    if (inputs->paths[inputs->count] == NULL)
        return -ENOMEM;
    inputs->count++;
    return 0;
}

static bool merge_is_input(const struct merge_inputs *inputs, const char *path)
{
    struct stat status, output;

    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return false;
    return inputs->output == NULL || stat(inputs->output, &output) < 0 || output.st_ino != status.st_ino ||
           output.st_dev != status.st_dev;
}

/* Adds the files in a folder, in alphabetical order, without those in the folders in it, and without hidden ones. */
static int merge_inputs_add_folder(struct merge_inputs *inputs, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), error = 0;
    char path[PATH_MAX];

    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++) {
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path;
        if (error == 0 && fits && entries[i]->d_name[0] != '.' && merge_is_input(inputs, path))
            error = merge_inputs_add(inputs, path);
        free(entries[i]);
    }
    free(entries);
    return error;
}

int merge_inputs_add_operand(struct merge_inputs *inputs, const char *path)
{
    struct stat status;
    int error;

    if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        error = merge_inputs_add_folder(inputs, path);
    else
        error = merge_inputs_add(inputs, path);
    return error == 0 ? 0 : complain_file(path, error, false);
}

int merge_inputs_add_list(struct merge_inputs *inputs, const char *list)
{
    FILE *file = strcmp(list, "-") == 0 ? stdin : fopen(list, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int error = 0;

    if (file == NULL)
        return complain_file(list, -errno, false);
    while (error == 0 && (length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (line[0] != '\0')
            error = merge_inputs_add(inputs, line);
    }
    if (error == 0 && ferror(file))
        error = errno != 0 ? -errno : -EIO;
    free(line);
    if (file != stdin)
        fclose(file);
    return error == 0 ? 0 : complain_file(list, error, false);
}

void merge_inputs_clear(struct merge_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->paths[i]);
    free(inputs->paths);
}
