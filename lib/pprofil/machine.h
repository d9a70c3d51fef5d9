/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * machine.h: what can be known before a session is opened: what limits ptrace(2), which program a process runs, which
 * optional parts this library has, and where its supervisor is. No function of this file affects a process.
 */
#ifndef PPROFIL_PUBLIC_MACHINE_H
#define PPROFIL_PUBLIC_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may limit the tracing of other processes, as /proc shows it. A session has the limits of its caller. */
struct pprofil_ptrace_limits {
    int yama_scope;      /* kernel.yama.ptrace_scope, 0 to 3; -1: this kernel has no Yama */
    int seccomp;         /* seccomp(2) mode of the caller: 0 no filter, 1 strict, 2 a filter; -1: not known */
    bool cap_sys_ptrace; /* the caller has CAP_SYS_PTRACE, in its own user namespace */
    bool no_new_privs;   /* the caller gains no rights from set-user-ID programs such as sudo */
    bool user_namespace; /* the caller is in another user namespace than the first process of the machine */
    bool pid_namespace;  /* the same for the PID namespace */
    char uid_map[64];    /* first line of the caller's uid_map: user_namespaces(7); "": not known */
    char hidepid[16];    /* value of the option hidepid of /proc: proc(5); "": /proc does not have the option */
    char container[32];  /* what shows that the caller is in a container, such as "/.dockerenv"; "": nothing does */
};

/* Reads the limits of the calling process. -ENOENT: /proc is not mounted. */
int pprofil_ptrace_limits(struct pprofil_ptrace_limits *limits, size_t size);

/* The program that a process runs. */
struct pprofil_program {
    char path[512];     /* as the process sees it; "": not known */
    int error;          /* 0, or the negative error of reading the file; then only `other_namespace` is set, too */
    unsigned bits;      /* 32 or 64 */
    bool symbols;       /* the file itself has a symbol table, for the names of all functions */
    bool lines;         /* the file itself has debug information, for source lines */
    bool go;            /* the file has Go code */
    /* version of the Python interpreter in the file or in a library libpython that the process has mapped, as
     * PY_VERSION_HEX; 0: none was found */
    uint32_t python;
    bool other_namespace; /* the process is known to be in another user, PID or mount namespace than the caller */
};

/* Finds out which program a process runs. Reads the files of the program and of a library libpython, which may take
 * some milliseconds. -ESRCH: there is no such process, or it is a kernel thread. */
int pprofil_program_of(pid_t pid, struct pprofil_program *program, size_t size);

/* A part of the library that not every build or every machine has. */
struct pprofil_part {
    const char *name;
    bool present;
    const char *purpose; /* what the part does */
    const char *cure;    /* what would bring the part */
};

/* Stores the i-th optional part. The texts in *part are static. */
int pprofil_part_at(unsigned i, struct pprofil_part *part, size_t size);

/* Stores the path of the supervisor that a session would start. Returns 0, -ENAMETOOLONG, or the error of access(2) if
 * the supervisor cannot be executed. After an error of access(2), the path is stored, too. */
int pprofil_supervisor_path(char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
