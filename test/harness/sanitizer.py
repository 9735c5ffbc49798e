# SPDX-License-Identifier: BSD-3-Clause
"""Programs that have no sanitizer run with libraries of ours that have one (`bazel test --config=asan`).

The sanitizer's runtime must be in front of all other libraries, so that it sees every malloc and free. It leaves signals,
alternate stacks and cores to the program, whose ending is compared with that of a run without EPIK. Each report is a
file, because a process may have closed its stderr, or no other process may read it.
"""
import glob
import os
import re
import subprocess
import sys

LEAVES_ALONE = ("handle_abort=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:use_sigaltstack=0:"
                "disable_coredump=0:allocator_may_return_null=1")
# Leaks at the end of a guest say nothing about us, and a process under a tracer cannot be searched. early_archive.c
# stands in front of the runtime.
NO_ORDER = "verify_asan_link_order=0"
NO_LEAKS = "detect_leaks=0"
REPORT = re.compile(r"ERROR: \w+Sanitizer|\w+Sanitizer: CHECK failed|: runtime error: ")
MOST_TEXT = 3000  # of a report
# Open MPI's launcher uses freed memory when a job is killed. None of our code runs in launchers.
LAUNCHERS = ("mpirun", "orterun", "orted", "mpiexec", "hydra")


def runtime_of(library):
    """The path of the sanitizer's runtime that the library needs; None: the library has no sanitizer."""
    dynamic = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    needed = re.search(r"NEEDED.*\[(libasan\.so\.\d+)\]", dynamic)
    if needed is None:
        return None
    found = subprocess.run(["gcc", "-print-file-name=" + needed.group(1)], capture_output=True, text=True, check=True)
    return os.path.realpath(found.stdout.strip())


class Sanitizer:
    """The sanitizer of a library of ours, or none."""

    def __init__(self, library, folder):
        self.runtime = runtime_of(library)
        self.folder = folder
        self.first = []  # libraries in front of all others
        if self.runtime is not None:
            os.mkdir(folder)
            os.chmod(folder, 0o777)  # guests change their user
            early = os.path.join(folder, "early_archive.so")
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "early_archive.c")
            libraries = os.path.dirname(os.path.abspath(library))
            subprocess.run(["gcc", "-shared", "-fPIC", '-DFOLDER="%s"' % libraries, source, "-o", early], check=True)
            self.first = [early, self.runtime]

    def environment(self):
        """The variables that each process needs in its environment."""
        if self.runtime is None:
            return {}
        log = "log_exe_name=1:log_path=" + os.path.join(self.folder, "report")
        return {"ASAN_OPTIONS": ":".join((NO_LEAKS, NO_ORDER, LEAVES_ALONE, log)), "UBSAN_OPTIONS": "print_stacktrace=1:" + log}

    def preload(self, *libraries):
        """LD_PRELOAD for a program that needs these libraries; None: it is not set."""
        return ":".join(str(library) for library in (*self.first, *libraries) if library) or None

    def started(self, environment):
        """The environment of a process, which it passes on to all processes that it starts."""
        if self.runtime is None:
            return environment
        return {**environment, **self.environment(), "LD_PRELOAD": self.preload(environment.get("LD_PRELOAD"))}

    def begin_again(self):
        """Begins this test again with the runtime in front: it loads a library of ours itself. Its own reports are in its log."""
        if self.runtime is not None and "LD_PRELOAD" not in os.environ:
            options = ":".join((NO_LEAKS, NO_ORDER))
            os.execve(sys.executable, [sys.executable, *sys.argv],
                      {**os.environ, "LD_PRELOAD": self.runtime, "ASAN_OPTIONS": options})

    def check(self, text=""):
        """Fails if any process has left a report, or if the text has one."""
        if self.runtime is None:
            return
        texts = [text]
        for path in glob.glob(os.path.join(self.folder, "report.*")):
            if os.path.basename(path).startswith(tuple("report." + launcher for launcher in LAUNCHERS)):
                os.unlink(path)
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
            os.unlink(path)
        for each in texts:
            found = REPORT.search(each)
            if found:
                raise AssertionError("a sanitizer reports: " + each[found.start():][:MOST_TEXT])
