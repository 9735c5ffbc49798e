#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh GROUP COMPILERS [CASE...]: as test/guests/run.sh, whose harness this is.
here=$(dirname "$0")
PYTHONPATH="$here/../guests" exec python3 -B "$here/$1.py" "$@"
