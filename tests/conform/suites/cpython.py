# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a module of CPython's test package, or some of its tests, and notes the verdict of each.

    cpython.py --units NAME...          the modules of test_NAME..., one a line
    cpython.py MODULE FILE [TEST...]    appends "VERDICT TEST" to FILE

A test is noted as "begun" before it runs, so that a test that ends the interpreter is known. Tests that FILE
already has are not run again.
"""
import importlib.util
import os
import pkgutil
import sys
import unittest


def units(names):
    """The modules of these names, and of a package all of its modules."""
    for name in names:
        found = importlib.util.find_spec("test.test_" + name)
        if found is None:
            continue
        parts = [part.name for part in pkgutil.iter_modules(found.submodule_search_locations)
                 if part.name.startswith("test_")] if found.submodule_search_locations else []
        yield from [found.name + "." + part for part in parts] or [found.name]


class Notes(unittest.TextTestResult):
    """Writes each line at once, for the process may end next."""

    def __init__(self, file, stream):
        super().__init__(stream, descriptions=False, verbosity=2)
        self.file = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self.process = os.getpid()
        self.verdict = None
        with open(file) as lines:
            self.known = {line.split(" ", 1)[1].rstrip("\n") for line in lines}

    def note(self, verdict, test):
        if os.getpid() == self.process:  # a child of a test may come back here
            os.write(self.file, "{} {}\n".format(verdict, test.id()).encode())

    def startTest(self, test):
        super().startTest(test)
        self.verdict = "ok"
        self.note("begun", test)

    def stopTest(self, test):
        super().stopTest(test)
        self.note(self.verdict, test)
        self.verdict = None

    def bad(self, verdict, test):
        if self.verdict is None:  # an error of a whole class or module, for which startTest is not called
            self.note(verdict, test)
        self.verdict = self.verdict and verdict

    def addError(self, test, err):
        super().addError(test, err)
        self.bad("error", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad("fail", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.bad("skip", test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.bad("unexpected", test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.bad("fail", test)


def chosen(suite, names, known):
    """The tests that are not known; with names only those of that name, or of a class or module of that name."""
    rest = unittest.TestSuite()
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            part = chosen(test, names, known)
            if part.countTestCases():
                rest.addTest(part)
        elif test.id() not in known and (not names or any(
                test.id() == name or test.id().startswith(name + ".") for name in names)):
            rest.addTest(test)
    return rest


def main():
    if sys.argv[1] == "--units":
        print("\n".join(units(sys.argv[2:])))
        return
    from test import support
    module, file, *names = sys.argv[1:]
    support.use_resources = []  # as python3 -m test does: no network, no gigabytes
    support.verbose = True
    names = [name.split("(")[-1].rstrip(")") for name in names]  # of "setUpClass (NAME)"
    result = Notes(file, unittest.runner._WritelnDecorator(sys.stderr))
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName(module)
    except unittest.SkipTest as reason:
        print("skipped:", reason)
        return
    chosen(suite, names, result.known).run(result)
    result.printErrors()


if __name__ == "__main__":
    main()
