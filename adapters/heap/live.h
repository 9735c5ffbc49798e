// SPDX-License-Identifier: BSD-3-Clause
// Blocks that were allocated and not freed yet: where, and how large. In memory of its own, so that it may be used
// within malloc. Any thread may call any of it.
#ifndef EPIK_ADAPTERS_HEAP_LIVE_H_
#define EPIK_ADAPTERS_HEAP_LIVE_H_

#include <cstddef>
#include <cstdint>

namespace epik::heap {

struct Block {
  uint64_t address;  // 0: none
  uint64_t bytes;
  uint64_t place;  // of the call path that allocated it (epik_adapter_place)
};

// False: no memory for it; the block is not known then.
bool Keep(const Block& block);
// The block that began there, which is not live any more; address 0 when it is not known.
Block Take(uint64_t address);

// All blocks, one after the other.
void ForEach(void (*each)(const Block& block, void* context), void* context);

// Around fork(): nobody is at work on any of it. In the child the places mean nothing.
void LockAll();
void UnlockAll();
void ForgetPlaces();

}  // namespace epik::heap

#endif  // EPIK_ADAPTERS_HEAP_LIVE_H_
