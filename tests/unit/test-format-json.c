/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of limits on JSON files. Large files that pprofil writes can be read again. Files that would fill the memory
 * are refused. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/format.h"
#include "format/json/json.h"
#include "format/profile-builder.h"
#include "test-directory.h"

TestSuite(json, .init = enter_directory, .fini = remove_directory);

/* --- the memory that a tree takes ------------------------------------------------------------ */

/* Returns the text "[PIECE,PIECE,...]". The caller frees it. */
static char *repeat(const char *piece, size_t count, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    cr_assert_not_null(out);
    putc('[', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, i > 0 ? ",%s" : "%s", piece);
    putc(']', out);
    cr_assert_eq(fclose(out), 0);
    return text;
}

#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
static uint64_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void expect_cost(const char *piece, size_t count)
{
    size_t size;
    char *text = repeat(piece, count, &size);
    uint64_t before = allocated();
    json_t *tree = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
    uint64_t real = allocated() - before, cost = json_cost((const unsigned char *)text, size);

    cr_assert_not_null(tree, "%s", piece);
    cr_expect_geq(cost, real, "%s: %lu, really %lu", piece, cost, real);
    if (real > 0) /* with the allocator of a sanitizer, mallinfo2(3) returns 0 */
        cr_expect_leq(cost, 2 * real, "%s: %lu, really %lu", piece, cost, real);
    json_decref(tree);
    free(text);
}

Test(json, a_tree_takes_no_more_than_was_reckoned)
{
    static const char *const pieces[] = {
        "[]",
        "{}",
        "1",
        "-1.5e+7",
        "\"\"",
        "[1]",
        "[1,1,1]",
        "{\"\":[]}",
        "[[[[[[]]]]]]",
        "{\"a\":{\"b\":1}}",
        "[\"]\\\"\"]",
        "[1,1,1,1,1,1,1,1,1]",
        ("\"a text of a hundred letters, which are to be counted, for they are kept, each of them: "
         "xxxxxxxxxxx\""),
        "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}"};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        expect_cost(pieces[i], 100000);
        expect_cost(pieces[i], (1u << 16) + 1); /* the array has just doubled its table */
    }
}
#endif

/* --- files ------------------------------------------------------------------------------------ */

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

Test(json, what_would_fill_the_memory_is_not_read, .timeout = 60)
{
    json_t *tree;
    size_t size;
    char *text = repeat("{}", (size_t)12 << 20, &size); /* 36 MiB; the tree would take 2.7 GiB */

    write_text("hostile.json", text, size);
    cr_expect_eq(json_read_file("hostile.json", &tree), -EFBIG);
    cr_expect_null(tree);
    text[1] = '('; /* now the text is not JSON */
    write_text("hostile.json", text, size / 4);
    cr_expect_eq(json_read_file("hostile.json", &tree), PPROFIL_ERROR_DAMAGED);
    free(text);
}

#define FUNCTIONS 120000u
#define STACKS 100000u
#define DEEP 10u

/* Makes a profile with stacks of functions whose names are as long as those of C++ templates. */
static struct profile *make_large(void)
{
    struct profile *profile = profile_new();
    struct builder builder = {.profile = profile};
    struct profile_sample sample = {.count = 1, .cpu_ns = 1000000};
    uint32_t seed = 1;
    char name[512];

    cr_assert_eq(builder_task(&builder, 7, 7, "large", &sample.thread), 0);
    for (unsigned i = 0; i < STACKS; i++) {
        sample.node = PROFILE_NONE;
        for (unsigned k = 0; k < DEEP; k++) {
            seed = seed * 1103515245u + 12345u;
            snprintf(name, sizeof name, "f%0300u", (seed >> 8) % FUNCTIONS);
            cr_assert_eq(builder_frame(&builder, sample.node, name, &sample.node), 0);
        }
        cr_assert_eq(builder_count_sample(profile, &sample), 0);
    }
    memo_free(&builder.memo);
    return profile;
}

Test(json, a_large_profile_comes_back, .timeout = 240)
{
    struct profile *profile = make_large(), *read;
    struct stat status;

    cr_assert_eq(format_write_file(&format_json, "large", profile), 0);
    cr_assert_eq(stat("large", &status), 0);
    cr_expect_gt(status.st_size, 32 << 20);
    cr_assert_eq(format_read_file("large", &read), 0);
    cr_expect_eq(read->totals.samples, STACKS);
    cr_expect_eq(read->node_count, profile->node_count);
    profile_free(read);
    profile_free(profile);
}
