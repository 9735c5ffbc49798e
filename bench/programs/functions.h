// SPDX-License-Identifier: BSD-3-Clause
// Three hundred functions from one macro. FUNCTION(n) makes one, n from 000 to 299; ALL_FUNCTIONS(X) is X for each.
#ifndef EPIK_BENCH_PROGRAMS_FUNCTIONS_H_
#define EPIK_BENCH_PROGRAMS_FUNCTIONS_H_

#define FUNCTIONS_10(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define FUNCTIONS_100(X, n) \
  FUNCTIONS_10(X, n##0)     \
  FUNCTIONS_10(X, n##1)     \
  FUNCTIONS_10(X, n##2)     \
  FUNCTIONS_10(X, n##3)     \
  FUNCTIONS_10(X, n##4)     \
  FUNCTIONS_10(X, n##5) FUNCTIONS_10(X, n##6) FUNCTIONS_10(X, n##7) FUNCTIONS_10(X, n##8) FUNCTIONS_10(X, n##9)
#define ALL_FUNCTIONS(X) FUNCTIONS_100(X, 0) FUNCTIONS_100(X, 1) FUNCTIONS_100(X, 2)

enum { kFunctions = 300 };

#endif  // EPIK_BENCH_PROGRAMS_FUNCTIONS_H_
