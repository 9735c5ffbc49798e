// SPDX-License-Identifier: BSD-3-Clause
#define OMP(...) _Pragma(#__VA_ARGS__)
#define DIRECTIVE(...) OMP(omp __VA_ARGS__)
#define EACH(i, n) DIRECTIVE(for schedule(dynamic)) \
  for (int i = 0; i < (n); ++i)
