#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waits that grow from step to step, and a lock whose holder is known: per iteration, over time and as a histogram; the
holder is the cause; `epk diff` compares two runs. The program itself notes how long they were."""

import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, mpis, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
MPIS = mpis()
STEPS = 6
SLICE = 0.012  # another process may have the processor between a clock read of the program and one of the measurement


class Lab:
    """Two runs, the second with twice the time, both analysed."""
    made = None

    @classmethod
    def runs(cls):
        if cls.made is None:
            need(MPIS, "an MPI")
            name, words = MPIS[0]
            b = Bench(PREFIX, PROGRAMS)
            b.env.update(OMP_WAIT_POLICY="passive")
            program = b.compile(f"mpicc.{name}", "drift.c",
                                ["-O1", "-g", "-fopenmp", "-finstrument-functions", "-DEPIK", "-I", PREFIX / "include"],
                                instrument=None)
            archives, logs = [], []
            for unit in (5, 15):
                before = set(b.archives())
                b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 2, program, unit],
                      env={"EPK_TRACE": "comm", "OMP_NUM_THREADS": "2"})
                archives.append(next(a for a in b.archives() if a not in before))
                b.run([b.epk, "analyze", archives[-1]])
                logs.append([dict(line(text) for text in (b.folder / f"drift.{r}.log").read_text().splitlines())
                             for r in range(2)])
            cls.made = b, archives, logs
        return cls.made


def line(text):
    name, begin, end = text.split()
    return name, (int(begin) / 1e9, int(end) / 1e9)


def waits_of(logs):
    """By step."""
    return [min(logs[0][f"step{s}"][0], logs[1][f"step{s}"][1]) - logs[1][f"step{s}"][0] for s in range(STEPS)]


def near(what, found, wanted):
    assert abs(found - wanted) < max(0.05 * wanted, SLICE), f"{what}: {found} s, expected {wanted} s"


def test_waits_by_step_over_time_and_as_a_histogram():
    b, archives, logs = Lab.runs()
    for archive, log in zip(archives, logs):
        facts = json.loads((archive / "analysis.json").read_text())
        total = next(row for row in facts["waits"] if row["pattern"] == "mpi_latesender")
        loop = next(row for row in facts["iterations"] if row["parameter"] == "step")
        expect("steps", (loop["first"], loop["last"]), ([str(s) for s in range(STEPS)],) * 2)
        by_step = next(row["seconds"] for row in loop["patterns"] if row["pattern"] == "mpi_latesender")
        for step, wanted in enumerate(waits_of(log)):
            near(f"step {step}", by_step[step], wanted)
        assert abs(sum(by_step) - total["seconds"]) < 1e-6
        over_time = next(row["seconds"] for row in facts["over_time"]["patterns"] if row["pattern"] == "mpi_latesender")
        assert abs(sum(over_time) - total["seconds"]) < 1e-6
        assert max(over_time) <= facts["over_time"]["bin_s"] + 1e-9, "one thread waits no longer than a bin is"
        for row in facts["histograms"]:
            expect("buckets", sum(count for _, _, count in row["buckets"]), row["instances"])
            assert row["min_s"] <= row["median_s"] <= row["p90_s"] <= row["p99_s"] <= row["max_s"]
        spread = next(row for row in facts["histograms"] if row["pattern"] == "mpi_latesender" and "callpath" not in row)
        expect("instances", spread["instances"], total["instances"])
        assert abs(spread["seconds"] - total["seconds"]) < 1e-6
        near("the longest", spread["max_s"], max(waits_of(log)))
    text = b.run([b.epk, "report", archives[1], "--waits"]).out
    assert "How long single waits were" in text and "By step, 0 to 5" in text and "When: the whole run" in text, text
    assert "|" in next(line for line in b.run([b.epk, "report", archives[1]]).out.splitlines() if "waiting" in line)
    report = json.loads(b.run([b.epk, "report", archives[1], "--waits", "--format", "json"]).out)
    assert "mpi_latesender" in [row["metric"] for row in report["patterns"]]


def test_who_holds_a_lock_is_the_cause():
    b, archives, logs = Lab.runs()
    for archive, log in zip(archives, logs):
        rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--causes", "--format", "csv"]).out)))
        for rank in range(2):
            waited = log[rank]["freed"][0] - log[rank]["door"][0]
            causes = [row for row in rows if row["kind"] == "delay_lock" and int(row["rank"]) == rank]
            expect("threads", {row["thread"] for row in causes}, {"0"})
            # Its work before it made the other thread is no cause.
            expect("where", {"critical" in row["callpath"] or "parallel" in row["callpath"] for row in causes}, {True})
            near("the lock", sum(float(row["seconds"]) for row in causes), waited)
        facts = json.loads((archive / "analysis.json").read_text())
        chains = [chain for chain in facts["causes"]["chains"] if chain["kind"] == "delay_lock"]
        assert chains and all(chain["thread"] == 1 for chain in chains), facts["causes"]["chains"]
        assert all(f"thread {chain['rank']}:0" in chain["text"] for chain in chains), chains


def test_metrics_have_scalascas_names():
    """A metric contains its parts; the time that each waited for rank 0 is direct, and no process waited for a waiting
    one."""
    b, archives, _ = Lab.runs()
    report = json.loads(b.run([b.epk, "report", archives[1] / "trace.cubex", "--format", "json"]).out)
    sums = {}
    for values in report["values"]:
        sums[values["metric"]] = sum(values["value"])
    parents = {m["unique_name"]: m.get("parent") for m in report["metrics"]}
    for metric, parent in (("mpi_wait_direct_latesender", "mpi_wait_direct"),
                           ("mpi_wait_terminal_ls", "mpi_wait_terminal"),
                           ("delay_latesender", "delay_latesender_aggregate"),
                           ("delay_latesender_aggregate", "delay_p2p"),
                           ("mpi_latesender", "mpi_point2point")):
        known = parents[metric]
        name = report["metrics"][known]["unique_name"] if isinstance(known, int) else known
        expect(f"parent of {metric}", name, parent)
        assert 0 < sums[metric] <= sums[parent] + 1e-9, (metric, sums[metric], sums[parent])
    near("direct", sums["mpi_wait_direct_latesender"], sums["mpi_latesender"])


def test_diff():
    b, archives, _ = Lab.runs()
    text = b.run([b.epk, "diff", *archives]).out
    assert "waiting" in text and "Late Sender" in text and "caused: Lock Contention" in text, text
    found = json.loads(b.run([b.epk, "diff", *archives, "--format", "json"]).out)
    waits = {row["metric"]: row["change"] for row in found["waits"]}
    for metric, pattern in (("mpi_latesender", "mpi_latesender"), ("omp_lock_contention_critical",) * 2):
        for side, archive in zip(("before", "after"), archives):
            facts = json.loads((archive / "analysis.json").read_text())["waits"]
            wanted = next(row["seconds"] for row in facts if row["pattern"] == pattern)
            assert abs(waits[metric][side]["mean"] - wanted) < 1e-9, (metric, side)
    assert "| Late Sender |" in b.run([b.epk, "diff", *archives, "--format", "markdown"]).out
    # Three times as long: 5 and 15 milliseconds; on a busy machine, the first run may wait longer.
    before, after = (waits["mpi_latesender"][side]["mean"] for side in ("before", "after"))
    for condition, status in (("mpi_latesender > 50%", after > 1.5 * before), ("mpi_latesender > 1000%", after > 11 * before),
                              ("mpi_latesender < 0%", after < before), ("mpi_latesender:step > 10ms", 1),
                              ("delay_lock > 20ms", 1), ("no_such_wait > 1%", 2)):
        result = b.run([b.epk, "diff", *archives, "--fail-if", condition], check=False)
        expect(f"status of {condition}", result.status, status)
    listed = b.run([b.epk, "diff", *archives, "--metric", "mpi_latesender"]).out
    assert "MPI_Recv" in listed and "Late Sender" in listed, listed
    # A run that was not analysed has no waits to compare.
    plain = b.folder / "epik_plain"
    shutil.copytree(archives[0], plain)
    (plain / "trace.cubex").unlink()
    result = b.run([b.epk, "diff", plain, archives[1]])
    assert "waits are not compared" in result.err and "Late Sender" not in result.out, result.err
    result = b.run([b.epk, "diff", plain, archives[1], "--metric", "mpi_latesender"], check=False)
    expect("status", result.status, 2)


if __name__ == "__main__":
    sys.exit(main(globals()))
