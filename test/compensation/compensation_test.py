#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the predictions of `epk predict` for a program, whose arguments set the times of its parts, with runs with
other arguments; and the results of `epk compensate` for a program that measuring slows down with the program alone."""

import json
import pathlib
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, long, main, mpis, retried, skip_all, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/compensation/programs").resolve()
PREFIX = stage()
PATIENT = {"OMPI_MCA_mpi_yield_when_idle": "1"}
FLAGS = ["-O1", "-g", "-finstrument-functions"]
MPIS = mpis()
NEAR = 0.05  # of the run
SLACK = 0.02  # s
BASE = ["10", "40", "5"]  # milliseconds


def bench(name, source):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(PATIENT)
    b.program = b.compile(f"mpicc.{name}", source, FLAGS, instrument=None)
    return b


def run(b, mpi, arguments, trace="comm", ranks=2):
    """The archive, and the program's output."""
    name, words = mpi
    before = set(b.archives())
    result = b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", ranks, b.program, *arguments],
                   env={"EPK_TRACE": trace} if trace else {})
    made = [a for a in b.archives() if a not in before]
    expect("archives", len(made), 1)
    return made[0], result.out


def asked(b, *words):
    return json.loads(b.run([b.epk, *words, "--format", "json"]).out)


def check_bracket(found, ranks):
    """Exactly the keys that scripts are promised, in their order."""
    expect("keys", set(found), {"measured_s", "lower_s", "upper_s", "locations"})
    expect("locations", [(l["rank"], l["thread"]) for l in found["locations"]], [(r, 0) for r in range(ranks)])
    for span in (found, *found["locations"]):
        assert 0 <= span["lower_s"] <= span["upper_s"] <= span["measured_s"], span


def quickest(b, mpi, arguments, known=None):
    """The archive and the seconds of the quickest run so far: other programs on the processors only add to them."""
    archive, printed = run(b, mpi, arguments)
    return min([(float(printed), archive), *([known] if known else [])], key=lambda pair: pair[0])


def check_change(b, mpi, wish, arguments, runs):
    """The predicted gain and the real one: starting MPI takes a different time in each run."""
    for which, knobs in (("before", BASE), ("after", arguments)):
        runs[which] = quickest(b, mpi, knobs, runs.get(which))
    found = asked(b, "predict", runs["before"][1], *wish)
    predicted, real = found["measured_s"] - found["predicted_s"], runs["before"][0] - runs["after"][0]
    expect_time(abs(predicted - real) <= NEAR * runs["before"][0] + SLACK, wish, "predicted", predicted, "really", real)


def check_knobs(mpi, wishes):
    b = bench(mpi[0], "knobs.c")
    runs = {"before": quickest(b, mpi, BASE)}
    for model in ([], ["--model", "time"], ["--paper"]):
        check_bracket(asked(b, "compensate", runs["before"][1], *model), 2)
    for wish, arguments in wishes:
        runs.pop("after", None)
        retried(check_change, b, mpi, ["--faster", wish], arguments, runs)


def test_knobs_predicted_and_turned():
    for mpi in MPIS[:1]:
        check_knobs(mpi, [("react:4x,assemble:50%", ["5", "10", "5"])])


@long
def test_more_knobs_with_each_mpi():
    for mpi in MPIS:
        check_knobs(mpi, [("react:2x", ["10", "20", "5"]), ("react:4x,assemble:50%", ["5", "10", "5"]),
                          ("pass_on:10x", ["10", "40", "0.5"])])


def check_ranking(b, trace):
    base, _ = run(b, MPIS[0], BASE, trace)
    found = asked(b, "predict", base, "--faster", "each:2x")
    ranking = found["ranking"]
    expect("columns", set(ranking[0]), {"callpath", "region", "gain_s", "gain_percent"})
    expect("order", [row["gain_s"] for row in ranking], sorted((row["gain_s"] for row in ranking), reverse=True))
    expect("first", ranking[0]["region"], "part")
    gains = {row["region"]: row["gain_s"] for row in ranking}
    # The last process has 40 ms of react a round and 1.25 ms of assemble, the first one 10 ms of each: the time that it
    # gains there, it waits longer. The 5 ms of pass_on both have one after the other, and the next round hides one of
    # them.
    expect_time(abs(gains["part"] - 0.2) < 0.05, gains)
    expect_time(gains["assemble"] < 0.03, gains)
    expect_time(0.04 < gains["pass_on"] < 0.12, gains)
    # A round took 10 + 1.25 + 40 ms, by the last process; with 25 ms of react for both 5 + 10 + 25, by the first one.
    balanced = asked(b, "predict", base, "--balance", "react")
    gain = balanced["measured_s"] - balanced["predicted_s"]
    expect_time(0.06 < gain < 0.2, balanced["predicted_s"])
    ideal = asked(b, "predict", base, "--network", "ideal")
    assert 0 < ideal["serialisation_efficiency"] <= 1 and 0 < ideal["transfer_efficiency"] <= 1, ideal
    assert ideal["predicted_s"] <= ideal["measured_s"] + 1e-9, ideal
    for key in ("measured_s", "predicted_s"):
        by_path, by_thread = (sum(row[key] for row in ideal[rows]) for rows in ("callpaths", "locations"))
        assert abs(by_path - by_thread) < 1e-6, (key, by_path, by_thread)
    assert any(row["callpath"].endswith("MPI_Allreduce") for row in ideal["callpaths"]), ideal["callpaths"]
    on_path = sum(part["seconds"] for part in ideal["critical_path"])
    assert abs(on_path - ideal["predicted_s"]) < 1e-3, (on_path, ideal["predicted_s"])


def test_ranking_and_balance():
    if not MPIS:
        skip_all("no MPI is installed")
    retried(check_ranking, bench(MPIS[0][0], "knobs.c"), "comm")


@long
def test_ranking_with_all_calls():
    for mpi in MPIS[:1]:
        retried(check_ranking, bench(mpi[0], "knobs.c"), "all")


def check_asking(b, how, trace):
    """The other rank only waits, in calls that get nothing: half of the work is gained."""
    archive, _ = run(b, MPIS[0], [how], trace)
    found = asked(b, "predict", archive, "--faster", "work:2x")
    gained = found["measured_s"] - found["predicted_s"]
    expect_time(0.07 < gained < 0.2, how, trace, "gained", gained, "of", found["measured_s"])
    for key in ("measured_s", "predicted_s"):
        by_path, by_thread = (sum(row[key] for row in found[rows]) for rows in ("callpaths", "locations"))
        assert abs(by_path - by_thread) < 1e-6, (key, by_path, by_thread)


def test_loops_that_ask_wait():
    if not MPIS:
        skip_all("no MPI is installed")
    b = bench(MPIS[0][0], "asking.c")
    for how, trace in (("test", "comm"), ("iprobe", "comm"), ("test", "all")):
        retried(check_asking, b, how, trace)


def check_tasks(b, program, which, work):
    """All of the work is on the critical path, as far as two threads can share it: half of it is gained."""
    before = set(b.archives())
    b.run([b.epk, "run", program, which], env={"EPK_TRACE": "comm", "OMP_WAIT_POLICY": "passive"})
    archive, = set(b.archives()) - before
    found = asked(b, "predict", archive, "--faster", "work:2x")
    gained = found["measured_s"] - found["predicted_s"]
    expect_time(abs(gained - work / 2) < 0.35 * work / 2, which, "gained", gained, "of", found["measured_s"])


def test_waits_for_tasks_end_when_these_do():
    """The thread that creates tasks waits for them: when they take half the time, it goes on earlier."""
    b = Bench(PREFIX, PROGRAMS)
    for compiler in ("gcc", "clang"):
        program = b.compile(compiler, "waits_for_tasks.c", [*FLAGS, "-fopenmp"], instrument=None)
        # Seconds of work: 12 rounds with 3 tasks of 4 ms for each thread; 32 tasks of 3 ms for each; 12 tasks of 8 ms,
        # one after the other.
        for which, work in (("rounds", 12 * 3 * 0.004), ("below", 32 * 0.003), ("chain", 12 * 0.008)):
            retried(check_tasks, b, program, which, work)


def check_within(b, program, which, gains):
    """The function inside decides how long the run takes, although both functions have one caller."""
    before = set(b.archives())
    b.run([b.epk, "run", program, which, 12, 8, 2], env={"EPK_TRACE": "comm", "OMP_WAIT_POLICY": "passive"})
    archive, = set(b.archives()) - before
    for function, (least, most) in gains.items():
        found = asked(b, "predict", archive, "--faster", f"{function}:10x")
        gain = 1 - found["predicted_s"] / found["measured_s"]
        expect_time(least < gain < most, which, function, "gains", gain, "of", found["measured_s"])


def test_functions_with_a_lock_and_without_it():
    """Two threads with 12 rounds: 8 ms with a lock, or in `single`, and 2 ms without it."""
    b = Bench(PREFIX, PROGRAMS)
    for compiler in ("gcc", "clang"):
        program = b.compile(compiler, "within.c", [*FLAGS, "-fopenmp"], instrument=None)
        # Really gained: with a lock 80 % and nothing, in `single` 72 % and 18 %.
        for which, gains in (("lock", {"inside": (0.7, 0.93), "outside": (-0.01, 0.12)}),
                             ("mutex", {"inside": (0.68, 0.93), "outside": (-0.01, 0.12)}),
                             ("single", {"inside": (0.45, 0.85), "outside": (0.05, 0.26)})):
            retried(check_within, b, program, which, gains)


def check_pieces(b, program, pieces, gain):
    before = set(b.archives())
    b.run([b.epk, "run", program, *pieces], env={"EPK_TRACE": "all", "OMP_WAIT_POLICY": "passive"})
    archive, = set(b.archives()) - before
    found = asked(b, "predict", archive, "--faster", "other:10x")
    gained = found["measured_s"] - found["predicted_s"]
    expect_time(abs(gained - gain) < 0.2 * gain, "gained", gained, "of", found["measured_s"])
    by_path, by_thread = (sum(row["predicted_s"] for row in found[rows]) for rows in ("callpaths", "locations"))
    assert abs(by_path - by_thread) < 1e-6, (by_path, by_thread)


def test_pieces_of_dynamic_loops_go_to_whoever_is_free():
    """Of six pieces, the first and the fourth take 12 ms: one thread has both. When the other ones take 0.8 ms instead
    of 8 ms, each thread has one of them. A loop took 32 ms, and takes 14."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "lengths.c", [*FLAGS, "-fopenmp"], instrument=None)
    retried(check_pieces, b, program, [6, 12, 8], 6 * 0.0184)


def test_other_hosts():
    """All ranks of a test share a host, so the test gives the time of messages between hosts."""
    if not MPIS:
        skip_all("no MPI is installed")
    b = bench(MPIS[0][0], "knobs.c")
    base, _ = run(b, MPIS[0], ["1", "1", "1"])
    same = asked(b, "predict", base, "--ranks-per-host", "2")
    assert abs(same["predicted_s"] - same["measured_s"]) < 1e-3, same
    expect("placement", {k: same["placement"][k] for k in ("hosts_measured", "hosts", "changed_pairs")},
           {"hosts_measured": 1, "hosts": 1, "changed_pairs": 0})
    apart = ("--ranks-per-host", "1", "--network")
    slow = asked(b, "predict", base, *apart, "latency:50ms")
    expect("hosts", slow["placement"]["hosts"], 2)
    expect("changed", slow["placement"]["changed_pairs"], slow["placement"]["pairs"])
    expect("given", slow["placement"]["other_host"], {"latency_s": 0.05, "messages": 0})
    slower = asked(b, "predict", base, *apart, "latency:100ms")
    gains = [found["predicted_s"] - found["measured_s"] for found in (slow, slower)]
    # Each of the rounds waits for the other rank; at least one message of each takes that much longer.
    assert 0.3 < gains[0] < gains[1] and 1.8 < gains[1] / gains[0] < 2.2, gains
    shown = b.run([b.epk, "predict", base, *apart, "latency:50ms"]).out
    assert "on 2 hosts instead of 1 host" in shown and "between hosts: 50.0 ms, as given" in shown, shown
    for wish, status, words in ((["--ranks-per-host", "1"], 1, "--network latency:2us"),
                                (["--ranks-per-host", "0"], 2, "ranks-per-host")):
        result = b.run([b.epk, "predict", base, *wish], check=False)
        expect("status", result.status, status)
        assert words in result.err, result.err


def test_wrong_use_is_told():
    if not MPIS:
        skip_all("no MPI is installed")
    b = bench(MPIS[0][0], "knobs.c")
    base, _ = run(b, MPIS[0], ["1", "1", "1"])
    for wish, status, words in ((["--faster", "nobody:2x"], 1, "no region is called 'nobody'"),
                                (["--balance", "nobody"], 1, "no region is called 'nobody'"),
                                (["--balance", "react,no(body, 2)"], 1, "no region is called 'no(body, 2)'"),
                                (["--faster", "react:2x,react:2x"], 1, "names 'react' twice"),
                                (["--faster", "react:2x,r*t:3x"], 1, "twice, as 'react' and as 'r*t'"),
                                (["--faster", "each:2x,each:2x"], 2, "names 'each' twice"),
                                (["--balance", "react,react"], 1, "names 'react' twice"),
                                (["--faster", "MPI_Send:2x"], 1, "communicates"),
                                (["--faster", "react"], 2, "REGION:2x"),
                                (["--network", "quick"], 2, "latency:2us")):
        result = b.run([b.epk, "predict", base, *wish], check=False)
        expect("status", result.status, status)
        expect("stdout", result.out, "")
        expect("lines", len(result.err.strip().splitlines()), 1)
        assert words in result.err, result.err
    # Without a trace there is the profile's bracket, and nothing to predict by.
    profile, _ = run(b, MPIS[0], ["1", "1", "1"], trace=None)
    check_bracket(asked(b, "compensate", profile), 2)
    paths = asked(b, "compensate", profile, "--callpaths")["callpaths"]
    decided = {row["callpath"].split(" > ")[-1]: row["decided_by"] for row in paths}
    expect("decided", (decided["part"], decided["MPI_Allreduce"]), ("itself", "others"))
    assert all(0 <= row["lower_s"] <= row["upper_s"] for row in paths), paths
    expect("status", b.run([b.epk, "predict", profile], check=False).status, 1)


def check_hot(b, mpi, trace):
    name, words = mpi
    calls = "2000000"
    out = b.run([f"mpirun.{name}", *words, "-n", 2, b.program, calls]).out
    alone = sum(map(float, out.split()))
    archive, out = run(b, mpi, [calls], trace)
    dilated = sum(map(float, out.split()))
    found = asked(b, "compensate", archive)
    check_bracket(found, 2)
    # Compensation takes off the time that measuring added: CPU time, which others on the machine change less than run
    # time. Starting the
    # measurement is gone as well.
    gone = [found["measured_s"] - found[bound] for bound in ("upper_s", "lower_s")]
    added = dilated - alone
    start = json.loads((archive / "manifest.json").read_text())["own_seconds"]
    expect_time(0.6 * added <= gone[1] and gone[0] <= 1.4 * added + start, trace, "added", added, "gone", gone)
    # The process that only waited has less to wait for.
    waited = found["locations"][1]
    expect_time(waited["measured_s"] - waited["lower_s"] >= 0.5 * added, waited)


def test_cost_is_removed_also_where_others_waited_for_it():
    for mpi in MPIS[:1]:
        retried(check_hot, bench(mpi[0], "hot.c"), mpi, "comm")


@long
def test_cost_is_removed_with_all_calls_in_the_trace():
    for mpi in MPIS[:1]:
        retried(check_hot, bench(mpi[0], "hot.c"), mpi, "all")


def test_each_thread_pays_for_its_own_visits():
    """In every mode: nearly all of the stated cost belongs to the thread with nearly all visits."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "uneven.c", [*FLAGS, "-pthread"], instrument=None)
    for mode in ({"EPK_HOT": "full"}, {"EPK_HOT": "sample"}, {"EPK_HOT": "probe"}, {"EPK_BUDGET": "10%"},
                 {"EPK_BUDGET": "10%", "EPK_PATCH": "no"}):
        before = set(b.archives())
        b.run([b.epk, "run", program, 3_000_000], env=mode)
        archive, = set(b.archives()) - before
        stated = json.loads((archive / "manifest.json").read_text())
        cost = stated["cost_seconds"]
        # The system decides which of them is thread 1.
        seldom, often = sorted(asked(b, "compensate", archive)["locations"][1:], key=lambda l: l["measured_s"])
        most, least = (often["measured_s"] - often[bound] for bound in ("lower_s", "upper_s"))
        print(f"        {mode}: {cost:.4f} s stated, {least:.4f} to {most:.4f} s of {often['measured_s']:.4f} s taken away")
        assert most >= min(0.9 * cost, 0.99 * often["measured_s"]), (mode, cost, often)
        assert 0 <= least <= most, (mode, often)
        assert seldom["measured_s"] - seldom["lower_s"] <= 0.2 * most + 0.001, (mode, often, seldom)


sys.exit(main(globals()))
