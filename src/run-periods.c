/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run that writes a file for each period: --every, --keep and --then.
 *
 * At the end of a period its samples become a profile of their own, and a child process made with fork(2) looks its
 * names up and saves it. So the sampling goes on meanwhile, and the memory that names take is given back. The next
 * period does not end before the file of the last one is complete, so at most one profile waits.
 *
 * --then gets one file at a time, oldest first. Files wait on the disk, not in memory.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "run.h"

/* --- --keep ---------------------------------------------------------------------------------- */

struct kept_file {
    char *path; /* owned */
    struct timespec written;
};

struct kept_files {
    struct kept_file *files; /* owned */
    size_t count;
};

static void kept_clear(struct kept_files *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free(kept->files[i].path);
    free(kept->files);
}

static void kept_add(struct kept_files *kept, const char *path)
{
    struct kept_file *files = reallocarray(kept->files, kept->count + 1, sizeof *files);
    struct stat status;

    if (files == NULL)
        return;
    kept->files = files;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && (files[kept->count].path = strdup(path)) != NULL)
        files[kept->count++].written = status.st_mtim;
}

/* Finds the complete files that a run with this pattern has written, this one or an earlier one: all with such a name.
 * While there is a session, the file of the present period is not complete. */
static void kept_find(const struct run *run, struct kept_files *kept)
{
    char program[RUN_NAME_SIZE], host[RUN_NAME_SIZE], folder[PATH_MAX], path[PATH_MAX];
    struct name_pattern_values values;

    run_output_values(run, program, host, &values);
    size_t length = (size_t)(path_base_name(run->output) - run->output);
    snprintf(folder, sizeof folder, "%.*s", (int)length, run->output);
    DIR *stream = opendir(length > 0 ? folder : ".");
    for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;)
        if (snprintf(path, sizeof path, "%s%s", folder, entry->d_name) < (int)sizeof path &&
            (run->session == NULL || strcmp(path, run->output) != 0) &&
            name_pattern_matches(run->pattern, &values, path))
            kept_add(kept, path);
    if (stream != NULL)
        closedir(stream);
}

static int kept_compare_newest(const void *left, const void *right)
{
    const struct kept_file *a = left, *b = right;

    if (a->written.tv_sec != b->written.tv_sec)
        return a->written.tv_sec < b->written.tv_sec ? 1 : -1;
    if (a->written.tv_nsec != b->written.tv_nsec)
        return a->written.tv_nsec < b->written.tv_nsec ? 1 : -1;
    return strcmp(b->path, a->path);
}

/* Removes a file from those that wait for --then, and says so. Returns false if --then works on it now. */
static bool kept_withdraw(struct run *run, const char *path)
{
    struct run_periods *periods = &run->periods;

    for (size_t i = 0; i < periods->file_count; i++) {
        if (strcmp(periods->files[i], path) != 0)
            continue;
        if (i == 0 && periods->command != 0)
            return false;
        complain("%s is removed, for --keep %u, before --then has got it", path, run->asked.periods.keep);
        free(periods->files[i]);
        memmove(periods->files + i, periods->files + i + 1, (--periods->file_count - i) * sizeof *periods->files);
        break;
    }
    return true;
}

static void periods_remove_old(struct run *run)
{
    struct kept_files kept = {0};

    if (run->asked.periods.keep == 0)
        return;
    kept_find(run, &kept);
    if (kept.count > 1)
        qsort(kept.files, kept.count, sizeof *kept.files, kept_compare_newest);
    for (size_t i = run->asked.periods.keep; i < kept.count; i++)
        if (kept_withdraw(run, kept.files[i].path) && unlink(kept.files[i].path) < 0 && errno != ENOENT)
            complain_file(kept.files[i].path, -errno, true);
    kept_clear(&kept);
}

/* --- --then ---------------------------------------------------------------------------------- */

/* Runs the command in this process, which is a child: "COMMAND FILE", as a shell understands it. The child is a process
 * group of its own: a Ctrl-C ends pprofil, but it must not end the command before it has done its work. */
_Noreturn static void periods_exec(const struct run *run, const char *path)
{
    char *text;
    sigset_t none;

    setpgid(0, 0);
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int empty = open("/dev/null", O_RDONLY); /* the standard input is the program's */
    if (empty >= 0)
        dup2(empty, STDIN_FILENO);
    if (asprintf(&text, "%s \"$1\"", run->asked.periods.then) >= 0 && setenv("PPROFIL_FILE", path, 1) == 0)
        execl("/bin/sh", "sh", "-c", text, "pprofil", path, (char *)NULL);
    complain("--then: cannot run /bin/sh: %s", strerror(errno));
    _exit(127);
}

/* Begins to run --then for the next file, unless it runs already. */
static void periods_run_command(struct run *run)
{
    struct run_periods *periods = &run->periods;

    if (periods->command != 0 || periods->file_count == 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        if (run->session != NULL)
            pprofil_session_leave(run->session);
        forward_leave(&run->forward);
        periods_exec(run, periods->files[0]);
    }
    periods->command = child > 0 ? child : 0; /* without a child, it is tried again later */
}

/* The command has ended: the next file is at the front. */
static void periods_end_command(struct run *run, int status)
{
    struct run_periods *periods = &run->periods;
    const char *then = run->asked.periods.then;
    bool told = periods->then_failed && !run->asked.verbose; /* a server that is down would fill the terminal */

    periods->command = 0;
    periods->then_failed = periods->then_failed || status != 0;
    if (WIFSIGNALED(status) && !told)
        complain("--then: '%s %s' was killed by signal %d", then, periods->files[0], WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 && !told && !run->asked.quiet)
        complain("--then: '%s %s' ended with status %d", then, periods->files[0], WEXITSTATUS(status));
    free(periods->files[0]);
    memmove(periods->files, periods->files + 1, --periods->file_count * sizeof *periods->files);
    periods_remove_old(run);
}

/* --- saving ---------------------------------------------------------------------------------- */

/* A file is complete. Takes over `path`. */
static void periods_take_file(struct run *run, char *path)
{
    struct run_periods *periods = &run->periods;

    periods->saved++;
    if (run->asked.verbose && !run->asked.quiet)
        complain("saved %s", path);
    char **files = run->asked.periods.then == NULL
                       ? NULL
                       : reallocarray(periods->files, periods->file_count + 1, sizeof *files);
    if (files != NULL) {
        periods->files = files;
        files[periods->file_count++] = path;
    } else {
        free(path);
    }
    periods_remove_old(run);
    periods_run_command(run);
}

/* Saves the profile in this process, without names, which would take too long. Takes over `profile` and `path`. */
static void periods_save_here(struct run *run, pprofil_profile *profile, char *path)
{
    const struct pprofil_file file = {.size = sizeof file, .format = run->asked.format};
    int error = pprofil_profile_save(profile, path, &file, false);
    struct stat status;

    if (error == 0) {
        pprofil_profile_close(profile);
        periods_take_file(run, path);
        return;
    }
    complain_saving(profile, path, &file, error);
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(path); /* it only kept the number */
    pprofil_profile_close(profile);
    run->periods.failed = true;
    free(path);
}

/* Saves the profile in a child, if there can be one. Takes over `profile` and `path`. */
static void periods_save(struct run *run, pprofil_profile *profile, char *path)
{
    struct run_periods *periods = &run->periods;
    pid_t child = fork();

    if (child == 0) {
        pprofil_session_leave(run->session);
        forward_leave(&run->forward);
        _exit(run_save_to(run, profile, path));
    }
    if (child < 0) {
        periods_save_here(run, profile, path);
        return;
    }
    periods->saver = child;
    periods->saving = path;
    periods->profile = profile;
}

static void periods_end(struct run *run)
{
    pprofil_profile *profile;
    int error = pprofil_session_end_period(run->session, &profile);

    if (error != 0) {
        run->broken = true;
        return;
    }
    char *path = run_output_next(run);
    if (path != NULL) {
        periods_save(run, profile, path);
    } else {
        pprofil_profile_close(profile);
        run->broken = true;
    }
    run_checkpoint_later(run);
}

/* Returns true if nothing was sampled in the period, because the sampling was off. */
static bool periods_is_empty(const struct run *run)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(pprofil_session_profile(run->session), &totals, sizeof totals);
    return totals.samples == 0 && !pprofil_session_sampling(run->session);
}

void run_periods_serve(struct run *run)
{
    int64_t every_ms = (int64_t)(run->asked.periods.every * 1000), now = time_now_ms();
    struct run_periods *periods = &run->periods;

    periods_run_command(run);
    if (every_ms == 0 || !run->started || run->pattern == NULL)
        return;
    if (periods->due_ms == 0)
        periods->due_ms = now + every_ms;
    if (now < periods->due_ms || periods->saver != 0)
        return;
    periods->due_ms += every_ms * ((now - periods->due_ms) / every_ms + 1);
    if (!periods_is_empty(run))
        periods_end(run);
}

void run_periods_note_end(struct run *run, pid_t pid, int status)
{
    struct run_periods *periods = &run->periods;

    if (pid == periods->command) {
        periods_end_command(run, status);
        periods_run_command(run);
    }
    if (pid != periods->saver)
        return;
    char *path = periods->saving;
    pprofil_profile *profile = periods->profile;
    periods->saver = 0;
    periods->saving = NULL;
    periods->profile = NULL;
    if (status != 0) { /* it has said why, or a signal has ended it */
        periods_save_here(run, profile, path);
        return;
    }
    pprofil_profile_close(profile);
    periods_take_file(run, path);
}

/* --- the end --------------------------------------------------------------------------------- */

/* Waits for one of the children. Returns false if there is none. */
static bool periods_wait(struct run *run)
{
    pid_t child = run->periods.saver != 0 ? run->periods.saver : run->periods.command, ended;
    int status;

    if (child == 0)
        return false;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    run_periods_note_end(run, child, ended == child ? status : EXIT_OWN_FAILURE << 8);
    return true;
}

/* Names the files for which --then could not be run, because there could be no child. */
static void periods_give_up_command(struct run *run)
{
    struct run_periods *periods = &run->periods;

    for (size_t i = 0; i < periods->file_count; i++) {
        complain("--then: no process can be made for '%s %s'", run->asked.periods.then, periods->files[i]);
        free(periods->files[i]);
        periods->failed = true;
    }
    free(periods->files);
    periods->files = NULL;
    periods->file_count = 0;
}

int run_periods_finish(struct run *run, bool saved)
{
    struct run_periods *periods = &run->periods;

    if (run->asked.periods.every == 0 && run->asked.periods.then == NULL)
        return 0;
    forward_catch(&run->forward, false); /* a signal that asks for an end ends the waiting */
    if (periods->saver != 0)
        periods_wait(run);
    char *last = saved ? strdup(run->asked.output) : NULL;
    if (last != NULL)
        periods_take_file(run, last);
    while (periods_wait(run))
        ;
    periods_give_up_command(run);
    if (run->asked.periods.every != 0 && periods->saved > 1 && !run->asked.quiet)
        complain("%u files saved", periods->saved);
    return periods->failed ? EXIT_OWN_FAILURE : 0;
}
