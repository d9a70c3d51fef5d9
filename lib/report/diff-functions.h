/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-functions: finds which functions of two profiles belong together, and counts their samples in both. */
#ifndef PPROFIL_DIFF_FUNCTIONS_H
#define PPROFIL_DIFF_FUNCTIONS_H

#include "report/statistics.h"
#include "report/sums.h"

/* A function that one or both profiles have. */
struct diff_function {
    /* Both are borrowed. object[side] is the last component of the object's path; "": the profile `side` does not have
     * the function. */
    const char *name, *object[DIFF_SIDES];
    uint32_t name_id; /* index of the name in diff_functions.names */
    struct diff_pair self, total;
    /* value that diff_functions.samples had when a sample was last added to `total`. So each sample is added only once,
     * even if the function is recursive */
    uint64_t seen;
};

struct diff_functions {
    /* owned; a profile that is used only as a table of strings: the names in both profiles */
    struct profile *names;
    /* a key is {name, object}; keys.all[i] and all[i] are for the same function */
    struct sums keys;
    struct diff_function *all; /* owned; one for each key; a function without samples may be among them */
    /* owned; one array for each of the two profiles. Element i is the index in `all` of the function that the linker
     * knows at location i */
    uint32_t *at[DIFF_SIDES];
    struct diff_pair whole;
    /* of the weights of the samples of each profile */
    struct diff_spread spread[DIFF_SIDES];
    uint64_t samples; /* how many entries of profile->samples were counted so far, of both profiles together */
    bool stacks;      /* a sample has more than one frame */
    bool timed;       /* both profiles have times; otherwise the weight of a sample is 1 */
};

/* Counts the samples of all functions that the linker knows; the time of an inlined function counts for its caller. Two
 * functions are the same if their names and the last components of their objects' paths are equal. But the program may
 * have been renamed. So a function that is only in the old profile and a function that is only in the new profile are
 * also the same if they have the same name, and if no other function with this name is in only one profile, or if other
 * functions of their objects are the same by this rule. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears *functions
 * in any case. */
int diff_functions_find(const struct profile *const profiles[DIFF_SIDES], struct diff_functions *functions);
void diff_functions_clear(struct diff_functions *functions);

/* Returns true if a profile has samples of a function. */
static inline bool diff_function_is_in(const struct diff_function *function, int side)
{
    return function->total.of[side].samples > 0;
}

/* Returns true if both profiles have a function, in objects with different names. */
bool diff_function_is_renamed(const struct diff_function *function);

#endif
