# SPDX-License-Identifier: LGPL-2.1-or-later
"""Burns CPU time in three functions, and measures how much in each. Arguments: seconds, and where to write the result:
lines "FUNCTION NS". Works with Python 3.8 and later."""
import sys
import time


def third(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total


def second(n):
    return sum([third(n // 10) for _ in range(10)])


def first(n):
    total = 0
    for i in range(n):
        total ^= i * 3
    return total


def main(seconds, path):
    clock = time.thread_time_ns
    spent = {"first": 0, "second": 0, "third": 0}
    end = clock() + int(seconds * 1e9)
    while clock() < end:
        for function, n in ((first, 60000), (third, 30000), (second, 90000)):
            before = clock()
            function(n)
            spent[function.__name__] += clock() - before
    with open(path, "w") as out:
        for name, ns in spent.items():
            print(name, ns, file=out)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2])
