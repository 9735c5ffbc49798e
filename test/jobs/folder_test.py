#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The folder that the processes of a job share: what EPIK does there is no time of the program's functions."""

import pathlib
import sys

sys.path.insert(0, "test/user")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import Profile, expect, main, skip_all  # noqa: E402
from jobs_test import MPIS, bench, only_archive  # noqa: E402


def test_joining_the_job_is_no_time_of_the_caller():
    """Each process moves its file to the folder of the job in MPI_Init. Here that takes a second."""
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "slow_folder.c", ["-O1", "-finstrument-functions", "-rdynamic"], instrument=None)
        b.run([b.epk, "run", *mpi.start(2, program)])
        rows = Profile(b, only_archive(b)).rows
        for region, is_right in (("start", lambda seconds: seconds < 0.5), ("MPI_Init", lambda seconds: seconds >= 1)):
            times = [float(row["excl_s"]) for row in rows if row["region"] == region]
            expect(f"{mpi.name}: ranks in {region}", len(times), 2)
            assert all(map(is_right, times)), (mpi.name, region, times)


if __name__ == "__main__":
    sys.exit(main(dict(globals())) if MPIS else skip_all("there is no MPI"))
