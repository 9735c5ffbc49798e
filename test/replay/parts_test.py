#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A receive of a partitioned message waits until its sender has marked the last part."""

import csv
import io
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, main, need, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
ROUNDS, MS = 3, 40


def late_senders(b, archive):
    rows = csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out))
    return [row for row in rows if row["pattern"] == "mpi_latesender"]


def check(name, words):
    need(shutil.which(f"mpirun.{name}"), name)

    def planted():
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{name}", "parts.c", ["-O1"], instrument=None)
        run = b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 2, program, ROUNDS, MS],
                    env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"}, check=False)
        need(run.status != 77, f"partitioned messages in {name}")
        expect("status", run.status, 0)
        archive, = b.archives()
        summary = late_senders(b, archive)
        expect("messages", b.run([b.epk, "analyze", archive]).err, "")
        for row, in (summary, late_senders(b, archive)):
            expect("who", (row["rank"], row["callpath"].split(" > ")[-1], int(row["instances"])), ("1", "MPI_Wait", ROUNDS))
            expect_time(0.8e-3 * MS * ROUNDS < float(row["seconds"]) < 1, row["seconds"])
        printed = b.run([b.epk, "print", archive]).out
        expect("records", printed.count("send ready"), ROUNDS)

    retried(planted)


def test_openmpi():
    check("openmpi", ["--oversubscribe"])


def test_mpich():
    check("mpich", [])


if __name__ == "__main__":
    sys.exit(main(globals()))
