// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/trace.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/epilog/format.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/trace_file.h"
#include "runtime/episode/windows.h"

namespace epik::episode {

using base::Arena;
using base::ChunkHeader;
using base::ChunkKind;
using base::LineAt;
using event::RecordKind;

namespace {

constexpr uint32_t kWordsPerLine = base::kLineBytes / sizeof(uint64_t);
// A time, a word and its fields: what is appended in one go.
constexpr uint32_t kLongestRecord = 2 + 1 + event::kMostFields;
constexpr uint32_t kFirstChunkLines = (64u << 10) / base::kLineBytes;
constexpr uint32_t kChunkLines = (256u << 10) / base::kLineBytes;

Selection selected;  // while the trace is on
bool is_on = true;
bool restricted = false;  // by visits or windows: each end has to be looked at
TraceLimits limits;
uint32_t* visits_logged = nullptr;  // by node; private memory, as large as the arena has lines

uint64_t* WordAt(uint32_t index) { return reinterpret_cast<uint64_t*>(base::arena_base) + index; }

uint32_t FirstWord(uint32_t chunk) { return (chunk + 1) * kWordsPerLine; }

uint32_t Code(RecordKind kind) { return static_cast<uint32_t>(kind); }

// Words first, then the watermark: whoever reads it may believe the rest.
void Append(Location* location, uint64_t word) {
  *WordAt(location->log_at) = word;
  EPIK_ORDER();
  ++location->log_at;
}

void AppendTime(Location* location, uint64_t time) {
  uint64_t* words = WordAt(location->log_at);
  words[0] = event::TraceWord(time, Code(RecordKind::kTime));
  words[1] = time;
  EPIK_ORDER();
  location->log_at += 2;
}

uint32_t LinesOfBuffer() { return static_cast<uint32_t>(std::min<uint64_t>(limits.buffer_bytes, 1u << 31) / 64); }

// The depth and innermost frame of the trace where a chunk begins: a part of a trace can be read without what was
// before it.
void BeginChunk(Location* location, uint32_t chunk, uint64_t time) {
  auto* header = LineAt<ChunkHeader>(chunk);
  const uint32_t before = location->log_chunk;
  header->order = before == 0 ? 1 : LineAt<ChunkHeader>(before)->order + 1;
  header->used = 0;
  header->next = 0;
  header->depth = location->logged - location->bottom;
  header->node = header->depth == 0 ? 0 : FrameAt(location->logged)->node;
  if (before != 0) {
    auto* last = LineAt<ChunkHeader>(before);
    last->used = location->log_at - FirstWord(before);
    last->next = chunk;
  }
  if (location->log_first == 0) location->log_first = chunk;
  EPIK_ORDER();
  location->log_chunk = chunk;
  location->log_at = FirstWord(chunk);
  location->log_limit = (chunk + header->lines) * kWordsPerLine;
  ++location->log_chunks;
  AppendTime(location, time);
}

// The oldest chunk gives way.
uint32_t TakeOldest(Location* location) {
  const uint32_t oldest = location->log_first;
  if (oldest == 0 || oldest == location->log_chunk) return 0;
  auto* header = LineAt<ChunkHeader>(oldest);
  location->log_first = header->next;
  location->unlogged += header->used;
  --location->log_chunks;
  return oldest;
}

uint32_t TakeWritten(Location* location) {
  const uint32_t chunk = location->log_free;
  if (chunk != 0) location->log_free = LineAt<ChunkHeader>(chunk)->next;
  return chunk;
}

uint32_t AllocateChunk(Location* location) {
  const uint32_t lines = std::min(location->log_chunks == 0 ? kFirstChunkLines : kChunkLines, LinesOfBuffer());
  return Arena::Allocate(ChunkKind::kTrace, base::LineOf(location), lines);
}

void StopLog(Location* location) {
  location->worth = kNeverWorth;
  location->log_kinds = 0;
  location->logged = location->bottom;
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) Note("a trace ended before its thread did: neither memory nor disk took more of it");
}

// False: there is no more room, and the location's trace has ended.
EPIK_COLD bool NextChunk(Location* location, uint64_t time) {
  const Inside guard;
  uint32_t chunk = TakeWritten(location);
  const bool full = uint64_t{location->log_chunks} * kChunkLines >= LinesOfBuffer();
  if (chunk == 0 && !full) chunk = AllocateChunk(location);
  if (chunk == 0 && limits.keep_latest) chunk = TakeOldest(location);
  if (chunk == 0 && !limits.keep_latest && WriteLog(location)) chunk = TakeWritten(location);
  if (chunk == 0) {
    StopLog(location);
    return false;
  }
  BeginChunk(location, chunk, time);
  return true;
}

// Room for one record at `time`, which is not before that of any other.
bool MakeReady(Location* location, uint64_t time) {
  // Words of whole calls may have used the last of it.
  if (EPIK_UNLIKELY(location->log_at + kLongestRecord > location->log_limit)) {
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

// The open calls up to and with frame `index` that are not in the trace. A frame that a handler found unfilled is none.
bool LogFrames(Location* location, uint32_t index) {
  for (uint32_t i = location->logged + 1; i <= index; ++i) {
    const Frame* frame = FrameAt(i);
    if (EPIK_UNLIKELY(frame->key == kOverflowKey)) break;
    if (EPIK_UNLIKELY(i != index && !IsWhole(location, i))) continue;
    if (!LogEvent(location, frame->entered, frame->node)) return false;
    location->logged = i;
  }
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

bool Begin(Location* location, uint32_t events) {
  if (EPIK_UNLIKELY(location->logging != 0)) {
    location->unlogged += events;
    return false;
  }
  location->logging = 1;
  EPIK_ORDER();
  return true;
}

// The usual ends: of a short call that is in the trace with its end alone or as a whole, with nothing to be done
// before.
EPIK_HOT bool LogUsualEnd(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  if (EPIK_UNLIKELY(location->logging != 0 || restricted)) return false;
  location->logging = 1;
  EPIK_ORDER();
  const uint64_t before = location->log_time;
  const uint32_t at = location->log_at;
  const uint32_t top = location->top;
  const uint32_t logged = location->logged;
  const uint64_t step = frame->entered - before;  // fits into no call when it is negative
  const bool room = at < location->log_limit && (left ^ before) >> event::kTimeBits == 0;
  uint64_t word;
  if (room && logged + 1 == top && event::FitsIntoCall(step, ticks)) {
    word = event::CallWord(step, ticks, frame->node);
  } else if (room && logged == top && left >= before && FrameAt(top - 1)->node == frame->outer) {
    word = event::TraceWord(left, Code(RecordKind::kExit));
    location->logged = top - 1;
  } else {
    location->logging = 0;
    return false;
  }
  location->log_time = left;
  Append(location, word);
  return true;
}

// Whether this end is one of those that the selection is restricted to. Counts it, whether or not it is.
bool IsChosen(const Location* location, uint32_t node, uint64_t ticks, bool was_logged) {
  const bool in_window = !HasWindows() || InWindow(location, node, true);
  const bool spent = visits_logged != nullptr && visits_logged[node] >= selected.visits;
  if (!was_logged && (spent || !in_window || ticks < selected.worth)) return false;
  if (visits_logged != nullptr && !spent) ++visits_logged[node];
  return true;
}

bool IsLogging(const Location* location) { return location->worth != kNeverWorth || location->log_kinds != 0; }

// Where windows are, every end counts.
uint64_t Threshold() { return !is_on ? kNeverWorth : HasWindows() ? 0 : selected.worth; }

void Switch(Location* location) {
  __atomic_store_n(&location->worth, Threshold(), __ATOMIC_RELAXED);
  __atomic_store_n(&location->log_kinds, is_on ? selected.kinds : 0, __ATOMIC_RELAXED);
}

}  // namespace

void StartTrace(const Selection& selection, const TraceLimits& trace_limits) {
  limits = trace_limits;
  if (selection.visits != 0 && visits_logged == nullptr) {
    const size_t bytes = event::Process()->arena.bytes / base::kLineBytes * sizeof(uint32_t);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) visits_logged = static_cast<uint32_t*>(memory);
  }
  selected = selection;
  is_on = true;
  restricted = visits_logged != nullptr || HasWindows();
  event::ProcessHeader* process = event::Process();
  process->trace_worth = selection.worth;
  process->trace_kinds = selection.kinds;
  process->trace_visits = selection.visits;
  process->trace_level = static_cast<uint32_t>(limits.level);
  if (selection.worth != kNeverWorth || selection.kinds != 0) process->trace_bytes = sizeof(epilog::FileHeader);
}

void SwitchTrace(bool on) {
  Location* location = current;
  const uint64_t said = on ? 1 : 0;
  if (!on && location != nullptr && IsLogging(location))
    LogRecordAt(location, base::Now(), RecordKind::kSwitched, &said);
  is_on = on;
  ForEachLocation(Switch);
  if (on && location != nullptr && IsLogging(location))
    LogRecordAt(location, base::Now(), RecordKind::kSwitched, &said);
}

void DropTrace() {
  selected = Selection{};
  ForEachLocation(Switch);
  event::Process()->trace_bytes = 0;
}

void ForgetTrace() {
  if (visits_logged != nullptr) {
    munmap(visits_logged, event::Process()->arena.bytes / base::kLineBytes * sizeof(uint32_t));
  }
  visits_logged = nullptr;
  selected = Selection{};
  ForgetWindows();
}

void OpenLog(Location* location) { Switch(location); }

bool BeginLogEnd(Location* location, const Frame* frame, uint64_t left) {
  const bool was_logged = location->top <= location->logged;
  if (restricted && !IsChosen(location, frame->node, left - frame->entered, was_logged)) return false;
  if (frame->key == kOverflowKey || !Begin(location, 2)) return false;
  const uint64_t end = std::max(left, location->last);  // a handler that came after the clock was read brought events
  if (!LogFrames(location, location->top) || !LogEvent(location, end, Code(RecordKind::kExit))) {
    location->logging = 0;
    return false;
  }
  uint32_t logged = location->top - 1;
  // What lies below may be a frame that was not filled yet when we, in a handler, came.
  for (uint32_t outer = frame->outer; logged > location->bottom && FrameAt(logged)->node != outer; --logged) {
  }
  location->logged = logged;
  return true;
}

void PopLogged(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  if (EPIK_LIKELY(LogUsualEnd(location, frame, left, ticks))) {
    Close(location, frame, left, ticks);
    EPIK_ORDER();
    location->logging = 0;
    return;
  }
  if (!BeginLogEnd(location, frame, left)) return Close(location, frame, left, ticks);
  Close(location, frame, left, ticks);
  EndLog(location);
}

bool EndLog(Location* location) {
  EPIK_ORDER();
  const bool flushed = location->logging == kFlushed;
  location->logging = 0;
  return flushed && AccountForFlush(location);
}

void LogVisit(Location* location, uint32_t node, uint64_t entered, uint64_t left) {
  if (left - entered < location->worth) return;
  if (restricted && !IsChosen(location, node, left - entered, false)) return;
  if (!Begin(location, 2)) return;
  if (LogFrames(location, location->top) && LogEvent(location, entered, node)) {
    LogEvent(location, left, Code(RecordKind::kExit));
  }
  location->logging = 0;
}

void LogRecordAt(Location* location, uint64_t time, RecordKind kind, const uint64_t* fields) {
  if (!Begin(location, 1)) return;
  if (location->log_kinds != kLogMessages) {
    if (!LogFrames(location, location->top)) return RepairLog(location);
  } else if (location->logged != location->top) {
    const uint64_t path = location->node;
    Write(location, time, RecordKind::kAt, &path);
  }
  Write(location, time, kind, fields);
  EndLog(location);
}

void LogRecord(RecordKind kind, const uint64_t* fields) {
  Location* location = current;
  if (location == nullptr || location->log_kinds == 0) return;
  if (HasWindows() && !InWindow(location, location->node, false)) return;
  const uint64_t now = base::Now();
  LogRecordAt(location, now, kind, fields);
  if (location->last < now) location->last = now;
}

void RepairLog(Location* location) { location->logging = 0; }

void FlushTrace(Location* location) {
  if (location->log_chunk == 0 || !Begin(location, 0)) return;
  {
    const Inside guard;
    WriteLog(location);
  }
  EndLog(location);
}

}  // namespace epik::episode
