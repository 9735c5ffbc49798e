#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_WAITS when a filter, a group or a pause takes calls out, on one rank or on all: known waits are those that the
analysis of the same run's trace finds, and all others count as unknown."""

import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, mpis, stage  # noqa: E402

sys.path.insert(0, "test/monitor")
from waits_of import only_archive, unknown_of, waits  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
RANKS, ROUNDS, ODD = 3, 4, 1
WAITS = {"EPK_WAITS": "yes", "EPK_TRACE": "comm"}


def run(mpi, words, env, of_odd_rank=()):
    """The waits of the summary, those of the trace, and the unknown ones. `of_odd_rank`: settings of that rank
    alone."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{mpi}", "excluded.c", ["-O1", "-finstrument-functions"], instrument=None)
    (b.folder / "filter").write_text("EXCLUDE REGION MPI_Recv\nEXCLUDE REGION MPI_Wait\nEXCLUDE REGION MPI_Irecv\n"
                                     "EXCLUDE REGION MPI_Probe\nEXCLUDE REGION MPI_Ssend\nEXCLUDE REGION MPI_Allreduce\n"
                                     "EXCLUDE REGION MPI_Scan\n")
    parts = []
    for rank in range(RANKS):
        odd = ["env", *of_odd_rank] if rank == ODD and of_odd_rank else []
        parts += [":"] * (rank > 0) + ["-n", 1, *odd, program, ROUNDS, 2000]
    b.run([b.epk, "run", f"mpirun.{mpi}", *words, *parts], env={**WAITS, **env})
    archive = only_archive(b)
    summary = waits(b, archive)
    unknown = unknown_of(b, archive, summary)
    b.run([b.epk, "analyze", archive])
    return summary, waits(b, archive), unknown


def are_alike(what, summary, trace, unknown):
    """Known waits are right, and a call path whose waits are all known lacks none. The trace has operations of calls that
    are not measured at their callers."""
    for key in sorted(set(summary) | set(trace)):
        rank, _, path, _ = key
        if not path.split(" > ")[-1].startswith("MPI_") and key not in summary:
            continue
        mine, theirs, lack = summary.get(key, (0, 0)), trace.get(key, (0, 0)), unknown.get((rank, path), 0)
        assert mine[0] <= theirs[0] + 1e-9 * (mine[1] + 1), (what, key, mine, theirs)
        if lack == 0:
            assert mine[1] >= theirs[1] and mine[0] >= theirs[0] - 1e-9 * (mine[1] + 1), (what, key, mine, theirs)


def test_calls_that_a_filter_excludes_on_one_rank():
    for mpi, words in MPIS:
        summary, trace, unknown = run(mpi, words, {}, ["EPK_FILTER=filter"])
        are_alike(mpi, summary, trace, unknown)
        excluded = ("MPI_Recv", "MPI_Wait", "MPI_Probe", "MPI_Ssend", "MPI_Allreduce", "MPI_Scan")
        for rank, _, path, pattern in summary:
            assert rank != ODD or path.split(" > ")[-1] not in excluded, (mpi, path, pattern)
            assert path.split(" > ")[-1].startswith("MPI_"), (mpi, path, pattern)
        # The others need this rank in each of these operations, and only there.
        for rank in set(range(RANKS)) - {ODD}:
            expect(f"{mpi} unknown", unknown.get((rank, "excluded > main > Collective > MPI_Allreduce")), ROUNDS)
            expect(f"{mpi} unknown", unknown.get((rank, "excluded > main > Collective > MPI_Barrier")), None)
        expect(f"{mpi}: a send whose receive has no time", unknown.get((0, "excluded > main > Blocking > MPI_Ssend")), ROUNDS)
        assert any(path.endswith("Collective > MPI_Barrier") for _, _, path, _ in summary), summary


def test_calls_that_a_filter_excludes_on_all_ranks():
    for mpi, words in MPIS:
        summary, trace, unknown = run(mpi, words, {"EPK_FILTER": "filter"})
        are_alike(mpi, summary, trace, unknown)
        assert summary and not any("Recv" in path for _, _, path, _ in summary if "Sendrecv" not in path), summary
        # Sends do not know when a receive was posted that has no time of its own, nor from which size on they wait.
        sends = {"MPI_Waitall", "MPI_Send", "MPI_Isend", "MPI_Sendrecv"}
        assert {path.split(" > ")[-1] for _, path in unknown} <= sends, unknown


def test_a_group_that_is_off_and_a_pause_on_one_rank():
    for mpi, words in MPIS:
        for by in ("group", "pause"):
            summary, trace, unknown = run(mpi, words, {"EXCLUDED_RANK": str(ODD), "EXCLUDED_BY": by})
            if by == "group":  # a trace has no messages of a rank that pauses
                are_alike((mpi, by), summary, trace, unknown)
            for rank in set(range(RANKS)) - {ODD}:
                expect(f"{mpi} {by}", unknown.get((rank, "excluded > main > Collective > MPI_Barrier")), ROUNDS // 2)
            assert not any(path.startswith("excluded > main > ") and not path.split(" > ")[-1].startswith("MPI_")
                           for _, _, path, _ in summary), summary


def test_functions_that_one_rank_does_not_measure():
    """Its MPI_Finalize is not the first operation of the job, even if it knows no others."""
    for mpi, words in MPIS:
        summary, _, unknown = run(mpi, words, {}, ["EPK_MPI_ENABLED=P2P,ENV"])
        for rank in set(range(RANKS)) - {ODD}:
            expect(mpi, unknown.get((rank, "excluded > main > Collective > MPI_Barrier")), ROUNDS)
        operations = {path.split(" > ")[-1] for _, _, path, pattern in summary if "latesender" not in pattern}
        assert operations <= {"MPI_Finalize", "MPI_Bcast", "MPI_Scan", "MPI_Ssend", "MPI_Waitall", "MPI_Send", "MPI_Isend",
                              "MPI_Sendrecv"}, operations


def test_no_mpi_at_all_waits_for_nobody():
    for mpi, words in MPIS:
        summary, _, unknown = run(mpi, words, {"EPK_GROUPS": "-mpi"})
        expect(f"{mpi}: waits", (summary, unknown), ({}, {}))


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
