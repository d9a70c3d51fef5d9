/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

/* A test that crashes fails, so a child process crashes instead. Its restore() writes to this pipe. */
static int restored[2];

static void restore(void)
{
    ssize_t ignored = write(restored[1], "r", 1);

    (void)ignored;
}

/* Needs more stack than there is. The volatile array keeps the compiler from making a loop of the
 * recursion. */
static unsigned descend(uint64_t levels)
{
    volatile char here[1024];

    here[0] = (char)levels;
    return levels == 0 ? 0 : descend(levels - 1) + (unsigned)here[0];
}

static void run_out_of_stack(void)
{
    struct rlimit stack = {1 << 20, 1 << 20};

    setrlimit(RLIMIT_STACK, &stack);
    descend(UINT64_C(1) << 40);
}

static void abort_it(void)
{
    raise(SIGABRT);
}

static void expect_restored(void (*crash)(void), int signal)
{
    int status;
    char byte = 0;

    cr_assert_eq(pipe(restored), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signals_catch(restore);
        crash();
        _exit(0);
    }
    close(restored[1]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status));
    cr_assert_eq(WTERMSIG(status), signal);
    cr_assert_eq(read(restored[0], &byte, 1), 1);
    cr_assert_eq(byte, 'r');
    cr_assert_eq(read(restored[0], &byte, 1), 0, "once");
}

Test(leave, a_crash_restores)
{
    expect_restored(abort_it, SIGABRT);
}

Test(leave, so_does_one_for_want_of_stack)
{
    expect_restored(run_out_of_stack, SIGSEGV);
}

static bool is_readable(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};

    return poll(&polled, 1, 0) == 1;
}

Test(leave, signals_that_would_kill_are_noted)
{
    const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) /* the shell may have set some to SIG_IGN */
        signal(ending[i], SIG_DFL);
    cr_assert_eq(signals_catch(restore), 0);
    cr_assert_eq(signals_ending(), 0);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        raise(ending[i]);
        cr_assert(is_readable(signals_fd()));
        cr_assert_eq(signals_ending(), ending[i]);
    }
    signals_release();
}

static void do_nothing(int signal)
{
    (void)signal;
}

Test(leave, ignored_and_handled_signals_stay_so)
{
    struct sigaction now;

    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR1, do_nothing);
    signals_catch(restore);
    raise(SIGHUP);
    raise(SIGUSR1);
    cr_assert_eq(signals_ending(), 0);
    signals_release();
    sigaction(SIGHUP, NULL, &now);
    cr_assert_eq(now.sa_handler, SIG_IGN);
    sigaction(SIGUSR1, NULL, &now);
    cr_assert_eq(now.sa_handler, do_nothing);
    sigaction(SIGTERM, NULL, &now);
    cr_assert_eq(now.sa_handler, SIG_DFL);
}

Test(leave, a_stop_is_asked_for_once)
{
    signals_catch(restore);
    signals_catch_stop();
    cr_assert_not(signals_stop_asked());
    raise(SIGTSTP);
    cr_assert(is_readable(signals_fd()));
    cr_assert(signals_stop_asked());
    cr_assert_not(is_readable(signals_fd()));
    cr_assert_not(signals_stop_asked());
    cr_assert_eq(signals_ending(), 0);
    signals_release();
}
