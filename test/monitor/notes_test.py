#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_MONITOR: compares the messages and barriers that threads note with the guest's own log: their number, order and
times."""

import collections
import subprocess
import sys
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, installed, left_out, main, mpis, retried, stage, timed  # noqa: E402

sys.path.insert(0, "test/monitor")
from notes_of import (AFTER_PROBE, ARRIVED, CALL, IN_THIS_CALL, LEFT, LINK, PROBED, RECEIVED, SENT, STEP,  # noqa: E402
                      SYNCHRONOUS, TEAM_BARRIER, TEST, header, rings)

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
RANKS, ROUNDS, DELAY_MS = 3, 3, 400
COMPILERS = [compiler for compiler in ("gcc", "clang") if installed(compiler)]

Call = collections.namedtuple("Call", "name peer tag before after")


class Held:
    """A program that waits for the file "stop" at its end."""

    def __init__(self, bench, words, env):
        self.bench = bench
        self.process = subprocess.Popen([str(word) for word in words], cwd=bench.folder,
                                        env={**bench.env, "EPK_TIMER": "monotonic", **env}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        end = time.monotonic() + 200
        while not (self.bench.folder / "started").exists():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, "the program does not start"
            time.sleep(0.02)
        return next(self.bench.folder.glob("*.unfinished"))

    def __exit__(self, *_):
        (self.bench.folder / "stop").touch()
        out, err = self.process.communicate(timeout=200)
        expect("the program's end", (self.process.returncode, out), (0, "")) if sys.exc_info()[0] is None else print(err)


def compile_with(b, mpi, compiler):
    b.env.update(OMPI_CC=compiler, MPICH_CC=compiler)
    return b.compile(f"mpicc.{mpi}", "sent.c", ["-O1", "-finstrument-functions"], instrument=None)


def sent_run(mpi, words, compiler, wanted):
    """Returns, by rank, the guest's calls and the ring of its only thread, or None."""
    b = Bench(PREFIX, PROGRAMS)
    program = compile_with(b, mpi, compiler)
    job = [b.epk, "run", f"mpirun.{mpi}", *words, "-n", RANKS, program, ROUNDS, DELAY_MS]
    with Held(b, job, {"EPK_MONITOR_BUFFER": "64k", "EPK_MONITOR": wanted}) as folder:
        logs, found = {}, {}
        for arena in folder.glob("arenas/*.arena"):
            there = rings(arena)
            found[header(arena)[1]] = there[0] if there else None
            assert len(there) <= 1, there
    for rank in range(RANKS):
        lines = [line.rsplit(" ", 4) for line in (b.folder / f"log.{rank}").read_text().splitlines()]
        logs[rank] = [Call(text.split("(")[0], *map(int, numbers)) for text, *numbers in lines]
    expect("ranks", sorted(found), list(range(RANKS)))
    return logs, found


# The steps that each call notes, as (kind, flags), and for steps with a message its direction, and how many calls
# before it was begun.
def wanted_steps(rank, calls):
    """(kind, flags, (sender, receiver, tag) or None, the call that `entered` belongs to) of all notes, in order."""
    steps, posted, probed = [], {}, {}
    for call in calls:
        out, back = (rank, call.peer, call.tag), (call.peer, rank, call.tag)
        if call.peer < 0:
            continue
        if call.name in ("Send", "Isend"):
            steps.append((SENT, 0, out, call))
        elif call.name == "Ssend":
            steps.append((SENT, SYNCHRONOUS | IN_THIS_CALL, out, call))
        elif call.name == "Issend":
            steps.append((SENT, SYNCHRONOUS, out, call))
            posted[call.tag] = (LEFT, out, None)
        elif call.name == "Irecv":
            posted[call.tag] = (ARRIVED, back, call)
        elif call.name in ("Wait", "Waitall"):
            tags = [call.tag] if call.name == "Wait" else list(posted)
            parts = [posted.pop(tag) for tag in tags if tag in posted]
            steps += [(kind, 0, message, at) for kind, message, at in parts]
            steps += [(CALL, 0, None, call)] if parts else []
        elif call.name == "Probe":
            probed[call.tag] = call
        elif call.name == "Recv":
            before = probed.pop(call.tag, None)
            steps += [(RECEIVED, PROBED, back, before)] if before else []
            steps.append((RECEIVED, AFTER_PROBE if before else 0, back, call))
        elif call.name == "Sendrecv":
            steps.append((SENT, 0, out, call))
            steps.append((RECEIVED, 0, ((rank + RANKS - 1) % RANKS, rank, call.tag), call))
    return steps


def check_messages(what, logs, found):
    channels, sent, received = {}, {}, {}
    for rank, calls in logs.items():
        steps = wanted_steps(rank, calls)
        notes = [note for note in found[rank].notes if note.about & STEP]
        expect(f"{what}: notes of rank {rank}", [(note.about & 15, note.about & ~(15 | STEP)) for note in notes],
               [(kind, flags) for kind, flags, _, _ in steps])
        count = collections.Counter()
        for note, (kind, flags, message, call) in zip(notes, steps):
            if call is not None:
                assert call.before <= note.entered <= call.after, (what, rank, note, call)
            if kind == CALL:
                assert note.entered <= note.left <= call.after, (what, rank, note, call)
            if message is None:
                continue
            # Both ends of a channel have the same number, and no other channel has it.
            expect(f"{what}: channel of {message}", note.left, channels.setdefault(message, note.left))
            side = kind in (SENT, LEFT)
            if kind != LEFT and flags != PROBED:
                count[side, message] += 1
                (sent if side else received)[message, note.sequence] = note
            expect(f"{what}: number of {message}", note.sequence, count[side, message] + (flags == PROBED))
    expect(f"{what}: channels", len(set(channels.values())), len(channels))
    expect(f"{what}: messages", sorted(sent), sorted(received))
    expect(f"{what}: messages", len(sent), (6 + RANKS) * ROUNDS)
    return sent, received


def check_waits(what, logs, sent, received):
    """The time that a late sender made a receive wait is the difference of two notes, and the guest saw both ends of
    it."""
    message = ((0, 1, 5), 1)
    waited = sent[message].entered - received[message].entered
    send = next(call for call in logs[0] if call.name == "Send")
    receive = next(call for call in logs[1] if call.name == "Recv")
    assert send.before - receive.after <= waited <= send.after - receive.before, (what, waited, send, receive)
    expect_time(waited >= DELAY_MS * 0.5e6, f"{what}: the receive waited {waited} ns")


@timed
def test_messages_are_noted_as_the_program_sent_them():
    for mpi, words in MPIS:
        for compiler in COMPILERS:
            what = f"{mpi} {compiler}"

            def once(mpi=mpi, words=words, compiler=compiler, what=what):
                logs, found = sent_run(mpi, words, compiler, "p2p")
                sent, received = check_messages(what, logs, found)
                # The ring has neither collectives nor links, because the run did not ask for them.
                assert all(note.about & STEP for ring in found.values() for note in ring.notes), found
                check_waits(what, logs, sent, received)
            retried(once)


def test_messages_and_collectives_side_by_side():
    for mpi, words in MPIS:
        logs, found = sent_run(mpi, words, COMPILERS[0], "coll,p2p")
        check_messages(mpi, logs, found)
        for rank, ring in found.items():
            calls = [note for note in ring.notes if not note.about & (STEP | LINK)]
            expect(f"{mpi}: barriers of rank {rank}", [call.sequence for call in calls], list(range(1, ROUNDS + 2)))
            times = [note.entered for note in ring.notes if note.about & 15 not in (ARRIVED, RECEIVED, LEFT)]
            expect(f"{mpi}: the order of rank {rank}", times, sorted(times))


def test_nothing_of_what_was_not_asked_for():
    mpi, words = MPIS[0]
    _, found = sent_run(mpi, words, COMPILERS[0], "omp")
    expect("rings", set(found.values()), {None})


def barriers_run(compiler, threads, env):
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(compiler, "barriers.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"], instrument=None)
    env = {"OMP_NUM_THREADS": str(threads), "EPK_MONITOR_BUFFER": "64k", **env}
    with Held(b, [b.epk, "run", program, ROUNDS, DELAY_MS], env) as folder:
        found = rings(next(folder.glob("arenas/*.arena")))
    logs = {}
    for line in (b.folder / "log").read_text().splitlines():
        thread, kind, before, after = line.split()
        logs.setdefault(int(thread), []).append((kind, int(before), int(after)))
    return logs, found


def pairs(what, logs, found, threads):
    """The notes by thread of the guest. The times of the first barrier tell which thread of EPIK it is."""
    expect(f"{what}: threads with notes", len(found), threads)
    by_thread = {}
    for ring in found:
        notes = [note for note in ring.notes if note.about == STEP | TEAM_BARRIER]
        expect(f"{what}: other notes", len(ring.notes), len(notes))
        mine = [thread for thread, calls in logs.items() if len(calls) == len(notes) and all(
            before <= note.entered <= note.left <= after for (_, before, after), note in zip(calls, notes))]
        assert mine, (what, "no thread's log has the times of", notes, logs)
        by_thread.setdefault(mine[0], notes)
    expect(f"{what}: threads", sorted(by_thread), list(range(threads)))
    return by_thread


def check_barriers(what, compiler, threads):
    logs, found = barriers_run(compiler, threads, {"EPK_MONITOR": "omp"})
    notes = pairs(what, logs, found, threads)
    for number in range(3 * ROUNDS):
        together = [mine[number] for mine in notes.values()]
        last = max(note.entered for note in together)
        for note in together:
            assert note.left >= last, (what, number, "somebody left before all had come", together)
    first = notes[0][0]
    waited = max(note[0].entered for note in notes.values()) - first.entered
    expect_time(threads == 1 or waited >= DELAY_MS * 0.5e6, f"{what}: thread 0 waited {waited} ns")


@timed
def test_barriers_of_openmp_are_noted_by_each_thread():
    for compiler in COMPILERS:
        for threads in (1, 3):
            retried(check_barriers, f"{compiler} {threads}", compiler, threads)


def test_barriers_are_not_noted_unless_they_are_asked_for():
    for wanted in ({}, {"EPK_MONITOR": "coll,p2p"}):
        _, found = barriers_run(COMPILERS[0], 2, wanted)
        expect(f"rings with {wanted}", found, [])


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    if "clang" not in COMPILERS:
        left_out("clang is not installed")
    sys.exit(main(globals()))
