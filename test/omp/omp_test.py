#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP programs count what they do; the profile must say the same, and account for every thread's time."""

import collections
import json
import re
import signal
import subprocess
import sys

sys.path.insert(0, "test/user")
import harness  # noqa: E402
from harness import expect  # noqa: E402

PREFIX = harness.stage()
THREADS = 3
HOOKS = "-finstrument-functions"


class Omp:
    """A program built once with one compiler, and run preloaded."""

    built = {}

    def __init__(self, compiler, source, flags=()):
        self.bench = harness.Bench(PREFIX, "test/omp/programs")
        self.compiler = compiler
        name = f"{source.split('.')[0]}_{compiler}{len(flags)}"
        key = compiler, source, tuple(flags)
        if key not in self.built:
            self.built[key] = self.bench.compile(compiler, source, ("-g", "-O1", "-fopenmp", *flags), name,
                                                 instrument=None)
        self.program = self.built[key]

    def run(self, *words, threads=THREADS, env=None, preload=True):
        settings = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive", **(env or {})}
        if preload:
            settings["LD_PRELOAD"] = str(PREFIX / "lib/libepk.so")
        return self.bench.measure(self.program, words, env=settings)

    def plain(self, *words):
        return self.bench.run([self.program, *words], env={"OMP_NUM_THREADS": str(THREADS)})


def kind_of(region):
    return region.split(" @")[0]


def visits_by_kind(profile):
    counts = collections.Counter()
    for row in profile.rows:
        counts[kind_of(row["region"])] += int(row["visits"] or 0)
    return counts


def counted(text):
    return {kind: int(count) for kind, count in re.findall(r"^count (.*) (\d+)$", text, re.M)}


def number(text, word):
    return float(re.search(rf"^{word} (\S+)$", text, re.M).group(1))


def threads_of(profile):
    return sorted({int(row["thread"]) for row in profile.rows})


def seconds(profile, column, thread, want):
    return sum(float(r[column] or 0) for r in profile.rows if int(r["thread"]) == thread and want(r))


def check_time(profile, what):
    """The exclusive times of a thread are its total, none is negative, and an idle thread is somewhere."""
    for thread in threads_of(profile):
        mine = [r for r in profile.rows if int(r["thread"]) == thread]
        total = sum(float(r["incl_s"]) for r in mine if " > " not in r["callpath"])
        parts = sum(float(r["excl_s"]) for r in mine)
        assert abs(total - parts) <= 1e-9 + 1e-6 * total, f"{what}: thread {thread}: {parts} s of {total} s"
        for row in mine:
            assert float(row["excl_s"]) >= -1e-9, f"{what}: {row['callpath']}: {row['excl_s']} s"
    expect(f"{what}: repairs", profile.manifest["repairs"], 0) if "repairs" in profile.manifest else None


def check_pool(profile, what):
    """A thread of the pool is in a region or idle, and never longer in a region than its leader."""
    for thread in threads_of(profile):
        if thread == 0:
            continue
        total = seconds(profile, "incl_s", thread, lambda r: " > " not in r["callpath"])
        idle = seconds(profile, "incl_s", thread, lambda r: r["region"] == "idle")
        tops = {r["callpath"] for r in profile.rows if kind_of(r["region"]) == "parallel"}
        tops = {p for p in tops if not any(p.startswith(q + " > ") for q in tops)}
        inside = seconds(profile, "incl_s", thread, lambda r: r["callpath"] in tops)
        assert abs(total - idle - inside) <= 0.01 * total, f"{what}: thread {thread}: {idle} + {inside} of {total} s"
        for top in tops:
            own = seconds(profile, "incl_s", thread, lambda r, top=top: r["callpath"] == top)
            leader = seconds(profile, "incl_s", 0, lambda r, top=top: r["callpath"] == top)
            assert own <= leader * 1.001 + 1e-6, f"{what}: thread {thread}: {own} s in {top}, its leader {leader} s"


def check_counts(compiler, part, exact):
    program = Omp(compiler, "constructs.c")
    for n in ("20", "33"):
        profile, result = program.run(part, n)
        wanted, found = counted(result.out), visits_by_kind(profile)
        assert wanted, result.out
        for kind, count in wanted.items():
            if exact(kind):
                expect(f"{compiler} {part} {n}: {kind}", found[kind], count)
        check_time(profile, f"{compiler} {part}")
        if part != "nested":  # where threads are in regions of several leaders
            check_pool(profile, f"{compiler} {part}")
        if "task create" in wanted:
            created = sum(int(r.get("omp_tasks_created") or 0) for r in profile.rows)
            expect(f"{compiler} {part}: tasks created", created, wanted["task create"])


def always(_):
    return True


def test_counts_gcc():
    for part in ("loops", "combined", "ordered", "exclusion", "singles", "tasks", "nested"):
        check_counts("gcc", part, always)


def test_counts_clang():
    for part in ("loops", "combined", "ordered", "exclusion", "singles", "tasks", "nested"):
        check_counts("clang", part, lambda kind, part=part: not (part == "tasks" and kind in ("taskgroup", "taskwait")))


def test_what_only_gcc_emits():
    profile, result = Omp("gcc", "rare.c").run()
    found = visits_by_kind(profile)
    for kind, count in counted(result.out).items():
        expect(kind, found[kind], count)
    check_time(profile, "rare")
    check_pool(profile, "rare")


def test_what_gcc_makes_no_call_of():
    program = Omp("gcc", "emitted.c")
    profile, result = program.run()
    found = visits_by_kind(profile)
    for kind, count in counted(result.out).items():
        expect(kind, found[kind], count)
    check_time(profile, "emitted")
    check_pool(profile, "emitted")


def test_instrumented():
    profile, result = Omp("gcc", "constructs.c", (HOOKS,)).run("tasks", "20")
    check_time(profile, "instrumented")
    expect("calls below tasks", visits_by_kind(profile)["task"], counted(result.out)["task"])
    assert any("Tasks > parallel @constructs.c:" in r["callpath"] and r["thread"] == "1" for r in profile.rows)
    assert any(re.search(r"> task @\S+ > Fibonacci", r["callpath"]) for r in profile.rows)


def test_linked():
    bench = harness.Bench(PREFIX, "test/omp/programs")
    program = bench.compile("gcc", "constructs.c", ("-g", "-O1", "-fopenmp"))
    profile, result = bench.measure(program, ["loops"], env={"OMP_NUM_THREADS": "2"})
    for kind, count in counted(result.out).items():
        expect(f"linked: {kind}", visits_by_kind(profile)[kind], count)


def test_imbalance_is_shown_where_it_is():
    for compiler in ("gcc", "clang"):
        profile, result = Omp(compiler, "imbalance.c").run("unequal", "10", threads=2)
        check_time(profile, compiler)
        check_pool(profile, compiler)
        spent = number(result.out, "spent")
        barrier = seconds(profile, "excl_s", 1, lambda r: kind_of(r["region"]) == "implicit barrier")
        idle = seconds(profile, "excl_s", 1, lambda r: r["region"] == "idle")
        region = seconds(profile, "excl_s", 0, lambda r: kind_of(r["region"]) == "parallel")
        # While the first thread worked, the other one waited or had not been woken yet.
        assert barrier + idle >= 0.98 * spent, f"{compiler}: {barrier} + {idle} s while the other worked {spent} s"
        assert region >= 0.98 * spent, f"{compiler}: {region} s of work, the program says {spent} s"


def whole_metric(profile, name):
    bench = harness.Bench(PREFIX, "test/omp/programs")
    report = json.loads(bench.run([bench.epk, "report", profile.archive, "--format", "json"]).out)
    values = [sum(v["value"]) for v in report["values"] if v["metric"] == name]
    return sum(values)


def test_limited_parallelism_is_not_idleness():
    for compiler in ("gcc", "clang"):
        profile, result = Omp(compiler, "imbalance.c").run("limited", "20")
        check_time(profile, compiler)
        expect(f"{compiler}: threads", number(result.out, "threads"), THREADS)
        least, most = number(result.out, "least"), number(result.out, "most")
        # The last thread is in none of the regions with fewer.
        limited = seconds(profile, "excl_s", THREADS - 1, lambda r: r["region"] == "limited parallelism")
        assert least <= limited <= most, f"{compiler}: {limited} s, the program says {least} to {most} s"
        parts = sum(seconds(profile, "excl_s", t, lambda r: r["region"] == "limited parallelism")
                    for t in threads_of(profile))
        idle = sum(seconds(profile, "excl_s", t, lambda r: r["region"] == "idle") for t in threads_of(profile))
        assert idle > 0.9 * 20 * 0.002, f"{compiler}: idle {idle} s"
        metric, both = whole_metric(profile, "omp_limited_parallelism"), whole_metric(profile, "omp_idle_threads")
        assert abs(metric - parts) < 1e-6, f"{compiler}: {metric} s as a metric, {parts} s in the tree"
        assert abs(both - parts - idle) < 1e-6, f"{compiler}: {both} s as a metric, {parts} + {idle} s in the tree"


def test_all_thread_time_is_accounted_for():
    """Threads x wall of each region is what its threads did and waited in it, and their way to it from the fork."""
    for compiler in ("gcc", "clang"):
        for part in ("unequal", "tasks"):
            what = f"{compiler} {part}"
            profile, _ = Omp(compiler, "imbalance.c").run(part, "20", env={"EPK_TRACE": "all"})
            check_time(profile, what)
            bench = harness.Bench(PREFIX, "test/omp/programs")
            lines = bench.run([bench.epk, "print", profile.archive, "--format", "json"]).out.splitlines()
            forks, late, members, begins, ends = {}, 0.0, 0, {}, {}
            for event in map(json.loads, lines):
                ends[event["thread"]] = max(ends.get(event["thread"], 0), event["time"])
                if event["event"] == "fork":
                    forks[event["thread"], event["instance"]] = event["time"]
                if event["event"] == "team begin":
                    members += 1
                    begins.setdefault(event["thread"], event["time"])
                    if event["number"] != 0:
                        late += event["time"] - forks[event["leader"], event["instance"]]
            tops = {r["callpath"] for r in profile.rows if kind_of(r["region"]) == "parallel"}
            wall = seconds(profile, "incl_s", 0, lambda r, tops=tops: r["callpath"] in tops)
            inside = sum(seconds(profile, "incl_s", t, lambda r, tops=tops: r["callpath"] in tops)
                         for t in threads_of(profile))
            expect(f"{what}: members", members, THREADS * len(forks))
            assert abs(inside + late - THREADS * wall) <= 0.01 * THREADS * wall, \
                f"{what}: {inside} s in regions and {late} s before, of {THREADS} x {wall} s"
            # And from its first region on, all of a thread's time is somewhere.
            whole = seconds(profile, "incl_s", 0, lambda r: " > " not in r["callpath"])
            first = min(begins.values())
            assert first < 0.5 * whole, f"{what}: the first region is late"
            for thread in threads_of(profile):
                if thread == 0:
                    continue
                total = seconds(profile, "incl_s", thread, lambda r: " > " not in r["callpath"])
                # libomp ends its threads some time before the program ends.
                end = profile.manifest["wall_seconds"] if compiler == "gcc" else ends[thread]
                expected = end - begins[thread]
                assert abs(total - expected) <= 0.01 * expected + 1e-3, f"{what}: thread {thread}: {total} of {expected}"


def test_tasks_are_not_waiting():
    for compiler in ("gcc", "clang"):
        profile, result = Omp(compiler, "imbalance.c").run("tasks", "40")
        spent = number(result.out, "spent")
        tasks = sum(seconds(profile, "incl_s", t, lambda r: kind_of(r["region"]) == "task") for t in threads_of(profile))
        assert 0.999 * spent <= tasks <= 1.02 * spent + 0.002, f"{compiler}: {tasks} s in tasks of {spent} s"
        check_time(profile, compiler)
        check_pool(profile, compiler)


def test_numbers_stay():
    for compiler in ("gcc", "clang"):
        program = Omp(compiler, "imbalance.c")
        expect(f"{compiler}: result", program.run("numbers")[1].out, program.plain("numbers").out)


def test_pthreads_with_teams():
    profile, _ = Omp("gcc", "imbalance.c").run("pthreads", "5", threads=2)
    check_time(profile, "pthreads")
    found = visits_by_kind(profile)
    expect("regions", found["parallel"], 3 * 5 * 2)
    expect("barriers", found["implicit barrier"], 3 * 5 * 2)


def test_fork():
    program = Omp("gcc", "imbalance.c")
    bench = program.bench
    env = {"OMP_NUM_THREADS": "2", "LD_PRELOAD": str(PREFIX / "lib/libepk.so")}
    bench.run([program.program, "fork", "3"], env=env)
    archives = bench.archives()
    expect("archives", len(archives), 2)
    for archive in archives:
        expect("regions", visits_by_kind(harness.Profile(bench, archive))["parallel"], 6)


def test_exit_in_a_region():
    program = Omp("gcc", "imbalance.c")
    env = {"OMP_NUM_THREADS": "2", "LD_PRELOAD": str(PREFIX / "lib/libepk.so")}
    result = program.bench.run([program.program, "exit", "3"], env=env, check=False)
    expect("status", result.status, 3)
    profile = harness.Profile(program.bench, program.bench.archives()[0])
    expect("regions", visits_by_kind(profile)["parallel"], 8)
    check_time(profile, "exit")


def test_killed():
    program = Omp("gcc", "imbalance.c")
    bench = program.bench
    env = {"OMP_NUM_THREADS": "2", "LD_PRELOAD": str(PREFIX / "lib/libepk.so")}
    result = bench.run([program.program, "kill", "5"], env=env, check=False)
    expect("status", result.status, -signal.SIGKILL)
    bench.run([bench.epk, "recover", *bench.folder.glob("epik_*")])
    profile = harness.Profile(bench, [a for a in bench.archives() if (a / "manifest.json").exists()][0])
    expect("regions", visits_by_kind(profile)["parallel"], 10)
    expect("barriers", visits_by_kind(profile)["implicit barrier"], 10)
    check_time(profile, "killed")


def test_cancellation_and_exceptions():
    # With clang and libomp 14 these loops hang here, measured or not; why is not known.
    for compiler, rounds in (("g++", 20), ("clang++", 0)):
        profile, _ = Omp(compiler, "cancel.cc").run(str(rounds), env={"OMP_CANCELLATION": "true"})
        check_time(profile, compiler)
        expect(f"{compiler}: tasks", visits_by_kind(profile)["task"], 50)
        expect(f"{compiler}: loops", visits_by_kind(profile)["for dynamic"], rounds * THREADS)


def test_fortran():
    profile, result = Omp("gfortran", "fortran.f90").run()
    found = visits_by_kind(profile)
    assert "total 1276" in result.out, result.out
    expect("locks", found["omp_set_lock"], number(result.out, "sets"))
    expect("loops", found["for dynamic"], THREADS)
    expect("tasks", found["task"], 1)


def test_libgomp_of_a_plugin():
    program = Omp("gcc", "late.c", ("-fno-openmp",))
    plugin = program.bench.compile("gcc", "plugin.c", ("-g", "-fopenmp", "-shared", "-fPIC"), "plugin.so", None)
    profile, result = program.run(plugin)
    expect("result", result.out, "sum 45\nsum 45\n")
    expect("regions", visits_by_kind(profile)["parallel"], 2 * THREADS)


def test_no_openmp():
    bench = harness.Bench(PREFIX, "test/omp/programs")
    program = bench.compile("gcc", "serial.c", (HOOKS,), None, None)
    _, result = bench.measure(program, env={"LD_PRELOAD": str(PREFIX / "lib/libepk.so")})
    expect("OpenMP libraries", result.out, "found 0\n")


def test_pauses():
    bench = harness.Bench(PREFIX, "test/omp/programs")
    program = bench.compile("gcc", "pause.c", ("-g", "-O1", "-fopenmp"), instrument=("--user",))
    profile, _ = bench.measure(program, env={"OMP_NUM_THREADS": str(THREADS)})
    expect("hidden", profile.visits(region="Hidden"), 0)
    expect("shown", profile.visits(region="Shown"), 5 * THREADS)
    expect("regions", visits_by_kind(profile)["parallel"], 5 * THREADS)
    check_time(profile, "pauses")


def test_groups():
    program = Omp("gcc", "constructs.c")
    profile, result = program.run("exclusion", "20", env={"EPK_OMP_ENABLED": "PARALLEL:LOCK"})
    found, wanted = visits_by_kind(profile), counted(result.out)
    for kind in ("parallel", "omp_set_lock"):
        expect(kind, found[kind], wanted[kind])
    for kind in ("critical", "barrier"):
        expect(kind, found[kind], 0)
    profile, _ = program.run("loops", "20", env={"EPK_OMP_ENABLED": "ALL"})
    assert visits_by_kind(profile)["for dynamic"] > 0


def visits_by_path(profile):
    counts = collections.Counter()
    for row in profile.rows:
        counts[" > ".join(kind_of(w) for w in row["callpath"].split(" > ")[1:])] += int(row["visits"] or 0)
    return counts


# Where the runtimes themselves differ: who waits how often for `copyprivate`, whether an iteration that needs none is
# waited for, and that a taskloop is in a taskgroup of its own.
DIFFERENT = {"singles": ("implicit barrier",), "ordered": ("ordered wait",), "tasks": ("taskgroup", "taskloop")}


def test_gcc_and_clang_say_the_same():
    for flags in ((), (HOOKS,)):
        for part in ("loops", "combined", "ordered", "exclusion", "singles", "tasks", "nested"):
            said = []
            for compiler in ("gcc", "clang"):
                profile, _ = Omp(compiler, "constructs.c", flags).run(part, env={"EPK_TRACE": "all"})
                outlined = [r["callpath"] for r in profile.rows if "omp_" in r["region"].replace("omp_test_", "")
                            .replace("omp_set_", "")]
                expect(f"{compiler} {part}: outlined functions", outlined, [])
                bench = harness.Bench(PREFIX, "test/omp/programs")
                bench.run([bench.epk, "check", profile.archive, "--trace-vs-summary"])
                said.append({path: count for path, count in visits_by_path(profile).items()
                             if path.split(" > ")[0] not in ("idle", "measurement") and count != 0
                             and not any(word in path for word in DIFFERENT.get(part, ()))})
            assert len(said[0]) > 3, said[0]
            expect(f"{part} {flags}: gcc and clang", said[0], said[1])


def test_more_threads_than_are_measured():
    profile, result = Omp("gcc", "constructs.c").run("loops", "20", env={"ESD_MAX_THREADS": "2"})
    expect("measured threads", len(threads_of(profile)), 2)
    expect("the program", counted(result.out)["parallel"], 5 * THREADS)
    expect("regions", visits_by_kind(profile)["parallel"], 5 * 2)
    assert any("ESD_MAX_THREADS" in note for note in profile.manifest["notes"]), profile.manifest["notes"]
    check_time(profile, "few threads")


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
