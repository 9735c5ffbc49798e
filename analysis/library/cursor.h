// SPDX-License-Identifier: BSD-3-Clause
// Goes through the events of one location, or of many in order of time, as the library shows them.
#ifndef EPIK_ANALYSIS_LIBRARY_CURSOR_H_
#define EPIK_ANALYSIS_LIBRARY_CURSOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/library/opened.h"
#include "archive/trace/location_reader.h"

namespace epik::library {

class LocationCursor {
 public:
  // `opened` outlives the cursor.
  LocationCursor(const Opened* opened, uint32_t location);

  // Goes to the first event that is at this place or behind it, or that is not before this time.
  void SeekPlace(uint64_t place);
  void SeekNs(int64_t ns);
  bool Next(epik_trace_event* to);

  // The places of the first event of each block, and the place behind the last event.
  const std::vector<uint64_t>& block_places() const { return reader_.block_places(); }

 private:
  struct Frame {
    uint32_t node;
    bool folded;
  };
  void Resume(const archive::Event& event);
  bool Shows(const archive::Event& event);
  bool FoldsHere(uint32_t node) const {
    return !frames_.empty() && opened_->Folds(location_, frames_.back().node, node);
  }

  const Opened* opened_;
  const replay::Process* process_;
  uint32_t location_;
  archive::LocationReader reader_;
  int64_t from_ns_ = INT64_MIN;
  uint64_t from_place_ = 0;
  bool sought_ = false;
  std::vector<Frame> frames_;           // kept only where calls may be folded
  uint32_t folded_ = 0;                 // the number of folded ones among them
  uint32_t at_path_ = EPIK_TRACE_NONE;  // call path of the record that follows
};

class MergedCursor {
 public:
  // `opened` outlives the cursor. Shows the events with from_ns <= time < to_ns.
  MergedCursor(const Opened* opened, const std::vector<uint32_t>& locations, int64_t from_ns, int64_t to_ns);
  // Gives the next events, at most `most` of them; returns 0 at the end.
  size_t Next(epik_trace_event* to, size_t most);

 private:
  struct Source {
    uint32_t location;
    std::unique_ptr<LocationCursor> cursor;  // null until it is its turn
    epik_trace_event event;                  // the next one
  };
  struct Turn {
    int64_t ns;
    uint32_t source;
    bool operator<(const Turn& other) const { return ns != other.ns ? ns > other.ns : source > other.source; }
  };
  bool Advance(Source* source);

  const Opened* opened_;
  int64_t from_ns_, to_ns_;
  std::vector<Source> sources_;
  std::vector<Turn> turns_;  // a heap: the earliest on top
};

}  // namespace epik::library

#endif  // EPIK_ANALYSIS_LIBRARY_CURSOR_H_
