// SPDX-License-Identifier: BSD-3-Clause
// An instrumented library for hosts that know nothing of it.
static volatile int sink;
__attribute__((noinline)) void leaf(void) { sink = sink + 1; }
__attribute__((noinline)) int work(int times) {
  for (int i = 0; i < times; ++i) leaf();
  return times;
}
