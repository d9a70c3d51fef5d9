/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Delivers samples, with the time that they represent (attribution-weight.c).
 *
 * In wall mode, the elapsed time of a thread has three parts (wall_time of accounting.h):
 *     wait     the thread waited for a CPU; the kernel tells how long
 *     run      the CPU time that the samples of the thread represent
 *     sleep    the rest, without the time for which we stopped the thread; it is attributed to the system call and
 *              address at which the thread is next seen asleep
 *
 * A thread that waits for a CPU should get no sample. But /proc/TID/syscall shows it as "running", like a thread that
 * is on a CPU. If tick-taken.c does not find out that the thread waits, a tick interrupts it, and it stops when it gets
 * a CPU. At that stop, the length of its wait shows that it was on no CPU when it was interrupted.
 */
#include "config.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "supervisor/accounting.h"
#include "supervisor/attribution.h"
#include "supervisor/blocked/blocked.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/kernel-stacks.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/objects.h"
#include "supervisor/python/python.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tracer-cpus.h"
#include "wire/wire.h"

/* a sleeping thread of a Python process that had no Python frames in this number of samples has none */
#define PYTHON_SAMPLES 8u
/* a tracer that sees a stop within this time after the interrupt, ns, was not delayed */
#define SEEN_LATE_NS 100000u

/* Returns true if the tracee was on a CPU when it was interrupted. If it waited for a CPU at that time, it went on
 * waiting until it stopped. Our tick, too, can have kept it waiting, but only from interrupt->hindered_at to the stop.
 * So if it waited for longer, it was on no CPU. If no CPU is idle, the tracer may have seen the stop late, because the
 * tracer had to wait for a CPU itself. So this wait is subtracted from the time at which the tracer saw the stop. */
static bool attribution_was_on_cpu(struct tracee *tracee, const struct regs *regs, const struct procfs_cpu *cpu)
{
    const struct interrupt *interrupt = &tracee->interrupt;
    struct tracer *tracer = tracee->tracer;
    bool woken_meanwhile = tracee->judgement.asleep_before && regs->syscall >= 0;
    uint64_t waited = cpu->wait_ns - interrupt->wait_ns, stopped_at = interrupt->seen_at;

    if (interrupt->had_cpu)
        return true;
    if (woken_meanwhile || waited > stopped_at - interrupt->hindered_at)
        return false;
    if (tracer->supervisor->cpus.full && interrupt->seen_at - interrupt->sent_at >= SEEN_LATE_NS) {
        uint64_t ours = tracer_read_wait(tracer) - tracer->waited_ns;
        stopped_at -= ours > SEEN_LATE_NS ? ours - SEEN_LATE_NS : 0;
        if (stopped_at < tracer->news.none_at)
            stopped_at = tracer->news.none_at;
    }
    return interrupt->hindered_at + waited <= stopped_at;
}

/* Sets *cpu_ns to the CPU time that the sample represents. Returns false if the tracee was on no CPU. */
static bool attribution_credit(struct supervisor *supervisor, struct tracee *tracee,
                               const struct regs *regs, const struct procfs_cpu *cpu, uint64_t *cpu_ns)
{
    /* the tracee has run for only a part of overdue_ns if it slept in a long system call or waited for a CPU; only this
     * part counts */
    uint64_t ran = cpu->run_ns - tracee->interrupt.run_ns;
    tracee->interrupt.pending_ns += tracee->interrupt.overdue_ns < ran ? tracee->interrupt.overdue_ns : ran;
    bool on_cpu = attribution_was_on_cpu(tracee, regs, cpu);
    *cpu_ns = on_cpu ? attribution_weigh(supervisor, tracee) : 0;
    /* set to 0 even if the tracee was on no CPU: late_ns is from ticks before this sample, so a later sample must not
     * represent it */
    tracee->interrupt.late_ns = 0;
    return on_cpu;
}

/* Wall mode: reports to the client how long the tracee has waited for a CPU. */
static void attribution_emit_wait(struct supervisor *supervisor, struct tracee *tracee, uint64_t now,
                                  const struct procfs_cpu *cpu)
{
    struct wire_sample sample = {
        .time = now, .syscall = WIRE_NO_SYSCALL, .flags = WIRE_SAMPLE_WAITING};

    sample.wall_ns = wall_time_book_wait(&tracee->sleep.wall, now, cpu->wait_ns);
    if (sample.wall_ns > 0)
        emit_sample(supervisor, tracee, &sample, NULL);
}

void attribution_waiting(struct tracer *tracer, struct tracee *tracee)
{
    attribution_emit_wait(tracer->supervisor, tracee, tracer->tick.at, &tracee->look.times);
}

/* Sends a sample, and before it what the client needs in order to name it. stack: NULL: none. Returns false if the ring
 * had no room for the sample. */
static bool attribution_emit(struct tracer *tracer, struct tracee *tracee,
                             const struct wire_sample *sample, const struct stack *stack)
{
    struct supervisor *supervisor = tracer->supervisor;
    /* true if this tick has interrupted more than one tracee: the others may still be stopped */
    bool others_stopped = tracer->tick.awaited_count > 1;

    objects_emit_mapping(supervisor, tracee, sample->pc);
    if ((stack != NULL || objects_are_listed(tracee->process)) && !others_stopped)
        objects_emit_executable(supervisor, tracee);
    bool sent = emit_sample(supervisor, tracee, sample, stack);
    if (++tracee->comm.samples >= tracee->comm.check_at) {
        tracee->comm.check_at = tracee->comm.samples * 2;
        emit_comm(supervisor, tracee);
    }
    return sent;
}

void attribution_sample(struct tracer *tracer, struct tracee *tracee, const struct regs *regs)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct wire_sample sample = {.time = tracee->interrupt.at,
                                 .pc = regs->pc,
                                 .sp = regs->sp,
                                 .cpu_ns = tracee->interrupt.pending_ns + tracee->interrupt.overdue_ns,
                                 .syscall = regs->syscall,
                                 .flags = regs->compat ? WIRE_SAMPLE_COMPAT : 0};
    const struct stack *stack = &tracer->stack;
    struct procfs_cpu cpu = {.wait_ns = tracee->sleep.wall.wait_ns};
    bool on_cpu = true;

    if (tracee_read_cpu(tracee, &cpu))
        on_cpu = attribution_credit(supervisor, tracee, regs, &cpu, &sample.cpu_ns);
    tracer->totals.samples += on_cpu;
    debug_log(tracer, "sample %d %llu%s", tracee->tid, (unsigned long long)sample.cpu_ns,
              on_cpu ? "" : ", it was on no CPU");
    if (supervisor->options.wall)
        attribution_emit_wait(supervisor, tracee, tracee->interrupt.at, &cpu);
    if (!on_cpu)
        return; /* the thread waited for a CPU, so it gets no sample */
    if (supervisor->options.wall)
        sample.wall_ns = sample.cpu_ns;
    wall_time_book_run(&tracee->sleep.wall, sample.wall_ns);
    tracee->time.samples++;
    if (supervisor->options.serve)
        counts_sample(tracee, &sample);
    else
        attribution_emit(tracer, tracee, &sample, stack->limit > 0 ? stack : NULL);
}

/* Finds out how the tracee sleeps: the letter of its state, and whether it waits for the page of its pc. As long as the
 * tracee does not run, later calls read nothing again.
 *
 * If a thread in a page fault has no page at its pc, it waits for that page: it faults for another page only when its
 * instruction has been read. This is asked only when a sleep is first seen, because the kernel may later take the page
 * of the instruction, too. */
static void attribution_look_at_sleep(struct tracee *tracee, const struct procfs_state *state,
                                      const struct procfs_cpu *cpu)
{
    struct tracee_sleep *sleep = &tracee->sleep;

    if (cpu->turns != 0 && cpu->turns == sleep->turns)
        return;
    sleep->letter = procfs_state_letter(&tracee->files);
    /* with any other letter, the task may just have woken up, or is stopped; sleep->turns becomes 0, so that the next
     * call of this function reads the state again */
    sleep->turns = sleep->letter == 'D' || sleep->letter == 'S' ? cpu->turns : 0;
    sleep->code_fault = sleep->turns != 0 && state->syscall == WIRE_PAGE_FAULT &&
                        maps_page_is_missing(tracee->process->pid, state->pc);
}

/* Returns the value of wire_sample.syscall for a tracee that is asleep. */
static int32_t attribution_sleeping_call(const struct tracee *tracee, const struct procfs_state *state)
{
    char letter = tracee->sleep.letter;

    if (state->syscall != WIRE_PAGE_FAULT)
        /* the tracee may now be in a call that we make it do for the rest of its own call, such as a write for the rest
         * of a writev; the sample must show the program's own call */
        return tracee->state == TRACEE_CONTINUING && state->syscall >= 0 ? tracee->repair.call.number : state->syscall;
    if (letter == 't' || letter == 'T') /* it is stopped: by a tick, or by a signal */
        return WIRE_NO_SYSCALL;
    return tracee->sleep.code_fault ? WIRE_CODE_FAULT : WIRE_PAGE_FAULT;
}

/* Returns true if the call belongs to the 32-bit ABI. /proc/TID/syscall does not show the ABI of a call. If code and
 * stack are both below 4 GiB, the task is taken for a 32-bit one. An x32 task is recognized by bit 30 of the call's
 * number (__X32_SYSCALL_BIT), and is not taken for a 32-bit one. */
static bool attribution_is_compat_call(const struct procfs_state *state)
{
    return state->syscall >= 0 && state->syscall < 1 << 30 && state->pc <= UINT32_MAX && state->sp <= UINT32_MAX &&
           state->sp != 0;
}

/* Counts a sample of a sleep. Returns true if its stack need not be sent, because the client has the stack of this
 * sleep. But the stack is sent again with the second, fourth, eighth sample of a sleep, and so on: when it was sent
 * before, the client may have lacked a file that is needed to unwind it. */
static bool attribution_stack_is_known(struct tracee_sleep *sleep, const struct procfs_cpu *cpu)
{
    if (cpu->turns == 0 || cpu->turns != sleep->stack_turns || cpu->turns != sleep->turns) {
        sleep->stack_turns = cpu->turns;
        sleep->stack_samples = 0;
        sleep->stack_is_sent = false;
    }
    sleep->stack_samples++;
    return sleep->stack_is_sent && (sleep->stack_samples & (sleep->stack_samples - 1)) != 0;
}

/* Returns true if tracer->stack is the whole stack of the sleeping tracee, and the client can unwind it. */
static bool attribution_has_whole_stack(const struct tracer *tracer, struct tracee *tracee)
{
    const struct stack *stack = &tracer->stack;
    /* the first samples of a thread may lack Python frames, because its interpreter state is still searched for; later
     * ones lack them because the thread has none */
    bool searched = atomic_load(&tracee->process->python) == NULL || stack->python != NULL ||
                    tracee->sleep.stack_samples >= PYTHON_SAMPLES;

    /* if the allowance is used up, the copy may be too short. If other tracees were stopped, mappings were left out */
    return stack->head.size > 0 && stack->allowance > 0 && tracer->tick.awaited_count <= 1 && searched;
}

/* Copies the stack of a sleeping tracee, and sends it with the sample. */
static void attribution_emit_stack(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state,
                                   const struct wire_sample *sample)
{
    struct stack_layout layout = {.library_stack_end = tracee->library_stack_end};

    if (atomic_load(&tracee->process->has_go))
        go_find_stacks(&tracee->go, tracee->tid, NULL, state->sp, &layout);
    stack_take_asleep(&tracer->stack, &tracee->files, state, &layout);
    python_take_asleep(tracer, tracee, state);
    python_settle(tracer, tracee);
    bool sent = attribution_emit(tracer, tracee, sample, &tracer->stack);
    if (sent && attribution_has_whole_stack(tracer, tracee))
        tracee->sleep.stack_is_sent = true;
}

void attribution_fell_asleep(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct interrupt *interrupt = &tracee->interrupt;
    struct wire_sample sample = {.time = interrupt->at,
                                 .pc = state->pc,
                                 .sp = state->sp,
                                 /* a page fault is no system call in a sample of CPU time */
                                 .syscall = state->syscall >= 0 ? state->syscall : WIRE_NO_SYSCALL};
    struct procfs_cpu cpu = {.wait_ns = tracee->sleep.wall.wait_ns};

    if (attribution_is_compat_call(state))
        sample.flags |= WIRE_SAMPLE_COMPAT;
    tracee_read_cpu(tracee, &cpu);
    sample.cpu_ns = attribution_weigh(supervisor, tracee);
    interrupt->pending_ns = interrupt->overdue_ns = interrupt->late_ns = 0;
    tracer->totals.samples++;
    tracee->time.samples++;
    debug_log(tracer, "sample %d %llu, asleep", tracee->tid, (unsigned long long)sample.cpu_ns);
    if (supervisor->options.wall) {
        attribution_emit_wait(supervisor, tracee, interrupt->at, &cpu);
        sample.wall_ns = sample.cpu_ns;
        wall_time_book_run(&tracee->sleep.wall, sample.wall_ns);
    }
    if (supervisor->options.serve)
        counts_sample(tracee, &sample);
    else if (tracer->stack.limit > 0)
        attribution_emit_stack(tracer, tracee, state, &sample);
    else
        attribution_emit(tracer, tracee, &sample, NULL);
}

void attribution_sleeping(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state)
{
    uint64_t now = tracer->tick.at;
    struct wire_sample sample = {.time = now,
                                 .pc = state->pc,
                                 .sp = state->sp,
                                 .flags = WIRE_SAMPLE_SLEEPING};
    struct procfs_cpu cpu = {.wait_ns = tracee->sleep.wall.wait_ns};

    if (attribution_is_compat_call(state))
        sample.flags |= WIRE_SAMPLE_COMPAT;
    procfs_read_cpu(&tracee->files, &cpu);
    attribution_emit_wait(tracer->supervisor, tracee, now, &cpu);
    wall_time_leave_out_stop(&tracee->sleep.wall, atomic_exchange(&tracee->sleep.stopped_ns, 0));
    sample.wall_ns = wall_time_book_sleep(&tracee->sleep.wall, now);
    if (sample.wall_ns == 0)
        return;
    attribution_look_at_sleep(tracee, state, &cpu);
    sample.syscall = attribution_sleeping_call(tracee, state);
    if (tracee->sleep.letter == 'D')
        sample.flags |= WIRE_SAMPLE_UNINTERRUPTIBLE;
    if (tracer->supervisor->options.kernel)
        sample.kernel_stack = kernel_stack_of(tracer->supervisor, tracee, state, &cpu);
    if ((sample.flags & WIRE_SAMPLE_COMPAT) == 0)
        sample.wait = blocked_on(tracer->supervisor, tracee, state, &cpu);
    bool known = attribution_stack_is_known(&tracee->sleep, &cpu);
    if (tracer->stack.limit > 0 && !known) {
        attribution_emit_stack(tracer, tracee, state, &sample);
        return;
    }
    if (known)
        sample.flags |= WIRE_SAMPLE_SAME_STACK;
    attribution_emit(tracer, tracee, &sample, NULL);
}
