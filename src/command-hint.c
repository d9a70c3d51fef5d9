/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user may have meant by the name of a program that was not found: a subcommand, or one of perf's. */
#include "config.h"

#include <string.h>

#include "choices.h"
#include "command.h"

/* words of perf(1) and of others that are no subcommands */
static const struct {
    const char *word, *instead;
} hints[] = {
    {"record", "pprofil -o FILE PROGRAM"},
    {"run", "pprofil PROGRAM"},
    {"attach", "pprofil -p PID"},
    {"script", "pprofil convert -f perf-script -o - FILE"},
    {"list", "pprofil convert -f list"},
    {"trace", "pprofil -w --by syscall PROGRAM"},
    {"flamegraph", "pprofil -g -o flame.svg PROGRAM"},
};

static const char *hint_word_at(unsigned i)
{
    unsigned count = sizeof hints / sizeof *hints;

    if (i < count)
        return hints[i].word;
    return command_at(i - count) != NULL ? command_at(i - count)->name : NULL;
}

bool command_hint(const char *program, char *hint, size_t size)
{
    static const struct choices words = {.at = hint_word_at};
    const char *word = strchr(program, '/') == NULL ? choices_nearest(&words, program) : NULL;

    if (word == NULL)
        return false;
    snprintf(hint, size, "pprofil %s", word);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].word, word) == 0)
            snprintf(hint, size, "%s", hints[i].instead);
    return true;
}
