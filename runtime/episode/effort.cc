// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/effort.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/episode/each_node.h"
#include "runtime/epitome/call_tree_hot.h"
#include "runtime/event/control.h"

namespace epik::episode {

using event::Location;
using event::Node;
using event::NodeAt;

namespace {

constexpr uint64_t kRareTicks = uint64_t{1} << 28;  // about a tenth of a second
constexpr uint64_t kShortLifeNs = 1'000'000;        // of a thread whose time in queues is not asked for
uint64_t loaded_ns = 0;
// How long the first thread had waited for a processor, and how often the process had lost one, before the measurement
// began. The kernel does not reset them at exec, so they include other programs.
uint64_t queued_before_ns = 0, preempted_before = 0;

uint64_t CpuNs(clockid_t clock) {
  timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

// The CPU clock of any thread of this process, as the kernel numbers them (linux/posix-timers.h).
clockid_t ClockOf(uint32_t thread_id) {
  constexpr uint32_t kPerThread = 4, kScheduler = 2;
  return static_cast<clockid_t>(~thread_id << 3 | kPerThread | kScheduler);
}

// Nanoseconds that a thread was ready to run and did not: the second word of its schedstat.
uint64_t QueuedNs(uint32_t thread_id) {
  char path[64], text[96];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/schedstat", thread_id);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[std::max<ssize_t>(n, 0)] = '\0';
  char* end = text;
  strtoull(text, &end, 10);
  return strtoull(end, nullptr, 10);
}

// Other processes may read the word meanwhile.
void Store(uint64_t* place, uint64_t value) { __atomic_store_n(place, value, __ATOMIC_RELAXED); }

void Read(Location* location, clockid_t clock, uint64_t now) {
  const uint64_t taken = CpuNs(clock);
  if (taken == 0) return;  // the thread is gone
  Store(&location->cpu_ns, location->cpu_before_ns + taken);
  Store(&location->cpu_read_at, now);
}

uint64_t Preempted() {
  rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<uint64_t>(usage.ru_nivcsw) : 0;
}

bool IsFirstThread(const Location* location) { return static_cast<pid_t>(location->thread_id) == getpid(); }

void ReadLast(Location* location, clockid_t clock) {
  Read(location, clock, base::Now());
  if (location->cpu_ns < kShortLifeNs) return;
  const uint64_t queued = QueuedNs(location->thread_id), before = IsFirstThread(location) ? queued_before_ns : 0;
  Store(&location->queued_ns, location->queued_ns + (queued > before ? queued - before : 0));
}

// Ticks that reading a word takes.
uint64_t TicksToReach(const uint64_t* word) {
  base::SettleClock();
  const uint64_t start = base::ReadTsc();
  base::SettleClock();
  __asm__ volatile("" ::"r"(__atomic_load_n(word, __ATOMIC_RELAXED)) : "memory");
  base::SettleClock();
  return base::ReadTsc() - start;
}

// Some call paths of a location, in random order, so that each look finds the caches as the program left them: neither
// an earlier look nor a prefetcher has fetched the call path.
struct Looks {
  static constexpr uint32_t kMost = 4096;
  uint32_t line[kMost];
  uint32_t count;

  void Choose(const Location* location) {
    const uint32_t step = location->paths / kMost + 1;
    uint64_t index = 0;
    count = 0;
    ForEachNode(base::LineOf(location), [&](uint32_t each) {
      if (++index % step == 0 && count < kMost) line[count++] = each;
    });
    uint64_t seed = 20061;
    for (uint32_t i = count; i > 1; --i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      std::swap(line[i - 1], line[(seed >> 33) % i]);
    }
  }
};

// The time that an enter and an exit wait for a call path: for its node, and for its slot in the table.
uint64_t MeanTicksToReach(const Looks& looks) {
  constexpr uint64_t kInterrupted = 20'000;
  double waited = 0, visits = 0;
  uint64_t nearest = kInterrupted;
  for (uint32_t i = 0; i < looks.count; ++i) {
    const Node* node = NodeAt(looks.line[i]);
    uint64_t ticks = TicksToReach(&node->visits);
    nearest = std::min(nearest, ticks);
    if (event::IsMetric(node->key) || node->parent == 0) continue;
    if (const uint32_t table = NodeAt(node->parent)->table; table != 0) {
      ticks += TicksToReach(&epitome::TableSlots(table)[epitome::FirstSlot(epitome::TableHash(node->key), table & 31)]);
    } else {
      ticks += nearest;
    }
    if (ticks > kInterrupted) continue;
    const auto weight = static_cast<double>(node->visits);
    waited += weight * static_cast<double>(ticks);
    visits += weight;
  }
  const double mean = visits > 0 ? waited / visits : 0;
  return static_cast<uint64_t>(std::max(0.0, mean - 2 * static_cast<double>(nearest)));
}

// Measures how long calls in large call trees waited for memory. REQUIRES: no thread writes any more.
void ReadDistances() {
  static Looks looks;
  event::ForEachPlace({base::arena_base, event::Process()->arena.bytes}, [](Location* location) {
    if (!epitome::IsLarge(location)) return;
    looks.Choose(location);
    location->far_ticks = MeanTicksToReach(looks);
  });
}

void Start(const Options&) {
  queued_before_ns = QueuedNs(static_cast<uint32_t>(getpid()));
  preempted_before = Preempted();
}

void Open(Location* location) {
  const bool is_program = location->number == 0 && IsFirstThread(location);
  // The program's time before its first event counts from the moment our library was loaded.
  const uint64_t taken = is_program ? loaded_ns : CpuNs(CLOCK_THREAD_CPUTIME_ID);
  location->cpu_before_ns = location->cpu_ns - taken;
  location->cpu_read_at = location->last;
}

void Close(Location* location, uint64_t) { ReadLast(location, CLOCK_THREAD_CPUTIME_ID); }

void Finish() {
  ReadEfforts();
  ReadDistances();
}

void Forget() { loaded_ns = queued_before_ns = preempted_before = 0; }

}  // namespace

void NoteEffortOnLoad() { loaded_ns = CpuNs(CLOCK_THREAD_CPUTIME_ID); }

void ReadEffortRarely(Location* location, uint64_t now) {
  if (now - location->cpu_read_at > kRareTicks) Read(location, CLOCK_THREAD_CPUTIME_ID, now);
}

void ReadEfforts() {
  const int saved_errno = errno;
  event::ProcessHeader* process = event::Process();
  event::ForEachPlace({base::arena_base, process->arena.bytes}, [](Location* location) {
    event::LocationState state;
    __atomic_load(&location->state, &state, __ATOMIC_RELAXED);
    if (state == event::LocationState::kRunning) ReadLast(location, ClockOf(location->thread_id));
  });
  process->preemptions = Preempted() - preempted_before;
  errno = saved_errno;
}

const Part effort_part = {
    .name = "effort", .start = Start, .finish = Finish, .forget = Forget, .opened = Open, .closing = Close};

}  // namespace epik::episode
