#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Filters take out exactly what they name and lose nothing else; score predicts their effect, and reduce comes to an
end."""

import collections
import csv
import io
import math
import pathlib
import platform
import re
import resource
import subprocess
import sys

sys.path[:0] = ["test/user", "test/filter"]
from harness import SECONDS, Bench, Profile, expect, expect_time, installed, long, main, need, retried, stage, timed  # noqa: E402
from oracle import check_times, cut, named, tree  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
OURS = {"measurement", "thread"}


def bench():
    b = Bench(PREFIX, PROGRAMS)
    return b


def visits(profile):
    """Visits by region. Leaves out filtered regions and EPIK's own, and calls of libc that had to wait, which differ
    from run to run."""
    counts = collections.Counter()
    for row in profile.rows:
        counts[row["region"]] += int(row["visits"] or 0)
    return {region: n for region, n in counts.items() if n and region not in OURS and not region.startswith("pthread_")}


def without(counts, *names):
    return {region: n for region, n in counts.items() if region not in names}


def write(b, text, name="filter"):
    (b.folder / name).write_text(text)
    return b.folder / name


def filtered(b, program, text, words=()):
    """With calls of hooks patched out and without: the same visits."""
    env = {"EPK_FILTER": str(write(b, text))}
    compared, _ = b.measure(program, words, env={**env, "EPK_PATCH": "no"})
    expect("patched when that is off", patched(compared), 0)
    profile, result = b.measure(program, words, env=env)
    check_times(profile)
    expect("visits with and without patches", visits(profile), visits(compared))
    return visits(profile), profile, result


def patched(profile):
    """How many calls of hooks were patched out."""
    return sum(int(note.split()[0]) for note in profile.manifest["notes"] if "patched out" in note)


COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}


def each_compiler():
    return [(cc, cxx) for cc, cxx in COMPILERS.values() if installed(cc)]


def test_c():
    for cc, _ in each_compiler():
        b = bench()
        program = b.compile(cc, "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
        full, _ = b.measure(program)
        check_times(full)
        counts = visits(full)
        expect("tiny", counts["tiny"], 3500)
        expect("one function", filtered(b, program, "tiny\n")[0], without(counts, "tiny"))
        expect("a recursion", filtered(b, program, "EXCLUDE fib\n")[0], without(counts, "fib"))
        # A jump over frames that were filtered is no repair.
        found, profile, _ = filtered(b, program, "EXCLUDE deep_*\n")
        expect("what was jumped over", found, without(counts, "deep_jump"))
        expect("repairs", profile.manifest["repairs"], 0)
        expect("threads' first function", filtered(b, program, "work\nmain\n")[0], without(counts, "work", "main"))
        expect("all", filtered(b, program, "EXCLUDE REGION *\n")[0], {"calls": 1})
        expect("what is left", filtered(b, program, "EXCLUDE *\nINCLUDE fib\n")[0], {"calls": 1, "fib": counts["fib"]})


def test_calls_are_patched_out():
    need(platform.machine() == "x86_64", "calls are patched on x86-64 only")
    for cc, _ in each_compiler():
        for flags in (["-O1"], ["-O0"], ["-O2", "-fno-plt"], ["-O2", "-no-pie"], ["-O2", "-fcf-protection=full"],
                      ["-O2", "-Wl,-z,now"]):
            b = bench()
            program = b.compile(cc, "calls.c", [*flags, "-g", "-pthread", "-finstrument-functions"],
                                instrument=["--all-calls"])
            counts = visits(b.measure(program)[0])
            found, profile, _ = filtered(b, program, "tiny\nfib\n")
            expect(f"{cc} {flags}", found, without(counts, "tiny", "fib"))
            assert 2 <= patched(profile) <= 12, (cc, flags, profile.manifest["notes"])


def test_other_tools_files():
    b = bench()
    program = b.compile("gcc", "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
    counts = visits(b.measure(program)[0])
    for name, text in {
        "Score-P": "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\n  INCLUDE ma?n middle\n  fib\nSCOREP_REGION_NAMES_END\n",
        "Score-P, mangled": "SCOREP_REGION_NAMES_BEGIN EXCLUDE\nEXCLUDE MANGLED tiny work\n jumps deep_jump\n"
                            "SCOREP_REGION_NAMES_END\n",
        "TAU": "BEGIN_EXCLUDE_LIST\nvoid tiny(int) C\njump#\nvoid *work(void *) C\n\"#_jump\"\nEND_EXCLUDE_LIST\n",
        "TAU, included": "BEGIN_INCLUDE_LIST\nint main(void) C\nmiddle\nfib\nEND_INCLUDE_LIST\n",
        "regular expression": "EXCLUDE regex:^(tiny|work|jumps|deep_jump)$\n",
    }.items():
        found = filtered(b, program, text)[0]
        expect(name, found, without(counts, "tiny", "work", "jumps", "deep_jump"))
    for name, text in {
        "Score-P": "SCOREP_FILE_NAMES_BEGIN\nEXCLUDE */calls.c\nSCOREP_FILE_NAMES_END\n",
        "TAU": "BEGIN_FILE_EXCLUDE_LIST\ncalls.c\nEND_FILE_EXCLUDE_LIST\n",
        "the original's line": "calls.c\n",
        "object": "EXCLUDE OBJECT calls\n",
    }.items():
        expect("a file, " + name, filtered(b, program, text)[0], {"calls": 1})


def test_cxx():
    for _, cxx in each_compiler():
        b = bench()
        program = b.compile(cxx, "shapes.cc", ["-O1", "-g", "-finstrument-functions"], instrument=["--all-calls"])
        full, plain = b.measure(program)
        counts = visits(full)
        scale = [name for name in counts if name.startswith("shapes::scale")]
        expect("overloads", sorted(scale), ["shapes::scale(double)", "shapes::scale(int)"])
        one = filtered(b, program, "shapes::scale(int)\n")[0]
        expect("one overload", one, without(counts, "shapes::scale(int)"))
        expect("both", filtered(b, program, "shapes::scale\n")[0], without(counts, *scale))
        boxes = [name for name in counts if "operator[]" in name]
        expect("operators", len(boxes), 2)
        expect("operators", filtered(b, program, "*::operator[]\n")[0], without(counts, *boxes))
        # An exception passes through filtered and measured functions.
        for name in ("check", "guarded"):
            full_name = f"shapes::{name}(int)"
            found, profile, result = filtered(b, program, f"shapes::{name}\n")
            expect("output", result.out, plain.out)
            expect("exception through " + name, found, without(counts, full_name))


def test_fortran():
    b = bench()
    program = b.compile("gfortran", "mesh.f90", ["-O0", "-g"], instrument=["--all-calls"])
    counts = visits(b.measure(program)[0])
    expect("touch", counts["mesh::touch"], 2100)
    expect("a module's", filtered(b, program, "mesh::touch\n")[0], without(counts, "mesh::touch"))
    expect("all of a module", filtered(b, program, "mesh::*\n")[0], without(counts, "mesh::touch", "mesh::sweep"))
    expect("an external one", filtered(b, program, "outside\n")[0], without(counts, "outside"))


def test_time_goes_to_the_caller():
    b = bench()
    program = b.compile("g++", "tiny.cc", ["-O1", "-g"], instrument=["--all-calls"])
    _, profile, _ = filtered(b, program, "V::*\nsweep\nnorm\n", ["200"])
    rows = {r["region"]: float(r["excl_s"] or 0) for r in profile.rows}
    program_rows = [r for r in profile.rows if r["region"] == "main"]
    whole = float(program_rows[0]["incl_s"])
    expect("below main", sorted(set(rows) - OURS), ["main", "tiny"])
    assert rows["main"] >= 0.999 * whole, (rows, whole)
    notes = " ".join(profile.manifest["notes"])
    assert "4 regions" in notes and "V::get(int) const" in notes, notes


def test_libraries_that_come_later():
    b = bench()
    program = b.compile("gcc", "late.c", ["-g", "-ldl"], instrument=["--all-calls"])
    library = b.compile("gcc", "library.c", ["-O1", "-g", "-shared", "-fPIC"], output="liblate.so",
                        instrument=["--all-calls"])
    full, _ = b.measure(program, [library])
    counts = visits(full)
    expect("calls", (counts["library_run"], counts["library_tiny"]), (30, 60))
    expect("below", filtered(b, program, "library_tiny\n", [library])[0], without(counts, "library_tiny"))
    expect("above", filtered(b, program, "library_run\n", [library])[0], without(counts, "library_run"))
    expect("object", filtered(b, program, "EXCLUDE OBJECT liblate.so\n", [library])[0],
           without(counts, "library_run", "library_tiny"))


def test_openmp_and_forks():
    b = bench()
    program = b.compile("gcc", "loops.c", ["-O1", "-g", "-fopenmp"], instrument=["--all-calls"])

    def measured(text):
        before = set(b.archives())
        b.run([program], env={"EPK_FILTER": str(write(b, text)), "OMP_NUM_THREADS": "2"})
        profiles = [Profile(b, archive) for archive in b.archives() if archive not in before]
        for profile in profiles:
            check_times(profile)
        return sorted((visits(p) for p in profiles), key=lambda counts: "loop" in counts)

    child, parent = measured("nothing\n")
    expect("calls", (parent["piece"], parent["other"], child["piece"], child["other"]), (803, 3, 7, 7))
    constructs = [name for name in parent if "@" in name or name == "idle"]
    assert len(constructs) >= 2, parent
    less = measured("piece\n")
    expect("a function", less, [without(child, "piece"), without(parent, "piece")])
    expect("constructs", measured("EXCLUDE GROUP openmp\n")[1], without(parent, *constructs))
    expect("nothing else", measured("EXCLUDE *\n")[-1], {name: parent[name] for name in (*constructs, "loops")})


def test_what_is_wrong_is_said_and_the_rest_is_used():
    b = bench()
    program = b.compile("gcc", "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
    counts = visits(b.measure(program)[0])
    found, profile, result = filtered(b, program, "tiny\nEXCLUDE GROUP colour\nEXCLUDE absent\n")
    expect("the rest", found, without(counts, "tiny"))
    assert f"{b.folder}/filter:2:15: " in result.err, result.err
    assert any("filter:3: EXCLUDE REGION absent matched nothing" in note for note in profile.manifest["notes"])
    profile, result = b.measure(program, env={"EPK_FILTER": "/nowhere"})
    expect("no file", visits(profile), counts)
    assert "EPK_FILTER is not used: /nowhere: No such file or directory" in result.err, result.err


def test_mpi():
    for flavour, words in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        if not installed(f"mpirun.{flavour}"):
            continue
        b = bench()
        program = b.compile(f"mpicc.{flavour}", "ring.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
        start = [b.epk, "run", f"mpirun.{flavour}", *words, "-n", "2", program]
        full, _ = b.measure(start[0], start[1:])
        counts = visits(full)
        expect("sends", counts["MPI_Send"], 40)
        name = str(write(b, "MPI_Send\nlocal\n"))
        less, _ = b.measure(start[0], start[1:], env={"EPK_FILTER": name})
        check_times(less)
        expect("without", visits(less), without(counts, "MPI_Send", "local"))
        # Messages stay, at the caller.
        sent = {r["region"]: float(r["bytes_sent"] or 0) for r in less.rows if float(r["bytes_sent"] or 0)}
        total = sum(float(r["bytes_sent"] or 0) for r in less.rows)
        expect("bytes of all", total, sum(float(r["bytes_sent"] or 0) for r in full.rows))
        assert set(sent) == {"pass"}, sent
        # Everything of the program, and nothing of MPI.
        names = {r for r in counts if r.startswith("MPI_")}
        everything, _ = b.measure(start[0], start[1:], env={"EPK_FILTER": str(write(b, "EXCLUDE *\n"))})
        expect("MPI only", {r for r in visits(everything) if r != "ring"}, names)
        callers = b.run([b.epk, "reduce", full.archive, "--only-mpi-callers"]).out
        only, _ = b.measure(start[0], start[1:], env={"EPK_FILTER": str(write(b, callers))})
        expect("callers of MPI", visits(only), without(counts, "local"))
        # MPI is counted even when everything else is hot.
        hot, _ = b.measure(start[0], start[1:], env={"EPK_HOT": "drop", "EPK_THROTTLE_CALLS": "1", "EPK_BUDGET": "0.1%"})
        expect("a budget", {name: n for name, n in visits(hot).items() if name in names},
               {name: n for name, n in counts.items() if name in names})
        expect("dropped", "local" in visits(hot) and visits(hot)["local"] < counts["local"], True)


def test_ranks():
    for flavour, words in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        if not installed(f"mpirun.{flavour}"):
            continue
        b = bench()
        program = b.compile(f"mpicc.{flavour}", "ring.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
        start = [b.epk, "run", f"mpirun.{flavour}", *words, "-n", "3", program]

        def by_rank(profile):
            counts = collections.defaultdict(dict)
            for row in profile.rows:
                if int(row["visits"] or 0) and row["region"] not in OURS:
                    counts[int(row["rank"])][row["callpath"]] = int(row["visits"])
            return counts

        full, _ = b.measure(start[0], start[1:])
        for ranks, chosen in (("1", {1}), ("0,2", {0, 2})):
            some, result = b.measure(start[0], start[1:], env={"EPK_RANKS": ranks, "EPK_DEPHT": "9"})
            check_times(some)
            expect("a wrong variable is named once", result.err.count("EPK_DEPHT"), 1)
            expect("ranks of the job", some.manifest["ranks"], 3)
            for rank in range(3):
                found, whole = by_rank(some)[rank], by_rank(full)[rank]
                if rank in chosen:
                    expect(f"{flavour} {ranks}: rank {rank}", found, whole)
                else:
                    expect(f"{flavour} {ranks}: rank {rank}", {path.split(" > ")[-1] for path in found}, {"ring", "paused"})
            expect("said", sum(f"only ranks {ranks} were" in note for note in some.manifest["notes"]), 1)
            expect("unfinished", some.manifest["open_frames"], full.manifest["open_frames"])
        alone, result = b.measure(b.compile("gcc", "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"]),
                                  env={"EPK_RANKS": "3"})
        expect("no job", visits(alone)["main"], 1)
        assert "nothing says which rank" in result.err, result.err


def test_groups():
    b = bench()
    program = b.compile("gcc", "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
    full, _ = b.measure(program)
    counts = visits(full)
    functions = {"tiny", "middle", "fib", "deep_jump", "jumps", "work", "main"}
    rest = without(counts, *functions)

    def measured(groups, **env):
        profile, result = b.measure(program, env={"EPK_GROUPS": groups, **env})
        check_times(profile)
        gone = functions - set(visits(profile))
        left = named(cut(tree(full), lambda name, *_: name in gone))
        # Threads without events leave no trace.
        expect(groups, named(tree(profile)), {path: n for path, n in left.items() if n != 3 or path != "main > thread"
                                              or any(p.startswith(path + " > ") for p in left)})
        return visits(profile), profile, result

    def only(*names):
        return {**rest, **{name: counts[name] for name in names}}

    expect("one", measured("fib")[0], only("main", "fib"))
    expect("two", measured("region=fib,region=deep_*")[0], only("main", "fib", "deep_jump"))
    expect("all but one", measured("-tiny")[0], without(counts, "tiny"))
    expect("by file, but one", measured("file=calls.c,-middle")[0], without(counts, "middle"))
    expect("main is always on", measured("-main,-region=*")[0], only("main"))
    expect("by object", measured("object=calls")[0], counts)
    expect("by folder", measured("dir=programs,-tiny")[0], without(counts, "tiny"))
    none, profile, _ = measured("dir=nowhere")
    expect("by another folder", none, only("main"))
    assert any("nowhere/ is no group of this program" in note for note in profile.manifest["notes"]), profile.manifest
    both, _, _ = measured("-tiny", EPK_FILTER=str(write(b, "fib\n")))
    expect("beside a filter", both, without(counts, "tiny", "fib"))


def test_callers_of():
    b = bench()
    program = b.compile("gcc", "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
    full, _ = b.measure(program)
    counts = visits(full)
    for what, out in (("tiny", ("fib", "deep_jump", "jumps")), ("REGION deep_*", ("tiny", "middle", "fib", "work"))):
        name = b.folder / "callers"
        b.run([b.epk, "reduce", full.archive, "--only-callers-of", what, "--fresh", "-o", name])
        less, _ = b.measure(program, env={"EPK_FILTER": str(name)})
        expect(what, visits(less), without(counts, *out))
    status = b.run([b.epk, "reduce", full.archive, "--only-callers-of", "nobody"], check=False)
    expect("nobody", status.status, 1)
    loops = b.compile("gcc", "loops.c", ["-O1", "-g", "-fopenmp"], instrument=["--all-calls"])
    b.run([loops], env={"OMP_NUM_THREADS": "2"})  # and it forks
    text = b.run([b.epk, "reduce", b.folder / "epik_loops_1x2_sum", "--only-callers-of", "openmp"]).out
    assert "INCLUDE REGION main" in text, text


def score(b, archive, *words):
    text = b.run([b.epk, "score", archive, "--format", "csv", *words]).out
    return list(csv.DictReader(io.StringIO(text)))


@timed
def test_score_foretells_the_run():
    b = bench()
    program = b.compile("g++", "tiny.cc", ["-O1", "-g"], instrument=["--all-calls"])

    # It holds if both runs are equally fast: other programs may use the processors during one of them.
    def foretold():
        full, _ = b.measure(program, ["20"])
        name = b.folder / "small.filter"
        name.unlink(missing_ok=True)
        b.run([b.epk, "score", full.archive, "--suggest", "--budget", "5%", "-o", name])
        kept = {row["region"]: int(row["visits"])
                for row in score(b, full.archive, "-f", name) if row["excluded"] == "0"}
        assert kept["main"] == 1 and "V::get(int) const" not in kept, kept
        less, _ = b.measure(program, ["20"], env={"EPK_FILTER": str(name)})
        expect("visits", visits(less), {region: n for region, n in kept.items() if region not in OURS})
        expect_time(less.manifest["cost_percent"] < 5, less.manifest["cost_percent"])
        # That run left functions out, so they have no cost in it. The suggestion must leave them out, too.
        again = b.folder / "again.filter"
        again.unlink(missing_ok=True)
        b.run([b.epk, "score", less.archive, "--suggest", "--budget", "1%", "-o", again])
        rules = {line for line in name.read_text().splitlines() if line.startswith("EXCLUDE")}
        assert rules and rules <= set(again.read_text().splitlines()), again.read_text()
        return full

    full = retried(foretold)
    # A file that somebody else wrote is not replaced.
    mine = write(b, "tiny\n", "mine")
    expect("status", b.run([b.epk, "score", full.archive, "--suggest", "-o", mine], check=False).status, 1)
    expect("mine", mine.read_text(), "tiny\n")
    csv_rows = score(b, full.archive)
    expect("classes", {row["class"] for row in csv_rows}, {"USR", "other"})


@long
@timed
def test_score_foretells_the_trace():
    b = bench()
    jobs = [("calls.c", "gcc", ["-pthread"], []), ("tiny.cc", "g++", [], ["60"]), ("shapes.cc", "g++", [], []),
            ("mesh.f90", "gfortran", [], []), ("nest.c", "gcc", ["-pthread"], []), ("windows.c", "gcc", ["-pthread"], [])]
    found = {}
    for source, compiler, flags, words in jobs:
        instrument = ["--user", "--all-calls"]
        program = b.compile(compiler, source, ["-O1", "-g", "-w", *flags], instrument=instrument)
        found[source] = b.measure(program, words, env={"EPK_TRACE": "all", "ELG_BUFFER_SIZE": "1G"})[0]
    for flavour, words in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        if installed(f"mpirun.{flavour}"):
            program = b.compile(f"mpicc.{flavour}", "ring.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
            found[flavour] = b.measure(b.epk, ["run", f"mpirun.{flavour}", *words, "-n", "2", program],
                                       env={"EPK_TRACE": "all"})[0]
    for source, profile in found.items():
        trace = profile.manifest["trace"]
        events = trace["events"]
        foretold = sum(float(row["trace_bytes"]) for row in score(b, profile.archive))
        # The fixed size of every file and every thread.
        fixed = 128 * len({(row["rank"], row["thread"]) for row in profile.rows}) + 64 * profile.manifest["ranks"]
        ratio = (foretold + fixed) / trace["bytes"]
        print(f"{source}: {events} events, {trace['bytes']} bytes, foretold {foretold:.0f}: {ratio:.2f}")
        # With only some thousand events, the lengths of calls in steps of the timer are chance.
        most = 2 if trace["bytes"] > 100_000 else 4
        # Calls that take a few bits each: how many depends on how evenly this machine's clock ticks, which a profile
        # does not tell. A quarter of a byte an event does not matter for planning.
        if trace["bytes"] < events and abs(foretold + fixed - trace["bytes"]) < 0.25 * events:
            continue
        most = 4 if trace["bytes"] < events else most
        assert 1 / most < ratio < most, (source, ratio, trace)
    # The stated buffer size is enough, and a sixth of it is not.
    profile = found["tiny.cc"]
    text = b.run([b.epk, "score", profile.archive]).out
    size = re.search(r"ELG_BUFFER_SIZE=(\d+)M", text)
    assert size is not None, text
    for mebibytes, flushes in ((int(size[1]), False), (max(1, int(size[1]) // 6), True)):
        again, _ = b.measure(b.folder / "tiny", ["60"], env={"EPK_TRACE": "all", "ELG_BUFFER_SIZE": f"{mebibytes}M"})
        expect(f"{mebibytes} MiB", again.manifest["trace"]["flushes"] > 0, flushes)


@timed
def test_score_of_what_was_sampled():
    b = bench()
    program = b.compile("g++", "tiny.cc", ["-O1", "-g"], instrument=["--all-calls"])

    # Each run measures the cost of a call.
    def compared():
        costs = {}
        for how in ("full", "sample", "drop"):
            profile, _ = b.measure(program, ["60"], env={"EPK_HOT": how, "EPK_THROTTLE_CALLS": "1000"})
            costs[how] = sum(float(row["cost_s"]) for row in score(b, profile.archive))
            expect_time(abs(costs[how] - profile.manifest["cost_seconds"]) < 0.02 * costs[how] + 1e-5, how, costs[how])
        expect_time(costs["sample"] < 0.8 * costs["full"] and costs["drop"] < 0.8 * costs["full"], costs)
        return profile

    profile = retried(compared)
    text = b.run([b.epk, "score", profile.archive]).out
    assert "calls that were dropped" in " ".join(text.split()), text


def test_reduce_by_rules():
    b = bench()
    program = b.compile("gcc", "calls.c", ["-O1", "-g", "-pthread"], instrument=["--all-calls"])
    full, _ = b.measure(program)
    rules = write(b, "numcalls > 400 & usecs/call < 1000  # small\nnumcalls = 4711\n", "rules")
    done = b.run([b.epk, "reduce", full.archive, "--rules", rules, "-o", "out", "--format", "both"])
    text = (b.folder / "out").read_text()
    expect("excluded", [line for line in text.splitlines() if line.startswith("EXCLUDE")],
           ["EXCLUDE REGION fib", "EXCLUDE REGION tiny"])
    expect("flags", done.out, "-finstrument-functions-exclude-function-list=fib,tiny\n")
    # A second archive adds exclusions, and no excluded function comes back.
    less, _ = b.measure(program, env={"EPK_FILTER": str(b.folder / "out")})
    again = b.run([b.epk, "reduce", less.archive, "--rules", rules, "-o", "out"])
    expect("stable", (b.folder / "out").read_text(), text)
    assert "these rules exclude nothing more" in again.err, again.err
    # Several archives at once take out what each of them would.
    more, _ = b.measure(program, env={"EPK_FILTER": str(write(b, "fib\n"))})
    done = b.run([b.epk, "reduce", more.archive, less.archive, "--rules", rules, "-o", "of both"])
    expect("of several", [line for line in (b.folder / "of both").read_text().splitlines() if line.startswith("EXCLUDE")],
           ["EXCLUDE REGION tiny"])
    status = b.run([b.epk, "reduce", full.archive, "--rules", write(b, "nonsense\n", "bad")], check=False)
    expect("no rule", status.status, 1)
    assert "bad:1:1: " in status.err, status.err
    # `epk score --suggest` writes the rules in force, too. A file with rules that would be lost stays as it is.
    ours = "# A filter for EPIK, written by epk score --suggest --budget 5%\n"
    for rule in ("EXCLUDE FILE calls.c", "INCLUDE REGION fib", "EXCLUDE REGION ti*"):
        kept = write(b, ours + "EXCLUDE REGION main\n" + rule + "\n", "kept")
        before = kept.read_text()
        refused = b.run([b.epk, "reduce", full.archive, "--rules", rules, "-o", kept], check=False)
        expect(rule, (refused.status, kept.read_text()), (1, before))
        assert "kept:3: " + rule + " would be lost" in refused.err, refused.err
    b.run([b.epk, "reduce", full.archive, "--rules", rules, "-o", kept, "--fresh"])
    expect("anew", kept.read_text(), text)


def cpu_seconds(b, words, env=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(w) for w in words], env={**b.env, **(env or {})}, cwd=b.folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=SECONDS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@long
@timed
def test_what_cannot_be_patched_costs_no_more():
    # Small functions end with a jump to the exit hook: its return address does not show that call.
    b = bench()
    program = b.compile("g++", "tiny.cc", ["-O2", "-fno-inline", "-finstrument-functions"], instrument=["--all-calls"])
    env = {"EPK_FILTER": str(write(b, "V::*\n"))}
    times = {choice: min(cpu_seconds(b, [program, "500"], {**env, "EPK_PATCH": choice}) for _ in range(3))
             for choice in ("yes", "no")}
    print(times)
    expect_time(times["yes"] < 1.25 * times["no"] + 0.05, times)


@long
@timed
def test_fixed_point_and_rebuild():
    b = bench()
    flags = ["-O2", "-g"]
    plain = b.compile("g++", "tiny.cc", flags, output="plain", instrument=None)
    slow = b.compile("g++", "tiny.cc", flags, output="slow", instrument=["--all-calls"])
    done = b.run([b.epk, "reduce", "--until-fixed-point", "-o", "found", "--", slow, "60"])
    assert "fixed point after 2 rounds" in done.err, done.err
    text = (b.folder / "found").read_text()
    assert "V::get" in text and "EXCLUDE REGION sweep" not in text, text
    again = b.run([b.epk, "reduce", "--until-fixed-point", "-o", "found", "--", slow, "60"])
    assert "fixed point after 1 round:" in again.err, again.err
    expect("stable", (b.folder / "found").read_text(), text)
    fast = b.compile("g++", "tiny.cc", flags, output="fast", instrument=["--all-calls", "--filter", b.folder / "found"])
    # The rule has the same meaning for the build and the run.
    by_build, _ = b.measure(fast, ["20"])
    by_run, _ = b.measure(slow, ["20"], env={"EPK_FILTER": str(b.folder / "found")})
    expect("visits", without(visits(by_build), "fast"), without(visits(by_run), "slow"))
    # Takes the least of several runs, and of more if other programs disturb them.
    best = {"plain": math.inf, "fast": math.inf}
    for rounds in range(20):
        if rounds >= 5 and best["fast"] < 1.05 * best["plain"]:
            break
        for name, program in (("plain", plain), ("fast", fast)):
            best[name] = min(best[name], cpu_seconds(b, [program, "10000"]))
    best["slow"] = 100 * cpu_seconds(b, [slow, "100"])
    print({name: round(value, 3) for name, value in best.items()})
    assert best["slow"] > 5 * best["plain"], best
    # 5 % is the goal, and is reached on a quiet machine. The places of the arrays also make some per cent. One accessor
    # that kept its hooks would make the program several times slower.
    assert best["fast"] < 1.25 * best["plain"], best


if __name__ == "__main__":
    sys.exit(main(globals()))
