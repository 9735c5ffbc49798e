// SPDX-License-Identifier: BSD-3-Clause
// Events that belong together: messages, collective operations, requests, teams, locks, tasks. One replay of the trace
// makes the table.
#ifndef EPIK_ANALYSIS_LIBRARY_LINKS_H_
#define EPIK_ANALYSIS_LIBRARY_LINKS_H_

#include <cstdint>
#include <vector>

#include "analysis/library/opened.h"

namespace epik::library {

class Links {
 public:
  struct Member {
    uint32_t group;
    uint32_t location;
    uint64_t place;
    int64_t ns;
    uint16_t kind, link;
  };

  // Groups have numbers, in any order.
  Links(size_t locations, std::vector<Member> members);

  // The other events of the same group, in the order of their locations and places.
  std::vector<epik_trace_ref> Of(epik_trace_link link, uint32_t location, uint64_t place) const;
  // Messages from and to a location that have been sent and not received, right after its event at this place and time.
  std::vector<epik_trace_message> OpenMessages(uint32_t location, uint64_t place, int64_t ns) const;

 private:
  // One end of a message of a location, by its place, with the time of the other end.
  struct End {
    uint64_t place;
    int64_t other_ns;
    uint32_t member;
  };
  // Ends in the order of their places. tree[1] covers all, tree[n + i] the i-th.
  struct Ends {
    std::vector<End> ends;
    std::vector<int64_t> tree;
  };
  struct AtLocation {
    std::vector<uint32_t> members;  // by place, then link
    Ends sent, received;
  };

  void AddEnds(uint32_t first);
  epik_trace_message MessageOf(uint32_t first) const;

  std::vector<Member> members_;  // by group, then location, then place
  std::vector<AtLocation> locations_;
};

// Makes the links; reads the whole trace.
Links FindLinks(const Opened& opened);

}  // namespace epik::library

#endif  // EPIK_ANALYSIS_LIBRARY_LINKS_H_
