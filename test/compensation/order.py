# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a trace is possible: reads the output of `epk print --format json`, and knows nothing about how times
were computed."""

import collections
import json

ALL_TO_ALL = {"MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Allgather", "MPI_Ibarrier"}
ONE_TO_ALL, ALL_TO_ONE = {"MPI_Bcast"}, {"MPI_Reduce", "MPI_Gather"}
# A member gets data from those that the trace names; if it names none, from all that give some.
SOME_TO_ALL = {"MPI_Alltoallv", "MPI_Alltoallw", "MPI_Ialltoallv"}
HALF_NS = 0.6e-9  # times are printed in whole nanoseconds


class Trace:
    """Events in the order in which they are printed, and by thread."""

    def __init__(self, bench, archive):
        text = bench.run([bench.epk, "print", archive, "--format", "json"]).out
        self.events = [json.loads(line) for line in text.splitlines()]
        self.by_thread = collections.defaultdict(list)
        for number, event in enumerate(self.events):
            event["number"] = number
            self.by_thread[event["rank"], event["thread"]].append(event)
        for events in self.by_thread.values():
            nest(events)

    def same_events(self, other):
        """The same threads with the same events in the same order; only times differ."""
        assert set(self.by_thread) == set(other.by_thread), (set(self.by_thread), set(other.by_thread))
        for thread, events in self.by_thread.items():
            ours, theirs = map(without_times, events), list(map(without_times, other.by_thread[thread]))
            assert len(events) == len(theirs), (thread, len(events), len(theirs))
            for mine, its in zip(ours, theirs):
                assert mine == its, (thread, mine, its)


def without_times(event):
    return {k: v for k, v in event.items() if k not in ("time", "left", "since", "number", "call", "made_up")}


def nest(events):
    """Gives each event the call that it lies in: its enter, whose "left" is when it was left."""
    open_calls = []
    for event in events:
        if event["event"] == "enter":
            event["left"] = float("inf")
            open_calls.append(event)
        elif event["event"] == "exit" and open_calls:
            open_calls.pop()["left"] = event["time"]
        event["call"] = open_calls[-1] if open_calls else None


def check(trace, measured=None):
    """Raises if the order of times contradicts a dependence. Returns the number of dependences. The order of holders of
    a window's lock is the one in `measured`."""
    found = collections.Counter()

    def after(what, later, earlier):
        found[what] += 1
        assert later >= earlier - HALF_NS, f"{what}: {later:.9f} is before {earlier:.9f}"

    for events in trace.by_thread.values():
        for before, event in zip(events, events[1:]):
            after("time of a thread", event["time"], before["time"])
        assert events[0]["time"] >= 0, events[0]
    messages(trace, after)
    collectives(trace, after)
    teams(trace, after)
    locks(trace, after)
    iterations(trace, after)
    tasks(trace, after)
    epochs(trace, after)
    locks_of_windows(trace, measured or trace, after)
    return found


def messages(trace, after):
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    for (rank, _), events in trace.by_thread.items():
        for event in events:
            kind = event["event"]
            if kind in ("send", "send begin"):
                sends[rank, event["to"], event["tag"], event["comm"]].append(event["time"])
            elif kind in ("receive", "receive end"):
                receives[event["from"], rank, event["tag"], event["comm"]].append(event["time"])
    for channel, ends in receives.items():
        for send, receive in zip(sends[channel], ends):  # these programs never have two messages of a channel under way
            after("message", receive, send)


def collectives(trace, after):
    """The n-th operation of a kind on a communicator is the same in all ranks."""
    parts = collections.defaultdict(list)  # (comm, operation) -> by rank: (begin, end, rank, root)
    for (rank, _), events in trace.by_thread.items():
        begun, peers, lists = {}, collections.defaultdict(set), collections.defaultdict(list)
        for event in events:
            if event["event"] in ("collective begin", "collective posted"):
                begun[event["request"]] = event["call"]["time"] if event["call"] else event["time"]
            if event["event"] == "collective peers":
                peers[event["request"]] |= {event["first"] + event["step"] * i for i in range(event["count"])}
            if event["event"] == "collective end":
                began = begun.pop(event["request"], None)
                if began is None:
                    began = event["call"]["time"]
                sources = peers.pop(event["request"], set())
                gets_all = event["operation"] in SOME_TO_ALL and not sources and event["in"] > 0
                lists[event["comm"], event["operation"]].append(
                    (began, event["time"], rank, event["root"], sources, gets_all, event["out"]))
        for key, operations in lists.items():
            for number, operation in enumerate(operations):
                parts[*key, number].append(operation)
    for (_, operation, _), members in parts.items():
        for begin, end, rank, root, sources, gets_all, _ in members:
            for other_begin, _, other, _, _, _, out in members:
                needs = (operation in ALL_TO_ALL or operation in ONE_TO_ALL and other == root
                         or operation in ALL_TO_ONE and rank == root or operation == "MPI_Scan" and other < rank or other in sources
                         or gets_all and out > 0)
                if needs:
                    after(operation, end, other_begin)


def teams(trace, after):
    """Forks before their teams, joins after their members; no thread leaves a barrier before all have come."""
    forks, joins = {}, {}
    ends, barriers = collections.defaultdict(list), collections.defaultdict(list)
    for (rank, thread), events in trace.by_thread.items():
        mine, last, passed = [], None, collections.Counter()
        for event in events:
            kind = event["event"]
            if kind == "fork":
                forks[rank, thread, event["instance"]] = event["time"]
            elif kind == "join":
                joins[rank, thread, event["instance"]] = event["time"]
            elif kind == "team begin":
                mine.append((rank, event["leader"], event["instance"]))
                event["team"] = mine[-1]
            elif kind == "team end" and mine:
                last = mine.pop()
                ends[last].append(event["time"])
            elif kind == "barrier" and event["call"]:
                team = mine[-1] if mine else last
                passed[team] += 1
                barriers[team, passed[team]].append((event["time"], event["call"]["left"]))
    for events in trace.by_thread.values():
        for event in events:
            if "team" in event and event["team"] in forks:
                after("fork", event["time"], forks[event["team"]])
    for team, times in ends.items():
        for time in times:
            if team in joins:
                after("join", joins[team], time)
    for members in barriers.values():
        for _, left in members:
            after("barrier of a team", left, max(came for came, _ in members))


def locks(trace, after):
    freed, taken = {}, {}
    for (rank, _), events in trace.by_thread.items():
        for event in events:
            if event["event"] == "lock acquire":
                taken[rank, event["lock"], event["order"]] = event["time"]
            elif event["event"] == "lock release":
                freed[rank, event["lock"], event["order"]] = event["time"]
    for (rank, lock, order), time in taken.items():
        if (rank, lock, order - 1) in freed:
            after("lock", time, freed[rank, lock, order - 1])


def iterations(trace, after):
    """These programs execute a loop again when all are done with it, and one thread needs each iteration."""
    done, needed = collections.defaultdict(list), collections.defaultdict(list)
    for (rank, _), events in trace.by_thread.items():
        for event in events:
            if event["event"] in ("iteration done", "iteration needed"):
                which = done if event["event"] == "iteration done" else needed
                which[rank, event["loop"], event["iteration"]].append(event["time"])
    for key, times in needed.items():
        for came, told in zip(sorted(times), sorted(done[key])):
            after("iteration", came, told)


def tasks(trace, after):
    """A task begins after its creation."""
    made, begun = {}, {}
    for (rank, _), events in trace.by_thread.items():
        for event in events:
            if event["event"] == "task create":
                made[rank, event["task"]] = event["time"]
            elif event["event"] == "task begin":
                begun[rank, event["task"]] = event["time"]
    for task, time in begun.items():
        if task in made:
            after("task", time, made[task])


def epochs(trace, after):
    """No process leaves a fence before all have come, ends an access before it is allowed, or ends an exposure before
    the access is ended. The n-th calls of a pair of processes belong together."""
    fences, allowed, accesses = (collections.defaultdict(list) for _ in range(3))
    exposures = collections.defaultdict(list)
    for (rank, _), events in trace.by_thread.items():
        passed, exposed, accessed = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
        for event in events:
            if event["event"] != "window sync" or not event["call"]:
                continue
            call, window = (event["call"]["time"], event["call"]["left"]), event["window"]
            operation = event["operation"]
            if operation == "MPI_Win_fence":
                passed[window] += 1
                fences[window, passed[window]].append(call)
            elif operation == "MPI_Win_post":
                allowed[window, event["peer"], rank].append(call)
                exposed[window].append(event["peer"])
            elif operation == "MPI_Win_start":
                accessed[window].append(event["peer"])
            elif operation == "MPI_Win_complete":
                for target in accessed.pop(window, []):
                    accesses[window, rank, target].append(call)
            elif operation in ("MPI_Win_wait", "MPI_Win_test"):
                for origin in exposed.pop(window, []):
                    exposures[window, origin, rank].append((operation, call))
    for calls in fences.values():
        for _, left in calls:
            after("MPI_Win_fence", left, max(came for came, _ in calls))
    for pair, calls in accesses.items():
        for (_, left), (came, _) in zip(calls, allowed[pair]):
            after("MPI_Win_complete", left, came)
    for pair, calls in exposures.items():
        for (operation, (_, left)), (came, _) in zip(calls, accesses[pair]):
            after(operation, left, came)


def locks_of_windows(trace, measured, after):
    """If two processes cannot have a lock at the same time, the second gives it back after the first began to give it
    back."""
    def all_epochs(of):
        found = []
        for thread, events in of.by_thread.items():
            held = {}
            for number, event in enumerate(events):
                if event["event"] == "window lock":
                    held[event["window"], event["peer"]] = event["exclusive"]
                elif event["event"] == "window sync" and event["operation"] == "MPI_Win_unlock":
                    exclusive = held.pop((event["window"], event["peer"]), None)
                    if exclusive is not None:
                        found.append((event["call"]["left"], event["call"]["time"], (thread, number),
                                      (event["window"], event["peer"]), exclusive))
        return sorted(found)

    times = {epoch[2]: epoch for epoch in all_epochs(trace)}
    order = all_epochs(measured)
    for i, (_, _, second, lock, exclusive) in enumerate(order):
        for _, _, first, other_lock, other_exclusive in order[:i]:
            if lock == other_lock and (exclusive or other_exclusive):
                after("lock of a window", times[second][0], times[first][1])
