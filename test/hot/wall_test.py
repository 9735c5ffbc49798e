#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The bracket of the wall time without measuring holds the true one: of one thread, of threads with unequal shares, and
of jobs whose processes meet. The bracket of the CPU time that the cost is compared with holds the true one.

The same program runs bare and measured in turns, and the fastest run of each counts. The wall time that measuring took
must lie between the least and the most that the manifest states; a quarter more is allowed for disturbances of the
machine.
"""

import os
import pathlib
import sys

sys.path.insert(0, "test/user")
from harness import Bench, Profile, expect_time, left_out, long, main, mpis, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
HOOKS = "-finstrument-functions"
MILLIONS, ROUNDS = 10, 3
MPIS = mpis()


def bench():
    b = Bench(PREFIX, PROGRAMS)
    return b


def wall_of(result):
    return float(result.out.split("wall ")[1].split()[0])


def check_bracket(what, b, bare, hooked, launcher=(), env=None):
    """The true time comes from the program's own clock, so that neither side includes starts and ends of processes."""
    least_bare, best = None, None
    for _ in range(ROUNDS):
        took = wall_of(b.run([*launcher, bare, MILLIONS], env=env))
        least_bare = min(took, least_bare or took)
        before = set(b.archives())
        took = wall_of(b.run([b.epk, "run", *launcher, hooked, MILLIONS], env=env))
        archive, = set(b.archives()) - before
        if best is None or took < best[0]:
            best = took, Profile(b, archive).manifest
    took, m = best
    saved = took - least_bare
    least = m["wall_seconds"] - m["wall_without_most_seconds"]
    most = m["wall_seconds"] - m["wall_without_least_seconds"]
    print(f"        {what}: bare {least_bare:.3f} s, measured {took:.3f} s, so measuring took {saved:.3f} s; stated "
          f"{m['wall_seconds'] - m['wall_without_seconds']:.3f} s ({least:.3f} to {most:.3f} s)")
    slack = 0.25 * took
    assert 0 <= least <= most <= m["wall_seconds"] * (1 + 1e-9), m
    expect_time(least - slack <= saved <= most + slack, f"{what}: {saved} s, stated {least} to {most} s")


def builds(b, compiler, flags, name):
    return [b.compile(compiler, "spans.c", ["-O2", *flags, *hooks], name + "_hooks" * bool(hooks), instrument=None)
            for hooks in ([], [HOOKS])]


def test_one_thread_and_threads_with_unequal_shares():
    b = bench()
    bare, hooked = builds(b, "gcc", ["-fopenmp"], "spans")
    for threads in ("1", "2"):
        retried(check_bracket, f"{threads} threads", b, bare, hooked, (), {"OMP_NUM_THREADS": threads})


@long
def test_jobs_whose_processes_meet():
    if not MPIS:
        left_out("there is no MPI")
    for name, words in MPIS:
        b = bench()
        bare, hooked = builds(b, f"mpicc.{name}", ["-DWITH_MPI"], f"spans_{name}")
        retried(check_bracket, name, b, bare, hooked, (f"mpirun.{name}", *words, "-n", "2"))


def check_computed(name, words):
    """The program tells the CPU time of its computation; a seventh more or less is allowed."""
    b = bench()
    program = b.compile(f"mpicc.{name}", "polls.c", ["-O1"], instrument=None)
    processors = ",".join(str(each) for each in sorted(os.sched_getaffinity(0))[:2])
    b.run(["taskset", "-c", processors, b.epk, "run", f"mpirun.{name}", *words, "-n", "3", program, 100])
    true = sum(float((b.folder / f"cpu.{rank}").read_text().split()[0]) for rank in range(3))
    archive, = b.archives()
    m = Profile(b, archive).manifest
    least, most = m["cpu_seconds"], m["cpu_most_seconds"]
    print(f"        {name}: computed for {true:.3f} s of CPU time, stated {least:.3f} to {most:.3f} s")
    assert least <= most <= m["ran_seconds"] + 1e-9, m
    expect_time(0.85 * least <= true <= 1.15 * most, f"{true} s, stated {least} to {most} s")
    line = b.run([b.epk, "report", archive]).out.split("measuring  ")[1].split("starting")[0]
    can_be_told = most <= 1.1 * least
    assert (" to " in line.split("program's")[1]) != can_be_told, (line, least, most)


def test_ranks_that_poll_on_too_few_processors():
    if not MPIS:
        left_out("there is no MPI")
    for name, words in MPIS:
        retried(check_computed, name, words)


if __name__ == "__main__":
    sys.exit(main(globals()))
