// SPDX-License-Identifier: BSD-3-Clause
// Iterations of DOACROSS loops, as records name them.
#ifndef EPIK_ADAPTERS_OMP_DOACROSS_H_
#define EPIK_ADAPTERS_OMP_DOACROSS_H_

#include <cstdint>

namespace epik::omp {

struct DoacrossLoop {
  uint64_t place = 0;
  unsigned dimensions = 1;
  unsigned most = 1;  // dimensions of all loops that the thread has begun
};

// An iteration of a single loop has its own number. An iteration of several loops gets a number that hardly any other
// iteration has.
template <class Number>
uint64_t IterationOf(const Number* of_loops, unsigned dimensions) {
  auto iteration = static_cast<uint64_t>(of_loops[0]);
  for (unsigned d = 1; d < dimensions; ++d) {
    iteration = iteration * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(of_loops[d]);
  }
  return iteration;
}

}  // namespace epik::omp

#endif  // EPIK_ADAPTERS_OMP_DOACROSS_H_
