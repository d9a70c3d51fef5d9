/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-functions: finds which functions of two profiles belong together, and counts their samples in both. Instead of
 * functions it may be objects, lines, threads, processes, system calls or states (diff-groups.c). */
#ifndef PPROFIL_DIFF_FUNCTIONS_H
#define PPROFIL_DIFF_FUNCTIONS_H

#include "report/statistics.h"
#include "report/sums.h"

/* A function that one or both profiles have, or whatever else is compared. */
struct diff_function {
    /* Both are borrowed. object[side] is the last component of the object's path; "": the profile `side` does not have
     * the function. */
    const char *name, *object[DIFF_SIDES];
    uint32_t name_id; /* index of the name in diff_functions.names */
    uint32_t line;    /* if lines are compared: number of the line, and `name` is the path of the file; else 0 */
    uint64_t id[DIFF_SIDES]; /* of a function: id of its row in a report of the profile `side` (report_id); else 0 */
    struct diff_pair self, total;
    /* value that diff_functions.samples had when a sample was last added to `total`. So each sample is added only once,
     * even if the function is recursive */
    uint64_t seen;
};

struct diff_functions {
    /* owned; a profile that is used only as a table of strings: the names in both profiles */
    struct profile *names;
    /* a key is {line << 32 | name, object}; keys.all[i] and all[i] are for the same function */
    struct sums keys;
    struct diff_function *all; /* owned; one for each key; a function without samples may be among them */
    /* owned; one array for each of the two profiles. Element i is the index in `all` of the function that the linker
     * knows at location i, or of the object or line of the location. If threads, processes, system calls or states are
     * compared, i is the index of a thread, a system call or a state */
    uint32_t *at[DIFF_SIDES];
    struct diff_pair whole;
    /* of the weights of the samples of each profile */
    struct diff_spread spread[DIFF_SIDES];
    /* owned; by index of an object's name in `names`: index of the name that the object has in the new profile; 0: it
     * was not renamed */
    uint32_t *renamed;
    uint32_t renamed_count;
    /* owned; if functions are compared, by function: 1 + index of the function of the new profile that is the same one,
     * under another object's name; 0: none */
    uint32_t *moved;
    uint64_t samples; /* how many entries of profile->samples were counted so far, of both profiles together */
    bool stacks;      /* a sample has more than one frame */
    bool timed;       /* both profiles have times; otherwise the weight of a sample is 1 */
    enum pprofil_by by;
};

/* Counts the samples of all functions that the linker knows; the time of an inlined function counts for its caller. Two
 * functions are the same if their names and the last components of their objects' paths are equal. But the program may
 * have been renamed. So a function that is only in the old profile and a function that is only in the new profile are
 * also the same if they have the same name, and if no other function with this name is in only one profile, or if other
 * functions of their objects are the same by this rule. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears *functions
 * in any case. */
int diff_functions_find(const struct profile *const profiles[DIFF_SIDES], struct diff_functions *functions);
void diff_functions_clear(struct diff_functions *functions);

/* --- parts of diff_functions_find, for diff-groups.c ------------------------------------------ */

/* Returns true if the samples of a profile have times. A profile without samples does not contradict the times of the
 * other one. */
bool diff_is_timed(const struct profile *profile);

/* Makes *functions empty. Returns 0 or -ENOMEM. */
int diff_functions_begin(const struct profile *const profiles[DIFF_SIDES], enum pprofil_by by,
                         struct diff_functions *functions);
/* Finds or adds what has this name, object and line, and stores its index in functions->all. `own` is the name that the
 * object has in the profile `side`. Returns 0, -ENOMEM or -EOVERFLOW. */
int diff_functions_need(struct diff_functions *functions, const char *name, uint32_t line, const char *object,
                        const char *own, int side, uint32_t *index);
/* Counts all samples of a profile. functions->at[side] must be complete. */
void diff_functions_count(struct diff_functions *functions, const struct profile *profile, int side);
/* Estimates the squares of the weights of all samples of a profile, which diff_compare needs. */
void diff_functions_estimate(struct diff_functions *functions, int side);

/* --- diff-groups.c ---------------------------------------------------------------------------- */

/* Counts the samples of all objects, lines, threads, processes, system calls or states, or of functions as
 * diff_functions_find does. Objects are the same if their functions show it. Lines are the same if their numbers, the
 * last components of their files' paths, and their objects are equal. Threads and processes are the same if they have
 * the same name, because numbers differ from run to run. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears *functions
 * with diff_functions_clear in any case. */
int diff_groups_find(const struct profile *const profiles[DIFF_SIDES], enum pprofil_by by,
                     struct diff_functions *functions);

/* Returns true if a profile has samples of a function. */
static inline bool diff_function_is_in(const struct diff_function *function, int side)
{
    return function->total.of[side].samples > 0;
}

/* Returns the name that an object of the old profile has in the new profile. `name` is the last part of its path. */
const char *diff_object_renamed(const struct diff_functions *functions, const char *name);

/* Returns true if both profiles have a function, in objects with different names. */
bool diff_function_is_renamed(const struct diff_function *function);

#endif
