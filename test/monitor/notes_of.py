# SPDX-License-Identifier: BSD-3-Clause
"""The notes of a process's threads, read from its arena as docs/formats.md describes it."""

import collections
import mmap
import struct

LINE = 64
COLLECTIVES = 7
LINK, STEP = 1 << 29, 1 << 28
SENT, RECEIVED, ARRIVED, LEFT, BEGUN, ENDED, CALL, TEST, TEAM_BARRIER = range(1, 10)
SYNCHRONOUS, UNCERTAIN, PROBED, AFTER_PROBE = 1 << 4, 1 << 5, 1 << 6, 1 << 7
IN_THIS_CALL = 1 << 30

Note = collections.namedtuple("Note", "entered left node communicator sequence about")
Ring = collections.namedtuple("Ring", "thread capacity written notes")


def rings(arena):
    """The notes of each thread that has any, oldest first."""
    with open(arena, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # most of it is a hole
    assert data[:8] == b"EPIKARNA", data[:8]
    used, line = struct.unpack_from("<II", data, 24)
    found = []
    while line < used:
        at = line * LINE
        magic, kind, _, lines, owner = struct.unpack_from("<IHHII", data, at)
        if magic != 0x434B5045 or lines == 0:
            break
        if kind == COLLECTIVES:
            written, capacity = struct.unpack_from("<QI", data, at + LINE)
            thread = struct.unpack_from("<I", data, owner * LINE + 136)[0]
            notes = [Note._make(struct.unpack_from("<QQIIII", data, at + 2 * LINE + 32 * (n % capacity)))
                     for n in range(max(0, written - capacity), written)]
            found.append(Ring(thread, capacity, written, notes))
        line += lines
    return sorted(found, key=lambda ring: ring.thread)


def header(arena):
    """(process number, rank)"""
    with open(arena, "rb") as file:
        data = file.read(96)
    return struct.unpack_from("<I", data, 32)[0], struct.unpack_from("<i", data, 40)[0]
