// SPDX-License-Identifier: BSD-3-Clause
// The states that Replay keeps: of locations, open calls, messages, operations, requests, locks and windows, as far as
// they are known.
#ifndef EPIK_ANALYSIS_REPLAY_STATES_H_
#define EPIK_ANALYSIS_REPLAY_STATES_H_

#include <algorithm>
#include <array>
#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/replay/dependences.h"
#include "analysis/replay/done_iterations.h"
#include "analysis/replay/flat_map.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/turns.h"

namespace epik::replay {

struct OpenFrame {
  Frame frame;
  uint32_t call = kNone;       // index in calls_, after its first record
  uint32_t gathering = kNone;  // index in gatherings_: the barrier that the location is in
  uint32_t managed = kNone;    // communicator whose processes make, free or change something in it
  uint32_t task_run = kNone;   // index in task_runs, after a task has begun or ended in it
  bool folded = false;         // a compiler made the function from the construct around it: no call of its own
  bool made_up = false;        // opened behind a gap: its real begin is not known
  bool communicates = false;   // it has records of messages, or of collective operations
};

enum class Stop : uint8_t { kNo, kTurn, kMessage, kMembers, kAhead, kDone };

// A team that a thread is in. The barrier of its region comes when the thread's part has ended already.
struct TeamPart {
  uint64_t team;  // leader << 40 ^ instance of the fork there
  size_t depth;   // the number of the thread's frames when it came to the team
  bool ended = false;
};

// A task, from its creation until it and all tasks below it have ended. The implicit task of a thread has a number that
// no other task can have.
struct TaskState {
  uint64_t up = 0;             // the task that created it, or one above which has not ended; 0: not known
  TaskState* above = nullptr;  // the same
  uint32_t creator = kNone;    // location
  int64_t created = INT64_MIN;
  bool ended = false;
  bool waits_for_event = false;        // it ends only after the program has fulfilled its event …
  bool body_ended = false;             // … and the event was still open when the body ended
  uint32_t below = 0;                  // the number of its tasks in the table
  TaskReady paused = {};               // the thread that ran it left it there, and it has not gone on since
  TaskReady last_end = {};             // last end of the tasks below it
  std::vector<TaskReady> awaits = {};  // the last end on each location, of the tasks that it has not waited for
};

using Tasks = std::unordered_map<uint64_t, TaskState>;

// A thread waits for tasks in the frame at that depth. It runs others meanwhile.
struct OpenTaskWait {
  size_t depth;
  TaskWait wait;
  int64_t since;  // since then the thread has had nothing to do
  // A wait with a clause `depend` is the creation of a task that the thread runs there. It waits only for the tasks
  // that this task needs.
  uint64_t for_task = 0;
  std::vector<TaskReady> needs = {};  // of that task
};

// A probe that waited for a message. Traces of earlier versions do not have that message.
struct Probed {
  Call call;
  bool is_known = false;
  uint32_t communicator = kNone;
  int32_t from = -1, tag = 0;
};

// Tells which thing of libc a thread waits for.
struct Waiting {
  bool now = false;
  uint64_t object = 0;  // the lock, the thread that shall end, or the object that shall be signalled
  size_t depth = 0;     // the number of the thread's frames, with the call that waits
  ThreadWait wait;      // the last stretch is open
  // Since then the thread has waited for a condition or a semaphore. A condition also has its mutex, and the threads
  // that got the mutex after a signal.
  int64_t since = 0;
  uint64_t mutex = 0;
  std::vector<std::pair<uint32_t, int64_t>> gets;

  ThreadWait::What what() const { return wait.stretches.front().what; }
  bool IsForSignal() const {
    using What = ThreadWait::What;
    return what() == What::kSignal || what() == What::kPost || what() == What::kOnce;
  }
};

// A condition or a semaphore of libc.
struct SignalState {
  struct Given {
    uint32_t by = kNone;
    int64_t ns = 0;
  };
  std::vector<uint32_t> waiters;  // locations
  std::deque<Given> given;        // signals that no waiter has had yet: at most one for each waiter
};

// A thread of libc, from its begin until another thread has joined it.
struct ThreadState {
  uint32_t location = kNone;
  int64_t ended = INT64_MAX;
};

// The calls that tested requests in vain, since the last one that completed some.
struct Tests {
  static constexpr uint64_t kMost = 8;  // calls that are remembered
  std::array<int64_t, kMost> enter = {};
  uint64_t count = 0;

  void Add(int64_t ns) { enter[count++ % kMost] = ns; }
  // Begin of the n-th last one; INT64_MIN when it is not known.
  int64_t Last(uint64_t n) const { return n == 0 || n > count || n > kMost ? INT64_MIN : enter[(count - n) % kMost]; }
};

struct LocationState {
  std::unique_ptr<EventSource> source;
  archive::Event event;  // the next one …
  int64_t ns = 0;        // … and its time
  std::vector<OpenFrame> frames;
  std::vector<TaskRun> task_runs;    // of frames that are open, innermost last
  uint64_t at_node = 0;              // call path of the record that follows
  uint64_t turn = kByOrder;          // turn of the record that follows
  Mode send_mode = Mode::kStandard;  // of the persistent send that follows
  bool failed = false;               // the collective operation that follows returned an error
  bool in_parts = false;             // that send is partitioned
  Stop stop = Stop::kNo;
  bool queued = false;
  bool forced = false;  // it goes past its next dependence
  bool at_end = false;  // its records are over; `event.time` and `ns` are the end of its open frames
  bool joined = false;  // its collective operation knows that the location is at its end
  uint32_t thread = 0;  // number among the threads of its process
  uint32_t stops = 0;   // how often it stopped, so that old entries of the queue are recognised
  bool listed = false;  // it is in the list of waiters of the channel at which it stopped
  uint32_t next_waiter = kNone;
  uint64_t begun = 0;  // the blocking operation that it is in: its place among those that the process began; 0: none
  bool has_peers = false;                // the ranks that give it data in that operation are known
  uint32_t meeting = kNone;              // the operation in collectives_ that it waits for
  std::vector<TeamPart> teams;           // innermost last
  uint64_t task = 0;                     // the task that it runs; 0: its implicit one
  std::vector<OpenTaskWait> task_waits;  // innermost last
  int64_t iterates_since = INT64_MIN;    // the iteration before was done then, or the awaited one was there
  Waiting waiting;
  Probed probe;                // the message that the open probe found
  std::vector<Probed> probes;  // probes whose message has not been received yet
  bool has_gap = false;
  uint32_t sent = kNone;         // the message that it sent last; kNone: MPI cannot refuse that message any more
  std::deque<uint32_t> sending;  // calls that sent messages and have not been told, in their order
  Tests tests;
};

struct MessageState {
  Message message;
  uint32_t next = kNone;  // in its channel
  uint32_t users = 0;     // holders of the message: calls, a request and a channel
  uint32_t send_call = kNone, receive_call = kNone;
  uint32_t sender = kNone, receiver = kNone;  // processes
  uint64_t turn = kByOrder;
  bool matched = false, cancelled = false, lost = false;
  bool freed = false;  // the receive was freed, so its end is not known
};

// A call that is open, or whose facts are not all known yet.
struct CallState {
  Call call;
  std::vector<uint32_t> receives, sends;  // of messages_
  struct Part {
    uint32_t collective, member;
  };
  std::vector<Part> parts;  // of collective operations that another call began
  uint32_t unknown_arrivals = 0, unknown_sends = 0;
  bool has_frame = false;
  bool left = false, arrived = false, sent = false;
  bool in_turn = false;  // observers learn of its messages after those of the calls before it
};

// A receive that the program has posted. MPI gives messages to receives in the order in which these were posted,
// whatever the order in which they end.
struct PostedReceive {
  uint32_t communicator = kNone;
  int32_t from = -1, tag = -1;  // -1: any
  bool over = false;
  // The message in messages_ of a receive that has ended while an earlier receive, which may have got this message, is
  // still open.
  uint32_t held = kNone;

  bool MayTake(uint32_t its_communicator, int32_t its_from, int32_t its_tag) const {
    return !over && communicator == its_communicator && (from < 0 || from == its_from) && (tag < 0 || tag == its_tag);
  }
};

// The start of a partitioned send. Its message cannot go until its last part is ready.
struct PartedSend {
  std::array<uint64_t, event::kMostFields> field = {};
  uint64_t turn = kByOrder;
  MessageEnd start;
};

struct RequestState {
  uint32_t message = kNone;           // the message of a send
  std::unique_ptr<PartedSend> parts;  // of a partitioned send whose last part is not ready, as far as the trace tells
  bool receives = false;
  uint64_t place = 0;  // among the receives that its process posted; 0: the trace does not have it
  CallBegin posted;
  int64_t away = INT64_MAX;  // of a receive: as for MessageEnd
  bool probed = false;       // the same
  uint64_t begun = 0;        // the collective operation: its place among those that the process began
};

// A collective operation that a process began. Which operation it is becomes known with its communicator, at its end.
// Operations on a communicator have the order in which they were begun. Persistent ones have it only if their records
// do not tell which ones they are.
struct Begun {
  enum class Phase : uint8_t { kOpen, kEnded, kGone } phase = Phase::kOpen;
  Member member;
  Operation operation;
  uint32_t communicator = kNone;
  uint64_t turn = kByOrder;
  int32_t root = -1;
  uint32_t call = kNone;    // index in calls_: the call that completed it, if another call began it
  uint32_t waiter = kNone;  // location that is in the operation
  uint64_t mpi_calls = 0;   // number of MPI calls that its process had left

  bool IsPersistent() const { return archive::IsOfPersistent(turn); }
  bool HasTurn() const {
    const bool is_told = turn != kUnknownTurn && turn != kByOrder;
    return IsPersistent() || (is_told && (turn & ~archive::kSinceGap) < kNone - 1);
  }
};

struct CollectiveState {
  Collective collective;
  uint32_t arrived = 0, expected = 0;
  uint32_t users = 0;             // calls that completed a part and have not been told
  std::vector<uint32_t> waiters;  // locations
  std::vector<uint32_t> calls;    // indices in calls_, by member: the call that completed its part; kNone
  bool root_there = false;
  bool has_turn = false;
};

struct CommunicatorState {
  std::vector<std::pair<int32_t, uint32_t>> place_of;  // rank -> member, ascending
  std::vector<int32_t> ranks;                          // by member
  uint32_t traced = 0;                                 // members in the trace
  bool is_known = false;

  // kNone: the rank is no member.
  uint32_t MemberOf(int32_t rank) const {
    const auto place = std::lower_bound(place_of.begin(), place_of.end(), std::pair(rank, 0u));
    return place == place_of.end() || place->first != rank ? kNone : place->second;
  }
};

struct InstanceKey {
  uint32_t communicator;
  uint64_t number;
  bool operator==(const InstanceKey&) const = default;
};
inline uint64_t HashOf(const InstanceKey& key) { return Mix(key.number * 0xff51afd7ed558ccdull + key.communicator); }

struct GatheringState {
  Gathering gathering;
  uint64_t team = 0;
  uint32_t left = 0;
  uint32_t expected = 0;  // threads; 0: not known
  bool open = true;       // no thread has left it: a thread that comes to a barrier of the team comes to this one
  bool lacks = false;     // some of its threads have not come, or are not in the trace
};

struct LockState {
  uint64_t order = 0;  // of the last acquisition that was freed; 0: none
  uint32_t holder = kNone, held_in = kNone;
  int64_t taken = 0, freed = 0;
  // The last acquisitions that were seen: `now` has the lock, and `next` was seen before the release that it waited
  // for.
  struct Taken {
    uint64_t order = 0;
    Call call;
  } now, next;
};

struct ProcessState {
  FlatMap<uint64_t> teams;                            // -> gatherings_: the barrier that its threads are coming to
  std::unordered_map<uint64_t, uint32_t> team_sizes;  // of teams that have not joined, if the trace may lack threads
  FlatMap<uint64_t> locks;                            // -> index in locks_
  std::vector<uint32_t> lock_waiters;                 // locations that wait for a lock of libc
  std::unordered_map<uint64_t, ThreadState> threads;
  Tasks tasks;
  // Events of detached tasks -> their tasks; 0: it was fulfilled before its task began.
  std::unordered_map<uint64_t, uint64_t> task_events;
  Dependences dependences;  // of tasks
  std::unordered_map<uint64_t, SignalState> signals;
  Iterations iterations;
  Turns turns;
  FlatMap<uint64_t> requests;  // -> index in requests_
  std::deque<PostedReceive> posted;
  uint64_t posted_first = 1;  // place of the front of `posted`
  uint32_t held = 0;          // the number of held receives
  std::deque<Begun> begun;
  uint64_t begun_first = 1;   // place of the front of `begun`
  FlatMap<uint64_t> numbers;  // communicator -> number of its latest operation
  FlatMap<uint64_t> untold;   // the same of the last one before the first that tells its turn
  std::map<std::pair<uint32_t, Role>, uint64_t> managed;  // communicator, kind of call -> number of such calls so far
  std::vector<uint32_t> buffered;                         // messages that may be in the program's buffer
  size_t look_at_buffered = 0;                            // when there are so many
  uint32_t unmatched_sends = 0;
  uint32_t open_locations = 0;
  bool partial = false;
  static constexpr uint32_t kNoThread = kNone, kSeveralThreads = kNone - 1;
  uint32_t mpi_thread = kNoThread;  // the thread that called MPI
  int64_t left_mpi = INT64_MIN;     // when that thread left its last call …
  int64_t left_talk = INT64_MIN;  // … and its last one that communicates, no probe, and does not only begin something
  bool probed = false;            // it has probed since
  uint64_t mpi_calls = 0;         // number of calls that it has left
};

// Accesses of a process to the memory of another one in an epoch: the longest one, and the end of the last one.
struct Accesses {
  Call longest;
  int64_t last = INT64_MIN;

  void Add(const Call& access) {
    if (access.leave - access.enter > longest.leave - longest.enter || last == INT64_MIN) longest = access;
    last = std::max(last, access.leave);
  }
  bool IsThere() const { return last != INT64_MIN; }
  // Whether the longest access was going on at `ns`.
  bool Contain(int64_t ns) const { return IsThere() && longest.enter <= ns && ns <= longest.leave; }
};

// Calls on a window by which processes wait for each other. Keeps the calls of each fence that were seen so far; for
// each pair of processes, the epochs whose other side was not seen yet; and locks as long as others may wait for them.
struct WindowState {
  struct Fence {
    std::vector<Call> calls;
    std::unordered_map<uint64_t, Accesses> accesses;  // since the fence before, by pair of processes
  };
  std::unordered_map<uint32_t, uint64_t> fences_of;  // process -> number of fences that it has left
  std::unordered_map<uint64_t, Fence> fences;        // by number
  // A call at one end of an epoch, with one or several partners. It is told when it is known for all of them.
  struct Needs {
    WindowWait wait;
    PairSync pairs;
    size_t unknown = 0;
    bool ends = false;  // it ends an epoch
  };
  // One side of an epoch, for one partner.
  struct Side {
    Call begun, ended;
    std::shared_ptr<Needs> begin_needs, end_needs;
    Accesses accesses;  // for an access epoch
  };
  struct Pair {
    std::deque<Side> accesses, exposures;
  };
  std::unordered_map<uint64_t, Pair> pairs;  // PairOf both processes
  struct Open {
    Call begun;
    std::vector<uint32_t> partners;                   // processes
    std::unordered_map<uint32_t, Accesses> accesses;  // by partner
  };
  std::unordered_map<uint32_t, Open> accessing, exposing;  // by process
  struct Lock {
    Call begun, ended;
    Accesses accesses;
    int32_t target = -1;  // -1: all ranks
    bool exclusive = false;
  };
  std::unordered_map<uint64_t, Lock> held;  // PairOf process and target
  static constexpr size_t kTellAt = 1 << 10;
  std::vector<Lock> locks;   // that were given back, and not told of
  size_t tell_at = kTellAt;  // when there are so many
  // The end of a lock that others may have to wait for.
  struct Given {
    Call call;
    uint64_t number = 0;
  };
  // The memory of a process.
  struct Target {
    Call alone;                 // end of the last exclusive lock, if there was one …
    std::vector<Given> shared;  // … and of the shared locks since then
    uint64_t next_shared = 0;
    uint64_t of_all = 0;  // number of the next lock of all targets then
  };
  std::map<int32_t, Target> targets;
  std::vector<Given> of_all;  // locks of all targets
  uint64_t next_of_all = 0;
  size_t kept = 0;  // number of those in `targets` and `of_all`, when some were told of last
};

inline uint64_t PairOf(uint32_t origin, uint32_t target) { return uint64_t{origin} << 32 | target; }

// Identifies the n-th calls of one kind that the processes of a communicator made together.
struct ManagementKey {
  uint32_t communicator;
  Role role;
  uint64_t number;
  auto operator<=>(const ManagementKey&) const = default;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_STATES_H_
