// SPDX-License-Identifier: BSD-3-Clause
// Merges the events of many locations in order of time. Memory: one block for each location between its first and last
// event.
#ifndef EPIK_ARCHIVE_TRACE_MERGED_READER_H_
#define EPIK_ARCHIVE_TRACE_MERGED_READER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "archive/trace/clock.h"
#include "archive/trace/location_reader.h"

namespace epik::archive {

class MergedReader {
 public:
  // Adds a location and returns its number as a source: 0, 1, 2 … `file` and `clock` must outlive the reader.
  uint32_t Add(const ProcessFile* file, uint32_t location, const Clock* clock, ParentOf parent_of = nullptr);

  // Skips all events before `ns`. Call it after the last Add.
  void Seek(int64_t ns);

  // Gives the next event, its source, and its time in the job. If events have the same time, the source that was added
  // first comes first.
  bool Next(Event* event, uint32_t* source, int64_t* ns);

  // The open frames in the source of the last event, right after that event.
  const std::vector<uint32_t>& stack() const { return sources_[last_].reader->stack(); }
  // The damage that was found in this source so far.
  const std::vector<Damage>& damage(uint32_t source) const;

 private:
  struct Source {
    const ProcessFile* file;
    uint32_t location;
    const Clock* clock;
    ParentOf parent_of;
    std::unique_ptr<LocationReader> reader;
    Event event;  // the next event, if the reader has begun
    bool begun = false;
    std::vector<Damage> damage;  // for a source at its end
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
  uint32_t last_ = UINT32_MAX;  // the source of the last event
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_MERGED_READER_H_
