#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of real runs: the profile of each is the summary, a second reader sees the same, and a kill loses no
events."""

import csv
import io
import json
import pathlib
import sys

sys.path.insert(0, "test/user")
sys.path.insert(0, "test/trace")
import elg  # noqa: E402
from harness import Bench, Profile, expect, long, main, mpis, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/programs").resolve()
FORMATS = pathlib.Path("docs/formats.md").resolve()
PREFIX = stage()
ALL = {"EPK_TRACE": "all"}
FLAGS = ["-O1", "-g", "-finstrument-functions", "-pthread"]
MPIS = mpis()


def bench():
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(ALL)
    return b


def compiled(b, source, compiler="gcc", flags=(), output=None):
    return b.compile(compiler, source, [*FLAGS, *flags], instrument=None, output=output)


def traced(b, *words, env=None, check=True):
    """The archive of a run."""
    before = set(b.archives())
    b.run([b.epk, "run", *words], env=env, check=check)
    made = [a for a in b.archives() if a not in before]
    assert len(made) == 1, f"archives of {words}: {made}"
    return made[0]


def whole(b, archive):
    """The trace is in order and its profile is the summary."""
    result = b.run([b.epk, "check", archive, "--trace-vs-summary"], check=False)
    assert result.status == 0, f"{archive.name}: {result.out}{result.err}"
    compared = [line for line in result.out.splitlines() if "values compared" in line]
    assert len(compared) == 1 and int(compared[0].split()[3]) > 0, result.out


def info(b, archive):
    return json.loads(b.run([b.epk, "info", archive, "--format", "json"]).out)


def printed(b, archive, *words):
    out = b.run([b.epk, "print", archive, "--format", "json", *words]).out
    return [json.loads(line) for line in out.splitlines()]


def visits(b, archive):
    report = json.loads(b.run([b.epk, "report", archive, "--format", "json"]).out)
    return int(sum(sum(values["value"]) for values in report["values"] if values["metric"] == "visits"))


def test_a_serial_program():
    b = bench()
    for compiler in ("gcc", "clang"):
        archive = traced(b, compiled(b, "tree.c", compiler), 3000)
        expect("name", archive.name.split(".")[0], "epik_tree_1x1_trace")
        whole(b, archive)
        facts = info(b, archive)
        manifest = json.loads((archive / "manifest.json").read_text())
        expect("events", facts["events"], manifest["trace"]["events"])
        enters = facts["by_kind"]["enter"]
        expect("enters", enters, visits(b, archive))
        assert enters - facts["by_kind"]["exit"] <= 1, facts  # the program itself is open to the end
        assert facts["bytes"] < 2 * facts["events"], facts


def what_flushes_cost(b, archive):
    """The report names it beside the cost of events."""
    manifest = json.loads((archive / "manifest.json").read_text())
    rows = Profile(b, archive).rows
    own = sum(float(row["incl_s"]) for row in rows if row["region"] == "measurement")
    assert own > 0 and abs(manifest["own_seconds"] - own) < 1e-6 + 1e-6 * own, (manifest["own_seconds"], own)
    events = manifest["events"] / 2 * manifest["pair_cost_ns"] * 1e-9
    assert abs(manifest["cost_seconds"] - events) < 1e-9, manifest
    assert manifest["wall_without_seconds"] < manifest["wall_seconds"] - own / len({row["thread"] for row in rows})
    assert "; starting and flushes of the trace " in " ".join(b.run([b.epk, "report", archive]).out.split())


def a_window_within_a_flush(b, archive):
    """The part of the flush within the window counts, and not the time before."""
    times = [e["time"] for e in printed(b, archive, "--thread", "0") if e["event"].startswith("flush ")]
    begin, end = times[0], times[1]
    window = f"{(begin + end) / 2:.9f}-{end + 1e-9:.9f}"
    out = b.run([b.epk, "info", archive, "--thread", "0", "--time", window, "--format", "json"]).out
    expect("flushes", json.loads(out)["flushes"], 1)
    assert abs(json.loads(out)["flush_s"] - (end - begin) / 2) < 1e-7, (begin, end, out)


def test_threads_and_flushes():
    b = bench()
    program = compiled(b, "tree.c")
    for threads in (2, 4):
        archive = traced(b, program, 4000, threads, env={"ELG_BUFFER_SIZE": "64k"})
        whole(b, archive)
        facts = info(b, archive)
        expect("threads", sum(rank["threads"] for rank in facts["by_rank"]), threads)
        assert facts["flushes"] > 0 and facts["gaps"] == 0, facts
        expect("flush begins", facts["by_kind"]["flush begin"], facts["flushes"])
        a_window_within_a_flush(b, archive)
        manifest = json.loads((archive / "manifest.json").read_text())["trace"]
        assert manifest["flushes"] > 0 and manifest["lost"] == 0, manifest
        what_flushes_cost(b, archive)


def test_a_buffer_is_as_large_as_was_asked_for():
    b = bench()
    program = compiled(b, "tree.c")
    flushes = {size: info(b, traced(b, program, 10000, env={"ELG_BUFFER_SIZE": size}))["flushes"]
               for size in ("64k", "100k", "256k", "512k")}
    # The first chunk of a buffer has 64 KiB, each chunk whole pieces of 16 KiB.
    for size, times in (("100k", 100 / 64), ("256k", 4), ("512k", 8)):
        ratio = flushes["64k"] / flushes[size]
        assert 0.85 * times < ratio < 1.3 * times, (size, times, flushes)


def test_every_level_says_the_same():
    b = bench()
    program = compiled(b, "tree.c")
    sizes = []
    for level in (0, 1, 9):
        archive = traced(b, program, 2000, env={"ELG_COMPRESSION": str(level)})
        whole(b, archive)
        sizes.append(info(b, archive)["bytes"])
    assert sizes[0] > 2 * max(sizes[1:]), sizes  # of three runs, whose times differ


def test_openmp():
    b = bench()
    for compiler in ("gcc", "clang"):
        archive = traced(b, compiled(b, "team.c", compiler, ["-fopenmp"]), env={"OMP_NUM_THREADS": "3"})
        whole(b, archive)
        regions = {event["region"] for event in printed(b, archive) if event["event"] == "enter"}
        assert any("critical" in region for region in regions), regions


def test_a_flush_between_two_parallel_regions_is_no_work():
    b = bench()
    for compiler in ("gcc", "clang"):
        program = compiled(b, "regions.c", compiler, ["-fopenmp"])
        archive = traced(b, program, 6000, env={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
                                                    "ELG_BUFFER_SIZE": "64k"})
        whole(b, archive)
        flushes = json.loads((archive / "manifest.json").read_text())["trace"]["flushes"]
        told = info(b, archive)["by_kind"]["flush begin"]
        assert flushes > 8 and told == flushes, (compiler, flushes, told)


def test_a_flush_at_the_end_of_a_thread_is_told():
    """Each thread does next to nothing, so that many buffers are full just when one ends."""
    b = bench()
    for kind, threads, compiler in (("alone", 4000, "gcc"), ("pool", 2000, "gcc"), ("pool", 2000, "clang")):
        program = compiled(b, "brief.c", compiler, ["-fopenmp"])
        archive = traced(b, program, kind, threads, env={"ELG_BUFFER_SIZE": "64k", "OMP_WAIT_POLICY": "passive"})
        whole(b, archive)
        flushes = json.loads((archive / "manifest.json").read_text())["trace"]["flushes"]
        told = info(b, archive)["by_kind"]["flush begin"]
        assert flushes > 2 and told == flushes, (kind, compiler, flushes, told)


def test_mpi():
    for name, words in MPIS:
        for ranks, threads in ((1, 1), (2, 2), (4, 1)):
            b = bench()
            flags = ["-fopenmp"] if threads > 1 else []
            program = compiled(b, "ring.c", f"mpicc.{name}", flags)
            archive = traced(b, f"mpirun.{name}", *words, "-n", ranks, program,
                             env={"OMP_NUM_THREADS": str(threads)})
            expect("name", archive.name.split("_")[-1], "trace")
            whole(b, archive)
            facts = info(b, archive)
            expect("ranks", [rank["rank"] for rank in facts["by_rank"]], list(range(ranks)))
            events = printed(b, archive)
            times = [event["time"] for event in events]
            expect("order", times, sorted(times))


def test_a_second_reader_sees_the_same():
    b = bench()
    archives = [traced(b, compiled(b, "tree.c"), 500, 3)]
    if MPIS:
        name, words = MPIS[0]
        archives.append(traced(b, f"mpirun.{name}", *words, "-n", 2, compiled(b, "ring.c", f"mpicc.{name}")))
    for archive in archives:
        streams = elg.read(archive, FORMATS)
        events = printed(b, archive)
        expect("events", sum(map(len, streams.values())), len(events))
        at = dict.fromkeys(streams, 0)
        for event in events:
            key = event["rank"], event["thread"]
            seconds, what, region, depth, fields = streams[key][at[key]]
            at[key] += 1
            expect("event", (event["event"], event.get("region"), event["depth"]), (what, region, depth))
            assert abs(seconds - event["time"]) < 2e-9, (seconds, event)
            for field, value in fields.items():
                if isinstance(event[field], int):
                    expect(field, event[field], value)


def test_a_part_of_a_trace():
    b = bench()
    archive = traced(b, compiled(b, "tree.c"), 2000, 3)
    events = printed(b, archive)
    begin, end = events[len(events) * 2 // 5]["time"], events[len(events) // 2]["time"]
    window = printed(b, archive, "--time", f"{begin:.9f}-{end:.9f}")
    inside = [e for e in events if begin + 2e-9 < e["time"] < end - 2e-9]
    assert inside and [e for e in window if begin + 2e-9 < e["time"] < end - 2e-9] == inside
    expect("a thread", printed(b, archive, "--thread", "1"), [e for e in events if e["thread"] == 1])
    expect("regions", printed(b, archive, "--region", "F?b"), [e for e in events if e.get("region") == "Fib"])
    text = b.run([b.epk, "print", archive, "--thread", "0", "--top", "5"]).out.splitlines()
    expect("lines", len(text), 5)
    assert "0:0" in text[0] and "> " in text[0], text


def test_a_profile_from_the_trace():
    b = bench()
    program = compiled(b, "tree.c")
    archive = traced(b, program, 1000, env={"EPK_SUMMARY": "no"})
    assert not (archive / "summary.cubex").exists()
    with_summary = traced(b, program, 1000)
    said = "EPK_SUMMARY=no: reports see only what was logged"
    for trace, wanted in (("all", False), ("slow:1s", True)):
        err = b.run([b.epk, "run", program, 1000], env={"EPK_SUMMARY": "no", "EPK_TRACE": trace}).err
        expect(f"said with {trace}", said in err, wanted)
    expect("visits", visits(b, archive), visits(b, with_summary))
    report = b.run([b.epk, "report", archive]).out
    assert "Fib" in report, report


def test_a_killed_run_is_recovered():
    b = bench()
    program = compiled(b, "tree.c")
    for end in ("kill", "segv"):
        for buffer in ("64k", "16M"):
            b.run([b.epk, "run", program, 2000, 2, end], env={"ELG_BUFFER_SIZE": buffer}, check=False)
            left = [a for a in b.archives() if a.name.endswith(".unfinished")]
            if left:
                b.run([b.epk, "recover", left[0]])
            archive = max((a for a in b.archives() if not a.name.endswith(".unfinished")),
                          key=lambda a: a.stat().st_mtime_ns)
            whole(b, archive)
            ended = json.loads((archive / "manifest.json").read_text())["ended"]
            assert ended in ("killed", "signal"), ended


def recovered_in(b, folder):
    """Kilobytes at most."""
    out = b.run(["python3", "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
                 "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", b.epk, "recover", folder]).out
    return int(out.split()[-1])


@long
def test_recovery_of_many_has_one_in_memory():
    b = bench()
    # Does not use `epk run`, which recovers by itself.
    b.run([compiled(b, "tree.c"), 60000, 1, "kill"], env={"LD_PRELOAD": str(PREFIX / "lib/libepk.so"), "ELG_BUFFER_SIZE": "16M"},
          check=False)
    one = next(a for a in b.archives() if a.name.endswith(".unfinished"))
    arena = next((one / "arenas").glob("*.arena"))
    image = arena.read_bytes()
    used = int.from_bytes(image[24:28], "little") * 64
    assert used > 8 << 20, used
    many = b.folder / "epik_many.999990.unfinished"
    (many / "arenas").mkdir(parents=True)
    # Other processes of an invented job.
    for rank in range(6):
        copy = bytearray(image[:used])
        copy[32:36] = (999990 + rank).to_bytes(4, "little")
        copy[40:44] = rank.to_bytes(4, "little")
        copy[280:284] = (6).to_bytes(4, "little")
        (many / "arenas" / f"host.{999990 + rank}.arena").write_bytes(copy)
    alone, together = recovered_in(b, one), recovered_in(b, many)
    assert together < alone + 2 * used // 1024, (alone, together, used)
    ranks = [rank["rank"] for a in b.archives() if "many" not in a.name and "_6x" in a.name
             for rank in info(b, a)["by_rank"]]
    expect("ranks", ranks, list(range(6)))


def test_a_ring_keeps_the_last_events_at_any_size():
    b = bench()
    program = compiled(b, "tree.c")
    for size, kilobytes in (("64k", 64), ("100k", 100), ("256k", 256), ("1M", 1024)):
        archive = traced(b, program, 20000, env={"ELG_BUFFER_SIZE": size, "EPK_OVERFLOW": "ring"})
        facts = info(b, archive)
        assert facts["lost"] > 0 and facts["flushes"] == 0, (size, facts)
        checked = b.run([b.epk, "check", archive])
        assert f"{facts['events']:,} events, " in checked.out + checked.err, (facts["events"], checked.out, checked.err)
        # Each call is two events, in the trace or lost; the reader makes up the calls around the events that are left.
        events = printed(b, archive)
        real = [e for e in events if not e.get("made_up", False) and e["event"] != "gap"]
        all_events = len(real) + facts["lost"]
        assert abs(all_events - 2 * visits(b, archive)) <= 50, (size, all_events, 2 * visits(b, archive))
        # A word of 8 bytes is a call or an end of one; a quarter of the buffer may just have been given up.
        assert len(real) > 0.7 * kilobytes * 1024 / 8, (size, len(real))
        wall = json.loads((archive / "manifest.json").read_text())["wall_seconds"]
        expect(f"{size}: rounds go on to the end", real[-1]["time"] > 0.9 * wall, True)
        assert real[0]["time"] > 0.05 * wall, (size, real[0])
    result = b.run([b.epk, "run", program, 10], env={"ELG_BUFFER_SIZE": "63k", "EPK_OVERFLOW": "ring"})
    assert "64k" in result.err, result.err


def test_a_ring_has_the_frames_around_those_that_its_blocks_name():
    b = bench()
    levels = 5000  # a block names 4096 frames
    program = compiled(b, "depth.c", flags=["-O0"])
    archive = traced(b, program, levels, 100000,
                     env={"ELG_BUFFER_SIZE": "64k", "EPK_OVERFLOW": "ring", "EPK_RECURSION": "full"})
    assert info(b, archive)["lost"] > levels
    b.run([b.epk, "analyze", archive])
    (archive / "summary.cubex").unlink()  # the profile is computed from the trace
    down = Profile(b, archive).visits(region="Down")
    rows = csv.DictReader(io.StringIO(b.run([b.epk, "report", archive / "trace.cubex", "--format", "csv"]).out))
    analyzed = sum(int(row["visits"] or 0) for row in rows if row["region"] == "Down")
    expect("frames of the profile, of the analysis", (down, analyzed), (levels + 1, levels + 1))


def test_a_call_in_flight_when_its_process_is_killed_was_slow():
    b = bench()
    archive = traced(b, compiled(b, "stuck.c"), env={"EPK_TRACE": "slow:10ms"}, check=False)
    expect("calls", [e["region"] for e in printed(b, archive) if e["event"] == "enter"][-2:], ["main", "Stuck"])
    result = b.run([b.epk, "check", archive], check=False)
    expect("check", (result.status, result.out if result.status else ""), (0, ""))


def test_damage_is_found_and_the_rest_is_read():
    b = bench()
    archive = traced(b, compiled(b, "tree.c"), 4000, env={"ELG_BUFFER_SIZE": "64k"})
    count = info(b, archive)["events"]
    file = next(archive.glob("traces/*/*.elg"))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x55
    file.write_bytes(data)
    result = b.run([b.epk, "check", archive], check=False)
    expect("status", result.status, 1)
    assert "block" in result.out, result.out
    rest = info(b, archive)
    assert 0 < rest["events"] < count and rest["gaps"] >= 1, rest
    expect("made up", any(e.get("made_up") for e in printed(b, archive)), True)


def test_selections_stay_nested():
    b = bench()
    program = compiled(b, "tree.c")
    full = info(b, traced(b, program, 2000))
    for selection in ("slow:10us", "visits:20", "comm"):
        archive = traced(b, program, 2000, env={"EPK_TRACE": selection})
        result = b.run([b.epk, "check", archive], check=False)
        expect(selection, (result.status, result.out if result.status else ""), (0, ""))
        assert info(b, archive)["events"] < full["events"] / 2, selection


def test_millions_of_events_are_in_order_whatever_is_selected():
    b = bench()
    program = compiled(b, "tree.c")
    read = {}
    for selection in ("all", "slow:300ns", "slow:1us,visits:30000", "visits:40000", "window:Round:1000-30000"):
        archive = traced(b, program, 40000, 2, env={"EPK_TRACE": selection, "ELG_BUFFER_SIZE": "1M"})
        result = b.run([b.epk, "check", archive], check=False)
        expect(selection, (result.status, result.out if result.status else ""), (0, ""))
        read[selection] = info(b, archive)["events"]
    assert read["all"] > 4e6 and sum(read.values()) > 8e6 and min(read.values()) > 0, read
    assert all(read[selection] < 0.9 * read["all"] for selection in read if selection != "all"), read


if __name__ == "__main__":
    sys.exit(main(globals()))
