/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes the commands of pprofil for the completions of shells: see completion.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "command-line.h"
#include "command.h"
#include "completion.h"
#include "output-stream.h"

/* --- what may stand where -------------------------------------------------------------------- */

static const char *const names_of_files[] = {"FILE", "OUT", "OLD", "NEW", "PATH", "PROGRAM"};

static void values_add(struct completion_values *values, const char *name)
{
    const struct choices *choices = choices_by_placeholder(name, strlen(name));

    for (size_t i = 0; i < sizeof names_of_files / sizeof *names_of_files; i++)
        values->files = values->files || strcmp(name, names_of_files[i]) == 0;
    values->directories = values->directories || strcmp(name, "DIR") == 0;
    values->pids = values->pids || strcmp(name, "PID") == 0;
    if (choices != NULL && values->list_count < VALUE_LISTS_MAX)
        values->lists[values->list_count++] = choices;
}

/* The name is "A", "A|B", or "PID[,PID...]", whose first part is a name. */
struct completion_values completion_values(const char *placeholder)
{
    struct completion_values values = {.comma = strstr(placeholder, "[,") != NULL};
    char names[64], *rest = names;

    snprintf(names, sizeof names, "%.*s", (int)strcspn(placeholder, "["), placeholder);
    for (char *name; (name = strsep(&rest, "|")) != NULL;)
        values_add(&values, name);
    return values;
}

void completion_text(const struct argp_option *option, char *text, size_t size)
{
    const char *doc = option->doc != NULL ? option->doc : "";
    char *help = choices_help(option->key, doc, NULL);

    snprintf(text, size, "%s", help);
    if (help != doc)
        free(help);
}

/* --- commands -------------------------------------------------------------------------------- */

static bool is_offered(const struct argp_option *option)
{
    return !(option->flags & OPTION_HIDDEN) || (option->flags & OPTION_ELSEWHERE) == OPTION_ELSEWHERE;
}

static void command_add_options(struct completion_command *command, const struct argp *argp)
{
    struct option_table all = {0};

    command_line_options(argp, &all);
    for (unsigned i = 0; i < all.count; i++)
        if (is_offered(all.options[i]))
            command->options.options[command->options.count++] = all.options[i];
}

/* Reads the operands in the first line of what --help says of them: "[--] PROGRAM [ARG...]", "-p PID DIR",
 * "FILE...". */
static void command_add_operands(struct completion_command *command, const char *usage)
{
    char line[128], *rest = line;
    bool of_option = false;

    snprintf(line, sizeof line, "%.*s", (int)strcspn(usage, "\n"), usage);
    command->runs_program = strstr(line, "PROGRAM [ARG...]") != NULL;
    command->repeated = strstr(line, "...") != NULL;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        bool is_option = word[strspn(word, "[")] == '-';
        word += strspn(word, "[");
        word[strcspn(word, "].")] = '\0';
        if (!is_option && !of_option && *word != '\0' && command->operand_count < OPERANDS_MAX)
            snprintf(command->operands[command->operand_count++], sizeof command->operands[0], "%.31s", word);
        of_option = is_option && strcmp(word, "--") != 0;
    }
}

bool completion_command(unsigned i, struct completion_command *command)
{
    static const struct command run = {.name = "run", .argp = &run_argp};
    static const struct argp none = {0};
    const struct command *known = i == 0 ? &run : command_at(i - 1);

    if (known == NULL)
        return false;
    const struct argp *argp = known->argp != NULL ? known->argp : &none;
    *command = (struct completion_command){.name = known->name, .summary = known->summary};
    command_add_options(command, argp);
    command_add_operands(command, argp->args_doc != NULL ? argp->args_doc : "");
    return true;
}

int completion_print(int shell)
{
    static void (*const printers[])(FILE * out) = {completion_print_bash, completion_print_zsh, completion_print_fish};

    printers[shell](stdout);
    return output_flush();
}
