#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Buffer_detach waits for the receivers of large messages that are in the buffer. The guest notes how long."""

import csv
import io
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, main, need, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
LARGE, MS, ROUNDS = 400_000, 60, 3


class Runs:
    def __init__(self, name, words):
        need(shutil.which(f"mpirun.{name}"), name)
        self.bench = Bench(PREFIX, PROGRAMS)
        program = self.bench.compile(f"mpicc.{name}", "buffered.c", ["-O1"], instrument=None)
        self.launch = [self.bench.epk, "run", "-t", "comm", f"mpirun.{name}", *words, "-n", 2, program]

    def run(self, size):
        """The archive, how long the calls took, and the wait states of the call."""
        b = self.bench
        known = set(b.archives())
        b.run([*self.launch, size, MS])
        archive, = set(b.archives()) - known
        truth = [float(line) for line in (b.folder / "truth").read_text().split()]
        expect("rounds", len(truth), ROUNDS)
        expect("messages", b.run([b.epk, "analyze", archive]).err, "")
        rows = csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out))
        return archive, truth, {row["pattern"]: row for row in rows if row["callpath"].endswith("MPI_Buffer_detach")}


def check(name, words):
    runs = Runs(name, words)

    def planted():
        archive, truth, waits = runs.run(LARGE)
        need(min(truth) > 0.5e-3 * MS, f"{name} waits for the receiver")
        row = waits["mpi_latereceiver"]
        expect("who", (row["rank"], int(row["instances"])), ("0", ROUNDS))
        expect_time(1e-3 * MS * ROUNDS * 0.8 < float(row["seconds"]) < sum(truth), row["seconds"], truth)
        text = " ".join(runs.bench.run([runs.bench.epk, "report", archive]).out.split())
        assert "rank 0 waits in MPI_Buffer_detach for rank 1" in text, text

    retried(planted)
    _, truth, waits = runs.run(8)
    if max(truth) < 0.1e-3 * MS:
        expect("small messages", waits, {})


def test_openmpi():
    check("openmpi", ["--oversubscribe"])


def test_mpich():
    check("mpich", [])


if __name__ == "__main__":
    sys.exit(main(globals()))
