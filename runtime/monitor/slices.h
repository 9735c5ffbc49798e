// SPDX-License-Identifier: BSD-3-Clause
// How many notes are processed at a time. In bulk they cost least, because they are in the caches. A slice takes no
// longer than a thread waits for the result of an operation, so it can be processed during that wait
// (EPK_MONITOR_SCHEDULE).
#ifndef EPIK_RUNTIME_MONITOR_SLICES_H_
#define EPIK_RUNTIME_MONITOR_SLICES_H_

#include <algorithm>
#include <cstdint>

namespace epik::monitor {

// Set once, before the first note.
extern bool works_in_slices;

inline constexpr uint64_t kNotesInBulk = 512;
inline constexpr uint64_t kNotesOfSlice = 64;

// The number of the note at which a ring is processed next. It is the same in all processes, so that all work at the
// same time: a process that works alone makes the others wait.
inline uint64_t NextDue(uint64_t written, uint64_t most) {
  const uint64_t notes = std::min(works_in_slices ? kNotesOfSlice : kNotesInBulk, most);
  return (written / notes + 1) * notes;
}

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SLICES_H_
