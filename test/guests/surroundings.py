# SPDX-License-Identifier: BSD-3-Clause
"""Programs that change their surroundings, and surroundings that leave no room for a measurement."""
import os
import resource
import shutil
import socket
import subprocess
import time

from harness import as_nobody, case, check, expect_time, left_out, long, main, need, need_root, retried, skip

SOURCE = "surroundings.c"


def leaves(archives, count):
    for archive in archives:
        check(archive.visits("leaf") == count, archive.path, "leaf", archive.visits("leaf"), "of", count)


class Disk:
    """A small file system, for root. Without it only /dev/full is full, and that holds no folders."""

    def __init__(self, lab, size):
        self.path = lab.folder()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%s" % size, "tmpfs", self.path], capture_output=True)
        if done.returncode != 0:
            skip("no tmpfs can be mounted here: " + done.stderr.decode())

    def __enter__(self):
        os.chmod(self.path, 0o777)
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)


def wait_for_a_processor():
    """Shares one processor with another process for some tenths of a second."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    other = os.fork()
    end = time.process_time() + 0.25
    while time.process_time() < end:
        pass
    if other == 0:
        os._exit(0)
    os.waitpid(other, 0)
    os.sched_setaffinity(0, allowed)


def check_queued(lab, guest):
    outcome = lab.run([guest, "plain"], before=wait_for_a_processor)
    queued = lab.archives(outcome.folder, count=1)[0].manifest["queued_seconds"]
    expect_time(queued < 0.1, "queued", queued)


@case
def waits_before_the_program(lab):
    """A process waits for a processor before exec. The program did not."""
    retried(check_queued, lab, lab.build(SOURCE, "gcc"))


@case
def another_clock(lab):
    """With the kernel's clock, the archive is the same as with the processor's, and shows no test of the clocks at the
    start."""
    for archive in lab.kept(SOURCE, ["plain"], ("exit", "status 0"), EPK_TIMER="monotonic", EPK_TRACE="all"):
        notes = archive.manifest.get("notes", [])
        check(not any("stacks" in note for note in notes), notes)
        done = subprocess.run([lab.epk, "check", archive.path, "--trace-vs-summary"], env=lab.environment(),
                              capture_output=True)
        check(done.returncode == 0, done.stdout.decode(), done.stderr.decode())


# ---- descriptors


@case
def closed_descriptors(lab):
    leaves(lab.kept(SOURCE, ["closes_from", "3"], ("exit", "status 0")), 20)
    leaves(lab.kept(SOURCE, ["closes_from", "0"], ("exit", "status 0")), 20)


@case
def files_in_the_places_of_the_standard_ones(lab):
    for aborts in "0", "1":
        for what, outcome in lab.same(SOURCE, ["reopens", aborts]):
            for i in range(5):
                with open(os.path.join(outcome.folder, "data%d" % i), "rb") as file:
                    text = file.read()
                    check(text == b"data\n", what, "data%d holds" % i, text)
            leaves(lab.archives(outcome.folder, count=1), 10)


@case
def closed_at_the_start(lab):
    def close_all():
        os.closerange(0, 3)
    for what, outcome in lab.same(SOURCE, ["plain"], before=close_all):
        check(outcome.out == b"" and outcome.err == b"", what, outcome.out, outcome.err)
        leaves(lab.archives(outcome.folder, count=1), 10)


@case
def errno_at_the_start(lab):
    def removed_folder():
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
    for before in lambda: os.close(2), removed_folder:
        lab.same(SOURCE, ["tells_errno"], before=before)


@case
def stderr_without_a_reader(lab):
    for compiler in lab.compilers:
        read, write = os.pipe()
        os.close(read)
        outcome = lab.run([lab.build(SOURCE, compiler), "plain", "3"], outputs={2: write}, EPK_VERBOSE="2")
        os.close(write)
        check(outcome.status == 3 << 8, "status", outcome.status)
        leaves(lab.archives(outcome.folder, count=1), 10)


@case
def floating_point_exceptions(lab):
    """EPIK raises no flag but `inexact`, is not stopped where the program would be, and keeps the program's state."""
    for settings in {}, {"EPK_TRACE": "all", "EPK_METRICS": "rusage::ru_utime"}, {"EPK_HOT": "sample"}:
        for mode in "reads_flags", "keeps_its_own", "traps":
            for what, outcome in lab.same("floats.c", [mode], flags=("-lm",), kinds=("preload",), **settings):
                leaves(lab.archives(outcome.folder, count=1), 20)


# ---- folders and rights


@case
def changed_folder(lab):
    leaves(lab.kept(SOURCE, ["changes_folder"], ("exit", "status 0")), 20)
    leaves(lab.kept(SOURCE, ["changes_first"], ("exit", "status 0")), 10)


@case
def changed_user(lab):
    need_root()
    for what, outcome in lab.same(SOURCE, ["becomes_nobody", "3"]):
        left = lab.unfinished(outcome.folder)
        archive = lab.recovered(outcome.folder) if left else lab.archives(outcome.folder, count=1)[0]
        check(not left or any("epk recover" in line for line in outcome.said()), what, outcome.said())
        leaves([archive], 20)
        check(archive.ended() == ("exit", "status 3"), what, archive.ended())


@case
def without_proc(lab):
    """The names of functions and EPIK's libraries are found by what the kernel was asked to execute."""
    need_root()
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    done = subprocess.run([*hidden, "true"], capture_output=True)
    need(done.returncode == 0, "mounts of a process: " + done.stderr.decode())
    for compiler in lab.compilers:
        guest = lab.build(SOURCE, compiler, linked=True)
        outcome = lab.run([*hidden, guest, "plain", "4"], preload=False)
        check(outcome.status == 4 << 8, outcome.status, outcome.err)
        leaves(lab.archives(outcome.folder, count=1), 10)
        outcome = lab.run([*hidden, lab.epk, "run", lab.build(SOURCE, compiler), "plain", "4"], preload=False)
        check(outcome.status == 4 << 8, outcome.status, outcome.err)
        leaves(lab.archives(outcome.folder, count=1), 10)


@case
def chroot(lab):
    need_root()
    for aborts in "0", "1":
        for what, outcome in lab.same(SOURCE, ["locked_up", aborts]):
            check(not any("lost" in line for line in outcome.said()), what, outcome.said())
            archive = lab.recovered(outcome.folder)
            leaves([archive], 20)
            check(archive.ended()[0] == ("abort" if aborts == "1" else "exit"), what, archive.ended())


@case
def removed_archive(lab):
    leaves(lab.kept(SOURCE, ["tidies_up"], ("exit", "status 0")), 20)


@case
def no_right_to_write(lab):
    for compiler in lab.compilers:
        for gdir in "/proc", "/no/such/folder", "/no/such\nfolder", "/dev/null":
            guest = lab.build(SOURCE, compiler)
            bare = lab.run([guest, "plain", "4"], measured=False)
            outcome = lab.run([guest, "plain", "4"], EPK_GDIR=gdir)
            check(outcome.guests_own() == bare.guests_own(), gdir, outcome.guests_own())
            check(len(outcome.said()) == 1 and gdir.replace("\n", "?") in outcome.said()[0], outcome.said())
            check(os.listdir(outcome.folder) == [], os.listdir(outcome.folder))


@case
def umask(lab):
    for who in (None, as_nobody) if os.geteuid() == 0 or left_out("only root can be nobody") else (None,):
        for what, outcome in lab.same(SOURCE, ["masks"], before=who):
            leaves(lab.archives(outcome.folder, count=1), 10)


# ---- limits


@case
def few_files(lab):
    for files in "0", "3", "4", "5", "8":
        for exits in "0", "1":
            for what, outcome in lab.same(SOURCE, ["few_files", files, exits], kinds=("preload",)):
                left = lab.unfinished(outcome.folder)
                check(not any("lost contact" in line for line in outcome.said()), what, outcome.said())
                leaves([lab.recovered(outcome.folder) if left else lab.archives(outcome.folder, count=1)[0]], 20)


@case
def few_files_for_a_trace(lab):
    for what, outcome in lab.same(SOURCE, ["uses_up_descriptors"], EPK_TRACE="all", ELG_BUFFER_SIZE="64K"):
        archive = lab.archives(outcome.folder, count=1)[0]
        leaves([archive], 100000)
        notes = archive.manifest["notes"]
        check(any("Too many open files" in note for note in notes), what, notes)


@case
def small_files(lab):
    for size in "0", "100", "5000":
        for exits in "0", "1":
            for what, outcome in lab.same(SOURCE, ["small_files", size, exits], kinds=("preload",)):
                left = lab.unfinished(outcome.folder)
                check(not any("lost contact" in line for line in outcome.said()), what, outcome.said())
                leaves([lab.recovered(outcome.folder) if left else lab.archives(outcome.folder, count=1)[0]], 20)


@case
def small_files_from_the_start(lab):
    for size in 0, 1000, 64 << 10, 1 << 20, 3 << 20:
        before = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        for compiler in lab.compilers:
            guest = lab.build(SOURCE, compiler)
            read, write = os.pipe()
            record = os.path.join(lab.folder(), "record")  # in which the guest tells `epk run` of its archive
            open(record, "w").close()
            outcome = lab.run([guest, "plain", "3"], before=before, outputs={1: write, 2: write}, EPK_INTERNAL_RUN=record)
            os.close(write)
            said = os.read(read, 1 << 16).decode()
            os.close(read)
            check(outcome.status == 3 << 8, size, "status", outcome.status)
            if size >= 64 << 10:
                leaves(lab.archives(outcome.folder, count=1), 10)
            else:  # neither the arena nor the archive may be as long as it has to be
                check("held no call" in lab.recover(lab.unfinished(outcome.folder)[0], status=0), size)
                line = f"[EPIK] no file of this program may have more than {size} bytes (ulimit -f): there will be no archive"
                check(line in said.splitlines(), size, said)


@case
def little_address_space(lab):
    lab.needs_no_sanitizer("it takes terabytes of address space")
    for size in 256 << 20, 1 << 30, 2 << 30:
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
        leaves(lab.kept(SOURCE, ["takes_memory"], ("exit", "status 0"), before=limit), 20)


@case
def no_processes(lab):
    need_root()
    for what, outcome in lab.same(SOURCE, ["no_processes"]):
        archive = lab.recovered(outcome.folder)
        leaves([archive], 20)
        check(archive.ended() == ("_exit", "status 2"), what, archive.ended())


@case
def memory_bound(lab):
    for archive in lab.kept(SOURCE, ["grows", "200000"], ("exit", "status 0"), EPK_MEMORY="4M"):
        leaves([archive], 20)
        check(archive.manifest["folded_visits"] > 0, "what did not fit is not said")
        check(archive.manifest["events"] >= 2 * 200020, "events", archive.manifest["events"])


@case
def memory_bound_ends_the_measurement(lab):
    for archive in lab.kept(SOURCE, ["grows", "200000"], ("exit", "status 0"), EPK_MEMORY="4M", EPK_OVERFLOW="stop"):
        # Ten calls before it was full, ten after it.
        leaves([archive], 10)
        check(archive.manifest["folded_visits"] == 0, "folded", archive.manifest["folded_visits"])
        check(2000 < archive.manifest["events"] < 2 * 200000, "events", archive.manifest["events"])
        check(any("EPK_OVERFLOW=stop" in note for note in archive.manifest["notes"]), "notes", archive.manifest["notes"])
    for archive in lab.kept(SOURCE, ["grows", "200000"], ("exit", "status 0"), EPK_MEMORY="4M", EPK_OVERFLOW="ring"):
        leaves([archive], 20)
        check(archive.manifest["folded_visits"] > 0, "what did not fit is not said")


@case
def fork_of_a_thread_without_memory(lab):
    for what, outcome in lab.same(SOURCE, ["forks_when_full", "200000"], EPK_MEMORY="4M", EPK_OVERFLOW="stop"):
        parent, child = sorted(lab.archives(outcome.folder, count=2), key=lambda one: -one.manifest["events"])
        check(child.visits("leaf") == 10, what, "child", child.visits("leaf"))
        check(any("EPK_OVERFLOW=stop" in note for note in parent.manifest["notes"]), what, parent.manifest["notes"])


@case
def no_room_for_the_call_tree(lab):
    """If the measurement cannot begin, it leaves nothing."""
    lab.needs_no_sanitizer("it takes terabytes of address space")
    guest, said = lab.build(SOURCE, "gcc"), set()
    for room in range(3 << 20, 6 << 20, 256 << 10):
        outcome = lab.run([guest, "little_room", str(room)], EPK_MEMORY="4M")
        check(outcome.status == 3 << 8, room, "status", outcome.status)
        off = [line for line in outcome.said() if "measurement off" in line]
        said.update(off)
        check(not off or os.listdir(outcome.folder) == [], room, off, os.listdir(outcome.folder))
    check(any("call tree" in line for line in said), said)


@case
def no_room_for_the_start(lab):
    """Wherever memory ends in the start, the program runs without a measurement, and one line says so."""
    lab.needs_no_sanitizer("it takes terabytes of address space")
    guest = lab.build(SOURCE, "gcc")  # clang instruments atol() of libc's header, so that the start is before the limit
    for room in range(0, 3 << 20, 64 << 10):
        outcome = lab.run([guest, "little_room", str(room)], EPK_MEMORY="4M")
        check(outcome.status == 3 << 8, room, "status", outcome.status)
        said = outcome.said()
        check(len(said) == 1 and "measurement off" in said[0], room, said)
        check(os.listdir(outcome.folder) == [], room, os.listdir(outcome.folder))


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def end_of_many_paths(lab, guest):
    paths = 2 + 2 * 300 + 2 * 300 * 300
    before = cpu_of_children()
    outcome = lab.run([guest, "branches"])
    used = cpu_of_children() - before
    check(outcome.status == 0, "status", outcome.status)
    archive = lab.archives(outcome.folder, count=1)[0]
    check(archive.manifest["events"] >= 2 * paths, "events", archive.manifest["events"])
    check(paths <= len(archive.names) <= paths + 10, len(archive.names), "call paths")
    with open(os.path.join(outcome.folder, "used_ns"), encoding="ascii") as file:
        calls = int(file.read())
    calls_us, each_us = calls / 1e3 / paths, (used * 1e9 - calls) / 1e3 / paths
    # If the machine is slow for a while, the calls take longer, too.
    expect_time(each_us <= max(2, 2 * calls_us), "the end took", round(each_us, 2), "µs of CPU time for each call path,",
                "and its call", round(calls_us, 2))


@long
@case
def the_end_of_many_call_paths(lab):
    """At most 2 µs of CPU time a call path, from the last call on, or twice as much as its call took."""
    lab.needs_no_sanitizer("sanitizers make the end slower")
    for compiler in lab.compilers:
        retried(end_of_many_paths, lab, lab.build(SOURCE, compiler))


# ---- full disks


@long
@case
def full_disk(lab):
    need_root()
    for compiler in lab.compilers:
        guest = lab.build(SOURCE, compiler)
        bare = lab.run([guest, "grows", "15000"], measured=False).guests_own()
        for size in "0k", "8k", "64k", "400k", "2m":
            for which in ("EPK_GDIR",), ("EPK_LDIR",), ("EPK_GDIR", "EPK_LDIR"):
                with Disk(lab, "8k" if size == "0k" else size) as disk:
                    if size == "0k":
                        fill(disk)
                    outcome = lab.run([guest, "grows", "15000"], **{name: disk for name in which})
                    check(outcome.guests_own() == bare, size, which, outcome.guests_own())
                    check("EPK_GDIR" in which or len(lab.archives(outcome.folder)) == 1, size, which, outcome.said())
                    for archive in lab.archives(outcome.folder):
                        leaves([archive], 20)
                    for left in lab.unfinished(disk):
                        shutil.copytree(left, os.path.join(outcome.folder, os.path.basename(left)), symlinks=True)
                        leaves([lab.recovered(outcome.folder)], 20)


def fill(disk):
    try:
        with open(os.path.join(disk, "filler"), "wb") as file:
            while True:
                file.write(b"x" * 4096)
                file.flush()
    except OSError:
        pass


@case
def names_that_are_taken(lab):
    """Arenas that earlier processes of the same number have left."""
    elsewhere = lab.folder()

    def leave_files():
        name = "%s.%d" % (socket.gethostname(), os.getpid())
        for path in "epik.%s.arena" % name, "epik.%s-1.arena" % name:
            with open(os.path.join(elsewhere, path), "w") as file:
                file.write("somebody else's")

    for compiler in lab.compilers:
        outcome = lab.run([lab.build(SOURCE, compiler), "few_files", "0", "1"], before=leave_files, EPK_LDIR=elsewhere)
        check(not any("cannot hold" in line for line in outcome.said()), outcome.said())
        leaves([lab.recovered(outcome.folder)], 20)
    left = sorted(os.listdir(elsewhere))
    check(len(left) == 2 * len(lab.compilers) and not any("-2.arena" in name for name in left), left)


@case
def arenas_elsewhere(lab):
    elsewhere = lab.folder()
    for place in "/dev/shm", elsewhere:
        leaves(lab.kept(SOURCE, ["plain"], ("exit", "status 0"), EPK_LDIR=place), 10)
        for what, outcome in lab.same(SOURCE, ["few_files", "0", "1"], EPK_LDIR=place):
            leaves([lab.recovered(outcome.folder)], 20)
        # (Other tests may be using /dev/shm just now.)
        check(place != elsewhere or os.listdir(place) == [], "left in", place, os.listdir(place))
    # If the folder does not exist, the arena is elsewhere, and a line on stderr tells where.
    for what, outcome in lab.same(SOURCE, ["plain"], EPK_LDIR="/no/such/folder"):
        leaves(lab.archives(outcome.folder, count=1), 10)
        check(any("EPK_LDIR=/no/such/folder" in line for line in outcome.said()), what, outcome.said())


@case
def remote_file_systems(lab):
    nfs, ext4 = "0x6969", "0xef53"
    here = lab.folder()
    for system, place, expected in (nfs, None, "/dev/shm/"), (ext4, None, ""), (nfs, here, here):
        settings = dict(EPK_INTERNAL_FILE_SYSTEM=system, EPK_VERBOSE="1")
        if place:
            settings["EPK_LDIR"] = place
        for what, outcome in lab.same(SOURCE, ["few_files", "0", "1"], **settings):
            left = lab.unfinished(outcome.folder)
            arenas = [os.path.join(folder, "arenas", name) for folder in left
                      for name in os.listdir(os.path.join(folder, "arenas"))]
            check(len(arenas) == 1, what, system, arenas)
            check(os.path.realpath(arenas[0]).startswith(expected or left[0]), what, system, os.path.realpath(arenas[0]))
            said = [line for line in outcome.said() if "NFS" in line]
            check(len(said) == (1 if expected == "/dev/shm/" else 0), what, system, outcome.said())
            leaves([lab.recovered(outcome.folder)], 20)
            check(not os.path.exists(arenas[0]), what, "left", arenas[0])


# ---- environment and names


@case
def environment(lab):
    leaves(lab.kept(SOURCE, ["clears"], ("exit", "status 0")), 20)
    leaves(lab.kept(SOURCE, ["environment"], ("exit", "status 0"), HOME=None), 10)
    leaves(lab.kept(SOURCE, ["environment"], ("exit", "status 0"), HUGE="x" * 120000), 10)


@case
def odd_names(lab):
    for compiler in lab.compilers:
        guest = lab.build(SOURCE, compiler)
        folder = lab.folder()
        not_utf8 = b"\xff\xfe".decode("utf-8", "surrogateescape")
        for name in ["with space", "new\nline", "-", "ümlaut", not_utf8, "a" * 200, "%s%n", "'\"$(x)"]:
            place = os.path.join(folder, name)
            shutil.copy(guest, place)
            outcome = lab.run([place, "plain"])
            check(outcome.status == 0, repr(name), outcome.status)
            leaves(lab.archives(outcome.folder, count=1), 10)
        for zeroth in ["/", "-x", "a/b/", "x" * 5000]:
            rename = "import os,sys; os.execv(sys.argv[1], [sys.argv[2], 'plain'])"
            read = lab.run(["/usr/bin/env", "python3", "-c", rename, guest, zeroth])
            check(read.status == 0, repr(zeroth), read.status, read.err)
            leaves(lab.archives(read.folder, count=1), 10)


main(__file__)
