/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program-output.h"

static struct output empty(void)
{
    return (struct output){.master = -1, .keeper = -1};
}

static void feed(struct output *output, const char *text)
{
    output_feed(output, text, strlen(text));
}

Test(output, lines)
{
    struct output output = empty();

    feed(&output, "one\r\ntw");
    cr_assert_eq(output.count, 2);
    cr_assert_str_eq(output.lines[1], "tw");
    feed(&output, "o\n\033[31mred\033[0m\n10 %\r20 %\na\tb\n");
    cr_assert_eq(output.count, 6);
    cr_assert_str_eq(output.lines[0], "one");
    cr_assert_str_eq(output.lines[1], "two");
    cr_assert_str_eq(output.lines[2], "red");
    cr_assert_str_eq(output.lines[3], "20 %");
    cr_assert_str_eq(output.lines[4], "a       b");
    cr_assert_str_eq(output.lines[5], "");
    output_close(&output);
}

Test(output, the_last_lines_are_kept)
{
    struct output output = empty();
    char text[32];

    for (uint64_t i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "%lu\n", (unsigned long)i);
        feed(&output, text);
        cr_assert_leq(output.count, 5000);
        cr_assert(output.dropped == 0 || output.count > 3700);
        cr_assert_eq(output.dropped + output.count, i + 2);
        cr_assert_eq(strtoull(output.lines[0], NULL, 10), output.dropped);
        cr_assert_eq(strtoull(output.lines[output.count - 2], NULL, 10), i);
    }
    output_close(&output);
}

Test(output, is_read_until_there_is_no_more)
{
    struct output output = empty();
    char line[101];
    int program;

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    cr_assert_eq(output_open(&output, 24, 80, &program), 0);
    cr_assert_not(output_read(&output));
    for (int i = 0; i < 30; i++)
        cr_assert_eq(write(program, line, sizeof line), (ssize_t)sizeof line);
    for (int i = 0; i < 1000 && output.count < 31; i++, usleep(1000)) /* a kernel thread passes on the bytes */
        output_read(&output);
    cr_assert_eq(output.count, 31);
    cr_assert_not(output_read(&output));
    close(program);
    for (int i = 0; i < 1000 && output.master >= 0; i++, usleep(1000))
        output_read(&output);
    cr_assert_eq(output.master, -1);
    cr_assert_not(output_read(&output));
    output_close(&output);
}
