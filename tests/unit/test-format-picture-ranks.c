/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the heat map of ranks: rows, names and colours. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format-picture-fixture.h"
#include "format/format.h"

#define SLOT HISTORY_SLOT_NS

/* Adds a sample of a new process with this rank, in a function. */
static void add_rank(struct profile *profile, const char *rank, const char *function, uint64_t slot)
{
    uint32_t thread = process_of(profile, profile->process_count + 1, "job");
    const uint32_t frames[] = {place(profile, "/bin/job", "main"), place(profile, "/bin/job", function), 0};
    const struct profile_sample sample = {.thread = thread,
                                          .node = stack(profile, frames),
                                          .state = PROFILE_RUNNING,
                                          .count = 1,
                                          .cpu_ns = SLOT / 2};

    profile->processes[profile->threads[thread].process].rank = string_in(profile, rank);
    cr_assert_eq(profile_count_at(profile, &sample, (slot + 1) * SLOT), 0);
}

/* Returns the picture as text, which the caller frees. */
static char *draw(const struct profile *profile)
{
    char path[] = "/tmp/pprofil-test-XXXXXX", *text = calloc(1, 1 << 24);

    close(mkstemp(path));
    cr_assert_eq(format_write_file(&format_rank_heat_svg, path, profile), 0);
    FILE *file = fopen(path, "r");
    cr_assert_gt(fread(text, 1, (1 << 24) - 1, file), 1000);
    fclose(file);
    unlink(path);
    return text;
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;

    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

Test(picture_ranks, a_row_for_each_rank)
{
    struct profile *profile = profile_new();

    history_begin(&profile->history, SLOT);
    add_rank(profile, "0", "solve", 0);
    add_rank(profile, "1", "MPI_Recv", 1);
    char *text = draw(profile);
    cr_assert_eq(count_of(text, ", the whole run: "), 2);
    cr_assert_not_null(strstr(text, ">rank 0, 0 to 0.02 s: 0.5 CPUs for its own work, 0 CPUs in MPI<"));
    cr_assert_not_null(strstr(text, ">rank 1, 0.02 to 0.04 s: 0 CPUs for its own work, 0.5 CPUs in MPI<"));
    cr_assert_not_null(strstr(text, ">rank 1, the whole run: 0 s for its own work, 0.01 s in MPI<"));
    cr_assert_not_null(strstr(text, "2 ranks \xc2\xb7 0.02 s of CPU time, 0.01 s of it in MPI"));
    cr_assert_eq(count_of(text, "fill=\"#c02614\"/></g>"), 1); /* the cell of rank 0: full red */
    cr_assert_eq(count_of(text, "fill=\"#265cb2\"/></g>"), 3); /* the cell of rank 1, and the ends of both bars */
    free(text);
    profile_free(profile);
}

/* 461 slots are 231 columns of two slots each, but the last one has one slot. */
Test(picture_ranks, the_last_column_may_be_shorter)
{
    struct profile *profile = profile_new();

    history_begin(&profile->history, SLOT);
    add_rank(profile, "0", "solve", 0);
    add_rank(profile, "1", "solve", 460);
    char *text = draw(profile);
    cr_assert_not_null(strstr(text, ">rank 0, 0 to 0.04 s: 0.25 CPUs<"));
    cr_assert_not_null(strstr(text, ">rank 1, 9.2 to 9.22 s: 0.5 CPUs<"));
    free(text);
    profile_free(profile);
}

Test(picture_ranks, without_mpi_there_is_one_colour)
{
    struct profile *profile = profile_new();

    add_rank(profile, "0", "solve", 0);
    add_rank(profile, "</title><script>", "solve", 1);
    char *text = draw(profile);
    cr_assert_null(strstr(text, "MPI"));
    cr_assert_null(strstr(text, "</title><script>"));
    cr_assert_not_null(strstr(text, ">rank &lt;/title&gt;&lt;script&gt;, the whole run: 0.01 s<"));
    free(text);
    profile_free(profile);
}

Test(picture_ranks, a_row_is_the_mean_of_many_ranks)
{
    struct profile *profile = profile_new();
    char rank[16];

    for (unsigned i = 0; i < 1500; i++) {
        snprintf(rank, sizeof rank, "%u", i);
        add_rank(profile, rank, i % 3 == 0 ? "solve" : "MPI_Barrier", i % 700);
    }
    char *text = draw(profile);
    cr_assert_eq(count_of(text, ", the whole run: "), 500);
    cr_assert_eq(count_of(text, ">ranks 1497 to 1499, the whole run: 0.003 s for its own work, 0.007 s in MPI<"), 1);
    cr_assert_leq(count_of(text, "<rect"), 3000);
    free(text);
    profile_free(profile);
}
