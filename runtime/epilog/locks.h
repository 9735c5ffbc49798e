// SPDX-License-Identifier: BSD-3-Clause
// Locks have numbers in the trace, whoever made them: OpenMP or libc. All threads of a process share the table.
#ifndef EPIK_RUNTIME_EPILOG_LOCKS_H_
#define EPIK_RUNTIME_EPILOG_LOCKS_H_

#include <cstdint>

namespace epik::episode {

// The number of the lock with this address, from 1 on; 0: there is no room for more.
uint32_t NumberOfLock(uint64_t address);
// Counts its acquisitions: the first is 1. REQUIRES: a number from above.
uint64_t NextOrderOf(uint32_t number);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPILOG_LOCKS_H_
