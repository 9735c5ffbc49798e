#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two threads have small sends open at once. The MPI may give all of them one request. Each send ends in the thread that
began it, and no call that only begins a send waits."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
THREADS, SENDS = 2, 8


def check(name, words):
    need(shutil.which(f"mpirun.{name}"), name)
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "shared.c", ["-O1", "-pthread"], instrument=None)
    b.run([b.epk, "run", "-t", "comm", f"mpirun.{name}", *words, "-n", 2, program])
    archive, = b.archives()
    events = [json.loads(line) for line in b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines()]
    threads = {what: {event["request"]: event["thread"] for event in events if event["event"] == what}
               for what in ("send begin", "send end")}
    expect("sends", len(threads["send begin"]), THREADS * SENDS)
    expect("ends of sends", threads["send end"], threads["send begin"])
    expect("messages", b.run([b.epk, "analyze", archive]).err, "")
    waits = b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out
    assert "MPI_Isend" not in waits, waits


def test_openmpi():
    check("openmpi", ["--oversubscribe"])


def test_mpich():
    check("mpich", [])


if __name__ == "__main__":
    sys.exit(main(globals()))
