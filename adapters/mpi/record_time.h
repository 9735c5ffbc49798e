// SPDX-License-Identifier: BSD-3-Clause
// Logs records, several of which may have one time: a look at the clock takes longer than the rest of a record.
#ifndef EPIK_ADAPTERS_MPI_RECORD_TIME_H_
#define EPIK_ADAPTERS_MPI_RECORD_TIME_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/trace.h"

namespace epik::mpi {

// Logs a record of these fields. Returns its time; 0: it was not logged.
uint64_t LogWords(event::RecordKind kind, const uint64_t* words);
// Records that a thread logs meanwhile have the time of the first one, because what they are about has happened when a
// call of MPI came back.
enum : uint64_t { kNow = 0, kNowOfSeveral = 1 };  // or that time
extern __thread uint64_t time_of_records;
class OneTime {
 public:
  EPIK_HOT OneTime() { time_of_records = kNowOfSeveral; }
  EPIK_HOT ~OneTime() { time_of_records = kNow; }
  OneTime(const OneTime&) = delete;
  OneTime& operator=(const OneTime&) = delete;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_RECORD_TIME_H_
