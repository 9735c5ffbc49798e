// SPDX-License-Identifier: BSD-3-Clause
// Values of events beside their time: bytes, messages, values of the user's. Each is a metric node below its call path,
// so it is found, kept and recovered like any other node.
#ifndef EPIK_RUNTIME_EPISODE_METRICS_H_
#define EPIK_RUNTIME_EPISODE_METRICS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// Adds to a built-in metric (runtime/event/metrics.def) of the current call path.
void AddInteger(event::Location* location, uint32_t metric, uint64_t value);
// The same for several values at once. REQUIRES: count > 0.
struct Values {
  uint64_t count, sum, min, max;
};
void AddValues(event::Location* location, uint32_t metric, const Values& values);
// Adds to one metric, and to a second one unless that is 0.
void AddIntegers(event::Location* location, uint32_t metric, uint64_t value, uint32_t second, uint64_t second_value);

// Adds to a metric of another call path of this location. REQUIRES: inside.
void AddIntegerAt(event::Location* location, uint32_t node, uint32_t metric, uint64_t value);

// Adds to a metric of the user's.
void AddReal(event::Location* location, uint32_t metric, double value);

// Counts a message at the current call path, and in this process's row of the communication matrix if `rank` is a rank
// of MPI_COMM_WORLD. Negative: it is in no matrix.
void AddSent(event::Location* location, int32_t rank, uint64_t bytes);

// Subtracts a value that the same thread added at that call path. The smallest and largest value stay.
void TakeBack(event::Location* location, uint32_t node, uint32_t metric, uint64_t value);
void TakeBackFromPeer(event::Location* location, uint32_t rank, uint64_t bytes);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_METRICS_H_
