#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Persistent operations match by their `_init`, in whatever order processes start them, and count in each format."""

import collections
import csv
import io
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, installed, main, need, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
ROUNDS, MS, RANKS = 5, 40, 3
KINDS = ("mpi_wait_nxn", "mpi_barrier_wait")


def waits(b, archive):
    """(rank, caller and callee, pattern) -> (seconds, instances)"""
    rows = csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out))
    return {(int(row["rank"]), " > ".join(row["callpath"].split(" > ")[-2:]), row["pattern"]):
            (float(row["seconds"]), int(row["instances"])) for row in rows if row["pattern"] in KINDS}


def check_planted(found):
    """Both others wait for rank 1's start of the reduction, for little else."""
    seconds = collections.Counter()
    for (rank, path, _), (waited, _) in found.items():
        seconds[rank, path] += waited
    for rank in (0, 2):
        waited, instances = found[rank, "WaitForSum > MPI_Wait", "mpi_wait_nxn"]
        expect("instances", instances, ROUNDS)
        expect_time(0.8e-3 * MS * ROUNDS < waited < 1, (rank, waited))
    expect_time(seconds[1, "WaitForSum > MPI_Wait"] < 0.2e-3 * MS * ROUNDS, seconds)


def check(name, words):
    need(shutil.which(f"mpirun.{name}"), name)
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "persistent.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)

    def run(trace):
        for archive in b.archives():
            shutil.rmtree(archive)
        done = b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", RANKS, program, ROUNDS, MS],
                     env={"EPK_WAITS": "yes", "EPK_TRACE": "comm", **trace}, check=False)
        need(done.status != 77, f"persistent collective operations in {name}")
        expect("status", done.status, 0)
        archive, = b.archives()
        return archive

    def planted():
        archive = run({})
        summary = waits(b, archive)
        expect("messages", b.run([b.epk, "analyze", archive]).err, "")  # nor were clocks repaired
        trace = waits(b, archive)
        for found in (summary, trace):
            check_planted(found)
        for key in set(summary) | set(trace):
            mine, theirs = summary.get(key, (0, 0)), trace.get(key, (0, 0))
            assert mine[1] >= theirs[1] and abs(mine[0] - theirs[0]) <= 1e-9 * (mine[1] + 1), (key, mine, theirs)
        events = map(json.loads, b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines())
        told = collections.Counter(divmod(e["number"], 2**32) for e in events if e["event"] == "turn")
        starts = {(init, start): RANKS for init in (1, 2) for start in range(1, ROUNDS + 1)}
        expect("persistent operations", {key: count for key, count in told.items() if key[0] > 0}, starts)

    def with_gaps():
        archive = run({"ELG_BUFFER_SIZE": "8k", "EPK_OVERFLOW": "ring"})
        said = b.run([b.epk, "analyze", archive]).err
        assert "clocks" not in said, said

    def in_the_summary_and_the_trace():
        archive = run({"EPK_TRACE": "all"})
        b.run([b.epk, "check", archive, "--trace-vs-summary"])
        if not installed("otf2-print"):
            return
        b.run([b.epk, "convert", archive, "--to", "otf2", "-o", b.folder / "otf2"])
        ends = b.run(["otf2-print", b.folder / "otf2" / "traces.otf2"]).out
        for operation, each in (("ALLREDUCE", 2), ("BARRIER", 1)):
            expect(operation, len(re.findall(rf"COLLECTIVE_(?:END|COMPLETE) .*Operation: {operation},", ends)),
                   each * ROUNDS * RANKS)

    retried(planted)
    with_gaps()
    in_the_summary_and_the_trace()


def test_openmpi():
    check("openmpi", ["--oversubscribe"])


def test_mpich():
    check("mpich", [])


if __name__ == "__main__":
    sys.exit(main(globals()))
