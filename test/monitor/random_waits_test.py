#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_WAITS of random messages and collective operations: the known waits are those that the analysis of the same run's
trace finds, and no call waits longer than it lasts."""

import sys

sys.path.insert(0, "test/user")
from harness import Bench, main, mpis, stage  # noqa: E402

sys.path.insert(0, "test/monitor")
from waits_of import only_archive, unknown_of, waits  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
SEEDS, STEPS = 2, 40


def run(mpi, words, seed):
    """The waits of the summary, those of the trace, and the calls that are not known."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{mpi}", "random_messages.c", ["-O1", "-w", "-finstrument-functions"], instrument=None)
    b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2 + seed % 3, program, seed, STEPS],
          env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
    archive = only_archive(b)
    summary = waits(b, archive)
    unknown = unknown_of(b, archive, summary)
    b.run([b.epk, "analyze", archive])
    return summary, waits(b, archive), unknown


def check(mpi, words, seed):
    summary, trace, unknown = run(mpi, words, seed)
    assert len(summary) > 10, (mpi, seed, summary)
    for key in sorted(set(summary) | set(trace)):
        rank, _, path, _ = key
        mine, theirs = summary.get(key, (0, 0)), trace.get(key, (0, 0))
        assert mine[0] <= theirs[0] + 1e-9 * (mine[1] + 1), (mpi, seed, key, mine, theirs)
        if (rank, path) not in unknown:
            assert mine[1] >= theirs[1] and mine[0] >= theirs[0] - 1e-9 * (mine[1] + 1), (mpi, seed, key, mine, theirs)


def test_random_programs():
    for mpi, words in MPIS:
        for seed in range(1, SEEDS + 1):
            check(mpi, words, seed)


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
