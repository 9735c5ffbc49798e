#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_WAITS: waiting in the summary, call path by call path what the analysis of a trace of the same run finds."""

import csv
import io
import sys
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, installed, main, stage  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PATTERNS = {"mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", "mpi_earlyscan"}
MPIS = [(name, words) for name, words in (("openmpi", ["--oversubscribe"]), ("mpich", []))
        if installed(f"mpirun.{name}")]
COLUMNS = ["rank", "thread", "callpath", "pattern", "seconds", "instances"]
# A program of 4 ranks, 12 rounds: some 360 collective calls of each rank. Rings of 512 of them lose none, and are read
# while it runs as well as at its end.
RANKS, ROUNDS, RING = 4, 12, "16k"


def bench(mpi):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(ROOT)
    program = b.compile(f"mpicc.{mpi}", "collectives.c", ["-O1", "-finstrument-functions"], instrument=None)
    return b, program


def run(b, mpi, words, program, env, *arguments, check=True):
    return b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", RANKS, program, *arguments], env=env, check=check)


def only_archive(b):
    for _ in range(100):
        found = b.archives()
        if len(found) == 1 and not found[0].name.endswith(".unfinished"):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"archives: {[a.name for a in b.archives()]}")


def waits(b, archive):
    rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out)))
    assert all(list(row) == COLUMNS for row in rows), rows[:1]
    return {(int(r["rank"]), int(r["thread"]), r["callpath"], r["pattern"]): (float(r["seconds"]), int(r["instances"]))
            for r in rows if r["pattern"] in PATTERNS}


def text(b, archive):
    return b.run([b.epk, "report", archive, "--waits"]).out


def test_the_summary_has_what_an_analysis_of_the_trace_finds():
    for mpi, words in MPIS:
        b, program = bench(mpi)
        run(b, mpi, words, program, {"EPK_WAITS": "yes", "EPK_TRACE": "comm", "EPK_MONITOR_BUFFER": RING}, ROUNDS, 300)
        archive = only_archive(b)
        assert "is not known" not in text(b, archive), text(b, archive)
        summary = waits(b, archive)
        b.run([b.epk, "analyze", archive])
        trace = waits(b, archive)
        assert len(trace) > 4 * RANKS and set(key[3] for key in trace) == PATTERNS, trace
        for key in set(summary) | set(trace):
            (mine, times), (theirs, instances) = summary.get(key, (0, 0)), trace.get(key, (0, 0))
            # The trace has nanoseconds by each process's own scale of the clock: far less than a microsecond apart, but
            # enough to make another one the last of two that come together.
            assert abs(mine - theirs) <= 1e-6 * (instances + 1) + 1e-5 * theirs, (mpi, key, mine, theirs)
            assert abs(times - instances) <= 3 + instances // 8, (mpi, key, times, instances)


def test_the_late_rank_does_not_wait_and_all_others_do():
    mpi, words = MPIS[0]
    b, program = bench(mpi)
    # Only rank 0 of the one round is late, by 80 ms: at the first barrier.
    run(b, mpi, words, program, {"EPK_WAITS": "yes"}, 1, 80000)
    found = waits(b, only_archive(b))
    at_barrier = {key[0]: value for key, value in found.items() if key[3] == "mpi_barrier_wait"}
    for rank in range(1, RANKS):
        assert 0.04 < at_barrier[rank][0] < 30, at_barrier
    assert at_barrier.get(0, (0, 0))[0] < at_barrier[1][0], at_barrier


def test_what_is_not_known_is_counted_and_never_nothing():
    mpi, words = MPIS[0]
    b, program = bench(mpi)
    run(b, mpi, words, program, {"EPK_WAITS": "yes"}, 3, 0, "abort", check=False)
    time.sleep(0.5)
    for unfinished in b.folder.glob("*.unfinished"):
        b.run([b.epk, "recover", unfinished])
    said = text(b, only_archive(b))
    assert "is not known" in said, said


def test_nothing_is_noted_unless_it_is_asked_for():
    mpi, words = MPIS[0]
    b, program = bench(mpi)
    run(b, mpi, words, program, {}, 2, 0)
    refused = b.run([b.epk, "report", only_archive(b), "--waits"], check=False)
    expect("status", refused.status, 1)
    assert "EPK_WAITS=yes" in refused.err, refused.err


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
