#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function of the installed mpi.h is wrapped, and every Fortran entry point that does not end in a C symbol.

wrappers_test.py FLAVOUR LIBRARY: counted without the generator's parser, from the output of the preprocessor and nm.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import cases  # noqa: E402

# Fortran names that make no call, or that have no C function.
NO_CALLS = re.compile(r"mpix?_(sizeof_|f_sync_reg|aint_|conversion_fn|fortran_|\w*_(dup|null_copy|null_delete)_fn|(dup|null)_\w*fn)")


def text_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def defined(library):
    lines = map(str.split, text_of("nm", "-D", "--defined-only", library).splitlines())
    return {words[-1].split("@")[0] for words in lines if words[1] in "TW"}


def declared(flavour):
    """Names that mpi.h declares with a PMPI twin; MPI_DUP_FN and its like are functions to be passed, not called."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "all.c"
        source.write_text("#include <mpi.h>\n")
        text = text_of(f"mpicc.{flavour}", "-E", "-P", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", str(source))
    names = set(re.findall(r"\b(P?MPIX?_\w*[a-z]\w*)\s*\(", text))
    return {name for name in names if f"P{name}" in names}


def fortran(flavour):
    folder = pathlib.Path("/usr/lib/x86_64-linux-gnu")
    if flavour == "openmpi":
        names = defined(folder / "libmpi_mpifh.so.40") | defined(folder / "libmpi_usempif08.so.40")
        wanted = r"mpix?_\w*[a-z]_"
    else:
        # Its other bindings call MPI_…, which is wrapped.
        names = defined(folder / "libmpichfort.so.12")
        wanted = r"mpix?_\w+_f08_(large_)?"
    return {name for name in names if re.fullmatch(wanted, name) and not NO_CALLS.match(name)}


def main():
    flavour, library = sys.argv[1:]
    if not cases.installed(f"mpicc.{flavour}"):
        return cases.Results(flavour).finish()
    exported = defined(library)
    status = 0
    for what, wanted in (("functions in mpi.h", declared(flavour)), ("Fortran entry points", fortran(flavour))):
        missing = sorted(wanted - exported)
        print(f"{flavour}: {len(wanted)} {what}, {len(wanted) - len(missing)} wrapped")
        if missing or len(wanted) < 200:
            print("missing:", *missing)
            status = 1
    beyond = sorted(name for name in exported if not re.match(r"mpix?_|MPIX?_", name))
    if beyond:
        print("exported, but no wrapper:", *beyond)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
