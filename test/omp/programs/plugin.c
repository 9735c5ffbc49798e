// SPDX-License-Identifier: BSD-3-Clause
int Region(void) {
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += i;
  return sum;
}
