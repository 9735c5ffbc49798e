#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_WAITS when receives and collective operations fail: a message that was too long is gone, and a call that MPI
refused has taken none. Later calls have their right waits, in the summary and in the trace. The same when messages are
probed more than once, or receives are cancelled."""

import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, main, mpis, retried, stage  # noqa: E402

sys.path.insert(0, "test/monitor")
from waits_of import only_archive, same_as_the_trace, unknown_of, waits, waits_text  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
ROUNDS, KINDS, LATE_US = 2, 12, 20000


def with_each_mpi(check):
    """On a busy machine the process that should wait may be late itself, so checks of that have more than one try."""
    for mpi, words in MPIS:
        retried(check, mpi, words)


def waited(mpi, found, place, calls, least=0):
    """`place` (rank, thread, call path, pattern) waited in at most so many calls, for a quarter of their lateness at
    least, and in more than `least` calls."""
    seconds, instances = found.get(place, (0, 0))
    assert instances <= calls, (mpi, place, seconds, instances, calls)
    expect_time(instances > least and seconds > 1e-6 * LATE_US * calls / 4, mpi, place, seconds, instances, calls)


def test_what_fails_shifts_nothing():
    def check(mpi, words):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "truncated.c", ["-O1", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, ROUNDS, LATE_US],
              env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
        archive = only_archive(b)
        assert "is not known" not in waits_text(b, archive), waits_text(b, archive)
        summary = waits(b, archive)
        said = b.run([b.epk, "analyze", archive])
        assert "unmatched" not in said.out + said.err, said.out + said.err
        trace = waits(b, archive)
        same_as_the_trace(mpi, summary, trace, lambda key: key[3] != "mpi_latereceiver")
        # Its sender was late by that much. Rank 1 may sometimes have been late itself.
        for path, pattern, calls in (("Messages > Good > MPI_Recv", "mpi_latesender", ROUNDS * KINDS * 2),
                                     ("Collectives > MPI_Barrier", "mpi_barrier_wait", ROUNDS),
                                     ("Collectives > MPI_Bcast", "mpi_latebroadcast", ROUNDS)):
            waited(mpi, summary, (1, 0, "truncated > main > " + path, pattern), calls, calls // 2)

    with_each_mpi(check)


def test_a_refused_send_that_looks_good_shifts_nothing():
    """EPIK has counted and logged it when MPI refuses it."""
    def check(mpi, words):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "truncated.c", ["-O1", "-w", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, ROUNDS, LATE_US, "good"],
              env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
        archive = only_archive(b)
        assert "is not known" not in waits_text(b, archive), waits_text(b, archive)
        assert " send refused" in b.run([b.epk, "print", archive]).out
        summary = waits(b, archive)
        said = b.run([b.epk, "analyze", archive])
        assert "unmatched" not in said.out + said.err, said.out + said.err
        trace = waits(b, archive)
        calls = ROUNDS * KINDS * 2
        for found in (summary, trace):
            waited(mpi, found, (1, 0, "truncated > main > Messages > Good > MPI_Recv", "mpi_latesender"), calls, calls // 2)
        same_as_the_trace(mpi, summary, trace, lambda key: key[3] != "mpi_latereceiver")

    with_each_mpi(check)


def test_a_trace_counts_the_messages_that_the_summary_counts():
    """Neither counts messages that were too long, sends that MPI refuses, or collective operations that fail."""
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "truncated.c", ["-O1", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, 1, 0, "good"], env={"EPK_TRACE": "all"})
        archive = only_archive(b)
        printed = b.run([b.epk, "print", archive]).out
        assert " truncated" in printed and " send refused" in printed
        assert printed.count(" collective failed") == 2, printed
        b.run([b.epk, "check", "--trace-vs-summary", archive])


def test_each_probe_waits_for_the_message_that_it_saw():
    """If two probes saw one message, the first one has waited for it. A receive behind a cancelled one gets the message
    of that receive."""
    rounds = 3

    def check(mpi, words):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "probes.c", ["-O1", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, rounds, LATE_US],
              env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
        archive = only_archive(b)
        summary = waits(b, archive)
        b.run([b.epk, "analyze", archive])
        trace = waits(b, archive)
        # The analysis takes a second probe of a message for a probe of the next message, and its wait for as long as
        # the call.
        twice = ("SeenTwice > MPI_Probe", "SeenAndMatched > MPI_Mprobe")
        same_as_the_trace(mpi, summary, trace, lambda key: key[3] != "mpi_latereceiver" and not any(w in key[2] for w in twice))
        for path, calls in (("SeenTwice > MPI_Probe", 1), ("SeenTwice > Recv > MPI_Recv", 1), ("LastFirst > MPI_Mprobe", 2),
                            ("SeenBehind > MPI_Mprobe", 1), ("SeenBehind > MPI_Probe", 1), ("SeenAndMatched > MPI_Probe", 1),
                            ("SeenAndPosted > MPI_Probe", 1), ("SeenAndPosted > MPI_Recv", 1),
                            ("Cancelled > MPI_Wait", 1), ("Cancelled > Recv > MPI_Recv", 1)):
            waited(mpi, summary, (1, 0, "probes > main > " + path, "mpi_latesender"), rounds * calls)

    with_each_mpi(check)


def test_a_message_that_one_thread_probes_and_another_one_receives():
    """The analysis of a trace looks for the probe in the thread that receives."""
    rounds = 6

    def check(mpi, words):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "handed.c", ["-O1", "-pthread", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, rounds, LATE_US],
              env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
        archive = only_archive(b)
        assert "is not known" not in waits_text(b, archive), waits_text(b, archive)
        summary = waits(b, archive)
        b.run([b.epk, "analyze", archive])
        same_as_the_trace(mpi, summary, waits(b, archive), lambda key: "MPI_Mprobe" not in key[2] and key[3] != "mpi_latereceiver")
        place = (1, 0, "handed > main > Probe > MPI_Mprobe", "mpi_latesender")
        waited(mpi, summary, place, rounds, rounds // 2)

    with_each_mpi(check)


def test_a_freed_receive_that_accepts_several_messages_leaves_the_others_known():
    """MPI tells which message the receive got, and a trace has that. And a synchronous send that the program cancels in vain waits
    for its receive."""
    rounds = 3

    def check(mpi, words):
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{mpi}", "given_up.c", ["-O1", "-finstrument-functions"], instrument=None)
        b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program, rounds, LATE_US],
              env={"EPK_WAITS": "yes", "EPK_TRACE": "comm"})
        archive = only_archive(b)
        calls, found = rounds * 3 * 2, waits(b, archive)
        # The sender does not learn when the receive was posted that the program has freed.
        unknown = unknown_of(b, archive, found)
        expect(f"{mpi}: unknown", unknown, {(0, "given_up > main > GivenUp > SendLate > MPI_Send"): rounds * 3})
        waited(mpi, found, (1, 0, "given_up > main > GivenUp > Receive > MPI_Recv", "mpi_latesender"), calls, calls // 2)
        waited(mpi, found, (0, 0, "given_up > main > Cancelled > MPI_Wait", "mpi_latereceiver"), rounds)
        said = b.run([b.epk, "analyze", archive])
        assert "unmatched" not in said.out + said.err, said.out + said.err
        same_as_the_trace(mpi, found, waits(b, archive), lambda key: key[3] != "mpi_latereceiver")

    with_each_mpi(check)


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
