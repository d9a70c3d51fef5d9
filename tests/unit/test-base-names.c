/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/edit-distance.h"
#include "base/job-rank.h"
#include "base/name-pattern.h"

/* --- edit distance ------------------------------------------------------------------------- */

static uint32_t distance_of(const char *a, const char *b)
{
    uint32_t distance = edit_distance(a, strlen(a), b, strlen(b));

    cr_assert_eq(edit_distance(b, strlen(b), a, strlen(a)), distance, "%s, %s", a, b);
    return distance;
}

Test(edit_distance, each_kind_of_error_counts_one)
{
    cr_assert_eq(distance_of("report", "report"), 0);
    cr_assert_eq(distance_of("report", "repot"), 1);
    cr_assert_eq(distance_of("report", "reoprt"), 1);
    cr_assert_eq(distance_of("report", "repert"), 1);
    cr_assert_eq(distance_of("", "top"), 3);
    cr_assert_eq(distance_of("", ""), 0);
    cr_assert_eq(distance_of("ca", "abc"), 3, "no place is edited twice");
    cr_assert_eq(distance_of("kitten", "sitting"), 3);
}

Test(edit_distance, the_longest_words)
{
    char a[EDIT_DISTANCE_SIZE_MAX + 1], b[EDIT_DISTANCE_SIZE_MAX + 1];

    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    cr_assert_eq(edit_distance(a, EDIT_DISTANCE_SIZE_MAX, b, EDIT_DISTANCE_SIZE_MAX), EDIT_DISTANCE_SIZE_MAX);
}

Test(edit_distance, what_is_near)
{
    cr_assert(edit_distance_is_near(1, 2));
    cr_assert(!edit_distance_is_near(1, 1));
    cr_assert(edit_distance_is_near(2, 5));
    cr_assert(!edit_distance_is_near(3, 5));
}

/* --- patterns of names ------------------------------------------------------------------- */

static const struct name_pattern_values pattern_values = {
    .pid = 1234, .program = "prog", .host = "host", .job = "4711.0", .time = 1795880700, .number = 7, .rank = 12};

static const char *expanded(const char *pattern, const struct name_pattern_values *values)
{
    static char path[256];

    cr_assert_eq(name_pattern_expand(pattern, values, path, sizeof path), 0, "%s", pattern);
    return path;
}

Test(name_pattern, each_letter)
{
    setenv("TZ", "UTC-1", 1);
    tzset();
    cr_assert_str_eq(expanded("plain.pb.gz", &pattern_values), "plain.pb.gz");
    cr_assert_str_eq(expanded("%p", &pattern_values), "1234");
    cr_assert_str_eq(expanded("d/%e-%h.%n.json", &pattern_values), "d/prog-host.7.json");
    cr_assert_str_eq(expanded("%t", &pattern_values), "20261128-164500");
    cr_assert_str_eq(expanded("100%%p%%", &pattern_values), "100%p%");
    cr_assert_str_eq(expanded("%j/%r", &pattern_values), "4711.0/12");
    cr_assert_str_eq(expanded("", &pattern_values), "");
}

Test(name_pattern, matches_any_time_and_number)
{
    struct name_pattern_values values = pattern_values;

    cr_assert(name_pattern_matches("a/%t.gz", &values, "a/20261129-235959.gz"));
    cr_assert(name_pattern_matches("%t%n-%%", &values, "20261129-23595977-%"));
    cr_assert(name_pattern_matches("%n", &values, "4711"));
    cr_assert_not(name_pattern_matches("a/%t.gz", &values, "a/20261129-235959.gz.old"));
    cr_assert_not(name_pattern_matches("a/%t.gz", &values, "a/20261129-2359.gz"));
    cr_assert_not(name_pattern_matches("a/%t.gz", &values, "b/20261129-235959.gz"));
    cr_assert_not(name_pattern_matches("%n", &values, ""));
    cr_assert_not(name_pattern_matches("%n", &values, "4711x"));
    cr_assert_not(name_pattern_matches("%p", &values, "1"), "another process wrote it");
}

Test(name_pattern, glob_of_a_job)
{
    struct name_pattern_values values = pattern_values;

    values.glob = true;
    cr_assert_str_eq(expanded("a/%h-%r-%p-%t%n.gz", &values), "a/*-*-*-**.gz");
}

Test(name_pattern, wrong_letters_are_found)
{
    const char *cut = "x%", *unknown = "%p%%%x";
    char path[16];

    cr_assert_null(name_pattern_find_wrong("%p%e%h%t%n%r%j%%"));
    cr_assert_eq(name_pattern_find_wrong(cut), cut + 1);
    cr_assert_eq(name_pattern_find_wrong(unknown), unknown + 4);
    cr_assert_eq(name_pattern_expand(cut, &pattern_values, path, sizeof path), -EINVAL);
    cr_assert(name_pattern_has("%%n%n", 'n'));
    cr_assert(!name_pattern_has("%%n", 'n'));
    cr_assert(!name_pattern_has("n", 'n'));
}

Test(name_pattern, names_cannot_lead_elsewhere)
{
    static const struct {
        const char *name, *part;
    } names[] = {{"../../etc/x", "_._.._etc_x"},
                 {"..", "_."},
                 {".", "_"},
                 {"", "_"},
                 {"-", "_"},
                 {"-rf", "_rf"},
                 {"a/b", "a_b"},
                 {"a\nb\033c", "a_b_c"},
                 {"%p", "%p"},
                 {"\xff", "_"},
                 {"\u202egpj", "_gpj"},
                 {"\u00e4", "\u00e4"}};
    struct name_pattern_values values = pattern_values;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        values.program = values.host = values.job = names[i].name;
        cr_assert_str_eq(expanded("%e", &values), names[i].part, "%s", names[i].name);
        cr_assert_str_eq(expanded("%h", &values), names[i].part, "%s", names[i].name);
    }
}

Test(name_pattern, a_path_that_is_too_long)
{
    char path[6];

    cr_assert_eq(name_pattern_expand("%e.", &pattern_values, path, sizeof path), 0);
    cr_assert_str_eq(path, "prog.");
    cr_assert_eq(name_pattern_expand("%e..", &pattern_values, path, sizeof path), -ENAMETOOLONG);
    cr_assert_eq(name_pattern_expand("%p%p", &pattern_values, path, sizeof path), -ENAMETOOLONG);
}

/* --- the rank in a job ------------------------------------------------------------------- */

/* expect_rank(ENVIRONMENT, ...): the literal ENVIRONMENT has a NUL behind each variable. */
#define expect_rank(environment, rank, count, job) check_rank("" environment, sizeof environment - 1, rank, count, job)

static void check_rank(const char *environment, size_t size, int32_t rank, int32_t count, const char *job)
{
    const struct job_rank found = job_rank_find(environment, size);

    cr_expect_eq(found.rank, rank, "%s: rank %d", environment, found.rank);
    cr_expect_eq(found.count, count, "%s: count %d", environment, found.count);
    cr_expect_str_eq(found.job, job, "%s: job %s", environment, found.job);
}

Test(job_rank, each_launcher)
{
    expect_rank("", -1, 0, "");
    expect_rank("HOME=/\0PMI=1\0", -1, 0, "");
    expect_rank("OMPI_COMM_WORLD_SIZE=4\0OMPI_COMM_WORLD_RANK=3\0PMIX_NAMESPACE=77\0PMIX_RANK=3\0", 3, 4, "77");
    expect_rank("PMI_RANK=0\0PMI_SIZE=16\0", 0, 16, "");
    expect_rank("SLURM_JOB_ID=42\0SLURM_PROCID=511\0SLURM_STEP_NUM_TASKS=512\0", 511, 512, "42");
    expect_rank("PMIX_RANK=7\0", 7, 0, "");
    /* Slurm with PMIx */
    expect_rank("PMIX_RANK=3\0SLURM_PROCID=3\0SLURM_STEP_NUM_TASKS=4\0", 3, 4, "");
    expect_rank("PMIX_RANK=3\0SLURM_PROCID=0\0SLURM_STEP_NUM_TASKS=2\0", 3, 0, "");
    /* a batch script is no rank */
    expect_rank("SLURM_JOB_ID=42\0SLURM_PROCID=0\0SLURM_NTASKS=16\0", -1, 0, "42");
    /* MPI below a batch system: srun has started one mpirun on each host */
    expect_rank("SLURM_PROCID=0\0SLURM_STEP_NUM_TASKS=2\0SLURM_JOB_ID=42\0PMI_RANK=9\0PMI_SIZE=16\0PMIX_NAMESPACE=x\0", 9,
                16, "42");
}

Test(job_rank, values_that_are_no_ranks)
{
    expect_rank("PMI_RANK=\0", -1, 0, "");
    expect_rank("PMI_RANK=-1\0", -1, 0, "");
    expect_rank("PMI_RANK=3x\0", -1, 0, "");
    expect_rank("PMI_RANK=99999999999999999999\0", -1, 0, "");
    expect_rank("PMI_RANK=3\0PMI_SIZE=3\0", 3, 0, "");
    expect_rank("XPMI_RANK=3\0PMI_RANKS=3\0", -1, 0, "");
    expect_rank("PMI_RANK=12", -1, 0, ""); /* it was cut off, so more digits may follow */
    expect_rank("SLURM_JOB_ID=\0LSB_JOBID=9\0", -1, 0, "9");
}
