/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attaching. Whoever asks for several processes, or for one with many threads, wants what can be
 * had: those that refuse are named, and it is a failure only where nobody is left.
 */
#include "config.h"

#include <errno.h>

#include "session/ptrace-denied.h"
#include "session/session.h"

int session_attach_root(struct pprofil_session *session, const struct wire_message *command)
{
    session->untraced[0] = '\0';
    if (session->root_count == SESSION_ROOTS_MAX)
        return session_fail(session, -E2BIG, "at most %d processes at once", SESSION_ROOTS_MAX);
    /* entered first: its end may be told before the answer is read */
    session->roots[session->root_count++] = command->pid;
    int error = session_command(session, command);
    if (error != 0) {
        session->root_count--;
        bool told = session->answered && session->reply.pid > 0;
        explain_attach(told ? session->reply.pid : command->pid, error, session->problem,
                       sizeof session->problem);
    } else if (session->reply.flags > 0) {
        explain_untraced(command->pid, session->supervisor, session->reply.flags,
                         session->untraced, sizeof session->untraced);
    }
    return error;
}

int pprofil_session_attach(pprofil_session *session, pid_t pid)
{
    struct wire_message command = {.op = WIRE_OP_ATTACH, .pid = pid};
    return session_attach_root(session, &command);
}

const char *pprofil_session_untraced(const pprofil_session *session)
{
    return session->untraced;
}

/* Is it the process that cannot be attached to, and not we that cannot attach? */
static bool is_refusal(int error)
{
    return error == -EPERM || error == -EACCES || error == -ESRCH || error == -EBUSY;
}

int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context)
{
    unsigned attached = 0;
    int error = 0;

    for (unsigned i = 0; i < count; i++) {
        if (error != 0) /* what was said of the last one stays the problem if all refuse */
            warn(context, session->problem);
        error = pprofil_session_attach(session, pids[i]);
        if (error != 0 && !is_refusal(error))
            return error;
        attached += error == 0;
        if (session->untraced[0] != '\0')
            warn(context, session->untraced);
    }
    if (error != 0 && attached > 0)
        warn(context, session->problem);
    return attached > 0 ? 0 : error;
}
