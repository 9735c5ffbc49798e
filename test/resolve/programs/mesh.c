/* SPDX-License-Identifier: BSD-3-Clause
 * Two libraries are made of it, of one name in two folders. */
__attribute__((noinline)) static int hidden(int n) { return n * SCALE; }

int mesh_entry(int n) {
  int sum = 0;
  for (int i = 0; i < SCALE; ++i) sum += hidden(n);
  return sum;
}
