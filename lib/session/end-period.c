/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends a period of a session: its samples become a profile of their own. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/session.h"
#include "unwind/unwind.h"

/* Moves what the session knows of the profile's tables to the tables of the new period. */
static int period_follow(struct pprofil_session *session, const struct profile *ended,
                         const struct profile_moves *moves)
{
    symbolizer_free(session->profile->symbolizer); /* the caller that looks names up again gets a new one */
    session->profile->symbolizer = NULL;
    tasks_free(session->tasks);
    session->tasks = NULL;
    runtimes_end_period(session, moves);
    return session->unwinder == NULL ? 0 : unwinder_end_period(session->unwinder, ended, moves);
}

int pprofil_session_end_period(pprofil_session *session, pprofil_profile **ended)
{
    const struct wire_message flush = {.op = WIRE_OP_FLUSH};
    struct profile_moves moves = {0};

    if (session->dialect_run != NULL)
        return session_fail(session, -EINVAL, "a dialect counts from the beginning to the end, not in periods");
    int error = session->dead ? 0 : session_command(session, &flush); /* for the counts until now */
    if (error == 0 || error == -EPIPE)
        error = session_take(session);
    pprofil_profile *period = error == 0 ? calloc(1, sizeof *period) : NULL;
    if (error == 0 && period == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = profile_end_period(session->profile->profile, clock_read(CLOCK_REALTIME), clock_real_offset(),
                                   &period->profile, &moves);
    if (error == 0)
        error = period_follow(session, period->profile, &moves);
    profile_moves_clear(&moves);
    if (error != 0) {
        pprofil_profile_close(period);
        return session_fail(session, error, "cannot end a period: %s", pprofil_error_text(error));
    }
    *ended = period;
    return 0;
}

void pprofil_session_leave(pprofil_session *session)
{
    close(session->socket);
    close(session->wake);
    close(session->epoll);
    session->socket = session->wake = session->epoll = -1;
    control_leave(session);
}
