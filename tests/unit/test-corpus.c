/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads each file in the archives of tests/fuzz/corpus once, as the fuzzer does. Some of them once made a reader crash
 * or hang. Each target of the fuzzer runs in a process of its own. It writes the name of the file that it reads into
 * shared memory. If it dies, its parent prints that name.
 */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "../fuzz/fuzz.h"

#define FILE_CPU_SECONDS 10       /* limit of the CPU time for a file */
#define TARGET_KIB_MAX (1L << 20) /* limit of a target's memory; sanitizers keep freed memory for a while */
#define SUFFIX ".tar.gz"
#define TAR_BLOCK 512u /* tar(5) of FreeBSD: headers and contents are padded to blocks */

/* What the child tells its parent: the name of the file that the child reads, and how many files it has read. */
struct progress {
    char name[101];
    unsigned files;
};

/* The head of a file in a tar archive, as "ustar" of POSIX.1-1988 defines it. */
struct tar_header {
    char name[100], mode[8], uid[8], gid[8], size[12], rest[TAR_BLOCK - 136];
};

static int is_archive(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);

    return length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

/* Reads the head of the next file in the archive. Returns false at the end of the archive. */
static bool tar_next(gzFile archive, struct tar_header *header)
{
    return gzread(archive, header, sizeof *header) == sizeof *header && header->name[0] != '\0';
}

/* Reads a file of the archive. Allocates exactly its size, so that sanitizers notice reads beyond it. Returns NULL if
 * the file cannot be read. */
static uint8_t *tar_read(gzFile archive, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1), padding[TAR_BLOCK];
    unsigned padded = (unsigned)(-size & (TAR_BLOCK - 1));

    if (bytes != NULL && gzread(archive, bytes, (unsigned)size) == (int)size &&
        gzread(archive, padding, padded) == (int)padded)
        return bytes;
    free(bytes);
    return NULL;
}

static bool run_file(const char *target, gzFile archive, size_t size)
{
    const struct itimerval limit = {.it_value.tv_sec = FILE_CPU_SECONDS};
    uint8_t *bytes = tar_read(archive, size);

    if (bytes == NULL)
        return false;
    setitimer(ITIMER_PROF, &limit, NULL); /* kills a target that hangs */
    bool known = fuzz(target, bytes, size);
    free(bytes);
    return known;
}

/* Reads all files of an archive. Returns the exit status: 1 if a file cannot be read, if there are no files, or if the
 * target is not known; otherwise 0. */
static int run_files(const char *target, const char *path, struct progress *progress)
{
    gzFile archive = gzopen(path, "rbe");
    struct tar_header header;
    bool good = archive != NULL;

    while (good && tar_next(archive, &header)) {
        memcpy(progress->name, header.name, sizeof header.name);
        good = run_file(target, archive, strtoul(header.size, NULL, 8));
        progress->files++;
    }
    if (archive != NULL)
        gzclose(archive);
    return good && progress->files > 0 ? 0 : 1;
}

/* Reads an archive in a new process. `name` is the file name of the archive. */
static bool run_target(const char *corpus, const char *name, struct progress *progress)
{
    char path[PATH_MAX + NAME_MAX + 1], target[NAME_MAX + 1];
    struct rusage usage;
    int status;

    snprintf(path, sizeof path, "%s/%s", corpus, name);
    snprintf(target, sizeof target, "%.*s", (int)(strlen(name) - strlen(SUFFIX)), name);
    *progress = (struct progress){0};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(run_files(target, path, progress)); /* at exit, a sanitizer looks for leaks */
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return false;
    if (status == 0 && usage.ru_maxrss <= TARGET_KIB_MAX) {
        printf("PASS %s: %u files, %ld MiB\n", target, progress->files, usage.ru_maxrss / 1024);
        return true;
    }
    printf("FAIL %s: %s, %ld MiB: %s\n", target,
           WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit status not 0", usage.ru_maxrss / 1024,
           progress->name);
    return false;
}

int main(void)
{
    const char *source = getenv("abs_srcdir");
    char corpus[PATH_MAX];
    struct dirent **archives;
    bool good = true;

    if (source == NULL)
        return 99;
    snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus", source);
    struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int count = scandir(corpus, &archives, is_archive, alphasort);
    if (progress == MAP_FAILED || count < 1)
        return 99; /* a hard error, for automake */
    for (int i = 0; i < count; i++) {
        good = run_target(corpus, archives[i]->d_name, progress) && good;
        free(archives[i]);
    }
    free(archives);
    munmap(progress, sizeof *progress);
    return good ? 0 : 1;
}
