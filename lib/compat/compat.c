/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends requests to the supervisor, and starts it. The program may call profil in several threads at the same time, or
 * in a signal handler. Between two calls it may fork, or close all descriptors. So only the address of the supervisor
 * is kept from one call to the next, and signals are blocked during a request.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "compat/compat.h"
#include "launch/spawn.h"

#define OVERHEAD "--overhead=0.05"
#define ATTEMPTS 3
#define LEAVING_WAITS 1000 /* longest wait until a former supervisor stops tracing this process, ms */
#define LOCK_WAIT_NS 100000

static struct {
    _Atomic pid_t owner; /* lock: pid of the process in which a thread makes a request; 0: the lock is free */
    char name[WIRE_PROFIL_NAME];
    /* the process that made the socket with that name: this process, or an ancestor that has forked since */
    pid_t listener;
    pid_t supervisor;    /* pid of the supervisor; 0: no supervisor was started */
    /* number of ticks that found their counter full, since the last message about them. The supervisor adds to it */
    _Atomic uint64_t overflows;
} state;

/* Takes the lock. If a child is forked while another thread makes a request, the child inherits the lock, but not that
 * thread. So a lock that belongs to another process is ignored. Waiting threads sleep: otherwise a waiting thread with
 * a high priority could keep the owner of the lock from running. */
static void request_lock(void)
{
    const struct timespec wait = {.tv_nsec = LOCK_WAIT_NS};
    pid_t self = getpid(), none = 0;

    while (!atomic_compare_exchange_weak(&state.owner, &none, self)) {
        if (none != self && none != 0) {
            atomic_compare_exchange_strong(&state.owner, &none, 0);
        } else {
            nanosleep(&wait, NULL);
        }
        none = 0;
    }
}

static void request_unlock(void)
{
    atomic_store(&state.owner, 0);
}

/* Returns the pid of the tracer of this process; 0: none. */
static pid_t request_tracer(void)
{
    char text[4096];

    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *line = strstr(text, "\nTracerPid:");
    return line == NULL ? 0 : (pid_t)strtol(line + strlen("\nTracerPid:"), NULL, 10);
}

static void request_wait_for_leaving(pid_t former)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};

    for (int i = 0; former != 0 && request_tracer() == former && i < LEAVING_WAITS; i++)
        nanosleep(&millisecond, NULL);
}

static int request_start_supervisor(const char *call)
{
    struct spawn_supervisor found;
    char number[16], debug[32];
    char *argv[] = {(char *)SPAWN_SUPERVISOR, (char *)"--serve", (char *)OVERHEAD, debug, number, NULL};
    int kept[2];

    state.listener = getpid();
    kept[0] = spawn_above_standard(wire_profil_listen(state.name));
    if (kept[0] < 0) {
        compat_say(call, "cannot make a socket: %s", strerror(-kept[0]));
        return kept[0];
    }
    int error = spawn_open_debug_log(&kept[1]);
    if (error != 0)
        compat_say(call, "PPROFIL_DEBUG=%s: %s", getenv("PPROFIL_DEBUG"), strerror(-error));
    snprintf(number, sizeof number, "%d", kept[0]);
    snprintf(debug, sizeof debug, "--debug=%d", kept[1]);
    spawn_find_supervisor(false, &found);
    error = spawn_quietly(found.path, argv, kept, kept[1] >= 0 ? 2 : 1);
    close(kept[0]);
    if (kept[1] >= 0)
        close(kept[1]);
    if (error != 0)
        compat_say(call, "cannot start %s: %s", found.path, strerror(-error));
    return error;
}

/* Connects to the supervisor of this process. If there is none, or if it has ended, starts a supervisor, but only if
 * may_start is true. call: name of the program's function, for messages. Returns a descriptor or a negative errno. */
static int request_reach_supervisor(const char *call, bool may_start)
{
    int fd = -ECONNREFUSED;

    if (state.supervisor != 0)
        fd = wire_profil_connect(state.name, state.listener, &state.supervisor);
    if (fd < 0 && !may_start)
        return fd;
    if (fd < 0) {
        request_wait_for_leaving(state.supervisor);
        int error = request_start_supervisor(call);
        if (error != 0)
            return error;
        fd = wire_profil_connect(state.name, state.listener, &state.supervisor);
    }
    if (fd < 0)
        compat_say(call, "pprofil-supervise does not answer: %s", strerror(-fd));
    else if (request_tracer() != state.supervisor)
        /* for Yama: a child does not inherit the permission that its parent has given to the tracer */
        prctl(PR_SET_PTRACER, (unsigned long)state.supervisor, 0, 0, 0);
    return fd;
}

static void request_explain(const char *call, int error)
{
    pid_t other = request_tracer();

    if (error == -EPERM && other != 0 && other != state.supervisor)
        compat_say(call, "this process is traced already, by process %d", (int)other);
    else if (error == -EPERM)
        compat_say(call, "this process may not be traced; see /proc/sys/kernel/yama/ptrace_scope");
    else
        compat_say(call, "%s", strerror(-error));
}

/* Returns true if the request only ends counting. No supervisor is started for such a request. */
static bool request_is_vain(const struct wire_profil *request)
{
    return request->op == WIRE_PROFIL_STOP || (request->op == WIRE_PROFIL_PCS && request->room == 0);
}

static int request_ask(const char *call, const struct wire_profil *request, struct wire_profil_answer *answer)
{
    bool vain = request_is_vain(request);
    int error = -EPIPE;

    /* a supervisor that has begun to end may accept the connection and then close it */
    for (int attempt = 0; error == -EPIPE && attempt < ATTEMPTS; attempt++) {
        int fd = request_reach_supervisor(call, !vain);
        if (fd < 0)
            return vain ? 0 : fd;
        error = wire_profil_ask(fd, request, answer);
        close(fd);
    }
    if (error == 0)
        error = -answer->error;
    if (error != 0)
        request_explain(call, error);
    return error;
}

static void request_tell_overflows(const char *call)
{
    unsigned long long overflows = atomic_exchange(&state.overflows, 0);

    if (overflows > 0)
        compat_warn(call, "%llu ticks found their counter full: what was counted is too low", overflows);
}

int compat_ask(const char *call, const struct wire_profil *asked, int64_t *value)
{
    struct wire_profil_answer answer = {0};
    struct wire_profil request = *asked;
    struct compat_guard guard;
    int error = 0;

    request.pid = getpid();
    request.tid = (pid_t)syscall(SYS_gettid);
    request.told = (uintptr_t)&state.overflows;
    compat_enter(&guard);
    request_lock();
    if (!request_is_vain(asked) || state.supervisor != 0)
        error = request_ask(call, &request, &answer);
    request_unlock();
    request_tell_overflows(call);
    compat_leave(&guard);
    if (value != NULL)
        *value = answer.value;
    return error;
}

/* Runs when the program ends. If a counter was full, says so, even if the program has not turned profiling off. */
__attribute__((destructor)) static void request_end(void)
{
    request_tell_overflows("profil");
}

int compat_copy(void *to, const void *from, size_t size)
{
    struct iovec here = {.iov_base = to, .iov_len = size};
    struct iovec there = {.iov_base = (void *)from, .iov_len = size};

    ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got == (ssize_t)size)
        return 0;
    if (got >= 0 || errno == EFAULT)
        return -EFAULT;
    memcpy(to, from, size); /* if process_vm_readv is forbidden, a bad address ends the program here */
    return 0;
}

void *compat_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void compat_unmap(void *memory, size_t size)
{
    munmap(memory, size);
}
