# SPDX-License-Identifier: BSD-3-Clause
"""Programs that switch stacks by themselves: call paths and visits are those of the program's own calls, and a fiber's
time does not include the time in which it is suspended."""
import collections
import platform
import subprocess

from harness import case, check, long, main, need

HOWS = "context", "bare"
TRACED = {"EPK_TRACE": "all"}


def paths(archive):
    """Visits by call path."""
    names, found = [], collections.Counter()
    for name, parent in zip(archive.names, archive.parents):
        names.append(name if parent is None else names[parent] + " > " + name)
    visits = archive.values["visits"]
    for path, value in zip(visits["callpath"], visits["value"]):
        found[names[path]] += int(value)
    return {path.split("main > ", 1)[-1]: value for path, value in found.items()
            if "main > " in path and not path.endswith("measurement")}


def measured(lab, *words, traced=False, source="fibers.c", **settings):
    need(platform.machine() == "x86_64", "an x86-64 processor")
    guest = lab.build(source, lab.compilers[0], *(["-std=c++20"] if source.endswith(".cc") else []))
    outcome = lab.run([guest, *map(str, words)], **(TRACED if traced else {}), **settings)
    check(outcome.status == 0, words, outcome.status, outcome.err)
    archive = lab.archives(outcome.folder, count=1)[0]
    check(archive.manifest["unmatched_exits"] == 0, words, archive.manifest["unmatched_exits"])
    check(all(value >= -1e-9 for value in archive.values["time"]["value"]), words, "negative times")
    if traced:
        compared = subprocess.run([lab.epk, "check", archive.path, "--trace-vs-summary"], env=lab.environment(),
                                  capture_output=True)
        check(compared.returncode == 0, words, compared.stdout.decode(), compared.stderr.decode())
    return archive, outcome


@case
def generators(lab):
    for how in HOWS:
        for traced in False, True:
            archive, outcome = measured(lab, how, "generator", 1000, traced=traced)
            check(outcome.out == b"499500\n", how, outcome.out)
            below = "generators > one > generator"
            expected = {"generators": 1, "generators > one": 500, "generators > other": 500,
                        "generators > one > consume": 500, "generators > other > consume": 500}
            found = paths(archive)
            check({path: found.get(path) for path in expected} == expected, how, traced, found)
            check(set(found) == {*expected, below, below + " > deliver", below + " > deliver > produce"}, how, found)
            check(found[below + " > deliver > produce"] == 1000, how, traced, found)
            check(traced or (found[below], found[below + " > deliver"]) == (1, 1000), how, found)
            check(archive.manifest["repairs"] == 0, how, traced, archive.manifest["repairs"])
            check(any("switches stacks" in note for note in archive.manifest["notes"]), archive.manifest["notes"])


@case
def two_fibers_with_the_same_function(lab):
    for how in HOWS:
        archive, outcome = measured(lab, how, "twins", 1000)
        check(outcome.out == b"2000\n", how, outcome.out)
        check(paths(archive) == {"twins": 1, "twins > twin": 2, "twins > twin > step": 2000}, how, paths(archive))


@case
def abandoned_generators(lab):
    for how in HOWS:
        count = 20_000
        archive, outcome = measured(lab, how, "abandoned", count)
        check(outcome.out == b"%d\n" % count, how, outcome.out)
        found = paths(archive)
        check(len(found) == 8, how, found)
        check(found["abandoned > one > generator > deliver > produce"] == 2 * count, how, found)
        check(found["abandoned > one > generator"] == count, how, found)
        check(any("that never returned" in note for note in archive.manifest["notes"]), archive.manifest["notes"])


@long
@case
def a_million_abandoned_generators(lab):
    for how in HOWS:
        archive, _ = measured(lab, how, "abandoned", 1_000_000)
        check(len(paths(archive)) == 8, how, paths(archive))


@case
def what_a_suspended_fiber_does_not_take(lab):
    for how in HOWS:
        archive, _ = measured(lab, how, "sleepy")
        found = paths(archive)
        check(found["sleepy > work > busy"] == 5 and found["sleepy > pause_here"] == 5, how, found)
        check(archive.total("pause_here", "time") >= 0.5, how, archive.total("pause_here", "time"))
        busy = archive.total("busy", "time")
        check(busy >= 0.1, how, busy)
        # Its own time: between a call of `busy` and the next one, it was suspended for 0.1 s.
        check(archive.total("work", "time") < 0.1, how, archive.total("work", "time"))


@case
def fibers_in_threads_with_small_stacks(lab):
    for how in HOWS:
        archive, outcome = measured(lab, how, "threads", 500)
        check(outcome.out == b"4000\n", how, outcome.out)
        check(archive.visits("step") == 4000 and archive.visits("twin") == 8, how, archive.visits("twin"))
        check(archive.visits("twin", below="twin") == 0, how, "a twin below a twin")


@case
def jumps_within_fibers(lab):
    for how in HOWS:
        archive, outcome = measured(lab, how, "jumps", 200)
        check(outcome.out == b"400\n", how, outcome.out)
        check(archive.visits("deep") == 1600 and archive.visits("step", below="deep") == 0, how, paths(archive))
        check(archive.visits("jumper", below="jumper") == 0, how, paths(archive))


@case
def functions_that_switch_themselves(lab):
    for traced in False, True:
        archive, outcome = measured(lab, "context", "direct", 500, traced=traced)
        check(outcome.out == b"500 501\n", outcome.out)
        found = paths(archive)
        check(found["direct > consume"] == 501 and found["direct > suspended > suspend"] == 500, traced, found)
        check(len(found) == 4 and (traced or found["direct > suspended"] == 1), traced, found)
        check(archive.manifest["repairs"] == 0, archive.manifest["repairs"])


@case
def fibers_by_another_clock(lab):
    """EPIK follows stacks with the kernel's clock, too."""
    for traced in False, True:
        archive, _ = measured(lab, "context", "twins", 300, traced=traced, EPK_TIMER="monotonic")
        check(archive.visits("twin", below="twin") == 0 and archive.visits("step") == 600, traced, paths(archive))
        check(any("switches stacks" in note for note in archive.manifest["notes"]), archive.manifest["notes"])


@case
def traces_have_what_profiles_have(lab):
    for how in HOWS:
        for words in (("twins", 1000), ("abandoned", 3000), ("sleepy",), ("threads", 500), ("jumps", 200)):
            measured(lab, how, *words, traced=True)


@case
def coroutines_of_the_language(lab):
    archive, outcome = measured(lab, source="coroutines.cc")
    check(outcome.out == b"499500\n", outcome.out)
    check(archive.visits("produce") == 1000 and archive.visits("consume") == 1000, archive.names)
    check(archive.visits("consume", below="produce") == 0 and archive.visits("consume", below="generate") == 0)
    check(not any("switches stacks" in note for note in archive.manifest["notes"]), archive.manifest["notes"])


if __name__ == "__main__":
    main(__file__)
