// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/meeting_log.h"

#include "adapters/thread/thread_records.h"
#include "runtime/base/clock.h"

namespace epik::thread {

using event::Location;
using event::RecordKind;

void LogJoinWanted(uint64_t number) {
  Location* location = WhoLogs();
  if (location != nullptr) Log(location, base::Now(), RecordKind::kJoinWanted, &number);
}

void LogJoinGot(uint64_t number) {
  Location* location = WhoLogs();
  if (location == nullptr) return;
  base::SettleClock();  // not before the thread ended
  Log(location, base::Now(), RecordKind::kJoinGot, &number);
}

}  // namespace epik::thread
