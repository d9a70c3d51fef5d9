/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python: reads the stacks of CPython interpreters, versions 3.8 to 3.15, from the memory of their processes.
 *
 * The client finds an interpreter in a mapped file. It sends the version, and the address of the variable _PyRuntime,
 * at which all searches begin:
 *
 *     _PyRuntime -> interpreter states -> thread states -> frames -> code objects -> names, line tables
 *
 * python-layout.c knows the offsets of the fields in these structures, and checks them in each process before use.
 * python-threads.c finds the thread states of a thread. python-reader.c and python-frames.c read the frames while the
 * thread is stopped or asleep. python-code.c gives each code object an id, and reads its names once. python-pages.c and
 * python-gather.c copy the memory that these need, with few system calls.
 *
 * The memory of a target may contain anything. So every list is followed for a bounded number of steps, every size is
 * bounded, and what does not look like an object of the expected type is left out.
 *
 * Nothing here calls ptrace. Only process_vm_readv(2) is used, so the functions also work on a thread that is asleep.
 */
#ifndef PPROFIL_PYTHON_H
#define PPROFIL_PYTHON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

/* The offsets of fields, bytes. The name of a field says which structure it is in: a state is a PyThreadState, a code
 * is a PyCodeObject, a text is a PyUnicodeObject, and bytes are a PyBytesObject. */
struct python_layout {
    uint32_t runtime_interpreters; /* newest interpreter state */
    uint32_t interpreter_next, interpreter_states;
    uint32_t state_next, state_interpreter;
    uint32_t state_thread; /* pthread_t of the thread */
    uint32_t state_tid;    /* id of the thread in its PID namespace; 0: there is no such field (3.8 to 3.10) */
    /* the innermost frame, or with cframes the innermost _PyCFrame */
    uint32_t state_frame;
    bool has_cframes; /* 3.11 and 3.12: state_frame leads to a _PyCFrame, which has the innermost frame */
    uint32_t cframe_frame, cframe_previous;
    uint32_t frame_previous, frame_code, frame_instruction;
    uint32_t frame_owner; /* 0: there is no such field (3.8 to 3.10) */
    uint32_t frame_entry; /* 3.11: is_entry; otherwise 0 */
    uint8_t owner_c;      /* values of frame_owner from this one on: the frame is no Python code, but marks a C call */
    /* number of bytes by which frame_instruction counts: 1 or 2. 0: it is an address in the code object */
    uint8_t instruction_unit;
    uint32_t code_file, code_name, code_line, code_lines;
    uint32_t code_start; /* first instruction. Unused if frame_instruction is no address */
    uint32_t object_type, type_name;
    uint32_t text_length, text_state;
    uint32_t text_ascii, text_compact; /* offset of the first character, in a text of ASCII and in any other text */
    uint32_t bytes_length, bytes_data;
    /* computed from the others: the parts of a frame and of a code object that contain all these fields */
    uint32_t frame_low, frame_size, code_low, code_size;
};

#define PYTHON_FRAME_BYTES 112u /* limit of frame_size */
#define PYTHON_CODE_BYTES 192u  /* limit of code_size */
#define PYTHON_HEAD_BYTES 128u  /* limit of object_type, text_length, text_state and bytes_length, with their fields */

enum python_check {
    PYTHON_UNCHECKED,
    PYTHON_GOOD,
    PYTHON_BAD, /* the memory does not have the layout */
};

/* An interpreter in a process. The process owns it. */
struct python_runtime {
    uint64_t address; /* of _PyRuntime */
    uint32_t version; /* PY_VERSION_HEX */
    uint32_t number;  /* differs from the numbers of all other runtimes in this run */
    struct python_layout layout;
    _Atomic enum python_check check;
    unsigned failed_checks;
    /* addresses of the types of code objects and of texts; 0: not known yet. Any tracer may write them */
    _Atomic uint64_t code_type, text_type;
    bool is_namespaced;            /* the process is in another PID namespace than the supervisor */
    struct python_runtime *former; /* owned; link of the list process->former_pythons */
};

/* Returns a new runtime, or NULL if memory is short. */
struct python_runtime *python_runtime_new(uint64_t address, uint32_t version);
/* Frees a list of runtimes. NULL is allowed. */
void python_runtime_free(struct python_runtime *runtime);
/* Checks whether the memory of process `pid` has the layout. Does nothing if this is known already. Sets
 * runtime->check. The value stays PYTHON_UNCHECKED as long as the interpreter is starting. */
void python_runtime_check(struct python_runtime *runtime, pid_t pid);

/* --- layouts: python-layout.c --- */

/* Finds the layout of a version. From 3.13 on, the interpreter publishes it in its own memory. Returns 0; -ENOTSUP: the
 * version is not known; -EPROTO: the published layout makes no sense; or an error of target_memory_read. */
int python_layout_find(struct python_layout *layout, pid_t pid, uint64_t runtime, uint32_t version);

/* --- threads: python-threads.c --- */

#define PYTHON_STATES_MAX 4u       /* a thread has a state in each interpreter that it has entered */
#define PYTHON_INTERPRETERS_MAX 8u /* new thread states are noticed in so many interpreters of a process */
#define PYTHON_PAGES_MAX 384u      /* so many pages of a thread's memory are remembered for the next sample */

/* What is known about a thread. Its tracee owns it. */
struct python_thread {
    uint32_t runtime;                   /* number of the runtime to which the other fields belong; 0: none */
    uint32_t inner_tid;                 /* id of the thread in its PID namespace; 0: not known */
    uint64_t states[PYTHON_STATES_MAX]; /* addresses of its thread states, the innermost first */
    unsigned state_count;
    /* By what they were found: the offset of the field state_tid or state_thread, and its value, which is the same in
     * all these states. A new state has the value of the thread that makes it, until its own thread runs */
    uint32_t id_field;
    uint64_t id;
    /* The interpreter states that the last search has met, and the newest thread state of each. Further searches are
     * useless until one of these lists has a new head */
    struct python_searched {
        uint64_t interpreter, newest_state;
    } searched[PYTHON_INTERPRETERS_MAX];
    unsigned searched_count;
    bool search_more; /* the last search ended before it had seen all thread states */
    /* the pages of memory that the last samples used */
    struct python_page {
        uint64_t address;
        unsigned unused; /* number of samples since the last one that used it */
    } pages[PYTHON_PAGES_MAX];
    unsigned page_count;
};

/* Finds the thread states of thread `tid`. Looks at no more than `limit` interpreter and thread states. If the thread's
 * inner_tid is not known, does nothing. */
void python_thread_search(struct python_thread *thread, const struct python_runtime *runtime, pid_t tid,
                          unsigned limit);
/* Returns true if the last search looked at all thread states, and no new one has been added since. */
bool python_thread_is_searched(const struct python_thread *thread, const struct python_runtime *runtime, pid_t tid);

/* --- stacks: python-reader.c --- */

/* The memory that a tracer needs to read stacks. */
struct python_reader;

/* Returns a new reader, or NULL if memory is short. number: part of the ids that the reader gives to code objects; at
 * most 255, and different for each reader. */
struct python_reader *python_reader_new(uint32_t number);
void python_reader_free(struct python_reader *reader);

/* Reads the Python frames of thread `tid`, which is stopped or asleep. Does not allocate memory. `thread` is updated.
 * */
void python_reader_take(struct python_reader *reader, struct python_runtime *runtime, struct python_thread *thread,
                        pid_t tid);
/* Returns the frames that were taken last. NULL: none. They belong to the reader. */
const struct wire_python *python_reader_frames(const struct python_reader *reader);
/* Forgets the frames that were taken last. */
void python_reader_drop(struct python_reader *reader);
/* Returns the code objects that were read since the last call of python_reader_settle, as events one after the other.
 * Their field `pid` is 0. Stores their size in *size, bytes. */
struct wire_python_code *python_reader_codes(struct python_reader *reader, size_t *size);
/* Empties the list of code objects, and makes room for further ones. To be called while the thread runs. lost: the
 * client did not get these events, so that they must be read again. */
void python_reader_settle(struct python_reader *reader, bool lost);

/* --- samples: python-sample.c --- */

struct process;
struct procfs_state;
struct tracee;
struct tracer;

/* An interpreter was found in a process. Called with the lock. address, version: see struct python_runtime. Does
 * nothing if the process has an interpreter whose memory was checked already, or if memory is short. */
void python_begin(struct process *process, uint64_t address, uint32_t version);
/* A process has forked a child. Called with the lock. The child's interpreter becomes known, so that the first sample
 * of the child has Python frames. */
void python_inherit(struct process *child, const struct process *parent);
/* The process has executed another program. Called with the lock. Memory of the interpreter stays, because another
 * tracer may be using it. */
void python_forget_image(struct process *process);
/* The process is freed. */
void python_forget_process(struct process *process);

/* Reads the Python frames of a tracee that is stopped for a sample. Called without the lock. Allocates no memory. */
void python_take(struct tracer *tracer, struct tracee *tracee);
/* Does the same for a tracee that is asleep. state: what procfs_look has just read about it. If it has woken up since
 * then, no frames are taken. */
void python_take_asleep(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);
/* Called with the lock after python_take or python_take_asleep, when the tracee runs again. Sends the code objects that
 * were read to the client, and allocates what the next sample needs. */
void python_settle(struct tracer *tracer, struct tracee *tracee);

#endif
