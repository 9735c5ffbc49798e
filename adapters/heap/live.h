// SPDX-License-Identifier: BSD-3-Clause
// Blocks that were allocated and not freed yet, with their sizes and call paths. It uses memory of its own, so it works
// within malloc. Any thread may call any function.
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

// Remembers a block. False: no memory, so the block is not known.
bool Keep(const Block& block);
// Removes and returns the block at this address; its address is 0 when it is not known.
Block Take(uint64_t address);

// Visits all blocks.
void ForEach(void (*each)(const Block& block, void* context), void* context);

// Around fork(): no other thread may hold a lock. In the child the places have no meaning.
void LockAll();
void UnlockAll();
void ForgetPlaces();

}  // namespace epik::heap

#endif  // EPIK_ADAPTERS_HEAP_LIVE_H_
