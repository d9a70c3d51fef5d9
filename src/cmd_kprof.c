/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil kprof -p PID DIR: the files of Inferno's kprof(3) device for the text of a process.
 *
 * kpctl is a FIFO. kpdata must be whole and up to date whenever it is opened, though nobody
 * tells us that it will be: we hold a lease on it, so an open waits until we have obeyed what
 * was written to kpctl before, brought the file up to date and let go (fcntl(2), "Leases").
 * The next one to open it gets another file, so nobody's data change while they are read. Where
 * there are no leases the file is replaced ten times a second.
 */
#include "config.h"

#include <argp.h>
#include <endian.h>
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

#include "base/output-path.h"
#include "command.h"
#include "kprof-guard.h"

#define BUCKET 8 /* bytes of text */
#define BUCKET_LOG 3
#define CELL 4 /* bytes of a count */
#define SPECIAL_CELLS 6
#define DEFAULT_HZ 100
#define REFRESH_MS 100 /* without leases */
#define CONTROL "kpctl"
#define DATA "kpdata"

struct kprof {
    pid_t pid;
    const char *object; /* path, or its last part; NULL: the program itself */
    const char *directory;
    bool by_call; /* time in the kernel, by call */
    double hz;

    pprofil_session *session;
    uint64_t low, high; /* text */
    uint32_t *cells;    /* as kpdata has them, in our byte order; the first ones unused */
    size_t cell_count;
    int directory_fd; /* in which the files are made, whatever its path leads to meanwhile */
    char control[PATH_MAX], data[PATH_MAX]; /* for people */
    int control_fd;
    int leased_fd; /* -1: there is no lease */
    bool complained; /* of a disk that is full */
    int guard_fd;    /* to the guard of kpctl; -1: there is none */
};

static volatile sig_atomic_t end_wanted, lease_broken;

static void note_signal(int signal)
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

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct kprof *kprof = state->input;
    double number;

    switch (key) {
    case 'p':
        if (strspn(argument, "0123456789") != strlen(argument) ||
            !parse_number("-p", argument, 1, INT_MAX, &number))
            exit(complain("kprof: -p takes a process number, not '%s'", argument));
        kprof->pid = (pid_t)number;
        break;
    case 'F':
        if (!parse_number("-F", argument, PPROFIL_MIN_HZ, PPROFIL_MAX_HZ, &kprof->hz))
            exit(EXIT_OWN_FAILURE);
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
            exit(complain("kprof: --object is of a program's text, --kernel counts none"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    options,
    parse_option,
    "-p PID DIR",
    "Serves the files of the kprof device, DIR/kpctl and DIR/kpdata, for a process.",
    NULL,
    NULL,
    NULL,
};

/* --- the text ---------------------------------------------------------------------------- */

static bool is_object(const char *path, const char *wanted)
{
    const char *slash = strrchr(path, '/');

    return strcmp(path, wanted) == 0 || (slash != NULL && strcmp(slash + 1, wanted) == 0);
}

/* From the first executable mapping of the object to the end of the last. */
static int find_text(struct kprof *kprof)
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
        if (!is_object(line + name, wanted))
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

static int start_session(struct kprof *kprof)
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
    int status = kprof->by_call ? 0 : find_text(kprof);
    if (status != 0)
        return status;
    if (kprof->by_call)
        kprof->high = PPROFIL_CALL_ADDRESS(PPROFIL_CALL_NUMBERS);
    kprof->cell_count = (size_t)((kprof->high - kprof->low) / BUCKET);
    kprof->cells = calloc(kprof->cell_count + SPECIAL_CELLS, CELL);
    const struct pprofil_region region = {.buffer = kprof->cells,
                                          .size = kprof->cell_count * CELL,
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
        return complain("out of memory: kernel"); /* kprof(3)'s own words */
    error = pprofil_profil_regions(kprof->session, kprof->pid, &histogram);
    if (error == 0)
        error = pprofil_session_control(kprof->session, NULL, NULL, NULL);
    return error == 0 ? 0 : complain("cannot count: %s", strerror(-error));
}

/* --- kpdata ------------------------------------------------------------------------------ */

static int write_data(const struct kprof *kprof, int fd)
{
    struct pprofil_histogram_state state = {0};
    uint32_t block[1024];
    size_t done = 0;

    pprofil_histogram_state(kprof->session, kprof->pid, &state, sizeof state);
    const uint32_t special[SPECIAL_CELLS] = {
        (uint32_t)state.ticks,        (uint32_t)state.outside, (uint32_t)(1e6 / kprof->hz),
        (uint32_t)kprof->cell_count, CELL,                    BUCKET_LOG};
    while (done < kprof->cell_count) {
        size_t count = 0;
        for (; count < sizeof block / CELL && done + count < kprof->cell_count; count++)
            block[count] = htobe32(done + count < SPECIAL_CELLS ? special[done + count]
                                                                : kprof->cells[done + count]);
        ssize_t written = pwrite(fd, block, count * CELL, (off_t)(done * CELL));
        if (written != (ssize_t)(count * CELL))
            return written < 0 ? -errno : -ENOSPC;
        done += count;
    }
    return 0;
}

/* Fills the file under the temporary name, of which fd is, and renames it to kpdata. Keeps fd if it has a lease. */
static int publish_data(struct kprof *kprof, int fd, const char *temporary)
{
    int place = kprof->directory_fd;
    int error = write_data(kprof, fd);

    if (error == 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0)
        kprof->leased_fd = fd;
    if (error == 0 && renameat(place, temporary, place, DATA) < 0)
        error = -errno;
    if (error != 0)
        unlinkat(place, temporary, 0);
    if (kprof->leased_fd != fd || error != 0) {
        close(fd);
        kprof->leased_fd = -1;
    }
    return error;
}

/* Puts a new kpdata in the place of the one there is, with a lease on it if that can be had. The lease on the former
 * one ends afterwards: a reader that waits for that may open kpdata again at once, and must find the new one. */
static int replace_data(struct kprof *kprof)
{
    char temporary[32];
    int former_fd = kprof->leased_fd;

    kprof->leased_fd = -1;
    snprintf(temporary, sizeof temporary, ".kpdata-%d", (int)getpid());
    unlinkat(kprof->directory_fd, temporary, 0);
    int fd = openat(kprof->directory_fd, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : publish_data(kprof, fd, temporary);
    if (former_fd >= 0)
        close(former_fd);
    return error;
}

/* kpdata has no room to say that its cells are of calls. It stays when we end, as kpdata does. 0 or -errno. */
static int write_meta(const struct kprof *kprof)
{
    static const char text[] = "# what kpdata has no room for: pprofil-formats(5)\ncalls 1\n";

    unlinkat(kprof->directory_fd, DATA ".meta", 0);
    if (!kprof->by_call)
        return 0;
    int fd = openat(kprof->directory_fd, DATA ".meta", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : 0;
    if (error == 0 && write(fd, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
        error = -ENOSPC;
    if (fd >= 0)
        close(fd);
    return error;
}

/* --- kpctl ------------------------------------------------------------------------------- */

static void obey(struct kprof *kprof, const char *command)
{
    int error = -EINVAL;

    if (strncmp(command, "startclr", 8) == 0) {
        error = pprofil_session_clear(kprof->session);
        if (error == 0 && !pprofil_session_sampling(kprof->session))
            error = pprofil_session_start(kprof->session);
    } else if (strncmp(command, "start", 5) == 0) {
        error = pprofil_session_sampling(kprof->session) ? 0 : pprofil_session_start(kprof->session);
    } else if (strncmp(command, "stop", 4) == 0) {
        error = pprofil_session_sampling(kprof->session) ? pprofil_session_stop(kprof->session) : 0;
    }
    if (error == -EINVAL)
        complain("kpctl: bad process or channel control request");
    else if (error != 0)
        complain("kpctl: %s", pprofil_session_problem(kprof->session));
}

/* A write is one request, or several lines of them. */
static void read_control(struct kprof *kprof)
{
    char text[PIPE_BUF + 1];
    ssize_t got;

    while ((got = read(kprof->control_fd, text, PIPE_BUF)) > 0) {
        text[got] = '\0';
        for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
            next = strchr(line, '\n');
            if (next != NULL)
                *next++ = '\0';
            obey(kprof, line);
        }
    }
}

/* Opens the FIFO, and nothing that was put in its place. */
static int open_control(const struct kprof *kprof, int how)
{
    struct stat status;
    int fd = openat(kprof->directory_fd, CONTROL, how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
        return fd;
    close(fd);
    return -EEXIST;
}

static int make_control(struct kprof *kprof)
{
    struct stat status;

    bool there = fstatat(kprof->directory_fd, CONTROL, &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISSOCK(status.st_mode))
        unlinkat(kprof->directory_fd, CONTROL, 0); /* what a guard has put there */
    if (there && S_ISFIFO(status.st_mode)) {
        int other = open_control(kprof, O_WRONLY);
        if (other >= 0) {
            close(other);
            return complain("%s: another pprofil serves it", kprof->control);
        }
        unlinkat(kprof->directory_fd, CONTROL, 0); /* of one that was killed */
    }
    if (mkfifoat(kprof->directory_fd, CONTROL, 0600) < 0)
        return complain("%s: cannot make it: %s", kprof->control, strerror(errno));
    /* our own writing end keeps it from ending when a writer goes */
    int fd = open_control(kprof, O_RDWR);
    if (fd < 0)
        return complain("%s: cannot open it: %s", kprof->control, strerror(-fd));
    kprof->control_fd = fd;
    return 0;
}

static int make_files(struct kprof *kprof)
{
    if (mkdir(kprof->directory, 0700) < 0 && errno != EEXIST)
        return complain("%s: cannot make it: %s", kprof->directory, strerror(errno));
    if (snprintf(kprof->control, PATH_MAX, "%s/" CONTROL, kprof->directory) >= PATH_MAX ||
        snprintf(kprof->data, PATH_MAX, "%s/" DATA, kprof->directory) >= PATH_MAX)
        return complain("%s: the name is too long", kprof->directory);
    kprof->directory_fd = output_path_directory(kprof->directory);
    if (kprof->directory_fd < 0)
        return complain_file(kprof->directory, kprof->directory_fd, true);
    int status = make_control(kprof);
    if (status != 0)
        return status;
    int error = write_meta(kprof);
    if (error == 0)
        error = replace_data(kprof);
    if (error != 0)
        return complain_file(kprof->data, error, true);
    kprof->guard_fd = kprof_guard_begin(kprof->directory_fd, kprof->control_fd, CONTROL);
    return 0;
}

/* --- the loop ---------------------------------------------------------------------------- */

static void catch_signals(sigset_t *outside)
{
    struct sigaction action = {.sa_handler = note_signal};
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

/* 1: the process has ended; 0, or -errno. */
static int serve_once(struct kprof *kprof, const sigset_t *outside)
{
    struct pollfd polled[] = {{.fd = pprofil_session_fd(kprof->session), .events = POLLIN},
                              {.fd = kprof->control_fd, .events = POLLIN}};
    const struct timespec refresh = {.tv_nsec = REFRESH_MS * 1000000};
    bool leased = kprof->leased_fd >= 0;

    ppoll(polled, 2, leased ? NULL : &refresh, outside);
    read_control(kprof);
    int ended = pprofil_session_pump(kprof->session, 0);
    if (leased && !lease_broken)
        return ended;
    lease_broken = 0;
    /* those who opened the leased file wait for it: theirs is written first */
    int error = leased ? write_data(kprof, kprof->leased_fd) : 0;
    int replaced = replace_data(kprof);
    if (error == 0)
        error = replaced;
    /* the counts are not lost: it is tried again */
    if (error != 0 && !kprof->complained)
        complain("%s: cannot write: %s; trying on", kprof->data, strerror(-error));
    kprof->complained = error != 0;
    return ended;
}

static int serve(struct kprof *kprof)
{
    sigset_t outside;
    int status = 0;

    catch_signals(&outside);
    fprintf(stderr, "pprofil: serving %s and %s for process %d; Ctrl-C ends\n", kprof->control,
            kprof->data, (int)kprof->pid);
    while (!end_wanted && status == 0)
        status = serve_once(kprof, &outside);
    read_control(kprof);
    pprofil_session_finish(kprof->session);
    int error = replace_data(kprof);
    if (error != 0)
        return complain_file(kprof->data, error, true);
    return status < 0 ? complain("%s", pprofil_session_problem(kprof->session)) : 0;
}

int command_kprof(int argc, char **argv)
{
    struct kprof kprof = {.hz = DEFAULT_HZ, .directory_fd = -1, .control_fd = -1, .leased_fd = -1, .guard_fd = -1};

    argp_err_exit_status = EXIT_OWN_FAILURE;
    argv[0] = (char *)"pprofil kprof";
    argp_parse(&parser, argc, argv, 0, NULL, &kprof);
    int status = start_session(&kprof);
    if (status == 0)
        status = make_files(&kprof);
    if (status == 0)
        status = serve(&kprof);
    kprof_guard_end(kprof.guard_fd);
    if (kprof.control_fd >= 0) {
        unlinkat(kprof.directory_fd, CONTROL, 0);
        close(kprof.control_fd);
    }
    if (kprof.directory_fd >= 0)
        close(kprof.directory_fd);
    pprofil_session_close(kprof.session);
    free(kprof.cells);
    return status;
}
