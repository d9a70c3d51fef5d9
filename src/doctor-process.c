/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of pprofil doctor -p PID: what is known of the process, and whether pprofil can attach to it. To find this
 * out, pprofil attaches, and lets the process go again, which stops no thread. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

static void process_identity(struct doctor *doctor, struct finding *finding)
{
    struct pprofil_candidate process;

    if (pprofil_candidate_of(doctor->pid, &process, sizeof process) != 0) {
        finding_no(finding, "process %d", (int)doctor->pid);
        finding_why(finding, "there is no such process, or /proc hides it: it has ended, or the number is wrong");
        return;
    }
    finding_number(finding, "threads", process.threads);
    finding_yes(finding, "process %u (%s): of user %s (%u), with %u thread%s%s%.200s", process.pid, process.comm,
                process.user, process.uid, process.threads, process.threads == 1 ? "" : "s",
                process.command[0] != '\0' ? ": " : "", process.command);
}

static void process_attach(struct doctor *doctor, struct finding *finding)
{
    pprofil_session *session;
    int error = pprofil_session_open(NULL, &session);

    if (error == 0)
        error = pprofil_session_attach(session, doctor->pid);
    const char *untraced = error == 0 ? pprofil_session_untraced(session) : "";
    doctor->attaches = error == 0;
    if (error != 0) {
        finding_no(finding, "pprofil cannot attach to it");
        finding_why(finding, "%s", pprofil_session_problem(session));
    } else if (untraced[0] != '\0') {
        finding_limited(finding, "pprofil can attach to it, but not to all of its threads");
        finding_why(finding, "%s", untraced);
    } else {
        finding_yes(finding, "pprofil can attach to it: tried");
    }
    if (error == 0)
        pprofil_session_finish(session);
    pprofil_session_close(session);
}

static void process_program(struct doctor *doctor, struct finding *finding)
{
    struct pprofil_program *program = &doctor->program;

    doctor->program_known = pprofil_program_of(doctor->pid, program, sizeof *program) == 0 && program->error == 0;
    if (doctor->program_known) {
        finding_number(finding, "bits", program->bits);
        finding_yes(finding, "program %s: %u-bit, can be read", program->path, program->bits);
    } else if (program->error != 0) {
        finding_limited(finding, "program%s%s: cannot be read", program->path[0] != '\0' ? " " : "", program->path);
        finding_why(finding, "%s; its functions have no names; use sudo", pprofil_error_text(program->error));
    }
#ifdef __aarch64__
    if (program->bits == 32) {
        finding->verdict = VERDICT_LIMITED;
        finding_why(finding, "calls of 32-bit programs that a sample breaks are not repaired, and their stacks have no "
                             "callers; profile a 64-bit build");
    }
#endif
}

static void process_names(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_program *program = &doctor->program;

    if (!doctor->program_known)
        return;
    finding_number(finding, "symbols", program->symbols);
    finding_number(finding, "lines", program->lines);
    if (program->symbols && program->lines) {
        finding_yes(finding, "its file has symbols and source lines");
    } else if (program->go) {
        finding_yes(finding,
                    "its file lacks symbols or source lines, and needs none: Go's runtime has a table of them");
    } else {
        finding_limited(finding, program->symbols ? "its file has symbols, but no source lines"
                                                  : "its file has no symbols and no source lines");
        finding_why(finding,
                    "without a separate debug file, %s; compile with -g, do not strip, or install the debug "
                    "package",
                    program->symbols ? "lines are not shown" : "only exported functions have names");
    }
}

static void process_runtime(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_program *program = &doctor->program;

    if (!doctor->program_known)
        return;
    finding_number(finding, "python", program->python);
    finding_number(finding, "go", program->go);
    if (program->python != 0)
        finding_yes(finding, "Python %u.%u: -g shows the functions of the Python program", program->python >> 24,
                    program->python >> 16 & 0xff);
    else if (program->go)
        finding_yes(finding, "Go: -g follows the stacks of goroutines");
}

static void process_namespaces(struct doctor *doctor, struct finding *finding)
{
    if (doctor->program.other_namespace)
        finding_yes(finding, "it is in other namespaces, as in a container: files are opened as it sees them");
}

static const struct check checks[] = {
    {"process", process_identity},
    {"attach-to-process", process_attach},
    {"program", process_program},
    {"names", process_names},
    {"runtime", process_runtime},
    {"namespaces", process_namespaces},
    {0},
};

const struct check_group doctor_process = {"process", "The process", checks};
