# SPDX-License-Identifier: BSD-3-Clause
"""Makes programs of MPICH give their processor away while they wait. Without it, jobs of more processes than processors
take 40 times as long, and their measurements scatter."""

import functools
import os
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "patient_mpich.c"
NO_PROGRAM = ("-c", "-E", "-S", "-shared")


@functools.cache
def patient_object():
    made = pathlib.Path(tempfile.mkdtemp(prefix="epik_patient_", dir=os.environ.get("TEST_TMPDIR"))) / "patient_mpich.o"
    subprocess.run(["gcc", "-O2", "-fPIC", "-c", str(SOURCE), "-o", str(made)], check=True)
    return str(made)


def patient(words):
    """The words of a compiler, with the object behind them if they make a program of MPICH."""
    of_mpich = any(str(word).endswith(".mpich") for word in words)
    return [*words, patient_object()] if of_mpich and not any(word in NO_PROGRAM for word in words) else [*words]
