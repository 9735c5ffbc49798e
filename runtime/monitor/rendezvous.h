// SPDX-License-Identifier: BSD-3-Clause
// Decides which standard sends of a thread had to wait for their receive, as the analysis of a trace does
// (analysis/replay/rendezvous.h): after a message to a process went without its receive, no later one that is not
// larger needs one either. If the receiver was in MPI meanwhile, later ones may wait while it is not. If it is not
// known of a message whether it went without its receive, it is not known of later ones that are not larger, either.
#ifndef EPIK_RUNTIME_MONITOR_RENDEZVOUS_H_
#define EPIK_RUNTIME_MONITOR_RENDEZVOUS_H_

#include <algorithm>
#include <cstdint>

#include "runtime/monitor/table.h"

namespace epik::monitor {

class Rendezvous {
 public:
  enum class Answer : uint8_t { kNo, kYes, kUnknown };

  // Whether a message of this size may need its receive, or it is not known that it needs none. Any time, in the thread
  // that sends: it reads memory that never moves.
  bool MayNeed(int32_t receiver, uint64_t bytes) const {
    const Latest& latest = latest_[PlaceOf(receiver)];
    return latest.receiver != receiver || bytes >= latest.without;
  }

  // Learn: a message of this size went without its receive. Doubt: it is not known whether it did. REQUIRES: the calls
  // come in their order.
  void Learn(int32_t receiver, uint64_t bytes) {
    Process* process = Find(receiver);
    if (process == nullptr) return DoubtAll();
    process->without = std::max(process->without, bytes + 1);
    latest_[PlaceOf(receiver)] = {process->without, receiver};
  }
  void Doubt(int32_t receiver, uint64_t bytes) {
    Process* process = Find(receiver);
    if (process == nullptr) return DoubtAll();
    process->doubted = std::max(process->doubted, bytes + 1);
  }
  // The receiver was in MPI meanwhile.
  void LearnOfPresent(int32_t receiver, uint64_t bytes) {
    Process* process = Find(receiver);
    if (process == nullptr) return DoubtAll();
    process->present = std::max(process->present, bytes + 1);
  }
  bool GoesToPresent(int32_t receiver, uint64_t bytes) {
    const Process* process = Find(receiver);
    return process != nullptr && bytes < process->present;
  }
  // The same for messages whose size and receiver are not known.
  void DoubtAll() { doubts_all_ = true; }

  // Whether a message whose receive was posted while the call went on needed the receive.
  Answer Needs(int32_t receiver, uint64_t bytes) {
    const Process* process = Find(receiver);
    if (process == nullptr) return Answer::kUnknown;
    if (bytes < process->without) return Answer::kNo;
    return doubts_all_ || bytes < process->doubted ? Answer::kUnknown : Answer::kYes;
  }

  // Holds later messages to the process back for one look at all messages, because an earlier one is not decided.
  void NextLook() { ++look_; }
  void HoldBack(int32_t receiver) {
    if (Process* process = Find(receiver)) process->held = look_;
  }
  bool IsHeldBack(int32_t receiver) {
    const Process* process = Find(receiver);
    return process != nullptr && process->held == look_;
  }

  void Clear() { processes_.Clear(); }

 private:
  // Sizes + 1; 0: there are none.
  struct Process {
    uint64_t without;
    uint64_t present;
    uint64_t doubted;
    uint64_t held;  // in which look
  };
  struct Latest {
    uint64_t without = 0;
    int32_t receiver = -1;
  };
  static constexpr uint32_t kLatest = 64;

  static uint32_t PlaceOf(int32_t receiver) { return static_cast<uint32_t>(receiver) % kLatest; }
  Process* Find(int32_t receiver) { return receiver < 0 ? nullptr : processes_.Slot(static_cast<uint32_t>(receiver)); }

  Table<Process> processes_;  // by rank in MPI_COMM_WORLD
  Latest latest_[kLatest];
  uint64_t look_ = 0;
  bool doubts_all_ = false;
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_RENDEZVOUS_H_
