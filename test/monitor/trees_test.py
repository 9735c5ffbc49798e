#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_COLL_TREE: EPIK's own collective operations have MPI's results, and the bits that their tree promises."""

import json
import subprocess
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, installed, main, mpis, need, stage  # noqa: E402

sys.path.insert(0, "test/monitor")
from waits_of import only_archive, same_as_the_trace, waits, waits_text  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
RANKS = 5
MAPPED = [3, 0, 0, None, 3]  # rank 3 is the root
CHAIN = [None, 0, 1, 2, 3]


def kary(arity, first=0, last=RANKS, parent=None):
    """{rank: parent}: the first rank of a range is the parent of equal pieces of the others."""
    others = last - first - 1
    pieces = min(arity, others)
    cuts = [first + 1 + others * i // pieces for i in range(pieces + 1)] if pieces else []
    tree = {first: parent}
    for begin, end in zip(cuts, cuts[1:]):
        tree.update(kary(arity, begin, end, first))
    return tree


def parents_of(tree):
    if tree == "flat":
        return [None] + [0] * (RANKS - 1)
    if tree.startswith("kary"):
        by_rank = kary(int(tree.split(":")[1]))
        return [by_rank[r] for r in range(RANKS)]
    if tree.startswith("file"):
        return MAPPED
    return [r & (r - 1) if r else None for r in range(RANKS)]  # binomial; all ranks are on one host


def start(mpi, words, source, compiler="mpicc"):
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"{compiler}.{mpi}", source, ["-O1", "-ffp-contract=off"], instrument=None)
    (b.folder / "map").write_text("".join(f"{r} {'-' if p is None else p}\n" for r, p in enumerate(MAPPED)))

    def run(tree, *arguments, env=None):
        return b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", RANKS, program, *arguments],
                     env={"EPK_COLL_TREE": tree, **(env or {})})
    return b, run


def test_results_are_those_of_mpi_and_bits_those_of_the_tree():
    for (mpi, words), trees in zip(MPIS, (("flat", "kary:2", "file:map"), ("binomial", "kary:1", "host"))):
        b, run = start(mpi, words, "trees.c")
        for tree in trees:
            text = ",".join("-" if p is None else str(p) for p in parents_of(tree))
            result = run(tree, text, env={"EPK_MONITOR_BUFFER": "64k", "EPK_WAITS": "yes"})
            assert ", 0 failures" in result.out, (mpi, tree, result.out, result.err)
            notes = json.loads((b.archives()[-1] / "manifest.json").read_text())["notes"]
            expect(f"{mpi} {tree}: notes", [note for note in notes if "EPK_COLL_TREE" in note], [])


def test_operations_that_mpi_does_not_define_are_left_to_it():
    """MPI's errors are those of the call's communicator. MPICH ends at some of these operations, with EPIK and without."""
    need("openmpi" in dict(MPIS), "Open MPI is not installed")
    _, run = start("openmpi", dict(MPIS)["openmpi"], "operations.c")
    expect("classes of errors", run("flat").out, run("off").out)


def test_the_program_can_have_as_many_communicators_as_without_trees():
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "many_comms.c", ["-O1"], instrument=None)

        def run(tree):
            return b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program], env={"EPK_COLL_TREE": tree})
        with_trees = run("flat")
        expect(f"{mpi}: communicators", with_trees.out, run("off").out)
        assert "trees for 128 communicators at a time" in b.run([b.epk, "report", b.archives()[0]]).out.replace("\n", " ")


def test_one_rank_counts_in_int_and_another_one_in_mpi_count():
    need("mpich" in dict(MPIS), "MPICH is not installed, which has the functions of MPI 4")
    _, run = start("mpich", dict(MPIS)["mpich"], "large_counts.c")
    for tree in ("off", "flat", "kary:2", "file:map"):
        expect(tree, run(tree).out, "as expected\n")


def test_threads_make_communicators_at_once():
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "making.c", ["-O1", "-pthread"], instrument=None)
        result = b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 3, program], env={"EPK_COLL_TREE": "binomial"})
        expect(f"{mpi}: output", result.out, "3\n")
        notes = json.loads((b.archives()[0] / "manifest.json").read_text()).get("notes", [])
        alone = [note for note in notes if "a tree for MPI_COMM_WORLD alone" in note]
        expect(f"{mpi}: notes {notes}", len(alone), 1 if mpi == "openmpi" else 0)


def test_another_order_has_other_bits():
    mpi, words = MPIS[0]
    _, run = start(mpi, words, "trees.c")
    try:
        run("flat", "-,0,1,2,3")
    except AssertionError as error:
        assert "bits of an allreduce" in str(error), error
    else:
        raise AssertionError("the order of a chain was found in a flat tree")


def test_fortran_goes_along_the_tree_too():
    for mpi, words in MPIS:
        need(installed(f"mpifort.{mpi}"), f"mpifort.{mpi} is not installed")
        _, run = start(mpi, words, "trees_fortran.f90", "mpifort")
        expect(f"{mpi}", run("kary:2").out.strip(), "good")


def test_a_running_job_takes_another_tree_in_all_processes_at_once():
    """From flat to a chain: each result has the bits of one of them, the same ones on all ranks, and never goes
    back."""
    for mpi, words in MPIS:
        b, _ = start(mpi, words, "retree.c")
        text = [",".join("-" if p is None else str(p) for p in tree) for tree in (parents_of("flat"), CHAIN)]
        env = {**b.env, "EPK_COLL_TREE": "flat"}
        (b.folder / "chain").write_text("".join(f"{r} {'-' if p is None else p}\n" for r, p in enumerate(CHAIN)))
        program = [b.epk, "run", f"mpirun.{mpi}", *words, "-n", str(RANKS), str(b.folder / "retree"), *text]
        with subprocess.Popen(program, cwd=b.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as job:
            first = job.stdout.readline()
            folder = next(b.folder.glob("*.unfinished"))
            (b.folder / "bad").write_text("0 1\n1 0\n")
            refused = b.run([b.epk, "monitor", folder, "--reconfigure", "bad"], check=False)
            b.run([b.epk, "monitor", folder, "--reconfigure", "chain"])
            out, err = job.communicate(timeout=200)
        expect(f"{mpi}", (first, out, job.returncode), ("ready\n", "another tree, 0 failures\n", 0))
        assert refused.status == 1 and "bad: " in refused.err, (refused.err, err)


def test_a_job_without_a_tree_takes_none():
    mpi, words = MPIS[0]
    b, _ = start(mpi, words, "retree.c")
    text = [",".join("-" if p is None else str(p) for p in tree) for tree in (parents_of("flat"), CHAIN)]
    (b.folder / "chain").write_text("".join(f"{r} {'-' if p is None else p}\n" for r, p in enumerate(CHAIN)))
    program = [b.epk, "run", f"mpirun.{mpi}", *words, "-n", str(RANKS), str(b.folder / "retree"), *text]
    with subprocess.Popen(program, cwd=b.folder, env=b.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as job:
        job.stdout.readline()
        folder = next(b.folder.glob("*.unfinished"))
        refused = b.run([b.epk, "monitor", folder, "--reconfigure", "chain"], check=False)
        job.terminate()
        job.communicate(timeout=200)
    assert refused.status == 1 and "the job has no tree" in refused.err, refused.err


def test_waits_are_the_same_whenever_they_are_computed():
    """With each schedule, the summary has the waits that the analysis of the same run's trace finds."""
    for (mpi, words), tree in zip(MPIS, ("binomial", "flat")):
        for schedule in ("none", "up", "down"):
            b, _ = start(mpi, words, "collectives.c")
            b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 4, b.folder / "collectives", 12, 200],
                  env={"EPK_COLL_TREE": tree, "EPK_WAITS": "yes", "EPK_MONITOR_BUFFER": "16k", "EPK_TRACE": "comm",
                       "EPK_MONITOR_SCHEDULE": schedule})
            archive = only_archive(b)
            assert "is not known" not in waits_text(b, archive)
            summary = waits(b, archive)
            b.run([b.epk, "analyze", archive])
            same_as_the_trace(f"{mpi} {schedule}", summary, waits(b, archive))


def test_a_mapping_that_is_no_tree_is_refused_and_mpi_is_used():
    mpi, words = MPIS[0]
    b, run = start(mpi, words, "collectives.c")
    (b.folder / "map").write_text("0 -\n1 0\n2 0\n3 4\n4 3\n")
    for tree, said in (("file:map", "rank 3 is above itself"), ("file:none", "No such file"),
                       ("kary:0", "EPK_COLL_TREE")):
        result = run(tree, 1, 0)
        expect(tree, (result.out, said in result.err), ("done\n", True))


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
