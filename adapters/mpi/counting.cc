// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/counting.h"

#include "adapters/abi/abi.h"
#include "adapters/mpi/record_time.h"
#include "runtime/event/trace.h"

namespace epik::mpi {

namespace {

int counted_from_start = 0;  // kEpikCollects, kEpikSteps

void Log(uint64_t number, int kinds) {
  const bool from_start = (counted_from_start & kinds) == kinds;
  LogWords(from_start ? event::RecordKind::kTurn : event::RecordKind::kTurnSince, &number);
}

}  // namespace

void RememberWhatCounts() { counted_from_start = epik_adapter_noted(); }

void LogTurn(const Turn& turn) { Log(turn.is_certain ? turn.sequence : 0, kEpikSteps); }

void LogTurnOfOperation(uint32_t sequence) { Log(sequence, kEpikCollects); }

void LogTurnOfStart(uint64_t init, uint32_t start) {
  const uint64_t number = init << 32 | start;
  LogWords(event::RecordKind::kTurn, &number);
}

}  // namespace epik::mpi
