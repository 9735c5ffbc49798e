#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that does not end is named with its children, and none of them is left."""

import pathlib
import sys

sys.path.insert(0, "test/harness")
import ending  # noqa: E402
from cases import main  # noqa: E402


def test_what_ends():
    process = ending.run(["sh", "-c", "echo out; echo err >&2; exit 3"], 60)
    assert (process.returncode, process.stdout, process.stderr) == (3, "out\n", "err\n"), process


def test_what_does_not_end():
    try:
        ending.run(["sh", "-c", "sleep 987 & sleep 986; true"], 1)
    except AssertionError as failure:
        text = str(failure)
    else:
        raise AssertionError("it ended")
    assert "did not end within 1 s" in text and ": sleep 986" in text and ": sleep 987" in text, text
    for line in text.splitlines():
        if line.startswith("process ") and "sleep" in line:
            state = pathlib.Path("/proc") / line.split()[1].rstrip(":") / "stat"
            assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z", line


if __name__ == "__main__":
    sys.exit(main([test_what_ends, test_what_does_not_end]))
