#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All time of all threads is accounted for, and in the regions in which the program says that it passed.

The true times come from the program's clock, or from forks and joins in the trace of the same run. Threads may be
interrupted between two readings, so the checks of times have several tries; those of counts and of sums have one.
"""

import collections
import dataclasses
import json
import sys

sys.path.insert(0, "test/omp")
from omp_programs import (THREADS, Omp, check_pool, check_time, expect, harness, kind_of, number, seconds, threads_of,
                          visits_by_kind)  # noqa: E402
from harness import expect_time, long, retried  # noqa: E402

COMPILERS = ("gcc", "clang")


@dataclasses.dataclass
class Region:
    """A parallel region, by its forks and joins in the trace."""

    wall: float = 0.0  # of its leaders
    available: float = 0.0  # threads x wall
    late: float = 0.0  # of that, until the threads came
    gone: float = 0.0  # of that, from the end of threads that live for one region only
    members: int = 0

    def allowance(self):
        """1 %, and some us for the time between a record and the call around it, which matters in regions of 0.1 ms."""
        return 0.01 * self.available + 3e-6 * self.members


def events_of(program, profile):
    return [json.loads(line) for line in program.epk("print", profile.archive, "--format", "json").splitlines()]


def regions_of(events):
    forks, joins, members, at_work = {}, {}, collections.defaultdict(list), {}
    for event in events:
        kind, thread = event["event"], event["thread"]
        if kind == "fork":
            forks[thread, event["instance"]] = event
        elif kind == "join":
            joins[thread, event["instance"]] = event["time"]
        elif kind == "team begin":
            team = event["leader"], event["instance"]
            member = {"began": event["time"], "ended": None, "region": forks[team]["region"]}
            members[team].append(member)
            if thread != event["leader"]:
                at_work[thread] = member
        elif kind == "exit" and thread in at_work and at_work[thread]["region"] == event["region"]:
            at_work.pop(thread)["ended"] = event["time"]
    regions = collections.defaultdict(Region)
    for team, fork in forks.items():
        region, wall = regions[fork["region"]], joins[team] - fork["time"]
        region.wall += wall
        region.members += len(members[team])
        region.available += wall * len(members[team])
        for member in members[team]:
            if member["ended"] is not None:
                region.late += member["began"] - fork["time"]
                region.gone += joins[team] - member["ended"]
    return regions


def inside(profile, name):
    """Seconds of all threads in a region, over all call paths."""
    rows = [r for r in profile.rows if r["region"] == name]
    outer = {r["callpath"] for r in rows}
    return sum(float(r["incl_s"]) for r in rows if not any(r["callpath"].startswith(p + " > ") for p in outer))


def nested_in(profile, name, names):
    paths = [r["callpath"].split(" > ") for r in profile.rows]
    return {n for n in names if n != name and any(n in p and name in p[:p.index(n)] for p in paths)}


def check_regions(compiler, source, words):
    program, what = Omp(compiler, source), f"{compiler} {source} {' '.join(words)}"
    profile, _ = program.run(*words, env={"EPK_TRACE": "comm"})
    check_time(profile, what)
    regions = regions_of(events_of(program, profile))
    expect(f"{what}: regions", set(regions), {r["region"] for r in profile.rows if kind_of(r["region"]) == "parallel"})
    said = json.loads(program.epk("report", profile.archive, "--omp", "--format", "json"))["regions"]
    nests = False
    for name, region in regions.items():
        spent = inside(profile, name)
        for inner in nested_in(profile, name, regions):  # whose own threads are no threads of this one
            spent -= inside(profile, inner) - regions[inner].wall
            nests = True
        expect(f"{what}: visits of {name}", profile.visits(region=name), region.members)
        parts = f"{what}: {name}: {spent} s, {region.late} s before and {region.gone} s after, of {region.available} s"
        expect_time(abs(spent + region.late + region.gone - region.available) <= region.allowance(), parts)
        # libgomp ends the threads of a nested region when they have done their part.
        expect_time(region.gone <= 0.001 * region.available or (compiler == "gcc" and words[:1] == ("nested",)), parts)
    for row in said:
        name = row["region"]
        if nests or name not in regions or words[:1] == ("limited",):
            continue  # threads x wall is of teams that have one size
        parts = sum(row[f"{part}_s"] for part in
                    ("work", "implicit_barrier", "explicit_barrier", "exclusion", "management", "mpi", "other"))
        # The other threads do not exist before the leader forks and after it has joined.
        alone = (row["threads"] - 1) * (row["time_s"] - regions[name].wall)
        expect_time(abs(parts + regions[name].late + alone - row["thread_time_s"]) <= regions[name].allowance(),
                    f"{what}: {name}: parts {parts} s, {regions[name].late} s and {alone} s, in {row}")


# The programs to run, and their arguments: regions of some milliseconds.
PARTS = [("loops", "2000"), ("combined", "2000"), ("ordered", "60"), ("exclusion", "100"), ("singles", "20"),
         ("tasks", "200"), ("nested", "200")]


@long
def test_every_region():
    for compiler in COMPILERS:
        for words in PARTS:
            retried(check_regions, compiler, "constructs.c", words)
        for words in (("unequal", "10"), ("tasks", "20"), ("limited", "10")):
            retried(check_regions, compiler, "imbalance.c", words)


def test_every_region_of_what_only_gcc_has():
    for source in ("emitted.c", "rare.c"):
        retried(check_regions, "gcc", source, ())


def check_imbalance(compiler):
    profile, result = Omp(compiler, "imbalance.c").run("unequal", "10", threads=2)
    check_time(profile, compiler)
    check_pool(profile, compiler)
    spent = number(result.out, "spent")
    barrier = seconds(profile, "excl_s", 1, lambda r: kind_of(r["region"]) == "implicit barrier")
    idle = seconds(profile, "excl_s", 1, lambda r: r["region"] == "idle")
    region = seconds(profile, "excl_s", 0, lambda r: kind_of(r["region"]) == "parallel")
    # While the first thread worked, the other one waited or had not been woken yet.
    expect_time(barrier + idle >= 0.98 * spent, f"{compiler}: {barrier} + {idle} s while the other worked {spent} s")
    expect_time(region >= 0.98 * spent, f"{compiler}: {region} s of work, the program says {spent} s")


def test_imbalance_is_shown_where_it_is():
    for compiler in COMPILERS:
        retried(check_imbalance, compiler)


def check_tasks(compiler):
    profile, result = Omp(compiler, "imbalance.c").run("tasks", "40")
    spent = number(result.out, "spent")
    tasks = sum(seconds(profile, "incl_s", t, lambda r: kind_of(r["region"]) == "task") for t in threads_of(profile))
    expect_time(0.999 * spent <= tasks <= 1.02 * spent + 0.002, f"{compiler}: {tasks} s in tasks of {spent} s")
    check_time(profile, compiler)
    check_pool(profile, compiler)


def test_tasks_are_not_waiting():
    for compiler in COMPILERS:
        retried(check_tasks, compiler)


def check_untied(compiler):
    program, tasks = Omp(compiler, "imbalance.c"), 40
    profile, result = program.run("untied", str(tasks), env={"EPK_TRACE": "all"})
    expect(f"{compiler}: visits", visits_by_kind(profile)["task"], tasks)
    program.epk("check", profile.archive, "--trace-vs-summary")
    spent = number(result.out, "spent")
    inside = sum(seconds(profile, "incl_s", t, lambda r: kind_of(r["region"]) == "task") for t in threads_of(profile))
    expect_time(0.999 * spent <= inside <= 1.02 * spent + 0.002, f"{compiler}: {inside} s in tasks of {spent} s")
    check_time(profile, compiler)
    check_pool(profile, compiler)


def test_untied_tasks_that_yield_are_one_visit_each():
    for compiler in COMPILERS:
        retried(check_untied, compiler)


def whole_metric(program, profile, name):
    report = json.loads(program.epk("report", profile.archive, "--format", "json"))
    return sum(sum(v["value"]) for v in report["values"] if v["metric"] == name)


def check_limited(compiler):
    program = Omp(compiler, "imbalance.c")
    profile, result = program.run("limited", "20", env={"EPK_TRACE": "all"})
    check_time(profile, compiler)
    expect(f"{compiler}: threads", number(result.out, "threads"), THREADS)
    # The last thread is in none of the regions with fewer threads. The program tells their time by another clock.
    least, most = number(result.out, "least"), number(result.out, "most")
    limited = seconds(profile, "excl_s", THREADS - 1, lambda r: r["region"] == "limited parallelism")
    expect_time(0.999 * least <= limited <= 1.001 * most,
                f"{compiler}: {limited} s, the program says {least} to {most} s")
    # The trace has no event of it, and says the same.
    expect(f"{compiler}: visits", visits_by_kind(profile)["limited parallelism"] > 20, True)
    program.epk("check", profile.archive, "--trace-vs-summary")
    parts = sum(seconds(profile, "excl_s", t, lambda r: r["region"] == "limited parallelism")
                for t in threads_of(profile))
    idle = sum(seconds(profile, "excl_s", t, lambda r: r["region"] == "idle") for t in threads_of(profile))
    expect_time(idle > 0.9 * 20 * 0.002, f"{compiler}: idle {idle} s")
    metric = whole_metric(program, profile, "omp_limited_parallelism")
    both = whole_metric(program, profile, "omp_idle_threads")
    assert abs(metric - parts) < 1e-6, f"{compiler}: {metric} s as a metric, {parts} s in the tree"
    assert abs(both - parts - idle) < 1e-6, f"{compiler}: {both} s as a metric, {parts} + {idle} s in the tree"


def test_limited_parallelism_of_threads_that_were_never_idle():
    for compiler in COMPILERS:
        for _ in range(5):
            program = Omp(compiler, "imbalance.c")
            # Threads that look out for work end at once.
            profile, _ = program.run("inner", "5", env={"EPK_TRACE": "all", "OMP_WAIT_POLICY": "active"})
            program.epk("check", profile.archive, "--trace-vs-summary")


def test_parts_of_regions_without_call_paths_of_their_own():
    for compiler in COMPILERS:
        for paths in ("2", "3"):
            program = Omp(compiler, "imbalance.c")
            profile, _ = program.run("unequal", "3", threads=2, env={"EPK_TRACE": "all", "ESD_PATHS": paths})
            program.epk("check", profile.archive, "--trace-vs-summary")


def test_limited_parallelism_is_not_idleness():
    for compiler in COMPILERS:
        retried(check_limited, compiler)


def check_whole_threads(compiler, part):
    """From a thread's first region on, all of its time is accounted for."""
    program, what = Omp(compiler, "imbalance.c"), f"{compiler} {part}"
    profile, _ = program.run(part, "20", env={"EPK_TRACE": "all"})
    check_pool(profile, what)
    begins, ends = {}, {}
    for event in events_of(program, profile):
        ends[event["thread"]] = max(ends.get(event["thread"], 0), event["time"])
        if event["event"] == "team begin":
            begins.setdefault(event["thread"], event["time"])
    expect(f"{what}: threads", len(begins), THREADS)
    for thread in begins:
        if thread == 0:
            continue
        total = seconds(profile, "incl_s", thread, lambda r: " > " not in r["callpath"])
        # libomp ends its threads some time before the program ends.
        end = profile.manifest["wall_seconds"] if compiler == "gcc" else ends[thread]
        expected = end - begins[thread]
        expect_time(expected > 0.01, f"{what}: thread {thread}: {expected} s")
        expect_time(abs(total - expected) <= 0.01 * expected + 1e-3, f"{what}: thread {thread}: {total} of {expected} s")


def test_whole_threads():
    for compiler in COMPILERS:
        for part in ("unequal", "tasks"):
            retried(check_whole_threads, compiler, part)


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
