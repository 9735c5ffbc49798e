// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_RUNTIME_BASE_OWN_HEAP_H_
#define EPIK_RUNTIME_BASE_OWN_HEAP_H_

#include <cstddef>

namespace epik::base {

// A block for `new` within libepk.so (own_new.cc), aligned to 16 bytes; null: no memory.
void* TakeOwn(size_t bytes);
void GiveOwn(void* block);

// Makes room for 128 KiB of blocks, their heads included. False: there is no memory for it.
bool ReserveOwn();

// In a forked child: the thread that held the lock does not exist.
void ForgetOwnHeapLock();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_OWN_HEAP_H_
