#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reads our output with an independent reader. Arguments: cubex_sample, cubex_check.py.
set -eu
file="${TEST_TMPDIR:-/tmp}/sample.cubex"
"$1" "$file"
python3 "$2" "$file" --example
# The check itself must notice a changed value.
printf '\001' | dd of="$file" bs=1 seek=$((512 + 10)) conv=notrunc 2>/dev/null
if python3 "$2" "$file" --example 2>/dev/null; then
  echo "cubex_check.py accepts a changed value" >&2
  exit 1
fi
