// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/capture_chunks.h"

#include <algorithm>
#include <atomic>

#include "runtime/base/arena.h"
#include "runtime/base/thread_memory.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/epilog/capture_file.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"

namespace epik::epilog {

using base::Arena;
using base::ChunkHeader;
using base::ChunkKind;
using base::LineAt;
using event::FrameAt;
using event::Location;
using event::RecordKind;

TraceLimits trace_limits;

namespace {

constexpr uint32_t kWordsPerLine = base::kLineBytes / sizeof(uint64_t);
constexpr uint32_t kFirstChunkLines = (64u << 10) / base::kLineBytes;
constexpr uint32_t kChunkLines = (256u << 10) / base::kLineBytes;
// A ring gives up a chunk at a time, and so keeps at least all but one of these parts of its buffer.
constexpr uint32_t kPartsOfRing = 4;

struct Seen {
  // The number of requests to write traces when this thread wrote its trace last.
  uint32_t flushes_seen = 0;
  // The switches of the trace that its stream has noted, and whether it was off after them.
  uint32_t switches_seen = 0;
  bool is_off = false;
};
EPIK_PER_THREAD base::PerThread<Seen> seen;

uint32_t FirstWord(uint32_t chunk) { return (chunk + 1) * kWordsPerLine; }

uint32_t LinesOfBuffer() { return static_cast<uint32_t>(std::min<uint64_t>(trace_limits.buffer_bytes, 1u << 31) / 64); }

uint32_t Switches() { return __atomic_load_n(&event::Process()->switches, __ATOMIC_SEQ_CST); }

uint32_t FlushesWanted() { return __atomic_load_n(&event::Process()->flush_requests, __ATOMIC_SEQ_CST); }

// Gives the location its room, unless a flush is requested: a request takes the room away (runtime/event/control.h),
// and one that came just before must not be lost.
void GiveRoom(Location* location) {
  const uint32_t chunk = location->log_chunk;
  __atomic_store_n(&location->log_limit, (chunk + LineAt<ChunkHeader>(chunk)->lines) * kWordsPerLine, __ATOMIC_SEQ_CST);
  const bool wanted = FlushesWanted() != seen->flushes_seen || Switches() != seen->switches_seen;
  if (wanted) __atomic_store_n(&location->log_limit, 0, __ATOMIC_RELAXED);
}

// Open calls that are in the trace.
uint32_t LoggedCalls(const Location* location) {
  uint32_t calls = location->logged - location->bottom;
  if (!choice::HasSwitches()) return calls;
  for (uint32_t i = location->bottom + 1; i <= location->logged; ++i) calls -= event::IsOff(FrameAt(i)) ? 1 : 0;
  return calls;
}

// The depth and innermost frame of the trace where a chunk begins: a part of a trace can be read without what was
// before it.
void BeginChunk(Location* location, uint32_t chunk, uint64_t time) {
  auto* header = LineAt<ChunkHeader>(chunk);
  const uint32_t before = location->log_chunk;
  if (before == chunk) location->log_at = FirstWord(chunk);  // the words of a ring's only chunk are dropped
  EPIK_ORDER();
  header->order = before == 0 ? 1 : LineAt<ChunkHeader>(before)->order + 1;
  header->used = 0;
  header->next = 0;
  header->depth = LoggedCalls(location);
  header->node = header->depth == 0 ? 0 : FrameAt(location->logged)->node;
  if (before != 0 && before != chunk) {
    auto* last = LineAt<ChunkHeader>(before);
    last->used = location->log_at - FirstWord(before);
    last->next = chunk;
  }
  if (location->log_first == 0) location->log_first = chunk;
  EPIK_ORDER();
  location->log_chunk = chunk;
  location->log_at = FirstWord(chunk);
  ++location->log_chunks;
  AppendTime(location, time);
}

// The number of events in a chunk, as readers would have counted them.
uint64_t CountEvents(const uint64_t* words, uint32_t count) {
  uint64_t events = 0;
  for (uint32_t at = 0; at < count; ++at) {
    const uint32_t code = event::CodeOf(words[at]);
    if (words[at] == 0) continue;
    if (event::IsEnter(code)) {
      events += event::IsCall(words[at]) ? 2 : 1;
      continue;
    }
    const auto kind = static_cast<RecordKind>(code);
    events += kind == RecordKind::kTime ? 0 : 1;
    at += event::FieldsOf(kind);
  }
  return events;
}

// Takes the oldest chunk away, even if it is the only one.
uint32_t TakeOldest(Location* location) {
  const uint32_t oldest = location->log_first;
  if (oldest == 0) return 0;
  auto* header = LineAt<ChunkHeader>(oldest);
  if (oldest == location->log_chunk) header->used = location->log_at - FirstWord(oldest);
  location->log_first = header->next;
  location->unlogged += CountEvents(LineAt<uint64_t>(oldest + 1), header->used);
  --location->log_chunks;
  return oldest;
}

uint32_t TakeWritten(Location* location) {
  const uint32_t chunk = location->log_free;
  if (chunk != 0) location->log_free = LineAt<ChunkHeader>(chunk)->next;
  return chunk;
}

// The lines of each part of a ring.
uint32_t LinesOfPart() { return std::min(kChunkLines, LinesOfBuffer() / kPartsOfRing); }

// The lines of so many chunks of a buffer that is written when it is full. The first one is small, because many threads
// log little, and the second one makes up for it.
uint32_t LinesOfChunks(uint32_t chunks) {
  const uint64_t lines = chunks < 2 ? chunks * kFirstChunkLines : uint64_t{chunks - 1} * kChunkLines;
  return static_cast<uint32_t>(std::min<uint64_t>(lines, LinesOfBuffer()));
}

bool IsFull(const Location* location) {
  const uint32_t chunks = location->log_chunks;
  if (trace_limits.keep_latest) return uint64_t{chunks} * LinesOfPart() >= LinesOfBuffer();
  return LinesOfChunks(chunks) == LinesOfBuffer();
}

uint32_t AllocateChunk(Location* location) {
  const uint32_t chunks = location->log_chunks;
  const uint32_t lines = trace_limits.keep_latest ? LinesOfPart() : LinesOfChunks(chunks + 1) - LinesOfChunks(chunks);
  return Arena::Allocate(ChunkKind::kTrace, base::LineOf(location), lines);
}

bool HasStopped(const Location* location) { return location->log_stream == kStoppedStream; }

// Whether there is room in the chunk, although it was taken away from outside.
bool HasRoom(const Location* location) {
  const uint32_t chunk = location->log_chunk;
  if (chunk == 0) return false;
  return location->log_at + kLongestRecord <= (chunk + LineAt<ChunkHeader>(chunk)->lines) * kWordsPerLine;
}

uint64_t SwitchOf(uint32_t number) {
  return __atomic_load_n(&event::Process()->switched[number % event::kKeptSwitches], __ATOMIC_SEQ_CST);
}

void AppendSwitch(Location* location, uint64_t time, bool on) {
  if ((time ^ location->log_time) >> event::kTimeBits != 0) AppendTime(location, time);
  uint64_t* words = WordAt(location->log_at);
  words[0] = event::TraceWord(time, static_cast<uint32_t>(RecordKind::kSwitched));
  words[1] = on ? 1 : 0;
  EPIK_ORDER();
  location->log_at += 2;
  location->log_time = time;
  seen->is_off = !on;
}

// Passes over switches that are not to be noted: of a place whose thread noted them already, of a time before the
// thread, which is off from its beginning or not at all, and to what the trace was already.
void SkipSwitches(Location* location, uint32_t switches) {
  if (switches - seen->switches_seen > event::kKeptSwitches) seen->switches_seen = switches - event::kKeptSwitches;
  while (seen->switches_seen != switches) {
    const uint64_t next = SwitchOf(seen->switches_seen);
    const bool off = (next & 1) == 0;
    const bool followed = seen->switches_seen + 1 != switches;
    const bool before_start = followed && SwitchOf(seen->switches_seen + 1) >> 1 <= location->started;
    if (off != seen->is_off && !before_start) return;
    ++seen->switches_seen;
  }
}

// The time of the next switch that the stream has not noted; all ones: there is none.
uint64_t NextSwitch(Location* location) {
  const uint32_t switches = Switches();
  if (switches == seen->switches_seen) return ~uint64_t{0};
  SkipSwitches(location, switches);
  if (switches == seen->switches_seen) return ~uint64_t{0};
  return std::max({SwitchOf(seen->switches_seen) >> 1, location->log_time, location->started});
}

// Notes the switches up to `time`, at their times. Later ones come with the events behind them: calls that are not in
// the trace yet may have begun before.
void AppendSwitches(Location* location, uint64_t time) {
  for (uint64_t next = NextSwitch(location); next <= time && HasRoom(location); next = NextSwitch(location)) {
    AppendSwitch(location, next, (SwitchOf(seen->switches_seen) & 1) != 0);
    ++seen->switches_seen;
  }
  if ((time ^ location->log_time) >> event::kTimeBits != 0 && HasRoom(location)) AppendTime(location, time);
}

}  // namespace

void StopLog(Location* location) {
  location->log_stream = kStoppedStream;
  location->logged = location->bottom;
  location->unlogged += 2;  // two events of the call that found no room
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    episode::Note("a trace ended before its thread did: neither memory nor disk took more of it");
}

void Release(Location* location) { location->logging = HasStopped(location) ? kStopped : 0; }

bool NextChunk(Location* location, uint64_t time) {
  if (HasStopped(location)) {
    ++location->unlogged;
    return false;
  }
  const episode::Inside guard;
  const uint32_t wanted = FlushesWanted();
  if (wanted != seen->flushes_seen && location->log_chunk != 0 && !WriteLog(location)) {
    StopLog(location);
    return false;
  }
  seen->flushes_seen = wanted;
  if (HasRoom(location)) {
    AppendSwitches(location, time);
    if (HasRoom(location)) {
      GiveRoom(location);
      return true;
    }
  }
  uint32_t chunk = TakeWritten(location);
  if (chunk == 0 && !IsFull(location)) chunk = AllocateChunk(location);
  if (chunk == 0 && trace_limits.keep_latest) chunk = TakeOldest(location);
  if (chunk == 0 && !trace_limits.keep_latest && WriteLog(location)) chunk = TakeWritten(location);
  if (chunk == 0) {
    StopLog(location);
    return false;
  }
  const uint64_t first = std::min(NextSwitch(location), time);
  BeginChunk(location, chunk, first);
  location->log_time = first;
  AppendSwitches(location, time);
  GiveRoom(location);
  return true;
}

void BeginLog(Location* location) {
  Release(location);
  seen->flushes_seen = FlushesWanted();
  // An earlier thread in this place may have noted some of the switches.
  const uint32_t switches = Switches();
  seen->switches_seen = switches > event::kKeptSwitches ? switches - event::kKeptSwitches : 0;
  seen->is_off = false;
  for (; seen->switches_seen != switches; ++seen->switches_seen) {
    const uint64_t next = SwitchOf(seen->switches_seen);
    if (next >> 1 > location->log_time) break;
    seen->is_off = (next & 1) == 0;
  }
}

}  // namespace epik::epilog
