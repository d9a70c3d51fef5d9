/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Python frames in native stacks. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "profile/named-locations.h"
#include "script/script.h"
#include "unwind/unwind-internal.h"
#include "wire/wire.h"

/* A native frame at 0x1000 * (number + 1) on the stack, in an object whose functions have one address each. */
static void make_native(struct unwind_stack *stack, struct unwind_frame *frames, uint32_t object, uint32_t count)
{
    *stack = (struct unwind_stack){.frames = frames, .room = count, .count = count, .end = UNWIND_COMPLETE};
    for (uint32_t i = 0; i < count; i++)
        frames[i] = (struct unwind_frame){.object = object, .address = 100 + i, .sp = 0x1000 * (i + 1u)};
}

struct python_frames {
    struct wire_python head;
    struct wire_python_frame frames[8];
};

/* Merges, and returns a text: a digit for each native frame, a letter for each Python frame, the innermost first. */
static const char *merged(struct unwinder *unwinder, struct profile *profile, const struct unwind_stack *stack,
                          const struct python_frames *python)
{
    static char text[32];
    uint32_t locations[32], count;

    cr_assert_eq(unwind_merge_python(unwinder, profile, stack, &python->head, locations, &count), 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct profile_location *place = &profile->locations[locations[i]];
        text[i] = place->line_count > 0 ? profile->strings[profile->functions[place->lines->function].name][0]
                                        : (char)('0' + (place->address - 100));
    }
    text[count] = '\0';
    return text;
}

struct fixture {
    struct profile *profile;
    struct unwinder *unwinder;
    struct unwind_frame frames[8];
    struct unwind_stack stack;
    struct python_frames python;
};

/* Makes `native` native frames, and as many Python frames as `text` has letters, which are their names. */
static void make_fixture(struct fixture *fixture, uint32_t native, const char *text)
{
    struct {
        struct wire_python_code code;
        char bytes[8];
    } event = {.code = {.header = {WIRE_PYTHON_CODE, sizeof event}, .version = 0x030c0000}};
    uint32_t object;

    *fixture = (struct fixture){.profile = profile_new(), .unwinder = unwinder_new()};
    cr_assert_eq(profile_named_object(fixture->profile, "native", &object), 0);
    make_native(&fixture->stack, fixture->frames, object, native);
    event.code.file = event.code.name = (struct wire_python_text){1, 1};
    for (uint32_t i = 0; text[i] != '\0'; i++) {
        event.code.code = i + 1;
        event.bytes[0] = 'x';
        event.bytes[1] = text[i];
        cr_assert_eq(unwind_add_code(fixture->unwinder, fixture->profile, &event.code), 0);
        fixture->python.frames[i].code = i + 1;
        fixture->python.head.count++;
    }
}

static void free_fixture(struct fixture *fixture)
{
    unwinder_free(fixture->unwinder);
    profile_free(fixture->profile);
}

Test(unwind_python, several_frames_in_one_native_frame)
{
    struct fixture fixture;

    make_fixture(&fixture, 6, "abcd");
    fixture.python.frames[0].stack = fixture.python.frames[1].stack = 0x2800; /* in native frame 1 */
    fixture.python.frames[2].stack = fixture.python.frames[3].stack = 0x4008; /* in native frame 3 */
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "0ab2cd45");
    free_fixture(&fixture);
}

Test(unwind_python, the_innermost_native_frame_executes_python)
{
    struct fixture fixture;

    make_fixture(&fixture, 3, "ab");
    fixture.python.frames[0].stack = fixture.python.frames[1].stack = 0x1000;
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "ab12");
    free_fixture(&fixture);
}

Test(unwind_python, outer_frames_of_an_incomplete_stack)
{
    struct fixture fixture;

    make_fixture(&fixture, 3, "abc");
    fixture.stack.end = UNWIND_TRUNCATED;
    fixture.python.frames[0].stack = 0x2100;
    fixture.python.frames[1].stack = 0x9000;
    fixture.python.frames[2].stack = 0xa000;
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "0a2bc");
    free_fixture(&fixture);
}

Test(unwind_python, frames_whose_native_frame_is_missing)
{
    struct fixture fixture;

    make_fixture(&fixture, 4, "abc");
    fixture.python.frames[0].stack = 0x100; /* further in than all native frames */
    fixture.python.frames[1].stack = 0x3000;
    fixture.python.frames[2].stack = 0; /* not known */
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "a01b3c");
    free_fixture(&fixture);
}

/* Makes the unwinder believe that the object's code at the given addresses is that of the interpreter's function. */
static void make_eval(struct fixture *fixture, uint64_t start, uint64_t end)
{
    fixture->unwinder->runtimes = calloc(8, sizeof(struct unwind_runtimes));
    fixture->unwinder->runtimes_count = 8;
    struct unwind_runtimes *known = &fixture->unwinder->runtimes[fixture->frames[0].object];
    known->looked = known->has_python = true;
    known->python.eval[0].start = start;
    known->python.eval[0].end = end;
}

Test(unwind_python, by_name)
{
    struct fixture fixture;

    make_fixture(&fixture, 6, "ab");
    make_eval(&fixture, 101, 103); /* native frames 1 and 2 */
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "0ab345");
    /* the thread has just entered the function: the innermost frame has no Python frame yet */
    fixture.python.head.count = 1;
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "01a345");
    /* but if the native stack is cut off, it is the outermost frame that is missing */
    fixture.stack.end = UNWIND_TRUNCATED;
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "0a2345");
    fixture.python.head.count = 2;
    fixture.stack.count = 2;
    cr_expect_str_eq(merged(fixture.unwinder, fixture.profile, &fixture.stack, &fixture.python), "0ab");
    free_fixture(&fixture);
}
