/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil ctl TARGET COMMAND: sends a command to a running pprofil.
 */
#include "config.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "command-line.h"
#include "command.h"
#include "output-stream.h"

#define ANSWER_SIZE 4096

struct ctl {
    const char *target, *word;
};

static error_t ctl_parse_option(int key, char *argument, struct argp_state *state)
{
    struct ctl *ctl = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            return ARGP_ERR_UNKNOWN;
        if (state->arg_num == 0)
            ctl->target = argument;
        else
            ctl->word = choice_option_name("ctl", &choices_control, argument);
        break;
    case ARGP_KEY_END:
        if (state->arg_num < 2)
            exit(complain("ctl: give a socket's path or a process number, and start, stop, "
                          "startclr, flush or status"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp ctl_argp = {
    NULL,
    ctl_parse_option,
    "PATH|PID ACTION",
    "Sends a command to a running pprofil, given its control socket, its process number, or "
    "that of a process that it profiles.\v"
    "ACTION is one of: {ACTION}.",
    NULL,
    choices_help,
    NULL,
};

int command_ctl(int argc, char **argv)
{
    struct ctl ctl = {0};
    char answer[ANSWER_SIZE];

    command_line_parse("pprofil ctl", &ctl_argp, argc, argv, 0, &ctl);
    int error = pprofil_control_send(ctl.target, ctl.word, answer, sizeof answer);
    switch (error) {
    case 0:
        fputs(answer, stdout);
        return output_flush();
    case PPROFIL_ERROR_REFUSED:
        answer[strcspn(answer, "\n")] = '\0';
        return complain("%s: %s", ctl.word, answer);
    case -ENOENT:
    case -ECONNREFUSED:
        return complain("%s: no pprofil can be commanded there; --control PATH makes a socket", ctl.target);
    case -EPIPE:
        return complain("%s: it refuses commands of this user, or has just ended", ctl.target);
    default:
        return complain("%s: %s", ctl.target, pprofil_error_text(error));
    }
}
