#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lines `worst` and `causes`, `--instances` and `--waits` show the same waits of a run: by the same names, and with
amounts that fit to each other."""

import collections
import csv
import io
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, mpis, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
FLAGS = ["-O1", "-g", "-finstrument-functions"]
ROUNDING = 1e-8  # seconds: archives and reports have 64-bit numbers, or decimals
MPIS = mpis()


def views_of(b, archive):
    return {view: json.loads(b.run([b.epk, "report", archive, f"--{view}", "--format", "json"]).out)
            for view in ("waits", "instances", "causes")}


def check_names(b, archive, views):
    places = views["waits"]["places"]
    names = {row["pattern"] for row in places}
    metrics = {row["pattern"] for row in views["waits"]["waits"]}
    for row in views["instances"]["instances"] + views["causes"]["chains"]:
        assert row["wait_state"] in names and row["metric"] in metrics, row
        assert row["kind"].startswith("delay_"), row
    # Both count calls: a wait in pieces is one.
    waits = {(row["rank"], row["thread"], row["callpath"], row["pattern"]): row for row in views["waits"]["waits"]}
    for chain in json.loads((archive / "analysis.json").read_text())["causes"]["chains"]:
        row = waits[chain["rank"], chain["thread"], chain["callpath"], chain["wait_state"]]
        expect("calls", chain["instances"], row["instances"])
    # The report says the same. Its lines may be broken anywhere between words.
    text = " ".join(b.run([b.epk, "report", archive]).out.split())
    worst = text[text.index(" worst "):text.index(" waiting ")]
    told = re.findall(r" waits for \S+ \S+ \((.*?)\) in ", worst)
    assert told and set(told) <= names, f"{told}: {worst}"
    causes = text[text.index(" causes "):text.index(" worst ")]
    assert re.match(r" causes \S+ \S+, ([^:]*): ", causes)[1] in names, causes


def check_amounts(views):
    instances = views["instances"]["instances"]
    waits = {(row["pattern"], row["callpath"]): row for row in views["waits"]["places"]}
    sums = collections.Counter()
    for row in instances:
        whole = waits[row["wait_state"], row["callpath"]]
        assert 0 < row["seconds"] <= whole["seconds"] + ROUNDING, (row, whole)
        assert row["seconds"] <= whole["most_s"] + ROUNDING, (row, whole)
        assert row["seconds"] <= row["to_s"] - row["from_s"] + ROUNDING, row
        if whole["instances"] == 1:
            assert abs(row["seconds"] - whole["seconds"]) <= ROUNDING, (row, whole)
        sums[row["wait_state"]] += row["seconds"]
    for spread in views["waits"]["patterns"]:
        # In a completion, nobody waits for anybody.
        if spread["metric"].endswith("_completion"):
            continue
        assert sums[spread["pattern"]] <= spread["seconds"] + ROUNDING, spread
        longest = max(row["seconds"] for row in instances if row["metric"] == spread["metric"])
        assert abs(longest - spread["max_s"]) <= ROUNDING, f"{longest}: {spread}"
    expect("order", [row["seconds"] for row in instances], sorted((row["seconds"] for row in instances), reverse=True))


def analysed(b, words, trace):
    before = set(b.archives())
    b.run([b.epk, "run", *words], env={"EPK_TRACE": trace})
    archive = next(a for a in b.archives() if a not in before)
    b.run([b.epk, "analyze", archive])
    views = views_of(b, archive)
    check_names(b, archive, views)
    check_amounts(views)
    return archive, views


def of_tasks(compiler):
    need(shutil.which(compiler), compiler)
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="2")
    for source in ("pieces.c", "planted_tasks.c"):
        program = b.compile(compiler, source, [*FLAGS, "-fopenmp"], instrument=None)
        archives = {trace: analysed(b, [program], trace) for trace in ("all", "comm")}
        if source == "pieces.c":
            for archive, views in archives.values():
                check_pieces(b, archive, views)


def check_pieces(b, archive, views):
    """One wait in one call is one instance, however many tasks the thread runs meanwhile."""
    worst = next(row for row in views["instances"]["instances"] if row["metric"] == "omp_ibarrier_wait")
    spread = next(row for row in views["waits"]["patterns"] if row["metric"] == "omp_ibarrier_wait")
    assert worst["seconds"] > 0.08, f"20 tasks, each created 5 ms after the one before: {worst}"
    assert abs(worst["seconds"] - spread["max_s"]) <= ROUNDING, (worst, spread)
    expect("who", (worst["who"], worst["waited_for"], worst["kind"]), ("0:1", "0:0", "delay_taskcreation"))
    text = " ".join(b.run([b.epk, "report", archive]).out.split())
    assert re.search(r"ms between \S+ \S+ and \S+ \S+: thread 0:1 waits for thread 0:0 \(Wait at Implicit Barrier\)", text), text
    assert "ms, Wait for Creation of Tasks at Implicit Barrier: thread 0:1 waits in " in text, text
    rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--instances", "--format", "csv"]).out)))
    expect("CSV", [row["metric"] for row in rows], [row["metric"] for row in views["instances"]["instances"]])
    markdown = b.run([b.epk, "report", archive, "--causes", "--format", "markdown"]).out
    assert re.search(r"\| thread 0:1 waits in .* \| Wait for Creation of Tasks at Implicit Barrier \|", markdown), markdown
    text = b.run([b.epk, "report", archive, "--instances"]).out
    assert "Wait for Creation of Tasks at Implicit Barrier is a part of" in " ".join(text.split()), text


def test_libgomp():
    of_tasks("gcc")


def test_libomp():
    of_tasks("clang")


def test_messages():
    need(MPIS, "no MPI")
    for name, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        for source in ("chain.c", "planted.c"):
            program = b.compile(f"mpicc.{name}", source, [*FLAGS, "-I", PREFIX / "include"], instrument=None)
            analysed(b, [f"mpirun.{name}", *words, "-n", 4, program], "comm")


if __name__ == "__main__":
    sys.exit(main(globals()))
