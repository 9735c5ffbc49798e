#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that run within a call that waits have their own time. No wait is longer than its call, no time counts
twice, and all waiting has a cause."""

import collections
import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
# Times in which no process waits for another, or that are a part of another wait.
PARTS = ("completion", "_wo", "lswo")


def rows_of(b, archive, *words):
    return list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, *words, "--format", "csv"]).out)))


def where(row):
    return row["rank"], row["thread"], row["callpath"]


def check(name, words):
    need(shutil.which(f"mpirun.{name}"), name)
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "interrupted.c", ["-O1", "-g", "-pthread", "-finstrument-functions"], instrument=None)
    b.run([b.epk, "run", "-t", "all", f"mpirun.{name}", *words, "-n", 2, program])
    archive, = b.archives()
    expect("messages", b.run([b.epk, "analyze", archive]).err, "")
    own, waited = collections.Counter(), collections.Counter()
    for row in rows_of(b, archive):
        own[where(row)] += float(row["excl_s"] or 0)
    for row in rows_of(b, archive, "--waits"):
        if not any(part in row["pattern"] for part in PARTS):
            waited[where(row)] += float(row["seconds"])
    # The measurement ends with the begin of MPI_Finalize.
    in_calls = {key: seconds for key, seconds in waited.items() if not key[2].endswith("MPI_Finalize")}
    for key, seconds in in_calls.items():
        assert seconds <= own[key] + 1e-6, f"{key}: waits {seconds} s, and has {own[key]} s"
    inner = {tuple(key[2].split(" > ")[-2:]) for key in own}
    assert {("MPI_Allreduce", "add"), ("pthread_cond_wait", "clean")} <= inner, f"functions within calls: {inner}"
    facts = json.loads((archive / "analysis.json").read_text())
    assert facts["sums"]["beyond_calls_s"] < 1e-6, facts["sums"]
    assert abs(facts["sums"]["waited_s"] - facts["causes"]["waited_s"]) < 1e-6, (facts["sums"], facts["causes"])
    cost = sum(float(row["seconds"]) for row in rows_of(b, archive, "--causes"))
    assert abs(cost - sum(waited.values())) < 1e-6, f"costs are {cost} s, waits {sum(waited.values())} s"


def test_openmpi():
    check("openmpi", ["--oversubscribe"])


def test_mpich():
    check("mpich", [])


if __name__ == "__main__":
    sys.exit(main(globals()))
