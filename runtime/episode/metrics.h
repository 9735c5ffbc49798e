// SPDX-License-Identifier: BSD-3-Clause
// What events carry beside their time: bytes, messages, values of the user's. Each is a metric node below the call path
// it belongs to, so that it is found, kept and recovered as any other node.
#ifndef EPIK_RUNTIME_EPISODE_METRICS_H_
#define EPIK_RUNTIME_EPISODE_METRICS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// To a built-in metric (runtime/event/metrics.def) of the current call path.
void AddInteger(event::Location* location, uint32_t metric, uint64_t value);
// To one, and to a second one unless that is 0.
void AddIntegers(event::Location* location, uint32_t metric, uint64_t value, uint32_t second, uint64_t second_value);

// To one of another call path of this location. REQUIRES: inside.
void AddIntegerAt(event::Location* location, uint32_t node, uint32_t metric, uint64_t value);

// To a metric of the user's.
void AddReal(event::Location* location, uint32_t metric, double value);

// A message of so many bytes went to a rank of MPI_COMM_WORLD: the row of the communication matrix.
void AddToPeer(event::Location* location, uint32_t rank, uint64_t bytes);

// What was added by the same thread at that call path is less again. Smallest and largest stay.
void TakeBack(event::Location* location, uint32_t node, uint32_t metric, uint64_t value);
void TakeBackFromPeer(event::Location* location, uint32_t rank, uint64_t bytes);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_METRICS_H_
