#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A receive whose request is freed still gets its message: later receives wait for theirs."""

import csv
import io
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
LATE = 0.06


def waits_of(b, archive):
    rows = csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out))
    return sum(float(row["seconds"]) for row in rows if row["pattern"] == "mpi_latesender" and row["rank"] == "0")


def check(name, words, *arguments):
    need(shutil.which(f"mpirun.{name}"), name)
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "freed.c", ["-O1"], instrument=None)
    b.run([b.epk, "run", "-t", "comm", f"mpirun.{name}", *words, "-n", 2, program, *arguments])
    archive, = b.archives()
    printed = b.run([b.epk, "print", archive]).out
    expect("requests that were freed", printed.count("request freed"), 1)
    expect("messages of freed receives", printed.count("freed received"), len(arguments))
    expect("messages", b.run([b.epk, "analyze", archive]).err, "")
    waited = waits_of(b, archive)
    assert waited > LATE / 2, f"late senders: {waited} s of {2 * LATE} s"


def test_openmpi():
    check("openmpi", ["--oversubscribe"])


def test_mpich():
    check("mpich", [])


def test_any_message_with_openmpi():
    check("openmpi", ["--oversubscribe"], "any")


def test_any_message_with_mpich():
    check("mpich", [], "any")


if __name__ == "__main__":
    sys.exit(main(globals()))
