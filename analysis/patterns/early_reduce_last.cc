// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

const PatternInfo kEarlyReduceLastInfo = {
    "mpi_earlyreduce_last",
    "mpi_collective",
    "Early Reduce, last",
    "Of the root of MPI_Reduce or MPI_Gather(v): from the first other process that gives data, or its own begin when "
    "that is later, until the last one has begun, at most until its own end.",
    "Some have brought their data to the root, and it waits for the others.",
    "Even out the work before it, or let the root do something else first."};

namespace {

class EarlyReduceLast : public Pattern {
 public:
  unsigned wants() const override { return kCollectives; }
  using Pattern::Pattern;
  void Met(const replay::Collective& collective) override {
    if (collective.operation.role != replay::Role::kAllToOne) return;
    int64_t first = INT64_MAX;
    for (const replay::Member& member : collective.members) {
      if (member.there && member.rank != collective.root && member.out != 0) first = std::min(first, member.begin);
    }
    for (const replay::Member& member : collective.members) {
      const bool waits = member.needs && member.knows_ready && member.knows_begin && !member.immediate;
      if (!waits || member.rank != collective.root) continue;
      const int64_t from = std::max(first, member.begin);
      AddWait(member.location, member.path, member.begin, from, std::min(member.ready, member.end));
    }
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeEarlyReduceLast(uint32_t number, Severities* severities) {
  return std::make_unique<EarlyReduceLast>(kEarlyReduceLastInfo, number, severities);
}

}  // namespace epik::patterns
