// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/pattern.h"
#include "analysis/replay/stretches.h"

namespace epik::patterns {

const PatternInfo kLateSenderInfo = {
    "mpi_latesender",
    "mpi_point2point",
    "Late Sender",
    "A call that receives (MPI_Recv, or the MPI_Wait that completes MPI_Irecv) waits from its enter until the "
    "call that begins the send is entered (of a partitioned send, the MPI_Pready of its last part), at most until its "
    "own end. When a call completes several receives, the "
    "last of them counts. MPI_Probe waits in the same way for the message that is received next.",
    "A process is in a receive while the other one has not even begun to send.",
    "Let the sender send earlier, give it less to do before, or do something else before receiving: post the "
    "receive early and wait for it late."};

namespace {

class LateSender : public Pattern {
 public:
  unsigned wants() const override { return kMessages; }
  using Pattern::Pattern;
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override {
    Severities::Span waited;
    replay::ForEachStretch(call, arrivals, [&](const replay::Arrival& arrival, int64_t from, int64_t to) {
      if (arrival.message == nullptr) return;
      waited.Extend(from, to, OwnTime(call.location, call.enter, from, to));
      AddCount(arrival.message->bytes == 0 ? Count::kLateSenderEmpty : Count::kLateSender, call.location, call.path);
    });
    Add(call.location, call.path, waited);
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeLateSender(uint32_t number, Severities* severities) {
  return std::make_unique<LateSender>(kLateSenderInfo, number, severities);
}

}  // namespace epik::patterns
