/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of pprofil doctor: which processes may be traced here, and what decides that. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "doctor.h"

#define LAUNCH_SECONDS 1.0
#define ATTACH_SECONDS 0.2

/* Says how many samples of children there are, or why there are none. */
static void tracing_say(struct finding *finding, const struct sampling *sampling, const char *what)
{
    unsigned long long samples = sampling->totals.samples;

    finding_number(finding, "samples", (double)samples);
    if (sampling->error == 0 && samples > 0) {
        finding_yes(finding, "%s: tried, %llu sample%s of a child", what, samples, samples == 1 ? "" : "s");
        return;
    }
    finding_no(finding, "%s", what);
    finding_why(finding, "%s",
                sampling->error != 0 ? sampling->problem
                                     : "a busy child gave no sample: the machine is too busy; try again");
}

static void tracing_launch(struct doctor *doctor, struct finding *finding)
{
    sampling_launch(&doctor->one, 1, LAUNCH_SECONDS);
    tracing_say(finding, &doctor->one, "profiles programs that it starts");
}

static void tracing_attach(struct doctor *doctor, struct finding *finding)
{
    sampling_attach(&doctor->attached, ATTACH_SECONDS);
    tracing_say(finding, &doctor->attached, "attaches to running processes of this user");
}

static void tracing_capability(struct doctor *doctor, struct finding *finding)
{
    if (doctor->limits.cap_sys_ptrace) {
        finding_yes(finding, "CAP_SYS_PTRACE: this process has it%s, as tracing processes of other users requires",
                    doctor->limits.user_namespace ? " in its user namespace" : "");
        return;
    }
    finding_limited(finding, "CAP_SYS_PTRACE: this process does not have it");
    finding_why(finding, "processes of other users, and those with more rights, cannot be traced; use sudo, or in a "
                         "container add the capability SYS_PTRACE");
}

static void tracing_yama(struct doctor *doctor, struct finding *finding)
{
    static const struct {
        enum verdict verdict;
        const char *meaning, *cure;
    } scopes[] = {
        {VERDICT_YES, "a user may trace all of his processes", ""},
        {VERDICT_LIMITED, "a user may trace only programs that he starts with pprofil",
         "to attach use sudo, or 'sysctl kernel.yama.ptrace_scope=0'"},
        {VERDICT_NO, "only CAP_SYS_PTRACE may trace, even programs that pprofil starts",
         "use sudo, or 'sysctl kernel.yama.ptrace_scope=1'"},
        {VERDICT_NO, "nobody may trace, until the machine is rebooted",
         "set kernel.yama.ptrace_scope lower in /etc/sysctl.d, and reboot"},
    };
    int scope = doctor->limits.yama_scope;

    finding_number(finding, "ptrace_scope", scope);
    if (scope < 0 || scope >= (int)(sizeof scopes / sizeof *scopes)) {
        finding_yes(finding, scope < 0 ? "Yama: not in this kernel" : "Yama: ptrace_scope %d, which is not known",
                    scope);
        return;
    }
    if (scopes[scope].verdict != VERDICT_YES && scope < 3 && doctor->limits.cap_sys_ptrace) {
        finding_yes(finding, "Yama: ptrace_scope %d: %s; CAP_SYS_PTRACE is there", scope, scopes[scope].meaning);
        return;
    }
    finding_yes(finding, "Yama: ptrace_scope %d: %s", scope, scopes[scope].meaning);
    finding->verdict = scopes[scope].verdict;
    finding_why(finding, "%s", scopes[scope].cure);
}

static void tracing_seccomp(struct doctor *doctor, struct finding *finding)
{
    int mode = doctor->limits.seccomp;

    finding_number(finding, "seccomp", mode);
    if (mode == 0) {
        finding_yes(finding, "seccomp: no filter");
    } else if (mode < 0) {
        finding_yes(finding, "seccomp: /proc/self/status does not say whether there is a filter");
    } else if (doctor->one.error == 0) {
        finding_yes(finding, "seccomp: a filter, which permits ptrace");
    } else {
        finding_limited(finding, "seccomp: a filter");
        finding_why(finding, "a filter, as containers have it, may refuse ptrace; see the first line");
    }
}

static void tracing_new_privileges(struct doctor *doctor, struct finding *finding)
{
    if (!doctor->limits.no_new_privs) {
        finding_yes(finding, "NoNewPrivs: not set");
        return;
    }
    finding_limited(finding, "NoNewPrivs: set");
    finding_why(finding,
                "sudo gives no privileges here; where they are needed, start the shell or container without it");
}

static void tracing_user_namespace(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_ptrace_limits *limits = &doctor->limits;

    if (!limits->user_namespace) {
        finding_yes(finding, "user namespace: the first one");
        return;
    }
    finding_limited(finding, "user namespace: not the first one; uid_map is '%s'", limits->uid_map);
    finding_why(finding, "root has privileges only over processes of this namespace, and --kernel does not work; run "
                         "pprofil outside for more");
}

static void tracing_pid_namespace(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_ptrace_limits *limits = &doctor->limits;
    bool hinted = limits->container[0] != '\0';

    if (limits->pid_namespace) {
        finding_limited(finding, "container: this PID namespace is not the first one%s%s",
                        hinted ? ", and there is " : "", limits->container);
        finding_why(finding, "only processes of the container can be seen; run pprofil outside, or with docker run "
                             "--pid=host, to see all");
    } else {
        finding_yes(finding, "container: %s%s, and PIDs are those of the machine",
                    hinted ? "there is " : "no sign of one", limits->container);
    }
}

static void tracing_hidepid(struct doctor *doctor, struct finding *finding)
{
    const char *value = doctor->limits.hidepid;

    if (value[0] == '\0') {
        finding_yes(finding, "/proc: mounted without hidepid");
    } else if (getpid() != 1 && access("/proc/1/status", R_OK) == 0) {
        finding_yes(finding, "/proc: mounted with hidepid=%s, which hides nothing from this user", value);
    } else {
        finding_limited(finding, "/proc: mounted with hidepid=%s", value);
        finding_why(finding, "processes of others are hidden; use sudo, or 'mount -o remount,hidepid=0 /proc'");
    }
}

static const struct check checks[] = {
    {"launch", tracing_launch},
    {"attach", tracing_attach},
    {"cap-sys-ptrace", tracing_capability},
    {"yama", tracing_yama},
    {"seccomp", tracing_seccomp},
    {"no-new-privs", tracing_new_privileges},
    {"user-namespace", tracing_user_namespace},
    {"container", tracing_pid_namespace},
    {"hidepid", tracing_hidepid},
    {0},
};

const struct check_group doctor_tracing = {"tracing", "Tracing", checks};
