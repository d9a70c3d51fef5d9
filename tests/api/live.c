/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests live views of sessions that really sample:
 *
 *   live KNOWN-SHARES SLEEPERS [BIG]
 *
 * KNOWN-SHARES and SLEEPERS are programs of tests/targets. BIG is a program with many symbols that takes a script with
 * -e, such as node.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define PATIENCE_MS 30000
#define TURN_MS_MAX 3000 /* longest turn of the loop of test_big; the ring holds the samples of 6 s */

/* Returns the row with this name, or a row whose ns is 0 if there is none. */
static struct pprofil_row find_row(pprofil_live *live, enum pprofil_by by, const char *name)
{
    struct pprofil_row row, found = {0};
    pprofil_report *report;

    if (pprofil_live_report(live, by, NULL, &report) != 0)
        return found;
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        pprofil_report_row(report, i, &row, sizeof row);
        if (strcmp(row.name, name) == 0)
            found = row;
    }
    pprofil_report_free(report);
    return found;
}

static struct pprofil_row find_id(pprofil_live *live, enum pprofil_by by, uint64_t id)
{
    struct pprofil_row row, found = {0};
    pprofil_report *report;

    if (pprofil_live_report(live, by, NULL, &report) != 0)
        return found;
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        pprofil_report_row(report, i, &row, sizeof row);
        if (row.id == id)
            found = row;
    }
    pprofil_report_free(report);
    return found;
}

static struct pprofil_row await_row(pprofil_session *session, pprofil_live *live, enum pprofil_by by, const char *name)
{
    int64_t until = now_ms() + PATIENCE_MS;
    struct pprofil_row row;

    do {
        pump(session, 20);
        row = find_row(live, by, name);
    } while (row.ns == 0 && now_ms() < until);
    return row;
}

static void test_names(pprofil_session *session, pprofil_live *live)
{
    struct pprofil_row row = await_row(session, live, PPROFIL_BY_FUNCTION, "spend_half");

    check("names arrive", row.ns > 0 && !row.pending && row.id != 0);
    int64_t until = now_ms() + PATIENCE_MS;
    while (row.line == 0 && now_ms() < until) {
        pprofil_live_define(live, PPROFIL_BY_FUNCTION, row.id);
        pump(session, 20);
        row = find_row(live, PPROFIL_BY_FUNCTION, "spend_half");
    }
    check("definitions arrive", strstr(row.file, "known-shares.c") != NULL && row.line > 0);
    /* With 400 samples, a half and three tenths are five standard deviations apart. On a busy machine samples stand for
     * unequal times, and more are needed. */
    until = now_ms() + PATIENCE_MS;
    do {
        pump(session, 100);
        row = find_row(live, PPROFIL_BY_PROCESS, "known-shares");
    } while ((totals_of(session).samples < 400 || strcmp(row.hottest, "spend_half") != 0) && now_ms() < until);
    check("what a process does most", row.ns > 0 && strcmp(row.hottest, "spend_half") == 0);
    check("nothing is left without a name", pprofil_live_pending(live) < 20);
}

static void test_rate(pprofil_session *session)
{
    check("no such rate", pprofil_session_set_rate(session, 0.5) == -EINVAL &&
                              pprofil_session_problem(session)[0] != '\0');
    check("another rate", pprofil_session_set_rate(session, 100) == 0);
    pump(session, 100);
    struct pprofil_totals before = totals_of(session);
    struct pprofil_totals after = before;
    for (int64_t until = now_ms() + PATIENCE_MS; after.samples - before.samples < 100 && now_ms() < until;
         after = totals_of(session))
        pump(session, 200);
    double cpu_s = (double)(after.cpu_ns - before.cpu_ns) / 1e9;
    double hz = (double)(after.samples - before.samples) / cpu_s;
    check("is in force", pprofil_session_rate(session) <= 100 && after.asked_hz == 100);
    printf("# rate: %.1f Hz in %.2f s of CPU time\n", hz, cpu_s);
    /* samples are fewer if other programs need the CPU, too; then the budget allows even less */
    check("and is sampled at", after.samples > before.samples && hz < 160);
}

static void test_split(const char *split)
{
    const char *const argv[] = {split, "60", NULL};
    pprofil_session *session = open_session(1000);
    pid_t pid = launch(session, argv);
    pprofil_live *live;

    check("a live view", pprofil_live_open(session, &live) == 0);
    pprofil_session_start(session);
    test_names(session, live);
    test_rate(session);
    int64_t before = now_ms();
    pprofil_live_close(live);
    check("closes at once", now_ms() - before < 10000);
    end(session, pid);
}

/* --- wall mode and tasks ------------------------------------------------------------------ */

/* A task has the same id as its row in a report. A task without samples has an id, too. */
static void test_ids(pprofil_session *session, pprofil_live *live)
{
    struct pprofil_task *tasks;
    struct pprofil_process process = {0};
    struct pprofil_row row;
    uint32_t count, same = 0, other = 0, known = 0;

    if (pprofil_session_tasks(session, &tasks, &count) != 0)
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        known += tasks[i].id != 0 && strcmp(tasks[i].name, "sleepers") == 0;
        row = find_id(live, PPROFIL_BY_THREAD, tasks[i].id);
        same += row.id != 0 && row.tid == tasks[i].tid;
        other += row.id != 0 && row.tid != tasks[i].tid;
    }
    check("threads' ids", known == count && same > 0 && other == 0);
    if (count > 0)
        free(tasks);
    for (uint32_t i = 0; !process.alive && pprofil_profile_process(pprofil_session_profile(session),
                                                                   i, &process, sizeof process) == 0;)
        i++;
    row = find_id(live, PPROFIL_BY_PROCESS, process.id);
    check("a process' id", row.id != 0 && row.pid == process.pid);
}

struct seen_tasks {
    uint32_t count, asleep, running, ordered;
};

/* A running task may be stopped for a sample. Then its state is 't'. */
static struct seen_tasks see_tasks(pprofil_session *session, pid_t pid)
{
    struct seen_tasks seen = {.ordered = 1};
    struct pprofil_task *tasks;

    if (pprofil_session_tasks(session, &tasks, &seen.count) != 0)
        return (struct seen_tasks){0};
    for (uint32_t i = 0; i < seen.count; i++) {
        bool runs = tasks[i].state == 'R' || tasks[i].state == 't';
        seen.asleep += tasks[i].state == 'S' && strcmp(tasks[i].syscall_name, "futex") == 0;
        seen.running += runs && tasks[i].syscall == -1 && tasks[i].cpu_ns > 0;
        seen.ordered += i > 0 && tasks[i].tid > tasks[i - 1].tid && tasks[i].pid == (uint32_t)pid &&
                        strcmp(tasks[i].comm, "sleepers") == 0;
    }
    free(tasks);
    return seen;
}

/* Waits until the program has started all its threads, then checks the list of tasks. */
static void test_tasks(pprofil_session *session, pid_t pid, uint32_t expected)
{
    struct seen_tasks seen;
    int64_t until = now_ms() + PATIENCE_MS;

    do {
        pump(session, 20);
        seen = see_tasks(session, pid);
    } while ((seen.count != expected || seen.asleep != expected - 1 || seen.running != 1) && now_ms() < until);
    check("tasks", seen.count == expected);
    check("sleepers and their system call", seen.asleep == expected - 1);
    check("a thread that runs", seen.running == 1);
    check("by their numbers", seen.ordered == seen.count);
    int64_t before = now_ms();
    for (int i = 0; i < 10; i++)
        see_tasks(session, pid);
    printf("# tasks: %.2f ms for %u threads\n", (double)(now_ms() - before) / 10, seen.count);
}

static void test_process(pprofil_session *session, pid_t pid)
{
    struct pprofil_process process;
    const pprofil_profile *profile = pprofil_session_profile(session);
    bool found = false;

    for (uint32_t i = 0; pprofil_profile_process(profile, i, &process, sizeof process) == 0; i++)
        if (process.alive) {
            found = process.pid == (uint32_t)pid && process.status == -1 && strcmp(process.comm, "sleepers") == 0 &&
                    strstr(process.command, "sleepers 20 1 60") != NULL;
        }
    check("the process", found);
}

/* 21 threads sleep. The first and the last sample of each may be late, especially on a busy machine. The longer the
 * test lasts, the less this matters. */
static void test_sleepers_time(pprofil_session *session, pprofil_live *live, int64_t began)
{
    double due_ns, got_ns;

    do {
        pump(session, 2000);
        due_ns = 21e6 * (double)(now_ms() - began);
        got_ns = (double)find_row(live, PPROFIL_BY_SYSCALL, "futex").ns;
    } while (got_ns < due_ns * 0.8 && due_ns < 21 * 30e9);
    printf("# sleepers: %.3f of %.1f s\n", got_ns / due_ns, due_ns / 1e9);
    check("sleepers have their time", got_ns >= due_ns * 0.8 && got_ns < due_ns * 1.02);
}

/* The sleepers used little CPU time before they slept, much less than the half second of the running thread. */
static void test_cpu_time_of_sleepers(pprofil_session *session, pprofil_live *live)
{
    int64_t began = now_ms();

    do
        pump(session, 500);
    while (totals_of(session).cpu_ns < 500000000u && now_ms() - began < 30000);
    double share = find_row(live, PPROFIL_BY_SYSCALL, "futex").share;
    printf("# asleep: %.3f of %.1f ms of CPU time in %lld ms\n", share, (double)totals_of(session).cpu_ns / 1e6,
           (long long)(now_ms() - began));
    check("no sleepers without wall mode", share < 0.2);
}

/* The CPU time since a thread's last sample is missing, and the kernel's account comes once in a while. So the sums are
 * compared when there is at least CPU_TIME_MIN of it. */
#define CPU_TIME_MIN 3000000000u

static bool cpu_time_is_right(pprofil_session *session, double least)
{
    struct pprofil_totals totals;
    double share;
    int64_t began = now_ms();

    do {
        pump(session, 50);
        totals = totals_of(session);
        share = (double)totals.cpu_ns / (double)totals.target_cpu_ns;
    } while ((totals.target_cpu_ns < CPU_TIME_MIN || share < least || share > 1.1) && now_ms() - began < 20000);
    printf("# CPU time: %.3f of %.1f ms\n", share, (double)totals.target_cpu_ns / 1e6);
    return share >= least && share <= 1.1;
}

static void test_cpu_time(pprofil_session *session)
{
    check("CPU time is right all the time", cpu_time_is_right(session, 0.9));
    pprofil_session_stop(session);
    check("and at the end", cpu_time_is_right(session, 0.8));
}

static void test_wall(const char *sleepers)
{
    const char *const argv[] = {sleepers, "20", "1", "60", NULL};
    pprofil_session *session = open_session(500);
    pid_t pid = launch(session, argv);
    pprofil_live *live;

    pprofil_live_open(session, &live);
    pprofil_session_start(session);
    test_cpu_time_of_sleepers(session, live);
    test_tasks(session, pid, 22);
    test_ids(session, live);
    test_process(session, pid);
    int64_t began = now_ms();
    check("wall mode", pprofil_session_set_wall(session, true) == 0 && totals_of(session).wall);
    test_sleepers_time(session, live, began);
    check("no more", pprofil_session_set_wall(session, false) == 0);
    uint64_t wall_ns = totals_of(session).wall_ns;
    pump(session, 500);
    struct pprofil_totals totals = totals_of(session);
    check("and no more comes", !totals.wall && totals.wall_ns == wall_ns);
    check("nor is it shown", find_row(live, PPROFIL_BY_SYSCALL, "futex").share < 0.2);
    test_cpu_time(session);
    pprofil_live_close(live);
    end(session, pid);
}

/* --- many tasks ---------------------------------------------------------------------------- */

#define SLEEPERS 200
#define TURNS 8 /* after this many calls of pprofil_session_tasks, each task has been read once */

static void *sleep_on(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void wake_up(int signal)
{
    (void)signal;
}

/* Runs in the child. Writes a byte when its threads have started, reads a byte, sleeps until a signal comes, reads a
 * byte, and works. */
static void be_many(int orders, int ready)
{
    pthread_t id;
    char order;

    signal(SIGUSR1, wake_up);
    for (int i = 0; i < SLEEPERS; i++)
        pthread_create(&id, NULL, sleep_on, NULL);
    if (write(ready, "", 1) == 1 && read(orders, &order, 1) == 1)
        nanosleep(&(struct timespec){.tv_sec = 600}, NULL);
    if (read(orders, &order, 1) == 1)
        for (volatile unsigned i = 0;; i++)
            ;
    _exit(1);
}

/* Lists the tasks at most `most` times. `state` is the letter of a task's state, or the name of a system call. Returns
 * the number of the first list in which the task has this state or is in this call, or 0 if there is none. For 'R' the
 * state 't' counts, too, because a running task may be stopped for a sample. */
static int call_with(pprofil_session *session, pid_t tid, const char *state, int most)
{
    struct pprofil_task *tasks;
    uint32_t count;
    int found = 0;

    for (int call = 1; call <= most && found == 0; call++) {
        if (pprofil_session_tasks(session, &tasks, &count) != 0)
            return 0;
        for (uint32_t i = 0; i < count; i++)
            if (tasks[i].tid == (uint32_t)tid && count == SLEEPERS + 1 &&
                (tasks[i].state == state[0] || (state[0] == 'R' && tasks[i].state == 't') ||
                 strcmp(tasks[i].syscall_name, state) == 0))
                found = call;
        free(tasks);
    }
    return found;
}

/* The task has just been told what to do. Pumps until it has this state, or is in this system call. */
static bool comes_to_be_with(pprofil_session *session, pid_t tid, const char *state, int most)
{
    int64_t until = now_ms() + PATIENCE_MS;

    do
        pump(session, 100);
    while (call_with(session, tid, state, most) == 0 && now_ms() < until);
    return call_with(session, tid, state, most) > 0;
}

static void test_many_tasks(void)
{
    pprofil_session *session = open_session(500);
    int orders[2], ready[2];
    char byte;

    if (pipe(orders) != 0 || pipe(ready) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        be_many(orders[0], ready[1]);
    check("many: they are there", read(ready[0], &byte, 1) == 1);
    check("attaching to many threads", pprofil_session_attach(session, pid) == 0);
    pprofil_session_start(session);
    check("many: where one sleeps", comes_to_be_with(session, pid, "read", 1));
    check("many: there it stays", call_with(session, pid, "read", 1) == 1);
    check("many: an order", write(orders[1], "", 1) == 1);
    check("many: all are looked at in turn", comes_to_be_with(session, pid, "clock_nanosleep", TURNS));
    syscall(SYS_tgkill, pid, pid, SIGUSR1);
    check("many: another", write(orders[1], "", 1) == 1);
    check("many: one that runs is looked at at once", comes_to_be_with(session, pid, "R", 1));
    end(session, pid);
    close(orders[0]);
    close(orders[1]);
    close(ready[0]);
    close(ready[1]);
}

/* --- candidates --------------------------------------------------------------------------------- */

static const struct pprofil_candidate *find_candidate(const struct pprofil_candidate *all, uint32_t count, pid_t pid)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].pid == (uint32_t)pid)
            return &all[i];
    return NULL;
}

static void test_candidates(const char *sleepers)
{
    const char *const argv[] = {sleepers, "1", "0", "60", NULL};
    pprofil_session *session = open_session(100);
    struct pprofil_candidate *all;
    uint32_t count;

    pid_t traced = launch(session, argv), plain = fork();
    if (plain == 0) {
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    const struct pprofil_candidate *found = NULL;
    int64_t until = now_ms() + PATIENCE_MS;
    for (bool there = false; !there; free(all)) { /* waits until the program has started its threads */
        pump(session, 100);
        if (pprofil_candidates(&all, &count) != 0)
            break;
        found = find_candidate(all, count, plain);
        there = (found != NULL && found->threads == 2) || now_ms() >= until;
    }
    check("candidates", pprofil_candidates(&all, &count) == 0 && count > 0);
    found = find_candidate(all, count, plain);
    check("a process of one's own", found != NULL && found->refused[0] == '\0' && found->uid == geteuid() &&
                                        found->threads == 2 && found->ppid == (uint32_t)getpid() &&
                                        strcmp(found->comm, "sleepers") == 0 &&
                                        strstr(found->command, "sleepers 1 0 60") != NULL);
    found = find_candidate(all, count, traced);
    check("one that is traced", found != NULL && strstr(found->refused, "already traced") != NULL);
    check("not we", find_candidate(all, count, getpid()) == NULL);
    bool supervisor = false;
    for (uint32_t i = 0; i < count; i++)
        supervisor = supervisor || strncmp(all[i].comm, "pprofil-supervi", 15) == 0;
    check("nor our supervisor", !supervisor);
    found = find_candidate(all, count, 2);
    if (found != NULL && strcmp(found->comm, "kthreadd") == 0)
        check("no kernel thread", strstr(found->refused, "kernel thread") != NULL);
    else
        printf("SKIP no kernel thread: there is none to be seen\n");
    free(all);
    kill(plain, SIGKILL);
    waitpid(plain, NULL, 0);
    end(session, traced);
}

/* --- a large program ------------------------------------------------------------------------------ */

static void test_big(const char *big)
{
    static const char script[] = "let t = Date.now(), a = []; while (Date.now() - t < 20000) "
                                 "{ a = JSON.parse(JSON.stringify([1, 'x', {y: a.length}])); "
                                 "a.sort(); /b+/.test('abbbc'.repeat(50)); }";
    const char *const argv[] = {big, "-e", script, NULL};
    pprofil_session *session = open_session(1000);
    pid_t pid = launch(session, argv);
    int64_t longest = 0, until = now_ms() + PATIENCE_MS, began = now_ms();
    uint32_t pending = 1, most = 0;
    pprofil_report *report;
    pprofil_live *live;

    pprofil_live_open(session, &live);
    pprofil_session_start(session);
    while (now_ms() < until && (pending > 0 || most == 0 || now_ms() - began < 2000)) {
        int64_t turn = now_ms();
        pprofil_session_pump(session, 20);
        if (pprofil_live_report(live, PPROFIL_BY_FUNCTION, NULL, &report) == 0)
            pprofil_report_free(report);
        pending = pprofil_live_pending(live);
        most = pending > most ? pending : most;
        longest = now_ms() - turn > longest ? now_ms() - turn : longest;
    }
    printf("# big: longest turn %lld ms, at most %u without names, all named after %lld ms\n",
           (long long)longest, most, (long long)(now_ms() - began));
    check("all of a large program is named", pending == 0 && most > 0);
    check("pumping goes on meanwhile", longest < TURN_MS_MAX);
    check("and nothing is lost", totals_of(session).lost == 0);
    pprofil_live_close(live);
    end(session, pid);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    test_split(argv[1]);
    test_wall(argv[2]);
    test_many_tasks();
    test_candidates(argv[2]);
    if (argc > 3)
        test_big(argv[3]);
    else
        printf("SKIP a large program: none is here\n");
    return failures > 0;
}
