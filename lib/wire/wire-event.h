/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire-event: the events of wire.h, which other files include.
 *
 * Every event starts with a wire_header. The size of an event is a multiple of 8, and its address is aligned to 8
 * bytes.
 */
#ifndef PPROFIL_WIRE_EVENT_H
#define PPROFIL_WIRE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type {
    WIRE_SAMPLE = 1, /* wire_sample */
    WIRE_MAP,        /* wire_map: comes before the first sample in the mapping */
    /* wire_task: the process `pid` executes a new program; `tid` is the id that the calling thread had until then */
    WIRE_EXEC,
    WIRE_FORK,       /* wire_fork: a new process */
    WIRE_THREAD,     /* wire_task: a new thread */
    WIRE_COMM,       /* wire_comm */
    WIRE_EXIT,       /* wire_exit */
    WIRE_LOST,       /* wire_lost: events were dropped because the ring was full */
    WIRE_THROTTLE,   /* wire_throttle: the rate has changed */
    WIRE_STATS,      /* wire_stats: about once a second, and as the last event */
    /* wire_python_code: a code object of a Python interpreter. Usually comes before the first sample that refers to it
     * */
    WIRE_PYTHON_CODE,
    WIRE_KERNEL_STACK, /* wire_kernel_stack: comes before the first sample that refers to it */
    WIRE_WAIT,         /* wire_wait: comes before the first sample that refers to it */
    WIRE_USAGE,        /* wire_usage: comes before the wire_exit of the process */
    WIRE_CLOCK,        /* wire_clock: the first event of a recording; the supervisor sends none */
};

struct wire_header {
    uint32_t type; /* enum wire_type */
    uint32_t size; /* size of the whole event, including the header, bytes; a multiple of 8 */
};

#define WIRE_EVENT_MAX 8192u  /* limit of the size of an event, bytes; a sample with a stack may be larger */
#define WIRE_BUILD_ID_MAX 64u /* limit of the size of a build-id, bytes */

enum wire_sample_flags {
    /* wall mode: the thread sleeps. It was not stopped: its state was read from /proc */
    WIRE_SAMPLE_SLEEPING = 1u << 0,
    WIRE_SAMPLE_COMPAT = 1u << 1,   /* the process has the 32-bit ABI of this machine */
    WIRE_SAMPLE_STACK = 1u << 2,    /* a wire_stack follows in the same event */
    WIRE_SAMPLE_WAITING = 1u << 3,  /* wall mode: the thread waited for a CPU for wall_ns; there is no pc */
    /* set only with WIRE_SAMPLE_SLEEPING: the thread is in state D of proc_pid_stat(5) */
    WIRE_SAMPLE_UNINTERRUPTIBLE = 1u << 4,
    WIRE_SAMPLE_PYTHON = 1u << 5, /* a wire_python follows in the same event, after the wire_stack */
    /* set only with WIRE_SAMPLE_SLEEPING, and not with WIRE_SAMPLE_STACK: the thread sleeps on since its last sample
     * that had both, so it still has that stack */
    WIRE_SAMPLE_SAME_STACK = 1u << 6,
    /* the thread used cpu_ns of CPU time while the supervisor could take no samples; there is no pc */
    WIRE_SAMPLE_UNSAMPLED = 1u << 7,
};

#define WIRE_NO_SYSCALL (-1)  /* value of wire_sample.syscall: the thread runs user code */
#define WIRE_PAGE_FAULT (-2)  /* value of wire_sample.syscall: the thread sleeps in the kernel, but in no system call */
/* value of wire_sample.syscall: as WIRE_PAGE_FAULT, and the thread waits for the page of its pc */
#define WIRE_CODE_FAULT (-3)

struct wire_sample {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
    uint64_t pc, sp;
    uint64_t cpu_ns;  /* CPU time that this sample represents */
    uint64_t wall_ns; /* wall mode: elapsed time that this sample represents; otherwise 0 */
    int32_t syscall;  /* number of the system call that the thread is in; or one of the three values above */
    uint16_t flags;   /* enum wire_sample_flags */
    /* only with WIRE_SAMPLE_SLEEPING: wire_kernel_stack.id of the stack that the thread has in the kernel; 0: not
     * known */
    uint16_t kernel_stack;
    /* only with WIRE_SAMPLE_SLEEPING: wire_wait.id of what the thread waits for; 0: not known */
    uint32_t wait;
    uint32_t reserved;
};

#define WIRE_STACK_REGS 33u          /* number of registers in DWARF's numbering; AArch64 has the most */
/* WIRE_STACK_MIN and _MAX: limits of the number of bytes of stack that a client may request */
#define WIRE_STACK_MIN 1024u
#define WIRE_STACK_MAX (1u << 20)

/* A copy of a stopped thread's stack, from its stack pointer up. If the thread has left another stack to which it will
 * return, there is also a copy of that stack, which is called the one below: a signal handler runs on an alternate
 * stack, or the Go runtime on its scheduler stack. */
struct wire_stack {
    uint64_t start;       /* address of the first copied byte of the stack */
    uint64_t below_start; /* address of the first copied byte of the stack below */
    uint32_t size;        /* how many bytes of the stack were copied; 0: it could not be read */
    uint32_t below_size;  /* how many bytes of the stack below were copied; 0: none */
    /* Go: the stack pointer with which the thread came to this stack; 0: it is not on a scheduler stack */
    uint64_t switch_base;
    uint64_t goroutine_end; /* Go: end of the goroutine's stack, which is the stack or the one below; 0: not known */
    uint64_t switch_sp; /* Go: the stack pointer with which it has left the stack below; 0: not known */
    uint64_t known;  /* if bit i is set, the value of regs[i] is known. pc and sp are in struct wire_sample */
    /* registers of the thread, indexed by the DWARF numbers that the machine's System V ABI defines */
    uint64_t regs[WIRE_STACK_REGS];
}; /* in an event the copied bytes of the stack follow, then those of the stack below, then padding */

/* Returns the stack that follows a sample in its event; NULL: the sample has no WIRE_SAMPLE_STACK. */
const struct wire_stack *wire_sample_stack(const struct wire_sample *sample);
const unsigned char *wire_stack_bytes(const struct wire_stack *stack);

#define WIRE_PYTHON_FRAMES_MAX 1024u /* limit of the number of Python frames that a sample contains */
#define WIRE_PYTHON_NO_INSTRUCTION UINT32_MAX

struct wire_python_frame {
    uint32_t code; /* wire_python_code.code of the code object that the frame executes */
    /* offset of the instruction in the code object's bytecode, bytes; WIRE_PYTHON_NO_INSTRUCTION: not known, or the
     * frame has not begun */
    uint32_t instruction;
    /* An address in the native frame of the function that executes this Python frame. This native function may execute
     * several Python frames, which then have the same address. 0: not known; then each native frame of
     * _PyEval_EvalFrameDefault executes one Python frame */
    uint64_t stack;
};

enum wire_python_flags {
    WIRE_PYTHON_TRUNCATED = 1u << 0, /* the outermost frames are missing */
};

/* The frames of a thread in a Python interpreter, the innermost first. */
struct wire_python {
    uint32_t count; /* number of frames */
    uint32_t flags; /* enum wire_python_flags */
    struct wire_python_frame frames[];
};

/* Returns the Python frames that follow a sample in its event; NULL: the sample has no WIRE_SAMPLE_PYTHON. */
const struct wire_python *wire_sample_python(const struct wire_sample *sample);

#define WIRE_SAMPLE_MAX                                                                                              \
    (sizeof(struct wire_sample) + sizeof(struct wire_stack) + WIRE_STACK_MAX + 8 + sizeof(struct wire_python) +     \
     WIRE_PYTHON_FRAMES_MAX * sizeof(struct wire_python_frame))

/* limits of the sizes of texts and of a line table in a wire_python_code, bytes; longer ones are cut off */
#define WIRE_PYTHON_TEXT_MAX 4096u
#define WIRE_PYTHON_LINES_MAX 65536u

/* A text as the interpreter stores it. */
struct wire_python_text {
    uint32_t size;  /* bytes */
    uint32_t width; /* bytes of a character: 1 (ISO 8859-1), 2 or 4 (Unicode) */
};

/* A code object: the compiled code of a Python function, class body or module. */
struct wire_python_code {
    struct wire_header header;
    uint32_t pid;
    uint32_t code;       /* id of the code object; never 0. No other code object of any process has it */
    uint32_t version;    /* PY_VERSION_HEX of the interpreter */
    uint32_t first_line; /* line number in the source file at which the code begins */
    struct wire_python_text file, name; /* the source file, and the (qualified) name of the function */
    uint32_t lines_size; /* size of the line table (co_lnotab, co_linetable), bytes */
    uint32_t reserved;
}; /* in an event the bytes of the file, of the name and of the line table follow, then padding */

#define WIRE_PYTHON_CODE_MAX (sizeof(struct wire_python_code) + 2 * WIRE_PYTHON_TEXT_MAX + WIRE_PYTHON_LINES_MAX + 8)

#define WIRE_KERNEL_STACKS_MAX 4096u /* largest id of a kernel stack */
#define WIRE_KERNEL_FRAMES_MAX 64u   /* limit of the number of functions in a kernel stack */

/* The functions in which a thread sleeps in the kernel. Equal stacks have the same id, whichever threads have them. */
struct wire_kernel_stack {
    struct wire_header header;
    uint32_t id;    /* 1 to WIRE_KERNEL_STACKS_MAX. If the id had another stack until now, this stack replaces it */
    uint32_t count; /* number of functions, 1 to WIRE_KERNEL_FRAMES_MAX */
    char names[];   /* `count` names of functions, the innermost first, each with a NUL; then padding */
};

#define WIRE_WAITS_MAX 4096u /* largest id of a wire_wait */
#define WIRE_WAIT_FILES_MAX 4u /* limit of the number of files in a wire_wait */

/* What a wire_wait is about. The comments say what its field `number` is; it is 0 for the other kinds. */
enum wire_wait_kind {
    WIRE_WAIT_FILE = 1, /* an open file, pipe, socket or the like; the descriptor */
    WIRE_WAIT_FILES,    /* one of several open files: poll(2), select(2); how many there are */
    /* a descriptor of epoll(7): how many files it watches. If there is one file in `files`, it is the one that had the
     * last event; if there are several, they are the first of those that are watched */
    WIRE_WAIT_EPOLL,
    WIRE_WAIT_PATH,     /* a call that looks for a file, such as open(2): files[0] is the path */
    WIRE_WAIT_LOCK,     /* a mutex or a read-write lock, which the thread `holder` holds, or writes */
    WIRE_WAIT_FUTEX,    /* any other futex(2) */
    WIRE_WAIT_THREAD,   /* the end of the thread `holder` */
    WIRE_WAIT_CHILD,    /* the end of a child process; its pid, or 0: any child */
    WIRE_WAIT_TIME,     /* a time */
    WIRE_WAIT_SIGNAL,   /* a signal */
    WIRE_WAIT_IPC,      /* a queue or semaphore of sysvipc(7); its id */
    WIRE_WAIT_PAGE,     /* a page of memory */
    WIRE_WAIT_FILE_LOCK, /* the lock of a file: flock(2), fcntl(2); the descriptor */
};

/* What a sleeping thread waits for. Threads that wait for the same thing have the same id. */
struct wire_wait {
    struct wire_header header;
    uint32_t id; /* 1 to WIRE_WAITS_MAX. If the id meant something else until now, that is replaced */
    uint32_t pid;
    uint32_t kind;       /* enum wire_wait_kind */
    uint32_t holder;     /* WIRE_WAIT_LOCK, WIRE_WAIT_THREAD: tid of the thread; 0: not known */
    uint64_t address;    /* WIRE_WAIT_LOCK, WIRE_WAIT_FUTEX: address of the lock or the futex; otherwise 0 */
    int64_t number;
    uint32_t file_count; /* 0 to WIRE_WAIT_FILES_MAX */
    uint32_t reserved;
    /* `file_count` texts, each with a NUL: the number of a descriptor, a blank, and what it leads to, as in
     * /proc/PID/fd (proc_pid_fd(5)). WIRE_WAIT_PATH: only the path. WIRE_WAIT_LOCK and WIRE_WAIT_FUTEX: the name of
     * the variable, if the client has found it. Then padding */
    char files[];
};

#define WIRE_WAIT_FILE_SIZE 1024u /* limit of the size of a text in wire_wait.files, with its NUL, bytes */

enum wire_map_kind {
    WIRE_MAP_FILE = 1, /* a mapped file; the field name is its path as the kernel prints it */
    WIRE_MAP_VDSO,     /* the kernel's vDSO; the field object is the id of a copy of it */
    WIRE_MAP_ANON,     /* memory without a file: JIT code, trampolines */
};

enum wire_map_flags {
    WIRE_MAP_PROGRAM = 1u << 0, /* the file is the program that the process executes */
};

struct wire_map {
    struct wire_header header;
    uint64_t time;
    uint32_t pid;
    /* id of the mapped object. Its descriptor comes through the socket. 0: no descriptor comes */
    uint32_t object;
    uint64_t start, end; /* the mapping is at addresses [start, end) */
    uint64_t offset;     /* offset in the file of the byte that is mapped at `start` */
    uint32_t dev_major, dev_minor;
    uint64_t inode;
    uint32_t kind; /* enum wire_map_kind */
    uint32_t flags; /* enum wire_map_flags */
    uint32_t reserved;
    uint32_t build_id_size;
    uint8_t build_id[WIRE_BUILD_ID_MAX];
    char name[]; /* NUL-terminated, then padding */
};

struct wire_task {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
};

struct wire_fork {
    struct wire_header header;
    uint64_t time;
    uint32_t pid;
    uint32_t ppid; /* pid of the parent; 0: the session launched the process, or attached to it */
};

struct wire_comm {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
    char comm[16]; /* NUL-terminated */
};

struct wire_exit {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid; /* if pid == tid, the whole process has ended, or the supervisor has detached from it */
    uint64_t cpu_ns;   /* only if pid == tid: CPU time that the process used while it was followed */
    /* status in the form of wait(2); -1: the process lives on, but the supervisor has detached from it */
    int32_t status;
    uint32_t reserved;
};

#define WIRE_UNKNOWN UINT64_MAX /* value of a field of wire_usage that is not known */

/* What a process used from its beginning until its end, or until the supervisor detached from it. If the session
 * attached to the process, only what it used since then; if it launched the process, since its exec. */
struct wire_usage {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, ppid; /* ppid: the parent's pid at the end; 0: not known */
    int32_t status;     /* as in wire_exit */
    uint32_t threads;   /* how many threads the process has had, its first one included; 0: not known */
    char comm[16];      /* NUL-terminated; "": not known */
    /* the rest may be WIRE_UNKNOWN: */
    uint64_t cpu_ns, user_ns, system_ns;
    uint64_t run_delay_ns; /* time for which its threads waited for a CPU */
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t minor_faults, major_faults;
    uint64_t max_rss;      /* maximum resident set size, bytes */
    /* calls that read and write, and the bytes that they have moved, from or to files of any kind */
    uint64_t read_calls, write_calls, read_bytes, written_bytes;
    uint64_t storage_read_bytes, storage_written_bytes; /* what had to be read from storage, or goes to it */
};

struct wire_lost {
    struct wire_header header;
    uint64_t time;
    uint64_t events; /* number of events that were dropped since the last wire_lost */
};

struct wire_clock {
    struct wire_header header;
    uint64_t time;      /* CLOCK_MONOTONIC, ns */
    uint64_t real_time; /* CLOCK_REALTIME at the same moment, ns */
};

struct wire_throttle {
    struct wire_header header;
    uint64_t time;
    double asked_hz;
    double rate_hz; /* rate from now on */
};

/* Totals since sampling began, or since the last WIRE_OP_CLEAR. They replace those of the previous wire_stats. */
struct wire_stats {
    struct wire_header header;
    uint64_t time;
    uint64_t elapsed_ns;    /* time during which sampling was on */
    uint64_t ticks; /* number of ticks: times at which the supervisor looked for running threads, to sample them */
    uint64_t samples;       /* number of samples, lost samples included */
    uint64_t stopped_ns;    /* sum, over all threads, of the time for which the supervisor held the thread stopped */
    /* CPU time of all processes while they were followed, including processes that have ended */
    uint64_t target_cpu_ns;
    uint64_t supervisor_cpu_ns;
    uint64_t throttled_ns; /* elapsed time in which the sampling rate was below the requested rate */
    uint64_t full_ns;      /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample takes from its target, mean of recent samples; 0: not known */
    uint64_t overhead_ppm;   /* largest share of its CPU time that a target may lose to samples, in millionths */
    uint32_t threads;      /* number of threads alive now */
    uint32_t processes;    /* number of processes alive now */
    uint32_t repaired;     /* system calls that would have failed with EINTR, but were restarted */
    /* system calls that would have returned early with only a part of their work done, but were continued */
    uint32_t continued;
    uint32_t cut_short;    /* system calls that returned early, because they could not be continued */
    uint32_t untraced;     /* threads of followed processes that could not be traced */
};

/* Returns true if `event` is a complete event of a known type, and is not longer than `available` bytes. Code that gets
 * events from another process or from a file calls this function first. After that it can rely on the sizes in the
 * event, and on the NUL at the end of each string. */
bool wire_event_valid(const struct wire_header *event, size_t available);

#endif
