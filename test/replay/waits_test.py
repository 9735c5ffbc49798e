#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Planted waits: the analysis finds them at their places and nowhere else. The right values follow by the definitions
from the program's own log of its calls' begins and ends, so a busy machine changes both alike."""

import collections
import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, long, main, mpis, need, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
FLAGS = ["-O1", "-g", "-finstrument-functions", "-I", PREFIX / "include"]
MPIS = mpis()
RANKS = 4
# Between the program's clock read and the measurement's there is little; if another process gets the processor in
# between, it may be a time slice. So few rows differ, and each counts by its difference; a run with more of them is
# repeated.
NEAR, SLICE = 0.0002, 0.012
# Waits that are not planted: how long after the first process the others leave, and how far apart processes started.
NOT_PLANTED = ("mpi_barrier_completion", "mpi_nxn_completion", "mpi_init_completion", "mpi_init_wait")

Span = collections.namedtuple("Span", "begin end")


def read_logs(folder):
    """experiment -> rank -> [(call, Span in seconds)]"""
    logs = collections.defaultdict(lambda: collections.defaultdict(list))
    for rank in range(RANKS):
        for line in (folder / f"planted.{rank}.log").read_text().splitlines():
            name, call, begin, end = line.split()
            logs[name][rank].append((call, Span(int(begin) / 1e9, int(end) / 1e9)))
    return logs


def until(span, ready):
    return min(ready, span.end) - span.begin


def planted(logs):
    """(rank, experiment, call, pattern) -> seconds, by the definitions."""
    waits = collections.Counter()

    def add(rank, name, call, pattern, seconds):
        if seconds > 0:
            waits[rank, name, call, pattern] += seconds

    def span(name, rank, call, number=0):
        return [s for c, s in logs[name][rank] if c == call][number]

    def message(name, sender, send, receiver, receive, number=0):
        arrives = span(name, receiver, receive, number)
        add(receiver, name, receive, "mpi_latesender", until(arrives, span(name, sender, send).begin))

    if "late_sender" in logs:
        message("late_sender", 0, "MPI_Send", 1, "MPI_Recv")
    if "any_source" not in logs:
        return waits, add, span
    message("any_source", 2, "MPI_Send", 1, "MPI_Recv")
    message("late_sender_wait", 0, "MPI_Isend", 1, "MPI_Wait")
    message("persistent", 0, "MPI_Start", 1, "MPI_Wait")
    message("probe", 0, "MPI_Send", 1, "MPI_Probe")
    both = span("waitall", 0, "MPI_Waitall")
    last = max(span("waitall", 1, "MPI_Send").begin, span("waitall", 2, "MPI_Send").begin)
    add(0, "waitall", "MPI_Waitall", "mpi_latesender", until(both, last))
    for name, send in (("late_receiver", "MPI_Ssend"), ("late_receiver_big", "MPI_Send")):
        sends, posted = span(name, 0, send), span(name, 1, "MPI_Recv").begin
        add(0, name, send, "mpi_latereceiver", posted - sends.begin)
    if "persistent_synchronous" in logs:
        sends, posted = (span("persistent_synchronous", r, c) for r, c in ((0, "MPI_Wait"), (1, "MPI_Recv")))
        add(0, "persistent_synchronous", "MPI_Wait", "mpi_latereceiver", posted.begin - sends.begin)
    for pattern in ("mpi_latesender", "mpi_latesender_wo", "mpi_lswo_different"):
        arrives = span("wrong_order", 0, "MPI_Recv")
        add(0, "wrong_order", "MPI_Recv", pattern, until(arrives, span("wrong_order", 2, "MPI_Send").begin))
    return waits, add, span


def beside(rank):
    return (rank - 1) % RANKS, (rank + 1) % RANKS


def collectives(logs, add, span):
    for name, call, pattern in (("barrier", "MPI_Barrier", "mpi_barrier_wait"),
                                ("allreduce", "MPI_Allreduce", "mpi_wait_nxn"),
                                ("alltoallv", "MPI_Alltoallv", "mpi_wait_nxn")):
        if name not in logs:
            continue
        last = max(span(name, r, call).begin for r in logs[name])
        for rank in logs[name]:
            add(rank, name, call, pattern, until(span(name, rank, call), last))
    ends = max(span("ends", r, "MPI_Finalize").begin for r in range(RANKS))
    for rank in range(RANKS):
        add(rank, "main", "MPI_Finalize", "mpi_finalize_wait", ends - span("ends", rank, "MPI_Finalize").begin)
    if "bcast" not in logs:
        return
    if "allreduce_between" in logs:
        between_groups("allreduce_between", "MPI_Allreduce", "mpi_wait_nxn", add, span)
    for name, start, call, partners in (
            ("sparse", "MPI_Alltoallv", "MPI_Alltoallv", lambda rank: (rank ^ 1,)),
            ("neighbours", "MPI_Neighbor_alltoall", "MPI_Neighbor_alltoall", beside),
            ("ineighbours", "MPI_Ineighbor_alltoall", "MPI_Wait", beside)):
        for rank in range(RANKS):
            last = max(span(name, r, start).begin for r in partners(rank))
            add(rank, name, call, "mpi_wait_nxn", until(span(name, rank, call), last))
    for name, start, pattern in (("ibarrier", "MPI_Ibarrier", "mpi_barrier_wait"),
                                 ("iallreduce", "MPI_Iallreduce", "mpi_wait_nxn"),
                                 ("idup", "MPI_Comm_idup", "mpi_comm_wait")):
        last = max(span(name, r, start).begin for r in range(RANKS))
        for rank in range(RANKS):
            add(rank, name, "MPI_Wait", pattern, until(span(name, rank, "MPI_Wait"), last))
    for rank in range(RANKS):
        if rank != 2:
            add(rank, "bcast", "MPI_Bcast", "mpi_latebroadcast",
                until(span("bcast", rank, "MPI_Bcast"), span("bcast", 2, "MPI_Bcast").begin))
        last = max(span("scan", r, "MPI_Scan").begin for r in range(rank + 1))
        add(rank, "scan", "MPI_Scan", "mpi_earlyscan", until(span("scan", rank, "MPI_Scan"), last))
    first = min(span("reduce", r, "MPI_Reduce").begin for r in (0, 2, 3))
    last = max(span("reduce", r, "MPI_Reduce").begin for r in (0, 2, 3))
    root = span("reduce", 1, "MPI_Reduce")
    add(1, "reduce", "MPI_Reduce", "mpi_earlyreduce", until(root, first))
    add(1, "reduce", "MPI_Reduce", "mpi_earlyreduce_last", until(root, last) - max(until(root, first), 0))


def between_groups(name, call, pattern, add, span):
    """Each half waits for the other one. If no process left before all had come, all wait for all."""
    spans = [span(name, rank, call) for rank in range(RANKS)]
    to_all = min(s.end for s in spans) >= max(s.begin for s in spans)
    for rank, mine in enumerate(spans):
        others = spans if to_all else spans[2:] if rank < 2 else spans[:2]
        add(rank, name, call, pattern, until(mine, max(s.begin for s in others)))


def together(logs, add, span):
    """Calls that all make and that move no data: they wait only if no process left before the last one came."""
    for name, call, pattern in (("comm_dup", "MPI_Comm_dup", "mpi_comm_wait"),
                                ("comm_free", "MPI_Comm_free", "mpi_comm_wait"),
                                ("ring", "MPI_Cart_create", "mpi_comm_wait"),
                                ("split", "MPI_Comm_split", "mpi_comm_wait"),
                                ("intercomm", "MPI_Intercomm_create", "mpi_comm_wait"),
                                ("win_create", "MPI_Win_create", "mpi_rma_wait_at_create"),
                                ("win_free", "MPI_Win_free", "mpi_rma_wait_at_free"),
                                ("fence_begin", "MPI_Win_fence", "mpi_rma_wait_at_fence"),
                                ("fence", "MPI_Win_fence", "mpi_rma_wait_at_fence"),
                                ("early_fence", "MPI_Win_fence", "mpi_rma_wait_at_fence"),
                                ("file_open", "MPI_File_open", "mpi_file_wait"),
                                ("file_close", "MPI_File_close", "mpi_file_wait"),
                                ("write_all", "MPI_File_write_at_all", "mpi_io_wait")):
        spans = [span(name, r, call) for r in range(RANKS)] if name in logs else []
        if not spans or min(s.end for s in spans) < max(s.begin for s in spans):
            continue
        for rank, mine in enumerate(spans):
            add(rank, name, call, pattern, until(mine, max(s.begin for s in spans)))


def epochs(add, span):
    def blocked(name, rank, ready, calls, pattern):
        """MPI decides which call waits: the call that was open then."""
        call = next("MPI_" + c for c in calls if span(name, rank, "MPI_" + c).end >= ready)
        prefix = "mpi_rma_comm_" if call == "MPI_Put" else "mpi_rma_sync_"
        add(rank, name, call, prefix + pattern, until(span(name, rank, call), ready))

    fence, put = span("early_fence", 1, "MPI_Win_fence"), span("early_fence", 0, "MPI_Put")
    add(1, "early_fence", "MPI_Win_fence", "mpi_rma_early_fence", until(fence, put.end))
    for name, origins in (("late_post", (0, 2)), ("early_wait", (0,))):
        for rank in origins:
            posted = span(name, 1, "MPI_Win_post").begin
            blocked(name, rank, posted, ("Win_start", "Put", "Win_complete"), "late_post")
        waits = span(name, 1, "MPI_Win_wait")
        ended = max(span(name, rank, "MPI_Win_complete").begin for rank in origins)
        accessed = max(span(name, rank, "MPI_Put").end for rank in origins)
        add(1, name, "MPI_Win_wait", "mpi_rma_early_wait", until(waits, ended))
        add(1, name, "MPI_Win_wait", "mpi_rma_late_complete", min(ended, waits.end) - max(accessed, waits.begin))
    calls = {0: ("Win_lock", "Put", "Win_flush", "Win_unlock"), 1: ("Win_lock", "Put", "Win_unlock")}
    first, second = sorted(calls, key=lambda rank: span("lock", rank, "MPI_Win_unlock").end)
    blocked("lock", second, span("lock", first, "MPI_Win_unlock").begin, calls[second], "lock_competition")


def expected(logs):
    waits, add, span = planted(logs)
    collectives(logs, add, span)
    together(logs, add, span)
    if "lock" in logs:
        epochs(add, span)
    return waits


def analyze(b, archive):
    result = b.run([b.epk, "analyze", archive])
    text = b.run([b.epk, "report", archive, "--waits"]).out
    assert "NEVER RETURNED" not in text, text  # MPI_Finalize is where the measurement ends
    rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out)))
    return rows, json.loads((archive / "analysis.json").read_text()), result


def found_in(rows):
    waits = collections.Counter()
    for row in rows:
        path = row["callpath"].split(" > ")
        name = path[-2] if len(path) > 1 else ""
        name = name.split("::")[-1].removesuffix("_")
        name = "main" if path[-1] == "MPI_Finalize" else name
        waits[int(row["rank"]), name, path[-1], row["pattern"]] += float(row["seconds"])
    return waits


def compare(what, found, wanted):
    """Each within 5 % or 200 us; a time slice more in one of ten."""
    off = 0
    for key in sorted(set(found) | set(wanted)):
        if key[3] in NOT_PLANTED:
            continue
        apart = abs(found[key] - wanted[key])
        if apart <= max(0.05 * wanted[key], NEAR):
            continue
        off += 1
        expect_time(apart < SLICE, f"{what}: {key}: {found[key]:.6f} s, expected {wanted[key]:.6f}")
    expect_time(off <= max(1, len(wanted) // 10), f"{what}: {off} of {len(wanted)} are off")


def traced(b, name, words, trace, env=None):
    before = set(b.archives())
    b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", RANKS, b.program], env={"EPK_TRACE": trace, **(env or {})})
    made = [a for a in b.archives() if a not in before]
    expect("archives", len(made), 1)
    return made[0]


def bench(name, compiler, source):
    b = Bench(PREFIX, PROGRAMS)
    b.program = b.compile(f"{compiler}.{name}", source, FLAGS, instrument=None)
    return b


def check_whole(b, *run):
    """Returns the archive of a run, and its waits."""
    def once():
        archive = traced(b, *run)
        rows, facts, result = analyze(b, archive)
        expect("unmatched", facts["unmatched"], [])
        expect("messages", result.err, "")
        compare(archive.name, found_in(rows), expected(read_logs(b.folder)))
        return archive, rows
    return retried(once)


def check_sums(b, archive):
    """No wait is longer than its call, and the tree of time still adds up."""
    report = json.loads(b.run([b.epk, "report", archive / "trace.cubex", "--format", "json"]).out)
    metrics = {metric["unique_name"]: metric for metric in report["metrics"]}
    names = {metric["id"]: name for name, metric in metrics.items()}
    values = collections.Counter()
    for cells in report["values"]:
        for path, location, value in zip(cells["callpath"], cells["location"], cells["value"]):
            values[cells["metric"], path, location] = value
    checked = 0
    for (name, path, location), value in list(values.items()):
        metric = metrics[name]
        if metric["unit"] != "sec" or metric["parent"] is None or metric["along"] != "exclusive":
            continue
        whole = values[names[metric["parent"]], path, location]
        assert 0 <= value <= whole + 1e-9, f"{name} of call path {path}, location {location}: {value} of {whole}"
        checked += name == "mpi_latesender"
    assert checked > 0


def test_planted():
    for name, words in MPIS:
        b = bench(name, "mpicc", "planted.c")
        archive, rows = check_whole(b, name, words, "all")
        check_costs(b, archive, rows)
        check_sums(b, archive)


def test_fortran():
    for name, words in MPIS:
        b = bench(name, "mpifort", "planted.f90")
        check_whole(b, name, words, "all")


# A part of another wait state, or no waiting for a process that came late.
PARTS = ("mpi_latesender_wo", "mpi_lswo_different", "mpi_lswo_same", "mpi_barrier_completion", "mpi_nxn_completion",
         "mpi_init_completion", "mpi_rma_early_fence", "mpi_rma_late_complete")


KINDS = {
    "delay_fence": ("mpi_rma_wait_at_fence",),
    "delay_latepost": ("mpi_rma_sync_late_post", "mpi_rma_comm_late_post"),
    "delay_earlywait": ("mpi_rma_early_wait",),
    "delay_windowlock": ("mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"),
    "delay_management": ("mpi_comm_wait", "mpi_rma_wait_at_create", "mpi_rma_wait_at_free"),
    "delay_io": ("mpi_file_wait", "mpi_io_wait"),
    "delay_finalize": ("mpi_finalize_wait",),
}


def check_costs(b, archive, rows, kinds=()):
    """Each nanosecond of waiting has a cause, kind by kind."""
    text = b.run([b.epk, "report", archive, "--causes", "--format", "csv"]).out
    causes = list(csv.DictReader(io.StringIO(text)))
    waited = sum(float(row["seconds"]) for row in rows if row["pattern"] not in PARTS)
    cost = sum(float(row["seconds"]) for row in causes)
    assert abs(cost - waited) < 1e-6, f"costs are {cost} s, waits {waited} s"
    for kind in kinds:
        patterns = KINDS[kind]
        waited = sum(float(row["seconds"]) for row in rows if row["pattern"] in patterns)
        cost = sum(float(row["seconds"]) for row in causes if row["kind"] in (kind, kind + "_longterm"))
        assert waited > 0 and abs(cost - waited) < 1e-6, f"{kind}: costs are {cost} s, waits {waited} s"


@long
def test_windows():
    for name, words in MPIS:
        for compiler, source in (("mpicc", "planted_windows.c"), ("mpifort", "planted_windows.f90")):
            b = bench(name, compiler, source)
            for trace in ("all", "comm"):
                archive, rows = check_whole(b, name, words, trace)
                if source.endswith(".c"):
                    check_costs(b, archive, rows, KINDS)


def test_windows_of_some_ranks():
    name, words = MPIS[0]
    b = bench(name, "mpicc", "planted_windows.c")
    rows, facts, _ = analyze(b, traced(b, name, words, "comm,ranks:0-1"))
    found = found_in(rows)
    assert not any("fence" in key[3] or key[3] in ("mpi_comm_wait", "mpi_file_wait") for key in found), found
    reasons = {(entry["kind"], entry["reason"]) for entry in facts["unmatched"]}
    assert ("epoch", "rank_not_traced") in reasons, facts["unmatched"]


def test_processes_of_another_job():
    """EPIK does not know these processes. It counts the operations that they took part in, and corrects no clocks for
    them."""
    need(shutil.which("mpirun.openmpi"), "Open MPI: Debian's MPICH 4.0 cannot spawn")
    b = bench("openmpi", "mpicc", "spawned.c")
    b.run([b.epk, "run", "mpirun.openmpi", "--oversubscribe", "-n", 2, b.program, 200], env={"EPK_TRACE": "comm"})
    expect("jobs", len(b.archives()), 2)
    barriers = []
    for archive in b.archives():
        rows, facts, result = analyze(b, archive)
        assert "clocks" not in result.err, result.err
        assert "unknown_members" in {entry["reason"] for entry in facts["unmatched"]}, facts["unmatched"]
        barriers += [float(row["seconds"]) for row in rows
                     if row["pattern"] == "mpi_barrier_wait" and int(row["rank"]) == 0]
    # Rank 0 comes back from MPI_Comm_spawn some time after rank 1.
    assert max(barriers) > 0.05, barriers


@long
def test_selective():
    name, words = MPIS[0]
    b = bench(name, "mpicc", "planted.c")
    check_whole(b, name, words, "comm")

    # Without calls: only collective operations tell about waits.
    def without_calls():
        rows, facts, _ = analyze(b, traced(b, name, words, "msgs"))
        expect("reasons", {entry["reason"] for entry in facts["unmatched"]}, {"call_not_logged"})
        wanted = expected(read_logs(b.folder))
        alone = {key: value for key, value in wanted.items() if key[2] in
                 ("MPI_Barrier", "MPI_Allreduce", "MPI_Alltoallv", "MPI_Neighbor_alltoall", "MPI_Bcast", "MPI_Reduce",
                  "MPI_Scan", "MPI_Finalize")}
        compare("msgs", found_in(rows), collections.Counter(alone))
    retried(without_calls)
    # Some ranks: operations that need the others are counted.
    rows, facts, _ = analyze(b, traced(b, name, words, "comm,ranks:0-1"))
    found = found_in(rows)
    assert (1, "late_sender", "MPI_Recv", "mpi_latesender") in found
    assert not any(key[3] == "mpi_barrier_wait" for key in found), found
    assert "rank_not_traced" in {entry["reason"] for entry in facts["unmatched"]}
    # Only long calls.
    rows, facts, _ = analyze(b, traced(b, name, words, "slow:1ms"))
    expect("patterns", {row["pattern"] for row in rows} - {"mpi_init_wait", "mpi_init_completion", "mpi_finalize_wait"}, set())


def omp_expected(folder):
    """(experiment, pattern) -> thread -> seconds"""
    spans = collections.defaultdict(dict)
    for line in (folder / "planted_omp.log").read_text().splitlines():
        name, thread, begin, end = line.split()
        spans[name][int(thread)] = Span(int(begin) / 1e9, int(end) / 1e9)
    waits = {}
    for name, pattern in (("explicit_barrier", "omp_ebarrier_wait"), ("end_of_region", "omp_ibarrier_wait"),
                          ("end_of_loop", "omp_ibarrier_wait"), ("copied", "omp_ibarrier_wait")):
        last = max(span.begin for span in spans[name].values())
        waits[name, pattern] = {thread: last - span.begin for thread, span in spans[name].items()}
    waits["held", "omp_lock_contention_critical"] = {1: spans["held"][0].end - spans["held"][1].begin}
    return waits


def check_openmp(b, compiler, program, trace):
    before = set(b.archives())
    b.run([b.epk, "run", program], env={"EPK_TRACE": trace, "OMP_NUM_THREADS": "3"})
    archive = next(a for a in b.archives() if a not in before)
    rows, facts, _ = analyze(b, archive)
    expect("unmatched", facts["unmatched"], [])
    found = collections.Counter()
    for row in rows:
        name = next((n for n in row["callpath"].split(" > ") if n in
                     ("explicit_barrier", "end_of_region", "end_of_loop", "copied", "held")), "")
        # To libgomp, the barrier of a loop is like any other.
        pattern = "omp_ibarrier_wait" if name == "end_of_loop" else row["pattern"]
        found[name, pattern, int(row["thread"])] += float(row["seconds"])
    for (name, pattern), threads in omp_expected(b.folder).items():
        if name == "copied" and compiler == "clang":
            continue  # libomp does not report it
        for thread, seconds in threads.items():
            apart = abs(found[name, pattern, thread] - seconds)
            # The barrier that ends a region is one more for all of its threads.
            expect_time(apart <= max(0.05 * seconds, SLICE / 2), compiler, trace, name, pattern, "thread", thread,
                        found[name, pattern, thread], "not", seconds)


def test_openmp():
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(OMP_WAIT_POLICY="passive")
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            continue
        for trace in ("all", "comm"):
            program = b.compile(compiler, "planted_omp.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"],
                                instrument=None)
            retried(check_openmp, b, compiler, program, trace)


def test_barriers_of_some_threads():
    b = Bench(PREFIX, PROGRAMS)
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            continue
        program = b.compile(compiler, "some_threads.c", ["-O1", "-fopenmp"], instrument=None)
        before = set(b.archives())
        b.run([b.epk, "run", program], env={"EPK_TRACE": "all,visits:2"})
        archive = next(a for a in b.archives() if a not in before)
        rows, _, _ = analyze(b, archive)
        waited = sum(float(row["seconds"]) for row in rows if row["thread"] == "2" and row["pattern"] == "omp_ebarrier_wait")
        assert waited > 0.03, f"{compiler}: thread 2 waits for {waited} s of 0.06 s"


def test_refused():
    b = Bench(PREFIX, PROGRAMS)
    result = b.run([b.epk, "analyze", b.folder], check=False)
    assert result.status == 1 and result.err.startswith("epk analyze: "), result.err


if __name__ == "__main__":
    sys.exit(main(globals()))
