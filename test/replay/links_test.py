#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report names a link on which messages take longer than on the other links. If all links are alike, it names no link."""

import json
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, long, main, mpis, retried, stage  # noqa: E402

PREFIX = stage()
MPIS = mpis()


def links(name, words, slow, source="slow_link.c", arguments=(), library="slow_network.c", trace="comm", groups="ALL"):
    b = Bench(PREFIX, "test/replay/programs")
    b.env.update(EPK_MPI_ENABLED=groups)
    network = b.compile(f"mpicc.{name}", library, ["-O1", "-shared", "-fPIC"], "libnetwork.so", None)
    program = b.compile(f"mpicc.{name}", source, ["-O1", "-g", network], instrument=())
    b.run([b.epk, "run", "-t", trace, f"mpirun.{name}", *words, "-n", 4, program, *arguments],
          env={"SLOW_RANK": "1"} if slow else {})
    archive = b.archives()[0]
    b.run([b.epk, "analyze", archive])
    found = json.loads((archive / "analysis.json").read_text())["slow_links"]
    return found, b.run([b.epk, "report", archive]).out


def test_a_slow_link():
    for name, words in MPIS:
        def check(name=name, words=words):
            found, report = links(name, words, True)
            expect_time([(link["from"], link["to"]) for link in found][:1] == [(1, 2)], f"{name}: {found}")
            expect_time(found and 0.05 <= found[0]["seconds"] <= 0.12, f"{name}: {found}")
            expect_time("rank 1 to rank 2: a message of 1.95 KiB takes" in " ".join(report.split()), report[:2000])
            if found:
                expect(f"{name}: messages", found[0]["messages"], 20)
        retried(check)


@long
def test_a_slow_link_among_several():
    """Messages of two ranks come together: both may be late, unless other calls show that one of them is."""
    for name, words in MPIS:
        for arguments, others in (((), [3]), (("alone",), [])):
            def check(name=name, words=words, arguments=arguments, others=others):
                found, report = links(name, words, True, "slow_exchange.c", arguments)
                expect_time([(link["from"], link["or_from"], link["to"]) for link in found][:1] == [(1, others, 2)],
                            f"{name}: {found}")
                said = "rank 1 or 3 to rank 2: a message" if others else "rank 1 to rank 2: a message"
                expect_time(said in " ".join(report.split()), report[:2000])
            retried(check)


@long
def test_messages_that_are_asked_for_and_calls_that_send_much_too():
    """A call that also sends a large message may have waited for that message. The report still names the slow link."""
    for name, words in MPIS:
        for argument, trace, groups in (("test", "all", "ALL"), ("test", "comm", "ALL,XREQTEST"), ("large", "comm", "ALL")):
            def check(name=name, words=words, argument=argument, trace=trace, groups=groups):
                found, report = links(name, words, True, "slow_polls.c", [argument], "slow_arrival.c", trace, groups)
                expect_time(found and (found[0]["from"], found[0]["to"]) == (1, 2), f"{name} {argument}: {found}")
                expect_time(found and 0.03 <= found[0]["seconds"] <= 0.12, f"{name} {argument}: {found}")
                expect_time("rank 1" in " ".join(report.split()), report[:2000])
                found, report = links(name, words, False, "slow_polls.c", [argument], "slow_arrival.c", trace, groups)
                expect_time("slow link" not in report, f"{name} {argument}: {found}")
            retried(check)


def test_no_slow_link():
    for name, words in MPIS:
        def check(name=name, words=words):
            found, report = links(name, words, False)
            # A rank that has no processor for a while makes a message slow, but not half of a link's.
            expect_time("slow link" not in report, f"{name}: {found}")
        retried(check)


if __name__ == "__main__":
    sys.exit(main(globals()))
