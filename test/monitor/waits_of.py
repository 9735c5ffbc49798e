# SPDX-License-Identifier: BSD-3-Clause
"""How long each call path waited, from `epk report --waits`."""

import csv
import io
import time

COLLECTIVE = {"mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", "mpi_earlyscan",
              "mpi_finalize_wait"}
PATTERNS = COLLECTIVE | {"mpi_latesender", "mpi_latereceiver"}
COLUMNS = ["rank", "thread", "callpath", "pattern", "seconds", "instances"]


def only_archive(b):
    for _ in range(100):
        found = b.archives()
        if len(found) == 1 and not found[0].name.endswith(".unfinished"):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"archives: {[a.name for a in b.archives()]}")


def waits(b, archive):
    rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--waits", "--format", "csv"]).out)))
    assert all(list(row) == COLUMNS for row in rows), rows[:1]
    return {(int(r["rank"]), int(r["thread"]), r["callpath"], r["pattern"]): (float(r["seconds"]), int(r["instances"]))
            for r in rows if r["pattern"] in PATTERNS}


def waits_text(b, archive):
    return b.run([b.epk, "report", archive, "--waits"]).out


def unknown_of(b, archive, summary):
    """{(rank, call path): calls with unknown waits}. Checks that no wait is negative, and that the waits of a call, of all
    kinds, are not longer than the call."""
    rows = list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, "--format", "csv"]).out)))
    found = {(int(r["rank"]), r["callpath"]): int(r.get("mpi_waits_unknown") or 0) for r in rows}
    calls = {(int(r["rank"]), r["callpath"]): (int(r["visits"]), float(r["incl_s"])) for r in rows}
    waited = {}
    for (rank, _, path, pattern), (seconds, instances) in summary.items():
        visits, inclusive = calls[rank, path]
        waited[rank, path] = waited.get((rank, path), 0) + seconds
        assert instances + found[rank, path] <= visits, (rank, path, pattern, instances, found[rank, path], visits)
        assert seconds >= 0 and waited[rank, path] <= inclusive + 1e-9, (rank, path, pattern, seconds, waited, inclusive)
    return {key: count for key, count in found.items() if count != 0}


def same_as_the_trace(mpi, summary, trace, only=None):
    """Compares call path by call path. The summary counts ticks. If two events are less than a nanosecond apart, the
    trace does not know which was first, so the summary may have one more instance, of less than a nanosecond."""
    for key in sorted(set(summary) | set(trace)):
        if only is not None and not only(key):
            continue
        mine, theirs = summary.get(key, (0, 0)), trace.get(key, (0, 0))
        assert mine[1] >= theirs[1], (mpi, key, mine, theirs)
        assert abs(mine[0] - theirs[0]) <= 1e-9 * (mine[1] + 1), (mpi, key, mine, theirs)
