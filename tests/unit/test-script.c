/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Code objects of Python interpreters, and their line tables. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"

/*
 * The tables below are those of this function, as the interpreters 3.9, 3.10 and 3.12 have compiled it. The expected
 * lines are what their co_lines() and dis.findlinestarts() say.
 *
 *      1  def f(a):
 *      2      b = a + 1
 *      3      if b > 3:
 *      4          return [x for x in
 *      5                  range(b)
 *      6                  if x]
 *      9      for i in range(3):
 *     10          b += i
 *     11      try:
 *     12          return b
 *     13      finally:
 *     14          print(b)
 */
static const uint8_t table_3_9[] = {0x00, 0x01, 0x08, 0x01, 0x08, 0x01, 0x06, 0x01, 0x06, 0xff, 0x06, 0x05,
                                    0x0c, 0x01, 0x0a, 0x01, 0x02, 0x01, 0x04, 0x02, 0x08, 0xfe, 0x02, 0x02};
static const uint8_t table_3_10[] = {0x08, 0x01, 0x08, 0x01, 0x06, 0x01, 0x06, 0x01, 0x06, 0xff,
                                     0x0c, 0x05, 0x0a, 0x01, 0x02, 0x01, 0x04, 0x01, 0x14, 0x02};
static const uint8_t table_3_12[] = {
    0x80, 0x00, 0xd8, 0x08, 0x09, 0x88, 0x41, 0x89, 0x05, 0x80, 0x41, 0xd8, 0x07, 0x08, 0x88, 0x31, 0x82, 0x75, 0xe4,
    0x10, 0x15, 0x90, 0x61, 0x93, 0x08, 0xf6, 0x03, 0x02, 0x10, 0x16, 0x90, 0x61, 0xe1, 0x13, 0x14, 0xf2, 0x05, 0x00,
    0x11, 0x12, 0xf2, 0x00, 0x02, 0x10, 0x16, 0xf0, 0x00, 0x02, 0x09, 0x16, 0xf4, 0x0a, 0x00, 0x0e, 0x13, 0x90, 0x31,
    0x8b, 0x58, 0xf2, 0x00, 0x01, 0x05, 0x0f, 0x88, 0x01, 0xd8, 0x08, 0x09, 0x88, 0x51, 0x89, 0x06, 0x89, 0x01, 0xf0,
    0x03, 0x01, 0x05, 0x0f, 0xf0, 0x04, 0x03, 0x05, 0x11, 0xd8, 0x0f, 0x10, 0xe4, 0x08, 0x0d, 0x88, 0x61, 0x8d, 0x08,
    0xf9, 0xf2, 0x15, 0x02, 0x10, 0x16, 0xf8, 0xf4, 0x14, 0x00, 0x09, 0x0e, 0x88, 0x61, 0x8d, 0x08, 0xfa};

struct range {
    uint32_t end, line; /* the range begins where the one before it ends */
};

static void expect_lines(uint32_t version, const uint8_t *table, uint32_t size, const struct range *ranges)
{
    uint32_t at = 0;

    for (; ranges->end != 0; ranges++)
        for (; at < ranges->end; at += 2)
            cr_expect_eq(script_line(version, table, size, 1, at), ranges->line,
                         "version %x, instruction %u: %u, not %u", version, at,
                         script_line(version, table, size, 1, at), ranges->line);
}

Test(script, lines_of_3_9)
{
    const struct range ranges[] = {{8, 2},   {16, 3},  {22, 4},  {28, 5},  {34, 4},  {46, 9}, {56, 10},
                                   {58, 11}, {62, 12}, {70, 14}, {72, 12}, {86, 14}, {0}};

    expect_lines(0x03091200, table_3_9, sizeof table_3_9, ranges);
    expect_lines(0x03081200, table_3_9, sizeof table_3_9, ranges);
}

Test(script, lines_of_3_10)
{
    const struct range ranges[] = {{8, 2},   {16, 3},  {22, 4},  {28, 5},  {34, 4}, {46, 9},
                                   {56, 10}, {58, 11}, {62, 12}, {82, 14}, {0}};

    expect_lines(0x030a0d00, table_3_10, sizeof table_3_10, ranges);
    cr_expect_eq(script_line(0x030a0d00, table_3_10, sizeof table_3_10, 1, 82), 0);
}

Test(script, lines_of_3_12)
{
    const struct range ranges[] = {{2, 1},   {12, 2},   {22, 3},   {42, 5},   {58, 4},   {62, 6},   {76, 4},
                                   {104, 9}, {116, 10}, {118, 9},  {120, 11}, {122, 12}, {146, 14}, {150, 0},
                                   {156, 4}, {158, 0},  {182, 14}, {188, 0},  {0}};

    expect_lines(0x030c01f0, table_3_12, sizeof table_3_12, ranges);
    cr_expect_eq(script_line(0x030c01f0, table_3_12, sizeof table_3_12, 1, WIRE_PYTHON_NO_INSTRUCTION), 1);
}

Test(script, any_table_ends)
{
    uint8_t table[64];

    srandom(1);
    for (unsigned round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof table; i++)
            table[i] = (uint8_t)random();
        for (uint32_t minor = 8; minor < 15; minor++)
            script_line(3u << 24 | minor << 16, table, (uint32_t)random() % (sizeof table + 1), 1,
                        (uint32_t)random() % 500);
    }
}

/* --- code objects ---------------------------------------------------------------------------------------- */

struct code_event {
    struct wire_python_code head;
    unsigned char bytes[256];
};

static void make_code(struct code_event *event, uint32_t id, const char *file, const void *name, uint32_t size,
                      uint32_t width)
{
    *event = (struct code_event){.head = {.header = {WIRE_PYTHON_CODE, sizeof *event},
                                          .code = id,
                                          .version = 0x030c01f0,
                                          .first_line = 1,
                                          .file = {(uint32_t)strlen(file), 1},
                                          .name = {size, width},
                                          .lines_size = sizeof table_3_12}};
    memcpy(event->bytes, file, strlen(file));
    memcpy(event->bytes + strlen(file), name, size);
    memcpy(event->bytes + strlen(file) + size, table_3_12, sizeof table_3_12);
    cr_assert(wire_event_valid(&event->head.header, sizeof *event));
}

/* Returns a text with the function, file and line of a frame. */
static const char *frame_text(struct script_codes *codes, const struct profile *profile, uint32_t code,
                              uint32_t instruction)
{
    static char text[256];
    uint32_t location;
    const struct wire_python_frame frame = {.code = code, .instruction = instruction};

    cr_assert_eq(script_codes_location(codes, &frame, &location), 0);
    if (location == PROFILE_NONE)
        return "hidden";
    const struct profile_location *place = &profile->locations[location];
    const struct profile_line *line = place->lines;
    snprintf(text, sizeof text, "%s %s:%u %s", profile->strings[profile->functions[line->function].name],
             profile->strings[line->file], line->line, profile->strings[profile->objects[place->object].path]);
    return text;
}

Test(script, frames_become_locations)
{
    struct profile *profile = profile_new();
    struct script_codes *codes = script_codes_new(profile);
    struct code_event event;

    make_code(&event, 7, "t.py", "A.f", 3, 1);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 7, 4), "A.f t.py:2 t.py");
    cr_expect_str_eq(frame_text(codes, profile, 7, 110), "A.f t.py:10 t.py");
    /* an instruction without a line, and a frame that has not begun, belong to the first line */
    cr_expect_str_eq(frame_text(codes, profile, 7, 148), "A.f t.py:1 t.py");
    cr_expect_str_eq(frame_text(codes, profile, 7, WIRE_PYTHON_NO_INSTRUCTION), "A.f t.py:1 t.py");
    cr_expect_str_eq(frame_text(codes, profile, 8, 4), "[Python code] :0 [unknown]");
    /* the same code in another process has the same locations */
    uint32_t count = profile->location_count;
    make_code(&event, 9, "t.py", "A.f", 3, 1);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 9, 4), "A.f t.py:2 t.py");
    cr_expect_eq(profile->location_count, count);
    script_codes_free(codes);
    profile_free(profile);
}

Test(script, ended_processes_are_forgotten)
{
    struct profile *profile = profile_new();
    struct script_codes *codes = script_codes_new(profile);
    struct code_event event;

    for (uint32_t id = 1; id <= 100; id++) {
        make_code(&event, id, "t.py", "f", 1, 1);
        event.head.pid = 10 + id % 2;
        cr_assert_eq(script_codes_add(codes, &event.head), 0);
    }
    cr_assert_eq(script_codes_forget(codes, 10), 0);
    cr_assert_eq(script_codes_forget(codes, 99), 0);
    for (uint32_t id = 1; id <= 100; id++)
        cr_expect_str_eq(frame_text(codes, profile, id, 4),
                         id % 2 == 0 ? "[Python code] :0 [unknown]" : "f t.py:2 t.py");
    make_code(&event, 2, "t.py", "f", 1, 1);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 2, 4), "f t.py:2 t.py");
    script_codes_free(codes);
    profile_free(profile);
}

Test(script, texts_of_any_width)
{
    struct profile *profile = profile_new();
    struct script_codes *codes = script_codes_new(profile);
    struct code_event event;
    static const unsigned char latin[] = {0xe9, 't', 0xe9};
    static const uint16_t wide[] = {0x65e5, 0x672c, 0xd800};
    static const uint32_t widest[] = {0x1f40d, 'x', 0x110000};

    make_code(&event, 1, "t.py", latin, sizeof latin, 1);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 1, 4), "\xc3\xa9t\xc3\xa9 t.py:2 t.py");
    make_code(&event, 2, "t.py", wide, sizeof wide, 2);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 2, 4), "\xe6\x97\xa5\xe6\x9c\xac\xef\xbf\xbd t.py:2 t.py");
    make_code(&event, 3, "t.py", widest, sizeof widest, 4);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 3, 4), "\xf0\x9f\x90\x8dx\xef\xbf\xbd t.py:2 t.py");
    script_codes_free(codes);
    profile_free(profile);
}

Test(script, the_interpreters_own_code_is_hidden)
{
    struct profile *profile = profile_new();
    struct script_codes *codes = script_codes_new(profile);
    struct code_event event;

    make_code(&event, 1, "__init__", "__init__", 8, 1);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 1, 4), "hidden");
    make_code(&event, 2, "t.py", "__init__", 8, 1);
    cr_assert_eq(script_codes_add(codes, &event.head), 0);
    cr_expect_str_eq(frame_text(codes, profile, 2, 4), "__init__ t.py:2 t.py");
    script_codes_free(codes);
    profile_free(profile);
}

Test(script, this_program_has_no_interpreter)
{
    struct script_interpreter interpreter;
    FILE *file = fopen("/proc/self/exe", "r");

    cr_assert(!script_find_interpreter(fileno(file), "/usr/bin/python3.9", &interpreter));
    fclose(file);
    file = tmpfile();
    fputs("no ELF file", file);
    fflush(file);
    cr_assert(!script_find_interpreter(fileno(file), "python3.9", &interpreter));
    fclose(file);
}
