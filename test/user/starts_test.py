#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of MPI as people start them: one archive for a job, compiled in any way, and a reason if there are more."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Bench, Profile, expect, installed, main, need, stage  # noqa: E402

PREFIX = stage()
SOURCE = """
#include <mpi.h>
__attribute__((noinline)) int twice(int x) { return 2 * x; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int done = twice(21);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return done != 42;
}
"""
PYTHON = """#!/usr/bin/env python3
import ctypes
ctypes.CDLL("./libjob.so").job(0, None)
"""
# By MPI: the variable that names the compiler below its wrapper, and options of its mpirun.
MPIS = {"openmpi": ("OMPI_CC", ["--oversubscribe"]), "mpich": ("MPICH_CC", [])}
for compiler in ("gcc", "mpicc"):
    (PREFIX / "bin" / f"epk-{compiler}").symlink_to("epk")


def benches():
    """(MPI, bench) of each MPI that is here; plain `mpicc` is its wrapper."""
    there = [mpi for mpi in MPIS if installed(f"mpirun.{mpi}") and installed(f"mpicc.{mpi}")]
    need(there, "MPI")
    for mpi in there:
        b = Bench(PREFIX, ".")
        (b.folder / "bin").mkdir()
        (b.folder / "bin/mpicc").symlink_to(f"/usr/bin/mpicc.{mpi}")
        b.env.update(PATH=f"{b.folder}/bin:{PREFIX}/bin:{b.env['PATH']}")
        (b.folder / "job.c").write_text(SOURCE)
        yield mpi, b


def start(b, mpi, program, before=()):
    """Runs two ranks. Returns their archives and messages."""
    known = set(b.archives())
    said = b.run([*before, f"mpirun.{mpi}", *MPIS[mpi][1], "-n", 2, f"./{program}"]).err
    return [a for a in b.archives() if a not in known], said


def one_archive(b, mpi, program):
    (archive,), said = start(b, mpi, program)
    profile = Profile(b, archive)
    expect(f"{program} under {mpi}", [profile.visits(region=r) for r in ("twice", "MPI_Barrier")], [2, 2])
    assert "archive of its own" not in said, said


def test_one_archive_a_job_without_epk_run():
    for mpi, b in benches():
        below = MPIS[mpi][0]
        for name, words, env in (("one_word", ["epk-mpicc"], {}), ("below", ["mpicc"], {below: "epk-gcc"}),
                                 ("before", [b.epk, "instrument", "mpicc"], {})):
            b.run([*words, "-c", "job.c", "-o", f"{name}.o"], env=env)
            b.run([*words, f"{name}.o", "-o", name], env=env)
            one_archive(b, mpi, name)


def test_a_compiler_without_wrapper_that_links_mpi():
    for mpi, b in benches():
        words = b.run(["mpicc", "-show"]).out.split()[1:]
        b.run(["epk-gcc", "job.c", *words, "-o", "direct"])
        one_archive(b, mpi, "direct")


def test_without_the_library_for_mpi_each_rank_says_why_it_is_alone():
    for mpi, b in benches():
        b.run(["mpicc", "-finstrument-functions", "job.c", "-o", "bare", f"-L{PREFIX}/lib", "-lepk",
               f"-Wl,-rpath,{PREFIX}/lib"])
        archives, said = start(b, mpi, "bare")
        expect(f"archives under {mpi}", len(archives), 2)
        assert said.count("EPIK's library for MPI was not loaded; start them with `epk run mpirun ...`") == 2, said
        one, said = start(b, mpi, "bare", [b.epk, "run"])  # which loads it
        expect(f"archives by epk run under {mpi}", len(one), 1)


def test_a_script_of_an_interpreter_gives_its_archive_the_name():
    for mpi, b in benches():
        b.run(["epk-mpicc", "-shared", "-fPIC", "-Dmain=job", "job.c", "-o", "libjob.so"])
        (b.folder / "solver.py").write_text(PYTHON)
        (b.folder / "solver.py").chmod(0o755)
        for words, program, suffix in ((["python3", "-u", "solver.py", "-m", "x"], "solver.py", ""),
                                       (["python3", "-m", "solver"], "solver", ""), (["./solver.py"], "solver.py", ".1")):
            known = set(b.archives())
            b.run([b.epk, "run", f"mpirun.{mpi}", *MPIS[mpi][1], "-n", 2, *words])
            (archive,) = set(b.archives()) - known
            expect(f"{words} under {mpi}", archive.name, f"epik_{program}_2x1_sum{suffix}")
            expect("program", Profile(b, archive).manifest["program"], program)


def test_a_job_in_a_script_is_named_once():
    for mpi, b in benches():
        b.run(["epk-mpicc", "job.c", "-o", "job"])
        for where, named in (("", 0), (" 2> log", 1)):
            (b.folder / "job.sh").write_text(f"mpirun.{mpi} {' '.join(MPIS[mpi][1])} -n 2 ./job{where}\n")
            known = set(b.archives())
            said = b.run([b.epk, "run", "sh", "job.sh"]).err
            expect(f"archives of {mpi}{where}", len(set(b.archives()) - known), 1)
            expect(f"{mpi}{where}: {said}", said.count("epk run: 1 archive: epk report "), named)
            expect(f"digests under {mpi}{where}", said.count("[EPIK] next: "), 1 - named)


def test_the_mpirun_of_another_mpi_is_noticed():
    need(all(installed(f"mpirun.{mpi}") for mpi in MPIS), "both Open MPI and MPICH")
    for mpi, b in benches():
        (other,) = set(MPIS) - {mpi}
        b.run(["epk-mpicc", "job.c", "-o", "job"])
        archives, said = start(b, other, "job", [b.epk, "run"])
        expect(f"archives under {other}, {said}", len(archives), 2)
        names = {"openmpi": "Open MPI", "mpich": "MPICH"}
        assert f"mpirun.{other} belongs to {names[other]}, the program to {names[mpi]}" in said, said
        assert "is the mpirun of another MPI than the program?" in said, said


if __name__ == "__main__":
    sys.exit(main(globals()))
