// SPDX-License-Identifier: BSD-3-Clause
// How much is done at a time. In bulk, it costs the least; in slices, it takes no longer than a thread waits for the
// result of an operation, if it is done right then (EPK_MONITOR_SCHEDULE).
#ifndef EPIK_RUNTIME_MONITOR_SLICES_H_
#define EPIK_RUNTIME_MONITOR_SLICES_H_

#include <cstdint>

namespace epik::monitor {

// Set once, before the first note.
extern bool works_in_slices;

inline constexpr uint64_t kNotesOfSlice = 16;

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SLICES_H_
