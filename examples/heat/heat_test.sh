#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the example with its own Makefile, with and without hooks: the result does not depend on ranks and threads.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")" && pwd)
work=${TEST_TMPDIR:-$(mktemp -d)}/heat
mkdir -p "$work"
cp "$source_dir"/{heat.c,Makefile} "$work"
cd "$work"
export HOME=${HOME:-$work} OMP_WAIT_POLICY=passive OMPI_MCA_rmaps_base_oversubscribe=1

expected=4.049028

check() { # RANKS THREADS
  local output checksum
  output=$(OMP_NUM_THREADS=$2 timeout 120 mpirun.openmpi --oversubscribe --allow-run-as-root --bind-to none \
    -n "$1" ./heat 96 80 40)
  checksum=$(awk '$1 == "checksum" { print $2 }' <<<"$output")
  if ! awk -v a="$checksum" -v b="$expected" 'BEGIN { d = a - b; exit !(a != "" && d * d < 1e-10) }'; then
    printf '%s\nheat on %s x %s: checksum %s, expected %s\n' "$output" "$1" "$2" "$checksum" "$expected" >&2
    exit 1
  fi
}

for flags in "-O2 -fopenmp -Wall -Wextra -Werror" "-O2 -fopenmp -finstrument-functions"; do
  make -s clean
  make -s CC=mpicc.openmpi CFLAGS="$flags"
  check 1 1
  check 2 2
  check 3 1
done
echo "heat: checksum $expected on 1x1, 2x2 and 3x1"
