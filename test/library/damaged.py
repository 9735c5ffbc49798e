# SPDX-License-Identifier: BSD-3-Clause
"""Damages copies of an archive at random and calls every function with each. The results do not matter, but the process
must go on.

    damaged.py ARCHIVE FOLDER COPIES"""
import os
import pathlib
import random
import resource
import shutil
import sys

import epik_trace

SECONDS, MEMORY = 60, 3 << 30
MOST_QUESTIONS = 20


def damage(file, rng):
    data = bytearray(file.read_bytes())
    kind = rng.randrange(4)
    if kind == 0:  # some bits
        for _ in range(rng.randrange(1, 20)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:  # it ends early
        del data[rng.randrange(len(data)):]
    elif kind == 2:  # a part is something else
        at = rng.randrange(len(data))
        data[at:at + 512] = rng.randbytes(len(data[at:at + 512]))
    else:  # a part is missing, and what comes behind moves up
        at = 8 * rng.randrange(max(len(data) // 8, 1))
        del data[at:at + 8 * rng.randrange(1, 400)]
    file.write_bytes(data)


def ask(archive, rng):
    """Returns the number of events."""
    with epik_trace.open(archive) as trace:
        events = list(trace)
        order = [event.ns for event in events]
        assert order == sorted(order), "events out of order"
        for event in rng.sample(events, min(len(events), MOST_QUESTIONS)):
            trace.stack(event)
            trace.at(event.location, event.place)
            trace.find(event.location, event.time)
            trace.open_messages(event)
            trace.path(event.call_path)
            for link in epik_trace.LINKS:
                for ref in trace.linked(event, link):
                    assert trace.at(ref.location, ref.place) is not None
        return len(events)


def main(archive, folder, copies):
    if "LD_PRELOAD" not in os.environ:  # a sanitizer's runtime, which takes terabytes of address space
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    rng = random.Random(19)
    refused = read = events = 0
    for number in range(int(copies)):
        copy = pathlib.Path(folder) / f"epik_damaged_{number}"
        shutil.copytree(archive, copy)
        files = [copy / "defs.epk", copy / "maps.epk", *3 * sorted(copy.glob("traces/**/*.elg"))]
        for file in rng.sample(files, rng.randrange(1, 3)):
            damage(file, rng)
        try:
            events += ask(copy, rng)
            read += 1
        except epik_trace.Error as problem:
            assert str(problem), "an error without a reason"
            refused += 1
        shutil.rmtree(copy)
    print(refused, read, events)


main(*sys.argv[1:])
