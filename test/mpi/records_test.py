#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the MPI adapter logs of programs/: told to oracle/core.cc, which stands in for the measurement.

records_test.py FLAVOUR CORE ADAPTER:
  * messages, bytes of collectives and one-sided accesses of every function are those that the program counted itself;
  * all messages of a job from one rank to another with one tag in one communicator arrive as they were sent, in order;
  * every request ends once; every collective on a communicator is the same one in all of its processes;
  * a communicator has one identity in all of its processes, with the same members, and no two have the same.
"""
import collections
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mpi_test  # noqa: E402
from mpi_test import cases, check  # noqa: E402

CASES = [case for case in mpi_test.CASES if case.how == "preloaded" and not case.only]
MORE_RANKS = {"communicators": (2, 7)}
ONE_SIDED = {"Put": ("put",), "Get": ("got",), "Atomic": ("put", "got")}


class Process:
    """One file of the oracle's, in order."""

    def __init__(self, path):
        self.rank = None
        self.communicators = {0: ("world", None, ()), 1: ("self", None, ())}  # number: (id, own rank, members)
        self.names = {}
        self.windows = {}
        self.records = []  # (thread, region, kind, fields)
        for line in path.read_text().splitlines():
            kind, *words = line.split(" ")
            if kind == "rank":
                self.rank = int(words[0])
            elif kind == "communicator":
                at = words.index("name")
                self.communicators[int(words[0])] = (words[1], int(words[2]), tuple(words[3:at]))
                self.names[int(words[0])] = " ".join(words[at + 1:])
            elif kind == "window":
                self.windows[int(words[0])] = (int(words[1]), words[2])
            elif kind == "name":
                self.names[int(words[1])] = " ".join(words[2:])
            elif kind == "record":
                fields = [int(word) if word.lstrip("-").isdigit() else word for word in words[3:]]
                self.records.append((int(words[0]), words[1], words[2], fields))

    def live(self):
        """The records without those of sends that were cancelled."""
        cancelled = {fields[0] for _, _, kind, fields in self.records if kind == "RequestCancelled"}
        return [record for record in self.records if record[2] != "SendBegin" or record[3][4] not in cancelled]

    def identity(self, number):
        return f"self of {self.rank}" if number == 1 else self.communicators[number][0]


def counted(process):
    """{(function, metric): (sum, count)} as the records have it."""
    counts = collections.defaultdict(lambda: (0, 0))

    def add(function, metric, bytes_):
        before = counts[function, metric]
        counts[function, metric] = (before[0] + bytes_, before[1] + 1)

    begun = {}
    for _, region, kind, fields in process.live():
        if kind == "CollectiveBegin":
            begun[fields[1]] = region
        if kind in ("Send", "SendBegin"):
            add(region, "sent", fields[3])
        elif kind in ("Receive", "ReceiveEnd"):
            add(region, "received", fields[3])
        elif kind == "CollectiveEnd" and "arrier" not in fields[0]:
            # A persistent one counts where it was started.
            function = begun[fields[5]] if fields[0].endswith("_init") else fields[0]
            add(function, "coll_out", fields[3])
            add(function, "coll_in", fields[4])
        elif kind in ONE_SIDED:
            for metric, bytes_ in zip(ONE_SIDED[kind], fields[2:]):
                add(region, metric, bytes_)
    return counts


def check_counts(process, expected):
    mine = counted(process)
    for key in sorted(set(expected) | set(mine)):
        metric = key[1]
        if metric in ("visits", "read", "written"):
            continue
        want, have = expected.get(key, (0, 0)), mine.get(key, (0, 0))
        # An atomic operation says both; the program only what moves.
        if metric in ("put", "got", "coll_in"):
            want, have = want[:1], have[:1]
        check(want == have, f"rank {process.rank}:", *key, "the program says", want, "the records", have)


def messages(processes):
    """{(from, to, tag, communicator): [bytes]}, as sent and as received."""
    sent, received = collections.defaultdict(list), collections.defaultdict(list)
    for process in processes:
        for _, _, kind, fields in process.live():
            if kind in ("Send", "SendBegin"):
                to, tag, comm, bytes_ = fields[:4]
                sent[process.rank, to, tag, process.identity(comm)].append(bytes_)
            if kind in ("Receive", "ReceiveEnd"):
                source, tag, comm, bytes_ = fields[:4]
                received[source, process.rank, tag, process.identity(comm)].append(bytes_)
    return sent, received


def check_requests(process, freed):
    open_ones, begun = set(), set()
    for _, region, kind, fields in process.records:
        number = fields[-1] if fields else 0
        if kind in ("SendBegin", "ReceiveBegin", "CollectiveBegin") and number:
            both = kind == "ReceiveBegin" and number in open_ones  # MPI_Isendrecv
            check(both or number not in begun, f"rank {process.rank}: request {number} begins twice, in {region}")
            open_ones.add(number)
            begun.add(number)
        if kind in ("SendEnd", "ReceiveEnd", "RequestCancelled", "CollectiveEnd") and number:
            check(number in open_ones, f"rank {process.rank}: request {number} ends in {region} and was not open")
            open_ones.discard(number)
    check(len(open_ones) <= freed, f"rank {process.rank}: requests that did not end: {sorted(open_ones)}")


def check_collectives(processes):
    """Of each communicator, the operations in the order of their beginning, blocking or not."""
    orders = collections.defaultdict(dict)
    for process in processes:
        of = collections.defaultdict(list)
        waiting = {}
        for thread, _, kind, fields in process.records:
            if kind == "CollectiveBegin":
                waiting[thread if fields[1] == 0 else -fields[1]] = len(waiting)
            if kind == "CollectiveEnd":
                of[process.identity(fields[1])].append((fields[0], fields[2]))
        for identity, list_ in of.items():
            orders[identity][process.rank] = sorted(list_) if "I" in "".join(o[4] for o, _ in list_) else list_
    for identity, by_rank in orders.items():
        lists = [[(name, root) for name, root in list_] for list_ in by_rank.values()]
        names = [[name for name, _ in list_] for list_ in lists]
        check(all(list_ == names[0] for list_ in names), f"collectives on {identity}:", by_rank)


def check_communicators(processes):
    members = {}
    for process in processes:
        for number, (identity, rank, list_) in process.communicators.items():
            if number <= 1:
                continue
            groups = [[int(word) for word in group.split()] for group in " ".join(list_)[4:].split(" remote ")]
            check(groups[0][rank] == process.rank, f"rank {process.rank}: {number} has me as {rank} of {groups}")
            known = members.setdefault(identity, {})
            check(process.rank not in known, f"rank {process.rank}: identity {identity} twice")
            known[process.rank] = groups
    for identity, by_rank in members.items():
        for rank, groups in by_rank.items():
            others = [by_rank[other] for other in groups[0] if other in by_rank]
            check(all(other == groups for other in others), f"members of {identity}:", by_rank)
            # Those of the other side see the same two groups the other way round.
            for other in groups[1] if len(groups) > 1 else []:
                check(other not in by_rank or by_rank[other] == groups[::-1], f"sides of {identity}:", by_rank)


def try_case(case, program, ranks, flavour, libraries, folder):
    arguments = [word.format(folder=folder) for word in case.arguments]
    words, told, own = [str(program), *arguments], folder / "told", folder / "counted"
    told.mkdir()
    own.mkdir()
    bare = mpi_test.run([*mpi_test.launcher(flavour, ranks), *words], folder)
    preload = ["env", "LD_PRELOAD=" + ":".join(map(str, libraries))]
    measured = mpi_test.run([*mpi_test.launcher(flavour, ranks), *preload, *words], folder, COUNT_FOLDER=str(own),
                            RECORDS_FOLDER=str(told))
    check(measured[:2] == bare[:2], "bare:", bare, "measured:", measured)
    processes = [Process(path) for path in told.iterdir()]
    processes = sorted((p for p in processes if p.rank is not None), key=lambda p: p.rank)
    check([p.rank for p in processes] == list(range(ranks)), "ranks:", [p.rank for p in processes])
    expected = mpi_test.own_counts(own)
    for process in processes:
        check_counts(process, expected[process.rank])
        check_requests(process, 1)  # messages.c gives one up
    sent, received = messages(processes)
    for key in sorted(set(sent) | set(received), key=str):
        # Messages that were truncated are sent, and no receives: a receiver's list is part of the sender's.
        rest = iter(sent[key])
        check(all(any(bytes_ == other for other in rest) for bytes_ in received[key]), "from, to, tag, communicator", key,
              "sent", sent[key], "received", received[key])
    check_collectives(processes)
    check_communicators(processes)


def main():
    flavour, core, adapter = sys.argv[1:]
    if not cases.installed(f"mpicc.{flavour}"):
        return cases.Results(flavour).finish()
    results = cases.Results(os.environ.get("TEST_TARGET", flavour))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        libraries = [shutil.copy(core, scratch / "libepk.so"), shutil.copy(adapter, scratch)]
        only = mpi_test.os.environ.get("MPI_TEST_ONLY", "")
        for case in (case for case in CASES if only in case.name):
            program = mpi_test.build(case, flavour, "", scratch)
            for ranks in case.ranks + MORE_RANKS.get(case.name, ()):
                folder = scratch / f"{case.name}_{ranks}"
                folder.mkdir()
                results.run(f"{case.name} on {ranks}", try_case, case, program, ranks, flavour, libraries, folder)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
