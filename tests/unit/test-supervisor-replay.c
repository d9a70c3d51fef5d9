/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replays a log that was recorded. It has threads, forks, execs, signals, continued calls, and tasks that tracers hand
 * over to each other. In it, the budget limits the sampling rate. PPROFIL_REPLAY names another log to replay
 * (tests/e2e/debug-log.sh).
 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug-log-replay.h"

static struct replay read_log(void)
{
    const char *path = getenv("PPROFIL_REPLAY"), *source = getenv("abs_srcdir");
    char recorded[4096];

    snprintf(recorded, sizeof recorded, "%s/tests/unit/supervisor-log.txt", source != NULL ? source : ".");
    FILE *file = fopen(path != NULL ? path : recorded, "re");
    cr_assert_not_null(file, "%s cannot be opened", path != NULL ? path : recorded);
    struct replay replay = replay_read(file);
    fclose(file);
    return replay;
}

Test(replay, a_log_keeps_all_rules)
{
    struct replay log = read_log();

    cr_assert_str_eq(replay_run(&log), "");
    cr_assert_geq(log.stops, 20, "there are %u stops", log.stops);
    replay_clear(&log);
}

/* Returns true if the next line about the task says that it ended, or if no line about it follows. A killed task may
 * end in any state, so the replay finds no defect just before the end of a task. */
static bool ends_next(const struct replay *log, unsigned line)
{
    if (log->lines[line].tid == 0)
        return false;
    for (unsigned i = line; i < log->count; i++)
        if (log->lines[i].tid == log->lines[line].tid && strstr(log->lines[i].rest, " ENDED ") != NULL)
            return true;
        else if (i > line && log->lines[i].tid == log->lines[line].tid && log->lines[i].event[0] != 't')
            return false;
    return true;
}

/* Restores a line. It may be at another index now, because each replay sorts the lines. */
static void put_back(struct replay *log, const struct log_line *kept)
{
    for (unsigned i = 0; i < log->count; i++)
        if (log->lines[i].number == kept->number)
            log->lines[i] = *kept;
}

/* Spoils up to 50 lines with this event, one in each replay, and checks that each replay finds the defect. */
static void expect_found(const char *event, void (*spoil)(struct log_line *line))
{
    struct replay log = read_log();
    unsigned tried = 0, found = 0;

    replay_run(&log);
    for (unsigned i = 0; i < log.count && tried < 50; i++) {
        struct log_line kept = log.lines[i];
        if (strcmp(kept.event, event) != 0 || ends_next(&log, i))
            continue;
        spoil(&log.lines[i]);
        found += replay_run(&log)[0] != '\0';
        put_back(&log, &kept);
        tried++;
    }
    cr_expect_gt(tried, 0, "%s: the log has none", event);
    cr_expect_eq(found, tried, "%s: %u of %u defects found", event, found, tried);
    cr_assert_str_eq(replay_run(&log), "");
    replay_clear(&log);
}

static void leave_out(struct log_line *line)
{
    snprintf(line->event, sizeof line->event, "tick");
}

static void give_to_another_tracer(struct log_line *line)
{
    line->tracer += 100;
}

static void change_kind(struct log_line *line)
{
    snprintf(line->rest, sizeof line->rest, " %d 80057f SIGNAL RUNNING", line->tid);
}

Test(replay, finds_what_is_wrong, .timeout = 60)
{
    static const struct {
        const char *event;
        void (*spoil)(struct log_line *line);
    } defects[] = {{"resume", leave_out},  {"stop", leave_out},
                   {"listen", leave_out},  {"release", leave_out},
                   {"seize", leave_out},   {"resume", give_to_another_tracer},
                   {"interrupt", give_to_another_tracer}, {"stop", change_kind}};

    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++)
        expect_found(defects[i].event, defects[i].spoil);
}

static void raise_rate(struct log_line *line)
{
    snprintf(line->rest, sizeof line->rest, " %.1f", 1 + 1.01 * strtod(line->rest, NULL));
}

Test(replay, a_rate_follows_from_its_costs)
{
    expect_found("rate", raise_rate);
}
