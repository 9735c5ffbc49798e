#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The archives that `epk compensate -o` writes: they have the events of the run, at possible times, and every tool
reads them."""

import collections
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
sys.path.insert(0, "test/compensation")
import order  # noqa: E402
from harness import Bench, expect, expect_time, long, main, mpis, need, retried, skip_all, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/compensation/programs").resolve()
PREFIX = stage()
PATIENT = {"OMPI_MCA_mpi_yield_when_idle": "1"}
FLAGS = ["-O1", "-g", "-fopenmp", "-finstrument-functions"]
MPIS = mpis()
# Each of these must have been looked at, in a trace with all calls.
KINDS = {"message", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Alltoall", "MPI_Ibarrier",
         "fork", "join", "barrier of a team", "lock"}


def bench(mpi, source="mixture.c"):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(PATIENT)
    b.program = b.compile(f"mpicc.{mpi[0]}", source, FLAGS, instrument=None)
    return b


def run(b, mpi, trace, rounds, *more, ranks=2, check=True):
    before = set(b.archives())
    b.run([b.epk, "run", f"mpirun.{mpi[0]}", *mpi[1], "-n", ranks, b.program, rounds, *more],
          env={"EPK_TRACE": trace}, check=check)
    made = [a for a in b.archives() if a not in before]
    expect("archives", len(made), 1)
    return made[0]


def manifest(archive):
    return json.loads((archive / "manifest.json").read_text())


def compensated(b, archive, *options):
    """The command's output, and the archives of both bounds."""
    name = b.folder / f"{archive.name}_without"
    found = json.loads(b.run([b.epk, "compensate", archive, "-o", name, "--format", "json", *options]).out)
    made = [b.folder / f"{name.name}_{bound}" for bound in ("lower", "upper")]
    assert all(path.is_dir() for path in made), made
    return found, made


def check_archive(b, measured, made, found, bound, kinds):
    """The same events in a possible order; a manifest that tells how the archive was made."""
    trace, known = order.Trace(b, made), order.Trace(b, measured)
    trace.same_events(known)
    checked = order.check(trace, known)
    assert kinds <= set(checked), (kinds - set(checked), checked)
    about = manifest(made)["approximation"]
    expect("of", about["of"], measured.name)
    expect("bound", about["bound"], bound)
    expect("model", about["model"], "event")
    near = min(abs(about["approximated_seconds"] - found[key]) for key in ("lower_s", "upper_s"))
    # If clocks are out of step, either bound may be the lower one, and a bound above the measured time says no more
    # than the measured time.
    assert near < 1e-6 or about["approximated_seconds"] >= found["measured_s"], (about, found)
    ends = [(events[0]["time"], events[-1]["time"]) for events in trace.by_thread.values()]
    span = max(end for _, end in ends) - min(begin for begin, _ in ends)
    assert span <= about["approximated_seconds"] + 1e-6, (span, about)


def check_tools(b, measured, made):
    """Every command that reads archives reads these."""
    for words in (["report", made], ["report", made, "--flat"], ["info", made], ["check", made],
                  ["convert", made, "--to", "chrome", "-o", b.folder / "out.json"], ["analyze", made],
                  ["report", made, "--waits"]):
        b.run([b.epk, *words])
    (b.folder / "out.json").unlink()
    assert "approximation of" in b.run([b.epk, "report", made]).out
    again = b.run([b.epk, "compensate", made], check=False)
    expect("again", again.status, 1)
    assert measured.name in again.err, again.err
    difference = json.loads(b.run([b.epk, "diff", measured, made, "--format", "json"]).out)
    went = difference["perturbation"]
    assert went["direct_s"] > 0, went
    total = sum(row["measured_s"] - row["without_s"] for row in went["call_paths"])
    assert abs(total - went["direct_s"] - went["induced_s"]) < 1e-9 + 1e-9 * abs(total), (total, went)
    assert "where measuring went" in b.run([b.epk, "diff", measured, made]).out


def check_prediction(b, measured):
    """A predicted run is written in the same way, and is possible, too."""
    made = b.folder / "epik_ideal"
    found = json.loads(b.run([b.epk, "predict", measured, "--network", "ideal", "--overhead", "none", "-o", made,
                              "--format", "json"]).out)
    about = manifest(made)["approximation"]
    expect("change", about["change"], "--network ideal --overhead none")
    assert abs(about["approximated_seconds"] - found["predicted_s"]) < 1e-6, (about, found)
    trace = order.Trace(b, made)
    trace.same_events(order.Trace(b, measured))
    assert KINDS <= set(order.check(trace))
    # Waiting for threads is no code that somebody makes faster, and a sweep alters nothing else.
    each = ["predict", measured, "--faster", "each:2x", "--top", "0"]
    tried = {row["region"] for row in json.loads(b.run([b.epk, *each, "--format", "json"]).out)["ranking"]}
    assert "step" in tried, tried
    expect("waits", [r for r in tried if "barrier" in r or "lock" in r or r.startswith(("idle", "MPI_", "pthread_"))], [])
    expect("predicted", "predicted" in b.run([b.epk, *each]).out, False)
    expect("predicted", "predicted" in b.run([b.epk, *each, "--overhead", "none"]).out, True)


def check_report(b, measured):
    report = json.loads(b.run([b.epk, "report", measured, "--compensated", "--format", "json"]).out)
    assert {row["decided_by"] for row in report["callpaths"]} == {"itself", "others"}, report
    assert all(0 <= row["lower_s"] <= row["upper_s"] for row in report["callpaths"]), report


@long
def test_the_trace_without_measurement_could_have_been():
    if not MPIS:
        skip_all("no MPI is installed")
    b = bench(MPIS[0])
    measured = run(b, MPIS[0], "all", 3)
    found, made = compensated(b, measured)
    for archive, bound in zip(made, ("lower", "upper")):
        check_archive(b, measured, archive, found, bound, KINDS)
    check_tools(b, measured, made[0])
    check_report(b, measured)
    check_prediction(b, measured)
    # Commands take the newest run, not an archive that was computed from it; and they never replace an archive.
    result = b.run([b.epk, "compensate", "-o", b.folder / f"{measured.name}_without"], check=False)
    expect("status", result.status, 1)
    assert "never replaced" in result.err and f"reading {measured.name}," in result.err, result.err


def test_partial_and_killed_traces():
    if not MPIS:
        skip_all("no MPI is installed")
    mpi = MPIS[-1]
    b = bench(mpi)
    measured = run(b, mpi, "comm", 3)
    found, made = compensated(b, measured, "--model", "event")
    for archive, bound in zip(made, ("lower", "upper")):
        check_archive(b, measured, archive, found, bound, {"message", "MPI_Barrier", "MPI_Bcast"})
    # Functions that the trace lacks are on neither side, so nothing is gone.
    difference = b.run([b.epk, "diff", measured, made[0], "--format", "json", "--top", "0", "--min", "0"])
    assert "is compared as its trace has it" in difference.err, difference.err
    rows = json.loads(difference.out)["call_paths"]
    assert rows, difference.out
    expect("visits that changed", [row["path"] for row in rows if row["visits"]["difference"] != 0], [])
    damaged = b.folder / "epik_damaged"
    shutil.copytree(measured, damaged)
    trace = damaged / "traces/000/1.elg"
    trace.write_bytes(trace.read_bytes()[:-trace.stat().st_size // 3])
    result = b.run([b.epk, "compensate", damaged, "--bound", "upper", "-o", b.folder / "damaged_upper"], check=False)
    assert result.status == 0 or len(result.err.splitlines()) < 10, result.err
    if result.status == 0:
        trace, known = order.Trace(b, b.folder / "damaged_upper"), order.Trace(b, damaged)
        trace.same_events(known)
        for events in trace.by_thread.values():
            times = [event["time"] for event in events]
            assert times == sorted(times) and times[0] >= 0, times[:5]
    killed = run(b, mpi, "all", 3, "kill", check=False)
    b.run([b.epk, "compensate", killed, "--bound", "lower", "-o", b.folder / "killed_lower"])
    trace = order.Trace(b, b.folder / "killed_lower")
    trace.same_events(order.Trace(b, killed))
    order.check(trace)
    messages = run(b, mpi, "msgs", 2)
    result = b.run([b.epk, "compensate", messages, "-o", b.folder / "x"], check=False)
    expect("status", result.status, 1)
    assert "record one with EPK_TRACE=comm" in result.err, result.err
    expect("nothing left", list(b.folder.glob("x*")), [])


@long
def test_partners_of_a_process_come_before_it():
    """Neighbours, one-sided communication and tests that end operations."""
    kinds = {"MPI_Neighbor_alltoall", "MPI_Ineighbor_allgather", "MPI_Ibarrier", "MPI_Win_fence", "MPI_Win_complete",
             "MPI_Win_wait", "MPI_Win_test", "lock of a window"}
    if not MPIS:
        skip_all("no MPI is installed")
    for mpi in MPIS:
        b = bench(mpi, "partners.c")
        measured = run(b, mpi, "all", 2, ranks=3)
        found, made = compensated(b, measured)
        for archive, bound in zip(made, ("lower", "upper")):
            check_archive(b, measured, archive, found, bound, kinds)


def check_some(mpi, ranks):
    b = bench(mpi, "some.c")
    measured = run(b, mpi, "comm", 40, ranks=ranks)
    kinds = set(order.SOME_TO_ALL)
    order.check(order.Trace(b, measured))
    found, made = compensated(b, measured)
    for archive, bound in zip(made, ("lower", "upper")):
        check_archive(b, measured, archive, found, bound, kinds)
    for number, wishes in enumerate((["--faster", "step:4x"], ["--balance", "step,compute"], ["--overhead", "none"])):
        predicted = b.folder / f"epik_wish_{number}"
        b.run([b.epk, "predict", measured, *wishes, "-o", predicted])
        trace = order.Trace(b, predicted)
        trace.same_events(order.Trace(b, measured))
        assert kinds <= set(order.check(trace))
        expect("clocks", b.run([b.epk, "analyze", predicted]).err.count("clocks:"), 0)


def test_members_that_need_all_come_after_all():
    """Among members of MPI_Alltoallv that need some others only."""
    if not MPIS:
        skip_all("no MPI is installed")
    check_some(MPIS[-1], 2)


@long
def test_members_that_need_all_come_after_all_with_more_ranks():
    for mpi in MPIS:
        check_some(mpi, 3)


@long
def test_both_and_other_selections():
    for mpi in MPIS:
        for trace in ("all", "comm"):
            b = bench(mpi)
            measured = run(b, mpi, trace, 4)
            for options in ([], ["--model", "time"], ["--paper"]):
                name = b.folder / f"without{len(options)}{options[-1] if options else ''}"
                b.run([b.epk, "compensate", measured, "-o", name, "--bound", "lower", *options])
                made, known = order.Trace(b, name), order.Trace(b, measured)
                made.same_events(known)
                if not options:
                    order.check(made)


@long
def test_pieces_of_dynamic_loops_go_to_whoever_is_free():
    """The liberal model: the time that a thread of a dynamic loop saves is shared by all threads; the archives are
    right."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "pieces.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"], instrument=None)

    def traced(selection):
        before = set(b.archives())
        b.run([b.epk, "run", program], env={"EPK_TRACE": selection, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
        return next(a for a in b.archives() if a not in before)

    archive = traced("all")
    found = b.run([b.epk, "compensate", archive, "--model", "liberal", "--format", "json", "-o", b.folder / "liberal"])
    assert "no task and no dynamic" not in found.err, found.err
    span = json.loads(found.out)
    assert 0 <= span["lower_s"] <= span["upper_s"] <= span["measured_s"], span
    measured = order.Trace(b, archive)
    for bound in ("lower", "upper"):
        made = b.folder / f"liberal_{bound}"
        expect("model", manifest(made)["approximation"]["model"], "liberal")
        trace = order.Trace(b, made)
        trace.same_events(measured)
        checked = order.check(trace)
        assert {"fork", "join", "barrier of a team"} <= set(checked), checked
    # The trace lacks the loop, so the command has no time to share out, and prints that.
    without = b.run([b.epk, "compensate", traced("msgs"), "--model", "liberal"], check=False)
    assert "no task and no dynamic" in without.err or "profile is used" in without.err, without.err


def traced_alone(b, program, *arguments):
    """The archive of a program without MPI, with two threads."""
    before = set(b.archives())
    b.run([b.epk, "run", program, *arguments],
          env={"EPK_TRACE": "comm", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
    return next(a for a in b.archives() if a not in before)


def check_iterations(b, measured, waits_outside):
    """All rounds are in the trace, iteration by iteration, and no thread has one before another thread is done with
    it."""
    events = collections.Counter((e["event"], e["loop"]) for e in order.Trace(b, measured).events if "loop" in e)

    def counts(what):
        return sorted(count for (event, _), count in events.items() if event == what)

    expect("done", counts("iteration done"), [48, 48])
    expect("needed", counts("iteration needed"), [48, 48] if waits_outside else [36, 44])
    found, made = compensated(b, measured)
    for archive, bound in zip(made, ("lower", "upper")):
        check_archive(b, measured, archive, found, bound, {"iteration", "fork", "join", "barrier of a team"})


def check_faster_iteration(b, program):
    """The other thread waits for the slow iteration in each round: it waits less when that becomes faster."""
    archive = traced_alone(b, program, "20")
    found = json.loads(b.run([b.epk, "predict", archive, "--faster", "slow:10x", "--format", "json"]).out)
    gain = found["measured_s"] - found["predicted_s"]
    expect_time(0.8 * 4 * 0.9 * 0.02 <= gain <= found["measured_s"], found["measured_s"], "gain", gain)


def check_doacross(compiler, waits_outside):
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(compiler, "doacross.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"], instrument=None)
    check_iterations(b, traced_alone(b, program, "1"), waits_outside)
    retried(check_faster_iteration, b, program)


def test_iterations_wait_for_each_other():
    check_doacross("gcc", waits_outside=False)


def test_iterations_wait_for_each_other_with_libomp():
    """The compiler does not check that no iteration comes before the first one: libomp has to know it."""
    need(shutil.which("clang"), "clang is not installed")
    check_doacross("clang", waits_outside=True)


sys.exit(main(globals()))
