/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Says what would bring the debug information of a file: a package of Debian, a server of debuginfod, or a compiler's
 * option. Only data on this machine are read: the lists of files in dpkg's database (dpkg-query(1), "FILES").
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debuginfo/debuginfo.h"

#define LISTS "/var/lib/dpkg/info"
#define LIST_SIZE_MAX (16 << 20) /* bytes; a list that is longer is not read. The longest list of a package has 2 MiB */
#define SERVER "https://debuginfod.elfutils.org" /* also has the files of the servers of Debian, Fedora, Ubuntu, ... */

/* --- packages --------------------------------------------------------------------------------- */

/* Returns the text of a file in a directory, after a line feed. The caller frees it. NULL: it cannot be read. */
static char *read_list(int directory, const char *name)
{
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char *text = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= LIST_SIZE_MAX)
        text = malloc((size_t)status.st_size + 2);
    if (text != NULL) {
        ssize_t got = read(fd, text + 1, (size_t)status.st_size);
        text[0] = '\n';
        text[got > 0 ? got + 1 : 1] = '\0';
    }
    close(fd);
    return text;
}

/* Returns whether a list has one of two lines, which begin and end with a line feed. */
static bool list_has(int directory, const char *name, const char *line, const char *other)
{
    char *text = read_list(directory, name);
    bool found = text != NULL && (strstr(text, line) != NULL || strstr(text, other) != NULL);

    free(text);
    return found;
}

/* Finds the package that has installed a file. Writes its name without the architecture. False: no package has, or the
 * system has no dpkg. */
static bool find_package(const char *path, char package[static NAME_MAX + 1])
{
    /* the lists may have the path from before /lib became a link to /usr/lib */
    const char *old = strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
    char line[PATH_MAX + 2], other[PATH_MAX + 2];
    DIR *lists = opendir(LISTS);
    bool found = false;

    snprintf(line, sizeof line, "\n%s\n", path);
    snprintf(other, sizeof other, "\n%s\n", old);
    for (struct dirent *list; lists != NULL && !found && (list = readdir(lists)) != NULL;) {
        size_t size = strlen(list->d_name);
        if (size <= 5 || strcmp(list->d_name + size - 5, ".list") != 0)
            continue;
        found = list_has(dirfd(lists), list->d_name, line, other);
        snprintf(package, NAME_MAX + 1, "%.*s", (int)strcspn(list->d_name, ":"), list->d_name);
        if (strchr(list->d_name, ':') == NULL)
            package[size - 5] = '\0';
    }
    if (lists != NULL)
        closedir(lists);
    return found;
}

/* --- servers ---------------------------------------------------------------------------------- */

bool debug_package_has_client(void)
{
    char path[PATH_MAX];
    Dl_info libdw;

    if (dladdr((void *)(uintptr_t)dwfl_begin, &libdw) == 0)
        return false;
    const char *slash = strrchr(libdw.dli_fname, '/');
    if (slash == NULL)
        return false;
    snprintf(path, sizeof path, "%.*s/libdebuginfod.so.1", (int)(slash - libdw.dli_fname), libdw.dli_fname);
    return access(path, R_OK) == 0;
}

/* Returns whether libdwfl could ask a server, but no server is set. */
static bool lacks_server(void)
{
    const char *servers = getenv("DEBUGINFOD_URLS");

    return (servers == NULL || servers[0] == '\0') && debug_package_has_client();
}

void debug_package_advice(const char *path, bool has_build_id, const char *of_own, char *text, size_t size)
{
    const char *server = has_build_id && lacks_server() ? ", or set DEBUGINFOD_URLS=" SERVER : "";
    bool of_system = strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/lib", 4) == 0;
    char package[NAME_MAX + 1];

    if (!of_system || strncmp(path, "/usr/local/", 11) == 0)
        snprintf(text, size, "%s", of_own);
    else if (!find_package(path, package))
        snprintf(text, size, "%s", server[0] != '\0' ? server + strlen(", or ") : of_own);
    else if (strcmp(package, "libc6") == 0)
        snprintf(text, size, "install libc6-dbg%s", server);
    else
        snprintf(text, size, "install %s-dbgsym if there is one%s", package, server);
}
