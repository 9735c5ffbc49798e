// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

const PatternInfo kEarlyReduceInfo = {
    "mpi_earlyreduce",
    "mpi_collective",
    "Early Reduce",
    "The root of MPI_Reduce or MPI_Gather(v) waits from its own begin until the first other process that gives "
    "data begins, at most until its own end. In non-blocking operations, it waits from its enter of the call that "
    "completes them until the last such process begins.",
    "The root comes before any other process has data for it.",
    "Let the root do something else first, or gather later."};

namespace {

class EarlyReduce : public Pattern {
 public:
  unsigned wants() const override { return kCollectives | kParts; }
  using Pattern::Pattern;
  void Met(const replay::Collective& collective) override {
    if (collective.operation.role != replay::Role::kAllToOne) return;
    const replay::Member* root = nullptr;
    int64_t first = INT64_MAX;
    for (const replay::Member& member : collective.members) {
      if (member.there && member.rank == collective.root) {
        root = &member;
      } else if (member.there && member.out != 0) {
        first = std::min(first, member.begin);
      }
    }
    if (root == nullptr || !root->needs || !root->knows_ready || !root->knows_begin || root->immediate) return;
    AddWait(root->location, root->path, root->begin, root->begin, std::min(first, root->end));
  }
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override {
    Add(call.location, call.path, call.enter, WaitedFor(call, arrivals, replay::Role::kAllToOne));
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeEarlyReduce(uint32_t number, Severities* severities) {
  return std::make_unique<EarlyReduce>(kEarlyReduceInfo, number, severities);
}

}  // namespace epik::patterns
