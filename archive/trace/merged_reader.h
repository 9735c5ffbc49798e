// SPDX-License-Identifier: BSD-3-Clause
// The events of many locations in the order of one time. In memory there is a block of each location that has begun
// and not ended yet.
#ifndef EPIK_ARCHIVE_TRACE_MERGED_READER_H_
#define EPIK_ARCHIVE_TRACE_MERGED_READER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "archive/trace/clock.h"
#include "archive/trace/location_reader.h"

namespace epik::epilog {

class MergedReader {
 public:
  // `file` and `clock` outlive the reader. Which source it is: 0, 1, 2 …
  uint32_t Add(const TraceFile* file, uint32_t location, const Clock* clock, ParentOf parent_of = nullptr);

  // After the last Add: only what is not before.
  void Seek(int64_t ns);

  // The next event, where it is from, and its time by all clocks. Where times are equal, the source that was added
  // first comes first.
  bool Next(Event* event, uint32_t* source, int64_t* ns);

  // The frames that are open in the source of the event that Next gave last, after it.
  const std::vector<uint32_t>& stack() const { return sources_[last_].reader->stack(); }
  // What was wrong in that source so far.
  const std::vector<Damage>& damage(uint32_t source) const;

 private:
  struct Source {
    const TraceFile* file;
    uint32_t location;
    const Clock* clock;
    ParentOf parent_of;
    std::unique_ptr<LocationReader> reader;
    Event event;  // the next one, once the reader has begun
    bool begun = false;
    std::vector<Damage> damage;  // of one that is at its end
  };
  struct Turn {
    int64_t ns;
    uint32_t source;
    bool operator<(const Turn& other) const { return ns != other.ns ? ns > other.ns : source > other.source; }
  };

  void Start();
  void Advance(uint32_t source);

  std::vector<Source> sources_;
  std::vector<Turn> turns_;  // a heap: the earliest on top
  bool started_ = false;
  int64_t from_ = INT64_MIN;
  uint32_t last_ = UINT32_MAX;  // whose event was given last
};

}  // namespace epik::epilog

#endif  // EPIK_ARCHIVE_TRACE_MERGED_READER_H_
