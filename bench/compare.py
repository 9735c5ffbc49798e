#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two results of `./dev bench`: each row of both, and rows that became slower by more than they scatter.

Without names, compares the two newest results. Status 1 when a row became slower.
"""

import argparse
import json
import pathlib
import sys

KEPT = pathlib.Path(__file__).resolve().parent.parent / ".cache/bench"
LEAST = 0.05  # smaller changes are no news, however little a row scatters


def verdict_of(before, after):
    """'' when the change is within the scatter of both."""
    if min(before["value"], after["value"]) <= 0:
        return ""
    change = after["value"] / before["value"] - 1
    apart = after["low"] > before["high"] or after["high"] < before["low"]
    steady = before["low"] == before["high"] and after["low"] == after["high"]
    if abs(change) < LEAST or not (apart or steady):
        return ""
    return "SLOWER" if change > 0 else "faster"


def pairs_of(before, after):
    """(section, row, unit, its result before or None, its result after or None), in the order of the later one."""
    found = {(row["section"], row["row"]): row for row in before["rows"]}
    for row in after["rows"]:
        yield row["section"], row["row"], row["unit"], found.pop((row["section"], row["row"]), None), row
    for (section, name), row in found.items():
        yield section, name, row["unit"], row, None


def said_of(result):
    quiet = {True: "quiet", False: "NOT quiet", None: "not known whether quiet"}[result.get("quiet")]
    family = result.get("facts", {}).get("family", result.get("machine", "unknown machine"))
    busy = ", a busy neighbour" if result.get("busy") else ""
    return f"{result['commit']} of {result['date']}, {family}, {quiet}{busy}"


def show(before, after):
    """Prints the table; the number of rows that became slower."""
    print(f"before: {said_of(before)}\nafter:  {said_of(after)}")
    if before.get("facts") != after.get("facts") or before.get("busy") != after.get("busy"):
        print("These are different machines or states of one: compare ratios, and those with care.")
    print(f"\n{'':40}{'before':>8}{'after':>8}{'change':>9}")
    section, slower = None, 0
    for name, row, unit, old, new in pairs_of(before, after):
        values = [result["value"] if result else None for result in (old, new)]
        if values == [None, None]:
            continue
        if name != section:
            section = name
            print(section)
        shown = "".join(f"{'-' if value is None else f'{value:.2f}':>8}" for value in values)
        if None in values:
            print(f"  {row:38}{shown}  {unit}")
            continue
        verdict = verdict_of(old, new)
        slower += verdict == "SLOWER"
        change = f"{100 * (values[1] / values[0] - 1):+.0f} %" if values[0] > 0 else "-"
        print(f"  {row:38}{shown}{change:>9}  {unit}  {verdict}".rstrip())
    return slower


def read(path):
    try:
        result = json.loads(path.read_text())
        return result if {"rows", "commit", "date"} <= result.keys() else sys.exit(f"{path}: no result of ./dev bench")
    except (OSError, ValueError, AttributeError) as problem:
        sys.exit(f"{path}: {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", type=pathlib.Path)
    parser.add_argument("after", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    kept = sorted(KEPT.glob("*.json"), key=lambda path: path.stat().st_mtime)
    if options.before and not options.after:
        if not kept:
            parser.error(f"{KEPT} keeps no result to compare with")
        options.after = kept[-1]
    elif not options.before:
        if len(kept) < 2:
            parser.error(f"two results are needed; {KEPT} keeps {len(kept)}")
        options.before, options.after = kept[-2:]
    return 1 if show(read(options.before), read(options.after)) else 0


if __name__ == "__main__":
    sys.exit(main())
