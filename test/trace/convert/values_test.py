#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of a program with their units and signs, in the text report and in the formats of other tools."""

import pathlib
import re
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, main, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/convert/programs").resolve()
PREFIX = stage()


def bench(source):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(EPK_TRACE="all")
    program = b.compile("gcc", source, ["-O1", "-g", "-finstrument-functions", "-pthread"], instrument=("--user",))
    b.run([b.epk, "run", program])
    (archive,) = b.archives()
    return b, archive


B, ARCHIVE = bench("values.c")


def paraver_values(stem):
    """The values of each type of event, by its label; and the states of each thread."""
    labels = dict(re.findall(r"^7 +(\d+) +(.+)$", pathlib.Path(f"{stem}.pcf").read_text(), re.M))
    values = {label: [] for label in labels.values()}
    for line in pathlib.Path(f"{stem}.prv").read_text().splitlines():
        kind, *fields = line.split(":")
        if kind == "2":
            for label, value in zip(fields[5::2], fields[6::2]):
                if label in labels:
                    values[labels[label]].append(int(value))
    return values


def test_paraver_keeps_fractions_and_signs():
    stem = B.folder / "values"
    said = B.run([B.epk, "convert", ARCHIVE, "--to", "paraver", "-o", f"{stem}.prv"]).err
    values = paraver_values(stem)
    expect("values", {label: sorted(found) for label, found in values.items()}, {
        "residual [1] x 1000000": [333333, 333333, 500000, 500000, 1000000, 1000000],
        "steps [#]": [1, 1, 2, 2, 3, 3],
        "read [bytes]": [4096] * 6,
        "temp [K] x 1000": [-3500, -3500],
    })
    assert "values of temp are written times 1000" in said and "residual are written times 1000000" in said, said
    # The records that Paraver has no place for are named: the thread was created, began, ended and was joined.
    (left_out,) = [line for line in said.splitlines() if "left out" in line]
    total, kinds = re.search(r"left out: (\d+) records that are not written to Paraver: (.*)", left_out).groups()
    expect("sum", sum(int(word.split()[0]) for word in kinds.split(", ")), int(total))
    assert "thread" in kinds, left_out


def test_paraver_has_each_name_in_one_line():
    b, archive = bench("lines.c")
    stem = b.folder / "lines"
    b.run([b.epk, "convert", archive, "--to", "paraver", "-o", f"{stem}.prv"])
    text = pathlib.Path(f"{stem}.pcf").read_text()
    expect("labels", sorted(re.findall(r"^7 +\d+ +(.+)$", text, re.M)), ["more lines", "two lines [a b]"])
    expect("values", paraver_values(stem)["two lines [a b]"], [3])
    expect("rest of a name", re.findall(r"^lines.*$|^b\].*$", text, re.M), [])


def test_perfetto_has_the_units():
    B.run([B.epk, "convert", ARCHIVE, "--to", "perfetto", "-o", "values.pftrace"])
    trace = (B.folder / "values.pftrace").read_bytes()
    # A track: its name (field 2), then its counter (field 8) with the name of a unit (6), or the number of one (3).
    for name, counter in ((b"temp", b"\x32\x01K"), (b"steps", b"\x18\x02"), (b"read", b"\x18\x03"),
                          (b"residual", b"\x32\x011")):
        track = bytes([0x12, len(name)]) + name + bytes([0x42, len(counter)]) + counter
        assert track in trace, name


def test_counters_have_units_and_only_the_threads_that_have_them():
    text = B.run([B.epk, "report", ARCHIVE, "--counters"], env={"COLUMNS": "200"}).out
    rows = {line.split()[-1]: line for line in text.splitlines() if line.split()}
    temp = rows["temp"].split()
    expect("temp", (temp[0], temp[1], temp[2], temp[-2]), ("-7", "-7", "-7", "K"))
    assert "0:0" in rows["temp"], rows["temp"]
    expect("steps", (rows["steps"].split()[0], rows["steps"].split()[-2]), ("12", "#"))
    assert any(line.startswith("temp, K") for line in text.splitlines()), text


def test_otf2_says_why_it_cannot_be_written():
    (B.folder / "a file").write_text("")
    refused = B.run([B.epk, "convert", ARCHIVE, "--to", "otf2", "-o", B.folder / "a file" / "otf2"], check=False)
    expect("status", refused.status, 1)
    assert "OTF2 cannot be written: " in refused.err and "data was processed" not in refused.err, refused.err


def test_a_time_that_ends_before_it_begins():
    refused = B.run([B.epk, "convert", ARCHIVE, "--to", "chrome", "--time", "2-1"], check=False)
    expect("status", refused.status, 2)
    assert "--time 2-1: TO is not after FROM" in refused.err, refused.err


def test_a_mean_is_not_above_the_maximum():
    """The time of a thread is below `main`, which created it, but belongs to no visit of `main`."""
    text = B.run([B.epk, "report", ARCHIVE, "--flat", "--format", "text"], env={"COLUMNS": "200"}).out
    head = next(line for line in text.splitlines() if "per visit" in line and "region" in line)
    row = next(line for line in text.splitlines() if line.split()[-1:] == ["main"])
    shown = [row[:head.index(name) + len(name)].rsplit("  ", 1)[-1].strip() for name in ("per visit", "min", "max")]
    expect("one visit", len(set(shown)), 1)


if __name__ == "__main__":
    sys.exit(main(globals()))
