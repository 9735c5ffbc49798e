# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cases of a test file and reports each result: in lines, and in the XML that `./dev test` counts.

A case is a function. It passes by returning, fails by raising, and is skipped by `skip(why)` where it cannot run. A case
marked @long takes more than some four seconds: the target that runs it has `args = ["--long"]` and the tag `long_part`. A
case marked @timed measures time: the target that runs it has `args = ["--timed"]` and the tag `cpu:4`, so that it is alone.
A case with both marks belongs to the long part. `test_in_parts` (parts.bzl) makes these targets.
"""
import os
import resource
import shutil
import subprocess
import sys
import time
import traceback
import xml.sax.saxutils as saxutils

REASON_WIDTH = 4000  # of the text of one failure


class Skipped(Exception):
    """The case cannot run on this machine; the text names what is missing."""


class TimeDiffers(AssertionError):
    """A time is wrong. Other programs may have used the processors: see `retried`."""


class Tries:
    """How often checks of time were tried again, in this process."""
    again = 0


LEFT_OUT = []  # why parts of the tests could not run


def skip(why):
    raise Skipped(why)


def need(there, why):
    """Skips the case if the condition is false."""
    if not there:
        raise Skipped(why)


def left_out(why):
    """Notes that a part of the tests cannot run: it is counted as skipped, once for each reason, and the rest goes on."""
    if why not in LEFT_OUT:
        LEFT_OUT.append(why)


def installed(command):
    """Whether the command exists; if not, the part that needs it is counted as skipped."""
    if shutil.which(command) is not None:
        return True
    left_out(f"{command} is not installed")
    return False


def skip_all(why):
    """Skips a whole file."""
    left_out(why)
    sys.exit(Results(os.environ.get("TEST_TARGET") or os.path.basename(sys.argv[0])).finish())


def long(function):
    """Marks a case of the long part."""
    function.is_long = True
    return function


def timed(function):
    """Marks a case that measures time, in a file whose other cases need not be alone."""
    function.is_timed = True
    return function


def long_cases(name, check_seeds, first, count, seeds):
    """Makes cases of the long part, each with a number of seeds: NAME_FIRST, ..., for globals().update()."""
    def case_from(start):
        @long
        def test():
            check_seeds(range(start, start + seeds))
        test.__name__ = f"{name}_{start}"
        return test.__name__, test
    return dict(case_from(first + i * seeds) for i in range(count))


def expect_time(truth, *what):
    """Checks a time. Within `retried`, only such checks have more than one try."""
    if not truth:
        raise TimeDiffers(" ".join(str(word) for word in what))


def retried(check, *arguments, times=10):
    """Runs a check again when a time differs (`expect_time`). Every other failure is final: counts do not depend on the
    load of the machine."""
    for left in reversed(range(times)):
        try:
            return check(*arguments)
        except TimeDiffers as problem:
            if left == 0:
                raise
            Tries.again += 1
            print(f"        try {times - left} of {times} of {check.__name__}: {problem}", flush=True)


def cpu_seconds():
    """CPU time of this process and of the children it has waited for: the only reliable measure on a shared machine."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Results:
    """The result of each case, and the file of results that Bazel keeps."""

    def __init__(self, name):
        self.name = name
        self.rows = []  # name, seconds, "" | "failure" | "skipped", text

    def run(self, name, function, *arguments):
        before, used_before = time.monotonic(), cpu_seconds()
        kind, text = "", ""
        try:
            function(*arguments)
        except Skipped as why:
            kind, text = "skipped", str(why)
        except (AssertionError, subprocess.TimeoutExpired, OSError) as problem:
            kind, text = "failure", f"{type(problem).__name__}: {problem}"
        except Exception:  # a mistake in the test itself: the other cases still run
            kind, text = "failure", traceback.format_exc()
        self.add(name, time.monotonic() - before, kind, text, cpu_seconds() - used_before)

    def add(self, name, seconds, kind="", text="", cpu=0.0):
        self.rows.append((name, seconds, kind, text))
        word = {"": "ok", "failure": "FAILED", "skipped": "skipped"}[kind]
        print(f"{word:7} {seconds:7.2f} s {cpu:7.2f} s CPU  {name}{': ' + text if text else ''}", flush=True)

    def count(self, kind):
        return sum(row[2] == kind for row in self.rows)

    def finish(self):
        """Writes the file, prints the last line, and returns the exit status. A run without any case is a failure."""
        for why in LEFT_OUT:
            self.add("a part", 0, "skipped", why)
        path = os.environ.get("XML_OUTPUT_FILE")
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.xml())
        again = f"; {Tries.again} checks of time were tried again" if Tries.again else ""
        print(f"{self.name}: {self.count('')} cases passed, {self.count('failure')} failed, "
              f"{self.count('skipped')} skipped{again}")
        return 1 if self.count("failure") or not self.rows else 0

    def xml(self):
        quote = saxutils.quoteattr
        lines = ['<?xml version="1.0" encoding="UTF-8"?>',
                 f'<testsuite name={quote(self.name)} tests="{len(self.rows)}" failures="{self.count("failure")}" '
                 f'skipped="{self.count("skipped")}">',
                 f'<properties><property name="tries_again" value="{Tries.again}"/></properties>']
        for name, seconds, kind, text in self.rows:
            inside = f"<{kind} message={quote(printable(text))}/>" if kind else ""
            lines.append(f'<testcase name={quote(name)} classname={quote(self.name)} time="{seconds:.3f}">{inside}</testcase>')
        return "\n".join([*lines, "</testsuite>", ""])


def printable(text):
    """XML has no control characters."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text[:REASON_WIDTH])


def chosen(functions, words):
    """The cases that the words of the command line ask for: names, or one part of them (`--long`, `--timed`, `--all`;
    else the default part), and of those the share of this shard."""
    names = [word for word in words if not word.startswith("--")]
    if names:
        return [f for f in functions if f.__name__ in names]
    part = next((word for word in ("--long", "--timed") if word in words), "")
    return sharded([f for f in functions if "--all" in words or part_of(f) == part])


def part_of(function):
    if getattr(function, "is_long", False):
        return "--long"
    return "--timed" if getattr(function, "is_timed", False) else ""


def sharded(things):
    """Every n-th of them where Bazel runs a target in n shards (`shard_count`)."""
    status = os.environ.get("TEST_SHARD_STATUS_FILE")
    if status:
        with open(status, "w", encoding="utf-8"):
            pass
    count = int(os.environ.get("TEST_TOTAL_SHARDS") or 1)
    return list(things)[int(os.environ.get("TEST_SHARD_INDEX") or 0)::count]


def main(functions, words=None, name=None):
    """Runs the chosen ones of the functions. Returns an exit status."""
    words = sys.argv[1:] if words is None else words
    results = Results(name or os.environ.get("TEST_TARGET") or os.path.basename(sys.argv[0]))
    for function in chosen(functions, words):
        results.run(function.__name__, function)
    return results.finish()
