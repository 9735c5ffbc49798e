#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The memory that a .cubex file takes is that of its definitions: more values take none.
set -euo pipefail
scale=$1
cd "$TEST_TMPDIR"

peak() { sed -E 's/.* ([0-9]+)\.[0-9]+ MB peak/\1/'; }

for rows in 200 20000; do
  for what in write read; do
    declare "$what$rows=$("$scale" "$rows.cubex" 20000 256 "$rows" | peak)"
  done
done
# 1.6 and 160 MB of values.
for what in write read; do
  few=${what}200 many=${what}20000
  if ((${!many} > ${!few} + 20)); then
    echo "$what: ${!few} MB for 200 rows, ${!many} MB for 20000" >&2
    exit 1
  fi
done
