/* SPDX-License-Identifier: BSD-3-Clause
 * The test makes two libraries of it, with the same name in two folders. */
__attribute__((noinline)) static int hidden(int n) { return n * SCALE; }

int mesh_entry(int n) {
  int sum = 0;
  for (int i = 0; i < SCALE; ++i) sum += hidden(n);
  return sum;
}
