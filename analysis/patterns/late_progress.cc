// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/pattern.h"
#include "analysis/replay/progress.h"

namespace epik::patterns {

const PatternInfo kLateProgressInfo = {
    "mpi_lateprogress",
    "mpi_point2point",
    "Late Progress",
    "A call that completes a send (MPI_Send, or the MPI_Wait of MPI_Isend) waits until the receiver enters the call "
    "that completes the receive, if the receive was posted before and the call is still going on then. Only time "
    "in which the receiver is in no call of MPI counts. Time in which the call waits for other messages, and messages "
    "that are not larger than one that the two threads sent each other without such a wait, do not count.",
    "A process cannot get rid of a message: its receive is posted, but the receiver computes, and this MPI moves the "
    "message only while both are in MPI.",
    "Let the receiver come to MPI now and then while it computes (MPI_Test), turn on the MPI's progress thread if it "
    "has one, or wait for the send later."};

namespace {

class LateProgress : public Pattern {
 public:
  unsigned wants() const override { return kSent; }
  using Pattern::Pattern;
  void Sent(const replay::Call& call, std::span<const replay::Message* const> messages) override {
    int64_t sum = 0;
    progress_.ForEachStretch(call, messages, [&](const replay::Message& /*message*/, int64_t from, int64_t to) {
      sum += OwnTime(call.location, call.enter, from, to);
    });
    Add(call.location, call.path, call.enter, sum);
  }

 private:
  replay::Progress progress_;
};

}  // namespace

std::unique_ptr<Pattern> MakeLateProgress(uint32_t number, Severities* severities) {
  return std::make_unique<LateProgress>(kLateProgressInfo, number, severities);
}

}  // namespace epik::patterns
