/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens a page in the user's browser: see open-page.h.
 *
 * Others can write to /tmp. So the file is in a directory that mkdtemp(3) has just made with mode 700: nobody else can
 * put a link or a file there. The directory stays, because the browser reads the file later.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "open-page.h"

#define NAME_SIZE_MAX 200 /* bytes; a longer name of a profile is not used for the page */
#define POLL_MS 20

extern char **environ;

/* --- the file -------------------------------------------------------------------------------- */

/* Makes the directory in `parent`. */
static int open_page_directory(const char *parent, char path[PATH_MAX])
{
    if (parent == NULL || parent[0] != '/')
        return -ENOENT;
    int length = snprintf(path, PATH_MAX, "%s/pprofil-web-XXXXXX", parent);
    if (length >= PATH_MAX - NAME_SIZE_MAX - 16)
        return -ENAMETOOLONG;
    return mkdtemp(path) != NULL ? 0 : -errno;
}

int open_page_path(const char *source, char path[PATH_MAX])
{
    const char *const parents[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    const char *name = path_base_name(source);
    int error = -ENOENT;

    for (unsigned i = 0; error != 0 && i < sizeof parents / sizeof *parents; i++)
        error = open_page_directory(parents[i], path);
    if (error != 0)
        return error;
    if (*name == '\0' || strcmp(name, "-") == 0 || strlen(name) > NAME_SIZE_MAX)
        name = "profile";
    sprintf(path + strlen(path), "/%s.html", name);
    return 0;
}

void open_page_remove(const char *path)
{
    char *directory = strndup(path, (size_t)(path_base_name(path) - path));

    unlink(path);
    if (directory != NULL)
        rmdir(directory);
    free(directory);
}

/* --- the browser ----------------------------------------------------------------------------- */

static bool has_graphical_session(void)
{
    static const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0')
            return true;
    }
    return false;
}

/* Starts xdg-open in a session of its own, so that Ctrl-C in the terminal does not end a browser that it starts. Its
 * signals have their default actions, and its messages go nowhere. Returns 0 or an error of posix_spawn(3). */
static int open_page_spawn(const char *path, pid_t *child)
{
    char *const words[] = {"xdg-open", (char *)path, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int error = posix_spawnattr_init(&attributes);

    if (error != 0)
        return error;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    error = posix_spawn_file_actions_init(&files);
    if (error == 0) {
        for (int fd = 0; error == 0 && fd <= STDERR_FILENO; fd++)
            error = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
        if (error == 0)
            error = posix_spawnp(child, words[0], &files, &attributes, words, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* On some desktops xdg-open ends when the browser has the page, on others when the browser ends. So one does not wait
 * for its end for long. */
bool open_page_in_browser(const char *path)
{
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
    pid_t child, ended = 0;
    int status = 0;

    if (!has_graphical_session() || open_page_spawn(path, &child) != 0)
        return false;
    for (int waited = 0; ended == 0 && waited < OPEN_PAGE_WAIT_MS; waited += POLL_MS) {
        ended = waitpid(child, &status, WNOHANG);
        if (ended == 0)
            nanosleep(&pause, NULL);
    }
    return ended == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
