#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh GROUP COMPILERS [CASE...]: from the runfiles of Bazel, or anywhere with the built files below the folder.
exec python3 -B "$(dirname "$0")/$1.py" "$@"
