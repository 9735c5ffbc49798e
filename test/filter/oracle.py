# SPDX-License-Identifier: BSD-3-Clause
"""The profile that a selection must give, computed from that of a whole run."""

import collections


def tree(profile):
    """Visits by call path, threads and ranks added up: a tuple of (region, whether it is a function). Without calls of libc
    that had to wait for other threads, which differ from run to run."""
    function = {row["callpath"]: row["role"] == "function" and not row["region"].startswith("MPI_")
                for row in profile.rows}
    counts = collections.Counter()
    for row in profile.rows:
        names = row["callpath"].split(" > ")
        path = tuple((name, function[" > ".join(names[:i + 1])]) for i, name in enumerate(names) if i > 0)
        if path and path[0][0] != "measurement" and not row["region"].startswith("pthread_"):
            counts[path] += int(row["visits"] or 0)
    return counts


def cut(counts, is_out):
    """The visits without the calls that are out. is_out(name, is_function, kept) decides about a call; `kept` is the
    path that is left of its callers."""
    less = collections.Counter()
    for path, visits in counts.items():
        kept, out = [], False
        for name, is_function in path:
            out = is_out(name, is_function, kept)
            if not out:
                kept.append((name, is_function))
        if not out:
            less[tuple(kept)] += visits
    return less


def named(counts):
    return {" > ".join(name for name, _ in path): visits for path, visits in counts.items() if visits}


def check_times(profile):
    """Exclusive times add up to the time of the outermost call paths, on every location."""
    own, whole = collections.Counter(), collections.Counter()
    for row in profile.rows:
        place = row["rank"], row["thread"]
        own[place] += float(row["excl_s"] or 0)
        if " > " not in row["callpath"]:
            whole[place] += float(row["incl_s"] or 0)
    for place, seconds in whole.items():
        assert abs(own[place] - seconds) <= 1e-6 + 1e-6 * seconds, f"{place}: {own[place]} of {seconds}"
        assert min(float(row["excl_s"] or 0) for row in profile.rows) >= 0, "negative time"
