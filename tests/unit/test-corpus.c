/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What fuzzing kept (tests/fuzz/corpus), each file once, as the fuzzer ran it: those that once
 * crashed or hung too. Each target is a process of its own, and says in shared memory where it
 * is, for whoever finds it dead.
 */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fuzz/fuzz.h"

#define SECONDS 10        /* of CPU time, for a file */
#define MEMORY (1L << 20) /* KiB, for a target; a sanitizer keeps what was freed for a while */

struct place {
    char path[PATH_MAX + 2 * (NAME_MAX + 1)];
    unsigned files;
};

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Exactly as large as the file, so that sanitizers see its end; NULL: it cannot be read. */
static uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    struct stat status;
    uint8_t *bytes = NULL;

    if (file != NULL && fstat(fileno(file), &status) == 0) {
        *size = (size_t)status.st_size;
        bytes = malloc(*size > 0 ? *size : 1);
    }
    if (bytes != NULL && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

static bool run_file(const char *target, const char *path)
{
    const struct itimerval limit = {.it_value.tv_sec = SECONDS};
    size_t size;
    uint8_t *bytes = load(path, &size);

    if (bytes == NULL)
        return false;
    setitimer(ITIMER_PROF, &limit, NULL); /* what hangs is killed */
    bool known = fuzz(target, bytes, size);
    free(bytes);
    return known;
}

/* The exit status: 0, or 1 where something is no input. */
static int run_files(const char *target, const char *directory, struct place *place)
{
    struct dirent **names;
    int count = scandir(directory, &names, is_visible, alphasort);
    bool good = count > 0;

    for (int i = 0; good && i < count; i++) {
        snprintf(place->path, sizeof place->path, "%s/%s", directory, names[i]->d_name);
        good = run_file(target, place->path);
        place->files++;
    }
    for (int i = 0; i < count; i++)
        free(names[i]);
    if (count >= 0)
        free(names);
    return good ? 0 : 1;
}

static bool run_target(const char *corpus, const char *target, struct place *place)
{
    char directory[PATH_MAX + NAME_MAX + 1];
    struct rusage usage;
    int status;

    snprintf(directory, sizeof directory, "%s/%s", corpus, target);
    *place = (struct place){0};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(run_files(target, directory, place)); /* exit looks for leaks */
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return false;
    if (status == 0 && usage.ru_maxrss <= MEMORY) {
        printf("PASS %s: %u files, %ld MiB\n", target, place->files, usage.ru_maxrss / 1024);
        return true;
    }
    printf("FAIL %s: %s, %ld MiB: %s\n", target,
           WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit status not 0",
           usage.ru_maxrss / 1024, place->path);
    return false;
}

int main(void)
{
    const char *source = getenv("abs_srcdir");
    char corpus[PATH_MAX];
    struct dirent **targets;
    bool good = true;

    if (source == NULL)
        return 99;
    snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus", source);
    struct place *place =
        mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int count = scandir(corpus, &targets, is_visible, alphasort);
    if (place == MAP_FAILED || count < 1)
        return 99; /* a hard error, for automake */
    for (int i = 0; i < count; i++) {
        good = run_target(corpus, targets[i]->d_name, place) && good;
        free(targets[i]);
    }
    free(targets);
    munmap(place, sizeof *place);
    return good ? 0 : 1;
}
