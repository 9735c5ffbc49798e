// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/capture.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/choice/pause.h"
#include "runtime/choice/windows.h"
#include "runtime/counters/counters.h"
#include "runtime/epilog/capture_chunks.h"
#include "runtime/epilog/capture_file.h"
#include "runtime/epilog/format.h"
#include "runtime/epilog/held_locks.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/episode/paths.h"
#include "runtime/event/control.h"

namespace epik::epilog {

using choice::HasWindows;
using event::Frame;
using event::FrameAt;
using event::Location;
using event::RecordKind;

namespace {

struct Capture {
  Selection selected;                 // while the trace is on
  bool restricted = false;            // by visits or windows, or it has counters: each end has to be looked at
  uint32_t* visits_logged = nullptr;  // by node; private memory, as large as the arena has lines
  uint32_t* visit_of = nullptr;       // the same, when no calls are logged: when that visit began that has records
};
constinit Capture capture;

// Others may take the room away (runtime/event/control.h).
EPIK_HOT uint32_t LogLimit(const Location* location) { return __atomic_load_n(&location->log_limit, __ATOMIC_RELAXED); }

uint32_t Code(RecordKind kind) { return static_cast<uint32_t>(kind); }

// Writes the word first, then the watermark: readers may trust all words below the watermark.
void Append(Location* location, uint64_t word) {
  *WordAt(location->log_at) = word;
  EPIK_ORDER();
  ++location->log_at;
}

// Room for one record at `time`, which is not before that of any other.
bool MakeReady(Location* location, uint64_t time) {
  // Words of whole calls may have used the last of it.
  if (EPIK_UNLIKELY(location->log_at + kLongestRecord > LogLimit(location))) {
    if (!NextChunk(location, time)) return false;
  } else if (EPIK_UNLIKELY((time ^ location->log_time) >> event::kTimeBits != 0)) {
    AppendTime(location, time);
  }
  location->log_time = time;
  return true;
}

bool LogEvent(Location* location, uint64_t time, uint32_t code) {
  if (time < location->log_time) time = location->log_time;
  if (!MakeReady(location, time)) return false;
  Append(location, event::TraceWord(time, code));
  return true;
}

void Write(Location* location, uint64_t time, RecordKind kind, const uint64_t* fields) {
  if (time < location->log_time) time = location->log_time;
  if (!MakeReady(location, time)) return;
  uint64_t* words = WordAt(location->log_at);
  words[0] = event::TraceWord(time, Code(kind));
  const uint32_t count = event::FieldsOf(kind);
  for (uint32_t i = 0; i < count; ++i) words[1 + i] = fields[i];
  EPIK_ORDER();
  location->log_at += 1 + count;
}

// Logs the open calls up to and including frame `index` that are not in the trace yet. A frame that a handler found
// unfilled is no call.
bool LogFrames(Location* location, uint32_t index) {
  for (uint32_t i = location->logged + 1; i <= index; ++i) {
    const Frame* frame = FrameAt(i);
    if (EPIK_UNLIKELY(frame->key == episode::kOverflowKey)) break;
    if (EPIK_UNLIKELY(i != index && !episode::IsWhole(location, i))) continue;
    if (EPIK_UNLIKELY(event::IsOff(frame))) continue;
    const uint64_t entered = frame->entered & ~event::kUntimed;
    if (EPIK_UNLIKELY(choice::hooks.counters_on)) counters::LogCounters(location, i - location->bottom, entered, Write);
    if (!LogEvent(location, entered, frame->node)) return false;
    location->logged = i;
  }
  return true;
}

bool Begin(Location* location, uint32_t events) {
  if (EPIK_UNLIKELY(location->logging != 0)) {
    location->unlogged += events;
    return false;
  }
  location->logging = location->top;
  EPIK_ORDER();
  return true;
}

// The usual ends: of a short call that the trace has with its end alone or as a whole, when nothing else is to be done
// first. The order of the checks needs only registers that a function need not save.
EPIK_HOT bool LogUsualEnd(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  if (EPIK_UNLIKELY(location->logging != 0 || capture.restricted)) return false;
  const uint32_t top = location->top;
  location->logging = top;
  EPIK_ORDER();
  uint64_t word;
  if (location->log_at >= LogLimit(location) || (left ^ location->log_time) >> event::kTimeBits != 0) goto unusual;
  if (location->logged + 1 == top) {
    const uint64_t step = frame->entered - location->log_time;  // fits into no call when it is negative
    if (EPIK_UNLIKELY(!event::FitsIntoCall(step, ticks))) goto unusual;
    word = event::CallWord(step, ticks, frame->node);
  } else {
    if (location->logged != top || left < location->log_time) goto unusual;
    if (EPIK_UNLIKELY(FrameAt(top - 1)->node != frame->outer)) goto unusual;
    location->logged = top - 1;
    word = event::TraceWord(left, Code(RecordKind::kExit));
  }
  location->log_time = left;
  Append(location, word);
  return true;
unusual:
  location->logging = 0;
  return false;
}

// The usual record: of a call that the trace has, or whose callers it has, when nothing else is to be done first.
EPIK_HOT bool LogUsualRecord(Location* location, uint64_t time, RecordKind kind, const uint64_t* fields) {
  if (EPIK_UNLIKELY(location->logging != 0 || capture.restricted)) return false;
  if (EPIK_UNLIKELY((location->log_kinds & event::kLogRecords) == event::kLogMessages)) return false;
  const uint32_t top = location->top;
  location->logging = top;
  EPIK_ORDER();
  const uint64_t before = location->log_time;
  uint64_t* words = WordAt(location->log_at);
  uint32_t count = 0;
  if (location->log_at + kLongestRecord > LogLimit(location)) goto unusual;
  if (time < before || (time ^ before) >> event::kTimeBits != 0) goto unusual;
  if (location->logged != top) {
    const Frame* frame = FrameAt(top);
    // A time with flags is later than any other.
    if (location->logged + 1 != top || frame->entered < before || frame->entered > time) goto unusual;
    if (EPIK_UNLIKELY(frame->key == episode::kOverflowKey)) goto unusual;
    words[count++] = event::TraceWord(frame->entered, frame->node);
  }
  words[count++] = event::TraceWord(time, Code(kind));
  for (const uint64_t* end = fields + event::FieldsOf(kind); fields != end; ++fields) words[count++] = *fields;
  location->log_time = time;
  EPIK_ORDER();
  location->log_at += count;
  EPIK_ORDER();
  location->logged = top;
  EPIK_ORDER();
  location->logging = 0;
  return true;
unusual:
  location->logging = 0;
  return false;
}
static_assert(kLongestRecord >= 2 + event::kMostFields);

// The innermost call as one word, when those around it are in the trace.
bool LogWholeCall(Location* location, const Frame* frame, uint64_t left) {
  const uint64_t before = location->log_time;
  const uint64_t step = frame->entered - before;
  if (location->logged + 1 != location->top || location->log_at >= LogLimit(location)) return false;
  if (left < frame->entered || (left ^ before) >> event::kTimeBits != 0) return false;
  if (!event::FitsIntoCall(step, left - frame->entered)) return false;
  location->log_time = left;
  Append(location, event::CallWord(step, left - frame->entered, frame->node));
  return true;
}

void Popped(Location* location) {
  EPIK_ORDER();
  location->logging = 0;
}

EPIK_COLD void PopInExchange(Location* location, uint64_t left) {
  episode::ExitInExchange(location, left);
  Popped(location);
}

EPIK_COLD void PopInterrupted(Location* location, uint64_t left, uint64_t node, event::Key key, uint64_t ticks) {
  episode::ExitInterrupted(location, left, node, key, ticks);
  Popped(location);
}

// The end of a call that is in the trace. Until its frame is gone, events of a handler are not logged.
struct Traced {
  static constexpr auto in_exchange = PopInExchange;
  static constexpr auto interrupted = PopInterrupted;
  EPIK_HOT static void Popped(Location* location) { epilog::Popped(location); }
};

// Whether this end is one of those that the selection is restricted to. Counts it, whether or not it is.
bool IsChosen(Location* location, uint32_t node, uint64_t ticks, bool was_logged) {
  const bool in_window = !HasWindows() || choice::LeaveInWindow(location, node);
  const bool spent = capture.visits_logged != nullptr && capture.visits_logged[node] >= capture.selected.visits;
  if (!was_logged && (spent || !in_window || ticks < capture.selected.worth)) return false;
  if (capture.visits_logged != nullptr && !spent) ++capture.visits_logged[node];
  return true;
}

// The length of a call; 0 if a handler moved its begin behind its end.
uint64_t Since(uint64_t entered, uint64_t left) { return left > entered ? left - entered : 0; }

bool IsLogging(const Location* location) {
  return location->worth != episode::kNeverWorth || (location->log_kinds & event::kLogRecords) != 0;
}

Selection SelectionOf(const config::TraceSelection& trace) {
  Selection selection;
  if (!trace.on) return selection;
  if (trace.slow_ns != 0) selection.worth = episode::TicksOf(trace.slow_ns);
  if (episode::LogsAllCalls(trace)) selection.worth = 0;
  if (episode::LogsAllCalls(trace) || trace.comm) {
    selection.kinds = kLogCommunication;
  } else if (trace.msgs) {
    selection.kinds = kLogMessages;
  }
  selection.visits = trace.visits;
  return selection;
}

size_t TableBytes() { return event::Process()->arena.bytes / base::kLineBytes * sizeof(uint32_t); }

// A number for each line of the arena. Null: there is no memory.
uint32_t* NewTable() {
  void* memory =
      mmap(nullptr, TableBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED ? static_cast<uint32_t*>(memory) : nullptr;
}

void ForgetTable(uint32_t** table) {
  if (*table != nullptr) munmap(*table, TableBytes());
  *table = nullptr;
}

// Whether the location's current visit is one of the first of its call path. If calls are logged, the end of a visit
// counts it; if only records are logged, the first record of the visit does.
bool VisitIsChosen(const Location* location) {
  if (capture.visits_logged == nullptr) return true;
  const uint32_t node = location->node;
  const bool spent = capture.visits_logged[node] >= capture.selected.visits;
  if ((location->log_kinds & event::kLogRecords) != kLogMessages || capture.visit_of == nullptr) return !spent;
  const auto visit = static_cast<uint32_t>(FrameAt(location->top)->entered) | 1;
  if (capture.visit_of[node] == visit) return true;
  if (spent) return false;
  ++capture.visits_logged[node];
  capture.visit_of[node] = visit;
  return true;
}

TraceLimits LimitsOf(const config::Settings& settings) {
  return {static_cast<uint64_t>(settings.trace_buffer), static_cast<int>(settings.compression),
          settings.overflow == config::Overflow::kRing, !settings.trace_start};
}

event::MappedArena ThisArena() { return {base::arena_base, event::Process()->arena.bytes}; }

}  // namespace

void StartTrace(const Selection& selection, const TraceLimits& limits) {
  epilog::trace_limits = limits;
  if (selection.visits != 0 && capture.visits_logged == nullptr) {
    capture.visits_logged = NewTable();
    if (selection.kinds == kLogMessages) capture.visit_of = NewTable();
  }
  capture.selected = selection;
  capture.restricted = capture.visits_logged != nullptr || HasWindows() || choice::hooks.counters_on;
  event::ProcessHeader* process = event::Process();
  process->trace_worth = selection.worth;
  process->trace_kinds = selection.kinds;
  process->trace_visits = selection.visits;
  process->trace_level = static_cast<uint32_t>(limits.level);
  process->trace_switched = HasWindows() ? 0 : selection.worth;  // where windows are, every end counts
  process->control = limits.starts_off ? uint32_t{event::kTraceOff} : 0;
  if (limits.starts_off) event::AddSwitch(process, process->start_ticks, false);
  if (selection.worth != episode::kNeverWorth || selection.kinds != 0)
    process->trace_bytes = sizeof(epilog::FileHeader);
}

void SwitchTrace(bool on) {
  if (on != event::IsWanted(ThisArena(), event::kTraceOff)) return;  // it is so already
  Location* location = episode::current;
  // A pause that goes on is in the trace, as a call that goes on is.
  if (location == nullptr && !on) location = choice::PausedLocation();
  const bool logged = location != nullptr && IsLogging(location);
  const uint64_t now = base::Now();
  event::SwitchTraceOf(ThisArena(), on, now);
  if (location == nullptr || !(logged || IsLogging(location)) || !Begin(location, 0)) return;
  // Other threads note it before the first event that they log.
  if (capture.selected.kinds == kLogMessages || LogFrames(location, location->top)) {
    MakeReady(location, std::max(now, location->log_time));
  }
  EndLog(location);
}

bool LogsCommunication() { return capture.selected.kinds != 0; }

void DropTrace() {
  capture.selected = Selection{};
  event::ProcessHeader* process = event::Process();
  process->trace_bytes = 0;
  episode::ForEachLocation([](Location* location) { event::TellTrace(event::Process(), location); });
}

namespace {

void Start(const episode::Options& options) {
  episode::ScaleClock();
  choice::StartWindows(options.settings.trace.windows);
  StartTrace(SelectionOf(options.settings.trace), LimitsOf(options.settings));
}

// Rank 0 may be a process whose trace was not requested.
void Finish() {
  choice::NoteWindows();
  episode::ForEachLocation(choice::CloseWindows);
  if (event::Process()->ranks == 0 && !episode::adapter_options.trace_ranks.Contains(0)) DropTrace();
}

void Forget() {
  ForgetTable(&capture.visits_logged);
  ForgetTable(&capture.visit_of);
  capture.selected = Selection{};
  ForgetHeld();
  choice::ForgetWindows();
}

// Other processes see the location before this reads their requests, so either this reads a request or they write it
// into the location. The read is an atomic write of nothing, which is in one order with the writes of requests.
void OpenLog(Location* location) {
  __atomic_fetch_or(&event::Process()->control, 0, __ATOMIC_SEQ_CST);
  event::TellTrace(event::Process(), location);
  choice::OpenWindows(location);
  BeginLog(location);
}

void LogNewThread(Location* location, bool /*within*/) {
  if (location->number != 0 && location->omp_thread == 0) LogPresence(location);
}

// Whether a call that is open at the end belongs into the trace. Readers of the memory image decide by the same rule.
bool IsOpenCallChosen(const Location* location, const Frame* frame, uint64_t now) {
  if (location->worth == episode::kNeverWorth || event::IsOff(frame)) return false;
  if (HasWindows() && !choice::InWindow(location, frame->node)) return false;
  if (capture.visits_logged != nullptr && capture.visits_logged[frame->node] >= capture.selected.visits) return false;
  return Since(frame->entered & ~event::kUntimed, now) >= capture.selected.worth;
}

// Only the thread itself knows what its open calls counted.
void LogLastCounters(Location* location, uint64_t now) {
  if (!choice::hooks.counters_on || !IsLogging(location)) return;
  uint32_t innermost = location->top;
  while (innermost > location->logged && !IsOpenCallChosen(location, FrameAt(innermost), now)) --innermost;
  if (innermost == location->bottom || !Begin(location, 1)) return;
  if (LogFrames(location, innermost)) counters::LogLastCounters(location, now, Write);
  Release(location);
}

// A jump out of a handler ends the event that the handler interrupted. A jump within the handler does not.
void RepairLog(Location* location, uint64_t, const episode::StackRange&, uint32_t alive) {
  if (alive < location->logging) Release(location);
}

}  // namespace

bool BeginLogEnd(Location* location, const Frame* frame, uint64_t left) {
  const bool was_logged = location->top <= location->logged;
  if (capture.restricted && !IsChosen(location, frame->node, Since(frame->entered, left), was_logged)) return false;
  if (frame->key == episode::kOverflowKey || !Begin(location, 2)) return false;
  const uint64_t end = std::max(left, location->last);  // a handler may have logged after the clock was read
  bool good = LogFrames(location, location->top - 1);
  if (good && (choice::hooks.counters_on || !LogWholeCall(location, frame, end))) {
    good = LogFrames(location, location->top);
    if (good && EPIK_UNLIKELY(choice::hooks.counters_on)) counters::LogCounters(location, 0, end, Write);
    good = good && LogEvent(location, end, Code(RecordKind::kExit));
  }
  if (!good) {
    Release(location);
    return false;
  }
  uint32_t logged = location->top - 1;
  // In a handler, the frame below may not be filled yet.
  for (uint32_t outer = frame->outer; logged > location->bottom && FrameAt(logged)->node != outer; --logged) {
  }
  location->logged = logged;
  return true;
}

// Handles the other ends: the calls around must be logged first, or the buffer is full. In a tree of calls this is
// common.
__attribute__((noinline)) void PopUnusual(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  const bool logs = BeginLogEnd(location, frame, left);
  episode::Close(location, frame, left, ticks);
  if (logs) EndLog(location);
}

// By the clock, the call ended before it began. Its time is then 0, so it may not belong into the trace.
EPIK_COLD void PopTooEarly(Location* location, const Frame* frame, uint64_t left) {
  episode::Pop(location, frame, left);
}

void PopLogged(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  if (EPIK_UNLIKELY(static_cast<int64_t>(ticks) < 0)) return PopTooEarly(location, frame, left);
  if (EPIK_UNLIKELY(!LogUsualEnd(location, frame, left, ticks))) return PopUnusual(location, frame, left, ticks);
  episode::Close<Traced>(location, frame, left, ticks);
}

namespace {

// Records the time that WriteLog took as a call of the measurement. True: `last` is the end of this call.
bool AccountForFlush(Location* location) {
  const LogFlush written = *log_flush;
  if (!episode::HasRoomForFrame(location) || episode::current != location) return false;
  const event::Key key = event::RegionKey(event::kMeasurementRegion);
  uint32_t node;
  {
    const episode::Inside guard;
    node = episode::ChildOf(location, location->node, key);
  }
  episode::Push(location, node, key, FrameAt(location->top)->stack, [&written] { return written.begin; });
  if (EPIK_UNLIKELY(choice::hooks.counters_on)) counters::NoteAgain(location->top - location->bottom);
  LogRecordAt(location, written.begin, event::RecordKind::kFlushBegin, nullptr);
  LogRecordAt(location, written.end, event::RecordKind::kFlushEnd, &written.bytes);
  episode::Pop(location, FrameAt(location->top), written.end);
  return true;
}

}  // namespace

uint64_t EndOfLatestFlush() { return log_flush->end; }

void LogLatestFlush(Location* location, uint32_t node, uint64_t since) {
  const LogFlush written = *log_flush;
  if (!Begin(location, 4)) return;
  if (LogEvent(location, since, node)) {
    Write(location, written.begin, RecordKind::kFlushBegin, nullptr);
    Write(location, written.end, RecordKind::kFlushEnd, &written.bytes);
    LogEvent(location, written.end, Code(RecordKind::kExit));
  }
  Release(location);
}

bool EndLog(Location* location) {
  EPIK_ORDER();
  const bool flushed = location->logging == kFlushed;
  Release(location);
  return flushed && AccountForFlush(location);
}

void LogVisit(Location* location, uint32_t node, uint64_t entered, uint64_t left) {
  const uint64_t ticks = Since(entered, left);
  if (ticks < location->worth) return;
  if (capture.restricted && !IsChosen(location, node, ticks, false)) return;
  if (!Begin(location, 2)) return;
  if (LogFrames(location, location->top) && LogEvent(location, entered, node)) {
    LogEvent(location, left, Code(RecordKind::kExit));
  }
  Release(location);
}

namespace {

__attribute__((noinline)) void LogUnusualRecord(Location* location, uint64_t time, RecordKind kind,
                                                const uint64_t* fields) {
  if (!Begin(location, 1)) return;
  if ((location->log_kinds & event::kLogRecords) != event::kLogMessages) {
    if (!LogFrames(location, location->top)) {
      Release(location);
      return;
    }
  } else if (location->logged != location->top) {
    const uint64_t path = location->node;
    Write(location, time, RecordKind::kAt, &path);
  }
  Write(location, time, kind, fields);
  EndLog(location);
}

}  // namespace

void LogRecordAt(Location* location, uint64_t time, RecordKind kind, const uint64_t* fields) {
  if (EPIK_UNLIKELY(!LogUsualRecord(location, time, kind, fields))) LogUnusualRecord(location, time, kind, fields);
}

void LogOpenCalls(Location* location) {
  if (!Begin(location, 1)) return;
  LogFrames(location, location->top);
  EndLog(location);
}

void LogPresence(Location* location) {
  if ((location->log_kinds & kLogCommunication) == 0 || capture.visits_logged != nullptr || HasWindows()) return;
  LogOpenCalls(location);
}

void LogEntered(Location* location) {
  const bool is_logged_at_its_end = location->worth == 0;
  if ((location->log_kinds & kLogCommunication) == 0 || is_logged_at_its_end || !IsRecordChosen(location)) return;
  LogOpenCalls(location);
}

bool IsRecordChosen(const Location* location) {
  return VisitIsChosen(location) && (!HasWindows() || choice::InWindow(location, location->node));
}

namespace {

// Null: this thread logs no record of its current call.
EPIK_HOT Location* Recording() {
  Location* location = episode::current;
  if (location == nullptr || (location->log_kinds & event::kLogRecords) == 0) return nullptr;
  return EPIK_UNLIKELY(capture.restricted) && !IsRecordChosen(location) ? nullptr : location;
}

EPIK_HOT uint64_t LogOwnRecord(Location* location, uint64_t time, RecordKind kind, const uint64_t* fields) {
  LogRecordAt(location, time, kind, fields);
  if (location->last < time) location->last = time;
  return time;
}

}  // namespace

uint64_t LogRecord(RecordKind kind, const uint64_t* fields) {
  Location* location = Recording();
  return location == nullptr ? 0 : LogOwnRecord(location, base::Now(), kind, fields);
}

uint64_t LogRecordAt(uint64_t time, RecordKind kind, const uint64_t* fields) {
  Location* location = Recording();
  if (location == nullptr) return 0;
  if (time == 0) {
    const uint64_t entered = FrameAt(location->top)->entered;
    time = EPIK_LIKELY(entered == location->last) ? entered : base::Now();
  }
  return LogOwnRecord(location, time, kind, fields);
}

void FlushTrace(Location* location) {
  if (location->log_chunk == 0 || !Begin(location, 0)) return;
  {
    const episode::Inside guard;
    if (!WriteLog(location)) StopLog(location);
  }
  EndLog(location);
}

namespace {

void NoteEnd(Location* location, uint64_t now) {
  log_flush->leaving = location;
  log_flush->left = now;
}

// A buffer that had to be written for the last events of a thread is a call of the measurement below the program,
// because nothing else is open any more.
void AccountAtEnd() {
  Location* const location = std::exchange(log_flush->leaving, nullptr);
  const uint64_t now = log_flush->left, end = log_flush->end;
  if (location != nullptr && end > now) {
    const uint32_t node = episode::ChildOf(location, location->root, event::RegionKey(event::kMeasurementRegion));
    epitome::Record(event::NodeAt(node), end - now);
    event::NodeAt(location->root)->ticks += end - now;
    LogLatestFlush(location, node, now);
    location->last = end;
  }
  ForgetHeld();
}

}  // namespace

const episode::Part trace_part = {.name = "trace",
                                  .start = Start,
                                  .stopping = LogLastCounters,
                                  .finish = Finish,
                                  .forget = Forget,
                                  .opened = OpenLog,
                                  .begins = LogNewThread,
                                  .closing = NoteEnd,
                                  .closed = AccountAtEnd,
                                  .jumped = RepairLog};

}  // namespace epik::epilog
