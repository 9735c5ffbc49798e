#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# ./dev refuses words that it does not know, and prints help, before it installs, builds or removes anything.
set -u

failures=0
fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

# A checkout whose tools only note that somebody called them.
checkout=$TEST_TMPDIR/checkout
mkdir -p "$checkout/bench" "$checkout/.cache/kept" "$TEST_TMPDIR/bin"
cp dev "$checkout/"
cp bench/*.py "$checkout/bench/"
for tool in bazel apt-get npm sudo clang-format; do
  printf '#!/bin/sh\necho "%s $*" >> "%s/called"\nexit 1\n' "$tool" "$TEST_TMPDIR" > "$TEST_TMPDIR/bin/$tool"
  chmod +x "$TEST_TMPDIR/bin/$tool"
done
export PATH=$TEST_TMPDIR/bin:$PATH

# expect STATUS WORDS COMMAND…: nothing is called, and the words are in the output.
expect() {
  local status=$1 words=$2 said
  shift 2
  said=$("$checkout/dev" "$@" 2>&1)
  local got=$?
  [[ $got == "$status" ]] || fail "./dev $*: status $got, not $status: $said"
  [[ $said == *"$words"* ]] || fail "./dev $*: '$words' is not said: $said"
  [[ ! -e $TEST_TMPDIR/called ]] || fail "./dev $*: called $(cat "$TEST_TMPDIR/called")"
  rm -f "$TEST_TMPDIR/called"
}

for command in demo setup build stage asan tsan format clean help test fuzz lint; do
  expect 1 "./dev $command: unknown argument: nonsense" $command nonsense
done
expect 1 "./dev fuzz: unknown argument: more" fuzz 3 more
expect 1 "usage: ./dev install PREFIX" install
expect 1 "usage: ./dev install PREFIX" install --prefix
expect 1 "no such command: nonsense" nonsense
for command in demo setup build install test fuzz lint asan clean; do
  expect 0 "./dev COMMAND" $command --help
done
for which in "" cost events perturbation compare; do
  # shellcheck disable=SC2086 # no word, or one
  expect 0 "usage: ${which:-run}.py" bench $which --help
  # shellcheck disable=SC2086
  expect 2 "unrecognized arguments: --nonsense" bench $which --nonsense
done
[[ -d $checkout/.cache/kept ]] || fail "./dev clean nonsense removed .cache"
exit $((failures > 0))
