#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_MONITOR_STATISTICS: the job's statistics of its own calls are those that a monitor computes from the same
notes."""

import json
import math
import subprocess
import sys
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, long, main, mpis, stage  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
RANKS, CALLS = 3, 250  # more than a median looks at
CALLS_OF = [CALLS, CALLS, CALLS - CALLS // 5]  # by rank: every fifth call is of the first two alone
# A scope with a condition is always computed from the notes.
RAW = "scope raw\n  from calls\n  where callpath ~ *counted*\n  reduce statistics\n"


class Job:
    def __init__(self, mpi, env, program="counted.c", words=(str(CALLS), "300", "mixed")):
        name, launcher = mpi
        self.bench = b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{name}", program, ["-O1", "-finstrument-functions"], instrument=None)
        self.process = subprocess.Popen(
            [b.epk, "run", f"mpirun.{name}", *launcher, "-n", str(RANKS), program, *words], cwd=b.folder,
            env={**b.env, "EPK_TIMER": "monotonic", **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        end = time.monotonic() + 200
        while not (self.bench.folder / "started").exists():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, "the job does not start"
            time.sleep(0.02)
        self.folder = next(self.bench.folder.glob("*.unfinished"))
        return self

    def __exit__(self, *_):
        (self.bench.folder / "stop").touch()
        out, err = self.process.communicate(timeout=200)
        if sys.exc_info()[0] is not None:
            return
        expect("the job's end", (self.process.returncode, out), (0, ""))
        left = [path.name for path in self.bench.folder.rglob("*.waits")]
        expect("boards that are left", left, [])

    def moment(self, *words):
        out = self.bench.run([self.bench.epk, "monitor", self.folder, "--once", "--interval", "0.1", "--format", "json",
                              *words]).out
        return json.loads(out)


def counted(statistics):
    return {row["rank"]: row for row in statistics if " counted > " in row["callpath"]}


def same(what, mine, theirs):
    expect(f"{what}: count", mine["count"], theirs["count"])
    for times in ("total", "arrival_wait", "departure_wait"):
        for figure, value in theirs[times].items():
            # Seconds since the boot have twelve digits behind the point.
            assert math.isclose(mine[times][figure], value, rel_tol=1e-6, abs_tol=1e-9), (what, times, figure, mine, theirs)


@long
def test_the_job_computes_what_a_monitor_computes():
    for mpi in MPIS:
        for env in ({}, {"EPK_COLL_TREE": "binomial", "EPK_MONITOR_SCHEDULE": "up"}, {"EPK_WAITS": "yes"}):
            with Job(mpi, {"EPK_MONITOR_STATISTICS": "yes", "EPK_MONITOR_BUFFER": "256k", **env}) as job:
                (job.bench.folder / "raw").write_text(RAW)
                plain, raw = job.moment(), job.moment("--scope", "raw")
            what = f"{mpi[0]} {env}"
            expect(f"{what}: who computes", (plain["statistics_by"], raw["statistics_by"]), ("job", "monitor"))
            expect(f"{what}: unknown", (plain["statistics_unknown"], plain["discarded"]), (0, 0))
            mine, theirs = counted(plain["statistics"]), counted(raw["statistics"])
            expect(f"{what}: ranks", (sorted(mine), sorted(theirs)), ([0, 1, 2], [0, 1, 2]))
            for rank in range(RANKS):
                expect(f"{what}: calls", mine[rank]["count"], CALLS_OF[rank])
                same(f"{what} rank {rank}", mine[rank], theirs[rank])
            expect(f"{what}: last ones", [a for a in plain["last_arrivals"] if " counted > " in a["callpath"]],
                   [a for a in raw["last_arrivals"] if " counted > " in a["callpath"]])


def test_a_call_that_ends_before_the_last_one_comes_does_not_wait_for_it():
    for env in ({}, {"EPK_MONITOR_STATISTICS": "yes"}):
        with Job(MPIS[0], {"EPK_MONITOR_BUFFER": "256k", **env}, program="roots.c", words=("40",)) as job:
            moment = job.moment()
        expect(f"{env}: who computes", moment["statistics_by"], "job" if env else "monitor")
        rows = {(row["callpath"].split(" > ")[-1], row["rank"]): row for row in moment["statistics"]}
        for operation, hurried in (("MPI_Reduce", 1), ("MPI_Bcast", 0)):
            early, late = rows[operation, hurried], rows[operation, 1 - hurried]
            expect(f"{env}: calls of {operation}", (early["count"], late["count"]), (40, 40))
            expect(f"{env}: {operation}, who comes first", early["arrival_wait"]["median_s"], 0)
            assert early["arrival_wait"]["max_s"] <= early["total"]["max_s"], early
        waits = rows["MPI_Barrier", 1]
        assert 0.01 < waits["arrival_wait"]["mean_s"] <= waits["total"]["mean_s"], waits


def test_nothing_is_computed_unless_it_is_asked_for():
    with Job(MPIS[0], {"EPK_MONITOR_BUFFER": "256k"}) as job:
        moment = job.moment()
        left = [path.name for path in job.folder.rglob("*.waits")]
    expect("who computes", (moment["statistics_by"], left), ("monitor", []))
    expect("calls", {rank: row["count"] for rank, row in counted(moment["statistics"]).items()},
           dict(enumerate(CALLS_OF)))


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
