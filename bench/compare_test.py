#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two results are compared row by row: the comparison names rows that became slower by more than they scatter, new rows
and removed rows."""
import json
import pathlib
import subprocess
import sys
import tempfile

COMPARE = pathlib.Path(sys.argv[1]).resolve()


def row(name, low, value, high, unit="x"):
    return {"section": "hooks", "row": name, "unit": unit, "low": low, "value": value, "high": high}


def result(*rows, **more):
    return {"date": "2026-11-23T03:00:00", "commit": "abc1234", "machine": "one", "rows": list(rows), **more}


def compared(before, after):
    """The status and the words of each line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("before.json", "after.json")]
        for path, content in zip(paths, (before, after)):
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        done = subprocess.run([sys.executable, COMPARE, *paths], capture_output=True, text=True, check=False)
    return done.returncode, [line.split() for line in done.stdout.splitlines()], done.stderr


def verdict(before, after):
    status, lines, _ = compared(result(row("leaf", *before)), result(row("leaf", *after)))
    words = next(line for line in lines if line[:1] == ["leaf"])
    return status, words[-1]


def main():
    assert verdict((0.98, 1.0, 1.02), (1.15, 1.2, 1.3)) == (1, "SLOWER")
    assert verdict((1.15, 1.2, 1.3), (0.98, 1.0, 1.02)) == (0, "faster")
    assert verdict((0.9, 1.0, 1.25), (1.15, 1.2, 1.3)) == (0, "x"), "both scatter over the change"
    assert verdict((1.0, 1.0, 1.0), (1.04, 1.04, 1.04)) == (0, "x"), "too little"
    assert verdict((2.0, 2.0, 2.0), (2.2, 2.2, 2.2)) == (1, "SLOWER"), "fastest runs do not scatter"

    gone, come = result(row("gone", 1, 1, 1)), result(row("come", 1, 1, 1), row("nothing", None, None, None))
    status, lines, _ = compared(gone, come)
    assert status == 0 and ["come", "-", "1.00", "x"] in lines and ["gone", "1.00", "-", "x"] in lines, lines
    assert not any("nothing" in line for line in lines), lines

    _, lines, _ = compared(result(quiet=True, busy=False), result(quiet=False, busy=True))
    assert lines[0][-1] == "quiet" and ["NOT", "quiet,", "a", "busy", "neighbour"] == lines[1][-5:], lines[:2]
    assert "different" in lines[2], lines[2]

    for damaged in ("", "[]", "{}", "no json"):
        status, _, said = compared(result(), damaged)
        assert status == 1 and "after.json" in said and said.count("\n") == 1, said
    print("8 comparisons, 4 damaged files")


if __name__ == "__main__":
    main()
