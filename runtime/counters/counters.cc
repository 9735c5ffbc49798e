// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/counters/counters.h"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/base/spinlock.h"
#include "runtime/base/thread_memory.h"
#include "runtime/counters/chosen.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/episode/paths.h"
#include "runtime/metrics/source.h"

namespace epik::counters {

using choice::hooks;
using event::CounterKind;
using event::CounterNode;
using event::kCountersOfNode;
using event::kMostCounters;
using event::Location;
using metrics::Source;

namespace {

constexpr uint32_t kBlocks = 64;
constexpr uint32_t kMostSources = 17;

// A source, with the counters of it that are read.
struct Used {
  Source* source;
  uint32_t first, count;  // of all that are read
  size_t state;           // where its part of a thread's memory begins
};
struct Counting {
  Used used[kMostSources] = {};
  uint32_t sources = 0;
  uint32_t counters = 0;
  CounterKind kinds[kMostCounters] = {};
  double scales[kMostCounters] = {};
  uint32_t in_trace[kMostCounters] = {};  // region that stands for it in records; 0: it is in none
  size_t state_bytes = 0;
  std::atomic<bool> lack_is_noted{false};  // of a thread that cannot have them
  bool in_traces = false;
  base::SpinLock threads_lock;
  struct ThreadCounters* threads = nullptr;
  // For Finish: the source that is asked, and the first of its counters.
  uint32_t finishing = 0;
};
constinit Counting all;

// State of a thread. It remembers the nodes found last by call path; their parent shows whether they are still right.
struct ThreadCounters {
  uint64_t working;  // where on the stack it is at work on this; 0
  ThreadCounters* next;
  ThreadCounters* previous;
  uint64_t opened;  // sources, one bit each
  uint64_t made;    // nodes
  uint32_t block[kBlocks];
  uint64_t last[kMostCounters];
  uint64_t now[kMostCounters];
  // For the trace: counts that do not belong to the program's calls, and values of the latest records.
  uint64_t first[kMostCounters];
  uint64_t logged[kMostCounters];
  uint32_t deepest;
};
// Behind it and the states of sources, for the trace: the counts until the last event, and until the begin of the open
// call at each depth.
constexpr uint32_t kDeepest = 1 << 14;  // of deeper calls the ends alone have values
EPIK_PER_THREAD base::PerThread<ThreadCounters*> own;

size_t ThreadBytes() {
  const size_t noted = all.in_traces ? kDeepest * all.counters * sizeof(uint64_t) : 0;
  return sizeof(ThreadCounters) + all.state_bytes + noted;
}
void* StateOf(ThreadCounters* mine, const Used& each) { return reinterpret_cast<char*>(mine + 1) + each.state; }

uint64_t* NotedAt(ThreadCounters* mine, uint32_t depth) {
  return reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(mine + 1) + all.state_bytes) +
         size_t{depth} * all.counters;
}

void ReadAll(ThreadCounters* mine) {
  for (uint32_t s = 0; s < all.sources; ++s) {
    const Used& each = all.used[s];
    if ((mine->opened >> s & 1) != 0) each.source->Read(StateOf(mine, each), &mine->now[each.first]);
  }
}

uint32_t Groups() { return (all.counters + kCountersOfNode - 1) / kCountersOfNode; }

bool IsGroup(uint32_t line, uint32_t parent, uint32_t group) {
  const auto* node = base::LineAt<CounterNode>(line);
  return node->key == event::RegionKey(event::kMetricBit | event::kCounterBit | group) && node->parent == parent;
}

// The group's node below the call path, or 0.
uint32_t FindGroup(Location* location, uint32_t path, uint32_t group, uint64_t* made_so_far) {
  const event::Key key = event::RegionKey(event::kMetricBit | event::kCounterBit | group);
  if (const uint32_t known = epitome::KnownChild(event::NodeAt(path), key); known != 0) return known;
  const uint32_t made = episode::MakeMetric(location, path, key);
  ++*made_so_far;
  return made != 0 && IsGroup(made, path, group) ? made : 0;
}

// A call path that found no room has no node of its own. Its counts then belong to the program, so that the sum over
// all nodes stays right.
uint32_t GroupNode(Location* location, ThreadCounters* mine, uint32_t path, uint32_t group, uint32_t before) {
  uint32_t* known = &mine->block[path % kBlocks];
  const uint32_t guess = group == 0 ? *known : before + 1;
  if (EPIK_LIKELY(guess != 0 && guess % base::kChunkLines != 0 && IsGroup(guess, path, group))) return guess;
  uint32_t line = FindGroup(location, path, group, &mine->made);
  if (line == 0 && path != location->root) line = FindGroup(location, location->root, group, &mine->made);
  if (group == 0) *known = line;
  return line;
}

EPIK_HOT void Put(uint64_t* to, uint32_t counter, uint64_t now, uint64_t before) {
  if (all.kinds[counter] == CounterKind::kPeak) {
    if (now > *to) *to = now;
  } else {
    *to += now - before;
  }
}

// Adds the counts since the last reading to `path`. True when a node had to be made for them.
bool AddAll(Location* location, ThreadCounters* mine, uint32_t path) {
  const uint64_t made = mine->made;
  uint32_t line = 0;
  for (uint32_t group = 0; group < Groups(); ++group) {
    const uint32_t first = group * kCountersOfNode;
    const uint32_t end = first + kCountersOfNode < all.counters ? first + kCountersOfNode : all.counters;
    line = GroupNode(location, mine, path, group, line);
    if (EPIK_UNLIKELY(line == 0)) continue;  // no memory at all: counted with the next event that has a place
    auto* node = base::LineAt<CounterNode>(line);
    for (uint32_t c = first; c < end; ++c) {
      const uint64_t before = mine->last[c];
      mine->last[c] = mine->now[c];
      EPIK_ORDER();
      Put(&node->value[c - first], c, mine->now[c], before);
    }
  }
  return mine->made != made;
}

// The measurement's own node in the call tree, made when it is needed; 0: no room.
uint32_t MeasurementNode(Location* location) {
  const event::Key key = event::RegionKey(event::kMeasurementRegion);
  if (const uint32_t known = epitome::KnownChild(event::NodeAt(location->root), key); known != 0) return known;
  return episode::MakeMetric(location, location->root, key);
}

// The trace does not count this for the program's calls.
bool AddOurs(Location* location, ThreadCounters* mine, uint32_t path) {
  ReadAll(mine);
  for (uint32_t c = 0; c < all.counters; ++c) mine->first[c] += mine->now[c] - mine->last[c];
  return AddAll(location, mine, path);
}

void AddToMeasurement(Location* location, ThreadCounters* mine) {
  uint32_t path = MeasurementNode(location);
  if (path == 0) path = location->root;
  if (AddOurs(location, mine, path)) AddOurs(location, mine, path);
}

// Notes what was counted until now, at an event after which a call may begin at that depth. True if this touched memory
// for the first time.
bool NoteForTrace(ThreadCounters* mine, uint32_t depth) {
  uint64_t* now = NotedAt(mine, 0);
  for (uint32_t c = 0; c < all.counters; ++c) {
    now[c] = all.kinds[c] == CounterKind::kPeak ? mine->now[c] : mine->now[c] - mine->first[c];
  }
  if (depth >= kDeepest) return false;
  std::memcpy(NotedAt(mine, depth), now, all.counters * sizeof *now);
  if (depth <= mine->deepest) return false;
  mine->deepest = depth;
  return true;
}

// While it lives, a handler leaves this thread's counters alone.
class AtWork {
 public:
  explicit AtWork(ThreadCounters* mine) : mine_(mine), errno_(errno) {
    mine->working = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    EPIK_ORDER();
  }
  ~AtWork() {
    errno = errno_;
    EPIK_ORDER();
    mine_->working = 0;
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  ThreadCounters* mine_;
  int errno_;
};

void AddLater(uint64_t place, size_t counter, uint64_t value) {
  auto* location = base::LineAt<Location>(static_cast<uint32_t>(place >> 32));
  const uint32_t number = all.used[all.finishing].first + static_cast<uint32_t>(counter);
  const uint32_t group = number / kCountersOfNode;
  uint64_t made = 0;
  uint32_t line = FindGroup(location, static_cast<uint32_t>(place), group, &made);
  if (line == 0) line = FindGroup(location, location->root, group, &made);
  if (line != 0) base::LineAt<CounterNode>(line)->value[number % kCountersOfNode] += value;
}

ThreadCounters* OpenThread() {
  void* memory = mmap(nullptr, ThreadBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* mine = static_cast<ThreadCounters*>(memory);
  for (uint32_t s = 0; s < all.sources; ++s) {
    const char* why_not = all.used[s].source->OpenThread(StateOf(mine, all.used[s]));
    if (why_not == nullptr) {
      mine->opened |= uint64_t{1} << s;
      continue;
    }
    if (all.lack_is_noted.exchange(true)) continue;
    NoteAboutCounters(std::string("counters are not those of all threads: ") + why_not);
  }
  ReadAll(mine);
  std::memcpy(mine->last, mine->now, sizeof mine->last);
  std::memcpy(mine->first, mine->now, sizeof mine->first);
  return mine;
}

void CloseThread(ThreadCounters* mine) {
  for (uint32_t s = all.sources; s-- > 0;) {
    if ((mine->opened >> s & 1) != 0) all.used[s].source->CloseThread(StateOf(mine, all.used[s]));
  }
  munmap(mine, ThreadBytes());
}

double TicksToRead() {
  ThreadCounters* mine = OpenThread();
  if (mine == nullptr) return 0;
  constexpr int kBatches = 4, kReads = 25;
  uint64_t best = ~uint64_t{0};
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t start = base::Now();
    for (int i = 0; i < kReads; ++i) ReadAll(mine);
    const uint64_t took = base::Now() - start;
    if (took < best) best = took;
  }
  CloseThread(mine);
  return static_cast<double>(best) / kReads;
}

}  // namespace

void StartCounters(const episode::Options& options) {
  all.sources = 0;
  all.counters = 0;
  all.state_bytes = 0;
  all.lack_is_noted = false;
  all.in_traces = options.settings.trace.on;
  if (options.settings.metrics.empty()) return;
  for (const ChosenSource& each : ChooseCounters(options)) {
    const auto count = static_cast<uint32_t>(each.counters.size());
    all.used[all.sources++] = {each.source, all.counters, count, all.state_bytes};
    all.state_bytes += (each.source->StateBytes() + 63) / 64 * 64;
    for (const metrics::Counter& counter : each.counters) {
      all.kinds[all.counters] = counter.kind;
      all.scales[all.counters] = counter.scale;
      const auto role = event::Role::kMetric;
      all.in_trace[all.counters] =
          all.in_traces ? episode::DefineRegion(counter.name.c_str(), counter.unit.c_str(), -1, role) : 0;
      ++all.counters;
    }
  }
  if (all.counters == 0) return;
  const double reads = 2 * TicksToRead();
  event::Process()->pair_cost_ticks += reads;
  event::Process()->behind_least_ticks += reads;
  event::Process()->behind_most_ticks += reads;
  episode::SeeEachEvent();
  __atomic_store_n(&hooks.counters_on, true, __ATOMIC_RELEASE);
}

void StartThreadCounters(Location*) {
  if (!hooks.counters_on || *own != nullptr) return;
  const int saved_errno = errno;
  ThreadCounters* mine = OpenThread();
  errno = saved_errno;
  if (mine == nullptr) return;
  {
    const base::Locked lock(all.threads_lock);
    mine->next = all.threads;
    if (all.threads != nullptr) all.threads->previous = mine;
    all.threads = mine;
  }
  *own = mine;
}

void StopThreadCounters() {
  ThreadCounters* mine = *own;
  if (mine == nullptr) return;
  *own = nullptr;
  {
    const base::Locked lock(all.threads_lock);
    if (mine->next != nullptr) mine->next->previous = mine->previous;
    (mine->previous != nullptr ? mine->previous->next : all.threads) = mine->next;
  }
  const int saved_errno = errno;
  CloseThread(mine);
  errno = saved_errno;
}

void ChargeNow(Location* location) {
  ThreadCounters* mine = *own;
  if (mine == nullptr || mine->working != 0) return;  // a handler in the midst of it: its own is in the next reading
  const AtWork work(mine);
  ReadAll(mine);
  bool ours = AddAll(location, mine, location->node);
  if (all.in_traces) ours = NoteForTrace(mine, location->top + 1 - location->bottom) || ours;
  if (EPIK_UNLIKELY(ours)) AddToMeasurement(location, mine);
}

void NoteAgain(uint32_t depth) {
  ThreadCounters* mine = *own;
  if (!all.in_traces || mine == nullptr || depth > mine->deepest) return;
  std::memcpy(NotedAt(mine, depth), NotedAt(mine, 0), all.counters * sizeof(uint64_t));
}

void ChargePart(Location* location) {
  ChargeNow(location);
  NoteAgain(1);
}

void LogCounters(Location* location, uint32_t depth, uint64_t time, WriteRecord write) {
  ThreadCounters* mine = *own;
  if (!all.in_traces || mine == nullptr) return;
  if (depth >= kDeepest) ++location->unlogged;  // its values, which have no room
  if (depth > mine->deepest) return;
  const uint64_t* noted = NotedAt(mine, depth);
  for (uint32_t c = 0; c < all.counters; ++c) {
    // Sums only grow. A call that began without an event of its own uses the note of an earlier call.
    const bool has_changed =
        all.kinds[c] == CounterKind::kPeak ? noted[c] != mine->logged[c] : noted[c] > mine->logged[c];
    if (all.in_trace[c] == 0 || !has_changed) continue;
    const auto log = [&](double value) {
      const uint64_t fields[] = {all.in_trace[c], std::bit_cast<uint64_t>(value)};
      write(location, time, event::RecordKind::kMetric, fields);
    };
    // The count of this thread begins at 0, in the place of another thread. The trace may not say that there was one.
    const bool begins = mine->logged[c] == 0 && all.kinds[c] != CounterKind::kPeak && location->threads > 1;
    if (EPIK_UNLIKELY(begins)) log(0);
    mine->logged[c] = noted[c];
    log(static_cast<double>(noted[c]) * all.scales[c]);
  }
}

void LogLastCounters(Location* location, uint64_t time, WriteRecord write) {
  ThreadCounters* mine = *own;
  if (mine == nullptr) return;
  for (uint32_t c = 0; c < all.counters; ++c) {
    if (all.kinds[c] == CounterKind::kPeak) mine->logged[c] = 0;
  }
  LogCounters(location, 0, time, write);
}

void ChargeMeasurement(Location* location) {
  ThreadCounters* mine = *own;
  if (mine == nullptr || mine->working != 0) return;
  const AtWork work(mine);
  AddToMeasurement(location, mine);
}

uint64_t ChargeAtWork() { return *own != nullptr ? (*own)->working : 0; }

// A jump out of a handler never comes back to what the handler interrupted: the next event reads the counters again.
void ForgetCharge(Location*, uint64_t landing, const episode::StackRange& handlers, uint32_t) {
  const uint64_t stack = ChargeAtWork();
  if (stack != 0 && episode::IsLeft(stack, landing, handlers)) (*own)->working = 0;
}

void FinishCounters() {
  if (!hooks.counters_on) return;
  __atomic_store_n(&hooks.counters_on, false, __ATOMIC_RELAXED);
  std::vector<std::string> notes;
  for (all.finishing = 0; all.finishing < all.sources; ++all.finishing)
    all.used[all.finishing].source->Finish(AddLater, &notes);
  for (const std::string& note : notes) episode::Note(note.c_str());
}

void ForgetCounters() {
  hooks.counters_on = false;
  all.threads_lock.Reset();
  *own = nullptr;
  for (ThreadCounters* each = all.threads; each != nullptr;) {
    ThreadCounters* next = each->next;
    for (uint32_t s = 0; s < all.sources; ++s) {
      if ((each->opened >> s & 1) != 0) all.used[s].source->ForgetThread(StateOf(each, all.used[s]));
    }
    munmap(each, ThreadBytes());
    each = next;
  }
  all.threads = nullptr;
}

const episode::Part counters_part = {.name = "counters",
                                     .start = StartCounters,
                                     .finish = FinishCounters,
                                     .forget = ForgetCounters,
                                     .opened = StartThreadCounters,
                                     .closed = StopThreadCounters,
                                     .jumped = ForgetCharge};

}  // namespace epik::counters
