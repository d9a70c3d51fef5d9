/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil kprof -p PID DIR: serves the files of Inferno's kprof(3) device for a process. One of them, kpdata, counts
 * samples by their place in the machine code. Without a lease (see kprof-files.c), kpdata is replaced ten times a
 * second. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "base/output-path.h"
#include "base/path.h"
#include "command-line.h"
#include "kprof.h"
#include "options.h"

#define BUCKET 8 /* each cell of kpdata counts the samples in this number of bytes of machine code */
#define DEFAULT_HZ 100
#define REFRESH_MS 100 /* ms between two replacements of kpdata if there is no lease */

static volatile sig_atomic_t end_wanted, lease_broken;

static void kprof_note_signal(int signal)
{
    if (signal == SIGIO)
        lease_broken = 1;
    else
        end_wanted = 1;
}

/* --- options --------------------------------------------------------------------------- */

enum option_key { KEY_OBJECT = 256, KEY_KERNEL };

static const struct argp_option options[] = {
    {"pid", 'p', "PID", 0, "the process whose text is profiled", 1},
    {"object", KEY_OBJECT, "NAME", 0, "a mapped file, by path or last part (the program)", 1},
    {"kernel", KEY_KERNEL, 0, 0, "time in the kernel by system call, instead of text", 1},
    {"frequency", 'F', "HZ", 0, "ticks per second of CPU time (100)", 1},
    {0},
};

static error_t kprof_parse_option(int key, char *argument, struct argp_state *state)
{
    struct kprof *kprof = state->input;

    switch (key) {
    case 'p':
        if (strspn(argument, "0123456789") != strlen(argument))
            exit(complain("kprof: -p takes a process number, not '%s'", argument));
        kprof->pid = (pid_t)number_option("-p", argument, 1, INT_MAX);
        break;
    case 'F':
        kprof->hz = frequency_option("-F", argument, PPROFIL_MIN_HZ, PPROFIL_MAX_HZ);
        break;
    case KEY_OBJECT:
        kprof->object = argument;
        break;
    case KEY_KERNEL:
        kprof->by_call = true;
        break;
    case ARGP_KEY_ARG:
        if (kprof->directory != NULL)
            return ARGP_ERR_UNKNOWN;
        kprof->directory = argument;
        break;
    case ARGP_KEY_END:
        if (kprof->directory == NULL || kprof->pid == 0)
            exit(complain("kprof: give -p PID and a DIR for kpctl and kpdata"));
        if (kprof->by_call && kprof->object != NULL)
            exit(complain("kprof: --object selects text, and --kernel does not count text"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp kprof_argp = {
    options,      kprof_parse_option,
    "-p PID DIR", "Serves the files of the kprof device, DIR/kpctl and DIR/kpdata, for a process.",
    NULL,         NULL,
    NULL,
};

/* --- the text ---------------------------------------------------------------------------- */

/* Finds the text, that is, the machine code of the object. The text begins with the object's first
 * executable mapping, and ends with the last one. Returns 0 or the exit status. */
static int kprof_find_text(struct kprof *kprof)
{
    char path[PATH_MAX], program[PATH_MAX], *line = NULL;
    const char *wanted = kprof->object;
    size_t room = 0;

    snprintf(path, sizeof path, "/proc/%d/exe", (int)kprof->pid);
    ssize_t length = readlink(path, program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    if (wanted == NULL)
        wanted = program;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)kprof->pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return complain("cannot read %s: %s", path, strerror(errno));
    while (getline(&line, &room, maps) > 0) {
        uint64_t low, high;
        char executable;
        int name = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %*s %*s %*s %n", &low, &high,
                   &executable, &name) < 3 || executable != 'x' || name == 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (!path_is_called(line + name, wanted))
            continue;
        if (kprof->high == 0)
            kprof->low = low;
        kprof->high = high;
    }
    free(line);
    fclose(maps);
    if (kprof->high == 0)
        return complain("process %d has no text of %s mapped; see /proc/%d/maps", (int)kprof->pid,
                        wanted, (int)kprof->pid);
    return 0;
}

static int kprof_start_session(struct kprof *kprof)
{
    const struct pprofil_options session_options = {
        .size = sizeof session_options, .frequency = kprof->hz, .flags = PPROFIL_NO_INHERIT};

    int error = pprofil_session_open(&session_options, &kprof->session);
    if (error == 0)
        error = pprofil_session_attach(kprof->session, kprof->pid);
    if (error != 0)
        return complain("%s", pprofil_session_problem(kprof->session));
    if (*pprofil_session_untraced(kprof->session) != '\0')
        complain("%s", pprofil_session_untraced(kprof->session));
    int status = kprof->by_call ? 0 : kprof_find_text(kprof);
    if (status != 0)
        return status;
    if (kprof->by_call)
        kprof->high = PPROFIL_CALL_ADDRESS(PPROFIL_CALL_NUMBERS);
    kprof->cell_count = (size_t)((kprof->high - kprof->low) / BUCKET);
    kprof->cells = calloc(kprof->cell_count + KPROF_SPECIAL_CELLS, KPROF_CELL);
    const struct pprofil_region region = {.buffer = kprof->cells,
                                          .size = kprof->cell_count * KPROF_CELL,
                                          .offset = kprof->low,
                                          .low = kprof->low,
                                          .high = kprof->high};
    const struct pprofil_histogram histogram = {.size = sizeof histogram,
                                                .dialect = "inferno",
                                                .period_ns = (uint64_t)(1e9 / kprof->hz),
                                                .regions = &region,
                                                .region_count = 1,
                                                .by_call = kprof->by_call};
    if (kprof->cells == NULL)
        return complain("out of memory: kernel"); /* Inferno's kprof has the same message */
    error = pprofil_profil_regions(kprof->session, kprof->pid, &histogram);
    if (error == 0)
        error = pprofil_session_control(kprof->session, NULL, NULL, NULL);
    return error == 0 ? 0 : complain("cannot count: %s", pprofil_error_text(error));
}

static int kprof_make_files(struct kprof *kprof)
{
    if (mkdir(kprof->directory, 0700) < 0 && errno != EEXIST)
        return complain("%s: cannot make it: %s", kprof->directory, strerror(errno));
    if (snprintf(kprof->control, PATH_MAX, "%s/" KPROF_CONTROL, kprof->directory) >= PATH_MAX ||
        snprintf(kprof->data, PATH_MAX, "%s/" KPROF_DATA, kprof->directory) >= PATH_MAX)
        return complain("%s: the name is too long", kprof->directory);
    kprof->directory_fd = output_path_directory(kprof->directory);
    if (kprof->directory_fd < 0)
        return complain_file(kprof->directory, kprof->directory_fd, true);
    int status = kprof_control_make(kprof);
    if (status != 0)
        return status;
    int error = kprof_data_write_meta(kprof);
    if (error == 0)
        error = kprof_data_replace(kprof);
    if (error != 0)
        return complain_file(kprof->data, error, true);
    kprof->guard_fd = kprof_guard_begin(kprof->directory_fd, kprof->control_fd, KPROF_CONTROL);
    return 0;
}

/* --- the loop ---------------------------------------------------------------------------- */

static void kprof_catch_signals(sigset_t *outside)
{
    struct sigaction action = {.sa_handler = kprof_note_signal};
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGIO};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        sigaction(caught[i], &action, NULL);
        sigaddset(&set, caught[i]);
    }
    sigprocmask(SIG_BLOCK, &set, outside);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigdelset(outside, caught[i]);
}

/* Waits for an event, obeys commands, and replaces kpdata if that is due. Returns 0, or 1 if the
 * process has ended, or the negative error of pprofil_session_pump. */
static int kprof_serve_once(struct kprof *kprof, const sigset_t *outside)
{
    struct pollfd polled[] = {{.fd = pprofil_session_fd(kprof->session), .events = POLLIN},
                              {.fd = kprof->control_fd, .events = POLLIN}};
    const struct timespec refresh = {.tv_nsec = REFRESH_MS * 1000000};
    bool leased = kprof->leased_fd >= 0;

    ppoll(polled, 2, leased ? NULL : &refresh, outside);
    kprof_control_read(kprof);
    int ended = pprofil_session_pump(kprof->session, 0);
    if (leased && !lease_broken)
        return ended;
    lease_broken = 0;
    /* a reader that opens the leased file waits until the lease ends, so this file gets the counts first */
    int error = leased ? kprof_data_write(kprof, kprof->leased_fd) : 0;
    int replaced = kprof_data_replace(kprof);
    if (error == 0)
        error = replaced;
    /* after an error no counts are lost, because the next call tries again */
    if (error != 0 && !kprof->complained)
        complain("%s: cannot write: %s; trying on", kprof->data, pprofil_error_text(error));
    kprof->complained = error != 0;
    return ended;
}

static int kprof_serve(struct kprof *kprof, const sigset_t *outside)
{
    int status = 0;

    fprintf(stderr, "pprofil: serving %s and %s for process %d; Ctrl-C ends\n", kprof->control,
            kprof->data, (int)kprof->pid);
    while (!end_wanted && status == 0)
        status = kprof_serve_once(kprof, outside);
    kprof->ended = status == 1;
    kprof_control_read(kprof);
    pprofil_session_finish(kprof->session);
    int error = kprof_data_replace(kprof);
    if (error != 0)
        return complain_file(kprof->data, error, true);
    return status < 0 ? complain("%s", pprofil_session_problem(kprof->session)) : 0;
}

int command_kprof(int argc, char **argv)
{
    struct kprof kprof = {.hz = DEFAULT_HZ, .directory_fd = -1, .control_fd = -1, .leased_fd = -1, .guard_fd = -1};

    command_line_parse("pprofil kprof", &kprof_argp, argc, argv, 0, &kprof);
    int status = kprof_start_session(&kprof);
    sigset_t outside;
    /* when a reader opens kpdata under a lease, the kernel sends SIGIO, whose default action ends pprofil */
    kprof_catch_signals(&outside);
    if (status == 0)
        status = kprof_make_files(&kprof);
    if (status == 0)
        status = kprof_serve(&kprof, &outside);
    /* if the process has ended, the guard puts a socket in the place of the FIFO, so that open(2) fails */
    bool guarded = kprof.ended && kprof.guard_fd >= 0;
    kprof_guard_end(kprof.guard_fd, !guarded);
    if (kprof.control_fd >= 0 && !guarded)
        unlinkat(kprof.directory_fd, KPROF_CONTROL, 0);
    if (kprof.control_fd >= 0)
        close(kprof.control_fd);
    if (kprof.directory_fd >= 0)
        close(kprof.directory_fd);
    pprofil_session_close(kprof.session);
    free(kprof.cells);
    return status;
}
