// SPDX-License-Identifier: BSD-3-Clause
// The facts that replay tells observers: calls, messages, and collective operations with all that take part. Times are
// nanoseconds of the time model.
#ifndef EPIK_ANALYSIS_REPLAY_FACTS_H_
#define EPIK_ANALYSIS_REPLAY_FACTS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/replay/world.h"

namespace epik::replay {

// A call of MPI that records of communication lie in.
struct Call {
  uint32_t location = kNone;
  uint32_t path = kNone;  // kNone: not known
  Operation operation;
  int64_t enter = 0, leave = 0;
  // Its enter is in the trace. Else both times are those of a record, as where `msgs` logs no calls.
  bool logged = false;
  // The trace ended or broke off before the call did: `leave` is when.
  bool cut = false;
  // Until when it could not end for want of what it received, or of members of an operation that it completed.
  int64_t ready = INT64_MIN;
  bool sends = false;      // it sent messages, or completed the sending of some
  uint64_t most_sent = 0;  // bytes of the largest of them
  // The last time when a test asked in vain for the request that this one completed, as far as the trace tells.
  int64_t in_vain = INT64_MIN;
};

// Names a call, and tells when it began.
struct CallBegin {
  uint32_t location = kNone;
  uint32_t path = kNone;
  int64_t enter = 0;
  bool logged = false;  // as for Call
};

// One end of a message. `location`: of the record `at`.
struct MessageEnd {
  uint32_t location = kNone;
  CallBegin begun;  // MPI_Send, MPI_Isend; MPI_Recv, MPI_Irecv
  bool knows_begin = false;
  int64_t at = 0;  // of the send: its record. Of the receive: the record of its completion
};

// The call that completed a receive, or a part of a collective operation: MPI_Recv, MPI_Wait.
struct Completion {
  uint32_t path = kNone;
  int64_t enter = 0;
  // When its process left its last call of MPI before that; INT64_MAX: not known, or the call did not wait.
  int64_t away = INT64_MAX;
};

struct Message {
  MessageEnd send, receive;
  Completion received_by;
  uint32_t communicator = kNone;
  int32_t tag = 0;
  uint64_t bytes = 0;
  Operation send_operation;
};

// Ranks of MPI_COMM_WORLD at equal steps, from which a collective operation brings data.
struct Peers {
  int32_t first = -1, step = 0;
  uint32_t count = 0;
};

// The part of one process in a collective operation.
struct Member {
  int32_t rank = -1;
  bool there = false;  // its end is in the trace
  bool knows_begin = false;
  bool immediate = false;  // another call completed it: it waited there, not here
  uint32_t location = kNone;
  uint32_t path = kNone;       // of the call that began it
  int64_t begin = 0, end = 0;  // records: just inside the call that began, and that completed it
  uint64_t out = 0, in = 0;    // bytes
  std::vector<Peers> peers;    // empty: data comes from all or from nobody, or the trace does not say
  // Whether it could not end before others had begun, and whether it is known of all of these when they did: the last
  // one at `ready`.
  bool needs = false;
  bool knows_ready = false;
  int64_t ready = 0;
  uint32_t last = kNone;          // member
  std::vector<uint32_t> sources;  // where peers are known: the members it needs, itself left out
  Completion completed_by;        // of an immediate one
  bool completed_next = false;    // by the next call of MPI that its process made
};

struct Collective {
  uint32_t communicator = kNone;
  uint64_t number = 0;  // the n-th on its communicator
  Operation operation;
  int32_t root = -1;              // rank in MPI_COMM_WORLD
  std::vector<Member> members;    // in the order of the communicator
  uint32_t first_remote = kNone;  // member with which the other group begins, when there is one
  uint32_t missing = 0;           // members whose part is not in the trace
  std::vector<uint32_t> back;     // members that are immediate, in the order in which they entered what completed them

  bool IsWhole() const { return missing == 0; }
  // MPI_Alltoallv and the like, when some members get data from some others only.
  bool IsSparse() const {
    return operation.role == Role::kAllToAll &&
           std::any_of(members.begin(), members.end(), [](const Member& member) { return !member.peers.empty(); });
  }
};

// Fills in which members need which others.
void FindNeeds(Collective* collective);

// The end of a task, before which another one could not begin or go on; INT64_MIN: of none that is known.
struct TaskReady {
  int64_t ns = INT64_MIN;
  uint32_t by = kNone;  // location on which the task ended
};
inline TaskReady LastOf(std::span<const TaskReady> ends) {
  TaskReady last;
  for (const TaskReady& end : ends) {
    if (end.ns > last.ns) last = end;
  }
  return last;
}
// A thread ends its tasks one after the other, in any run: of each location, `ends` keeps the last end.
inline void KeepLast(std::vector<TaskReady>* ends, const TaskReady& end) {
  for (TaskReady& known : *ends) {
    if (known.by != end.by) continue;
    known.ns = std::max(known.ns, end.ns);
    return;
  }
  ends->push_back(end);
}

// Something that a thread did while it was in a barrier. Of a task it is known who created it, and when; where another
// task that it needs ended last, and when; and when it had ended, which is a little before the thread was back.
struct TaskRun {
  int64_t from = 0, to = 0;
  int64_t ended = INT64_MIN;
  uint32_t creator = kNone;  // location
  int64_t created = INT64_MIN;
  TaskReady ready;
};

// A barrier of a team of threads, or of libc, when all have left it.
struct Gathering {
  struct Member {
    uint32_t location = kNone;
    uint32_t path = kNone;
    int64_t enter = 0, leave = 0;
    bool knows_enter = false;
    std::vector<TaskRun> tasks;  // in their order
  };
  uint32_t process = kNone;
  Operation operation;
  std::vector<Member> members;

  bool KnowsAll() const;
  // Member that came last. REQUIRES: KnowsAll.
  size_t Last() const;
};

// A part of a barrier, or of a wait for tasks, in which a thread had nothing to do.
struct TaskStretch {
  enum class Why : uint8_t {
    kTeam,     // not all had come to the barrier
    kCreated,  // the task that it ran next had not been created yet
    kEnded,    // a task that another thread ran had not ended yet: one that the next task needs, or any
  };
  Why why = Why::kTeam;
  uint32_t whom = kNone;  // location
  int64_t from = 0, to = 0;
};
// Returns those of a member, in the order of time. REQUIRES: KnowsAll.
std::vector<TaskStretch> StretchesOf(const Gathering& barrier, size_t member);

// A thread waited for tasks, at a taskwait or at the end of a taskgroup. `needs` has the last end on each location that
// ran some of them.
struct TaskWait {
  Call call;
  std::vector<TaskStretch> stretches;
  std::vector<TaskReady> needs;
};

// A thread began to run a task.
struct TaskStart {
  uint32_t location = kNone, path = kNone;
  int64_t created = 0, begun = 0;
};

// A lock, critical section or the like that a thread got.
struct Acquisition {
  Call call;                     // that asked for it; `leave` is when it had it
  uint32_t holder = kNone;       // location that had it before …
  uint32_t held_in = kNone;      // … in this call path, …
  int64_t taken = 0, freed = 0;  // … from when, until when
};

// A call of libc that waited for other threads of its process, one after the other.
struct ThreadWait {
  enum class What : uint8_t {
    kMutex,    // until another thread has given back a lock, as far as that is known
    kEnd,      // until it has ended
    kSignal,   // until it has signalled a condition
    kPost,     // until it has posted to a semaphore
    kBarrier,  // until all have come to a barrier of which the trace has only some
    kOnce,     // until it has done what is to be done once
  };
  struct Stretch {
    uint32_t whom = kNone;  // location; kNone: not known, or nobody
    int64_t from = 0, to = 0;
    What what = What::kMutex;
  };
  Call call;                       // `leave` is when it had what it wanted, or gave up
  std::vector<Stretch> stretches;  // from its enter until then, without holes
};

// A call of one-sided communication that could not end before others had begun, and all of these.
struct WindowWait {
  enum class Why : uint8_t {
    kPost,      // others let it access their memory, …
    kComplete,  // … others ended their accesses to its own, …
    kLock,      // … others gave back a lock
  };
  Call call;
  std::vector<Call> needed;  // in the order in which they began
  Why why = Why::kPost;
  int64_t accessed = INT64_MIN;  // of kComplete: when the last access of any of them had ended

  int64_t ready() const { return needed.empty() ? INT64_MIN : needed.back().enter; }
};

// A fence of all processes of a window.
struct WindowFence {
  std::vector<Call> calls;
  std::vector<int64_t> accessed;  // of each: when the last access of another process to its memory had ended

  size_t last() const {
    const auto by_enter = [](const Call& a, const Call& b) { return a.enter < b.enter; };
    return static_cast<size_t>(std::max_element(calls.begin(), calls.end(), by_enter) - calls.begin());
  }
  // Nobody left it before all had come.
  bool is_together() const {
    const int64_t begin = calls[last()].enter;
    return std::all_of(calls.begin(), calls.end(), [&](const Call& call) { return call.leave >= begin; });
  }
};

// A process brought itself together with others at the end of an epoch; of some it had accessed nothing, nor they of
// it.
struct PairSync {
  Call call;
  uint64_t partners = 0, unneeded = 0;
};

// Something that a call completed and that others had to bring. `ready`: when the last of them had begun to; until then
// the call could not end.
struct Arrival {
  const Message* message = nullptr;
  const Collective* collective = nullptr;
  uint32_t member = kNone;  // whose part the call completed
  uint32_t last = kNone;    // member that came last of those it needed
  int64_t ready = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_FACTS_H_
