#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The archive that trace_scale makes up is a good one: it has no errors, each message and barrier is matched, and its
waiting follows from its times.

trace_scale_test.py TRACE_SCALE EPK
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

RANKS, MILLION_EVENTS = 40, 0.5


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, timeout=300)


def events_of(epk, archive):
    return [json.loads(line) for line in run(epk, "print", "--format", "json", archive).stdout.splitlines()]


def late_senders(events):
    """How long each rank was in a receive before the message was sent."""
    entered, sends, receives = {}, {}, {}
    for event in events:
        rank = event["rank"]
        if event["event"] == "enter" and event["region"] in ("MPI_Send", "MPI_Recv"):
            entered[rank] = event["time"]
        elif event["event"] == "send":
            sends.setdefault((rank, event["to"]), []).append(entered[rank])
        elif event["event"] == "receive":
            receives.setdefault((event["from"], rank), []).append(entered[rank])
    waited = {}
    for pair, begins in receives.items():
        late = [sent - begin for sent, begin in zip(sends[pair], begins)]
        waited[pair[1]] = waited.get(pair[1], 0) + sum(max(0, one) for one in late)
    return waited


def main():
    trace_scale, epk = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "epik_made_up"
        run(trace_scale, archive, RANKS, MILLION_EVENTS)
        checked = run(epk, "check", archive)
        assert "nothing is wrong" in checked.stdout, checked.stdout
        analyzed = run(epk, "analyze", archive)
        assert analyzed.stderr == "", analyzed.stderr
        told = {}
        for row in csv.DictReader(io.StringIO(run(epk, "report", archive, "--waits", "--format", "csv").stdout)):
            if row["pattern"].startswith("mpi_latesender"):
                told[int(row["rank"])] = told.get(int(row["rank"]), 0) + float(row["seconds"])
        wanted = late_senders(events_of(epk, archive))
        assert len(wanted) == RANKS and max(wanted.values()) > 0, wanted
        for rank, seconds in wanted.items():
            assert abs(told.get(rank, 0) - seconds) < 1e-6, (rank, told.get(rank), seconds)
        print(f"{RANKS} ranks: Late Sender {sum(wanted.values()):.6f} s, as in the events")


if __name__ == "__main__":
    main()
