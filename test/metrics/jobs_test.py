#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counters of jobs: counters that one process has and another lacks, and the messages about them."""

import json
import pathlib
import sys

RUNFILES = pathlib.Path.cwd()
sys.path.insert(0, str(RUNFILES / "test/user"))
from harness import Bench, Profile, expect, installed, main, skip_all, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
MPIS = [m for m in ("openmpi", "mpich") if installed(f"mpirun.{m}")]
RANKS = 3

# One rank finds a file that is no PAPI; the last one may be asked for something else.
LAUNCH = """#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
LD_LIBRARY_PATH=$PWD/papi${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ "$rank" = 1 ] && LD_LIBRARY_PATH=$PWD/nowhere:$LD_LIBRARY_PATH
export LD_LIBRARY_PATH
[ "$rank" = 2 ] && [ -n "$ASK_LAST" ] && export EPK_METRICS=$ASK_LAST
exec "$@"
"""


def job(mpi, metrics, env=None):
    """The bench, the profile and the text on stderr."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{mpi}", "job.c",
                        ["-O1", "-g", "-finstrument-functions", "-rdynamic", "-Wl,-z,now"], instrument=None)
    for folder in ("papi", "nowhere"):
        (b.folder / folder).mkdir()
    for version in ("", ".7", ".6", ".5", ".7.2", ".7.1", ".7.0", ".6.0", ".5.7"):
        (b.folder / f"nowhere/libpapi.so{version}").write_text("not a library\n" * 100)
    b.run(["cc", "-shared", "-fPIC", PROGRAMS / "fake_papi.c", "-o", b.folder / "papi/libpapi.so"])
    launch = b.folder / "launch"
    launch.write_text(LAUNCH)
    launch.chmod(0o755)
    words = ["--oversubscribe"] if mpi == "openmpi" else []
    result = b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", RANKS, launch, program],
                   env={"EPK_METRICS": metrics, **(env or {})})
    archives = b.archives()
    assert len(archives) == 1, f"archives {archives}\n{result.err}"
    return b, Profile(b, archives[0]), result.err


def by_rank(profile, counter, region):
    """The cells, as they stand there."""
    return {int(row["rank"]): row[counter] for row in profile.rows if row["region"] == region}


def test_what_one_rank_has_not_is_no_zero_there():
    for mpi in MPIS:
        b, profile, err = job(mpi, "PAPI_TOT_INS:rusage::ru_minflt:PAPI_NONE")
        expect("work", by_rank(profile, "PAPI_TOT_INS", "toil"), {0: "10", 1: "n/a", 2: "30"})
        expect("pages", by_rank(profile, "rusage::ru_minflt", "touch"), {0: "20", 1: "40", 2: "60"})
        expect("none", set(by_rank(profile, "PAPI_NONE", "toil").values()), {"n/a"})
        assert "PAPI_TOT_INS is n/a on ranks 1: PAPI is not installed" in err, err
        text = b.run([b.epk, "report", profile.archive, "--counters"]).out
        assert "PAPI_TOT_INS: n/a on ranks 1: PAPI is" in text, text
        whole = json.loads(b.run([b.epk, "report", profile.archive, "--format", "json"]).out)
        metric = next(m for m in whole["metrics"] if m["unique_name"] == "PAPI_TOT_INS")
        expect("locations", [whole["locations"][l]["rank"] for l in metric["missing_at"]], [1])
        report = json.loads(b.run([b.epk, "report", profile.archive, "--counters", "--format", "json"]).out)
        work = next(row for row in report["counters"] if row["counter"] == "PAPI_TOT_INS")
        expect("total", (work["total"], work["min"], work["max"]), (40, 10, 30))


def test_what_one_rank_was_not_asked_for_is_no_zero_there():
    for mpi in MPIS:
        _, profile, err = job(mpi, "rusage::ru_minflt:rusage::ru_majflt", {"ASK_LAST": "rusage::ru_minflt"})
        expect("pages", by_rank(profile, "rusage::ru_minflt", "touch"), {0: "20", 1: "40", 2: "60"})
        expect("major", by_rank(profile, "rusage::ru_majflt", "touch"), {0: "0", 1: "0", 2: "n/a"})
        assert "rusage::ru_majflt is n/a on ranks 2: it was not requested there" in err, err


def test_what_nobody_has_is_said_once_and_noted():
    for mpi in MPIS:
        _, profile, err = job(mpi, "PAPI_NONE:rusage::ru_minflt:nobody_knows",
                              {"EPK_METRIC_PLUGINS": "/no/such/plugin.so"})
        for words in ("PAPI_NONE cannot be counted", "nobody_knows cannot be counted", "plugin.so is not used"):
            expect(f"lines of {words}", err.count(words), 1)
            assert any(words in note for note in profile.manifest["notes"]), profile.manifest["notes"]


if __name__ == "__main__":
    sys.exit(main(globals()) if MPIS else skip_all("there is no MPI"))
