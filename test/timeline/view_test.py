#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`epk view`: its drawing holds the calls, messages and waits of the trace, and its server answers only its own
page."""

import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, main, retried, stage  # noqa: E402

PREFIX = stage()
PROGRAMS = pathlib.Path("test/timeline/programs").resolve()
MPI = next((name for name in ("openmpi", "mpich") if shutil.which(f"mpirun.{name}")), None)
RANKS = 3
WORK_NS = 50_000_000


@functools.lru_cache
def traced(trace="all"):
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{MPI}", "ring.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
    words = ["--oversubscribe"] if MPI == "openmpi" else []
    b.run([b.epk, "run", "-t", trace, f"mpirun.{MPI}", *words, "-n", RANKS, program])
    made = b.archives()
    expect("archives", len(made), 1)
    return b, made[0]


def expect_work(ns, *what):
    """The time is that of the program's work. Where others had the processor meanwhile, the program runs again."""
    if ns <= 0.8 * WORK_NS:
        traced.cache_clear()
    expect_time(ns > 0.8 * WORK_NS, ns, *what)


def drawing(b, archive, *words):
    """The output of --export, which is the same as its file."""
    out = b.run([b.epk, "view", archive, "--export", b.folder / "tiles.json", *words]).out
    expect("the file", (b.folder / "tiles.json").read_text(), out)
    return json.loads(out)


def printed_calls(b, archive, end):
    """(rank, region, enter, leave, depth) from `epk print`, in nanoseconds. Calls that are open at the end leave
    then."""
    calls, open_frames = [], {}
    for line in b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines():
        event = json.loads(line)
        stack = open_frames.setdefault((event["rank"], event["thread"]), [])
        ns = round(event["time"] * 1e9)
        if event["event"] == "enter":
            stack.append((event["region"], ns, len(stack)))
        elif event["event"] == "exit" and stack:
            region, enter, depth = stack.pop()
            calls.append((event["rank"], region, enter, ns, depth))
    return calls + [(rank, region, enter, end, depth) for (rank, _), stack in open_frames.items()
                    for region, enter, depth in stack]


def drawn_calls(tiles):
    names = [name for name, _ in tiles["regions"]]
    return [(row["rank"], names[tiles["paths"][path][0]], enter, leave, depth)
            for row in tiles["rows"] for enter, leave, depth, path in row["calls"] or []]


def close(one, other):
    """Times that are printed have nanoseconds; rounding may differ by one."""
    return one[:2] == other[:2] and one[4] == other[4] and abs(one[2] - other[2]) <= 2 and abs(one[3] - other[3]) <= 2


def test_drawn_is_printed():
    b, archive = traced()
    tiles = drawing(b, archive, "--bins", "200")
    expect("format", (tiles["format"], tiles["version"]), ("epik-timeline", 1))
    expect("bins", tiles["bins"], len(tiles["rows"][0]["shares"]))
    wanted, found = sorted(printed_calls(b, archive, tiles["whole_ns"][1])), sorted(drawn_calls(tiles))
    expect("calls", len(found), len(wanted))
    for one, other in zip(found, wanted):
        assert close(one, other), f"drawn {one}, printed {other}"
    # A part of it: the same calls, cut at its ends.
    begin, end = tiles["whole_ns"]
    part = (begin + (end - begin) // 3, begin + (end - begin) // 2)
    some = drawing(b, archive, "--from", f"{part[0]}ns", "--to", f"{part[1]}ns", "--bins", "50")
    for bins in range(40, 60):
        tiles = drawing(b, archive, "--from", f"{part[0]}ns", "--to", f"{end - bins}ns", "--bins", bins)
        expect("bins of each row", {len(row["shares"]) for row in tiles["rows"]}, {tiles["bins"]})
    cut = sorted((rank, name, max(enter, part[0]), min(leave, some["to_ns"]), depth)
                 for rank, name, enter, leave, depth in wanted if leave > part[0] and enter < some["to_ns"])
    found = sorted(drawn_calls(some))
    expect("calls of the part", len(found), len(cut))
    for one, other in zip(found, cut):
        assert close(one, other), f"drawn {one}, printed {other}"


def uncut(tiles):
    """The drawing, its calls with the times at which they began and ended."""
    for row in tiles["rows"]:
        for index, enter, leave in row["cut"]:
            call = row["calls"][index]
            assert (enter, leave) != (call[0], call[1]), call
            assert enter <= call[0] and call[1] <= leave, (call, enter, leave)
            row["calls"][index] = [enter, leave, *call[2:]]
    return tiles


def check_cut_calls(b, archive, parts):
    """Calls that reach out of a stretch have the times that `epk print` has, however far away their ends are."""
    begin, end = drawing(b, archive, "--bins", "1")["whole_ns"]
    printed = printed_calls(b, archive, end)
    seen = 0
    for part in range(parts):
        length = (end - begin) // 3 ** (part % 9 + 1)
        since = begin + (end - begin - length) * part // parts
        tiles = uncut(drawing(b, archive, "--from", f"{since}ns", "--to", f"{since + length}ns", "--bins", "50"))
        if any(row["calls"] is None for row in tiles["rows"]):
            continue
        seen += sum(len(row["cut"]) for row in tiles["rows"])
        # At a nanosecond that is both an end of the stretch and one of a call, rounding may decide otherwise.
        wanted = sorted(call for call in printed if call[3] > since + 2 and call[2] < since + length - 2)
        found = sorted(call for call in drawn_calls(tiles) if call[3] > since + 2 and call[2] < since + length - 2)
        expect("calls of the part", len(found), len(wanted))
        for one, other in zip(found, wanted):
            # A call that is open at the end of the trace lasts until the process ends.
            is_open = other[3] == end and one[3] >= end
            assert close(one, other) or (is_open and abs(one[2] - other[2]) <= 2), f"drawn {one}, printed {other}"
    assert seen > parts, seen


def test_cut_calls_have_their_own_times():
    b, archive = traced()
    check_cut_calls(b, archive, 40)
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "deep.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
    b.run([b.epk, "run", "-t", "all", program])
    (archive,) = b.archives()
    check_cut_calls(b, archive, 60)


def test_nothing_is_drawn_behind_the_end():
    b, archive = traced()
    end = drawing(b, archive, "--bins", "1")["whole_ns"][1]
    whole = drawing(b, archive, "--bins", "50")
    far = drawing(b, archive, "--to", f"{end + 3_000_000_000}ns", "--bins", "50")
    last = max(leave for *_, leave, _ in drawn_calls(far))
    assert last <= end + 1_000_000_000, (last, end)
    expect("as many calls", len(drawn_calls(far)), len(drawn_calls(whole)))
    for row in far["rows"]:
        expect("no time behind the end", [row["shares"][bin] for bin in range(40, 50)], [[]] * 10)
    behind = drawing(b, archive, "--from", f"{end + 2_000_000_000}ns", "--to", f"{end + 3_000_000_000}ns", "--bins", "50")
    expect("no calls behind the end", (drawn_calls(behind), behind["left_out"]), ([], []))


def test_bins_hold_the_time():
    b, archive = traced()
    tiles = drawing(b, archive, "--bins", "1000")
    kinds = [kind["key"] for kind in tiles["kinds"]]
    names = [name for name, _ in tiles["regions"]]
    for row in tiles["rows"]:
        spent = dict.fromkeys(kinds, 0.0)
        for shares in row["shares"]:
            assert sum(shares[1::2]) < 1.01
            for kind, share in zip(shares[::2], shares[1::2]):
                spent[kinds[kind]] += share * tiles["bin_ns"]
        # The barrier of each row, from its calls.
        barrier = sum(leave - enter for enter, leave, _, path in row["calls"]
                      if names[tiles["paths"][path][0]] == "MPI_Barrier")
        assert abs(spent["sync"] - barrier) <= 0.02 * barrier + 3 * tiles["bin_ns"], (spent["sync"], barrier)


def check_waits():
    b, archive = traced("comm")
    tiles = drawing(b, archive)
    row_of = {row["rank"]: index for index, row in enumerate(tiles["rows"])}
    late = [wait for wait in tiles["waits"]["list"] if wait[3] == "mpi_latesender"]
    expect("late senders", len(late), 3)
    for row, begin, end, _, cause, caused in late:
        expect("who waits for whom", (row, cause), (row_of[1], row_of[0]))
        assert caused <= end, (caused, end)
        expect_work(end - begin, late)
    barriers = [wait for wait in tiles["waits"]["list"] if wait[3] == "mpi_barrier_wait" and wait[0] == row_of[2]]
    expect("rank 2 at the barrier", len(barriers), 3)
    messages = tiles["messages"]["list"]
    expect("messages", [(m[0], m[2], m[4], m[5]) for m in messages], [(row_of[0], row_of[1], 4, 5)] * 3)
    for message in messages:
        assert message[1] <= message[3], message
    expect("collectives", sum(each[0] == "MPI_Barrier" for each in tiles["collectives"]), 3)
    # The second start reads the file of the first.
    kept = (archive / "timeline.epk").stat().st_mtime_ns
    expect("again", drawing(b, archive), tiles)
    expect("timeline.epk", (archive / "timeline.epk").stat().st_mtime_ns, kept)
    # Damaged, it is made again.
    (archive / "timeline.epk").write_bytes(b"EPIKTML\n" + os.urandom(2000))
    expect("made again", drawing(b, archive), tiles)


def test_waits_and_their_causes():
    retried(check_waits)


def test_waits_are_counted_as_in_the_report():
    """A call that waits for several holders of a lock waits once. Patterns with few waits are drawn, too."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "locks.c", ["-O1", "-g", "-pthread", "-finstrument-functions"], instrument=None)
    b.run([b.epk, "run", "-t", "all", program])
    (archive,) = b.archives()
    b.run([b.epk, "analyze", archive])
    tiles = drawing(b, archive)
    labels = dict(tiles["patterns"])
    found = {labels[pattern]: (ns / 1e9, waits) for pattern, ns, waits in tiles["waiting"]["list"]}
    report = json.loads(b.run([b.epk, "report", archive, "--waits", "--format", "json"]).out)
    wanted = {row["pattern"]: (row["seconds"], row["instances"]) for row in report["patterns"]}
    expect("times", {name: waits for name, (_, waits) in found.items()}, {name: waits for name, (_, waits) in wanted.items()})
    for name, (seconds, _) in wanted.items():
        assert abs(found[name][0] - seconds) <= 0.01 * seconds + 1e-6, (name, found, wanted)
    waits = tiles["waits"]
    expect("a sample", waits["one_of"] > 1, True)
    expect("each pattern is drawn", {labels[wait[3]] for wait in waits["list"]}, set(wanted))
    expect("of a part", sum(count for *_, count in drawing(b, archive, "--to", "1ns")["waiting"]["list"]), 0)


def check_critical_path():
    b, archive = traced("comm")
    tiles = drawing(b, archive)
    row_of = {row["rank"]: index for index, row in enumerate(tiles["rows"])}
    path = tiles["critical"]
    for one, other in zip(path, path[1:]):
        expect("no hole", one[2], other[1])
    at_work = sum(to - begin for row, begin, to in path if row == row_of[0])
    expect_work(at_work / 3, path)
    # A part of it is cut at the ends of the stretch.
    begin, end = tiles["whole_ns"]
    part = drawing(b, archive, "--from", f"{begin + (end - begin) // 3}ns", "--to", f"{end - (end - begin) // 3}ns")
    for _, since, until in part["critical"]:
        assert part["from_ns"] <= since <= until <= part["to_ns"]
    longest = tiles["longest"]
    expect("longest first", longest, sorted(longest, key=lambda wait: wait[1] - wait[2]))
    late = next(wait for wait in longest if wait[3] == "mpi_latesender")
    expect("who is late", late[4], row_of[0])
    expect_work(late[2] - late[1], longest)
    expect("its call", tiles["regions"][tiles["paths"][late[6]][0]][0], "MPI_Recv")


def test_the_critical_path_goes_where_the_work_is():
    retried(check_critical_path)


def test_marks_and_curves():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "marks.c", ["-O1", "-g"])
    b.run([b.epk, "run", "-t", "all", program])
    b.run([b.epk, "run", "-t", "all", program, "die"], check=False)
    ended, killed = sorted(b.archives(), key=lambda path: path.name.endswith(".unfinished"))
    tiles = drawing(b, ended)
    (curve,) = tiles["curves"]
    expect("the metric", (curve["row"], curve["name"], curve["unit"], len(curve["points"])), (0, "residual", "m", 200))
    expect("its values", [point[3] for point in curve["points"]], [1000 - i for i in range(200)])
    off = [marker for marker in tiles["markers"] if marker[3] == "off"]
    expect("switched off", len(off), 1)
    assert 29e6 < off[0][2] - off[0][1] < 2e9, off
    expect("flushes", sum(marker[3] == "flush" for marker in tiles["markers"]) > 0, True)
    expect("it ended by itself", [marker for marker in tiles["markers"] if marker[3] == "died"], [])
    if killed.name.endswith(".unfinished"):
        b.run([b.epk, "recover", killed])
        (killed,) = [path for path in b.archives() if path != ended]
    tiles = drawing(b, killed)
    expect("it died", [marker[3] for marker in tiles["markers"] if marker[3] == "died"], ["died"])


def test_calls_are_found_in_the_whole_run_and_two_archives_stand_together():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "marks.c", ["-O1", "-g"])
    for title in ("before", "after"):
        b.run([b.epk, "run", "-t", "all", "--title", title, program])
    after, before = b.archives()
    make_page()
    calls = {path: [call for call in drawn_calls(drawing(b, path)) if call[1] in ("Rare", "Often")] for path in (before, after)}
    server = subprocess.Popen([b.epk, "view", str(before), str(after), "--align", "Rare", "--no-browser"], env=b.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        base, token = server.stdout.readline().strip().split("/?token=")

        def answer(question):
            status, body = ask(f"{base}/{question}&token={token}")
            expect(question, status, 200)
            return json.loads(body)
        rare = {path: next(call for call in calls[path] if call[1] == "Rare") for path in calls}
        sides = answer("sides?a=b")
        expect("names", [side["name"] for side in sides], [before.name, after.name])
        shift = rare[before][2] - rare[after][2]
        assert abs(sides[1]["shift_ns"] - shift) <= 2 and sides[0]["shift_ns"] == 0, (sides, shift)
        for side, path in enumerate((before, after)):
            found = answer(f"find?side={side}&region=rare&from_ns=0")
            expect("Rare", (found["region"], abs(found["enter"] - rare[path][2]) <= 2, abs(found["leave"] - rare[path][3]) <= 2),
                   ("Rare", True, True))
        # From one to the next, and back again.
        enters, at = [], -1
        for _ in range(5):
            at = answer(f"find?side=0&region=Oft%3Fn&from_ns={at}")["enter"]
            enters.append(at)
        wanted = sorted(call[2] for call in calls[before] if call[1] == "Often")[:5]
        for one, other in zip(enters, wanted):
            assert abs(one - other) <= 2, (enters, wanted)
        expect("back", answer(f"find?side=0&region=often&from_ns={at}&back=1")["enter"], enters[3])
        expect("none before the first", answer(f"find?side=0&region=often&from_ns={enters[0]}&back=1")["column"], -1)
        expect("no such region", answer("find?side=0&region=nowhere&from_ns=0")["column"], -1)
        expect("no third archive", ask(f"{base}/tiles?side=2&token={token}")[0], 404)
    finally:
        server.kill()
        server.wait()


def ask(url, headers=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {}), timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def make_page():
    page = PREFIX / "share/epik/report.html"
    if not page.exists():  # the page comes from npm, which these tests do not need
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("<script>EPIK-DATA-HERE</script>")


def test_the_server():
    b, archive = traced("comm")
    make_page()
    for end in (signal.SIGINT, signal.SIGTERM):
        server = subprocess.Popen([b.epk, "view", str(archive), "--no-browser", "--port", "0"], env=b.env,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), url
            base, token = url.split("/?token=")
            status, body = ask(url)
            expect("the page", (status, b'id="epik-timeline"' in body), (200, True))
            status, body = ask(f"{base}/tiles?bins=20&token={token}")
            expect("tiles", (status, json.loads(body)["bins"] <= 20), (200, True))
            for numbers in ("from_ns=-9223372036854775808&to_ns=9223372036854775807&bins=99999999999", "from_ns=x&bins=-1"):
                expect(numbers, ask(f"{base}/tiles?{numbers}&token={token}")[0], 200)
            expect("without the token", ask(base + "/")[0], 403)
            expect("with another one", ask(f"{base}/tiles?token={token[::-1]}")[0], 403)
            expect("another site", ask(url, {"Origin": "http://evil.example"})[0], 403)
            expect("another name", ask(url, {"Host": "evil.example"})[0], 403)
            expect("nothing there", ask(f"{base}/etc/passwd?token={token}")[0], 404)
            port = int(base.rsplit(":", 1)[1])
            with socket.socket() as other:
                other.settimeout(5)
                assert other.connect_ex(("127.0.0.2", port)) != 0, "it listens on more than the loopback address"
            server.send_signal(end)
            expect("its end", server.wait(timeout=30), 0)
        finally:
            server.kill()
            server.wait()


def test_the_browser_gets_the_address_in_private():
    """All users can read the arguments of a command, so they hold no token; the file that they name is the owner's."""
    b, archive = traced("comm")
    make_page()
    told = b.folder / "told"
    browser = b.folder / "browser/xdg-open"
    browser.parent.mkdir()
    browser.write_text(f'#!/bin/sh\n{{ echo "$*"; stat -c %a "$1"; cat "$1"; }} >{told}.part; mv {told}.part {told}\n')
    browser.chmod(0o755)
    env = {**b.env, "DISPLAY": ":0", "PATH": f"{browser.parent}:{b.env['PATH']}"}
    server = subprocess.Popen([b.epk, "view", str(archive)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
    try:
        url = server.stdout.readline().strip()
        for _ in range(600):
            if told.exists():
                break
            time.sleep(0.1)
        words, rights, *way = told.read_text().splitlines()
        token = url.split("token=")[1]
        assert token not in words and words.endswith(".html"), words
        expect("rights", rights, "600")
        assert f'url={url}"' in "".join(way), way
        server.send_signal(signal.SIGTERM)
        expect("its end", server.wait(timeout=30), 0)
        assert not pathlib.Path(words).exists(), words
    finally:
        server.kill()
        server.wait()


def test_what_is_wrong_is_said():
    b, archive = traced("comm")
    for words, wanted in ((["--export", "-", "--from", "2", "--to", "1"], "--to is not after --from"),
                          (["--export", "-", "--from", "1000"], "--from 1000: the trace ends at "),
                          (["--export", "-", "--from", "soon"], "--from soon"), (["--bins", "5"], "--export"),
                          (["--align", "Step"], "--align needs two archives"),
                          ([archive, "--export", "-"], "--export writes one archive")):
        result = b.run([b.epk, "view", archive, *words], check=False)
        expect(words, (result.status, wanted in result.err), (2, True))
    result = b.run([b.epk, "view", b.folder], check=False)
    expect("no archive", result.status, 1)


if __name__ == "__main__":
    if MPI is None:
        from cases import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
