/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of supervisor/proc/procfs.c. They read about real tasks in /proc, because what the kernel writes there is the
 * specification. */
#include "config.h"

#include <criterion/criterion.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/proc/procfs.h"
#include "supervisor/proc/system.h"
#include "wire/wire.h"

/* A task's name. In "stat" the name seems to be empty, and to be followed by a state. */
#define HOSTILE_NAME ") R 1 (x"

static struct procfs_task task;
static struct procfs_state state;

/* Makes a child that calls does(), which does not return. Sets `task` to the child. */
static pid_t child_that(void (*does)(void))
{
    pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, HOSTILE_NAME);
        does();
        _exit(1);
    }
    procfs_task_init(&task, child, child);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    procfs_task_close(&task);
}

static void sleeps(void)
{
    sigset_t none;

    sigemptyset(&none);
    for (;;)
        sigsuspend(&none);
}

static void works(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

/* Waits up to 60 s until the child does what `doing` says. Returns false if it does not. Sets `state`. */
static bool comes_to(enum procfs_doing doing)
{
    for (int i = 0; i < 60000; i++) {
        procfs_look(&task, &state);
        if (state.doing == doing)
            return true;
        usleep(1000);
    }
    return false;
}

/* Waits until the child sleeps in sigsuspend(2), where it stays. Before that, a new child sleeps now and then. */
static bool comes_to_suspend(void)
{
    bool asleep = comes_to(PROCFS_SLEEPING);

    for (int i = 0; asleep && i < 60000 && state.syscall != SYS_rt_sigsuspend; i++) {
        usleep(1000);
        asleep = comes_to(PROCFS_SLEEPING);
    }
    return asleep && state.syscall == SYS_rt_sigsuspend;
}

Test(procfs, a_sleeper_is_in_a_call_at_a_place)
{
    pid_t child = child_that(sleeps);

    cr_assert(comes_to_suspend());
    cr_assert_neq(state.pc, 0);
    cr_assert_neq(state.sp, 0);
    cr_assert_eq(procfs_state_letter(&task), 'S');
    end(child);
}

Test(procfs, a_sleeper_gets_no_turns)
{
    struct procfs_cpu before, after;
    pid_t child = child_that(sleeps);

    cr_assert(comes_to_suspend());
    cr_assert_eq(procfs_read_cpu(&task, &before), 0);
    usleep(20000);
    cr_assert_eq(procfs_read_cpu(&task, &after), 0);
    cr_assert_gt(before.turns, 0);
    cr_assert_eq(after.turns, before.turns);
    cr_assert_eq(after.run_ns, before.run_ns);
    end(child);
}

Test(procfs, a_name_is_no_state)
{
    pid_t child = child_that(sleeps);
    char comm[16];

    task.coarse = true;
    cr_assert(comes_to(PROCFS_SLEEPING));
    cr_assert_eq(state.syscall, WIRE_NO_SYSCALL);
    cr_assert_eq(procfs_read_comm(child, child, comm), 0);
    cr_assert_str_eq(comm, HOSTILE_NAME);
    end(child);
}

Test(procfs, who_works_runs_where_it_may)
{
    pid_t child = child_that(works);
    cpu_set_t cpus;
    int cpu = 0;

    cr_assert_eq(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    cr_assert_eq(sched_setaffinity(child, sizeof cpus, &cpus), 0);
    cr_assert(comes_to(PROCFS_RUNNING));
    cr_assert_eq(procfs_last_cpu(&task, false), cpu);
    end(child);
}

Test(procfs, who_has_ended_is_gone)
{
    pid_t child = child_that(sleeps);
    siginfo_t news;

    kill(child, SIGKILL);
    cr_assert_eq(waitid(P_PID, (id_t)child, &news, WEXITED | WNOWAIT), 0);
    cr_assert(comes_to(PROCFS_GONE));
    cr_assert(procfs_has_ended(child, child));
    end(child);
    cr_assert_eq(procfs_start_time(child), 0);
    cr_assert_eq(procfs_exec_id(child), 0);
}

Test(procfs, signals_that_are_ignored)
{
    pid_t child = child_that(sleeps);

    cr_assert(procfs_ignores_signal(child, SIGCHLD), "by default");
    cr_assert_not(procfs_ignores_signal(child, SIGTERM));
    end(child);
    signal(SIGUSR1, SIG_IGN);
    child = child_that(sleeps);
    cr_assert(procfs_ignores_signal(child, SIGUSR1));
    end(child);
}

static void nothing(int signal)
{
    (void)signal;
}

/* Checks fields of this process's status that come after the line of groups, which may be longer than one read. */
static void expect_signals_seen(void)
{
    cr_assert(procfs_ignores_signal(getpid(), SIGUSR2));
    cr_assert(procfs_ignores_signal(getpid(), SIGWINCH));
    cr_assert_not(procfs_ignores_signal(getpid(), SIGCHLD));
    cr_assert_not(procfs_ignores_signal(getpid(), SIGUSR1));
    cr_assert_eq(procfs_status_number(getpid(), "NoNewPrivs:"), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    cr_assert_eq(procfs_status_number(getpid(), "PPid:"), getppid());
    cr_assert_eq(procfs_status_number(getpid(), "Nothing:"), -1);
}

Test(procfs, signals_that_are_ignored_in_many_groups)
{
    static gid_t groups[3000];

    signal(SIGUSR2, SIG_IGN);
    signal(SIGCHLD, nothing);
    for (unsigned i = 0; i < 3000; i++)
        groups[i] = 4000000000u + i;
    if (setgroups(3000, groups) != 0)
        cr_skip_test("only root may be in many groups");
    expect_signals_seen();
    /* puts the fields at every offset within a read: a group number of 9 digits, instead of 10, moves them by one
     * byte */
    for (unsigned count = 250; count < 400; count++)
        for (unsigned nines = 0; nines < 11; nines++) {
            for (unsigned i = 0; i < count; i++)
                groups[i] = i < nines ? 900000000u + i : 4000000000u + i;
            cr_assert_eq(setgroups(count, groups), 0);
            expect_signals_seen();
        }
}

Test(procfs, the_newest_children)
{
    pid_t made[25], newest[10];
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", getpid(), getpid());
    if (access(path, F_OK) != 0)
        cr_skip_test("this kernel has no lists of children");
    for (unsigned i = 0; i < 25; i++)
        made[i] = child_that(sleeps);
    cr_assert_eq(procfs_newest_children(getpid(), getpid(), newest, 10), 10);
    for (unsigned i = 15; i < 25; i++) {
        bool has = false;
        for (unsigned k = 0; k < 10; k++)
            has = has || newest[k] == made[i];
        cr_assert(has);
    }
    for (unsigned i = 0; i < 25; i++)
        end(made[i]);
    cr_assert_eq(procfs_newest_children(getpid(), getpid(), newest, 10), 0);
}

/* --- the kernels on which a look at a thread may wait for an exec ------------------------------ */

Test(kernel, looks_wait)
{
    static const char *const waiting[] = {"5.3.18-150300.59.106-default", "5.3.0", "5.4.0-42-generic",
                                          "5.4.87", "5.5.19", "5.6.0-rc1", "5.6", "4.19.0-27-amd64",
                                          "Ubuntu 5.4.0-42.46-generic 5.4.44\n", "", "unknown"};

    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        cr_expect(kernel_syscall_file_blocks(waiting[i]), "%s", waiting[i]);
}

Test(kernel, looks_do_not_wait)
{
    static const char *const others[] = {"5.4.88", "5.4.301-1.el8.elrepo.x86_64", "5.7.0", "5.10.0-32",
                                         "5.70.1", "6.1.0-56-amd64", "6.18.44", "10.0",
                                         "Ubuntu 5.4.0-150.167-generic 5.4.233\n"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!kernel_syscall_file_blocks(others[i]), "%s", others[i]);
}
