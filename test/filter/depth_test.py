#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_DEPTH takes out exactly the calls that are nested deeper: the result is the same as cutting the profile of a
whole run."""

import pathlib
import shutil
import sys

sys.path[:0] = ["test/user", "test/filter"]
from harness import Bench, expect, installed, main, stage  # noqa: E402
from oracle import check_times, cut, named, tree  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()


def deeper_than(depth):
    return lambda name, is_function, kept: is_function and len(kept) >= depth


def compare(b, program, depths, env):
    full, _ = b.measure(program, env=env)
    counts = tree(full)
    deepest = max(map(len, counts))
    assert deepest > max(depths), deepest
    for depth in depths:
        profile, result = b.measure(program, env={**env, "EPK_DEPTH": str(depth)})
        expect(f"{program.name} to {depth}", named(tree(profile)), named(cut(counts, deeper_than(depth))))
        expect("nothing is said", "EPK_DEPTH" in result.err, False)
        expect("unmatched", profile.manifest["unmatched_exits"], 0)
        expect("said", sum(f"deeper than {depth} " in note for note in profile.manifest["notes"]), 1)
        check_times(profile)
    whole, _ = b.measure(program, env={**env, "EPK_DEPTH": "100000"})
    expect("no limit that matters", named(tree(whole)), named(counts))
    return counts


def test_functions_threads_and_jumps():
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for level in ("-O0", "-O2"):
            b = Bench(PREFIX, PROGRAMS)
            program = b.compile(compiler, "nest.c", [level, "-g", "-pthread", "-w"], instrument=["--all-calls"])
            compare(b, program, (1, 2, 3, 4, 5, 7), {})


def test_on_other_places_of_the_stack():
    for compiler in filter(shutil.which, ("gcc", "clang")):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(compiler, "places.c", ["-O1", "-fno-optimize-sibling-calls", "-g", "-w"], instrument=["--all-calls"])
        compare(b, program, (1, 2, 3, 4, 5), {})


def test_openmp_is_never_cut():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "nest.c", ["-O1", "-g", "-pthread", "-fopenmp"], instrument=["--all-calls"])
    counts = compare(b, program, (1, 2, 4), {"OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "false"})
    assert any("parallel" in name for name in named(cut(counts, deeper_than(1)))), named(cut(counts, deeper_than(1)))


def test_with_a_filter():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "nest.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
    (b.folder / "filter").write_text("deep\nleaf\n")
    compare(b, program, (1, 2, 3), {"EPK_FILTER": str(b.folder / "filter")})


def test_mpi_is_never_cut():
    for flavour, words in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        if not installed(f"mpirun.{flavour}"):
            continue
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{flavour}", "ring.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
        start = [b.epk, "run", f"mpirun.{flavour}", *words, "-n", "2", program]
        full, _ = b.measure(start[0], start[1:])
        less, _ = b.measure(start[0], start[1:], env={"EPK_DEPTH": "1"})
        expect(flavour, named(tree(less)), named(cut(tree(full), deeper_than(1))))
        sent = sum(float(row["bytes_sent"] or 0) for row in full.rows)
        assert sent > 0
        expect("bytes", sum(float(row["bytes_sent"] or 0) for row in less.rows), sent)


if __name__ == "__main__":
    sys.exit(main(globals()))
