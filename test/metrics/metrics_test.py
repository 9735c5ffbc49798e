#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counters of programs that know the right counts: page faults, waits, allocations, bytes. Every count is exact."""

import json
import pathlib
import re
import sys

RUNFILES = pathlib.Path.cwd()
sys.path.insert(0, str(RUNFILES / "test/user"))
from harness import Bench, Profile, expect, expect_time, installed, main, need, needs_no_sanitizer, retried, skip, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
C = [c for c in ("gcc", "clang") if installed(c)]
# Looking functions up when they are first called touches pages, too.
FLAGS = ["-O1", "-g", "-finstrument-functions", "-Wl,-z,now,--no-as-needed", "-pthread"]


def bench():
    return Bench(PREFIX, PROGRAMS)


def compile_plain(b, compiler, source, *more):
    return b.compile(compiler, source, [*FLAGS, *more], instrument=None)


def needs_heap():
    """epk run loads libepk_heap.so for heap::, and for each name that only a file explains."""
    needs_no_sanitizer(PREFIX, "its runtime needs malloc before any code of ours may run")


def measured(b, program, words=(), metrics="", env=None):
    """The profile, and the text on stderr."""
    before = set(b.archives())
    result = b.run([b.epk, "run", program, *words], env={"EPK_METRICS": metrics, **(env or {})})
    made = [a for a in b.archives() if a not in before]
    assert len(made) == 1, f"archives {made}\n{result.err}"
    return Profile(b, made[0]), result.err


def exclusive(profile, counter, region):
    """Values by thread that are not zero."""
    found = {}
    for row in profile.rows:
        if row["region"] == region and float(row[counter] or 0) != 0:
            thread = int(row["thread"])
            found[thread] = found.get(thread, 0) + float(row[counter])
    return found


def test_page_faults_and_waits_are_exact_and_each_threads_own():
    for compiler in C:
        b = bench()
        program = compile_plain(b, compiler, "faults.c")
        profile, _ = measured(b, program, [100, 7, 2],
                              "rusage::ru_minflt:rusage::ru_nvcsw,perf::page-faults".replace(",", ":"))
        # Both threads have one place, one after the other: 2 and 3 times as many.
        expect("pages", exclusive(profile, "rusage::ru_minflt", "touch"), {0: 100, 1: 500})
        waits = exclusive(profile, "rusage::ru_nvcsw", "nap")
        expect("waits", waits, {0: 7, 1: 35})


def test_software_events_of_perf():
    b = bench()
    program = compile_plain(b, C[0], "faults.c")
    profile, err = measured(b, program, [64, 5, 1],
                            "perf::TASK-CLOCK:perf::page-faults:perf::minor_faults:perf::context-switches")
    if "cannot be counted" in err:
        skip("no perf events here: " + err.splitlines()[0])
    expect("pages", exclusive(profile, "perf::PAGE-FAULTS", "touch"), {0: 64, 1: 128})
    expect("minor", exclusive(profile, "perf::MINOR-FAULTS", "touch"), {0: 64, 1: 128})
    # It may be taken from its processor as well.
    for thread, times in exclusive(profile, "perf::CONTEXT-SWITCHES", "nap").items():
        assert times >= 5 * (thread + 1), (thread, times)
    for row in profile.rows:
        if row["region"] in ("touch", "nap"):
            # The clock is read within the hooks, the counters a moment earlier or later.
            assert float(row["perf::TASK-CLOCK"]) > 0, row
            assert float(row["perf::TASK-CLOCK"]) <= float(row["excl_s"]) + 0.005, row


def test_what_reading_costs_is_in_the_line_of_costs():
    needs_heap()
    b = bench()
    program = compile_plain(b, C[0], "memory.c", "-fno-builtin")
    profile, _ = measured(b, program, [4, 1], "rusage::ru_minflt:rusage::ru_nvcsw:heap::frees")
    text = b.run([b.epk, "report", profile.archive]).out
    found = re.search(r"counters, per enter and exit: rusage ([\d.]+) \S+, heap ([\d.]+) \S", " ".join(text.split()))
    assert found and float(found[1]) > 0 and float(found[2]) > 0, text


def test_what_cannot_be_had_is_no_zero():
    b = bench()
    program = compile_plain(b, C[0], "faults.c")
    profile, err = measured(b, program, [3, 0, 0], "rusage::ru_minflt:rusage::ru_minfl:nobody_knows:perf::page-fault")
    assert "rusage::ru_minfl cannot be counted: there is no such counter; did you mean rusage::ru_minflt?" in err, err
    assert "nobody_knows cannot be counted: no source" in err, err
    expect("lines", len(re.findall("cannot be counted", err)), 3)
    for row in profile.rows:
        expect("column", row["rusage::ru_minfl"], "n/a")
        expect("column", row["nobody_knows"], "n/a")
    expect("pages", exclusive(profile, "rusage::ru_minflt", "touch"), {0: 3})
    assert any("did you mean" in note for note in profile.manifest["notes"]), profile.manifest["notes"]
    text = b.run([b.epk, "report", profile.archive, "--counters"]).out
    assert re.search(r"n/a +nobody_knows: no source", text), text


def test_sums_over_call_paths_are_what_the_thread_used():
    b = bench()
    program = compile_plain(b, C[0], "faults.c")
    profile, _ = measured(b, program, [50, 20, 0], "rusage::ru_nvcsw:rusage::ru_minflt")
    report = json.loads(b.run([b.epk, "report", profile.archive, "--counters", "--format", "json"]).out)
    for row in report["counters"]:
        total = sum(float(r[row["counter"]] or 0) for r in profile.rows)
        expect(row["counter"], row["total"], total)
    waits = sum(float(r["rusage::ru_nvcsw"]) for r in profile.rows if r["region"] == "nap")
    expect("waits", waits, 20)


def test_every_counter_there_is_adds_up_in_every_report():
    """For any counter: the sums by call path, by thread and in all are equal, inclusive values are the sums of those
    below, and none is negative."""
    needs_heap()
    b = bench()
    sources = json.loads(b.run([b.epk, "doctor", "--metrics", "--json"]).out)["sources"]
    names = [c["name"] for s in sources for c in s["counters"] if c["available"] and s["source"] != "papi"]
    assert len(names) >= 20, names
    for compiler in C:
        program = compile_plain(b, compiler, "every.c")
        profile, err = measured(b, program, [], ":".join(names[:60]))
        assert "cannot be counted" not in err, err
        text = b.run([b.epk, "report", profile.archive, "--counters", "--format", "json"]).out
        views = {row["counter"]: row for row in json.loads(text)["counters"] if row["formula"] is None}
        paths = {(row["counter"], row["callpath_id"]): row for row in json.loads(text)["callpaths"]}
        whole = json.loads(b.run([b.epk, "report", profile.archive, "--format", "json"]).out)
        above = [path["parent"] for path in whole["callpaths"]]
        kinds = {m["unique_name"]: m["type"] for m in whole["metrics"]}
        counted = 0
        for values in whole["values"]:
            name = values["metric"]
            if name not in names:
                continue
            join = max if kinds[name] == "max" else lambda *both: sum(both)
            own, by_thread = {}, {}
            for path, location, value in zip(values["callpath"], values["location"], values["value"]):
                assert value >= 0, (name, path, value)
                own[path] = join(own.get(path, 0), value)
                by_thread[location] = join(by_thread.get(location, 0), value)
            deep = dict(own)
            for path in reversed(range(len(above))):
                if above[path] is not None:
                    deep[above[path]] = join(deep.get(above[path], 0), deep.get(path, 0))
            cells = [float(row[name] or 0) for row in profile.rows]
            def close(what, found, wanted):
                assert abs((found or 0) - wanted) <= 1e-9 * abs(wanted), (name, what, found, wanted)
            total = join(0, 0, *own.values()) if own else 0
            close("of all threads", join(0, 0, *by_thread.values()), total)
            close("in CSV", join(0, 0, *cells), total)
            close("in the view", views[name]["total"], total)
            close("of the busiest", views[name]["max"], max(by_thread.values(), default=0))
            for path, value in own.items():
                close("exclusive", paths[name, path]["exclusive"], value)
                close("inclusive", paths[name, path]["inclusive"], deep[path])
            counted += total > 0
        assert counted >= 12, f"only {counted} counters counted anything"


def test_memory():
    needs_heap()
    for compiler in C:
        b = bench()
        program = compile_plain(b, compiler, "memory.c", "-fno-builtin")
        names = ["allocations", "bytes_allocated", "frees", "bytes_freed", "leaks", "bytes_leaked", "peak"]
        profile, _ = measured(b, program, [4, 1], ":".join("heap::" + n for n in names))
        def of(region):
            return [exclusive(profile, "heap::" + n, region) for n in names[:6]]
        expect("make", of("make"), [{0: 3}, {0: 60}, {}, {}, {}, {}])
        expect("drop", of("drop"), [{}, {}, {0: 3}, {0: 60}, {}, {}])
        expect("grow", of("grow"), [{0: 3}, {0: 1300}, {0: 3}, {0: 1300}, {}, {}])
        expect("kinds", of("kinds"), [{0: 5}, {0: 320}, {0: 5}, {0: 320}, {}, {}])
        expect("lose", of("lose"), [{0: 4, 1: 4}, {0: 4000, 1: 4000}, {}, {}, {0: 4, 1: 4}, {0: 4000, 1: 4000}])
        peaks = {r["path"].split(" > ")[-1]: float(r["heap::peak"] or 0) for r in profile.rows}
        assert peaks["lose"] >= 4000 and peaks["lose"] - peaks["grow"] <= 8000, peaks
        expect("difference", peaks["grow"] - peaks["make"], 880)


def test_files():
    for compiler, flags in [(c, f) for c in C for f in ((), ("-O2", "-D_FORTIFY_SOURCE=2"))]:
        b = bench()
        program = compile_plain(b, compiler, "files.c", *flags)
        names = ["reads", "writes", "bytes_read", "bytes_written", "syncs", "opens_closes"]
        times = ["read_time", "write_time", "sync_time", "open_close_time"]
        profile, _ = measured(b, program, [9], ":".join("io::" + n for n in [*names, *times]))
        def of(region):
            """With functions of headers, which have hooks of their own."""
            rows = [r for r in profile.rows if f" > {region} > " in r["callpath"] + " > "]
            return [sum(float(r["io::" + n] or 0) for r in rows) for n in names]
        expect("put", of("put"), [0, 36, 0, 9999, 0, 0])
        expect("get", of("get"), [36, 0, 9999, 0, 0, 0])
        expect("nothing", of("nothing"), [2, 0, 0, 0, 0, 0])
        expect("stream", of("stream"), [1, 1, 400, 400, 0, 2])
        expect("put_text", of("put_text"), [0, 9, 0, 42, 1, 0])
        expect("get_text", of("get_text"), [6, 0, 18, 0, 0, 0])
        expect("keep", of("keep"), [0, 0, 0, 0, 2, 1])
        expect("take_turns", of("take_turns"), [1, 7, 8, 127, 0, 12])
        assert 0 < exclusive(profile, "io::sync_time", "keep")[0] < 60, profile.rows
        assert 0 < exclusive(profile, "io::write_time", "put")[0] < 60, profile.rows


def files_of(b, archive):
    report = json.loads(b.run([b.epk, "report", archive, "--io", "--format", "json"]).out)
    return {pathlib.Path(row["file"]).name: row for row in report["files"]}, report["totals"]


def test_calls_by_file():
    b = bench()
    program = compile_plain(b, C[0], "files.c")
    profile, _ = measured(b, program, [9], "io::bytes_read:io::bytes_written:io::sync_time")
    files, totals = files_of(b, profile.archive)
    wanted = {"data": (9999, 9999), "stream": (400, 400), "text": (18, 30)}
    expect("bytes", {name: (files[name]["bytes_read"], files[name]["bytes_written"]) for name in wanted}, wanted)
    turns = {"first": (0, 33), "second": (0, 66), "third": (0, 4), "fourth": (0, 16)}
    found = {name.split(".")[0]: (row["bytes_read"], row["bytes_written"]) for name, row in files.items()}
    expect("one descriptor", {name: found[name] for name in turns}, turns)
    expect("pipe", found["pipe"][0], 8)
    expect("stream: fopen, fwrite, fread, fclose", files["stream"]["calls"], 4)
    expect("data", files["data"]["calls"], 1 + 36 + 36 + 1 + 3)  # opened; nothing more to read; fsync, fdatasync, close
    expect("folder", files["data"]["file"], str(b.folder / "data"))
    counted = [sum(float(row["io::" + n] or 0) for row in profile.rows) for n in ("bytes_read", "bytes_written", "sync_time")]
    expect("all bytes", [totals["bytes_read"], totals["bytes_written"]], counted[:2])
    assert abs(sum(row["sync_s"] for row in files.values()) - counted[2]) < 1e-6, (files, counted)
    data = files["data"]
    assert 0 < data["sync_s"] < data["time_s"] and data["written_bytes_per_s"] <= 9999 / data["sync_s"], data
    text = b.run([b.epk, "report", profile.archive, "--io"]).out
    assert "written/s" in text and str(b.folder / "data")[-10:] in text, text


def test_files_beyond_the_table_are_counted_together_and_children_count_their_own():
    b = bench()
    program = compile_plain(b, C[0], "many_files.c")
    b.run([b.epk, "run", program, 1100], env={"EPK_METRICS": "io::bytes_written"})
    by_bytes = {}
    for archive in b.archives():
        files, totals = files_of(b, archive)
        by_bytes[totals["bytes_written"]] = files
    expect("archives", sorted(by_bytes), [5, 11007])
    parent, child = by_bytes[11007], by_bytes[5]
    expect("table", len(parent), 1001)
    expect("others", parent["other files"]["bytes_written"], 11007 - sum(
        row["bytes_written"] for name, row in parent.items() if name != "other files"))
    expect("child", child['shared "file"']["bytes_written"], 5)


def test_libraries_that_are_not_there_are_said():
    b = bench()
    program = compile_plain(b, C[0], "memory.c")
    env = {"EPK_METRICS": "heap::allocations", "LD_PRELOAD": PREFIX / "lib/libepk.so"}
    result = b.run([program, "1"], env={k: str(v) for k, v in env.items()})
    assert "libepk_heap.so is not in the program: start it with epk run" in result.err, result.err


def test_a_plug_in_of_ones_own():
    for compiler in C:
        b = bench()
        dice = b.folder / "libdice.so"
        b.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{PREFIX}/include",
               RUNFILES / "examples/metric_plugin/dice.c", "-o", dice])
        program = compile_plain(b, compiler, "dice.c", dice, f"-Wl,-rpath,{b.folder}")
        profile, err = measured(b, program, [], "dice::throws:dice::highest:dice::lowest",
                                {"EPK_METRIC_PLUGINS": f"{dice}:{b.folder}/none.so"})
        assert "none.so is not used: " in err and "dice::lowest cannot be counted" in err, err
        expect("throws", exclusive(profile, "dice::throws", "throws"), {0: 7})
        expect("throws", exclusive(profile, "dice::throws", "main"), {0: 2})
        expect("highest", exclusive(profile, "dice::highest", "throws"), {0: 6})
        expect("highest", exclusive(profile, "dice::highest", "main"), {0: 2})
    # When a buffer of the trace is written, earlier throws must not count for the calls around.
    env = {"EPK_METRIC_PLUGINS": str(dice), "EPK_TRACE": "all", "ELG_BUFFER_SIZE": "64k"}
    profile, _ = measured(b, program, [5000], "dice::throws:dice::highest", env)
    assert profile.manifest["trace"]["flushes"] > 1, profile.manifest["trace"]
    expect("highest", exclusive(profile, "dice::highest", "main"), {0: 2})
    checked = b.run([b.epk, "check", profile.archive, "--trace-vs-summary"], check=False)
    expect("check", (checked.status, checked.out if checked.status else ""), (0, ""))


def fake_papi(b):
    """The folder of a libpapi.so that knows its counts."""
    folder = b.folder / "papi"
    folder.mkdir()
    b.run([C[0], "-shared", "-fPIC", PROGRAMS / "fake_papi.c", "-o", folder / "libpapi.so"])
    return {"LD_LIBRARY_PATH": str(folder)}


def test_papi():
    for compiler in C:
        b = bench()
        program = compile_plain(b, compiler, "work.c", "-rdynamic")
        profile, err = measured(b, program, [], "PAPI_TOT_INS,PAPI_TOT_CYC,soft:::steps,PAPI_NONE", fake_papi(b))
        assert "PAPI_NONE cannot be counted: PAPI knows no such event" in err, err
        # Two threads in one place, one after the other, with 10 and 20 units.
        expect("ins", exclusive(profile, "PAPI_TOT_INS", "inner"), {0: 10, 1: 300})
        expect("ins", exclusive(profile, "PAPI_TOT_INS", "outer"), {0: 50, 1: 1500})
        expect("cyc", exclusive(profile, "PAPI_TOT_CYC", "outer"), {0: 25, 1: 750})
        expect("steps", exclusive(profile, "soft:::steps", "inner"), {0: 1, 1: 30})
        text = b.run([b.epk, "report", profile.archive, "--counters"]).out
        assert re.search(r"\b2 .*instructions per cycle = PAPI_TOT_INS / PAPI_TOT_CYC", text), text


def test_components_of_papi_at_once():
    """Eight have room. The others are not measured, and a line for each tells why."""
    b = bench()
    program = compile_plain(b, C[0], "work.c", "-rdynamic")
    for many in 8, 9:
        names = [f"many{i}:::work" for i in range(1, many + 1)]
        env = fake_papi(b) if many == 8 else env
        profile, err = measured(b, program, [], ",".join(names), env)
        told = re.findall(r"(\S+) cannot be counted: PAPI: more than 8 components at once", err)
        expect(f"{many}: lines", told, names[8:])
        for factor, name in enumerate(names[:8], 1):
            expect(name, exclusive(profile, name, "inner"), {0: factor, 1: 30 * factor})
        for name in names[8:]:
            assert all(row[name] == "n/a" for row in profile.rows), name


def test_papi_says_what_fits_together():
    b = bench()
    program = compile_plain(b, C[0], "work.c", "-rdynamic")
    profile, err = measured(b, program, [], "PAPI_TOT_INS:PAPI_TOT_CYC:PAPI_L1_DCM", fake_papi(b))
    assert ("PAPI_L1_DCM cannot be counted: it does not fit beside PAPI_TOT_INS, PAPI_TOT_CYC; together fit: "
            "PAPI_TOT_INS, PAPI_TOT_CYC or PAPI_L1_DCM; or in turns: EPK_METRICS_MULTIPLEX=yes") in err, err
    expect("ins", exclusive(profile, "PAPI_TOT_INS", "inner"), {0: 10, 1: 300})
    assert all(row["PAPI_L1_DCM"] == "n/a" for row in profile.rows)


def test_papi_takes_turns_when_asked_to():
    b = bench()
    program = compile_plain(b, C[0], "work.c", "-rdynamic")
    env = {**fake_papi(b), "EPK_METRICS_MULTIPLEX": "yes"}
    profile, err = measured(b, program, [], "PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L1_DCM,soft:::steps", env)
    assert "cannot be counted" not in err, err
    expect("ins", exclusive(profile, "PAPI_TOT_INS", "inner"), {0: 10, 1: 300})
    expect("dcm", exclusive(profile, "PAPI_L1_DCM", "inner"), {0: 1, 1: 30})
    note = ("counters of PAPI (fake_cpu) took turns, 2 of 3 at a time: each was counted about 66 % of the time, "
            "and its values are scaled up from that")
    assert note in profile.manifest["notes"], profile.manifest["notes"]


def test_without_papi():
    b = bench()
    program = compile_plain(b, C[0], "work.c", "-rdynamic")
    nowhere = b.folder / "nowhere"
    nowhere.mkdir()
    for version in ("", ".7", ".6", ".5", ".7.2", ".7.1", ".7.0", ".6.0", ".5.7"):  # as good as absent
        (nowhere / f"libpapi.so{version}").write_text("not a library\n" * 100)
    profile, err = measured(b, program, [], "PAPI_TOT_INS:rusage::ru_nvcsw", {"LD_LIBRARY_PATH": str(nowhere)})
    assert "PAPI_TOT_INS cannot be counted: PAPI is not installed" in err, err
    assert all(row["PAPI_TOT_INS"] == "n/a" for row in profile.rows)
    expect("visits", profile.visits(region="inner"), 3)


def test_software_events_of_the_real_papi():
    need(pathlib.Path("/usr/include/sde_lib.h").exists(), "no PAPI here")
    b = bench()
    program = compile_plain(b, C[0], "sde.c", "-rdynamic", "-lsde")
    profile, err = measured(b, program, [], "sde:::walker::steps")
    if "cannot be counted" in err:
        skip("PAPI has no software events here: " + err.splitlines()[0])
    expect("steps", exclusive(profile, "sde:::walker::steps", "walk"), {0: 13})


SPEC = """
measure INS = PAPI_TOT_INS      # not here, so the next one
measure INS = dice::throws
measure TOP = dice::highest
aggroup GAME = INS TOP
compose TWICE = INS + INS
compute PER_VISIT = ( INS + INS ) / 2 / visits
nonsense
"""


def test_names_and_formulas_of_a_file():
    needs_heap()
    b = bench()
    dice = b.folder / "libdice.so"
    b.run([C[0], "-shared", "-fPIC", f"-I{PREFIX}/include", RUNFILES / "examples/metric_plugin/dice.c", "-o", dice])
    program = compile_plain(b, C[0], "dice.c", dice, f"-Wl,-rpath,{b.folder}")
    (b.folder / "spec").write_text(SPEC)
    env = {"EPK_METRIC_PLUGINS": str(dice), "EPK_METRICS_SPEC": "spec", "LD_LIBRARY_PATH": "/nowhere"}
    profile, err = measured(b, program, [], "GAME", env)
    assert "spec:8: expected measure, aggroup, compose or compute" in err, err
    expect("throws", exclusive(profile, "INS", "throws"), {0: 7})
    report = json.loads(b.run([b.epk, "report", profile.archive, "--counters", "--format", "json"]).out)
    totals = {row["counter"]: row["total"] for row in report["counters"]}
    expect("twice", totals["TWICE"], 18)
    own = {row["callpath"].split(" > ")[-1]: row["exclusive"] for row in report["callpaths"]
           if row["counter"] == "PER_VISIT"}
    expect("per visit", own["throws"], 3.5)


TREE = """
measure INS = PAPI_TOT_INS
measure CYC = PAPI_TOT_CYC
measure STEPS = soft:::steps
compose INS = BOTH + MISC
compose BOTH = CYC + STEPS
compose NOTHING = INS + NOBODY
"""


def test_compose_makes_a_tree_of_metrics():
    needs_heap()
    b = bench()
    program = compile_plain(b, C[0], "work.c", "-rdynamic")
    (b.folder / "spec").write_text(TREE)
    profile, _ = measured(b, program, [], "INS,CYC,STEPS", {**fake_papi(b), "EPK_METRICS_SPEC": "spec"})
    report = json.loads(b.run([b.epk, "report", profile.archive, "--format", "json"]).out)
    metrics = {m["unique_name"]: m for m in report["metrics"]}
    whole = {name: None if m["parent"] is None else report["metrics"][m["parent"]]["unique_name"]
             for name, m in metrics.items() if name in ("INS", "BOTH", "CYC", "STEPS")}
    expect("tree", whole, {"INS": None, "BOTH": "INS", "CYC": "BOTH", "STEPS": "BOTH"})
    for region in ("inner", "outer"):
        parts = [exclusive(profile, name, region) for name in ("CYC", "STEPS", "BOTH", "INS")]
        for thread, cycles in parts[0].items():
            expect("the sum", parts[2][thread], cycles + parts[1][thread])
            assert parts[3][thread] > parts[2][thread], parts
    expect("ins", exclusive(profile, "INS", "inner"), {0: 10, 1: 300})
    expect("both", exclusive(profile, "BOTH", "inner"), {0: 6, 1: 180})
    totals = json.loads(b.run([b.epk, "report", profile.archive, "--counters", "--format", "json"]).out)["counters"]
    expect("shown once", [row["counter"] for row in totals].count("BOTH"), 1)


def test_a_killed_program_has_what_it_counted():
    b = bench()
    program = compile_plain(b, C[0], "endings.c")
    result = b.run([program, "kill"], check=False,
                   env={"EPK_METRICS": "rusage::ru_minflt", "LD_PRELOAD": str(PREFIX / "lib/libepk.so")})
    expect("status", result.status, -9)
    left = list(b.folder.glob("epik_*.unfinished"))
    expect("left behind", len(left), 1)
    b.run([b.epk, "recover", left[0]])
    profile = Profile(b, b.archives()[0])
    expect("pages", exclusive(profile, "rusage::ru_minflt", "touch"), {0: 30})


def test_a_forked_child_counts_its_own():
    b = bench()
    program = compile_plain(b, C[0], "endings.c")
    for metrics in ("rusage::ru_minflt", "perf::MINOR-FAULTS"):
        before = set(b.archives())
        result = b.run([program, "fork"], env={"EPK_METRICS": metrics, "LD_PRELOAD": str(PREFIX / "lib/libepk.so")})
        if "cannot be counted" in result.err:
            continue
        profiles = [Profile(b, a) for a in b.archives() if a not in before]
        pages = sorted(exclusive(p, metrics, "touch")[0] for p in profiles)
        expect(metrics, pages, [10, 20])


def test_jumps_and_handlers_lose_nothing():
    b = bench()
    for compiler in C:
        program = compile_plain(b, compiler, "endings.c")
        profile, _ = measured(b, program, ["jump"], "rusage::ru_minflt")
        expect("pages", exclusive(profile, "rusage::ru_minflt", "touch"), {0: 40})
        profile, _ = measured(b, program, ["signals"], "rusage::ru_minflt")
        expect("pages", sum(exclusive(profile, "rusage::ru_minflt", "touch").values()), 600)


def test_openmp():
    for compiler in C:
        b = bench()
        try:
            program = compile_plain(b, compiler, "parallel.c", "-fopenmp")
        except AssertionError:
            continue  # without OpenMP
        profile, _ = measured(b, program, [], "rusage::ru_minflt", {"OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "false"})
        by_thread = exclusive(profile, "rusage::ru_minflt", "touch")
        expect("pages", by_thread, {0: 5 * 100, 1: 5 * 200})


def test_check_knows_where_a_trace_has_no_counters():
    """A thread of a pool is idle after its last event; the summary has what it counts there."""
    for compiler in C:
        b = bench()
        program = compile_plain(b, compiler, "parallel.c", "-fopenmp")
        measured(b, program, metrics="rusage::ru_minflt", env={"EPK_TRACE": "all"})
        archive, = b.archives()
        b.run([b.epk, "check", archive, "--trace-vs-summary"])


def test_regions_of_ones_own_count():
    b = bench()
    program = b.compile(C[0], "regions.c", ["-Wl,-z,now"])
    profile, _ = measured(b, program, [], "rusage::ru_minflt")
    found = exclusive(profile, "rusage::ru_minflt", "pages")
    assert 64 <= found[0] <= 66, found


def counted_in_trace(b, archive):
    """Between records, by thread, counter and innermost open call; and of whole calls, by thread, counter and region."""
    stacks, last, own, whole = {}, {}, {}, {}
    for line in b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines():
        event = json.loads(line)
        thread = event["thread"]
        stack = stacks.setdefault(thread, [("program", {})])
        so_far = last.setdefault(thread, {})
        if event["event"] == "enter":
            stack.append((event["region"], dict(so_far)))
        elif event["event"] == "exit":
            region, at_begin = stack.pop()
            for metric, value in so_far.items():
                whole.setdefault((thread, metric, region), []).append(value - at_begin.get(metric, 0))
        elif event["event"] == "metric":
            key = (thread, event["metric"], stack[-1][0])
            own[key] = own.get(key, 0) + event["value"] - so_far.get(event["metric"], 0)
            so_far[event["metric"]] = event["value"]
    return own, whole


def test_values_in_the_trace_are_those_of_the_summary():
    b = bench()
    program = compile_plain(b, C[0], "faults.c")
    names = ["rusage::ru_minflt", "rusage::ru_nvcsw"]
    profile, _ = measured(b, program, [40, 3, 1], ":".join(names), {"EPK_TRACE": "all"})
    own, _ = counted_in_trace(b, profile.archive)
    for thread, times in ((0, 1), (1, 2)):
        expect("pages", own[thread, names[0], "touch"], 40 * times)
        expect("waits", own[thread, names[1], "nap"], 3 * times)
        for name in names:
            for region in ("main", "thread", "work", "touch", "nap"):
                summary = exclusive(profile, name, region).get(thread, 0)
                expect(f"{name} in {region}", own.get((thread, name, region), 0), summary)
    b.run([b.epk, "check", profile.archive, "--trace-vs-summary"])


def test_a_profile_of_a_trace_has_its_counters():
    b = bench()
    program = compile_plain(b, C[0], "faults.c")
    names = ["rusage::ru_minflt", "rusage::ru_nvcsw", "rusage::ru_utime", "rusage::ru_maxrss"]
    profile, _ = measured(b, program, [40, 3, 1], ":".join(names), {"EPK_TRACE": "all", "EPK_SUMMARY": "no"})
    for thread, times in ((0, 1), (1, 2)):
        expect("pages", exclusive(profile, names[0], "touch").get(thread, 0), 40 * times)
        expect("waits", exclusive(profile, names[1], "nap").get(thread, 0), 3 * times)
    whole = sum(sum(exclusive(profile, names[2], region).values()) for region in ("main", "thread", "work", "touch", "nap"))
    assert 0 <= whole <= 2 * profile.manifest["wall_seconds"], whole
    # With both, the test compares each of them, so it finds a wrong sum.
    both, _ = measured(b, program, [40, 3, 1], ":".join(names), {"EPK_TRACE": "all"})
    checked = b.run([b.epk, "check", both.archive, "--trace-vs-summary"], check=False)
    expect("check", (checked.status, checked.out if checked.status else ""), (0, ""))
    alone, _ = measured(b, program, [40, 3, 1], "", {"EPK_TRACE": "all"})
    compared = [int(re.search(r"(\d+) values compared", b.run([b.epk, "check", a, "--trace-vs-summary"]).out).group(1))
                for a in (both.archive, alone.archive)]
    assert compared[0] > compared[1], compared
    # Threads that come one after the other into one place each begin to count anew: 2, 3 and 4 times 40 pages.
    after, _ = measured(b, program, [40, 0, 3], names[0], {"EPK_TRACE": "all", "EPK_SUMMARY": "no"})
    expect("pages of three threads", exclusive(after, names[0], "touch"), {0: 40, 1: 9 * 40})


def test_a_trace_has_what_open_calls_counted():
    b = bench()
    program = compile_plain(b, C[0], "endings.c")
    names = ["rusage::ru_minflt", "rusage::ru_maxrss"]
    profile, _ = measured(b, program, ["exit"], ":".join(names), {"EPK_TRACE": "all"})
    own, _ = counted_in_trace(b, profile.archive)
    expect("pages", own[0, names[0], "touch"], 15)
    assert own[0, names[0], "end"] >= 7, own  # and some of exit's
    checked = b.run([b.epk, "check", profile.archive, "--trace-vs-summary"], check=False)
    expect("check", (checked.status, checked.out if checked.status else ""), (0, ""))


def test_a_trace_has_peaks_that_open_calls_found():
    """main is open at the end, and the peak is that of the call before."""
    b = bench()
    name = "rusage::ru_maxrss"
    profile, _ = measured(b, compile_plain(b, C[0], "endings.c"), ["grow"], name, {"EPK_TRACE": "all"})
    peaks = {row["region"]: float(row[name] or 0) for row in profile.rows}
    assert peaks["main"] >= peaks["touch"] > 4000 * 4096, peaks
    b.run([b.epk, "check", profile.archive, "--trace-vs-summary"])


def test_a_malloc_in_front_of_ours_is_said():
    """Nobody calls ours then, and its counts would be 0."""
    needs_heap()
    for source, flags in (("own_malloc.c", ["-fno-builtin"]), ("memory.c", ["-fsanitize=address"])):
        b = bench()
        program = compile_plain(b, "gcc", source, *flags)
        profile, err = measured(b, program, [4, 1], "heap::allocations:heap::peak", {"ASAN_OPTIONS": "detect_leaks=0"})
        expect("lines", len(re.findall("heap::.* cannot be counted: the program calls another malloc", err)), 2)
        for row in profile.rows:
            expect("column", (row["heap::allocations"], row["heap::peak"]), ("n/a", "n/a"))


def test_threads_make_no_allocations_of_the_program():
    needs_heap()
    b = bench()
    profile, _ = measured(b, compile_plain(b, C[0], "faults.c"), [0, 0, 20], "heap::allocations")
    found = exclusive(profile, "heap::allocations", "main").get(0, 0)
    assert found <= 2, f"{found} allocations; libc may make one for its first thread"


def test_a_profile_of_a_trace_has_the_peaks_of_every_call_path():
    """Also of those in which a peak stayed what it was: a trace has no record there."""
    needs_heap()
    b = bench()
    program = compile_plain(b, C[0], "memory.c", "-fno-builtin")
    names = ["heap::peak", "rusage::ru_maxrss"]
    both, _ = measured(b, program, [4, 1], ":".join(names), {"EPK_TRACE": "all"})
    traced, _ = measured(b, program, [4, 1], ":".join(names), {"EPK_TRACE": "all", "EPK_SUMMARY": "no"})
    for profile in (both, traced):
        peaks = {r["path"].split(" > ")[-1]: float(r["heap::peak"] or 0) for r in profile.rows}
        assert peaks["lose"] >= 4000 and peaks["lose"] - peaks["grow"] <= 8000, peaks
        expect("difference", peaks["grow"] - peaks["make"], 880)
        for name, regions in ((names[0], ("make", "grow", "kinds", "lose")), (names[1], ("make", "drop", "grow", "lose"))):
            without = [r["path"] for r in profile.rows if r["region"] in regions and float(r[name] or 0) == 0]
            expect(f"{name} is missing", without, [])
    checked = b.run([b.epk, "check", both.archive, "--trace-vs-summary"], check=False)
    expect("check", (checked.status, checked.out if checked.status else ""), (0, ""))


def test_calls_that_are_logged_when_they_end_have_values_at_both_ends():
    b = bench()
    program = compile_plain(b, C[0], "faults.c")
    names = ["rusage::ru_minflt", "rusage::ru_nvcsw"]

    def check():
        profile, _ = measured(b, program, [40, 3, 1], ":".join(names), {"EPK_TRACE": "slow:500us"})
        own, whole = counted_in_trace(b, profile.archive)
        for thread, times in ((0, 1), (1, 2)):
            expect("naps", whole[thread, names[1], "nap"], [3 * times])
            expect_time((thread, names[0], "touch") not in whole, "touch is not that slow")
            expect("calls of work", len(whole[thread, names[0], "work"]), 1)
            everything = sum(exclusive(profile, names[0], r).get(thread, 0) for r in ("work", "touch", "nap"))
            assert 40 * times <= whole[thread, names[0], "work"][0] <= everything, (whole, everything)
            for name in names:
                regions = ("main", "thread", "work", "touch", "nap")
                summary = sum(exclusive(profile, name, r).get(thread, 0) for r in regions)
                expect(name, sum(own.get((thread, name, r), 0) for r in regions), summary)

    retried(check)


def test_doctor():
    b = bench()
    text = b.run([b.epk, "doctor", "--metrics"]).out
    assert re.search(r"ok\s+rusage::ru_nvcsw", text) and re.search(r"ok\s+heap::leaks", text), text
    assert re.search(r"rusage: .* a reading takes \d", text), text
    report = json.loads(b.run([b.epk, "doctor", "--metrics", "--json"]).out)
    sources = {s["source"]: s for s in report["sources"]}
    assert sources["rusage"]["all_ns"] > 0
    for source in sources.values():
        for counter in source["counters"]:
            assert counter["available"] == (counter["missing"] == ""), counter


if __name__ == "__main__":
    sys.exit(main(globals()))
