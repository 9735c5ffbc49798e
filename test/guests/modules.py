# SPDX-License-Identifier: BSD-3-Clause
"""Code that comes and goes: plugins, and libraries' own beginnings and ends."""
import os

from harness import case, check, long, main

SOURCE = "modules.c"


def plugin(lab, compiler, name, linked=False):
    flags = ("-shared", "-DNAME=" + name)
    return lab.build("plugin.cc", compiler, *flags, linked=linked, output="lib" + name + ".so")


def each(lab):
    return [(compiler, linked) for compiler in lab.compilers for linked in (False, True)]


@case
def plugins_at_the_same_address(lab):
    for compiler, linked in each(lab):
        plugins = [plugin(lab, compiler, name) for name in ("plugin_a", "plugin_b")]
        guest = lab.build(SOURCE, compiler, linked=linked)
        outcome = lab.run([guest, "in_turn", *plugins], preload=not linked)
        check(outcome.status == 0 and outcome.out == b"at the same address\n", outcome.status, outcome.out, outcome.err)
        archive = lab.archives(outcome.folder, count=1)[0]
        for name in "plugin_a", "plugin_b":
            # Three calls and one where the exception is caught; one at the beginning and one at the end.
            found = archive.visits(name + "_leaf")
            check(found == 50 * 6, compiler, linked, name, found)
            check(archive.visits(name + "_catches") == 50, name, archive.visits(name + "_catches"))
            check(archive.visits(name + "_leaf", below=name + "_thrower") == 0, name, "leaf below thrower")
        check(archive.visits("run_plugin") == 100, "run_plugin", archive.visits("run_plugin"))


@case
def plugins_of_several_threads(lab):
    for compiler, linked in each(lab):
        names = ["library_%d" % i for i in range(8)]
        plugins = [lab.build("leaf.c", compiler, "-shared", "-DNAME=" + name, output=name + ".so") for name in names]
        guest = lab.build(SOURCE, compiler, linked=linked)
        outcome = lab.run([guest, "at_once", *plugins], preload=not linked)
        check(outcome.status == 0, outcome.status, outcome.out, outcome.err)
        archive = lab.archives(outcome.folder, count=1)[0]
        for name in names:
            found = archive.visits(name + "_leaf")
            check(found == 4 * 50, compiler, linked, name, found)


@long
@case
def as_many_as_can_be_told_apart(lab):
    """Each loading of a library is a module. The last one has its own name; one more is noted, and its calls count."""
    most = 65534
    for compiler in lab.compilers:
        first, last = (lab.build("leaf.c", compiler, "-shared", "-DNAME=" + name, output="lib" + name + ".so")
                       for name in ("first", "last"))
        guest = lab.build(SOURCE, compiler)
        outcome = lab.run([guest, "nothing"])
        modules = len(lab.archives(outcome.folder, count=1)[0].manifest["modules"])
        for more in 0, 1:
            times = most - modules - 1 + more
            outcome = lab.run([guest, "many", first, last, str(times)], seconds=600)
            check(outcome.status == 0, outcome.status, outcome.err)
            archive = lab.archives(outcome.folder, count=1)[0]
            told = any("more libraries were loaded than can be told apart" in note for note in archive.manifest["notes"])
            check(told == bool(more), compiler, times, archive.manifest["notes"])
            found = [archive.visits(name) for name in ("first_leaf", "last_leaf")]
            check(sum(found) == times + 1, compiler, times, found)
            check(more or found == [times, 1], compiler, times, found)


@case
def plugin_bound_deeply(lab):
    """RTLD_DEEPBIND finds libc's empty hooks before ours: the library is not measured, but works. If it is linked to
    libepk.so, it is measured."""
    lab.needs_no_sanitizer("it refuses RTLD_DEEPBIND")
    for compiler, linked in each(lab):
        guest = lab.build(SOURCE, compiler, linked=linked)
        for linked_plugin in False, True:
            library = plugin(lab, compiler, "plugin_a", linked_plugin)
            outcome = lab.run([guest, "deep", library], preload=not linked)
            check(outcome.status == 0, outcome.status, outcome.err)
            archive = lab.archives(outcome.folder, count=1)[0]
            check(archive.visits("deep") == 1, "the program")
            expected = 6 if linked_plugin else 0
            check(archive.visits("plugin_a_leaf") == expected, compiler, linked, linked_plugin,
                  archive.visits("plugin_a_leaf"))


@case
def beginnings_and_ends_of_linked_libraries(lab):
    for compiler, linked in each(lab):
        library = plugin(lab, compiler, "plugin_b", linked)
        folder = os.path.dirname(library)
        guest = lab.build(SOURCE, compiler, "-Wl,--no-as-needed", "-L" + folder, "-lplugin_b",
                          "-Wl,-rpath," + folder, linked=linked)
        outcome = lab.run([guest, "nothing"], preload=not linked)
        check(outcome.status == 0, outcome.status, outcome.err)
        archive = lab.archives(outcome.folder, count=1)[0]
        check(archive.visits("plugin_b_leaf") == 2, compiler, linked, archive.visits("plugin_b_leaf"))
        command = archive.manifest["command"]
        check(command == [guest, "nothing"], compiler, linked, "command", command)


main(__file__)
