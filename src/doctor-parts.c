/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of pprofil doctor: the supervisor's file, optional parts of the library, servers of debug information, and the
 * terminal. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "output-stream.h"
#include "push.h"
#include "report.h"

static void parts_supervisor(struct doctor *doctor, struct finding *finding)
{
    char path[PATH_MAX];
    int error = pprofil_supervisor_path(path, sizeof path);

    (void)doctor;
    if (error == 0) {
        finding_yes(finding, "pprofil-supervise: %s", path);
        return;
    }
    finding_no(finding, "pprofil-supervise: %s", path);
    finding_why(finding, "%s; install pprofil, or set PPROFIL_SUPERVISE to the path of its supervisor",
                pprofil_error_text(error));
}

/* Finds the library's part that has the name of the check. */
static void parts_of_library(struct doctor *doctor, struct finding *finding)
{
    struct pprofil_part part = {.name = ""};

    for (unsigned i = 0; strcmp(part.name, doctor->check->name) != 0; i++)
        if (pprofil_part_at(i, &part, sizeof part) != 0)
            return;
    if (part.present) {
        finding_yes(finding, "%s: %s", part.name, part.purpose);
    } else {
        finding_no(finding, "%s: %s", part.name, part.purpose);
        finding_why(finding, "%s", part.cure);
    }
}

static void parts_push(struct doctor *doctor, struct finding *finding)
{
    const char *problem = push_http_problem();

    (void)doctor;
    if (problem == NULL) {
        finding_yes(finding, "curl: sends profiles to servers (pprofil push)");
        return;
    }
    finding_no(finding, "curl: sends profiles to servers (pprofil push)");
    finding_why(finding, "%s", problem);
}

static void parts_servers(struct doctor *doctor, struct finding *finding)
{
    const char *servers = getenv("DEBUGINFOD_URLS");

    (void)doctor;
    if (servers != NULL && servers[0] != '\0') {
        finding_yes(finding, "DEBUGINFOD_URLS: %s", servers);
        return;
    }
    finding_limited(finding, "DEBUGINFOD_URLS: not set");
    finding_why(finding, "names and lines come only from files on this machine; for more set "
                         "DEBUGINFOD_URLS=https://debuginfod.elfutils.org");
}

static void parts_terminal(struct doctor *doctor, struct finding *finding)
{
    const char *term = getenv("TERM");

    (void)doctor;
    if (!isatty(STDOUT_FILENO))
        finding_yes(finding, "standard output: no terminal, so text is plain");
    else if (output_wants_colour(stdout))
        finding_yes(finding, "standard output: a terminal with colours (TERM=%s)", term);
    else
        finding_limited(finding, "standard output: a terminal without colours");
    if (finding->verdict == VERDICT_LIMITED)
        finding_why(finding, "NO_COLOR is set, or TERM is not set or dumb");
}

static void parts_locale(struct doctor *doctor, struct finding *finding)
{
    (void)doctor;
    if (report_in_utf8()) {
        finding_yes(finding, "locale: UTF-8");
        return;
    }
    finding_limited(finding, "locale: not UTF-8");
    finding_why(finding, "names with other characters than ASCII, and the bars of pprofil top, are shown plainly; set "
                         "LANG=C.UTF-8");
}

static const struct check checks[] = {
    {"supervisor", parts_supervisor},
    {"libiberty", parts_of_library},
    {"capstone", parts_of_library},
    {"zstd", parts_of_library},
    {"debuginfod", parts_of_library},
    {"debuginfod-urls", parts_servers},
    {"curl", parts_push},
    {"terminal", parts_terminal},
    {"locale", parts_locale},
    {0},
};

const struct check_group doctor_parts = {"parts", "Parts of pprofil", checks};
