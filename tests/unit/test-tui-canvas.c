/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of the canvas. Texts that other people wrote are safe to show, take the right number of
 * columns, and do not reach beyond the edges of the canvas.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "canvas.h"
#include "model.h"
#include "view.h"

#define HOSTILE "a\033[2Jb\r\n\x7f\xc2\x9b\xff\xc0\xaf\xed\xa0\x80z"

static struct canvas canvas;

static void make(int rows, int columns, bool utf8)
{
    canvas.utf8 = utf8;
    cr_assert_eq(canvas_resize(&canvas, rows, columns), 0);
}

static void forget(void)
{
    canvas_free(&canvas);
}

TestSuite(text, .fini = forget);
TestSuite(canvas, .fini = forget);
TestSuite(paint, .fini = forget);

/* Checks that the canvas, when it is printed, gives the expected lines. */
static void expect(const char *expected)
{
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    cr_assert_eq(canvas_print(&canvas, out), 0);
    fclose(out);
    cr_expect_str_eq(printed, expected);
    free(printed);
}

Test(text, bytes_that_are_no_characters_are_question_marks)
{
    const char *at = HOSTILE;
    uint32_t expected[] = {'a', '?', '[', '2', 'J', 'b', '?', '?', '?', '?', /* last: U+009B, CSI */
                           '?', '?', '?', '?', '?', '?', 'z', 0};

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int width;
        cr_expect_eq(character_next(&at, &width), expected[i], "character %zu", i);
    }
    cr_expect_eq(*at, '\0');
}

Test(text, widths_and_encoding_round)
{
    static const struct {
        const char *text;
        int width;
    } cases[] = {{"", 0},     {"abc", 3}, {"é", 1},         {"e\u0301", 1},
                 {"日本", 4}, {"😀", 2},   {"\u202eabc", 3}, {"…", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        uint32_t character;
        int width;
        cr_expect_eq(characters_width(cases[i].text, 100), cases[i].width, "%s", cases[i].text);
        while (*at != '\0') {
            char bytes[4];
            const char *from = at;
            character = character_next(&at, &width);
            cr_expect_eq(utf8_encode(character, bytes), at - from);
            cr_expect(memcmp(bytes, from, (size_t)(at - from)) == 0);
        }
    }
    cr_expect_eq(characters_width("日本", 3), 3);
}

/* If a text ends in the middle of a UTF-8 sequence, nothing beyond the end of the text is read. */
Test(text, ends_at_the_end)
{
    char bytes[3] = {'\xe2', '\x82', '\0'};
    const char *at = bytes;
    int width;

    cr_expect_eq(character_next(&at, &width), '?');
    cr_expect_eq(character_next(&at, &width), '?');
    cr_expect_eq(character_next(&at, &width), 0);
    cr_expect_eq(at, bytes + 2);
}

Test(canvas, nothing_is_put_outside)
{
    make(2, 4, true);
    canvas_put(&canvas, 0, 2, -1, STYLE_PLAIN, "abcdef");
    canvas_put(&canvas, 1, -2, -1, STYLE_PLAIN, "abcdef");
    canvas_put(&canvas, 2, 0, -1, STYLE_PLAIN, "x");
    canvas_put(&canvas, -1, 0, -1, STYLE_PLAIN, "x");
    canvas_put(&canvas, 0, 9, -1, STYLE_PLAIN, "x");
    canvas_put(&canvas, 0, 0, 0, STYLE_PLAIN, "x");
    canvas_style(&canvas, 1, -5, 100, STYLE_HOT);
    canvas_style(&canvas, 7, 0, -1, STYLE_HOT);
    canvas_put_right(&canvas, 0, -3, 4, STYLE_PLAIN, "ABCDEFG");
    expect("D ab\ncdef\n");
}

Test(canvas, ascii_takes_no_other_characters)
{
    make(1, 20, false);
    cr_expect_eq(canvas_put(&canvas, 0, 0, -1, STYLE_PLAIN, "é…日e\u0301\033"), 5);
    expect("???e?\n");
}

Test(canvas, wide_characters_are_whole_or_not_there)
{
    make(3, 5, true);
    cr_expect_eq(canvas_put(&canvas, 0, 0, -1, STYLE_PLAIN, "日本語"), 4);
    canvas_put(&canvas, 1, 0, -1, STYLE_PLAIN, "日本");
    canvas_put(&canvas, 1, 1, 1, STYLE_PLAIN, "x"); /* over the right half of the first character */
    canvas_put(&canvas, 1, 2, 1, STYLE_PLAIN, "y"); /* over the left half of the second character */
    canvas_put(&canvas, 2, 0, -1, STYLE_PLAIN, "a日b");
    canvas_put(&canvas, 2, 0, -1, STYLE_PLAIN, "本");
    expect("日本\n xy\n本 b\n");
}

Test(canvas, sparks)
{
    static const float values[] = {9, 0, 0.01F, 0.5F, 1, 2};

    make(2, 10, true);
    canvas_spark(&canvas, 0, 0, 5, STYLE_SPARK, values, 6, 1);
    canvas_spark(&canvas, 1, 0, 8, STYLE_SPARK, values, 6, 9);
    expect(" ▁▄██\n  █ ▁▁▁▂\n");
    canvas.utf8 = false;
    canvas_clear(&canvas);
    canvas_spark(&canvas, 0, 5, 9, STYLE_SPARK, values, 6, 1); /* only the first two bars are inside */
    expect("        #\n\n");
}

Test(canvas, sizes_that_are_none)
{
    make(0, 0, true);
    canvas_put(&canvas, 0, 0, -1, STYLE_PLAIN, "x");
    expect("");
    make(-3, INT_MAX, true);
    expect("");
    make(1, 1, true);
    canvas_put(&canvas, 0, 0, -1, STYLE_PLAIN, "日");
    canvas_put(&canvas, 0, 0, -1, STYLE_PLAIN, "xyz");
    expect("x\n");
}

static void put(int row, int width, const struct paint_text *text)
{
    paint_text(&canvas, row, 0, width, STYLE_PLAIN, text);
}

Test(paint, long_names_are_cut)
{
    make(6, 12, true);
    put(0, 8, &(struct paint_text){.text = "exactly8"});
    put(1, 8, &(struct paint_text){.text = "more than 8"});
    put(2, 8, &(struct paint_text){.text = "/usr/lib/libfoo.so", .tail = true});
    put(3, 8, &(struct paint_text){.text = "more than 8", .sideways = 2});
    put(4, 8, &(struct paint_text){.text = "/usr/lib/libfoo.so", .tail = true, .sideways = 99});
    put(5, 8, &(struct paint_text){.text = "日本語日本語"});
    expect("exactly8\nmore th…\n…bfoo.so\n…e than…\n/usr/li…\n日本語 …\n");
}

Test(paint, matches_are_marked)
{
    make(1, 20, true);
    put(0, -1, &(struct paint_text){.text = "Foo barfoo", .search = "foo"});
    for (int column = 0; column < 10; column++)
        cr_expect_eq(canvas.cells[column].style, column < 3 || column >= 7 ? STYLE_MATCH : STYLE_PLAIN, "%d", column);
}

Test(paint, tabs_and_words)
{
    make(4, 24, false);
    put(0, -1, &(struct paint_text){.text = "\tx\ty", .tabs = true});
    put(1, -1, &(struct paint_text){.text = "\tx"});
    cr_expect_eq(paint_words(&canvas, 2, 2, STYLE_PLAIN, "words that do not fit on one line"), 4);
    expect("        x       y\n?x\n words that do not fit\n on one line\n");
}

Test(paint, figures)
{
    make(1, 30, true);
    paint_per_cent(&canvas, 0, 0, 6, STYLE_PLAIN, 0.12345, 2);
    paint_per_cent(&canvas, 0, 7, 6, STYLE_PLAIN, (double)__builtin_nan(""), 1);
    paint_per_cent(&canvas, 0, 14, 6, STYLE_PLAIN, 1, 1);
    expect(" 12.35      -  100.0\n");
    cr_expect_eq(paint_heat(0.1), STYLE_HOT);
    cr_expect_eq(paint_heat(0.03), STYLE_WARM);
    cr_expect_eq(paint_heat(0.0299), STYLE_COOL);
}
