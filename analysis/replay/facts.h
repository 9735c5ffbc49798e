// SPDX-License-Identifier: BSD-3-Clause
// The facts that replay tells observers: calls, messages, and collective operations with all members. Times are
// nanoseconds of the time model.
#ifndef EPIK_ANALYSIS_REPLAY_FACTS_H_
#define EPIK_ANALYSIS_REPLAY_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/operations.h"

namespace epik::replay {

// A call of MPI that contains records of communication.
struct Call {
  uint32_t location = kNone;
  uint32_t path = kNone;  // kNone: not known
  Operation operation;
  int64_t enter = 0, leave = 0;
  // Its enter is in the trace. Otherwise both times are those of a record, as in traces of `msgs`, which have no calls
  bool logged = false;
  // The trace ended or broke off before the call did, at `leave`.
  bool cut = false;
  // The call could not end before that, because data that it received, or members of an operation that it completed,
  // were missing.
  int64_t ready = INT64_MIN;
  bool sends = false;      // it sent messages, or completed sends
  uint64_t most_sent = 0;  // bytes of the largest of these messages
  // The last time at which a test asked in vain for the request that this one completed, if the trace has such a test.
  int64_t in_vain = INT64_MIN;
};

// Identifies a call, and has its begin.
struct CallBegin {
  uint32_t location = kNone;
  uint32_t path = kNone;
  int64_t enter = 0;
  bool logged = false;  // as for Call
};

// One end of a message. `location` and `at` belong to its record.
struct MessageEnd {
  uint32_t location = kNone;
  CallBegin begun;  // MPI_Send, MPI_Isend; MPI_Recv, MPI_Irecv
  bool knows_begin = false;
  int64_t at = 0;  // for a send: its record. For a receive: the record of its completion
  // Of a receive: when its process had left its last call of MPI that communicates, before the call that posted the
  // receive; INT64_MAX: not known. Calls that only begin something do not count. `probed`: a probe was in between.
  int64_t away = INT64_MAX;
  bool probed = false;
};

// The call that completed a receive, or a part of a collective operation: MPI_Recv, MPI_Wait.
struct Completion {
  uint32_t path = kNone;
  int64_t enter = 0;
  // When its process left the call of MPI before that; INT64_MAX: not known, or the call did not wait.
  int64_t away = INT64_MAX;
};

struct Message {
  MessageEnd send, receive;
  uint32_t receiver = kNone;  // process, when it is known
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
  bool there = false;  // the trace has its end
  bool knows_begin = false;
  bool cut = false;        // the trace ended, or broke off, within the call: nobody knows its end
  bool failed = false;     // it returned an error, so it may have waited for nobody
  bool immediate = false;  // another call completed it: it waited there, not here
  uint32_t location = kNone;
  uint32_t path = kNone;       // the call path of the call that began it
  int64_t begin = 0, end = 0;  // times of records: inside the call that began it, and inside the call that completed it
  uint64_t out = 0, in = 0;    // bytes
  std::vector<Peers> peers;    // empty: data comes from all or from none, or the trace does not tell
  // `needs`: it could not end before other members had begun. `knows_ready`: their begins are known, and the last one
  // is `ready`.
  bool needs = false;
  bool knows_ready = false;
  int64_t ready = 0;
  uint32_t last = kNone;          // the member that began last
  std::vector<uint32_t> sources;  // if peers are known: the members that it needs, without itself
  Completion completed_by;        // call that completed it, if it is immediate
  bool completed_next = false;    // the next call of MPI of its process completed it

  // Whether it needs all that give data, in an operation that may bring data from some only.
  bool GetsFromAll() const { return needs && peers.empty(); }
};

struct Collective {
  uint32_t communicator = kNone;
  uint64_t number = 0;  // the operation is the n-th on its communicator
  Operation operation;
  int32_t root = -1;              // rank in MPI_COMM_WORLD
  std::vector<Member> members;    // in the order of the communicator
  uint32_t first_remote = kNone;  // first member of the other group, if there is one
  bool apart = false;             // of two groups, each needs only the other one, as far as all need all
  uint32_t missing = 0;           // members whose part is not in the trace
  std::vector<uint32_t> back;     // the immediate members, in the order of the calls that completed them

  bool IsWhole() const { return missing == 0; }
  // Whether this is MPI_Alltoallv or the like, with members that get data only from some others.
  bool IsSparse() const;
  // Whether the member `taker` of such an operation, or of one among neighbours, gets data from the member `giver`.
  bool Takes(uint32_t taker, uint32_t giver) const;
};

// Fills in the needs of each member.
void FindNeeds(Collective* collective);

// The end of a task that another task needed to begin or go on; INT64_MIN: none is known.
struct TaskReady {
  int64_t ns = INT64_MIN;
  uint32_t by = kNone;  // location on which the task ended
};
TaskReady LastOf(std::span<const TaskReady> ends);
// A thread ends its tasks one after the other, in any run. So `ends` keeps only the last end of each location.
void KeepLast(std::vector<TaskReady>* ends, const TaskReady& end);

// Work of a thread while it was in a barrier. For a task, the times are known of its creation and its creator, of the
// last end of a task that it needs, and of its own end, which is a little before the thread was back. An untied task
// may go on elsewhere: then it needs the part before.
struct TaskRun {
  int64_t from = 0, to = 0;
  uint64_t task = 0;  // until it ends
  int64_t ended = INT64_MIN;
  uint32_t creator = kNone;  // location
  int64_t created = INT64_MIN;
  TaskReady ready;
};

// A barrier of a team of threads, or of libc, after all have left it.
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
  // Returns the member that came last. REQUIRES: KnowsAll.
  size_t Last() const;
};

// A part of a barrier, or of a wait for tasks, in which a thread had no work.
struct TaskStretch {
  enum class Why : uint8_t {
    kTeam,     // some threads had not come to the barrier
    kCreated,  // the task that it ran next had not been created yet
    kEnded,    // a task that another thread ran had not ended: one that the next task needs, or any task
  };
  Why why = Why::kTeam;
  uint32_t whom = kNone;  // location
  int64_t from = 0, to = 0;
};
// Returns the stretches of a member, in the order of time. REQUIRES: KnowsAll.
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
  Call call;                     // the call that asked for it; `leave` is when the thread had it
  uint32_t holder = kNone;       // location that had it before …
  uint32_t held_in = kNone;      // … in this call path, …
  int64_t taken = 0, freed = 0;  // … since when, until when
};

// A call of libc that waited for other threads of its process, one after the other.
struct ThreadWait {
  enum class What : uint8_t {
    kMutex,    // until another thread has given back a lock, if that is known
    kEnd,      // until the thread has ended
    kSignal,   // until the thread has signalled a condition
    kPost,     // until the thread has posted to a semaphore
    kBarrier,  // until all have come to a barrier whose threads are not all in the trace
    kOnce,     // until the thread has done the work of a once
  };
  struct Stretch {
    uint32_t whom = kNone;  // location; kNone: not known, or no thread
    int64_t from = 0, to = 0;
    What what = What::kMutex;
  };
  Call call;                       // `leave` is when it got what it waited for, or gave up
  std::vector<Stretch> stretches;  // from its enter until `leave`, without holes
};

// A call of one-sided communication that could not end before other calls had begun, and these calls.
struct WindowWait {
  enum class Why : uint8_t {
    kPost,      // others let it access their memory, …
    kComplete,  // … others ended their accesses to its own, …
    kLock,      // … others give back a lock
  };
  Call call;
  std::vector<Call> needed;  // in the order in which they began
  Why why = Why::kPost;
  int64_t accessed = INT64_MIN;  // for kComplete: the end of the last access of any of them

  int64_t ready() const { return needed.empty() ? INT64_MIN : needed.back().enter; }
};

// A fence of all processes of a window.
struct WindowFence {
  std::vector<Call> calls;
  std::vector<int64_t> accessed;  // for each process: the end of the last access of another process to its memory

  size_t Last() const;
  // Whether all had come before the first one left.
  bool IsTogether() const;
};

// A process synchronised itself with others at the end of an epoch. With some of them there was no access in either
// direction.
struct PairSync {
  Call call;
  uint64_t partners = 0, unneeded = 0;
};

// Something that a call completed and that others had to bring. `ready`: when the last of them had begun; the call
// could not end earlier.
struct Arrival {
  const Message* message = nullptr;
  const Collective* collective = nullptr;
  uint32_t member = kNone;  // the member whose part the call completed
  uint32_t last = kNone;    // the member that came last among those that it needed
  int64_t ready = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_FACTS_H_
