// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/lifecycle.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "config/own_executable.h"
#include "runtime/base/forked.h"
#include "runtime/base/installation.h"
#include "runtime/base/log.h"
#include "runtime/base/own_heap.h"
#include "runtime/base/own_stack.h"
#include "runtime/base/privileges.h"
#include "runtime/base/spinlock.h"
#include "runtime/base/thread_memory.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/effort.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/modules.h"
#include "runtime/episode/options.h"
#include "runtime/episode/part.h"
#include "runtime/episode/room.h"
#include "runtime/episode/workplace.h"

namespace epik::episode {

using event::Process;

namespace {

// A moment by both clocks, for use before EPIK has chosen one.
struct Moment {
  uint64_t ticks = 0, ns = 0;
  uint64_t OnTimer() const { return base::clock_is_tsc ? ticks : ns; }
};
Moment TakeMoment() { return {base::ReadTsc(), base::MonotonicRawNs()}; }

// State of the process.
struct Lifecycle {
  std::atomic<Stage> stage{Stage::kIdle};
  std::atomic<pid_t> finisher{0};  // the thread that is at work on the archive
  base::SpinLock start_lock;
  pthread_key_t thread_end_key = 0;
  bool have_thread_end_key = false;
  bool fork_measured = true;
  bool rank_is_out = false;
  uint64_t setup_ticks = 0;           // the time that starting the measurement took: it does not belong to the program
  const unsigned* threads = nullptr;  // libc's count of those that live; null: not known
  Moment loaded;                      // when the library came into the program; 0: it was there before
  // The archive of a job is written in MPI_Finalize, while its processes can still talk to each other.
  pid_t finalized = 0;  // this process, when its measurement ended there
  int finalized_rank = 0;
  uint64_t early_calls = 0;  // of threads that waited in vain for the start
  uint64_t late_calls = 0;   // since the measurement is over
};
constinit Lifecycle life;

// A copy of the command line, because some programs write into their arguments.
struct Command {
  char text[16384];
  size_t bytes;
};
Command loaded;

// State of the calling thread.
struct ThreadLife {
  // Has ended, or could not be given a location.
  bool is_off = false;
  bool waited_in_vain = false;  // for another thread to start the measurement
  Origin origin = {};
  uint64_t begin = 0;
  int end_rounds = 0;
  bool is_stopped = false;  // memory was full (EPK_OVERFLOW=stop)
};
EPIK_PER_THREAD base::PerThread<ThreadLife> mine;

#ifdef __SANITIZE_THREAD__  // it uses the last round itself, and must not be called after it
constexpr int kEndRounds = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
#else
constexpr int kEndRounds = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif

// libc ends the process when its last thread has ended: handlers of atexit run on that thread.
bool IsLastThread() { return life.threads != nullptr && __atomic_load_n(life.threads, __ATOMIC_RELAXED) == 1; }

// Other libraries' thread data may still be torn down by instrumented code: the last round is ours.
void OnThreadEnd(void* location) {
  if (++mine->end_rounds < kEndRounds && life.stage == Stage::kOn) {
    pthread_setspecific(life.thread_end_key, location);
    return;
  }
  if (life.stage == Stage::kOn && IsLastThread()) return;
  ForEachPart(&Part::ends);
  mine->is_off = true;
  Inside guard;
  if (life.stage == Stage::kOn) {
    DetachThisThread(base::Now());
  } else {
    LeaveThisThread();
  }
}

// EPK_RANKS excludes this process. It still is a part of its job, with one thread that pauses all the time.
Location* AttachPaused(uint64_t begin) {
  ++pauses;
  const bool is_first = std::atomic_ref<uint32_t>(Process()->locations).load(std::memory_order_relaxed) == 0;
  Location* location = !is_first || HasLocation() ? nullptr : Attach(mine->origin, begin);
  if (location == nullptr) return nullptr;
  RecordVisit(location, event::RegionKey(event::kMeasurementRegion), begin, life.setup_ticks);
  Enter(location, event::RegionKey(event::kPausedRegion), ~uint64_t{0}, base::Now);
  current = nullptr;
  return nullptr;
}

// The calling thread's location, made now; null when nothing is measured on this thread.
Location* LocationOfThread() {
  Inside guard;
  // A handler that came before the guard may have made the location, or found that there is none.
  if (current != nullptr || pauses != 0 || mine->is_off) return current;
  if (!EnsureStarted()) return nullptr;
  const int saved_errno = errno;
  uint64_t begin = mine->begin != 0 ? mine->begin : base::Now();
  const bool is_first = std::atomic_ref<uint32_t>(Process()->locations).load(std::memory_order_relaxed) == 0;
  if (is_first && getpid() == gettid()) begin = Process()->start_ticks;
  if (life.rank_is_out) {
    errno = saved_errno;
    return AttachPaused(begin);
  }
  Location* location = Attach(mine->origin, begin);
  if (location != nullptr && begin == Process()->start_ticks) {
    RecordVisit(location, event::RegionKey(event::kMeasurementRegion), begin, life.setup_ticks);
  }
  if (location == nullptr) {
    mine->is_off = true;
    std::atomic_ref<uint64_t>(Process()->unmeasured_threads).fetch_add(1);
  } else if (life.have_thread_end_key) {
    pthread_setspecific(life.thread_end_key, location);
  }
  if (location != nullptr) {
    ForEachPart(&Part::begins, location, *joins_team_as != 0 || mine->origin.measured);
    location = current;  // null: it begins with a pause
  }
  errno = saved_errno;
  return location;
}

void CountDropped() { std::atomic_ref<uint64_t>(Process()->dropped).fetch_add(1); }

EPIK_COLD void EnterBegin(Key key, uint64_t stack) {
  const bool at_rest = pauses == 0 && (inside || mine->is_off);
  if (at_rest) {
    if (CurrentStage() == Stage::kOn) CountDropped();
    return;
  }
  Location* location = pauses == 0 ? LocationOfThread() : nullptr;
  if (pauses != 0 && choice::EnterWhilePaused(key, stack)) return Enter(key, reinterpret_cast<const void*>(stack));
  if (location == nullptr) {
    if (CurrentStage() == Stage::kStarting) __atomic_fetch_add(&life.early_calls, 1, __ATOMIC_RELAXED);
    return;
  }
  if (IsUnusual() && choice::IsOutAtFirst(key, stack)) return;
  if (EPIK_UNLIKELY(choice::hooks.counters_on)) counters::ChargeMeasurement(location);
  EnterSlowly(location, key, stack);
}

// Returns the number of bytes, at most `size`.
size_t ReadStartOf(const char* file, char* text, size_t size) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, size);
  close(fd);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

void ReadBootId(char* text, size_t size) {
  text[ReadStartOf("/proc/sys/kernel/random/boot_id", text, size - 1)] = '\0';
  if (char* end = std::strchr(text, '\n')) *end = '\0';
}

void DefineCommand() {
  char executable[PATH_MAX];
  config::OwnExecutable(executable, sizeof executable);
  Define(event::RecordType::kProgram, executable);
  // The initializers of the program's libraries run before OnLoad, and what they call may begin the measurement.
  if (loaded.bytes == 0) loaded.bytes = ReadStartOf("/proc/self/cmdline", loaded.text, sizeof loaded.text);
  const Piece piece{loaded.text, loaded.bytes};
  Define(event::RecordType::kCommand, &piece, 1);
}

void FillHeader() {
  event::ProcessHeader* process = Process();
  process->pid = static_cast<uint32_t>(getpid());
  process->parent_pid = static_cast<uint32_t>(getppid());
  process->timer = base::clock_is_tsc ? base::Timer::kTsc : base::Timer::kMonotonic;
  process->hides_little = base::ReadingHidesLittle() ? 1 : 0;
  const base::ClockPair pair = base::ReadClockPair();
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  process->start_ticks = pair.ticks;
  process->first_pair = pair;
  process->start_unix_ns = static_cast<uint64_t>(wall.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(wall.tv_nsec);
  process->pair[0] = pair;
  gethostname(process->host, sizeof process->host - 1);
  ReadBootId(process->boot_id, sizeof process->boot_id);
}

bool Start() {
  if (base::IsPrivileged()) return false;
  if (!base::IsSameWorld()) {
    base::Say(
        "the program changed its root or its mounts before its first event; measurement off, the program continues");
    return false;
  }
  // `new` ends the program when it finds no memory. The start takes 13 KiB (measured), or more with long settings.
  if (!base::ReserveOwn()) {
    base::Say("no memory for the measurement (%s); measurement off, the program continues", std::strerror(ENOMEM));
    return false;
  }
  const Options options = LoadOptions();
  if (!options.enabled) return false;
  base::clock_is_tsc = options.want_tsc && base::TscIsInvariant();
  if (!base::clock_is_tsc) SeeEachEvent();
  epitome::path_limit = options.path_limit;
  frame_limit = options.frame_limit;
  thread_limit = options.thread_limit;
  life.fork_measured = options.measure_forked;
  life.rank_is_out = options.rank_is_out;
  stop_when_full = options.stop_when_full;
  if (!OpenWorkplace(options)) return false;
  if (!epitome::OpenTables(Process()->arena.bytes)) {
    base::Say("no memory for the call tree; measurement off, the program continues");
    base::Arena::Destroy();
    RemoveWorkplace();
    return false;
  }
  FillHeader();
  DefineCommand();
  Define(event::RecordType::kConfig, options.configuration.c_str());
  const std::string& title = options.settings.title;
  if (!title.empty()) Define(event::RecordType::kTitle, title.c_str());
  if (!options.only_ranks.empty()) {
    Note(("only ranks " + options.only_ranks + " were measured, the others paused (EPK_RANKS)").c_str());
  }
  RedefineRegions();
  ScanModules();
  if (!life.have_thread_end_key) life.have_thread_end_key = pthread_key_create(&life.thread_end_key, OnThreadEnd) == 0;
  const uint64_t loaded_at = life.loaded.OnTimer();
  // The program's total includes the time before its first event.
  if (loaded_at != 0 && loaded_at < Process()->start_ticks) Process()->start_ticks = loaded_at;
  ForEachPart(&Part::start, options);
  ScaleClock();  // the set-up took long enough to know the timer's scale, in case the program is killed right away
  if (options.verbose >= 1) base::Say("measuring into %s", UnfinishedArchive());
  TellRunner("start", UnfinishedArchive());
  Process()->state = event::ProcessState::kOn;
  return true;
}

// The first event may come on a stack of 16 KiB.
bool StartOnOwnStack() {
  base::ReserveOwnStacks();
  bool started = false;
  base::CallOnOwnStack(
      base::OwnStack::kSetUp, [](void* result) { *static_cast<bool*>(result) = Start(); }, &started);
  return started;
}

// In a forked child, which has memory of its own.
void ContinueThisThread() {
  if (mine->is_stopped && pauses != 0) --pauses;
  mine->is_stopped = false;
}

}  // namespace

void StopThisThread() {
  static std::atomic<pid_t> said{0};  // the process: a forked child has an archive of its own
  current = nullptr;
  mine->is_stopped = true;
  ++pauses;  // and no resume brings it back: there is no location to return to
  if (said.exchange(getpid()) == getpid()) return;
  Inside guard;
  Note("memory was full: threads that came to a new call path were not measured from then on (EPK_OVERFLOW=stop)");
}

void OnForkInChild() {
  base::NoteForked();
  base::ForgetOwnHeapLock();
  base::ForgetOwnStackOwners();
  base::ForgetThreadMemories();
  life.start_lock.Reset();
  life.finisher = 0;
  mine->is_off = false;
  mine->origin = {};
  mine->begin = 0;
  mine->end_rounds = 0;
  mine->waited_in_vain = false;
  life.early_calls = 0;
  life.late_calls = 0;
  life.finalized = 0;
  // The thread that was writing the archive is the parent's.
  if (life.stage == Stage::kFinishing) life.stage = Stage::kDone;
  if (life.stage != Stage::kOn && life.stage != Stage::kStarting) return;
  // The memory is the parent's: we must not write to it.
  ForEachPart(&Part::forget);
  ForgetAll();
  ContinueThisThread();
  ForgetDefinitions();
  ForgetModules();
  ForgetRooms();
  base::Arena::Destroy();
  epitome::CloseTables();
  life.loaded = {};
  life.stage = life.fork_measured ? Stage::kIdle : Stage::kOff;
  __atomic_store_n(&choice::hooks.off, !life.fork_measured, __ATOMIC_RELAXED);
}

namespace {

// The words one after the other, each with its NUL, as far as there is room.
void NoteCommand(int count, char* const* arguments) {
  if (loaded.bytes != 0) return;  // the measurement has begun and has read them
  for (int i = 0; i < count && arguments[i] != nullptr; ++i) {
    const size_t bytes = std::strlen(arguments[i]) + 1;
    const size_t room = sizeof loaded.text - loaded.bytes;
    std::memcpy(loaded.text + loaded.bytes, arguments[i], std::min(bytes, room));
    loaded.bytes += std::min(bytes, room);
  }
}

__attribute__((constructor)) void OnLoad(int count, char** arguments, char**) {
  NoteCommand(count, arguments);
  life.loaded = TakeMoment();
  life.threads = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__nptl_nthreads"));
  NoteEffortOnLoad();
  NoteStartFolder();
  pthread_atfork(base::NoteThreadsBeforeFork, nullptr, OnForkInChild);
}

}  // namespace

void ScaleClock() {
  Process()->pair[1] = base::ReadClockPair();
  Process()->pair_index = 1;
}

uint64_t TicksOf(int64_t ns) {
  const base::ClockPair& first = Process()->first_pair;
  const base::ClockPair& now = Process()->pair[Process()->pair_index];
  if (!base::clock_is_tsc || now.ns <= first.ns) return static_cast<uint64_t>(ns);
  return static_cast<uint64_t>(static_cast<double>(ns) * static_cast<double>(now.ticks - first.ticks) /
                               static_cast<double>(now.ns - first.ns));
}

Stage CurrentStage() { return life.stage.load(std::memory_order_acquire); }

namespace {

// Takes the lock of the start. False: another thread has had it for so long that it may be waiting for this one. It
// loads libepk_archive.so for a filter, while this thread has the loader's lock: it is in a constructor of a library.
// Not inlined: the first event may come on a small stack.
[[gnu::noinline]] bool WaitForStart() {
  constexpr uint64_t kPatienceNs = 2'000'000'000;
  const uint64_t begin = base::MonotonicRawNs();
  while (!life.start_lock.TryLock()) {
    if (mine->waited_in_vain || base::MonotonicRawNs() - begin > kPatienceNs) {
      mine->waited_in_vain = true;
      return false;
    }
    sched_yield();
  }
  return true;
}

bool StartLocked() {
  if (CurrentStage() != Stage::kIdle) return CurrentStage() == Stage::kOn;
  life.stage = Stage::kStarting;
  const int saved_errno = errno;
  const Moment before = TakeMoment();
  const bool started = StartOnOwnStack();
  // Only the part within the measured time: a forked child's measured time begins during the set-up.
  if (started) {
    life.setup_ticks = base::Now() - std::max(before.OnTimer(), Process()->start_ticks);
    Process()->dropped += __atomic_exchange_n(&life.early_calls, 0, __ATOMIC_RELAXED);
  }
  errno = saved_errno;
  life.stage.store(started ? Stage::kOn : Stage::kOff, std::memory_order_release);
  __atomic_store_n(&choice::hooks.off, !started, __ATOMIC_RELAXED);
  return started;
}

bool StartOnce() {
  Inside guard;
  if (!life.start_lock.TryLock() && !WaitForStart()) return false;
  const bool started = StartLocked();
  life.start_lock.Unlock();
  return started;
}

}  // namespace

bool EnsureStarted() {
  if (CurrentStage() == Stage::kOn) return true;
  if (CurrentStage() > Stage::kOn) return false;
  // The loader is still at work (a resolver of an ifunc has hooks): it resets thread-local variables when it is done,
  // and there is no environment yet.
  if (life.loaded.ns == 0 && environ == nullptr) return false;
  // Delays cancellation until the lock is given back: a cancelled thread would keep the lock.
  int cancelling = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  const bool started = StartOnce();
  pthread_setcancelstate(cancelling, nullptr);
  return started;
}

void BeginThread(Origin origin) {
  mine->origin = origin;
  mine->begin = base::Now();
}

Origin OriginOfNewThread() {
  if (const Location* location = current; location != nullptr) return {location->node, true};
  // A thread that runs no measured code passes its own origin on.
  return pauses == 0 && !mine->is_off ? mine->origin : Origin{*paused_at, false};
}

Location* CurrentLocation() {
  if (current != nullptr) return current;
  if (inside || mine->is_off || pauses != 0 || CurrentStage() > Stage::kOn) return nullptr;
  return LocationOfThread();
}

void EnterWithoutLocation(Key key, uint64_t stack) {
  IsUnusual() ? choice::EnterUnusual(key, stack, nullptr) : EnterFirst(key, stack);
}

void ExitWithoutLocation(Key key, uint64_t stack) {
  IsUnusual() ? choice::ExitUnusual(key, stack, nullptr) : ExitFirst(key, stack);
}

void EnterFirst(Key key, uint64_t stack) {
  // Switched off, or ended: returns as early as possible.
  const Stage now = life.stage.load(std::memory_order_relaxed);
  if (EPIK_LIKELY(now > Stage::kOn)) {
    if (now == Stage::kDone && !inside) __atomic_fetch_add(&life.late_calls, 1, __ATOMIC_RELAXED);
    return;
  }
  EnterBegin(key, stack);
}

LateCalls CallsAfterFinalize() {
  const uint64_t calls = __atomic_load_n(&life.late_calls, __ATOMIC_RELAXED);
  return {life.finalized_rank, life.finalized == getpid() ? calls : 0};
}

void ExitFirst(Key key, uint64_t stack) {
  if (EPIK_LIKELY(life.stage.load(std::memory_order_relaxed) != Stage::kOn)) return;
  if (pauses != 0 && choice::ExitWhilePaused(key, stack)) return Exit(key, reinterpret_cast<const void*>(stack));
  if (pauses == 0 && (inside || mine->is_off)) CountDropped();
}

bool BeginRescue() {
  if (CurrentStage() != Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid())) return false;
  Stage expected = Stage::kOn;
  if (!life.stage.compare_exchange_strong(expected, Stage::kFinishing)) return false;
  life.finisher = gettid();
  // Other threads keep their locations: a lock may be held by the one we interrupted. Readers cut at end_ticks.
  current = nullptr;
  inside = true;
  return true;
}

void EndRescue() { life.stage.store(Stage::kDone, std::memory_order_release); }

void AwaitEnd() {
  constexpr int kStepMs = 5;
  // By the clock, because signals end polls early.
  constexpr uint64_t kMomentNs = 500'000'000;
  constexpr uint64_t kPatienceNs = 5'000'000'000;  // it may wait for a lock that this thread was interrupted with
  const uint64_t begin = base::MonotonicRawNs();
  for (uint64_t waited = 0; waited < kPatienceNs; waited = base::MonotonicRawNs() - begin) {
    const pid_t who = life.finisher;
    if (CurrentStage() != Stage::kFinishing || who == gettid()) return;
    // The thread that ends the measurement notes its id a moment later, unless this handler interrupted it in that
    // moment.
    if (who == 0 && waited >= kMomentNs) return;
    poll(nullptr, 0, kStepMs);
  }
}

bool BeginFinish(event::Ending ending, int value) {
  if (CurrentStage() != Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid())) return false;
  Stage expected = Stage::kOn;
  if (!life.stage.compare_exchange_strong(expected, Stage::kFinishing)) return false;
  life.finisher = gettid();
  inside = true;
  event::ProcessHeader* process = Process();
  process->end_ticks = base::Now();
  process->ending = ending;
  process->ending_value = value;
  process->state = event::ProcessState::kFinishing;
  if (ending == event::Ending::kMpiFinalize) {
    life.finalized = getpid();
    life.finalized_rank = process->rank;
  }
  if (Location* location = current) {
    Charge(location);
    ForEachPart(&Part::stopping, location, process->end_ticks);
  }
  FreezeAll();
  NoteLastClockPair();
  ForEachPart(&Part::finish);
  return true;
}

void EndFinish() {
  life.stage = Stage::kDone;
  inside = false;
}

}  // namespace epik::episode
