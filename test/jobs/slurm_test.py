#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs started by Slurm's srun, by both MPIs: the controller and the node are this test's own, on this machine."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "test/user")
from harness import Bench, Profile, expect, main, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
STEPS = 60
# How srun and each MPI get to know each other.
MPIS = {"openmpi": "pmix", "mpich": "pmi2"}
PATIENCE_S = 60

CONFIGURATION = """
ClusterName=epik
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}
SlurmdSpoolDir={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=5
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES OverSubscribe=YES State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def patiently(what, is_so):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, f"{what}: not after {PATIENCE_S} s"
        time.sleep(0.1)


def user_name():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


@contextlib.contextmanager
def slurm():
    """The environment in which srun finds a controller and a node."""
    daemons = []
    # A short name, for the sake of sockets.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="epik_slurm_", dir="/tmp"))

    def start(name, *words, **settings):
        with open(folder / f"{name}.out", "wb") as log:
            daemons.append(subprocess.Popen([name, *map(str, words)], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", **settings}))

    def ready(env):
        asked = subprocess.run(["sinfo", "-h", "-o", "%t"], env=env, capture_output=True, text=True, check=False)
        return asked.stdout.strip() == "idle"

    try:
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
              f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munge.seed")
        patiently("munge", (folder / "munge.socket").exists)
        configuration = folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(host=socket.gethostname().split(".")[0], user=user_name(),
                                                      folder=folder, controller=free_port(), node=free_port()))
        env = {**os.environ, "SLURM_CONF": str(configuration)}
        start("slurmctld", "-D", "-c", SLURM_CONF=str(configuration))
        start("slurmd", "-D", "-c", SLURM_CONF=str(configuration))
        try:
            patiently("a node", lambda: ready(env))
        except AssertionError:
            for log in sorted(folder.glob("*.out")):
                print(f"{log.name}:\n{log.read_text(errors='replace')[-2000:]}")
            raise
        yield {"SLURM_CONF": str(configuration)}
    finally:
        for daemon in reversed(daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
        shutil.rmtree(folder, ignore_errors=True)


def bench(env):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(env)
    return b


def ring(b, mpi):
    return b.compile(f"mpicc.{mpi}", "ring.c", ["-O1", "-finstrument-functions"], instrument=None)


def srun(mpi, ranks, *words):
    return ["srun", f"--mpi={MPIS[mpi]}", "-n", ranks, *words]


def only_archive(b):
    patiently(f"an archive in {b.folder}", lambda: [a.suffix for a in b.archives()] == [""])
    return b.archives()[0]


def check_ring(b, ranks):
    archive = only_archive(b)
    expect("name", archive.name, f"epik_ring_{ranks}x1_sum")
    profile = Profile(b, archive)
    expect("ranks", profile.manifest["ranks"], ranks)
    for rank in range(ranks):
        visits = {row["region"]: int(row["visits"]) for row in profile.rows if int(row["rank"]) == rank}
        mine = [visits[name] for name in ("main", "exchange", "MPI_Init", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce")]
        expect(f"rank {rank}", mine, [1, STEPS, 1, STEPS, STEPS, STEPS])
    sent = sum(int(row["bytes_sent"] or 0) for row in profile.rows)
    expect("bytes", sent, 16 * STEPS * ranks)
    shutil.rmtree(archive)


def test_srun_starts_the_program(env):
    for mpi in MPIS:
        for ranks in (1, 2, 4):
            b = bench(env)
            b.run([b.epk, "run", *srun(mpi, ranks, ring(b, mpi))])
            check_ring(b, ranks)


def test_srun_starts_a_script(env):
    for mpi in MPIS:
        b = bench(env)
        script = b.folder / "job.sh"
        script.write_text(f"#!/bin/sh\n{ring(b, mpi)}\n")
        script.chmod(0o755)
        b.run([b.epk, "run", *srun(mpi, 2, script)])
        check_ring(b, 2)


def test_a_script_has_srun_in_it(env):
    for mpi in MPIS:
        b = bench(env)
        script = b.folder / "job.sh"
        script.write_text("#!/bin/sh\n" + " ".join(map(str, srun(mpi, 3, ring(b, mpi)))) + "\n")
        script.chmod(0o755)
        b.run([b.epk, "run", script])
        check_ring(b, 3)


def test_ranks_are_those_of_srun(env):
    for mpi in MPIS:
        b = bench(env)
        b.run([b.epk, "run", *srun(mpi, 3, ring(b, mpi))], env={"EPK_RANKS": "1"})
        profile = Profile(b, only_archive(b))
        measured = {int(row["rank"]) for row in profile.rows if row["region"] == "exchange" and int(row["visits"] or 0)}
        expect(f"{mpi}: who was measured", measured, {1})


def test_a_job_that_is_cancelled(env):
    for mpi in MPIS:
        b = bench(env)
        program = ring(b, mpi)
        job = subprocess.Popen([b.epk, "run", *map(str, srun(mpi, 2, program, "sleep"))], cwd=b.folder, env=b.env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        patiently("the job", lambda: (b.folder / "ready").exists())
        b.run(["scancel", "--name=ring"])
        _, said = job.communicate(timeout=PATIENCE_S)
        assert job.returncode != 0, said
        profile = Profile(b, only_archive(b))
        expect("ranks", profile.manifest["ranks"], 2)
        assert profile.manifest["ended"] != "exit", profile.manifest["ended"]
        for rank in range(2):
            visits = {row["region"]: int(row["visits"]) for row in profile.rows if int(row["rank"]) == rank}
            assert 41 <= visits["exchange"] <= 42, visits


def test_the_id_of_a_job_is_enough_to_monitor_it(env):
    for mpi in MPIS:
        b = Bench(PREFIX, "test/monitor/programs")
        b.env.update(env)
        program = b.compile(f"mpicc.{mpi}", "late.c", ["-O1", "-finstrument-functions"], instrument=None)
        job = subprocess.Popen([b.epk, "run", *map(str, srun(mpi, 3, program, 1))], cwd=b.folder, stderr=subprocess.PIPE,
                               env={**b.env, "EPK_MONITOR_BUFFER": "64k"}, stdout=subprocess.PIPE, text=True)
        patiently("the job", lambda: (b.folder / "started").exists())
        job_id = b.run(["squeue", "-h", "-n", "late", "-o", "%i"]).out.split()
        expect("jobs", len(job_id), 1)
        for word in (job_id[0], f"slurm:{job_id[0]}"):
            moment = json.loads(b.run([b.epk, "monitor", word, "--once", "--format", "json"]).out)
            expect(f"{mpi}: processes", moment["processes"], 3)
            assert moment["last_arrivals"][0]["comm"] == "MPI_COMM_WORLD" and moment["gathered"] > 3, moment
        (b.folder / "stop").touch()
        out, said = job.communicate(timeout=PATIENCE_S)
        expect("the job's status", (job.returncode, out), (0, ""))
        expect("name", only_archive(b).name, "epik_late_3x1_sum")


def with_slurm(tests):
    """Each test gets the environment of one Slurm for all."""
    with slurm() as env:
        return main({name: (lambda test=test: test(env)) if name.startswith("test_") else test
                     for name, test in tests.items()})


if __name__ == "__main__":
    sys.exit(with_slurm(globals()))
