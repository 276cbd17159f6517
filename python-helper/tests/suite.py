"""Runs test files and says what each test did, one JSON object a line: python3 suite.py [--report FILE] [FILE|FILE:TEST …]

A FILE is the name of a file of this folder, a TEST one of its tests as `Class.test_name`; without any, all files. The
lines are {"file", "test", "began": true} when a test begins and {"file", "test", "state": "passed"|"failed"|"skipped",
"seconds", "message", "line"} at its end; so a run that is killed has named the test it was at. The exit status is 0
when nothing failed.
"""
import argparse
import ctypes
import glob
import json
import os
import sys
import time
import traceback
import unittest

TESTS = os.path.dirname(os.path.abspath(__file__))


class Result(unittest.TextTestResult):
    """What unittest prints, and a line for each test in the report."""

    def __init__(self, stream, descriptions, verbosity, report):
        super().__init__(stream, descriptions, verbosity)
        self._report = report
        self._began = None  # when the test began; Python 3.12.1 begins none that is skipped as a whole
        self._problems = []
        self._file_of = {}

    def startTest(self, test):
        self._began = time.monotonic()
        self._problems = []
        self._write(test, began=True)
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        if self._problems:
            line, message = self._problems[0]
            self._end(test, "failed", message + _more(len(self._problems) - 1), line)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._end(test, "passed")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._end(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._problems.append((None, "It passed, though it is marked as one that fails."))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._end(test, "skipped", reason)

    def addError(self, test, err):
        super().addError(test, err)
        self._fail(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fail(test, err, subtest._subDescription())

    def _fail(self, test, err, which=""):
        line, message = _where(err)
        message = "%s %s" % (which, message) if which else message
        if isinstance(test, unittest.TestCase):
            self._problems.append((line, message))
        else:  # the set-up of a class or module: no test begins there
            self._end(test, "failed", message, line)

    def _end(self, test, state, message="", line=None):
        seconds = 0.0 if self._began is None else round(time.monotonic() - self._began, 3)
        self._began = None
        self._write(test, state=state, seconds=seconds, message=message, line=line)

    def _write(self, test, **told):
        if self._report is None:
            return
        file, name = _name(test)
        self._report.write(json.dumps(dict(told, file=file, test=name)) + "\n")
        self._report.flush()


def _more(others):
    return "\n(and %d more in the same test)" % others if others else ""


def _name(test):
    """(file name, Class.test_name) of a test, or of what stands for a class's set-up."""
    module, _, rest = test.id().partition(".")
    if not isinstance(test, unittest.TestCase):  # "setUpClass (module.Class)"
        module, rest = test.id().partition("(")[2].rstrip(")").partition(".")[0], test.id()
    return module + ".py", rest


def _where(err):
    """(line in the test's own file or None, the error as Python tells it, its last lines)."""
    kind, error, trace = err
    line = None
    for frame in traceback.extract_tb(trace):
        if os.path.dirname(os.path.abspath(frame.filename)) == TESTS:
            line = frame.lineno
    return line, "".join(traceback.format_exception_only(kind, error)).strip()[-4000:]


def keep_resident():
    """Keep this interpreter's file and libraries in memory, for the tests' own processes too, where that is allowed.

    A kernel that makes room takes the pages of files back from every process that has them mapped. In a process whose
    RSS is measured that looks like memory given back by whatever line it is at. It leaves alone what one process has
    locked.
    """
    every_page_mapped_now = 1  # MCL_CURRENT
    ctypes.CDLL(None).mlockall(every_page_mapped_now)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report")
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    os.chdir(os.path.dirname(TESTS))
    keep_resident()
    files = chosen.names or sorted(os.path.basename(path) for path in glob.glob(os.path.join(TESTS, "test_*.py")))
    names = [file[:-3] + ("." + test if test else "") for file, _, test in (one.partition(":") for one in files)]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    report = open(chosen.report, "a") if chosen.report else None
    runner = unittest.TextTestRunner(
        resultclass=lambda *told, **more: Result(told[0], told[1], told[2], report), verbosity=1)
    result = runner.run(suite)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
