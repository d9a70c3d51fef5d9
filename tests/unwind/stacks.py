# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stacks as gdb sees them, with what pprofil would have copied at the same instant.

gdb -nx -batch -ex 'set args ...' -ex 'python output, count, pause, most = "out", 1000, 0.002,
262144' -x stacks.py PROGRAM
or, for the frames that eu-stack sees at that instant, in a core that gdb writes then: ... most,
eu_stack = ..., 262144, True

The program runs under gdb, is interrupted now and then (and run again when it ended), and each
stop becomes one record of the output, which tests/unwind/stacks.h describes. pause is in seconds,
most the bytes of stack that are copied.
"""
import os
import random
import re
import signal
import struct
import subprocess
import time

import gdb

MACHINES = {
    "i386:x86-64": (1, ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10",
                        "r11", "r12", "r13", "r14", "r15", "rip"]),
    "i386": (2, ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"]),
    "aarch64": (3, ["x%d" % number for number in range(31)] + ["sp", "pc"]),
}


def word(value):
    return int(value.cast(gdb.lookup_type("unsigned long long"))) & (2**64 - 1)


def mappings(pid):
    """All of them, and those that are executable as bytes."""
    stack, code = [], []
    with open("/proc/%d/maps" % pid, errors="surrogateescape") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(None, 5)
            start, end = (int(part, 16) for part in fields[0].split("-"))
            stack.append((start, end))
            if "x" in fields[1]:
                path = fields[5] if len(fields) > 5 else ""
                path = path.encode("utf-8", "surrogateescape")
                code.append(struct.pack("<QQQI", start, end, int(fields[2], 16), len(path)) + path)
    return stack, code


def knows_all_objects(pid):
    """Has gdb read all that is mapped? While the program loads its libraries it has not, and guesses."""
    known = {os.path.realpath(objfile.filename) for objfile in gdb.objfiles()}
    with open("/proc/%d/maps" % pid, errors="surrogateescape") as lines:
        parts = (line.rstrip("\n").split(None, 5) for line in lines)
        return all(fields[5] in known for fields in parts
                   if "x" in fields[1] and len(fields) > 5 and fields[5].startswith("/"))


def frames():
    """The program counters of real frames: inlined ones and tail calls have none of their own; why
    the list ends; and the stack pointer that a signal interrupted, or 0."""
    result, frame, interrupted = [], gdb.newest_frame(), 0
    while frame is not None and len(result) < 5000:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            name = (frame.name() or "?").encode()
            result.append(struct.pack("<QI", frame.pc() & (2**64 - 1), len(name)) + name)
        last, frame = frame, frame.older()
        if last.type() == gdb.SIGTRAMP_FRAME and frame is not None and interrupted == 0:
            interrupted = word(frame.read_register("sp"))
    return result, last.unwind_stop_reason(), interrupted


def frames_of_core():
    """The program counters that eu-stack sees, and what it says where it gives up."""
    core = output + ".core"
    gdb.execute("generate-core-file " + core, to_string=True)
    run = subprocess.run(["eu-stack", "-r", "-n", "0", "--core", core, "--executable",
                          gdb.current_progspace().filename], capture_output=True, check=False)
    os.unlink(core)
    thread = b"TID %d:" % gdb.selected_thread().ptid[1]
    lines = run.stdout.split(thread, 1)[-1].split(b"TID ", 1)[0]
    result = [struct.pack("<QI", int(pc, 16), 1) + b"?"
              for pc in re.findall(rb"^#\d+ +0x([0-9a-f]+)", lines, re.MULTILINE)]
    return result, run.stderr.strip()


def save_vdso(inferior):
    """The kernel's object of this kind of program, beside the output."""
    with open("/proc/%d/maps" % inferior.pid) as lines:
        for line in lines:
            if line.endswith("[vdso]\n"):
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                with open(output + ".vdso", "wb") as file:
                    file.write(bytes(inferior.read_memory(start, end - start)))


def piece(inferior, stack, sp, most):
    for start, end in stack:
        if start <= sp < end:
            size = min(end - sp, most)
            return struct.pack("<QI", sp, size) + bytes(inferior.read_memory(sp, size))
    return struct.pack("<QI", sp, 0)


def record(most):
    inferior = gdb.selected_inferior()
    frame = gdb.newest_frame()
    machine, names = MACHINES[frame.architecture().name()]
    registers = [word(frame.read_register(name)) for name in names]
    registers += [0] * (33 - len(registers))
    stack, code = mappings(inferior.pid)
    mask = 2**32 - 1 if machine == 2 else 2**64 - 1
    registers = [value & mask for value in registers]
    sp = word(frame.read_register("sp")) & mask
    seen, reason, interrupted = frames()
    text = gdb.frame_stop_reason_string(reason).encode()
    if globals().get("eu_stack", False):
        seen, text = frames_of_core()
    return (struct.pack("<4sI33Q", b"STK1", machine, *registers) +
            piece(inferior, stack, sp, most) +
            piece(inferior, stack, interrupted & mask, 0 if interrupted == 0 else most) +
            struct.pack("<I", len(code)) + b"".join(code) +
            struct.pack("<I", len(seen)) + b"".join(seen) +
            struct.pack("<I", len(text)) + text)


def start_interrupter():
    """A process that interrupts another one, a while after it is told its number: gdb's own
    threads do not run while its program does. Returns where to write the number."""
    numbers, tell = os.pipe()
    if os.fork() != 0:
        os.close(numbers)
        return tell
    os.close(tell)
    while True:
        number = os.read(numbers, 4)
        if len(number) < 4:
            os._exit(0)
        time.sleep(random.random() * 2 * pause)
        try:
            os.kill(struct.unpack("<I", number)[0], signal.SIGINT)
        except ProcessLookupError:
            pass


def main():
    for setting in ("pagination off", "confirm off", "backtrace past-main on",
                    "backtrace limit unlimited", "print thread-events off",
                    "debuginfod enabled off", "disable-randomization off"):
        gdb.execute("set " + setting)
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGINT stop nopass", to_string=True)
    tell, taken, stops = start_interrupter(), 0, 0
    with open(output, "wb") as file:
        while taken < count and stops < 20 * count:
            stops += 1
            try:
                if gdb.selected_inferior().pid == 0:
                    gdb.execute("starti", to_string=True)
                os.write(tell, struct.pack("<I", gdb.selected_inferior().pid))
                gdb.execute("continue", to_string=True)
                pid = gdb.selected_inferior().pid
                if pid != 0 and knows_all_objects(pid):
                    random.choice(gdb.selected_inferior().threads()).switch()
                    if taken == 0:
                        save_vdso(gdb.selected_inferior())
                    file.write(record(most))
                    taken += 1
            except gdb.error as error:
                print("stacks.py:", error)
                taken += 1
    if gdb.selected_inferior().pid != 0:
        gdb.execute("kill")


main()
