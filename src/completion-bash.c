/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the completions for bash: tables, and then completion/completion.bash, which reads them.
 *
 *     _pprofil_options      the options of each command
 *     _pprofil_arguments    the values of each option that has an argument: words, and kinds of values such as @files
 *     _pprofil_operands     the values of the operands, with semicolons between them; ... if the last one is repeated
 */
#include "config.h"

#include "command.h"
#include "completion.h"

static void bash_print_values(FILE *out, const char *placeholder)
{
    const struct completion_values values = completion_values(placeholder);
    const char *between = "";

    fputs(values.comma ? "@comma " : "", out);
    for (unsigned list = 0; list < values.list_count; list++)
        for (unsigned i = 0; values.lists[list]->at(i) != NULL; i++, between = " ")
            fprintf(out, "%s%s", between, values.lists[list]->at(i));
    fprintf(out, "%s%s%s", values.files ? " @files" : "", values.directories ? " @directories" : "",
            values.pids ? " @pids" : "");
}

static void bash_print_options(FILE *out, const struct completion_command *command)
{
    fprintf(out, "    [%s]='", command->name);
    for (unsigned i = 0; i < command->options.count; i++) {
        const struct argp_option *option = command->options.options[i];
        if (option_letter(option) != '\0')
            fprintf(out, "-%c ", option_letter(option));
        if (option->name != NULL)
            fprintf(out, "--%s ", option->name);
    }
    fputs("'\n", out);
}

static void bash_print_arguments(FILE *out, const struct completion_command *command)
{
    for (unsigned i = 0; i < command->options.count; i++) {
        const struct argp_option *option = command->options.options[i];
        char letter[2] = {option_letter(option)};
        const char *const names[] = {letter, option->name};
        for (size_t k = 0; option->arg != NULL && k < 2; k++) {
            if (names[k] == NULL || names[k][0] == '\0')
                continue;
            fprintf(out, "    ['%s %s%s']='", command->name, k == 0 ? "-" : "--", names[k]);
            bash_print_values(out, option->arg);
            fputs("'\n", out);
        }
    }
}

static void bash_print_operands(FILE *out, const struct completion_command *command)
{
    fprintf(out, "    [%s]='%s", command->name, command->runs_program ? "@program" : "");
    for (unsigned i = 0; i < command->operand_count && !command->runs_program; i++) {
        fputs(i > 0 ? ";" : "", out);
        bash_print_values(out, command->operands[i]);
    }
    fputs(command->repeated && !command->runs_program ? ";...'\n" : "'\n", out);
}

static void bash_print_table(FILE *out, const char *name,
                             void (*print)(FILE *out, const struct completion_command *command))
{
    struct completion_command command;

    fprintf(out, "declare -gA %s=(\n", name);
    for (unsigned i = 0; completion_command(i, &command); i++)
        print(out, &command);
    fputs(")\n", out);
}

void completion_print_bash(FILE *out)
{
    fputs("# Completions of pprofil for bash. \"pprofil --completion bash\" has printed this.\n\n", out);
    fputs("_pprofil_commands='", out);
    for (unsigned i = 0; command_at(i) != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", command_at(i)->name);
    fputs("'\n", out);
    bash_print_table(out, "_pprofil_options", bash_print_options);
    bash_print_table(out, "_pprofil_arguments", bash_print_arguments);
    bash_print_table(out, "_pprofil_operands", bash_print_operands);
    fputs(completion_bash, out);
}
