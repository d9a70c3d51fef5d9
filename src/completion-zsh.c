/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the completions for zsh: the specifications of each command for _arguments (zshcompsys(1)), and then
 * completion/completion.zsh.
 */
#include "config.h"

#include <string.h>

#include "command.h"
#include "completion.h"

#define TEXT_SIZE 512

/* Prints a text as a part of a specification in single quotes. A backslash stands before the characters that end a part
 * of it. */
static void zsh_print_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, strchr("[]:\\", *text) != NULL ? "\\%c" : "%c", *text);
}

/* Prints the words that can stand in a place, in parentheses if they are the whole action. */
static void zsh_print_words(FILE *out, const struct completion_values *values)
{
    const char *open = values->comma ? "" : "(", *close = values->comma ? "" : ")";

    if (values->list_count == 0)
        return;
    for (unsigned list = 0; list < values->list_count; list++)
        for (unsigned i = 0; values->lists[list]->at(i) != NULL; i++)
            fprintf(out, "%s%s", list == 0 && i == 0 ? open : " ", values->lists[list]->at(i));
    fputs(close, out);
}

/* Prints what completes a value, as in ":FILE:_files". */
static void zsh_print_action(FILE *out, const char *placeholder)
{
    const struct completion_values values = completion_values(placeholder);

    fputc(':', out);
    zsh_print_text(out, placeholder);
    fputc(':', out);
    if (values.comma)
        fputs(values.pids ? " _sequence _pprofil_pids" : values.list_count > 0 ? " _sequence compadd - " : " ", out);
    else if (values.files && values.pids)
        fputs(" _alternative \"pids:process:_pprofil_pids\" \"files:file:_files\"", out);
    else if (values.files || values.directories)
        fputs(values.files ? "_files" : "_files -/", out);
    else if (values.pids)
        fputs("_pprofil_pids", out);
    else if (values.list_count == 0)
        fputc(' ', out);
    zsh_print_words(out, &values);
}

/* Prints an option, as in '(-n --limit)'{-n+,--limit=}'[at most ROWS rows]:ROWS: '. */
static void zsh_print_option(FILE *out, const struct argp_option *option)
{
    char text[TEXT_SIZE], letter = option_letter(option);
    const char *plus = option->arg != NULL ? "+" : "", *equal = option->arg != NULL ? "=" : "";

    completion_text(option, text, sizeof text);
    if (letter != '\0' && option->name != NULL)
        fprintf(out, "      '(-%c --%s)'{-%c%s,--%s%s}'[", letter, option->name, letter, plus, option->name, equal);
    else if (option->name != NULL)
        fprintf(out, "      '--%s%s[", option->name, equal);
    else
        fprintf(out, "      '-%c%s[", letter, plus);
    zsh_print_text(out, text);
    fputc(']', out);
    if (option->arg != NULL)
        zsh_print_action(out, option->arg);
    fputs("'\n", out);
}

static void zsh_print_operands(FILE *out, const struct completion_command *command)
{
    if (command->runs_program) {
        fprintf(out, "      '(-):program:%s'\n      '*::argument: _normal'\n",
                command->summary == NULL ? "_pprofil_first" : "_pprofil_program");
        return;
    }
    for (unsigned i = 0; i < command->operand_count; i++) {
        bool last = i + 1 == command->operand_count;
        fputs(command->repeated && last ? "      '*" : "      '", out);
        zsh_print_action(out, command->operands[i]);
        fputs("'\n", out);
    }
}

static void zsh_print_commands(FILE *out)
{
    fputs("_pprofil_names=(", out);
    for (unsigned i = 0; command_at(i) != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", command_at(i)->name);
    fputs(")\n\n_pprofil_commands() {\n  local -a commands=(\n", out);
    for (unsigned i = 0; command_at(i) != NULL; i++) {
        fprintf(out, "    '%s:", command_at(i)->name);
        zsh_print_text(out, command_at(i)->summary);
        fputs("'\n", out);
    }
    fputs("  )\n  _describe -t commands 'pprofil command' commands\n}\n", out);
}

void completion_print_zsh(FILE *out)
{
    struct completion_command command;

    fputs("#compdef pprofil\n# Completions of pprofil for zsh. \"pprofil --completion zsh\" has printed this.\n\n",
          out);
    zsh_print_commands(out);
    fputs("\n# Sets `specs` to the options and operands of a command.\n_pprofil_specs() {\n  case $1 in\n", out);
    for (unsigned i = 0; completion_command(i, &command); i++) {
        fprintf(out, "    %s) specs=(\n", command.name);
        for (unsigned k = 0; k < command.options.count; k++)
            zsh_print_option(out, command.options.options[k]);
        zsh_print_operands(out, &command);
        fputs("      ) ;;\n", out);
    }
    fputs("  esac\n}\n", out);
    fputs(completion_zsh, out);
}
