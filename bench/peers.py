# SPDX-License-Identifier: BSD-3-Clause
"""Other tools of Debian that measure the same programs: variants and rows for the tables of run.py."""

import shutil

PROGRAMS = {"leaf": "leaf", "fib": "recursive tree", "paths": "181 000 call paths"}
# Name: the command that runs a program, with {folder} for its output; and the kind of program: with hooks, without, or
# with -pg.
TOOLS = {
    "uftrace": (["uftrace", "record", "--no-event", "--no-libcall", "-d", "{folder}/uftrace"], "hooks"),
    "perf": (["perf", "record", "-q", "-g", "-o", "{folder}/perf.data"], "plain"),
    "gprof": ([], "gprof"),
}
DOES = {
    "uftrace": "trace of each call",
    "perf": "samples of the stack",
    "gprof": "counts calls, samples",
}


def found():
    """Tools that are installed; gprof's part is in every gcc."""
    return [name for name in TOOLS if shutil.which({"gprof": "gcc"}.get(name, name))]


def missing():
    return [name for name in TOOLS if name not in found()]


def rows():
    ours = [("summary", "EPIK, summary"), ("trace", "EPIK, trace and summary")]
    theirs = [(name, f"{name}, {DOES[name]}") for name in found()]
    return [(f"peers: {what}", label, "added", variant, "floor", program, "ns", "x", None)
            for program, what in PROGRAMS.items() for variant, label in ours + theirs]


def words(variant, folder):
    """The words before the program on the command line."""
    if variant not in TOOLS:
        return []
    command = [word.format(folder=folder) for word in TOOLS[variant][0]]
    return [shutil.which(command[0]), *command[1:]] if command else []


def binary(places, variant, program):
    """The program for this tool, or None when it cannot be built."""
    kind = TOOLS[variant][1]
    if kind != "gprof":
        return places.program(program, kind == "hooks")
    return places.compiled("gcc", f"{program}_pg", f"bench/programs/{program}.c", "-pg", "-fno-inline-functions")
