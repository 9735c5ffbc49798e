#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_WAITS: the waits in the summary are, call path by call path, those that the analysis of the same run's trace
finds."""

import csv
import decimal
import io
import json
import re
import sys
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, installed, left_out, main, mpis, stage  # noqa: E402

sys.path.insert(0, "test/monitor")
from waits_of import COLLECTIVE, only_archive, same_as_the_trace, unknown_of, waits, waits_text  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
PATTERN = {"MPI_Barrier": "mpi_barrier_wait", "MPI_Allreduce": "mpi_wait_nxn", "MPI_Allgather": "mpi_wait_nxn",
           "MPI_Allgatherv": "mpi_wait_nxn", "MPI_Alltoall": "mpi_wait_nxn", "MPI_Bcast": "mpi_latebroadcast",
           "MPI_Scatter": "mpi_latebroadcast", "MPI_Reduce": "mpi_earlyreduce", "MPI_Gather": "mpi_earlyreduce",
           "MPI_Scan": "mpi_earlyscan", "MPI_Finalize": "mpi_finalize_wait"}
MPIS = mpis()
# A program of 4 ranks, 12 rounds: some 360 collective calls of each rank. Rings of 512 of them lose none, and are read
# while it runs as well as at its end.
RANKS, ROUNDS, RING = 4, 12, "16k"


def bench(mpi):
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{mpi}", "collectives.c", ["-O1", "-finstrument-functions"], instrument=None)
    return b, program


def run(b, mpi, words, program, env, *arguments, check=True):
    return b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", RANKS, program, *arguments], env=env, check=check)


def calls_of(b, archive):
    """From the trace's records: {(comm, operation, n of each of its ranks): {rank: call}}, times in nanoseconds."""
    calls, begun, count = {}, {}, {}
    for line in b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines():
        e = json.loads(line, parse_float=decimal.Decimal)
        time_ns, rank = int(e["time"] * 10**9), e["rank"]
        if e["event"] == "collective begin":
            begun[rank] = time_ns
        elif e["event"] == "collective end":
            n = count[rank, e["comm"]] = count.get((rank, e["comm"]), 0) + 1
            call = {"begin": begun.pop(rank), "end": time_ns, "root": e["root"], "out": e["out"], "in": e["in"]}
            calls.setdefault((e["comm"], e["operation"], n), {})[rank] = call
        elif e["event"] == "enter" and e["region"] == "MPI_Finalize":
            calls.setdefault(("", "MPI_Finalize", 1), {})[rank] = {"begin": time_ns, "end": 10**18}
    return calls


def needed(pattern, rank, calls):
    """The calls without which that of the rank cannot end."""
    mine, others = calls[rank], {other: call for other, call in calls.items() if other != rank}
    if pattern == "mpi_wait_nxn":
        return [call for call in others.values() if call["out"] and mine["in"]]
    if pattern == "mpi_latebroadcast":
        return [call for other, call in others.items() if other == mine["root"] and mine["in"]]
    if pattern == "mpi_earlyreduce":
        return [call for call in others.values() if call["out"] and mine["root"] == rank]
    if pattern == "mpi_earlyscan":
        descends = len(calls) == RANKS // 2  # the program's halves have their ranks in this order
        return [call for other, call in others.items() if (other > rank if descends else other < rank)]
    return list(others.values())


def waits_by_hand(calls):
    """{(rank, operation): [seconds, instances, calls that waited less than a nanosecond or not at all]}."""
    found = {}
    for (_, operation, _), members in calls.items():
        pattern = PATTERN[operation]
        for rank, mine in members.items():
            begins = [call["begin"] for call in needed(pattern, rank, members)]
            if not begins:
                continue
            # A root that gathers waits until the first process has come.
            ready = min(begins) if pattern == "mpi_earlyreduce" else max(begins)
            wait = min(ready, mine["end"]) - mine["begin"]
            row = found.setdefault((rank, operation), [0, 0, 0])
            row[0] += max(wait, 0) * 1e-9
            row[1] += wait > 0
            row[2] += wait == 0
    return found


def test_the_summary_has_what_an_analysis_of_the_trace_finds():
    for mpi, words in MPIS:
        b, program = bench(mpi)
        run(b, mpi, words, program, {"EPK_WAITS": "yes", "EPK_TRACE": "comm", "EPK_MONITOR_BUFFER": RING}, ROUNDS, 300)
        archive = only_archive(b)
        assert "is not known" not in waits_text(b, archive), waits_text(b, archive)
        truth = waits_by_hand(calls_of(b, archive))
        summary = waits(b, archive)
        b.run([b.epk, "analyze", archive])
        trace = waits(b, archive)
        assert len(trace) > 4 * RANKS and set(key[3] for key in trace) == COLLECTIVE, trace
        for (rank, operation), (seconds, instances, less) in truth.items():
            path = "collectives > main > " + ("" if operation == "MPI_Finalize" else "Round > ") + operation
            key = (rank, 0, path, PATTERN[operation])
            mine, theirs = summary.pop(key, (0, 0)), trace.pop(key, (0, 0))
            expect(f"{mpi} {key}: instances in the trace", theirs[1], instances)
            assert abs(theirs[0] - seconds) <= 1e-12 * (instances + 1), (mpi, key, theirs, seconds)
            # The summary counts ticks. If two events are less than a nanosecond apart, the trace does not know which
            # was first. The two may differ only in that.
            assert instances <= mine[1] <= instances + less, (mpi, key, mine, theirs, less)
            assert abs(mine[0] - seconds) <= 1e-9 * (mine[1] + 1), (mpi, key, mine, seconds)
        expect(f"{mpi}: others", (summary, trace), ({}, {}))


def test_messages_and_what_one_call_begins_and_another_one_completes():
    """The same program: late senders, late receivers, and collective operations that a wait completes."""
    for mpi, words in MPIS:
        for source, compiler, options in (("messages.c", "mpicc", ["-w"]), ("messages_fortran.f90", "mpifort", [])):
            if not installed(f"{compiler}.{mpi}"):
                left_out(f"{compiler}.{mpi} is not installed")
                continue
            b = Bench(PREFIX, PROGRAMS)
            program = b.compile(f"{compiler}.{mpi}", source, ["-O1", "-finstrument-functions", *options],
                                instrument=None)
            run(b, mpi, words, program, {"EPK_WAITS": "yes", "EPK_TRACE": "comm", "EPK_MONITOR_BUFFER": RING}, 6, 300)
            archive = only_archive(b)
            assert "is not known" not in waits_text(b, archive), waits_text(b, archive)
            summary = waits(b, archive)
            b.run([b.epk, "analyze", archive])
            trace = waits(b, archive)
            found = {key[3] for key in trace if trace[key][1] > 0}
            assert {"mpi_latesender", "mpi_wait_nxn", "mpi_barrier_wait"} <= found, (mpi, source, found)
            # The summary does not have the waits of neighbourhood collectives.
            assert any("Neighbours" in key[2] for key in trace if key[3] == "mpi_wait_nxn") == (source == "messages.c"), trace
            same_as_the_trace(f"{mpi} {source}", summary, trace,
                              lambda key: "Neighbours" not in key[2])
            assert any("MPI_Wait" in key[2] for key in summary if key[3] == "mpi_latesender"), summary
            if source == "messages.c":
                assert COLLECTIVE - {"mpi_finalize_wait"} <= found and any(key[3] == "mpi_latereceiver" for key in summary), found
                sends = {key[2].split(" > ")[-1] for key in summary if key[3] == "mpi_latereceiver" and "Large" in key[2]}
                expect(f"{mpi}: large sends that waited", sends, {"MPI_Send", "MPI_Sendrecv", "MPI_Wait", "MPI_Waitall"})
                assert any(key[3] == "mpi_latereceiver" and key[2].endswith("Modes > MPI_Wait") for key in summary), summary
                assert any("MPI_Probe" in key[2] for key in summary if key[3] == "mpi_latesender"), summary


def test_small_messages_that_go_only_while_their_receiver_is_in_mpi():
    """Open MPI keeps a sender in MPI_Wait while the receiver rests outside of MPI. That such a message went while the receiver
    was in MPI does not tell that others go alone."""
    rounds, rest_ms = 10, 30
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "absent.c", ["-O1", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, rounds, rest_ms],
              env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
        archive = only_archive(b)
        assert "is not known" not in waits_text(b, archive), waits_text(b, archive)
        summary = waits(b, archive)
        rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--format", "csv"]).out)))
        b.run([b.epk, "analyze", archive])
        same_as_the_trace(mpi, summary, waits(b, archive), lambda key: key[3] in ("mpi_latereceiver", "mpi_latesender"))
        path = "absent > main > Send > MPI_Wait"
        lasted = next(float(row["incl_s"]) for row in rows if row["rank"] == "0" and row["callpath"] == path)
        waited, times = summary.get((0, 0, path, "mpi_latereceiver"), (0, 0))
        if lasted > rounds * rest_ms / 2000:  # this MPI keeps the sender
            assert waited > lasted / 2 and times > rounds / 2, (mpi, lasted, waited, times)


def test_data_of_some_processes_only_are_no_wait_for_all():
    """The board does not tell when each of them came, so these waits are counted as unknown. All others are the trace's."""
    rounds = 8
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "sparse.c", ["-O1", "-finstrument-functions"], instrument=None)
        run(b, mpi, words, program, {"EPK_WAITS": "yes", "EPK_TRACE": "comm"}, rounds)
        archive = only_archive(b)
        summary = waits(b, archive)
        calls = {"Blocking > MPI_Alltoallv": range(1, RANKS), "Later > MPI_Wait": range(RANKS),
                 "Types > MPI_Alltoallw": range(RANKS)}
        wanted = {(rank, f"sparse > main > {call}"): rounds for call, ranks in calls.items() for rank in ranks}
        expect(f"{mpi}: unknown waits", unknown_of(b, archive, summary), wanted)
        b.run([b.epk, "analyze", archive])
        same_as_the_trace(mpi, summary, waits(b, archive), lambda key: "Dense" in key[2])
        expect(f"{mpi}: waits that are known", {key[2].split(" > ")[2] for key in summary if key[3] == "mpi_wait_nxn"}, {"Dense"})


def test_the_late_rank_does_not_wait_and_all_others_do():
    mpi, words = MPIS[0]
    b, program = bench(mpi)
    # In the one round only rank 0 is late, by 80 ms, at the first barrier.
    run(b, mpi, words, program, {"EPK_WAITS": "yes"}, 1, 80000)
    found = waits(b, only_archive(b))
    at_barrier = {key[0]: value for key, value in found.items() if key[3] == "mpi_barrier_wait"}
    for rank in range(1, RANKS):
        assert 0.04 < at_barrier[rank][0] < 30, at_barrier
    assert at_barrier.get(0, (0, 0))[0] < at_barrier[1][0], at_barrier


def test_what_is_not_known_is_counted_and_never_nothing():
    mpi, words = MPIS[0]
    b, program = bench(mpi)
    run(b, mpi, words, program, {"EPK_WAITS": "yes"}, 3, 0, "abort", check=False)
    time.sleep(0.5)
    for unfinished in b.folder.glob("*.unfinished"):
        b.run([b.epk, "recover", unfinished])
    archive = only_archive(b)
    said = waits_text(b, archive)
    assert "is not known" in said, said
    # Rows have no place for them, so the command says it beside the rows.
    beside = b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).err
    assert "with unknown waits have no row" in beside, beside


def test_communicators_that_are_freed_early():
    """Nearly all of their waits are known: pages of so many communicators sometimes take each other's places."""
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "freed.c", ["-O1"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, 4000],
              env={"EPK_WAITS": "yes", "EPK_MONITOR_BUFFER": "1M"})
        said = waits_text(b, only_archive(b))
        unknown = re.search(r"How long ([0-9,]+) calls? waited is not known", said)
        assert unknown is None or int(unknown.group(1).replace(",", "")) < 0.01 * 2 * 3 * 4000, said
        assert sum(value[0] for key, value in waits(b, only_archive(b)).items() if key[3] == "mpi_wait_nxn") > 0, said


def test_a_process_alone_never_waits():
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "alone.c", ["-O1"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 1, program, 3000], env={"EPK_WAITS": "yes"})
        archive = only_archive(b)
        expect("waits", waits(b, archive), {})
        assert "is not known" not in waits_text(b, archive), waits_text(b, archive)


def test_nothing_is_noted_unless_it_is_asked_for():
    mpi, words = MPIS[0]
    b, program = bench(mpi)
    run(b, mpi, words, program, {}, 2, 0)
    refused = b.run([b.epk, "report", only_archive(b), "--waits"], check=False)
    expect("status", refused.status, 1)
    assert "EPK_WAITS=yes" in refused.err, refused.err


def test_a_slow_program_that_is_killed_leaves_its_waits():
    """All but those of its last half second, in which there are up to 9 rounds."""
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "killed.c", ["-O1"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, 40], env={"EPK_WAITS": "yes"}, check=False)
        archive = only_archive(b)
        found = waits(b, archive)
        unknown = unknown_of(b, archive, found)
        assert unknown and max(unknown.values()) <= 13, (mpi, unknown)
        assert {pattern for rank, _, _, pattern in found if rank == 1} >= {"mpi_wait_nxn", "mpi_latesender"}, (mpi, found)


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
