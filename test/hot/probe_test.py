#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_HOT=probe on real programs: visits are exact, sums hold, and the price from the windows of the run is the true
one."""

import json
import pathlib
import random
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, Profile, expect, expect_time, main, retried, stage, times_add_up  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
PROBE = {"EPK_HOT": "probe"}
SOON = {**PROBE, "EPK_THROTTLE_CALLS": "1000"}
CALLS = 40000


def notes(profile):
    return " | ".join(profile.manifest["notes"])


def untimed(profile):
    return sum(int(row.get("untimed_visits") or 0) for row in profile.rows)


def test_every_visit_is_counted():
    """Signals, jumps, recursion and threads, with windows in all of them."""
    for compiler, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1")):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(compiler, "work.c", [level, "-g", "-pthread", "-w"], instrument=["--all-calls"])
        for words in (["tree", CALLS], ["threads", CALLS]):
            full, _ = b.measure(program, words)
            probed, _ = b.measure(program, words, env=SOON)
            expect(f"{compiler} {level} {words[0]}", probed.paths(), full.paths())
            hot = probed.manifest.get("hot", {})
            expect("told", untimed(probed), hot.get("untimed_visits", 0))
            assert untimed(probed) < sum(probed.paths().values()) / 3, notes(probed)
            expect("unmatched", probed.manifest["unmatched_exits"], full.manifest["unmatched_exits"])
            expect("repairs", probed.manifest["repairs"], full.manifest["repairs"])
            times_add_up(probed)


def test_a_run_that_ends_early_keeps_its_visits():
    """Killed between any two calls, or ended within one, in windows above all: the first batch has the calls from the
    1000th to the 3000th."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "chain.c", ["-O2"], instrument=["--all-calls"])
    seed = random.randrange(1 << 32)
    print(f"        seed {seed}")
    calls = random.Random(seed)
    counted = 0
    for end in ["killed", "killed_within", "exits_within"] * 10:
        wanted = calls.randrange(1000, 3000)
        before = set(b.archives())
        b.run([program, wanted, 8, end], env=SOON, check=False)
        archive, = set(b.archives()) - before
        if end != "exits_within":
            b.run([b.epk, "recover", archive])
            archive, = set(b.archives()) - before - {archive}
        profile = Profile(b, archive)
        expect(f"{end}: visits of {wanted}", profile.visits(region="Chain"), wanted)
        counted += untimed(profile)
    assert counted > 0, "no run ended in a window or after it"


def test_times_stay_right():
    """A few visits have estimated times: less than a hundredth of them here."""
    retried(check_times_stay_right, times=8)


def check_times_stay_right():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "work.c", ["-O1", "-g", "-pthread", "-w"], instrument=["--all-calls"])
    profile, result = b.measure(program, ["times", 150000], env=PROBE)
    times_add_up(profile)
    for name, line in zip(("Uniform", "Bimodal", "Phases"), result.out.splitlines()):
        truth, interrupted = map(float, line.split())
        row = next(row for row in profile.rows if row["region"] == name)
        expect(name, int(row["visits"]), 150000)
        seconds = float(row["incl_s"])
        # A part of the price lies between the two looks at the clock.
        price = float(row["probed_cost"]) + float(row["probed_cost_error"])
        expect_time(0.95 * (truth - interrupted) < seconds < 1.05 * truth + 1.2 * interrupted + price, (name, line, row))


def test_the_price_is_the_true_one():
    """Functions that hide part of the clock's cost, which an ordinary run cannot tell."""
    retried(check_the_price, times=8)


def check_the_price():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "chain.c", ["-O2"], instrument=["--all-calls"])
    for steps, calls in ((1, 6_000_000), (12, 5_000_000), (60, 3_000_000)):
        profile, result = b.measure(program, [calls, steps], env=PROBE)
        expect("probed", profile.manifest["hot"]["probed_paths"], 1)
        assert "the price of a visit was measured on 1 call path;" in notes(profile), notes(profile)
        row = next(row for row in profile.rows if row["region"] == "Chain")
        expect("visits", int(row["visits"]), calls)
        hooked, bare = map(float, result.out.split())
        cost, error = float(row["probed_cost"]), float(row["probed_cost_error"])
        print(f"        {steps} steps: {bare:.4f} s, and {hooked - bare:.4f} s of measuring; stated {cost:.4f} ± {error:.4f}")
        # 2 ns a visit: ten instructions between two looks at the clock
        off = abs(cost - (hooked - bare))
        expect_time(off <= error + 0.25 * (hooked - bare) + 2e-9 * calls, (steps, hooked, bare, cost))
        stated = profile.manifest["cost_seconds"], profile.manifest["cost_least_seconds"]
        # The stated cost is not more than the CPU time.
        assert stated[1] <= cost + error and min(cost, profile.manifest["cpu_seconds"]) <= stated[0] * 1.01, (stated, cost)


def test_the_bracket_of_a_run_is_narrow():
    """`epk compensate` takes the prices of the run."""
    retried(check_the_bracket, times=8)


def check_the_bracket():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "chain.c", ["-O2"], instrument=["--all-calls"])
    widths = {}
    for hot in ("full", "probe"):
        profile, _ = b.measure(program, [4_000_000, 8], env={"EPK_HOT": hot})
        found = json.loads(b.run([b.epk, "compensate", profile.archive, "--format", "json"]).out)
        assert 0 <= found["lower_s"] <= found["upper_s"] <= found["measured_s"] * 1.001, found
        widths[hot] = (found["upper_s"] - found["lower_s"]) / found["measured_s"]
        text = b.run([b.epk, "compensate", profile.archive]).out
        is_advised = "EPK_HOT=probe epk run" in text
        # The advice is not there if the bracket is a tenth of the run, or less.
        expect_time(is_advised or hot == "probe", f"no advice: {widths}")
        assert not (is_advised and hot == "probe"), text
    print(f"        width of the bracket, as a share of the run: {widths}")
    expect_time(widths["probe"] < 0.7 * widths["full"], widths)


def test_what_cannot_be_probed_is_said():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "work.c", ["-O1", "-g", "-pthread", "-w"], instrument=["--all-calls"])
    for env, why in (({"EPK_TRACE": "all"}, "EPK_TRACE asks for calls"), ({"EPK_BUDGET": "5%"}, "EPK_BUDGET chooses"),
                     ({"EPK_DEPTH": "3"}, "EPK_DEPTH leaves calls out"),
                     ({"EPK_MEASURE": "window:Leaf:1-3"}, "EPK_MEASURE chooses"),
                     ({"EPK_MEASURE": "time:0s-1s"}, "EPK_MEASURE chooses"), ({"EPK_METRICS": "rusage"}, "EPK_METRICS")):
        profile, result = b.measure(program, ["tree", 2000], env={**SOON, **env})
        assert "EPK_HOT=probe is not used: " + why in result.err, result.err
        expect("probed", profile.manifest.get("hot", {}).get("probed_paths", 0), 0)


def test_ranks_and_a_trace_of_messages():
    """Each MPI; the prices of all ranks are in one archive."""
    for mpi in ("openmpi", "mpich"):
        if shutil.which(f"mpicc.{mpi}") is None:
            continue
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "ranks.c", ["-O2"], output=f"ranks_{mpi}", instrument=["--all-calls"])
        env = {**PROBE, "EPK_TRACE": "comm"}
        job = [f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", 2]
        before = set(b.archives())
        b.run([b.epk, "run", *job, program], env=env)
        archive = next(iter(set(b.archives()) - before))
        profile = Profile(b, archive)
        for rank in ("0", "1"):
            rows = [row for row in profile.rows if row["rank"] == rank and row["region"] == "Step"]
            expect(f"visits of rank {rank}", sum(int(row["visits"]) for row in rows), 400_000)
            expect(f"messages of rank {rank}", sum(int(row["visits"] or 0) for row in profile.rows
                                                   if row["rank"] == rank and row["region"] == "MPI_Sendrecv"), 20)
        assert profile.manifest["hot"]["probed_paths"] >= 2, notes(profile)
        found = json.loads(b.run([b.epk, "compensate", archive, "--format", "json"]).out)
        assert found["lower_s"] <= found["upper_s"], found
        b.run([b.epk, "analyze", archive])


if __name__ == "__main__":
    sys.exit(main(globals()))
