#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/formats.md names exactly the contents of files."""

import json
import os
import pathlib
import re
import sys
import tarfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import RUNFILES, Bench, expect, installed, main, need, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
PAGE = (RUNFILES / "docs/formats.md").read_text()
# Members that only runs have that were recovered, sampled or computed, or that are from machines with prices of their
# own.
SOMETIMES = {"manifest.json": {"approximation", "costs", "hot"}, "analysis.json": set()}


def named(heading):
    """The names in the first columns of a section's tables."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0].split("\n### ", 1)[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_keys_and_metrics():
    mpi = next((mpi for mpi in ("openmpi", "mpich") if installed(f"mpirun.{mpi}")), None)
    need(mpi and installed(f"mpicc.{mpi}"), "MPI")
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{mpi}", "traffic.c", instrument=())
    b.run([b.epk, "run", "-t", "all", f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", 2,
           program])
    (archive,) = b.archives()
    b.run([b.epk, "analyze", archive])
    for file, sometimes in SOMETIMES.items():
        there = set(json.loads((archive / file).read_text()))
        expect(f"{file}: not in the page", there - named(file), set())
        expect(f"{file}: not in the file", named(file) - there - sometimes, set())
    anchor = tarfile.open(archive / "summary.cubex").extractfile("anchor.xml").read().decode()
    metrics = set(re.findall("<uniq_name>(.*?)</uniq_name>", anchor))
    expect("summary.cubex: not in the file", named("summary.cubex") - metrics, set())


if __name__ == "__main__":
    sys.exit(main(globals()))
