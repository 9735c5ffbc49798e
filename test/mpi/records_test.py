#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The MPI adapter's records of programs/, as oracle/core.cc writes them, which stands in for the measurement.

records_test.py FLAVOUR CORE ADAPTER:
  * messages, bytes of collectives and one-sided accesses of every function are those that the program counted itself;
  * all messages of a job from one rank to another with one tag in one communicator arrive as they were sent, in order;
  * every request ends once; every collective on a communicator is the same one in all of its processes, in the order of
    their starts, and so is every call that is collective and moves nothing: one record for each such call of the program;
  * a message was received by a receive that was posted for it; the records name the sources of a collective, the
    messages that probes found and the locks that were taken, as the program tells them (programs/partners.c);
  * a communicator has one identity in all of its processes, with the same members, and no two have the same.
"""
import collections
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mpi_test  # noqa: E402
from mpi_test import cases, check, sanitizer  # noqa: E402

# libepk.so itself sees jumps, and the stand-in does not.
CASES = [case for case in mpi_test.CASES if case.how == "preloaded" and not case.only and case.name != "left"]
MORE_RANKS = {"communicators": (2, 7)}
ONE_SIDED = {"Put": ("put",), "Get": ("got",), "Atomic": ("put", "got")}


class Process:
    """One file of the oracle, in order."""

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


def counted(process, cut):
    """{(function, metric): (sum, count)} from the records. `cut`: receives of messages that were too long."""
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
            if fields not in cut:
                add(region, "received", fields[3])
        elif kind == "CollectiveEnd" and not re.search("arrier|Comm_idup", fields[0]):
            # A persistent receive counts where it was started.
            function = begun[fields[5]] if fields[0].endswith("_init") else fields[0]
            add(function, "coll_out", fields[3])
            add(function, "coll_in", fields[4])
        elif kind in ONE_SIDED:
            for metric, bytes_ in zip(ONE_SIDED[kind], fields[2:]):
                add(region, metric, bytes_)
    return counts


def check_counts(process, expected, cut):
    mine = counted(process, cut)
    for key in sorted(set(expected) | set(mine)):
        metric = key[1]
        if metric in ("visits", "read", "written", *mpi_test.IN_TRACES):
            continue
        want, have = expected.get(key, (0, 0)), mine.get(key, (0, 0))
        # An atomic operation's record has both numbers; the program notes only the bytes that move.
        if metric in ("put", "got", "coll_in"):
            want, have = want[:1], have[:1]
        check(want == have, f"rank {process.rank}:", *key, "the program says", want, "the records", have)


def messages(processes):
    """{(from, to, tag, communicator): [bytes]}, as sent and as received: in the order in which receives were posted."""
    sent, received = collections.defaultdict(list), collections.defaultdict(list)
    for process in processes:
        posted = {record[3][3]: at for at, record in enumerate(process.records) if record[2] == "ReceivePosted"}
        order = {id(record): posted[record[3][4]] if record[2] == "ReceiveEnd" else at
                 for at, record in enumerate(process.records)}
        for _, _, kind, fields in sorted(process.live(), key=lambda record: order[id(record)]):
            if kind in ("Send", "SendBegin"):
                to, tag, comm, bytes_ = fields[:4]
                sent[process.rank, to, tag, process.identity(comm)].append(bytes_)
            if kind in ("Receive", "ReceiveEnd"):
                source, tag, comm, bytes_ = fields[:4]
                received[source, process.rank, tag, process.identity(comm)].append((bytes_, fields))
    return sent, received


class Cut:
    """The receives of messages that were truncated: they have no bytes, and their messages had some."""

    def __init__(self, sent, received):
        self.ids = set()
        for key, found in received.items():
            rest = iter(sent[key])
            for bytes_, fields in found:
                other = next((other for other in rest if bytes_ in (0, other)), None)
                if bytes_ == 0 and other:
                    self.ids.add(id(fields))

    def __contains__(self, fields):
        return id(fields) in self.ids


def check_requests(process):
    open_ones, begun = collections.Counter(), set()  # the request of MPI_Isendrecv has two parts
    for _, region, kind, fields in process.records:
        number = fields[-1] if fields else 0
        check(kind != "ReceiveBegin", "a record of older traces in", region)
        if kind in ("SendBegin", "ReceivePosted", "CollectiveBegin") and number:
            both = kind == "ReceivePosted" and number in open_ones
            check(both or number not in begun, f"rank {process.rank}: request {number} begins twice, in {region}")
            open_ones[number] += 1
            begun.add(number)
        if kind in ("SendEnd", "ReceiveEnd", "RequestCancelled", "RequestFreed", "CollectiveEnd") and number:
            check(number in open_ones, f"rank {process.rank}: request {number} ends in {region} and was not open")
            left = open_ones.pop(number) - 1
            if left > 0 and kind in ("SendEnd", "ReceiveEnd"):
                open_ones[number] = left
    check(not open_ones, f"rank {process.rank}: requests that did not end: {sorted(open_ones)}")


def starts_of(process):
    """{communicator: [(operation, root)]} in the order of their starts, and those of non-blocking ones by request."""
    of, begun, posted = collections.defaultdict(list), {}, {}
    for thread, region, kind, fields in process.records:
        if kind == "CollectiveBegin" and fields[1] == 0:
            begun[thread] = []  # its communicator is known at its end
        elif kind == "CollectivePosted":
            operation, comm, root, out, into, request = fields
            check(request not in posted, f"rank {process.rank}: request {request} posted twice, in {region}")
            posted[request] = fields
            of[process.identity(comm)].append((operation, root))
        elif kind == "CollectiveEnd" and fields[5] == 0:
            check(begun.pop(thread, None) is not None, f"rank {process.rank}: {fields} ends and did not begin")
            of[process.identity(fields[1])].append((fields[0], fields[2]))
        elif kind == "CollectiveEnd":
            check(posted.pop(fields[5], None) == fields, f"rank {process.rank}: not posted like that: {fields}")
    return of


def check_collectives(processes):
    """All processes of a communicator have the same operations in the same order."""
    orders = collections.defaultdict(dict)
    for process in processes:
        for identity, list_ in starts_of(process).items():
            orders[identity][process.rank] = list_
    for identity, by_rank in orders.items():
        names = [[name for name, _ in list_] for list_ in by_rank.values()]
        check(all(list_ == names[0] for list_ in names), f"collectives on {identity}:", by_rank)


CALLS = re.compile(r"MPI_(Init(_thread)?|Finalize|Comm_(dup|dup_with_info|create|create_group|split|split_type|spawn|free|disconnect)"
                   r"|Intercomm_(create|merge)|Cart_(create|sub)|Graph_create|Dist_graph_create(_adjacent)?"
                   r"|Win_(create|allocate|allocate_shared|create_dynamic|free)"
                   r"|File_(open|close|set_view|set_size|preallocate|sync|set_atomicity|set_info)"
                   r"|File_(read|write)_(all|at_all|ordered)(_begin|_end)?)")


def check_calls(processes, expected):
    """Calls that move no data: the right number, and the same calls in all processes of a communicator."""
    orders = collections.defaultdict(dict)
    for process in processes:
        counts, of = collections.Counter(), collections.defaultdict(list)
        for _, region, kind, fields in process.records:
            if kind == "CollectiveCall":
                check(region == fields[0], f"rank {process.rank}: {fields} in {region}")
                counts[region] += 1
                of[process.identity(fields[1])].append(region)
        own = expected[process.rank]
        want = {name: times for (name, metric), (_, times) in own.items() if metric == "visits" and CALLS.fullmatch(name)}
        check(counts == want, f"rank {process.rank}: calls that are collective:", dict(counts), "the program:", want)
        for identity, list_ in of.items():
            orders[identity][process.rank] = list_
    for identity, by_rank in orders.items():
        if " of " not in identity:
            lists = list(by_rank.values())
            check(all(list_ == lists[0] for list_ in lists), f"calls on {identity}:", by_rank)


def check_created(processes):
    """A communicator is made once in each of its processes, before any other operation on it."""
    makers = collections.defaultdict(list)
    for process in processes:
        for _, region, kind, fields in process.records:
            if kind == "CommCreated":
                check(fields[0] > 1, f"rank {process.rank}: {fields} in {region}: MPI made it")
                makers[process.identity(fields[0])].append(process.rank)
    for process in processes:
        for identity, own, members in list(process.communicators.values())[2:]:
            check(makers[identity].count(process.rank) == 1, f"rank {process.rank}: {identity} was made by {makers[identity]}")


def check_partners(process, expected):
    """The sources of collectives, the messages that probes found, and the locks."""
    counts = collections.defaultdict(lambda: (0, 0))

    def add(function, metric, value):
        before = counts[function, metric]
        counts[function, metric] = (before[0] + value, before[1] + 1)

    peers = collections.defaultdict(int)
    posted = {}
    for thread, region, kind, fields in process.records:
        if kind == "CollectivePeers":
            first, step, count, request = fields
            peers[thread, request] += sum(first + step * i + 1 for i in range(count))
        elif kind == "CollectivePosted" or (kind == "CollectiveEnd" and fields[5] == 0):
            if (thread, fields[5]) in peers:
                add(fields[0], "from", peers.pop((thread, fields[5])))
        elif kind == "Probe":
            add(region, "probed", fields[3])
        elif kind == "WindowLock":
            check((fields[2] < 0) == (region == "MPI_Win_lock_all"), fields)
            add(region, "locked", fields[3])
        elif kind == "ReceivePosted":
            posted[fields[3]] = fields
        elif kind == "ReceiveEnd":
            source, tag, comm, _, request = fields
            asked = posted.pop(request)
            good = asked[0] in (-1, source) and asked[1] in (-1, tag) and asked[2] == comm
            check(good, f"rank {process.rank}: {asked} received {fields}")
    check(not peers, f"rank {process.rank}: peers of no collective: {dict(peers)}")
    said = {key: value for key, value in expected.items() if key[1] in mpi_test.IN_TRACES}
    if said:
        check(counts == said, f"rank {process.rank}: records:", dict(counts), "the program:", said)


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
            # The processes of the other side see the same two groups the other way round.
            for other in groups[1] if len(groups) > 1 else []:
                check(other not in by_rank or by_rank[other] == groups[::-1], f"sides of {identity}:", by_rank)


def try_case(case, program, ranks, flavour, libraries, watcher, folder):
    arguments = [word.format(folder=folder) for word in case.arguments]
    words, told, own = [str(program), *arguments], folder / "told", folder / "counted"
    told.mkdir()
    own.mkdir()
    bare = mpi_test.run([*mpi_test.launcher(flavour, ranks), *words], folder, watcher)
    preload = ["env", "LD_PRELOAD=" + watcher.preload(*libraries)]
    measured = mpi_test.run([*mpi_test.launcher(flavour, ranks), *preload, *words], folder, watcher, COUNT_FOLDER=str(own),
                            RECORDS_FOLDER=str(told))
    check(measured[:2] == bare[:2], "bare:", bare, "measured:", measured)
    processes = [Process(path) for path in told.iterdir()]
    processes = sorted((p for p in processes if p.rank is not None), key=lambda p: p.rank)
    check([p.rank for p in processes] == list(range(ranks)), "ranks:", [p.rank for p in processes])
    expected = mpi_test.own_counts(own)
    sent, received = messages(processes)
    cut = Cut(sent, received)
    for process in processes:
        check_counts(process, expected[process.rank], cut)
        check_requests(process)
        check_partners(process, expected[process.rank])
    for key in sorted(set(sent) | set(received), key=str):
        # Nobody knows how much of a truncated message arrived.
        rest = iter(sent[key])
        check(all(any(fields in cut or bytes_ == other for other in rest) for bytes_, fields in received[key]),
              "from, to, tag, communicator", key, "sent", sent[key], "received", received[key])
    check_collectives(processes)
    check_calls(processes, expected)
    check_created(processes)
    check_communicators(processes)


def main():
    flavour, core, adapter = sys.argv[1:]
    if not cases.installed(f"mpicc.{flavour}"):
        return cases.Results(flavour).finish()
    results = cases.Results(os.environ.get("TEST_TARGET", flavour))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        libraries = [shutil.copy(core, scratch / "libepk.so"), shutil.copy(adapter, scratch)]
        watcher = sanitizer.Sanitizer(str(libraries[0]), str(scratch / "reports"))
        only = mpi_test.os.environ.get("MPI_TEST_ONLY", "")
        for case in (case for case in CASES if only in case.name):
            program = mpi_test.build(case, flavour, "", scratch)
            for ranks in case.ranks + MORE_RANKS.get(case.name, ()):
                folder = scratch / f"{case.name}_{ranks}"
                folder.mkdir()
                results.run(f"{case.name} on {ranks}", try_case, case, program, ranks, flavour, libraries, watcher, folder)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
