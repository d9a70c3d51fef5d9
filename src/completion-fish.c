/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the completions for fish: the lists and functions of completion/completion.fish, and then a call of
 * complete(1) for each option and operand. */
#include "config.h"

#include <string.h>

#include "command.h"
#include "completion.h"

#define TEXT_SIZE 512

static void fish_print_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        fprintf(out, strchr("'\\", *text) != NULL ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

/* Prints the options for a value. `required`: an option has it as its argument. */
static void fish_print_values(FILE *out, const char *placeholder, bool required)
{
    const struct completion_values values = completion_values(placeholder);

    fputs(values.files ? (required ? " -r -F" : " -F") : required ? " -x" : " -f", out);
    if (!values.directories && !values.pids && values.list_count == 0)
        return;
    fputs(values.comma ? " -a '(__fish_append , " : " -a '", out);
    fputs(values.directories ? "(__fish_complete_directories)" : "", out);
    fputs(values.pids ? "(__fish_complete_pids)" : "", out);
    for (unsigned list = 0; list < values.list_count; list++)
        for (unsigned i = 0; values.lists[list]->at(i) != NULL; i++)
            fprintf(out, "%s ", values.lists[list]->at(i));
    fputs(values.comma ? ")'" : "'", out);
}

/* Prints the list of options that take an argument. */
static void fish_print_takes(FILE *out, const struct completion_command *command)
{
    fprintf(out, "set -g __pprofil_takes_%s", command->name);
    for (unsigned i = 0; i < command->options.count; i++) {
        const struct argp_option *option = command->options.options[i];
        if (option->arg != NULL && option_letter(option) != '\0')
            fprintf(out, " -%c", option_letter(option));
        if (option->arg != NULL && option->name != NULL)
            fprintf(out, " --%s", option->name);
    }
    fputc('\n', out);
}

static void fish_print_option(FILE *out, const struct completion_command *command, const struct argp_option *option)
{
    char text[TEXT_SIZE];

    completion_text(option, text, sizeof text);
    fprintf(out, "complete -c pprofil -n '__pprofil_options %s'", command->name);
    if (option_letter(option) != '\0')
        fprintf(out, " -s %c", option_letter(option));
    if (option->name != NULL)
        fprintf(out, " -l %s", option->name);
    if (option->arg != NULL)
        fish_print_values(out, option->arg, true);
    fputs(" -d ", out);
    fish_print_text(out, text);
    fputc('\n', out);
}

static void fish_print_operands(FILE *out, const struct completion_command *command)
{
    const char *name = command->name;

    if (command->runs_program) {
        fprintf(out, "complete -c pprofil -n '__pprofil_at %s 0' -a '(__fish_complete_command)'\n", name);
        fprintf(out, "complete -c pprofil -n '__pprofil_from %s 1' -a '(__pprofil_of_program %d %s)'\n", name,
                command->summary == NULL ? 1 : 2, name);
        return;
    }
    for (unsigned i = 0; i < command->operand_count; i++) {
        bool rest = command->repeated && i + 1 == command->operand_count;
        fprintf(out, "complete -c pprofil -n '__pprofil_%s %s %u'", rest ? "from" : "at", name, i);
        fish_print_values(out, command->operands[i], false);
        fputc('\n', out);
    }
}

static void fish_print_lists(FILE *out)
{
    struct completion_command command;

    fputs("set -g __pprofil_commands", out);
    for (unsigned i = 0; command_at(i) != NULL; i++)
        fprintf(out, " %s", command_at(i)->name);
    fputs("\nset -g __pprofil_wrappers", out);
    for (unsigned i = 0; completion_command(i, &command); i++)
        if (command.runs_program)
            fprintf(out, " %s", command.name);
    fputc('\n', out);
    for (unsigned i = 0; completion_command(i, &command); i++)
        fish_print_takes(out, &command);
}

void completion_print_fish(FILE *out)
{
    struct completion_command command;

    fputs("# Completions of pprofil for fish. \"pprofil --completion fish\" has printed this.\n\n", out);
    fish_print_lists(out);
    fputs(completion_fish, out);
    fputs("\ncomplete -c pprofil -f\n", out);
    for (unsigned i = 0; command_at(i) != NULL; i++) {
        fprintf(out, "complete -c pprofil -n __pprofil_first -a %s -d ", command_at(i)->name);
        fish_print_text(out, command_at(i)->summary);
        fputc('\n', out);
    }
    for (unsigned i = 0; completion_command(i, &command); i++) {
        for (unsigned k = 0; k < command.options.count; k++)
            fish_print_option(out, &command, command.options.options[k]);
        fish_print_operands(out, &command);
    }
}
