// SPDX-License-Identifier: BSD-3-Clause
// Knows which calls are open at the beginning of each block of a location, and the places where they were entered. One
// pass makes the bookmarks; after that, a question reads a few blocks at most.
#ifndef EPIK_ANALYSIS_LIBRARY_BOOKMARKS_H_
#define EPIK_ANALYSIS_LIBRARY_BOOKMARKS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/library/cursor.h"

namespace epik::library {

class Bookmarks {
 public:
  Bookmarks(const Opened* opened, uint32_t location);

  // The open calls after the event at a place, outermost first.
  std::vector<epik_trace_frame> StackAt(uint64_t place) const;
  // The exit of an enter, or the enter of an exit; nothing when the trace does not have it.
  std::optional<epik_trace_ref> PartnerOf(const epik_trace_event& event) const;

 private:
  // Calls that were open where a block began. All calls within a call share the frames around it.
  struct Frame {
    epik_trace_frame frame;
    uint32_t around;  // index in frames_, or EPIK_TRACE_NONE
    uint32_t depth;
  };
  struct Open {
    epik_trace_frame frame;
    uint32_t kept;  // index in frames_, or EPIK_TRACE_NONE: not kept yet
  };

  uint32_t Keep(std::vector<Open>* open);
  size_t BlockOf(uint64_t place) const;
  bool IsOpenAt(size_t block, uint64_t place, uint32_t depth) const;
  std::vector<epik_trace_frame> StackBefore(uint64_t place) const;

  const Opened* opened_;
  uint32_t location_;
  std::vector<uint64_t> block_places_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> innermost_;  // for each block, an index in frames_
};

}  // namespace epik::library

#endif  // EPIK_ANALYSIS_LIBRARY_BOOKMARKS_H_
