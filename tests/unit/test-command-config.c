/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/config-options.h"

/* Splits a line, and returns its words with a | between them. The next call overwrites them. */
static const char *split(const char *text)
{
    static char joined[256];
    char line[256], **words;

    strcpy(line, text);
    int count = config_split(line, &words);
    cr_assert_geq(count, 0, "%s", text);
    joined[0] = '\0';
    for (int i = 0; i < count; i++) {
        strcat(joined, i > 0 ? "|" : "");
        strcat(joined, words[i]);
    }
    cr_assert_null(words[count]);
    free(words);
    return joined;
}

Test(config, words_are_separated_by_blanks)
{
    cr_assert_str_eq(split("report --by line"), "report|--by|line");
    cr_assert_str_eq(split(" \trun  -g\t-F 99 \r"), "run|-g|-F|99");
    cr_assert_str_eq(split(""), "");
    cr_assert_str_eq(split("   "), "");
}

Test(config, comments)
{
    cr_assert_str_eq(split("# report --by line"), "");
    cr_assert_str_eq(split("run -g # -w"), "run|-g");
    cr_assert_str_eq(split("run -o a#b"), "run|-o|a#b");
    cr_assert_str_eq(split("run '#'"), "run|#");
}

Test(config, quotes)
{
    cr_assert_str_eq(split("a 'b c' \"d e\""), "a|b c|d e");
    cr_assert_str_eq(split("a\\ b \\' \\\""), "a b|'|\"");
    cr_assert_str_eq(split("'a\\b' \"a\\\\b\" \"\\\"\""), "a\\b|a\\b|\"");
    cr_assert_str_eq(split("--o='a b'c"), "--o=a bc");
    cr_assert_str_eq(split("'' \"\""), "|");
    cr_assert_str_eq(split("$HOME ~ * `x`"), "$HOME|~|*|`x`");
    cr_assert_str_eq(split("a\\"), "a\\");
}

Test(config, a_quote_that_is_not_closed)
{
    char **words, one[] = "a 'b", two[] = "\"";

    cr_assert_eq(config_split(one, &words), -EINVAL);
    cr_assert_eq(config_split(two, &words), -EINVAL);
}
