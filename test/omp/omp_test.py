#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP programs count their own actions; the profile must have the same counts, and account for every thread's
time."""

import collections
import json
import re
import signal
import sys

sys.path.insert(0, "test/omp")
from omp_programs import (HOOKS, PREFIX, THREADS, Omp, check_pool, check_time, counted, expect, harness, kind_of,
                          number, threads_of, visits_by_kind)  # noqa: E402


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


COMPILERS = ("gcc", "clang")


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
    for compiler in COMPILERS:
        bench = harness.Bench(PREFIX, "test/omp/programs")
        program = bench.compile(compiler, "constructs.c", ("-g", "-O1", "-fopenmp"))
        profile, result = bench.measure(program, ["loops"], env={"OMP_NUM_THREADS": "2"})
        for kind, count in counted(result.out).items():
            expect(f"{compiler}, linked: {kind}", visits_by_kind(profile)[kind], count)


def test_numbers_stay():
    for compiler in ("gcc", "clang"):
        program = Omp(compiler, "imbalance.c")
        expect(f"{compiler}: result", program.run("numbers")[1].out, program.plain("numbers").out)


def test_pthreads_with_teams():
    for compiler in COMPILERS:
        profile, _ = Omp(compiler, "imbalance.c").run("pthreads", "5", threads=2)
        check_time(profile, f"{compiler} pthreads")
        found = visits_by_kind(profile)
        expect(f"{compiler}: regions", found["parallel"], 3 * 5 * 2)
        expect(f"{compiler}: barriers", found["implicit barrier"], 3 * 5 * 2)


def test_threads_that_another_library_makes():
    """Each part of each thread is in the trace and in the profile: the first, too."""
    for compiler in COMPILERS:
        omp = Omp(compiler, "constructs.c")
        profile, result = omp.run("loops", "20", env={"EPK_TRACE": "all", **omp.threads_of_another()})
        for kind, count in counted(result.out).items():
            expect(f"{compiler}: {kind}", visits_by_kind(profile)[kind], count)
        check_trace(omp, profile)
        check_time(profile, compiler)


def test_fork():
    for compiler in COMPILERS:
        program = Omp(compiler, "imbalance.c")
        program.start("fork", "3", threads=2)
        archives = program.bench.archives()
        expect(f"{compiler}: archives", len(archives), 2)
        for archive in archives:
            expect(f"{compiler}: regions", visits_by_kind(harness.Profile(program.bench, archive))["parallel"], 6)


def test_exit_in_a_region():
    for compiler in COMPILERS:
        program = Omp(compiler, "imbalance.c")
        result = program.start("exit", "3", threads=2, check=False)
        expect(f"{compiler}: status", result.status, 3)
        profile = harness.Profile(program.bench, program.bench.archives()[0])
        expect(f"{compiler}: regions", visits_by_kind(profile)["parallel"], 8)
        check_time(profile, f"{compiler}: exit")


def test_killed():
    for compiler in COMPILERS:
        program = Omp(compiler, "imbalance.c")
        bench = program.bench
        result = program.start("kill", "5", threads=2, check=False)
        expect(f"{compiler}: status", result.status, -signal.SIGKILL)
        program.epk("recover", *bench.folder.glob("epik_*"))
        profile = harness.Profile(bench, [a for a in bench.archives() if (a / "manifest.json").exists()][0])
        expect(f"{compiler}: regions", visits_by_kind(profile)["parallel"], 10)
        expect(f"{compiler}: barriers", visits_by_kind(profile)["implicit barrier"], 10)
        check_time(profile, f"{compiler}: killed")


def test_cancellation_and_exceptions():
    rounds = 20
    for compiler, loop in (("g++", "for dynamic"), ("clang++", "for static")):
        profile, result = Omp(compiler, "cancel.cc").run(str(rounds), env={"OMP_CANCELLATION": "true"})
        check_time(profile, compiler)
        found = visits_by_kind(profile)
        assert re.fullmatch(r"caught [1-9]\d*\n", result.out), result.out
        expect(f"{compiler}: regions", found["parallel"], (rounds + 1) * THREADS)
        expect(f"{compiler}: tasks", found["task"], 50)
        expect(f"{compiler}: loops", found[loop], rounds * THREADS)


def test_leagues():
    for compiler in COMPILERS:
        omp = Omp(compiler, "teams.c")
        profile, result = omp.run(env={"EPK_TRACE": "all"})
        found = visits_by_kind(profile)
        for kind, count in counted(result.out).items():
            by_threads = 2 if kind == "teams" and compiler == "clang" else 1  # each team has a thread of its own
            expect(f"{compiler}: {kind}", found[kind], by_threads * count)
        unnamed = [r["callpath"] for r in profile.rows if "@0x" in r["region"]]
        expect(f"{compiler}: without a place in the source", unnamed, [])
        paths = [r["callpath"].split(" > ") for r in profile.rows if kind_of(r["region"]) == "parallel"]
        expect(f"{compiler}: regions are below their league",
               {tuple(kind_of(region) for region in path[1:]) for path in paths},
               {("parallel",), ("teams", "parallel")})
        check_trace(omp, profile)
        check_time(profile, f"{compiler}: leagues")


def test_fortran():
    profile, result = Omp("gfortran", "fortran.f90").run()
    found = visits_by_kind(profile)
    assert "total 1276" in result.out, result.out
    expect("locks", found["omp_set_lock"], number(result.out, "sets"))
    expect("loops", found["for dynamic"], THREADS)
    expect("tasks", found["task"], 1)


def test_runtime_of_a_plugin():
    for compiler in COMPILERS:
        program = Omp(compiler, "late.c", ("-fno-openmp",))
        plugin = program.bench.compile(compiler, "plugin.c", ("-g", "-fopenmp", "-shared", "-fPIC"), "plugin.so", None)
        profile, result = program.run(plugin)
        expect(f"{compiler}: result", result.out, "sum 45\nsum 45\n")
        expect(f"{compiler}: regions", visits_by_kind(profile)["parallel"], 2 * THREADS)
        expect(f"{compiler}: loops", visits_by_kind(profile)["for dynamic"], 2 * THREADS)
        check_time(profile, f"{compiler}: plug-in")


# Its threads are in the barrier of a region whose code is gone, until the next region or the end.
def test_plugin_that_is_unloaded():
    for compiler in COMPILERS:
        program = Omp(compiler, "late.c", ("-fopenmp", "-Wl,--no-as-needed"))
        plugin = program.bench.compile(compiler, "plugin.c", ("-g", "-fopenmp", "-shared", "-fPIC"), "plugin.so", None)
        profile, result = program.run(plugin, "close", env={"EPK_TRACE": "all"})
        expect(f"{compiler}: result", result.out, "sum 45\nsum 45\n")
        for kind in ("parallel", "implicit barrier", "for dynamic"):
            expect(f"{compiler}: {kind}", visits_by_kind(profile)[kind], 2 * THREADS)
        expect(f"{compiler}: idle", visits_by_kind(profile)["idle"], 2 * (THREADS - 1))
        check_time(profile, f"{compiler}: unloaded plug-in")
        program.epk("check", profile.archive, "--trace-vs-summary")


def test_no_openmp():
    bench = harness.Bench(PREFIX, "test/omp/programs")
    program = bench.compile("gcc", "serial.c", (HOOKS,), None, None)
    _, result = bench.measure(program, env={"LD_PRELOAD": str(PREFIX / "lib/libepk.so")})
    expect("OpenMP libraries", result.out, "found 0\n")


def test_pauses():
    for compiler in COMPILERS:
        bench = harness.Bench(PREFIX, "test/omp/programs")
        program = bench.compile(compiler, "pause.c", ("-g", "-O1", "-fopenmp"), instrument=("--user",))
        profile, _ = bench.measure(program, env={"OMP_NUM_THREADS": str(THREADS)})
        expect(f"{compiler}: hidden", profile.visits(region="Hidden"), 0)
        expect(f"{compiler}: shown", profile.visits(region="Shown"), 5 * THREADS)
        expect(f"{compiler}: regions", visits_by_kind(profile)["parallel"], 5 * THREADS)
        check_time(profile, f"{compiler}: pauses")


# A part of the program, groups, and the kinds of regions with these groups.
GROUPS = [
    ("exclusion", "PARALLEL:LOCK",
     ("parallel", "implicit barrier", "omp_set_lock", "omp_test_lock", "omp_set_nest_lock")),
    ("exclusion", "PARALLEL:CRITICAL", ("parallel", "implicit barrier", "critical", "critical block")),
    ("exclusion", "ALL", ()),
    ("loops", "LOOP", ("for dynamic", "for guided", "for runtime")),
    ("singles", "SINGLE", ("single",)),
    ("singles", "SECTIONS", ("sections",)),
    ("ordered", "PARALLEL:ORDERED", ("parallel", "ordered", "ordered block")),
    ("tasks", "TASK", ("task", "task create", "taskloop", "taskgroup", "taskwait")),
    ("loops", "ALL", ()),
]


def test_groups():
    for compiler in COMPILERS:
        program = Omp(compiler, "constructs.c")
        for part, groups, kinds in GROUPS:
            profile, result = program.run(part, "20", env={"EPK_OMP_ENABLED": groups})
            found, wanted = visits_by_kind(profile), counted(result.out)
            check_time(profile, f"{compiler} {part} {groups}")
            for kind in wanted:
                if part != "exclusion" and kind == "implicit barrier" and "PARALLEL" in groups:
                    continue  # that of the region, and not those of the constructs
                if kind in ("taskgroup", "taskwait") and compiler == "clang":
                    continue  # a taskloop has them, too
                is_on = kind in kinds or groups == "ALL"
                expect(f"{compiler} {part} {groups}: {kind}", found[kind], wanted[kind] if is_on else 0)


def visits_by_path(profile):
    """Recursive tasks have one call path, except that a compiler may put the first levels of a recursion into each other:
    to the runtime, copies of a construct are several constructs. So a path below a task has each name once here."""
    counts = collections.Counter()
    for row in profile.rows:
        words = [kind_of(w) for w in row["callpath"].split(" > ")[1:]]
        counts[" > ".join(dict.fromkeys(words) if "task" in words else words)] += int(row["visits"] or 0)
    return counts


# Differences between the runtimes: which threads wait how often for `copyprivate`, whether threads wait for an
# iteration that needs none, and whether a taskloop is in a taskgroup of its own.
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


def test_recursive_tasks_have_one_call_path():
    """Two tasks in a recursion: not one call path for each of them, every task counted, and times that add up."""
    for compiler in COMPILERS:
        for n in ("12", "17"):
            profile, result = Omp(compiler, "fib_tasks.c", (HOOKS,)).run(n)
            calls, tasks = (int(word) for word in re.findall(r"(\d+) (?:calls|tasks)", result.out))
            counts = collections.Counter()
            for row in profile.rows:
                counts[kind_of(row["region"])] += int(row["visits"] or 0)
            expect(f"{compiler} {n}: calls", counts["Fib"], calls)
            expect(f"{compiler} {n}: tasks", counts["task"], tasks)
            paths = len({row["callpath"] for row in profile.rows})
            assert paths < 120, (compiler, n, paths)
            check_time(profile, f"{compiler} {n}")


def test_a_trace_has_all_calls_of_a_recursion_that_is_folded():
    """clang's functions of constructs have the call path of the construct, and are no visits. Folded calls are."""
    for compiler in COMPILERS:
        omp = Omp(compiler, "recursion.c", (HOOKS,))
        profile, result = omp.run(env={"EPK_RECURSION": "fold", "EPK_TRACE": "all"})
        calls = int(re.search(r"(\d+) calls", result.out).group(1))
        expect(f"{compiler}: calls", visits_by_kind(profile)["Down"], calls)
        check_trace(omp, profile)


def test_counters_of_threads_that_have_a_place_one_after_the_other():
    """libgomp ends the threads of a nested region. The counts of each begin at 0, and the trace has all of them."""
    for compiler in COMPILERS:
        omp = Omp(compiler, "pages.c", (HOOKS,))
        profile, _ = omp.run(env={"EPK_METRICS": "rusage::ru_minflt", "EPK_TRACE": "all", "OMP_WAIT_POLICY": "active"})
        expect(f"{compiler}: visits", visits_by_kind(profile)["Touch"], 20)
        check_trace(omp, profile)


def test_hot_creations_of_tasks_are_sampled():
    """EPK_HOT times some of the calls that create tasks; all are counted, even if a call runs its task at once."""
    for compiler in COMPILERS:
        for n, action in (("12", "sample"), ("20", "sample"), ("20", "drop")):
            profile, result = Omp(compiler, "fib_tasks.c", ()).run(
                n, env={"EPK_HOT": action, "EPK_THROTTLE_CALLS": "100", "EPK_THROTTLE_PERCALL": "1ms"})
            tasks = int(re.search(r"(\d+) tasks", result.out).group(1))
            what, counts = f"{compiler} {n} {action}", visits_by_kind(profile)
            expect(f"{what}: tasks", (counts["task"], counts["task create"]), (tasks, tasks))
            expect(f"{what}: created", sum(int(r.get("omp_tasks_created") or 0) for r in profile.rows), tasks)
            untimed = collections.Counter()
            for row in profile.rows:
                untimed[kind_of(row["region"])] += int(row.get("untimed_visits") or 0)
            assert n == "12" or untimed["task create"] > tasks / 2, (what, untimed)
            expect(f"{what}: tasks are timed", untimed["task"], 0)
            check_time(profile, what)


def note_of_tasks(profile):
    """The number of tasks that were not measured one by one, and the reason, from the notes."""
    for note in profile.manifest["notes"]:
        if match := re.match(r"(\d+) OpenMP tasks are not measured one by one.*: (EPK_.*)", note):
            return int(match.group(1)), match.group(2).split()
    return 0, []


def check_trace(omp, profile):
    omp.epk("check", profile.archive, "--trace-vs-summary")


def no_tasks(omp):
    path = omp.bench.folder / "no_tasks"
    path.write_text("EXCLUDE task @*\n")
    return {"EPK_FILTER": str(path)}


def test_tasks_below_the_depth_or_in_a_filter_have_no_call_path():
    """No task is a visit, all are in the note, all other regions have their visits, and no time is lost."""
    for compiler in COMPILERS:
        omp = Omp(compiler, "fib_tasks.c", (HOOKS,))
        for why, env in (("EPK_DEPTH", {"EPK_DEPTH": "2"}), ("EPK_FILTER", no_tasks(omp))):
            profile, result = omp.run("20", env={**env, "EPK_TRACE": "all"})
            calls, tasks = (int(word) for word in re.findall(r"(\d+) (?:calls|tasks)", result.out))
            found = visits_by_kind(profile)
            expect(f"{compiler} {why}: tasks", found["task"], 0)
            expect(f"{compiler} {why}: the note", note_of_tasks(profile), (tasks, [why]))
            expect(f"{compiler} {why}: created", found["task create"], tasks)
            expect(f"{compiler} {why}: calls", found["Fib"], calls if why == "EPK_FILTER" else 0)
            check_time(profile, f"{compiler} {why}")
            check_trace(omp, profile)
            if why == "EPK_DEPTH":
                paths = len({row["callpath"] for row in profile.rows})
                assert paths < 40, (compiler, paths)


def test_a_filter_of_tasks_leaves_everything_else():
    """Tied and untied tasks, loops of tasks, tasks in groups."""
    for compiler in COMPILERS:
        for flags in ((), (HOOKS,)):
            omp = Omp(compiler, "constructs.c", flags)
            whole, _ = omp.run("tasks", env={"EPK_TRACE": "all"})
            less, _ = omp.run("tasks", env={"EPK_TRACE": "all", **no_tasks(omp)})
            wanted, found = visits_by_kind(whole), visits_by_kind(less)
            assert wanted["task"] > 0, wanted
            expect(f"{compiler} {flags}: tasks", found.pop("task", 0), 0)
            many, why = note_of_tasks(less)
            assert many >= wanted.pop("task") and why == ["EPK_FILTER"], (many, why)
            for counts in (wanted, found):  # the machine decides how often a thread was idle
                counts.pop("idle", None)
                counts.pop("limited parallelism", None)
            expect(f"{compiler} {flags}: the rest", dict(+found), dict(+wanted))
            check_time(less, f"{compiler} {flags}")
            check_trace(omp, less)


def test_some_levels_of_tasks():
    """The tasks of the first level are deep enough for a call path, those that they create are not."""
    omp = Omp("gcc", "fib_tasks.c", (HOOKS,))
    profile, result = omp.run("15", env={"EPK_DEPTH": "5", "EPK_TRACE": "all"})
    tasks = int(re.search(r"(\d+) tasks", result.out).group(1))
    expect("tasks", visits_by_kind(profile)["task"], 2)
    expect("the note", note_of_tasks(profile), (tasks - 2, ["EPK_DEPTH"]))
    check_time(profile, "levels")
    check_trace(omp, profile)


def test_tasks_for_which_there_is_no_room():
    """Each task is a visit, or in the note, or among the calls that the archive says it lost. The thread that creates a
    task decides which: a worker has room for other call paths than the first thread."""
    for compiler, paths in (("gcc", "12"), ("clang", "9")):
        omp = Omp(compiler, "fib_tasks.c", (HOOKS,))
        profile, result = omp.run("20", env={"ESD_PATHS": paths})
        tasks = int(re.search(r"(\d+) tasks", result.out).group(1))
        folded, why = note_of_tasks(profile)
        seen = folded + visits_by_kind(profile)["task"]
        lost = sum(int(n) for n in re.findall(r"lost +([\d,]+) visits",
                                             omp.epk("report", profile.archive).replace(",", "")))
        assert seen <= tasks <= seen + lost, (compiler, seen, tasks, lost)
        assert folded == 0 or why == ["EPK_MEMORY,", "ESD_PATHS"], why
        check_time(profile, f"{compiler} {paths} paths")


def test_more_threads_than_are_measured():
    for compiler in COMPILERS:
        profile, result = Omp(compiler, "constructs.c").run("loops", "20", env={"ESD_MAX_THREADS": "2"})
        expect(f"{compiler}: measured threads", len(threads_of(profile)), 2)
        expect(f"{compiler}: the program", counted(result.out)["parallel"], 5 * THREADS)
        expect(f"{compiler}: regions", visits_by_kind(profile)["parallel"], 5 * 2)
        assert any("ESD_MAX_THREADS" in note for note in profile.manifest["notes"]), profile.manifest["notes"]
        check_time(profile, f"{compiler}: few threads")


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
