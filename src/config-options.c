/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads options from the user's file and from the environment: see config-options.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "choices.h"
#include "command.h"
#include "config-options.h"

#define FILE_SIZE_MAX (1u << 16)
#define BLANKS " \t\r"

/* --- words ----------------------------------------------------------------------------------- */

/* Removes the quotes of the word at *from, and moves *from behind it. Writes a NUL behind the word. Returns false if a
 * quote is not closed. */
static bool config_unquote(char **from)
{
    char *to = *from, *at = *from, quote = '\0';

    for (; *at != '\0' && (quote != '\0' || strchr(BLANKS, *at) == NULL); at++) {
        bool escaped = *at == '\\' && quote != '\'' && at[1] != '\0';
        if (escaped)
            *to++ = *++at;
        else if (quote == '\0' && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == quote)
            quote = '\0';
        else
            *to++ = *at;
    }
    *from = at + (*at != '\0');
    *to = '\0';
    return quote == '\0';
}

int config_split(char *line, char ***words)
{
    char **list = calloc(strlen(line) / 2 + 2, sizeof *list); /* a blank is between two words */
    int count = 0;

    if (list == NULL)
        return -ENOMEM;
    for (line += strspn(line, BLANKS); *line != '\0' && *line != '#'; line += strspn(line, BLANKS)) {
        list[count++] = line;
        if (!config_unquote(&line)) {
            free(list);
            return -EINVAL;
        }
    }
    *words = list;
    return count;
}

/* --- lines ----------------------------------------------------------------------------------- */

static bool is_command(const char *word)
{
    return strcmp(word, "run") == 0 || command_by_name(word) != NULL;
}

static _Noreturn void complain_of_command(const char *word)
{
    const char *nearest = choices_nearest(&choices_commands, word);

    if (nearest != NULL)
        exit(complain("a line begins with run or a command, not '%s'; did you mean '%s'?", word, nearest));
    exit(complain("a line begins with run or a command, not '%s'", word));
}

/* Adds a line if it is for this command. The options keep its text. */
static void config_add(struct config_options *options, const char *command, struct config_line line, char *text)
{
    line.count = config_split(text, &line.words);
    complain_about(line.path, line.number);
    if (line.count < 0)
        exit(complain("%s", line.count == -EINVAL ? "a quote is not closed" : "out of memory"));
    if (line.count > 0 && !is_command(line.words[0]))
        complain_of_command(line.words[0]);
    complain_about(NULL, 0);
    if (line.count < 2 || strcmp(line.words[0], command) != 0) {
        free(line.words);
        return;
    }
    struct config_line *lines = reallocarray(options->lines, options->count + 1, sizeof *lines);
    if (lines == NULL)
        exit(complain("out of memory"));
    options->lines = lines;
    lines[options->count++] = line;
}

/* --- the file -------------------------------------------------------------------------------- */

static bool config_find_file(char path[PATH_MAX])
{
    const char *directory = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

    if (directory != NULL && directory[0] == '/')
        return snprintf(path, PATH_MAX, "%s/pprofil/options", directory) < PATH_MAX;
    return home != NULL && home[0] == '/' && snprintf(path, PATH_MAX, "%s/.config/pprofil/options", home) < PATH_MAX;
}

/* Returns why the file is not used, or NULL. The options of root are not for others to choose, and ours neither. */
static const char *config_distrust(const struct stat *status)
{
    if (status->st_uid != geteuid() && status->st_uid != 0)
        return "it belongs to another user";
    return status->st_mode & S_IWOTH ? "anybody may write to it" : NULL;
}

/* Reads an open file. Returns its text, which the caller owns, or NULL after a complaint. */
static char *config_load(int fd, const char *path)
{
    struct stat status;
    char *text = calloc(1, FILE_SIZE_MAX + 1);
    const char *why = fstat(fd, &status) < 0 ? strerror(errno) : config_distrust(&status);

    if (why == NULL && status.st_size > FILE_SIZE_MAX)
        why = "it is too large";
    ssize_t length = why == NULL && text != NULL ? read(fd, text, FILE_SIZE_MAX) : 0;
    if (length < 0)
        why = strerror(errno);
    if (why == NULL && text != NULL)
        return text;
    complain("%s: these options are not used: %s", path, why != NULL ? why : "out of memory");
    free(text);
    return NULL;
}

static void config_read_file(const char *command, struct config_options *options)
{
    char *rest, *line;

    if (!config_find_file(options->path))
        return;
    int fd = regular_file_open(options->path, 0);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return;
    if (fd < 0) {
        complain("%s: these options are not used: %s", options->path, pprofil_error_text(fd));
        return;
    }
    options->text = rest = config_load(fd, options->path);
    close(fd);
    for (unsigned number = 1; (line = strsep(&rest, "\n")) != NULL; number++)
        config_add(options, command, (struct config_line){.path = options->path, .number = number}, line);
}

void config_options_read(const char *command, struct config_options *options)
{
    const char *off = secure_getenv("PPROFIL_NO_CONFIG"), *variable = secure_getenv("PPROFIL_OPTIONS");

    *options = (struct config_options){0};
    if (off != NULL && *off != '\0')
        return;
    config_read_file(command, options);
    if (strcmp(command, "run") != 0 || variable == NULL)
        return;
    if (asprintf(&options->variable, "run %s", variable) < 0)
        exit(complain("out of memory"));
    config_add(options, command, (struct config_line){.path = "PPROFIL_OPTIONS"}, options->variable);
}
