// SPDX-License-Identifier: BSD-3-Clause
// A lock in memory that processes share, any of which may be killed while it has it.
#ifndef EPIK_RUNTIME_MONITOR_SHARED_LOCK_H_
#define EPIK_RUNTIME_MONITOR_SHARED_LOCK_H_

#include <cstdint>

namespace epik::monitor {

// False: the process that has the lock is gone.
bool TakeSharedLock(uint32_t* lock);
inline void LeaveSharedLock(uint32_t* lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SHARED_LOCK_H_
