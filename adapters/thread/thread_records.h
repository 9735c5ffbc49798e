// SPDX-License-Identifier: BSD-3-Clause
// Shared by the records of threads that wait for each other in libc: the location that logs, and how.
#ifndef EPIK_ADAPTERS_THREAD_THREAD_RECORDS_H_
#define EPIK_ADAPTERS_THREAD_THREAD_RECORDS_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::thread {

// The location of the calling thread if it has to log a record now. Null also if the measurement of its process has
// ended meanwhile.
EPIK_COLD event::Location* WhoLogs();

// Keeps errno.
EPIK_COLD void Log(event::Location* location, uint64_t now, event::RecordKind kind, const uint64_t* fields);

// The number of a lock or the like. 0: there is no room for more, and the record is lost.
EPIK_COLD uint32_t NumberOf(event::Location* location, const volatile void* object);

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_THREAD_RECORDS_H_
