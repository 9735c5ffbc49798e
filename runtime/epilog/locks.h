// SPDX-License-Identifier: BSD-3-Clause
// Numbers of locks in the trace, for locks of OpenMP and of libc. All threads of a process share the table.
#ifndef EPIK_RUNTIME_EPILOG_LOCKS_H_
#define EPIK_RUNTIME_EPILOG_LOCKS_H_

#include <cstdint>

namespace epik::epilog {

// The number of the lock with this address, from 1 on; 0: there is no room for more.
uint32_t NumberOfLock(uint64_t address);
// The same, but 0 if the lock has no number yet.
uint32_t FindLock(uint64_t address);

// Threads that wait until somebody signals the object with this number. Without any, a signal needs no record.
void AddWaiter(uint32_t number, int32_t by);
bool HasWaiters(uint32_t number);
// The number of such threads for all objects. Most programs signal far more often than threads wait.
extern int32_t signal_waiters;
inline bool HasAnyWaiters() { return __atomic_load_n(&signal_waiters, __ATOMIC_RELAXED) != 0; }

// How many threads open the barrier with this number; 0: not known.
void SetThreadsOf(uint32_t number, uint32_t threads);
uint32_t ThreadsOf(uint32_t number);

// Counts its acquisitions: the first is 1. REQUIRES: a number from above.
uint64_t NextOrderOf(uint32_t number);

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_LOCKS_H_
