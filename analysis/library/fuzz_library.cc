// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer entry for the library of people's own analyses: ./dev fuzz. It asks everything about an archive that the
// bytes make, and checks the promises of trace.h.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "archive/trace/forged_archive.h"
#include "epik/trace.h"

namespace epik::library {
namespace {

constexpr size_t kMostEvents = 1 << 16;  // the test asks about these

// All events, in the order of time.
const char* ReadAll(epik_trace* trace, std::vector<epik_trace_event>* events) {
  epik_trace_cursor* cursor = epik_trace_read(trace, nullptr, 0, INT64_MIN, INT64_MAX);
  if (cursor == nullptr) return "no cursor";
  epik_trace_event some[16];
  while (events->size() < kMostEvents) {
    const size_t count = epik_trace_next(cursor, some, std::size(some));
    if (count == 0) break;
    events->insert(events->end(), some, some + count);
  }
  epik_trace_cursor_close(cursor);
  const bool in_order = std::is_sorted(
      events->begin(), events->end(), [](const epik_trace_event& a, const epik_trace_event& b) { return a.ns < b.ns; });
  return in_order ? nullptr : "events are out of order";
}

const char* AskLinks(epik_trace* trace, const epik_trace_event& event) {
  for (int link = EPIK_TRACE_LINK_CALL; link <= EPIK_TRACE_LINK_THREAD; ++link) {
    epik_trace_ref others[8];
    const int64_t count =
        epik_trace_linked(trace, static_cast<epik_trace_link>(link), event.location, event.place, others, 8);
    if (count < 0) return "a link is an error";
    for (int64_t i = 0; i < std::min<int64_t>(count, 8); ++i) {
      epik_trace_event other;
      if (epik_trace_at(trace, others[i].location, others[i].place, &other) != 1) return "a link leads nowhere";
    }
  }
  return nullptr;
}

const char* Ask(epik_trace* trace, const epik_trace_event& event) {
  epik_trace_event at;
  if (epik_trace_at(trace, event.location, event.place, &at) != 1) return "an event is not where it was";
  if ((at.flags | event.flags) == 0 && (at.ns != event.ns || at.kind != event.kind)) return "an event has changed";
  epik_trace_find(trace, event.location, event.ns, &at);
  epik_trace_state* state = epik_trace_state_at(trace, event.location, event.place);
  if (state == nullptr) return "an event has no state";
  const epik_trace_frame* frames = nullptr;
  const size_t depth = epik_trace_state_frames(state, &frames);
  const bool nested = std::is_sorted(frames, frames + depth, [](const epik_trace_frame& a, const epik_trace_frame& b) {
    return a.enter_place < b.enter_place;
  });
  epik_trace_state_close(state);
  if (!nested) return "calls are not nested";
  epik_trace_message messages[8];
  if (epik_trace_open_messages(trace, event.location, event.place, messages, 8) < 0) return "messages are an error";
  return AskLinks(trace, event);
}

void AskDefinitions(epik_trace* trace) {
  for (uint32_t i = 0; i <= epik_trace_locations(trace); ++i) {
    epik_trace_location location;
    epik_trace_get_location(trace, i, &location);
  }
  for (uint32_t i = 0; i <= epik_trace_call_paths(trace); ++i) {
    epik_trace_call_path path;
    epik_trace_get_call_path(trace, i, &path);
  }
  for (uint32_t i = 0; i <= epik_trace_communicators(trace); ++i) {
    epik_trace_communicator communicator;
    epik_trace_get_communicator(trace, i, &communicator);
  }
}

// Returns null, or a message about the contradiction.
const char* AskAll(const char* path) {
  epik_trace* trace = epik_trace_open(path);
  if (trace == nullptr) return *epik_trace_error() != '\0' ? nullptr : "an error has no reason";
  AskDefinitions(trace);
  std::vector<epik_trace_event> events;
  const char* wrong = ReadAll(trace, &events);
  const size_t step = std::max<size_t>(events.size() / 32, 1);
  for (size_t i = 0; i < events.size() && wrong == nullptr; i += step) wrong = Ask(trace, events[i]);
  epik_trace_close(trace);
  return wrong;
}

}  // namespace
}  // namespace epik::library

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static epik::archive::ForgedArchive archive;
  if (!archive.Forge(data, size)) return 0;
  const char* wrong = epik::library::AskAll(archive.path().c_str());
  if (wrong == nullptr) return 0;
  std::fprintf(stderr, "%s\n", wrong);
  __builtin_trap();
}
