#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The wrappers of one MPI implementation, from its preprocessed mpi.h and mpi.def. Run by the build."""
import argparse

import emit_c
import emit_fortran
import prototypes
import table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flavour", choices=["openmpi", "mpich"])
    parser.add_argument("--header", required=True, help="mpi.h after the preprocessor")
    parser.add_argument("--table", required=True, help="mpi.def")
    parser.add_argument("--settings", required=True, help="config/settings.h, which orders the groups")
    parser.add_argument("--c", required=True, help="to be written: wrappers of the C binding")
    parser.add_argument("--fortran", required=True, help="to be written: wrappers of the Fortran bindings")
    options = parser.parse_args()
    with open(options.header, encoding="utf-8", errors="replace") as file:
        functions = list(prototypes.parse(file.read()).values())
    with open(options.table, encoding="utf-8") as rules, open(options.settings, encoding="utf-8") as settings:
        meanings = table.Table(rules, settings.read())
    if len(functions) < 300:
        raise SystemExit(f"{options.header}: only {len(functions)} functions of MPI were understood")
    with open(options.c, "w", encoding="utf-8") as file:
        file.write(emit_c.emit(functions, meanings))
    with open(options.fortran, "w", encoding="utf-8") as file:
        file.write(emit_fortran.emit(functions, meanings, options.flavour))


if __name__ == "__main__":
    main()
