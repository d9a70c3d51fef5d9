# SPDX-License-Identifier: LGPL-2.1-or-later
"""Work for tests/unwind/python-stacks, which compares stacks with those that faulthandler prints. Arguments: the kind of
work, and the descriptor to which faulthandler writes. Works with Python 3.8 and later."""
import asyncio
import faulthandler
import json
import os
import signal
import sqlite3
import sys
import threading
import zlib


def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


class Shape:
    def __init__(self, n):
        self.n = n

    @property
    def area(self):
        return spin(self.n)

    def __lt__(self, other):
        return spin(3) + self.n < other.n

    @staticmethod
    def make(n):
        return Shape(n)

    def __getattr__(self, name):
        return spin(20)


def generator(n):
    for i in range(n):
        yield spin(i % 50)


def delegating(n):
    yield from generator(n)


def cpu():
    """Plain calls, methods, generators, comprehensions, and calls through C: sorted, map, functools, exceptions."""
    while True:
        sum(delegating(40))
        sorted([Shape.make(i * 7919 % 101) for i in range(60)])
        [shape.area for shape in map(Shape, range(30))]
        {spin(i): lambda x=i: spin(x) for i in range(20)}
        Shape(3).missing
        try:
            list(map(lambda x: spin(x) // (x - 15), range(20)))
        except ZeroDivisionError:
            spin(100)
        exec("for i in range(5):\n    spin(30)")


class Node:
    def __init__(self, depth):
        self.children = [Node(depth - 1) for _ in range(3)] if depth > 0 else []
        self.parent = self

    def __del__(self):
        spin(2)


def gc():
    """Garbage with circles and finalizers: the collector runs in the middle of any allocation."""
    while True:
        Node(5)
        {str(i): [i] * 10 for i in range(300)}


def recursion_down(depth):
    if depth == 0:
        return spin(60)
    return recursion_down(depth - 1) + 1


def recursion():
    """Deep stacks that grow and shrink."""
    while True:
        for depth in (5, 60, 300, 90):
            recursion_down(depth)


def default(value):
    spin(40)
    return str(value)


def extensions():
    """C extensions that call Python: json, sqlite3 and zlib."""
    data = os.urandom(30000) * 3
    base = sqlite3.connect(":memory:")
    base.create_function("spin", 1, spin)
    base.execute("create table t(n)")
    base.executemany("insert into t values (?)", [(i,) for i in range(100)])
    while True:
        zlib.decompress(zlib.compress(data, 6))
        json.dumps([{"a": Shape(1), "b": [i] * 5} for i in range(50)], default=default)
        base.execute("select sum(spin(n)) from t").fetchone()


def thread_work(event):
    while not event.is_set():
        recursion_down(20)
        sum(generator(30))
        event.wait(0.0005)


def threads():
    """Threads that wait for the interpreter's lock, sleep, begin and end."""
    event = threading.Event()
    for _ in range(3):
        threading.Thread(target=thread_work, args=(event,), daemon=True).start()
    while True:
        cpu_once()


def cpu_once():
    sum(delegating(40))
    sorted([Shape.make(i * 7919 % 101) for i in range(60)])


async def coroutine(depth):
    if depth > 0:
        return await coroutine(depth - 1)
    spin(100)
    await asyncio.sleep(0)
    return spin(100)


async def coroutines():
    while True:
        await asyncio.gather(*(coroutine(i) for i in range(10)))


def tasks():
    """Coroutines of asyncio."""
    asyncio.run(coroutines())


if __name__ == "__main__":
    output = os.fdopen(int(sys.argv[2]), "w")
    faulthandler.register(signal.SIGUSR1, file=output, all_threads=False)
    sys.setrecursionlimit(5000)
    output.write("ready\n")
    output.flush()
    {"cpu": cpu, "gc": gc, "recursion": recursion, "extensions": extensions, "threads": threads, "tasks": tasks}[
        sys.argv[1]]()
