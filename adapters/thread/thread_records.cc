// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/thread_records.h"

#include <cerrno>

#include "runtime/epilog/capture.h"
#include "runtime/epilog/locks.h"
#include "runtime/episode/location_hot.h"

namespace epik::thread {

using event::Location;

Location* WhoLogs() {
  Location* location = episode::current;
  if (location == nullptr || (location->log_kinds & event::kLogRecords) == 0) return nullptr;
  return epilog::IsRecordChosen(location) ? location : nullptr;
}

void Log(Location* location, uint64_t now, event::RecordKind kind, const uint64_t* fields) {
  const int saved_errno = errno;
  epilog::LogRecordAt(location, now, kind, fields);
  if (location->last < now) location->last = now;
  errno = saved_errno;
}

uint32_t NumberOf(Location* location, const volatile void* object) {
  const uint32_t number = epilog::NumberOfLock(reinterpret_cast<uint64_t>(object));
  if (number == 0) ++location->unlogged;
  return number;
}

}  // namespace epik::thread
