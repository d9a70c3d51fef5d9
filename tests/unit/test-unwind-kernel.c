/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel stacks on top of the stacks of sleeping threads. */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "unwind/unwind-internal.h"
#include "unwind/unwind-kernel.h"
#include "wire/wire.h"

/* Feeds a kernel stack of two functions, whose names have one letter each. */
static void feed_kernel_stack(struct unwinder *unwinder, struct profile *profile, uint32_t id, const char *names)
{
    struct {
        struct wire_kernel_stack head;
        char names[8];
    } event = {.head = {.header = {WIRE_KERNEL_STACK, sizeof event}, .id = id, .count = 2}};

    event.names[0] = names[0];
    event.names[2] = names[1];
    cr_assert(wire_event_valid(&event.head.header, sizeof event));
    cr_assert_eq(unwind_feed(unwinder, profile, &event.head.header), 0);
}

/* Feeds a sample of a thread that sleeps in a kernel stack, and returns its node. */
static uint32_t feed_sleeper(struct unwinder *unwinder, struct profile *profile, uint16_t kernel_stack)
{
    struct {
        struct wire_sample sample;
        struct wire_stack stack;
    } event = {.sample = {.header = {WIRE_SAMPLE, sizeof event}, .pid = 1, .tid = 1, .pc = 0x400010, .wall_ns = 1}};

    event.sample.flags = WIRE_SAMPLE_SLEEPING | WIRE_SAMPLE_STACK;
    event.sample.kernel_stack = kernel_stack;
    cr_assert(wire_event_valid(&event.sample.header, sizeof event));
    cr_assert_eq(unwind_feed(unwinder, profile, &event.sample.header), 0);
    return profile->samples[profile->sample_count - 1].node;
}

/* Returns the names of the kernel's functions in a stack, the innermost first. */
static const char *kernel_names(const struct profile *profile, uint32_t node)
{
    static char text[16];
    size_t count = 0;

    for (; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        const struct profile_location *place = &profile->locations[profile->nodes[node].location];
        if (profile_is_kernel(profile, place->object))
            text[count++] = profile->strings[profile->functions[place->lines->function].name][0];
    }
    text[count] = '\0';
    return text;
}

Test(unwind_kernel, functions_are_above_those_of_the_thread)
{
    struct profile *profile = profile_new();
    struct unwinder *unwinder = unwinder_new();

    uint32_t user = feed_sleeper(unwinder, profile, 3), node = user;
    cr_expect_str_eq(kernel_names(profile, user), "", "the stack is not known");
    feed_kernel_stack(unwinder, profile, 3, "ab");
    feed_kernel_stack(unwinder, profile, WIRE_KERNEL_STACKS_MAX, "cb");
    cr_expect_str_eq(kernel_names(profile, feed_sleeper(unwinder, profile, 3)), "ab");
    cr_expect_str_eq(kernel_names(profile, feed_sleeper(unwinder, profile, WIRE_KERNEL_STACKS_MAX)), "cb");
    cr_expect_eq(profile->sample_count, 3);
    feed_sleeper(unwinder, profile, 3);
    feed_sleeper(unwinder, profile, 0);
    cr_expect_eq(profile->sample_count, 3, "equal stacks are counted together");
    feed_kernel_stack(unwinder, profile, 3, "da");
    cr_expect_str_eq(kernel_names(profile, feed_sleeper(unwinder, profile, 3)), "da", "the id has another stack now");
    cr_expect_eq(unwind_enter_kernel(unwinder, profile, UINT16_MAX, &node), 0);
    cr_expect_eq(node, user, "there is no such id");
    unwinder_free(unwinder);
    profile_free(profile);
}
