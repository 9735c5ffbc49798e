# SPDX-License-Identifier: BSD-3-Clause
"""Programs and libraries that come to EPIK in unusual ways."""
import os
import shutil
import subprocess
import sys
import time

from harness import LITTLE_STACK, case, check, main, need


def compiled(lab, *command):
    done = subprocess.run([str(word) for word in command], capture_output=True, env=lab.environment(TMPDIR=lab.root))
    check(done.returncode == 0, command, done.stderr.decode())


def source(lab, name):
    return os.path.join(lab.here, "programs", name)


def check_library(lab, words, *more):
    folder = lab.folder()
    library = os.path.join(folder, "liblate.so")
    compiled(lab, lab.epk, "instrument", "gcc", "-g", "-shared", "-fPIC", source(lab, "late_library.c"), "-o", library)
    outcome = lab.run([*words, library, *more], preload=False, folder=folder)
    check(outcome.status == 0 and outcome.out == b"7\n", outcome.out, outcome.err)
    archive = lab.archives(folder, count=1)[0]
    check(archive.visits("leaf") == 7 and archive.visits("work") == 1, archive.names)


@case
def a_library_that_a_plain_host_loads(lab):
    host = os.path.join(lab.folder(), "host")
    compiled(lab, "gcc", source(lab, "host.c"), "-o", host, "-ldl")
    check_library(lab, [host])


@case
def a_library_that_a_host_loads_last(lab):
    """Other libraries have taken the room for thread-local variables, except for 64 bytes, rounded up."""
    folder = lab.folder()
    host = os.path.join(folder, "host")
    compiled(lab, "gcc", source(lab, "host.c"), "-o", host, "-ldl")
    compiled(lab, "gcc", "-shared", "-fPIC", source(lab, "filler.c"), "-o", os.path.join(folder, "0.so"))
    for number in range(1, 128):
        shutil.copy(os.path.join(folder, "0.so"), os.path.join(folder, "%d.so" % number))
    count = int(subprocess.run([host, "-", folder], capture_output=True, check=True).stdout)
    need(0 < count < 128, "a C library with a limit for thread-local variables")
    check_library(lab, [host], folder, str(count - 2))


@case
def thread_local_variables_are_few(lab):
    """The loader has room for 1,664 bytes for all libraries together; libgomp and MPI's libraries need some of it,
    too."""
    headers = subprocess.run(["readelf", "-lW", lab.library], capture_output=True, check=True).stdout.decode()
    sizes = [int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["TLS"]]
    check(sizes and sizes[0] <= 64, sizes)


@case
def a_library_that_an_interpreter_loads(lab):
    check_library(lab, [sys.executable, "-c", "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).work(7))"])


@case
def reductions_of_tasks(lab):
    for compiler, name, ways in (("gcc", "reduction.c", 8), ("gfortran", "reduction.f90", 7)):
        expected = b"499500\n" * ways
        guest = os.path.join(lab.folder(), "guest")
        compiled(lab, lab.epk, "instrument", compiler, "-g", "-fopenmp", source(lab, name), "-o", guest)
        outcome = lab.run([guest], preload=False)
        check(outcome.status == 0 and outcome.out == expected, name, outcome.out, outcome.err)
        lab.archives(outcome.folder, count=1)


@case
def an_openmp_program_without_a_call(lab):
    for compiler in "gcc", "clang":
        guest = os.path.join(lab.folder(), "guest")
        compiled(lab, compiler, "-fopenmp", source(lab, "quiet.c"), "-o", guest)
        outcome = lab.run([guest])
        check(outcome.status == 0 and outcome.out == b"1\n", outcome.out, outcome.err)
        check(outcome.err == b"", compiler, outcome.err)
        check(os.listdir(outcome.folder) == [], compiler, os.listdir(outcome.folder))


@case
def an_exit_on_a_small_stack(lab):
    lab.needs_no_sanitizer(LITTLE_STACK)
    for linked in True, False:
        guest = lab.build("privileged.c", "gcc", linked=linked)
        for kilobytes in "16", "24", "64", "160":
            outcome = lab.run([guest, "exits_from_a_small_stack", kilobytes], preload=not linked)
            check(os.WIFEXITED(outcome.status) and os.WEXITSTATUS(outcome.status) == 7, kilobytes, outcome.status)
            with open(os.path.join(outcome.folder, "below"), "rb") as file:
                check(file.read(64 * 4096) == b"\x5a" * 64 * 4096, kilobytes, "data below the stack was overwritten")
            check(lab.archives(outcome.folder, count=1)[0].visits("leaf") == 11)


@case
def programs_that_are_called_like_launchers(lab):
    plain = lab.build("privileged.c", "gcc", linked=True)
    for name in "timeout", "nice", "env", "srun", "mpirun":
        folder = lab.folder()
        os.symlink(plain, os.path.join(folder, name))
        done = subprocess.run([lab.epk, "run", "./" + name, "started_with_rights"], cwd=folder, capture_output=True,
                              env=lab.environment(LD_PRELOAD=lab.sanitizer.preload()))
        check(done.returncode == 0 and done.stdout == b"secure 0\n", name, done.stdout, done.stderr)
        check(lab.archives(folder, count=1)[0].visits("leaf") == 10, name)


@case
def an_address_sanitizer_behind_a_script(lab):
    lab.needs_no_sanitizer("the program brings a runtime of its own")
    guest = os.path.join(lab.folder(), "guest")
    done = subprocess.run(["gcc", "-g", "-fsanitize=address", "-finstrument-functions", source(lab, "sanitized.c"), "-o",
                           guest], capture_output=True, env=lab.environment(TMPDIR=lab.root))
    need(done.returncode == 0, "gcc's address sanitizer")
    script = guest + ".sh"
    with open(script, "w") as file:
        file.write("#!/bin/sh\nexec '%s' \"$@\"\n" % guest)
    os.chmod(script, 0o755)
    folder = lab.folder()
    done = subprocess.run([lab.epk, "run", script], cwd=folder, env=lab.environment(), capture_output=True)
    check(done.returncode == 0 and done.stdout == b"0\n", done.returncode, done.stderr)
    check(lab.archives(folder, count=1)[0].visits("leaf") == 10)
    done = subprocess.run([lab.epk, "run", script, "beyond"], cwd=lab.folder(), env=lab.environment(),
                          capture_output=True)
    check(done.returncode != 0 and b"heap-buffer-overflow" in done.stderr, done.returncode, done.stderr)


@case
def what_a_sanitizer_ends(lab):
    """A sanitizer ends the program by a bare system call."""
    lab.needs_no_sanitizer("the program brings a runtime of its own")
    for compiler in lab.compilers:
        guest = os.path.join(lab.folder(), "guest")
        done = subprocess.run([lab.epk, "instrument", compiler, "-g", "-fsanitize=address", source(lab, "sanitized.c"), "-o",
                               guest], capture_output=True, env=lab.environment(TMPDIR=lab.root))
        need(done.returncode == 0, compiler + "'s address sanitizer")
        for how, visits in ("beyond", 11), ("leak", 10):
            bare = lab.run([guest, how], measured=False, preload=False)
            outcome = lab.run([guest, how], preload=False)
            check(outcome.status == bare.status != 0 and outcome.out == bare.out, how, outcome.status, outcome.err)
            archive = lab.archives(outcome.folder, count=1)[0]
            check(archive.visits("leaf") == visits, compiler, how, archive.visits("leaf"))
            check(archive.ended() == ("abort", ""), compiler, how, archive.ended())


@case
def an_allocator_that_wraps_mmap(lab):
    library = os.path.join(lab.folder(), "libmaps.so")
    compiled(lab, "gcc", "-shared", "-fPIC", "-pthread", source(lab, "wrapped_mmap.c"), "-o", library)
    guest = os.path.join(lab.folder(), "guest")
    compiled(lab, "gcc", "-finstrument-functions", source(lab, "sanitized.c"), "-o", guest)
    for libraries in (library, lab.library), (lab.library, library):
        outcome = lab.run([guest], LD_PRELOAD=":".join(libraries), seconds=20)
        check(outcome.status == 0, outcome.status, outcome.err)
        check(lab.archives(outcome.folder, count=1)[0].visits("leaf") == 10, libraries)


@case
def a_debugger_of_threads(lab):
    """drd keeps an account of each lock and semaphore, from its begin to its end."""
    lab.needs_no_sanitizer("valgrind cannot run its runtime")
    need(shutil.which("valgrind"), "valgrind")
    guest = lab.build("fake_time.c", "gcc", "-DHOSTED", linked=True)
    outcome = lab.run(["valgrind", "-q", "--tool=drd", guest], preload=False)
    check(outcome.status == 3 << 8 and outcome.out == b"10\n", outcome.status, outcome.err)
    check(lab.archives(outcome.folder, count=1)[0].visits("leaf") == 10)


@case
def a_library_that_makes_time_faster(lab):
    """It replaces functions of libc that EPIK needs before the library's constructors and after its destructors."""
    library = os.path.join(lab.folder(), "libfaster.so")
    compiled(lab, "gcc", "-shared", "-fPIC", "-pthread", source(lab, "fake_time.c"), "-o", library)
    preloads = (library, lab.library), (lab.library, library), (library,)
    for timer, libraries in [(timer, libraries) for timer in ("tsc", "monotonic") for libraries in preloads]:
        guest = lab.build("fake_time.c", "gcc", "-DHOSTED", linked=lab.library not in libraries)
        begin = time.monotonic()
        outcome = lab.run([guest], LD_PRELOAD=":".join(libraries), EPK_TIMER=timer, seconds=20)
        longest = time.monotonic() - begin
        check(outcome.status == 3 << 8 and outcome.out == b"10\n", timer, libraries, outcome.status, outcome.err)
        archive = lab.archives(outcome.folder, count=1)[0]
        check(archive.visits("leaf") == 10, libraries, archive.visits("leaf"))
        taken = archive.total("main", "time")
        check(0.05 <= taken <= longest, timer, libraries, taken, "s of", longest)


@case
def an_auditor_of_the_loader(lab):
    """After the destructors, such a loader clears the variables of libc when it loads a library."""
    lab.needs_no_sanitizer("nobody knows whether its runtime bears an auditor")
    auditor = os.path.join(lab.folder(), "auditor.so")
    compiled(lab, "gcc", "-shared", "-fPIC", source(lab, "auditor.c"), "-o", auditor)
    ways = ("variable", {"LD_AUDIT": auditor}), ("variable, no such file", {"LD_AUDIT": "/nowhere/auditor.so"})
    programs = [(name, variables, lab.build("fake_time.c", "gcc", "-DHOSTED")) for name, variables in ways]
    for option in "--audit", "--depaudit":
        programs.append((option, {}, lab.build("fake_time.c", "gcc", "-DHOSTED", "-Wl,%s=%s" % (option, auditor))))
    for name, variables, guest in programs:
        outcome = lab.run([guest], **variables)
        check(outcome.status == 3 << 8 and outcome.out == b"10\n", name, outcome.status, outcome.err)
        archive = lab.archives(outcome.folder, count=1)[0]
        check(archive.visits("leaf") == 10 and archive.ended() == ("exit", "status 3"), name, archive.ended())


if __name__ == "__main__":
    main(__file__)
