/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Live views of profiles made by hand. The object is this very program, mapped where it really is,
 * so that its functions have names to be found.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "build-events.h"
#include "session/session.h"
#include "symbol/function-code.h"

#define PATIENCE 1000 /* turns of 10 ms */

__attribute__((noinline)) int live_first(int x);
__attribute__((noinline)) int live_second(int x);

int live_first(int x)
{
    return x * 3 + getppid();
}

int live_second(int x)
{
    return live_first(x) + 7 * getppid();
}

static char self[4096];

static struct pprofil_session *make_session(void)
{
    struct pprofil_session *session = calloc(1, sizeof *session);

    session->profile = calloc(1, sizeof *session->profile);
    session->profile->profile = profile_new();
    feed_fork(session->profile->profile, 10, 0);
    feed_comm(session->profile->profile, 10, 10, "prog");
    return session;
}

static void free_session(struct pprofil_session *session)
{
    pprofil_profile_close(session->profile);
    free(session);
}

/* Maps our own code into a process of the profile. object: the number of the descriptor that is announced; 0: none. */
static void announce_self(struct profile *profile, uint32_t pid, uint32_t object)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t at = (uintptr_t)live_first;
    char line[4400], path[4096];
    struct map_spec spec = {.pid = pid, .kind = WIRE_MAP_FILE, .name = self, .object = object};

    while (fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %4095s",
                   &spec.start, &spec.end, &spec.offset, &spec.inode, path) == 5 &&
            at >= spec.start && at < spec.end) {
            strcpy(self, path);
            feed_map(profile, &spec);
        }
    fclose(maps);
    cr_assert_neq(self[0], '\0');
}

static void map_self(struct profile *profile, uint32_t pid)
{
    announce_self(profile, pid, 0);
}

static void sample(struct profile *profile, uint32_t pid, uint32_t tid, int (*function)(int),
                   unsigned into, uint64_t ns)
{
    feed_sample(profile, pid, tid, (uintptr_t)function + into, ns, WIRE_NO_SYSCALL);
}

static pprofil_live *open_live(struct pprofil_session *session)
{
    pprofil_live *live;

    cr_assert_eq(pprofil_live_open(session, &live), 0);
    return live;
}

static pprofil_report *report_on(pprofil_live *live, enum pprofil_by by,
                                 const struct pprofil_filter *filter)
{
    pprofil_report *report;

    cr_assert_eq(pprofil_live_report(live, by, filter, &report), 0);
    return report;
}

static struct pprofil_row row_of(const pprofil_report *report, uint32_t i)
{
    struct pprofil_row row;

    cr_assert_lt(i, pprofil_report_count(report));
    pprofil_report_row(report, i, &row, sizeof row);
    return row;
}

static struct pprofil_row first_row(pprofil_live *live, enum pprofil_by by,
                                    const struct pprofil_filter *filter)
{
    pprofil_report *report = report_on(live, by, filter);
    struct pprofil_row row = row_of(report, 0);

    pprofil_report_free(report);
    return row;
}

static uint32_t count_rows(pprofil_live *live, enum pprofil_by by,
                           const struct pprofil_filter *filter)
{
    pprofil_report *report = report_on(live, by, filter);
    uint32_t count = pprofil_report_count(report);

    pprofil_report_free(report);
    return count;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static bool has_pending(pprofil_live *live, enum pprofil_by by)
{
    pprofil_report *report = report_on(live, by, NULL);
    bool pending = false;

    for (uint32_t i = 0; i < pprofil_report_count(report); i++)
        pending = pending || row_of(report, i).pending;
    pprofil_report_free(report);
    return pending;
}

/* Places without a count, after a clear, have no row that would wait. */
static void await_names(pprofil_live *live, enum pprofil_by by)
{
    for (int i = 0;
         i < PATIENCE && (has_pending(live, by) || pprofil_live_pending(live) > 0); i++)
        nap();
    cr_assert(!has_pending(live, by));
    cr_assert_eq(pprofil_live_pending(live), 0);
}

Test(live, pending_then_named)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 30);
    sample(profile, 10, 10, live_first, 1, 30);
    sample(profile, 10, 10, live_second, 0, 40);
    pprofil_live *live = open_live(session);
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    struct pprofil_row row = row_of(report, 0);
    cr_assert_eq(pprofil_report_count(report), 1, "what has no name yet is one row");
    cr_assert(row.pending);
    cr_assert_str_eq(row.name, strrchr(self, '/') + 1);
    cr_assert_str_eq(row.object, row.name);
    cr_assert_neq(row.id, 0);
    cr_assert_eq(row.ns, 100);
    pprofil_report_free(report);
    cr_assert_leq(pprofil_live_pending(live), 3);

    await_names(live, PPROFIL_BY_FUNCTION);
    report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_eq(pprofil_report_count(report), 2);
    cr_assert_str_eq(row_of(report, 0).name, "live_first");
    cr_assert_eq(row_of(report, 0).ns, 60);
    cr_assert_str_eq(row_of(report, 1).name, "live_second");
    cr_assert_str_eq(row_of(report, 1).hottest, "");
    cr_assert(!row_of(report, 1).pending);
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, ids_stay_while_rows_move)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 60);
    sample(profile, 10, 11, live_second, 0, 40);
    pprofil_live *live = open_live(session);
    await_names(live, PPROFIL_BY_LINE);
    for (unsigned by = PPROFIL_BY_FUNCTION; by <= PPROFIL_BY_STATE; by++) {
        const struct pprofil_report_options options = {.size = sizeof options, .by = (enum pprofil_by)by};
        pprofil_report *before = report_on(live, (enum pprofil_by)by, NULL), *plain;
        cr_assert_eq(pprofil_report_new(session->profile, &options, &plain), 0);
        for (uint32_t i = 0; i < pprofil_report_count(before); i++) {
            cr_assert_neq(row_of(before, i).id, 0);
            cr_assert_eq(row_of(before, i).id, row_of(plain, i).id);
            for (uint32_t j = 0; j < i; j++)
                cr_assert_neq(row_of(before, i).id, row_of(before, j).id);
        }
        sample(profile, 10, 11, live_second, 0, 1000); /* now it is the first */
        pprofil_report *after = report_on(live, (enum pprofil_by)by, NULL);
        uint32_t last = pprofil_report_count(before) - 1;
        cr_assert_eq(row_of(before, by == PPROFIL_BY_FUNCTION ? last : 0).id,
                     row_of(after, 0).id);
        pprofil_report_free(before);
        pprofil_report_free(plain);
        pprofil_report_free(after);
    }
    pprofil_live_close(live);
    free_session(session);
}

Test(live, filters)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    struct pprofil_filter filter = {.size = sizeof filter};

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 50);
    sample(profile, 10, 11, live_second, 0, 30);
    feed_sample(profile, 10, 11, 0x10, 20, 0);
    feed_task(profile, WIRE_EXEC, 10, 10); /* another image of the same process */
    feed_sample(profile, 10, 10, 0x10, 100, WIRE_NO_SYSCALL);
    feed_fork(profile, 20, 10);
    feed_sample(profile, 20, 20, 0x10, 800, WIRE_NO_SYSCALL);
    pprofil_live *live = open_live(session);
    await_names(live, PPROFIL_BY_FUNCTION);

    filter.pid = 10;
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, &filter);
    cr_assert_eq(pprofil_report_count(report), 3);
    cr_assert_eq(row_of(report, 0).ns, 120, "all its images");
    cr_assert_float_eq(row_of(report, 1).share, 0.25, 1e-12, "of what is let through");
    pprofil_report_free(report);
    filter.tid = 11;
    cr_assert_eq(first_row(live, PPROFIL_BY_FUNCTION, &filter).ns, 30);
    cr_assert_eq(count_rows(live, PPROFIL_BY_THREAD, &filter), 1);
    filter.syscall = first_row(live, PPROFIL_BY_SYSCALL, &filter).id;
    cr_assert_eq(first_row(live, PPROFIL_BY_FUNCTION, &filter).ns, 30, "[user]");
    filter = (struct pprofil_filter){.size = sizeof filter};
    report = report_on(live, PPROFIL_BY_OBJECT, NULL);
    filter.object = row_of(report, 1).id;
    cr_assert_eq(row_of(report, 1).ns, 80);
    pprofil_report_free(report);
    cr_assert_eq(count_rows(live, PPROFIL_BY_FUNCTION, &filter), 2);
    cr_assert_float_eq(first_row(live, PPROFIL_BY_FUNCTION, &filter).share, 0.625, 1e-12);
    filter.pid = 99;
    cr_assert_eq(count_rows(live, PPROFIL_BY_FUNCTION, &filter), 0);
    pprofil_live_close(live);
    free_session(session);
}

/* Each row of a grouping, as a filter, lets through what the row has. */
static void expect_rows_filter(pprofil_live *live, enum pprofil_by by, uint32_t rows)
{
    pprofil_report *report = report_on(live, by, NULL);

    cr_assert_eq(pprofil_report_count(report), rows);
    for (uint32_t i = 0; i < rows; i++) {
        struct pprofil_row row = row_of(report, i);
        struct pprofil_filter filter = {.size = sizeof filter, .pid = row.pid};
        filter.process = by == PPROFIL_BY_PROCESS ? row.id : 0;
        filter.thread = by == PPROFIL_BY_THREAD ? row.id : 0;
        cr_assert_eq(count_rows(live, by, &filter), 1);
        cr_assert_eq(first_row(live, by, &filter).id, row.id);
        cr_assert_eq(first_row(live, PPROFIL_BY_OBJECT, &filter).ns, row.ns);
    }
    pprofil_report_free(report);
}

Test(live, a_row_of_one_image_filters_to_it)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    feed_sample(profile, 10, 10, 0x10, 70, WIRE_NO_SYSCALL);
    feed_task(profile, WIRE_EXEC, 10, 10);
    feed_sample(profile, 10, 10, 0x10, 20, WIRE_NO_SYSCALL);
    feed_task(profile, WIRE_EXEC, 10, 10);
    feed_sample(profile, 10, 10, 0x10, 10, WIRE_NO_SYSCALL);
    pprofil_live *live = open_live(session);
    expect_rows_filter(live, PPROFIL_BY_PROCESS, 3);
    expect_rows_filter(live, PPROFIL_BY_THREAD, 3);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, only_samples_of_the_mode_count)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 10,
                                .tid = 10,
                                .syscall = 1,
                                .flags = WIRE_SAMPLE_SLEEPING};

    sample(profile, 10, 10, live_first, 0, 10);
    pprofil_live *live = open_live(session);
    double alone = first_row(live, PPROFIL_BY_SYSCALL, NULL).error95;
    for (int i = 0; i < 50; i++) {
        event.wall_ns = 900;
        feed(profile, &event.header);
    }
    cr_assert(profile->totals.wall);
    pprofil_report *report = report_on(live, PPROFIL_BY_SYSCALL, NULL);
    cr_assert_eq(pprofil_report_count(report), 1, "what was sampled before wall mode has no time");
    cr_assert_eq(row_of(report, 0).ns, 50 * 900);
    pprofil_report_free(report);
    profile->totals.wall = false; /* as when it is turned off */
    report = report_on(live, PPROFIL_BY_SYSCALL, NULL);
    cr_assert_eq(pprofil_report_count(report), 1, "sleepers use no CPU time");
    cr_assert_str_eq(row_of(report, 0).name, "[user]");
    cr_assert_eq(row_of(report, 0).samples, 1);
    cr_assert_float_eq(row_of(report, 0).error95, alone, 1e-12, "nor do they make it surer");
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, hottest)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 30);
    sample(profile, 10, 10, live_first, 1, 30);
    sample(profile, 10, 10, live_second, 0, 50);
    sample(profile, 10, 11, live_second, 0, 5);
    pprofil_live *live = open_live(session);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_THREAD, NULL).hottest, "", "no name, no function");
    await_names(live, PPROFIL_BY_FUNCTION);
    pprofil_report *report = report_on(live, PPROFIL_BY_THREAD, NULL);
    cr_assert_eq(pprofil_report_count(report), 2);
    cr_assert_str_eq(row_of(report, 0).hottest, "live_first");
    cr_assert_str_eq(row_of(report, 1).hottest, "live_second");
    pprofil_report_free(report);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_PROCESS, NULL).hottest, "live_first");
    sample(profile, 10, 10, live_second, 0, 6);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_PROCESS, NULL).hottest, "live_second", "61 to 60");
    cr_assert_str_eq(first_row(live, PPROFIL_BY_THREAD, NULL).hottest, "live_first", "56 to 60");
    sample(profile, 10, 10, live_second, 0, 5);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_THREAD, NULL).hottest, "live_second", "61 to 60");
    pprofil_live_close(live);
    free_session(session);
}

Test(live, clearing_while_names_are_under_way)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    pprofil_live *live = open_live(session);
    for (int round = 0; round < 20; round++) {
        for (unsigned i = 0; i < 200; i++)
            sample(profile, 10, 10, live_first, i + (unsigned)round * 7, 1);
        pprofil_report_free(report_on(live, PPROFIL_BY_LINE, NULL));
        profile_clear(profile);
        cr_assert_eq(count_rows(live, PPROFIL_BY_FUNCTION, NULL), 0);
    }
    sample(profile, 10, 10, live_second, 0, 1);
    await_names(live, PPROFIL_BY_LINE);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_FUNCTION, NULL).name, "live_second");
    pprofil_live_close(live);
    free_session(session);
}

Test(live, closing_with_work_left)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    for (unsigned i = 0; i < 20000; i++)
        sample(profile, 10, 10, live_first, i, 1);
    for (int i = 0; i < 3; i++) {
        pprofil_live *live = open_live(session);
        pprofil_report_free(report_on(live, PPROFIL_BY_LINE, NULL));
        pprofil_live_close(live);
    }
    free_session(session);
}

/* A row's own name, of code that was made at run time. */
static void await_name(pprofil_live *live, uint32_t i, const char *name)
{
    bool found = false;

    for (int turn = 0; turn < PATIENCE && !found; turn++) {
        pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
        found = pprofil_report_count(report) > i &&
                strcmp(row_of(report, i).name, name) == 0;
        pprofil_report_free(report);
        nap();
    }
    cr_assert(found, "%s", name);
}

/* A machine at work may take seconds to open a file for us. */
Test(live, a_file_that_comes_late)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    char nameless[4096];

    announce_self(profile, 10, 1);
    sample(profile, 10, 10, live_first, 0, 60);
    pprofil_live *live = open_live(session);
    snprintf(nameless, sizeof nameless, "[%s]", strrchr(self, '/') + 1);
    await_name(live, 0, nameless);
    await_names(live, PPROFIL_BY_LINE);
    cr_assert_eq(first_row(live, PPROFIL_BY_LINE, NULL).line, 0);

    profile_give_object(profile, 1, open(self, O_RDONLY | O_CLOEXEC));
    await_name(live, 0, "live_first");
    sample(profile, 10, 10, live_second, 0, 100);
    await_name(live, 0, "live_second");
    await_name(live, 1, "live_first");
    await_names(live, PPROFIL_BY_LINE);
    cr_assert_neq(first_row(live, PPROFIL_BY_LINE, NULL).line, 0);
    pprofil_live_close(live);
    free_session(session);
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "ae");

    fputs(text, file);
    fclose(file);
}

Test(live, a_list_of_names_that_grows)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    uint32_t pid = (uint32_t)getpid();
    struct map_spec code = {.pid = pid, .kind = WIRE_MAP_ANON, .start = 0x1000, .end = 0x9000,
                            .name = ""};
    char path[64];

    snprintf(path, sizeof path, "/tmp/perf-%" PRIu32 ".map", pid);
    unlink(path);
    feed_fork(profile, pid, 0);
    feed_map(profile, &code);
    feed_sample(profile, pid, pid, 0x1010, 50, WIRE_NO_SYSCALL);
    feed_sample(profile, pid, pid, 0x2010, 30, WIRE_NO_SYSCALL);
    pprofil_live *live = open_live(session);
    await_name(live, 0, "[anon]");
    cr_assert_eq(pprofil_live_pending(live), 0);
    append(path, "1000 100 early\n2000 100 la"); /* the second line is not whole yet */
    await_name(live, 0, "early");
    await_name(live, 1, "[anon]");
    append(path, "te\n");
    await_name(live, 1, "late");
    unlink(path);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, definitions_and_code)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    pprofil_code *code;
    int error;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 30);
    sample(profile, 10, 10, live_second, 0, 20);
    pprofil_live *live = open_live(session);
    struct pprofil_row row = first_row(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_eq(pprofil_live_code(live, PPROFIL_BY_FUNCTION, row.id, NULL, &code), -EAGAIN);
    await_names(live, PPROFIL_BY_FUNCTION);
    row = first_row(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_str_eq(row.file, "", "nobody has asked");
    for (int i = 0; i < PATIENCE && row.line == 0; i++) {
        pprofil_live_define(live, PPROFIL_BY_FUNCTION, row.id);
        row = first_row(live, PPROFIL_BY_FUNCTION, NULL);
        nap();
    }
    cr_assert_str_eq(strrchr(row.file, '/') + 1, "test-live.c");
    cr_assert_eq(pprofil_live_code(live, PPROFIL_BY_THREAD, row.id, NULL, &code), PPROFIL_ERROR_NO_CODE);
    cr_assert_str_neq(pprofil_live_problem(live), "");
    while ((error = pprofil_live_code(live, PPROFIL_BY_FUNCTION, row.id, NULL, &code)) == -EAGAIN)
        nap();
    if (error != 0) { /* built without a disassembler */
        cr_assert_eq(error, PPROFIL_ERROR_NO_CODE);
        cr_assert_str_neq(pprofil_live_problem(live), "");
    } else {
        uint64_t ns = 0, source_ns = 0;
        for (uint32_t i = 0; i < pprofil_code_count(code); i++) {
            struct pprofil_code_row line;
            pprofil_code_row(code, i, &line, sizeof line);
            *(line.source ? &source_ns : &ns) += line.ns;
        }
        cr_assert_eq(ns, 30);
        cr_assert(source_ns == 30 || source_ns == 0);
        pprofil_code_free(code);
    }
    pprofil_live_close(live);
    free_session(session);
}

/* Four instructions: two of line 2, one of line 1, one of a file that is not there. */
static struct symbol_code *make_code(const char *source)
{
    static const struct symbol_instruction made[] = {
        {.address = 0x1000, .place = 0, .size = 2, .file = 1, .line = 2},
        {.address = 0x1002, .place = 2, .size = 2, .file = 1, .line = 2},
        {.address = 0x1004, .place = 4, .size = 4, .file = 1, .line = 1},
        {.address = 0x1008, .place = 8, .size = 1, .file = 2, .line = 1},
    };
    struct symbol_code *code = calloc(1, sizeof *code);

    code->instruction_count = 4;
    code->instructions = calloc(4, sizeof *code->instructions);
    for (int i = 0; i < 4; i++) {
        code->instructions[i] = made[i];
        code->instructions[i].text = strdup("nop");
    }
    code->file_count = 3;
    code->files = calloc(3, sizeof *code->files);
    code->files[0] = strdup("");
    code->files[1] = strdup(source);
    code->files[2] = strdup("/no/such/file.c");
    return code;
}

Test(live, source_lines_come_before_their_instructions)
{
    char path[] = "/tmp/pprofil-source-XXXXXX";
    struct listing *listing;

    int fd = mkstemp(path);
    dprintf(fd, "one\r\n\ttwo \033[1m\nthree");
    close(fd);
    cr_assert_eq(listing_new(make_code(path), &listing), 0);
    unlink(path);
    cr_assert_eq(listing->row_count, 6);
    cr_assert_null(listing->rows[0].instruction);
    cr_assert_str_eq(listing->rows[0].text, "\ttwo ?[1m");
    cr_assert_str_eq(listing->rows[0].file, path);
    cr_assert_eq(listing->rows[2].instruction->address, 0x1002);
    cr_assert_str_eq(listing->rows[3].text, "one");
    cr_assert_eq(listing->rows[3].line, 1);
    cr_assert_str_eq(listing->rows[5].text, "nop", "no source, no line");
    listing_free(listing);
}

/* Programs written after their source, with it, before it, and nobody knows when. */
Test(live, source_that_is_newer_than_the_program_is_told)
{
    static const struct {
        int64_t program_s;
        bool newer;
    } cases[] = {{1000001, false}, {1000000, false}, {999999, true}, {0, false}};
    const struct timespec written[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    char path[] = "/tmp/pprofil-source-XXXXXX";
    struct listing *listing;

    int fd = mkstemp(path);
    dprintf(fd, "one\ntwo\n");
    futimens(fd, written);
    close(fd);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct symbol_code *code = make_code(path);
        code->written_ns = cases[i].program_s * 1000000000;
        cr_assert_eq(listing_new(code, &listing), 0);
        cr_assert_eq(listing->rows[0].newer, cases[i].newer, "%u", i);
        cr_assert_eq(listing->rows[3].newer, cases[i].newer, "%u", i);
        cr_assert(!listing->rows[1].newer, "an instruction is what it is");
        listing_free(listing);
    }
    unlink(path);
}

/* --- a crash of the thread that names -------------------------------------------------------- */

static int told[2];

/* Says whether it has a stack of its own, as it needs where the thread's is spent. */
static void crash(int signal)
{
    stack_t stack;
    ssize_t ignored = 0;

    sigaltstack(NULL, &stack);
    ignored = write(told[1], stack.ss_flags & SS_ONSTACK ? "s" : "-", 1);
    (void)ignored;
    raise(signal);
}

static pid_t other_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    pid_t found = 0;

    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != getpid())
            found = atoi(entry->d_name);
    closedir(tasks);
    return found;
}

/* Does the thread sleep? It does when it has begun, and has nothing to do. */
static bool sleeps(pid_t tid)
{
    char path[64], state = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "r");
    bool read = file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    if (file != NULL)
        fclose(file);
    return read && state == 'S';
}

static void crash_the_worker(void)
{
    struct sigaction action = {.sa_handler = crash, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    pprofil_live *live = open_live(make_session());
    for (int i = 0; i < PATIENCE && pprofil_live_pending(live) > 0; i++)
        nap();
    for (int i = 0; i < PATIENCE && !sleeps(other_thread()); i++)
        nap();
    sigaction(SIGSEGV, &action, NULL);
    syscall(SYS_tgkill, getpid(), other_thread(), SIGSEGV);
    for (int i = 0; i < 200; i++)
        nap();
    _exit(0);
}

Test(live, a_crash_of_its_thread_reaches_the_programs_handler)
{
    int status;
    char byte = 0;

    cr_assert_eq(pipe(told), 0);
    pid_t child = fork();
    if (child == 0)
        crash_the_worker();
    cr_assert_eq(waitpid(child, &status, 0), child);
    close(told[1]);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    cr_assert_eq(read(told[0], &byte, 1), 1);
    cr_assert_eq(byte, 's');
}
