/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "command-fixture.h"
#include "src/choices.h"

static const char *name_at(unsigned i)
{
    static const char *const names[] = {"function", "syscall", "state", "thread", "prof", "prof-v7"};

    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const struct choice_synonym synonyms[] = {{"sym", "function"}, {"symbol", "function"}, {"tid", "thread"}, {0}};
static const struct choices few = {"WHAT", name_at, synonyms, NULL, NULL};
static const struct choices many = {"WHAT", name_at, synonyms, "name", "-x list"};

Test(choices, names_and_synonyms_are_found)
{
    cr_assert_eq(choices_find(&few, "function"), 0);
    cr_assert_eq(choices_find(&few, "sym"), 0);
    cr_assert_eq(choices_find(&few, "tid"), 3);
    cr_assert_eq(choices_find(&few, "prof"), 4);
}

Test(choices, a_beginning_is_found_if_only_one_name_has_it)
{
    cr_assert_eq(choices_find(&few, "fu"), 0);
    cr_assert_eq(choices_find(&few, "sys"), 1);
    cr_assert_eq(choices_find(&few, "s"), CHOICES_AMBIGUOUS);
    cr_assert_eq(choices_find(&few, "pro"), CHOICES_AMBIGUOUS);
    cr_assert_eq(choices_find(&few, "ti"), 3, "the beginning of a synonym");
    cr_assert_eq(choices_find(&few, "sy"), 1, "names come before synonyms");
    cr_assert_eq(choices_find(&few, ""), CHOICES_UNKNOWN);
    cr_assert_eq(choices_find(&few, "functions"), CHOICES_UNKNOWN);
}

Test(choices, the_nearest_name_is_proposed)
{
    cr_assert_str_eq(choices_nearest(&few, "fucntion"), "function");
    cr_assert_str_eq(choices_nearest(&few, "symbl"), "function");
    cr_assert_str_eq(choices_nearest(&few, "prof-v8"), "prof-v7");
    cr_assert_null(choices_nearest(&few, "x"));
    cr_assert_null(choices_nearest(&few, ""));
    cr_assert_null(choices_nearest(&few, "0123456789012345678901234567890123456789012345678901234567890123456789"));
}

Test(choices, they_are_listed)
{
    char text[64];

    choices_list(&few, " or ", text, sizeof text);
    cr_assert_str_eq(text, "function, syscall, state, thread, prof or prof-v7");
}

static void choose_of_few(const char *word)
{
    choice_option("--by", &few, word);
}

static void choose_of_many(const char *word)
{
    choice_option("-x", &many, word);
}

Test(choices, a_wrong_word_is_answered)
{
    cr_assert_str_eq(complaint_of(choose_of_few, "thraed"),
                     "--by takes function, syscall, state, thread, prof or prof-v7, not 'thraed'; did you mean "
                     "'thread'?");
    cr_assert_str_eq(complaint_of(choose_of_few, "x"),
                     "--by takes function, syscall, state, thread, prof or prof-v7, not 'x'");
    cr_assert_str_eq(complaint_of(choose_of_few, "s"), "--by s: this may be syscall or state");
    cr_assert_str_eq(complaint_of(choose_of_many, "thraed"),
                     "-x thraed: there is no such name; did you mean 'thread'? -x list lists all");
    cr_assert_str_eq(complaint_of(choose_of_many, "x"), "-x x: there is no such name; -x list lists all");
}

Test(choices, each_name_of_an_option_can_be_chosen)
{
    const struct choices *choices;

    for (unsigned list = 0; (choices = choices_at(list)) != NULL; list++) {
        for (unsigned i = 0; choices->at(i) != NULL; i++)
            cr_assert_eq(choices_find(choices, choices->at(i)), (int)i, "%s", choices->at(i));
        for (const struct choice_synonym *synonym = choices->synonyms; synonym != NULL && synonym->word != NULL;
             synonym++)
            cr_assert_geq(choices_find(choices, synonym->word), 0, "%s", synonym->word);
    }
}

Test(choices, help_has_the_names)
{
    char *help = choices_help(0, "rows: {WHAT}.", NULL);
    const char *plain = "no list: {NOTHING}";

    cr_assert_str_eq(help, "rows: function, object, line, thread, process, syscall, state, wait, program, host, "
                           "job, rank.");
    free(help);
    cr_assert_eq(choices_help(0, plain, NULL), plain);
    cr_assert_null(choices_help(0, NULL, NULL));
}
