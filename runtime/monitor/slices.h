// SPDX-License-Identifier: BSD-3-Clause
// How many notes are worked off at a time. In bulk, they cost the least, and are in the caches; in slices, they take no
// longer than a thread waits for the result of an operation, if they are worked off right then (EPK_MONITOR_SCHEDULE).
#ifndef EPIK_RUNTIME_MONITOR_SLICES_H_
#define EPIK_RUNTIME_MONITOR_SLICES_H_

#include <algorithm>
#include <cstdint>

namespace epik::monitor {

// Set once, before the first note.
extern bool works_in_slices;

inline constexpr uint64_t kNotesInBulk = 512;
inline constexpr uint64_t kNotesOfSlice = 64;

// The note after `written` with which the next ones of a ring are worked off: at the same one in all processes, so that
// they work at the same time. Who works while others do not makes them wait.
inline uint64_t NextDue(uint64_t written, uint64_t most) {
  const uint64_t notes = std::min(works_in_slices ? kNotesOfSlice : kNotesInBulk, most);
  return (written / notes + 1) * notes;
}

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SLICES_H_
