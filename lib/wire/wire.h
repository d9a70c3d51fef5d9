/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire: the protocol between the supervisor and its client.
 *
 * Events go from the supervisor to the client, through a ring in shared memory. Commands, answers and file descriptors
 * go through a socket. Events can be recorded to a file and replayed, so that the code that reads events can be tested
 * without ptrace.
 *
 * Every event starts with a wire_header. The size of an event is a multiple of 8, and its address is aligned to 8
 * bytes. Numbers have the byte order of the machine. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef PPROFIL_WIRE_H
#define PPROFIL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The version of this protocol. It goes up with every change of an event, a message or the supervisor's arguments. Both
 * sides must have the same version. A ring contains the version of its creator. The supervisor's first message, the
 * hello, is a WIRE_OP_DONE whose field value contains the supervisor's version. A client of another version must be
 * able to read it. So it always has the same size, WIRE_HELLO_SIZE.
 */
#define WIRE_VERSION 14u

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
    WIRE_WAIT_LOCK,     /* a mutex, which the thread `holder` holds */
    WIRE_WAIT_FUTEX,    /* any other futex(2) */
    WIRE_WAIT_THREAD,   /* the end of the thread `holder` */
    WIRE_WAIT_CHILD,    /* the end of a child process; its pid, or 0: any child */
    WIRE_WAIT_TIME,     /* a time */
    WIRE_WAIT_SIGNAL,   /* a signal */
    WIRE_WAIT_IPC,      /* a queue or semaphore of sysvipc(7); its id */
    WIRE_WAIT_PAGE,     /* a page of memory */
};

/* What a sleeping thread waits for. Threads that wait for the same thing have the same id. */
struct wire_wait {
    struct wire_header header;
    uint32_t id; /* 1 to WIRE_WAITS_MAX. If the id meant something else until now, that is replaced */
    uint32_t pid;
    uint32_t kind;       /* enum wire_wait_kind */
    uint32_t holder;     /* WIRE_WAIT_LOCK, WIRE_WAIT_THREAD: tid of the thread; 0: not known */
    uint64_t address;    /* WIRE_WAIT_LOCK, WIRE_WAIT_FUTEX: address of the futex; otherwise 0 */
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

/* --- the ring: it has one producer and one consumer, and never splits an event ------- */

struct ring; /* each side has its own struct ring; both map the same memory */

/* Creates a ring of at least `size` bytes in a new memfd. Stores the descriptor of the memfd in *fd. The caller closes
 * *fd when the other side has received it. Returns 0 or a negative errno. */
int ring_create(size_t size, struct ring **ring, int *fd);

/* Maps a ring that another process has made with ring_create. The caller may then close fd. Returns 0 or a negative
 * errno; -EINVAL: fd is not a ring; -EPROTO: the ring has another WIRE_VERSION. */
int ring_open(int fd, struct ring **ring);
void ring_close(struct ring *ring);
size_t ring_size(const struct ring *ring); /* returns the number of bytes of events that fit into the ring */

/* Producer: returns room for an event of `size` bytes, a multiple of 8; NULL: the ring is full. Never waits. */
void *ring_reserve(struct ring *ring, size_t size);
/* Does what ring_reserve does, for an event that the consumer waits for. ring_reserve always leaves 1/64 of the ring
 * free, and only this function uses that part. So there is room for such an event even if other events are lost. */
void *ring_reserve_last(struct ring *ring, size_t size);
/* Hands the reserved event to the consumer. */
void ring_commit(struct ring *ring);
/* Returns how many times the ring had no room for an event since the last call of ring_lost. */
uint64_t ring_lost(struct ring *ring);
bool ring_half_full(const struct ring *ring);

/* Consumer: returns the oldest event, which is valid until ring_consume is called; NULL: there is no event. An invalid
 * event ends the stream: after it ring_peek returns only NULL, and ring_broken returns true. */
const struct wire_header *ring_peek(struct ring *ring);
void ring_consume(struct ring *ring);
bool ring_broken(const struct ring *ring);

/* --- the socket: commands to the supervisor, answers and descriptors from it --------- */

enum wire_op {
    WIRE_OP_ATTACH = 1, /* attach to the process `pid`; the field flags has bits of enum wire_attach_flags */
    WIRE_OP_START,      /* begin or resume sampling */
    WIRE_OP_STOP,       /* pause sampling; targets stay followed */
    WIRE_OP_FLUSH,      /* send the statistics now */
    WIRE_OP_CLEAR,      /* reset the statistics; sampling must be stopped */
    /* set the sampling rate to `value` millihertz. The descriptor of a new ring may come with the message. Then all
     * later events go through the new ring */
    WIRE_OP_RATE,
    WIRE_OP_WALL, /* if `value` is 1, begin wall mode, which also samples sleeping threads; if it is 0, end wall mode */
    WIRE_OP_QUIT,       /* detach from all targets, send the last statistics, and end */
    /* The program of process `pid` has a Python interpreter of version `flags` (PY_VERSION_HEX); `value` is the address
     * of its variable _PyRuntime; the fields object, offset and distance are set. From now on, samples of this process,
     * and of all that map the file later, contain Python frames. The supervisor does not answer. But if the interpreter
     * turns out to be another one, it sends this message back, with an error */
    WIRE_OP_PYTHON,
    /* The process `pid` has mapped a file with Go code; the field object is set. From now on, samples of this process,
     * and of all that map the file later, contain both stacks of a thread that has switched its stack. The supervisor
     * does not answer */
    WIRE_OP_GO,
    WIRE_OP_DONE,       /* sent by the supervisor, to answer any command; the fields error and pid are set */
    /* sent by the supervisor: brings the descriptor of the object with the id `value`. If there is no descriptor, the
     * field error says why */
    WIRE_OP_OBJECT,
};

enum wire_attach_flags {
    WIRE_ATTACH_LAUNCHED = 1u << 0, /* the process is the client's own child. The time before its exec is not counted */
};

struct wire_message {
    uint32_t op;    /* enum wire_op */
    int32_t error;  /* in WIRE_OP_DONE and WIRE_OP_OBJECT: 0, or a positive errno */
    /* in WIRE_OP_ATTACH and WIRE_OP_DONE: id of the process. In a WIRE_OP_DONE with an error: id of the task that could
     * not be traced */
    int32_t pid;
    /* in WIRE_OP_ATTACH: bits of enum wire_attach_flags. In the WIRE_OP_DONE that answers it: how many threads of the
     * process could not be traced, if other threads of the process could. In WIRE_OP_PYTHON: a version */
    uint32_t flags;
    uint64_t value;
    /* the rest is not sent with WIRE_OP_DONE, and is then received as 0 */
    uint32_t object;   /* id of a file, as in wire_map.object; 0: none */
    uint32_t unused;
    uint64_t offset;   /* an offset in that file, at which its code is mapped, bytes */
    uint64_t distance; /* `value` minus the address at which that offset is mapped; may wrap around */
};

#define WIRE_HELLO_SIZE offsetof(struct wire_message, object) /* bytes of a WIRE_OP_DONE */

/* Creates a pair of connected SOCK_SEQPACKET sockets, close-on-exec. Returns 0 or a negative errno. */
int wire_socket_pair(int fds[2]);

/* Sends one message, together with the descriptor fd unless fd is -1. Never waits. Returns 0 or a negative errno;
 * -EAGAIN: the socket is full. */
int wire_send(int socket, const struct wire_message *message, int fd);

/* Receives one message. Stores in *fd the descriptor that came with the message, which the caller closes; -1: none
 * came. Never waits. Returns 0 or a negative errno; -EAGAIN: there is no message; -EPIPE: the other side has closed the
 * socket; -EPROTO: the data is not a message. */
int wire_receive(int socket, struct wire_message *message, int *fd);

/* --- processes that profile themselves with profil(2) -------------------------------- */

/*
 * A process that profiles itself (lib/compat) shares no ring with its supervisor. The supervisor counts directly in the
 * memory of the process. lib/compat also keeps no descriptor open, because the program might close it, or rely on which
 * numbers are free. So for each request the program makes a new connection to an abstract address (unix(7)). First the
 * supervisor sends a hello, an answer with its pid and WIRE_VERSION. Then the program sends a request, and the
 * supervisor sends the answer. Addresses in a request are addresses in the process that sent it.
 */
enum wire_profil_op {
    WIRE_PROFIL_COUNT = 1, /* begin to count; this ends the counting of an earlier request */
    WIRE_PROFIL_PCS, /* begin to store pcs, as pcsample does; the answer contains the value that pcsample returns */
    WIRE_PROFIL_STOP,      /* end counting */
};

/* The threads for which a request begins or ends the counting. */
enum wire_profil_scope {
    WIRE_PROFIL_ALL_THREADS = 0,
    WIRE_PROFIL_OWN_THREAD, /* only the calling thread, as in Solaris before 2.6 */
    /* for Tru64, where one thread may use the plain form of profil while another thread uses the extended form.
     * WIRE_PROFIL_COUNT begins to count all threads. But if another thread already counts with the other form, only the
     * calling thread is counted. WIRE_PROFIL_STOP ends the counting that the calling thread has begun. If this thread
     * has begun none, all counting ends */
    WIRE_PROFIL_OWN_FORM,
};

#define WIRE_PROFIL_REGIONS_MAX 65536u

struct wire_profil_region { /* like struct dialect_region, but with the address of the buffer */
    uint64_t buffer, size;
    uint64_t offset, low, high;
    uint64_t scale;
};

struct wire_profil {
    uint32_t op; /* enum wire_profil_op */
    uint32_t counter_size;
    char dialect[16];   /* name of the dialect, NUL-terminated */
    uint64_t period_ns; /* CPU time of a tick; 0: the tick of the dialect */
    uint64_t regions;   /* WIRE_PROFIL_COUNT: address of an array of struct wire_profil_region */
    uint64_t region_count;
    /* WIRE_PROFIL_COUNT: address of the overflow bin, a 4-byte counter for pcs in no region; 0: none */
    uint64_t overflow;
    uint64_t array;    /* WIRE_PROFIL_PCS: address of the array in which the pcs are stored */
    int64_t room;      /* WIRE_PROFIL_PCS: number of elements of this array, as the program gave it */
    /* WIRE_PROFIL_COUNT: address of a uint64_t, to which the supervisor adds the number of ticks that found their
     * counter full; 0: none */
    uint64_t told;
    int32_t pid, tid;  /* ids of the calling process and thread, as numbered in their own PID namespace */
    uint32_t scope;    /* WIRE_PROFIL_COUNT and WIRE_PROFIL_STOP: enum wire_profil_scope */
    uint32_t reserved;
};

struct wire_profil_answer {
    int32_t error; /* 0 or a positive errno */
    int32_t pid;   /* pid of the supervisor */
    int64_t value;
};

/* size of an abstract socket address that the kernel has chosen, bytes: unix(7), autobind */
#define WIRE_PROFIL_NAME 6u

/* Listens on a new abstract address, and stores the address in `name`. Returns a descriptor or a negative errno. */
int wire_profil_listen(char name[WIRE_PROFIL_NAME]);
/* Connects to the supervisor that serves the address `name`, and waits for its first message, the hello. Stores the pid
 * of the supervisor in *supervisor. listener: the process that has called wire_profil_listen, and has passed the
 * listening socket to the supervisor. Returns a descriptor or a negative errno; -ECONNREFUSED: the address has no
 * listening socket, or another process than `listener` has made it; -EPROTO: the supervisor has another
 * WIRE_VERSION. */
int wire_profil_connect(const char name[WIRE_PROFIL_NAME], pid_t listener, pid_t *supervisor);
/* Sends a request, and waits for the answer. Returns 0 or a negative errno; -EPIPE: the supervisor has ended. */
int wire_profil_ask(int fd, const struct wire_profil *request, struct wire_profil_answer *answer);

/* --- recordings -------------------------------------------------------------------- */

struct wire_recording;

/* Creates a recording. If the file already exists, empties it first. Returns 0 or a negative errno. */
int wire_record_create(const char *path, struct wire_recording **recording);
/* Appends one event to a recording. If this fails, wire_record_close returns the error later. */
void wire_record_event(struct wire_recording *recording, const struct wire_header *event);
int wire_record_close(struct wire_recording *recording);

/* Opens a recording. Returns 0 or a negative errno; -EPROTO: the file is not a recording. */
int wire_replay_open(const char *path, struct wire_recording **recording);
/* Returns the next event, which is valid until the next call; NULL: the recording has ended. Stores in *error 0, or
 * -EPROTO if the recording is cut short or has an invalid event. */
const struct wire_header *wire_replay_next(struct wire_recording *recording, int *error);
void wire_replay_close(struct wire_recording *recording);

#endif
