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
    "that are not larger than one that the two threads sent each other without such a wait, do not count. A call that "
    "completes a non-blocking collective operation and needs others waits in the same way for the last process that "
    "enters the call which completes its own part, before this call ends.",
    "A message, or an operation, does not go on: its receive is posted, or all have begun it, but another process "
    "computes, and this MPI moves much data only while both are in MPI.",
    "Let the other process come to MPI now and then while it computes (MPI_Test), turn on the MPI's progress thread if "
    "it has one, or wait later."};

namespace {

class LateProgress : public Pattern {
 public:
  unsigned wants() const override { return kSent | kParts; }
  using Pattern::Pattern;
  void Sent(const replay::Call& call, std::span<const replay::Message* const> messages) override {
    Severities::Span waited;
    progress_.ForEachStretch(call, messages, [&](const Back& /*back*/, int64_t from, int64_t to) {
      waited.Extend(from, to, OwnTime(call.location, call.enter, from, to));
    });
    Add(call.location, call.path, waited);
  }
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override {
    progress_.ForLastStretch(call, arrivals, [&](const Back& /*back*/, int64_t from, int64_t to) {
      AddWait(call.location, call.path, call.enter, from, to);
    });
  }

 private:
  using Back = replay::Progress::Back;

  replay::Progress progress_;
};

}  // namespace

std::unique_ptr<Pattern> MakeLateProgress(uint32_t number, Severities* severities) {
  return std::make_unique<LateProgress>(kLateProgressInfo, number, severities);
}

}  // namespace epik::patterns
