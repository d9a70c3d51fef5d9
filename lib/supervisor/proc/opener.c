/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/regular-file.h"
#include "supervisor/proc/mapped-files.h"
#include "supervisor/proc/opener.h"
#include "wire/open-request.h"
#include "wire/wire.h"

#define MS UINT64_C(1000000)
/* pause between the first two attempts to open the file with the names of run-time code, ns; each later pause is twice
 * as long as the one before, up to PAUSE_MAX */
#define PAUSE_MIN (10 * MS)
#define PAUSE_MAX (1000 * MS)
#define HANG_NS (10000 * MS) /* if a file has hung, no other file on the same device is requested for this time, ns */
#define SOCKET_FD (STDERR_FILENO + 1)

/* --- tasks ------------------------------------------------------------------------------- */

bool opener_has_room(const struct openers *openers)
{
    return openers->free_tasks != NULL || openers->used < OPENER_REQUESTS_MAX;
}

static void opener_queue(struct opener *opener, struct opener_task *task)
{
    struct opener_task **end = &opener->queue;

    while (*end != NULL)
        end = &(*end)->next;
    task->next = NULL;
    *end = task;
}

bool opener_add(struct openers *openers, enum opener_kind kind, uint32_t id,
                const struct open_request *request, dev_t device)
{
    struct opener_task *task = openers->free_tasks;
    bool jit = request->kind == OPEN_JIT_NAMES;

    if (!opener_has_room(openers) || (jit && openers->jit_count >= OPENER_REQUESTS_MAX / 2))
        return false;
    if (task != NULL)
        openers->free_tasks = task->next;
    else
        task = &openers->tasks[openers->used++];
    openers->jit_count += jit;
    task->id = id;
    task->due = task->pause = 0;
    task->device = device;
    task->request = *request;
    opener_queue(&openers->of[kind], task);
    return true;
}

static void opener_end_task(struct openers *openers, struct opener *opener)
{
    struct opener_task *task = opener->task;

    openers->jit_count -= task->request.kind == OPEN_JIT_NAMES;
    task->next = openers->free_tasks;
    openers->free_tasks = task;
    opener->task = NULL;
}

static struct opener_task *opener_take_due(struct opener *opener, uint64_t now)
{
    for (struct opener_task **at = &opener->queue; *at != NULL; at = &(*at)->next) {
        struct opener_task *task = *at;
        if (task->due > now)
            continue;
        *at = task->next;
        return task;
    }
    return NULL;
}

/* --- inside the opener process ---------------------------------------------------------------- */

/*
 * The opener process opens files, and may hang. It is connected by a socket with the process that sends requests. It
 * closes all other descriptors that it has inherited, because if it hangs, it may live longer than that process, and
 * would keep them open.
 *
 * If another process serves a file, reading it may hang. So the opener sends a copy of the file instead. Even closing
 * the file may hang, so the opener process ends after each such file, and nobody waits for its end.
 */

/* Closes all descriptors except the socket and descriptors 0 to 2. Gives the socket another descriptor number, and
 * returns that number. */
static int opener_keep_only(int socket)
{
    if (socket != SOCKET_FD)
        dup2(socket, SOCKET_FD);
    descriptors_close(SOCKET_FD + 1);
    return SOCKET_FD;
}

/* Gives up the priority that this process has inherited from its tracer, because copying a file may take long. */
static void opener_give_up_priority(void)
{
    const struct sched_param none = {0};

    sched_setscheduler(0, SCHED_OTHER, &none);
    if (getpriority(PRIO_PROCESS, 0) < 0)
        setpriority(PRIO_PROCESS, 0, 0);
}

void opener_serve(int socket)
{
    static struct open_request request;
    bool served = false;

    prctl(PR_SET_NAME, "pprofil-open");
    /* the working directory that this process has inherited would keep its file system from being unmounted */
    if (chdir("/") < 0)
        return;
    while (!served && open_request_receive(socket, &request) == 0) {
        int file = mapped_file_open(&request);
        served = file >= 0 && regular_file_is_served(file);
        int fd = served ? regular_file_copy(file, REGULAR_FILE_COPY_MAX) : file;
        const struct wire_message answer = {
            .op = WIRE_OP_DONE, .error = fd < 0 ? -fd : 0, .flags = served ? OPENER_ENDS : 0};
        int error = wire_send(socket, &answer, fd);
        if (served || error != 0)
            close(socket);
        if (file >= 0)
            close(file);
        if (error != 0)
            return;
    }
}

/* Forks an opener process. Returns our end of the socket to that process, which the caller owns, or -errno. */
static int opener_fork(void)
{
    int sockets[2];
    int error = wire_socket_pair(sockets);

    if (error != 0)
        return error;
    pid_t child = fork();
    error = -errno;
    if (child == 0) {
        /* must be done first: another tracer may have had a copy of a target's descriptor open at the fork, and this
         * process has inherited that copy */
        int socket = opener_keep_only(sockets[1]);
        opener_give_up_priority();
        opener_serve(socket);
        _exit(0);
    }
    close(sockets[1]);
    if (child > 0)
        return sockets[0];
    close(sockets[0]);
    return error;
}

/* --- requests to the opener process ----------------------------------------------------------- */

static void opener_answer(struct opener *opener, int error, int fd)
{
    opener->answer = (struct wire_message){.op = WIRE_OP_DONE, .error = error};
    opener->fd = fd;
    opener->answered = true;
}

/* Abandons the opener process. Removes the socket from the epoll set before it closes the socket. Without this,
 * epoll(7) would report events of the socket as long as another opener process, forked just now, has not closed its
 * inherited copy of the socket. */
static void opener_abandon(struct opener *opener, int epoll)
{
    epoll_ctl(epoll, EPOLL_CTL_DEL, opener->socket, NULL);
    close(opener->socket);
    opener->socket = 0;
}

static int opener_start(struct opener *opener, int epoll)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (opener->socket > 0)
        return 0;
    int socket = opener_fork();
    if (socket < 0)
        return socket;
    opener->socket = event.data.fd = socket;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0)
        return 0;
    int error = -errno;
    opener_abandon(opener, epoll);
    return error;
}

/* Returns true if files on this device must not be requested now, because another file on it has hung lately, or
 * because too many opener processes hang. So if a file system hangs, only one process hangs with it, even if many files
 * on it are mapped. */
static bool opener_hangs(const struct opener *opener, dev_t device)
{
    for (unsigned i = 0; i < opener->hanging && device != 0; i++)
        if (opener->hangs[i].device == device && opener->hangs[i].until > opener->asked_at)
            return true;
    return opener->hanging == OPENER_HANGING_MAX;
}

static void opener_note_hang(struct opener *opener)
{
    opener->hangs[opener->hanging++] =
        (struct opener_hang){.device = opener->task->device, .until = time_now() + HANG_NS};
}

static void opener_ask(struct opener *opener, int epoll)
{
    const struct open_request *request = &opener->task->request;

    opener->answered = false;
    opener->asked_at = time_now();
    if (request->kind == OPEN_VDSO) {
        int fd = mapped_file_copy_vdso(request);
        opener_answer(opener, fd < 0 ? -fd : 0, fd);
        return;
    }
    int error = opener_hangs(opener, opener->task->device) ? -ETIMEDOUT : opener_start(opener, epoll);
    if (error == 0)
        error = open_request_send(opener->socket, request);
    if (error == -EPIPE) { /* the opener process was killed */
        opener_abandon(opener, epoll);
        error = opener_start(opener, epoll);
        if (error == 0)
            error = open_request_send(opener->socket, request);
    }
    if (error != 0)
        opener_answer(opener, -error, -1);
}

static void opener_receive(struct opener *opener, int epoll)
{
    int error = wire_receive(opener->socket, &opener->answer, &opener->fd);
    uint64_t patience = (uint64_t)open_request_patience(opener->hanging) * MS;

    if (error == -EAGAIN && time_now() - opener->asked_at < patience)
        return;
    if (error == -EAGAIN) {
        opener_note_hang(opener);
        opener_answer(opener, ETIMEDOUT, -1);
    } else if (error != 0) {
        opener_answer(opener, -error, -1);
    }
    if (error != 0 || (opener->answer.flags & OPENER_ENDS))
        opener_abandon(opener, epoll);
    opener->answered = true;
}

/* --- answers to the client -------------------------------------------------------------------- */

/* Sends the answer to the client. Exception: if the file with the names of run-time code does not exist yet, queues the
 * task again. Returns false if the socket to the client is full. */
static bool opener_forward(struct openers *openers, struct opener *opener, int socket)
{
    struct opener_task *task = opener->task;

    if (task->request.kind == OPEN_JIT_NAMES && opener->answer.error == EAGAIN) {
        task->pause = task->pause == 0 ? PAUSE_MIN : task->pause * 2;
        if (task->pause > PAUSE_MAX)
            task->pause = PAUSE_MAX;
        task->due = time_now() + task->pause;
        opener_queue(opener, task);
        opener->task = NULL;
        return true;
    }
    const struct wire_message message = {
        .op = WIRE_OP_OBJECT, .error = opener->answer.error, .value = task->id};
    if (wire_send(socket, &message, opener->fd) == -EAGAIN)
        return false;
    if (opener->fd >= 0)
        close(opener->fd);
    opener_end_task(openers, opener);
    return true;
}

static void opener_advance_one(struct openers *openers, struct opener *opener, int socket, int epoll)
{
    for (;;) {
        if (opener->task != NULL && !opener->answered)
            opener_receive(opener, epoll);
        if (opener->task != NULL && (!opener->answered || !opener_forward(openers, opener, socket)))
            return;
        opener->task = opener_take_due(opener, time_now());
        if (opener->task == NULL)
            return;
        opener_ask(opener, epoll);
    }
}

void openers_advance(struct openers *openers, int socket, int epoll)
{
    for (unsigned i = 0; i < OPENER_KINDS; i++)
        opener_advance_one(openers, &openers->of[i], socket, epoll);
}

static bool opener_is_busy(const struct opener *opener)
{
    if (opener->task != NULL && opener->task->request.kind != OPEN_JIT_NAMES)
        return true;
    for (const struct opener_task *task = opener->queue; task != NULL; task = task->next)
        if (task->request.kind != OPEN_JIT_NAMES)
            return true;
    return false;
}

bool openers_are_busy(const struct openers *openers)
{
    bool busy = false;

    for (unsigned i = 0; i < OPENER_KINDS; i++)
        busy = busy || opener_is_busy(&openers->of[i]);
    return busy;
}

static void opener_give_up_one(struct opener *opener, int socket)
{
    struct wire_message message = {.op = WIRE_OP_OBJECT, .error = ETIMEDOUT};

    if (opener->task != NULL)
        opener_queue(opener, opener->task);
    opener->task = NULL;
    for (const struct opener_task *task = opener->queue; task != NULL; task = task->next) {
        message.value = task->id;
        wire_send(socket, &message, -1);
    }
}

void openers_give_up(struct openers *openers, int socket)
{
    for (unsigned i = 0; i < OPENER_KINDS; i++)
        opener_give_up_one(&openers->of[i], socket);
}
