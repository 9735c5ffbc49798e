// SPDX-License-Identifier: BSD-3-Clause
// A whole trace at a resolution that fits into memory: bins of each location, and the messages and waits that were
// kept. Below that resolution the events themselves are read (draw.h).
#ifndef EPIK_ANALYSIS_TIMELINE_TIMELINE_H_
#define EPIK_ANALYSIS_TIMELINE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/bins.h"

namespace epik::timeline {

struct Message {
  uint32_t from = 0, to = 0;  // locations
  int64_t sent = 0, received = 0;
  uint64_t bytes = 0;
  int32_t tag = 0;
  uint32_t communicator = 0;

  bool operator==(const Message&) const = default;
};

// A location waited for another one, which did what ended it at `caused`.
struct Wait {
  uint32_t location = 0, cause = 0;
  int64_t from = 0, to = 0, caused = 0;
  uint32_t path = kNoPath;  // of the call that waited
  uint8_t pattern = 0;      // of kPatternNames

  bool operator==(const Wait&) const = default;
};

// A collective operation: who came first and last, and when all had gone.
struct Meeting {
  int64_t first_in = 0, last_in = 0, last_out = 0;
  uint32_t path = kNoPath;
  uint32_t communicator = 0;

  bool operator==(const Meeting&) const = default;
};

// Keeps each `one_of`-th of many items, by number, so that the sample is even.
template <class Item>
struct Sample {
  uint64_t one_of = 1;
  std::vector<Item> items;

  void Add(uint64_t number, const Item& item, size_t most) {
    if (number % one_of != 0) return;
    items.push_back(item);
    numbers_.push_back(number);
    while (items.size() > most) Thin();
  }

 private:
  void Thin() {
    one_of *= 2;
    size_t kept = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (numbers_[i] % one_of != 0) continue;
      items[kept] = items[i];
      numbers_[kept++] = numbers_[i];
    }
    items.resize(kept);
    numbers_.resize(kept);
  }
  std::vector<uint64_t> numbers_;
};

struct Timeline {
  int64_t from = 0, to = 0;  // nanoseconds since the job began: the first and the last event
  uint64_t events = 0;
  std::vector<Bins> locations;  // by column of the profile
  Sample<Message> messages;
  Sample<Wait> waits;
  Sample<Meeting> meetings;
};

// The names of waits: metrics of the analysis.
inline constexpr const char* kPatternNames[] = {
    "mpi_latesender", "mpi_barrier_wait",  "mpi_wait_nxn",        "mpi_latebroadcast", "mpi_earlyreduce",
    "mpi_earlyscan",  "mpi_finalize_wait", "mpi_init_completion", "omp_ebarrier_wait", "omp_ibarrier_wait"};

// As timeline.epk has it, and back. False when it is damaged, of another version, or of another trace.
std::string Pack(const Timeline& timeline, uint64_t fingerprint);
bool Unpack(const std::string& bytes, uint64_t fingerprint, Timeline* timeline);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_TIMELINE_H_
