#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A large message moves only while its receiver is in MPI, and so does a non-blocking collective operation: a process
that waits for it waits for the other's computation. The guest notes how long."""

import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, main, need, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
LARGE, MS = 400_000, 50


def rows_of(b, archive, *words):
    return list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, *words, "--format", "csv"]).out)))


class Runs:
    def __init__(self, name, words):
        need(shutil.which(f"mpirun.{name}"), name)
        self.bench = Bench(PREFIX, PROGRAMS)
        flags = ["-O1", "-g", "-finstrument-functions"]
        self.program = self.bench.compile(f"mpicc.{name}", "progress.c", flags, instrument=None)
        self.launch = [self.bench.epk, "run", "-t", "all", f"mpirun.{name}", *words, "-n", 2, self.program]

    def run(self, size, how):
        """The archive, and of each round how long the sender waited, and how long until the receiver was back."""
        b = self.bench
        known = set(b.archives())
        b.run([*self.launch, size, MS, how])
        archive, = set(b.archives()) - known
        rounds = [tuple(map(float, line.split())) for line in (b.folder / "truth").read_text().splitlines()]
        expect("rounds", len(rounds), 4)
        return archive, rounds

    def waits(self, archive):
        b = self.bench
        expect("messages", b.run([b.epk, "analyze", archive]).err, "")
        found = {row["pattern"]: row for row in rows_of(b, archive, "--waits") if row["pattern"] == "mpi_lateprogress"}
        cost = sum(float(row["seconds"]) for row in rows_of(b, archive, "--causes") if "lateprogress" in row["kind"])
        seconds = sum(float(row["seconds"]) for row in found.values())
        assert abs(cost - seconds) < 1e-6, (cost, seconds)
        facts = json.loads((archive / "analysis.json").read_text())
        assert facts["sums"]["beyond_calls_s"] < 1e-6, facts["sums"]
        return found

    def gains(self, archive):
        """The run gains all of the computation that the receiver saves."""
        found = json.loads(self.bench.run([self.bench.epk, "predict", archive, "--faster", "compute:10x", "--format",
                                           "json"]).out)
        gain = found["measured_s"] - found["predicted_s"]
        expect_time(gain > 0.8 * 4 * 0.9 * (10 + MS) * 1e-3, found["measured_s"], found["predicted_s"])


def check(name, words, how):
    runs = Runs(name, words)

    def planted():
        archive, rounds = runs.run(LARGE, how)
        need(all(until < waited for waited, until in rounds), f"{name} moves it alone")
        expect_time(all(until > 0.5e-3 * MS for _, until in rounds), "the receiver was not late", rounds)
        row = runs.waits(archive)["mpi_lateprogress"]
        call = "MPI_Waitall" if how == "both" else "MPI_Wait"
        expect("who", (row["rank"], row["callpath"].split(" > ")[-1], int(row["instances"])), ("0", call, 4))
        text = " ".join(runs.bench.run([runs.bench.epk, "report", archive]).out.split())
        assert f"rank 0 waits in {call} for rank 1 to come to MPI, which spent" in text, text
        truth = sum(until for _, until in rounds)
        expect_time(abs(float(row["seconds"]) - truth) < 0.02 * truth + 4e-4, row["seconds"], truth)
        runs.gains(archive)

    retried(planted)
    archive, rounds = runs.run(8, how)
    if all(waited < until for waited, until in rounds):
        expect("small messages", runs.waits(archive), {})


def check_gain(name, words, how):
    runs = Runs(name, words)

    def planted():
        archive, rounds = runs.run(LARGE, how)
        need(all(until < waited for waited, until in rounds), f"{name} moves it alone")
        runs.gains(archive)

    retried(planted)


def test_messages_of_openmpi():
    check("openmpi", ["--oversubscribe"], "message")


def test_messages_of_mpich():
    check("mpich", [], "message")


def test_operations_of_openmpi():
    check("openmpi", ["--oversubscribe"], "sum")


def test_operations_of_mpich():
    check("mpich", [], "sum")


def test_messages_both_ways_of_openmpi():
    check("openmpi", ["--oversubscribe"], "both")


def test_messages_both_ways_of_mpich():
    check("mpich", [], "both")


def test_roots_of_openmpi():
    check_gain("openmpi", ["--oversubscribe"], "root")


def test_roots_of_mpich():
    check_gain("mpich", [], "root")


def test_messages_in_another_call_of_openmpi():
    check_gain("openmpi", ["--oversubscribe"], "call")


def test_messages_in_another_call_of_mpich():
    check_gain("mpich", [], "call")


if __name__ == "__main__":
    sys.exit(main(globals()))
