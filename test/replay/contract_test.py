#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The output that scripts rely on: columns of CSV, exit statuses, and the names of metrics in trace.cubex."""

import csv
import io
import json
import pathlib
import re
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, installed, main, mpis, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
FLAGS = ["-O1", "-g", "-finstrument-functions", "-I", PREFIX / "include"]
MPIS = mpis()
SECONDS = re.compile(r"\d+(\.\d+)?(e-?\d+)?")


def table(b, archive, view, columns):
    text = b.run([b.epk, "report", archive, view, "--format", "csv"]).out
    expect(f"columns of {view}", text.splitlines()[0], columns)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows, f"{view} has no rows"
    for row in rows:
        for column in columns.split(","):
            if column in ("rank", "thread", "instances"):
                assert row[column].isdigit(), row
            if column in ("seconds", "from_s", "to_s"):
                assert SECONDS.fullmatch(row[column]), row
    return rows


def metrics_of(b, profile):
    report = json.loads(b.run([b.epk, "report", profile, "--format", "json"]).out)
    return {metric["unique_name"]: metric for metric in report["metrics"]}


def traced(b, name, words, trace):
    before = set(b.archives())
    b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 4, b.program], env={"EPK_TRACE": trace})
    return next(a for a in b.archives() if a not in before)


def start():
    need(MPIS, "no MPI")
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    b.program = b.compile(f"mpicc.{name}", "chain.c", FLAGS, instrument=None)
    return b, name, words


def test_whole():
    b, name, words = start()
    archive = traced(b, name, words, "comm")
    result = b.run([b.epk, "analyze", archive])
    expect("status", result.status, 0)
    expect("standard error", result.err, "")
    metrics = metrics_of(b, archive / "trace.cubex")
    waits = table(b, archive, "--waits", "rank,thread,callpath,pattern,seconds,instances")
    assert {row["pattern"] for row in waits} <= set(metrics), "patterns are unique names of metrics"
    late = next(row for row in waits if row["pattern"] == "mpi_latesender" and row["rank"] == "1")
    assert late["callpath"].startswith("chain > main > ") and late["callpath"].endswith(" > MPI_Recv"), late
    causes = table(b, archive, "--causes", "rank,thread,callpath,kind,seconds")
    assert {row["kind"] for row in causes} <= set(metrics), "kinds are those of the delay metrics"
    expect("kinds", {row["kind"].split("_")[0] for row in causes}, {"delay"})
    table(b, archive, "--critical", "from_s,to_s,rank,thread,callpath")
    instances = table(b, archive, "--instances",
                      "seconds,from_s,to_s,rank,thread,who,waited_for,kind,wait_state,callpath,metric")
    assert {row["metric"] for row in instances} <= {row["pattern"] for row in waits}, "instances are waits"
    for known in ("mpi_latesender", "mpi_latesender_wo", "mpi_latereceiver", "mpi_barrier_wait", "mpi_wait_nxn",
                  "delay_latesender", "delay_latesender_longterm", "mpi_wait_indirect_latesender", "critical_path",
                  "critical_imbalance_impact", "mpi_cls_count", "mpi_slswo_count", "mpi_rma_pairsync_count"):
        assert known in metrics, f"trace.cubex lacks {known}"
    # Each receive that waited for data has one late message, whose sender was late.
    report = json.loads(b.run([b.epk, "report", archive / "trace.cubex", "--format", "json"]).out)
    late, waits = (sum(sum(cells["value"]) for cells in report["values"] if cells["metric"] == name)
                   for name in ("mpi_cls_count", "mpi_latesender_instances"))
    assert late == waits >= 2, f"{late} late messages, {waits} waits"
    if installed("cube_dump"):
        b.run(["cube_dump", archive / "trace.cubex"])


def test_a_part():
    b, name, words = start()
    archive = traced(b, name, words, "comm,ranks:1-3")
    result = b.run([b.epk, "analyze", archive])
    expect("status", result.status, 0)
    said = [line for line in result.err.splitlines() if line.startswith("epk analyze: unmatched: ")]
    facts = json.loads((archive / "analysis.json").read_text())
    expect("lines", len(said), len(facts["unmatched"]))
    assert any(entry["reason"] == "rank_not_traced" for entry in facts["unmatched"]), facts["unmatched"]


def test_nothing():
    b, _, _ = start()
    expect("status of no archive", b.run([b.epk, "analyze", b.folder], check=False).status, 1)
    expect("status of wrong usage", b.run([b.epk, "analyze", "--no-such-option"], check=False).status, 2)


if __name__ == "__main__":
    sys.exit(main(globals()))
