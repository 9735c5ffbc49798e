#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is a function slower late in the run than early, and what did it call in its slowest visit?

    PYTHONPATH=PREFIX/lib/python python3 visits.py epik_solver_4x1_trace solve
"""
import collections
import sys

import epik_trace


def visits_of(trace, region):
    """(seconds, its enter) of each visit."""
    entered = collections.defaultdict(list)  # by location
    visits = []
    for event in trace:
        if event.kind == "enter":
            entered[event.location].append(event)
        elif event.kind == "exit" and entered[event.location]:
            enter = entered[event.location].pop()
            if trace.name(enter.call_path) == region:
                visits.append((event.time - enter.time, enter))
    return visits


def main(archive, region):
    with epik_trace.open(archive) as trace:
        visits = sorted(visits_of(trace, region), key=lambda visit: visit[1].ns)
        if not visits:
            return f"visits: the trace has no visit of {region}"
        print(f"{len(visits)} visits of {region}; mean of each quarter of them, in microseconds:")
        for quarter in range(4):
            part = visits[len(visits) * quarter // 4:len(visits) * (quarter + 1) // 4]
            if part:
                print(f"  {sum(seconds for seconds, _ in part) / len(part) * 1e6:12.1f}")
        seconds, enter = max(visits, key=lambda visit: visit[0])
        print(f"the slowest: {seconds * 1e6:.1f} us at {enter.time:.6f} s, location {enter.location}, in")
        for call_path, since in trace.stack(enter):
            print(f"  {trace.name(call_path)}" + ("" if since is None else f", since {since:.6f} s"))
        leave = trace.partner(enter, "call")
        inside = collections.Counter(trace.name(event.call_path)
                                     for event in trace.events_from(enter.location, enter.place + 1)
                                     if event.kind == "enter" and event.place < leave.place)
        for name, count in inside.most_common(5):
            print(f"  {count:6} calls of {name}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: visits.py ARCHIVE REGION")
    try:
        sys.exit(main(*sys.argv[1:]))
    except epik_trace.Error as problem:
        sys.exit(f"visits: {problem}")
