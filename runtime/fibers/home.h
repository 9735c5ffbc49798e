// SPDX-License-Identifier: BSD-3-Clause
// The stack that a thread was created with.
#ifndef EPIK_RUNTIME_FIBERS_HOME_H_
#define EPIK_RUNTIME_FIBERS_HOME_H_

#include <cstdint>

namespace epik::fibers {

// A range of addresses.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool Has(uint64_t address) const { return address >= begin && address < end; }
  bool IsKnown() const { return end != 0; }
};

// The stack of the calling thread; `outermost` is the stack address of its outermost call. It is not known if the
// kernel's list of mappings cannot be read. Needs 500 bytes of the present stack. REQUIRES: signals are blocked.
Range HomeStack(uint64_t outermost);

}  // namespace epik::fibers

#endif  // EPIK_RUNTIME_FIBERS_HOME_H_
