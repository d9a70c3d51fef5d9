/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes rules for Go code without frame descriptions, from the frame sizes in the table that Go's runtime needs itself
 * (lib/pclntab). A stack of Go ends in the functions below (topofstack in runtime/traceback.go).
 */
#include "config.h"

#include <string.h>

#include "unwind/unwind-go.h"

/* Nothing has called these functions: the kernel or clone(2) has begun a thread in them, or newproc1 a goroutine. */
static bool go_is_outermost(const char *name)
{
    static const char *const names[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "_rt0_", strlen("_rt0_")) == 0;
}

/* These functions go to the stack of the thread (g0) before they call something, and never return there. */
static bool go_leaves_stack(const char *name)
{
    return strcmp(name, "runtime.mcall") == 0 || strcmp(name, "runtime.morestack") == 0;
}

/* A signal handler returns to this function. trampoline_is recognizes it, and trampoline_step needs no rule. */
static bool go_is_trampoline(const char *name)
{
    static const char prefix[] = "runtime.sigreturn"; /* from Go 1.20 on, "__sigaction" follows */

    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

bool go_rule(const struct pclntab *table, const struct machine *machine, uint64_t address, bool after_call,
             struct rule_full *rule)
{
    struct pclntab_function function, next;
    uint32_t size;

    if (!pclntab_find(table, address, &function) || go_is_trampoline(function.name) ||
        (pclntab_find(table, address + 1, &next) && go_is_trampoline(next.name)) ||
        !pclntab_frame_size(table, &function, address, &size))
        return false;
    uint8_t back = machine->pushes ? machine->pc : machine->link;
    uint8_t pushed = machine->pushes ? machine->word : 0;
    *rule = (struct rule_full){.cfa = {.how = RULE_REGISTER, .number = machine->sp, .value = (int32_t)size + pushed}};
    if (go_is_outermost(function.name) || (after_call && go_leaves_stack(function.name)))
        rule->registers[back] = (struct rule_register){.how = RULE_UNDEFINED, .number = back};
    else if (machine->pushes)
        rule->registers[back] = (struct rule_register){.how = RULE_AT, .number = back, .value = -machine->word};
    else if (size > 0) /* Go saves the link register at the stack pointer */
        rule->registers[back] = (struct rule_register){.how = RULE_AT, .number = back, .value = -(int32_t)size};
    return true;
}
