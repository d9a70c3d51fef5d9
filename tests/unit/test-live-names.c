/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the thread that looks up names for a live view: names that come late, definitions, code, and
 * a crash of this thread. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live-fixture.h"

/* Waits until row i has this name. */
static void await_name(pprofil_live *live, uint32_t i, const char *name)
{
    bool found = false;

    for (int turn = 0; turn < PATIENCE && !found; turn++) {
        pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
        found = pprofil_report_count(report) > i && strcmp(row_of(report, i).name, name) == 0;
        pprofil_report_free(report);
        nap();
    }
    cr_assert(found, "%s", name);
}

/* On a busy machine it may take seconds until an object's file is open. Until then, its functions have no names. */
Test(live_names, a_file_that_comes_late)
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

Test(live_names, a_list_of_names_that_grows)
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
    append(path, "1000 100 early\n2000 100 la"); /* the second line is not complete yet */
    await_name(live, 0, "early");
    await_name(live, 1, "[anon]");
    append(path, "te\n");
    await_name(live, 1, "late");
    unlink(path);
    pprofil_live_close(live);
    free_session(session);
}

Test(live_names, definitions_and_code)
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

/* --- a crash of the thread that looks up names ----------------------------------------------- */

static int told[2];

/* Writes to the pipe whether this handler has a stack of its own. Without such a stack, the handler could not run
 * after an overflow of the thread's stack. */
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

/* Returns true if the thread sleeps. Then it has started up, and has nothing to do at the moment. */
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

Test(live_names, a_crash_of_its_thread_reaches_the_programs_handler)
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
