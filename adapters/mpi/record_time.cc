// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/record_time.h"

#include "adapters/abi/abi.h"

namespace epik::mpi {

__thread uint64_t time_of_records = kNow;

uint64_t LogWords(event::RecordKind kind, const uint64_t* words) {
  const uint64_t time = time_of_records;
  if (time > kNowOfSeveral) return epik_adapter_record_at(time, static_cast<uint32_t>(kind), words);
  const uint64_t now = epik_adapter_record(static_cast<uint32_t>(kind), words);
  if (time == kNowOfSeveral && now != 0) time_of_records = now;
  return now;
}

}  // namespace epik::mpi
