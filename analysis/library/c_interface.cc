// SPDX-License-Identifier: BSD-3-Clause
// The functions of epik/trace.h. No exception leaves them.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "analysis/library/bookmarks.h"
#include "analysis/library/cursor.h"
#include "analysis/library/links.h"
#include "analysis/library/opened.h"

#define EPIK_PUBLIC __attribute__((visibility("default")))

using epik::library::Bookmarks;
using epik::library::Links;
using epik::library::LocationCursor;
using epik::library::MergedCursor;
using epik::library::Opened;

struct epik_trace {
  std::atomic<uint64_t> users = 1;  // the caller, and cursors
  Opened opened;
  std::mutex tables;  // guards both tables below
  std::map<uint32_t, std::unique_ptr<Bookmarks>> bookmarks;
  std::unique_ptr<Links> links;
};

namespace {

void Release(epik_trace* trace) {
  if (trace != nullptr && --trace->users == 0) delete trace;
}

}  // namespace

// Its trace stays until it is closed, so that no thread reads what another one has closed.
struct epik_trace_cursor {
  explicit epik_trace_cursor(epik_trace* of) : trace(of) { ++trace->users; }
  ~epik_trace_cursor() {
    location.reset();
    merged.reset();
    Release(trace);
  }
  epik_trace_cursor(const epik_trace_cursor&) = delete;
  epik_trace_cursor& operator=(const epik_trace_cursor&) = delete;

  epik_trace* const trace;
  std::unique_ptr<LocationCursor> location;
  std::unique_ptr<MergedCursor> merged;
};

struct epik_trace_state {
  std::vector<epik_trace_frame> frames;
};

namespace {

thread_local char last_error[1024] = "";

void SetError(const char* what) { std::snprintf(last_error, sizeof last_error, "%s", what); }

// Runs `use`. If it throws, keeps the reason and returns `failed`.
template <typename Result, typename Use>
Result Guarded(Result failed, const Use& use) {
  try {
    return use();
  } catch (const std::bad_alloc&) {
    SetError("not enough memory for this trace");
  } catch (const std::exception& problem) {
    SetError(problem.what());
  } catch (...) {
    SetError("unknown problem");
  }
  return failed;
}

bool HasLocation(const epik_trace* trace, uint32_t location) {
  if (trace == nullptr) {
    SetError("no trace: the pointer is NULL");
    return false;
  }
  const size_t count = trace->opened.locations().size();
  if (location < count) return true;
  SetError(("no location " + std::to_string(location) + ": the trace has " + std::to_string(count) +
            (count == 1 ? " location" : " locations, from 0 on"))
               .c_str());
  return false;
}

const Bookmarks& BookmarksOf(epik_trace* trace, uint32_t location) {
  const std::lock_guard<std::mutex> lock(trace->tables);
  std::unique_ptr<Bookmarks>& made = trace->bookmarks[location];
  if (made == nullptr) made = std::make_unique<Bookmarks>(&trace->opened, location);
  return *made;
}

const Links& LinksOf(epik_trace* trace) {
  const std::lock_guard<std::mutex> lock(trace->tables);
  if (trace->links == nullptr) trace->links = std::make_unique<Links>(FindLinks(trace->opened));
  return *trace->links;
}

// Finds the real event at this place, without made-up ones before it; or the first event behind the place.
bool FindAt(epik_trace* trace, uint32_t location, uint64_t place, epik_trace_event* to) {
  LocationCursor cursor(&trace->opened, location);
  cursor.SeekPlace(place);
  if (!cursor.Next(to)) return false;
  epik_trace_event next;
  while ((to->flags & EPIK_TRACE_MADE_UP) != 0 && cursor.Next(&next) && next.place == to->place) *to = next;
  return true;
}

// Where a result is to go.
bool IsThere(const void* to) {
  if (to == nullptr) SetError("no place for the result: the pointer is NULL");
  return to != nullptr;
}

template <typename Thing>
int64_t Give(const std::vector<Thing>& things, Thing* to, size_t most) {
  if (to != nullptr) std::copy_n(things.begin(), std::min(things.size(), most), to);
  return static_cast<int64_t>(things.size());
}

// Fills in an element of a list of the trace, if the list is long enough.
template <typename Things, typename To, typename Fill>
int Get(const epik_trace* trace, const char* what, uint32_t number, To* to, const Things& things_of, const Fill& fill) {
  return Guarded(-1, [&] {
    if (!IsThere(to)) return -1;
    if (trace == nullptr) {
      SetError("no trace: the pointer is NULL");
      return -1;
    }
    const auto& things = things_of(trace->opened);
    if (number >= things.size()) {
      SetError(("no " + std::string(what) + " " + std::to_string(number) + ": the trace has " +
                std::to_string(things.size()))
                   .c_str());
      return -1;
    }
    fill(things[number]);
    return 0;
  });
}

const auto kLocations = [](const Opened& o) -> const auto& { return o.locations(); };
const auto kRegions = [](const Opened& o) -> const auto& { return o.definitions().profile.regions; };
const auto kCallPaths = [](const Opened& o) -> const auto& { return o.definitions().profile.call_paths; };
const auto kCommunicators = [](const Opened& o) -> const auto& { return o.definitions().communicators; };
const auto kWindows = [](const Opened& o) -> const auto& { return o.definitions().windows; };
const auto kMetrics = [](const Opened& o) -> const auto& { return o.metrics(); };

template <typename Things>
size_t Count(const epik_trace* trace, const Things& things_of) {
  return trace == nullptr ? 0 : things_of(trace->opened).size();
}

}  // namespace

extern "C" {

EPIK_PUBLIC const char* epik_trace_error(void) { return last_error; }

EPIK_PUBLIC epik_trace* epik_trace_open(const char* path) {
  return Guarded(static_cast<epik_trace*>(nullptr), [&]() -> epik_trace* {
    if (path == nullptr) {
      SetError("no archive: the path is NULL");
      return nullptr;
    }
    auto trace = std::make_unique<epik_trace>();
    std::string error;
    if (trace->opened.Open(path, &error)) return trace.release();
    SetError(error.c_str());
    return nullptr;
  });
}

EPIK_PUBLIC void epik_trace_close(epik_trace* trace) { Release(trace); }

EPIK_PUBLIC size_t epik_trace_problems(const epik_trace* trace) {
  return trace == nullptr ? 0 : trace->opened.traces().problems().size();
}
EPIK_PUBLIC const char* epik_trace_problem(const epik_trace* trace, size_t number) {
  return number < epik_trace_problems(trace) ? trace->opened.traces().problems()[number].c_str() : "";
}

EPIK_PUBLIC size_t epik_trace_locations(const epik_trace* trace) { return Count(trace, kLocations); }
EPIK_PUBLIC size_t epik_trace_regions(const epik_trace* trace) { return Count(trace, kRegions); }
EPIK_PUBLIC size_t epik_trace_call_paths(const epik_trace* trace) { return Count(trace, kCallPaths); }
EPIK_PUBLIC size_t epik_trace_communicators(const epik_trace* trace) { return Count(trace, kCommunicators); }
EPIK_PUBLIC size_t epik_trace_windows(const epik_trace* trace) { return Count(trace, kWindows); }
EPIK_PUBLIC size_t epik_trace_metrics(const epik_trace* trace) { return Count(trace, kMetrics); }

EPIK_PUBLIC int epik_trace_get_location(const epik_trace* trace, uint32_t number, epik_trace_location* to) {
  return Get(trace, "location", number, to, kLocations, [&](const Opened::Location& l) {
    *to = {l.rank, static_cast<int32_t>(l.number), l.name.c_str(), l.host.c_str(), l.places, l.first_ns, l.last_ns};
  });
}
EPIK_PUBLIC int epik_trace_get_region(const epik_trace* trace, uint32_t number, epik_trace_region* to) {
  return Get(trace, "region", number, to, kRegions, [&](const epik::archive::Region& r) {
    *to = {r.name.c_str(), r.mangled.c_str(), r.file.c_str(), r.paradigm.c_str(),
           r.role.c_str(), r.begin_line,      r.end_line};
  });
}
EPIK_PUBLIC int epik_trace_get_call_path(const epik_trace* trace, uint32_t number, epik_trace_call_path* to) {
  return Get(trace, "call path", number, to, kCallPaths, [&](const epik::archive::CallPath& p) {
    *to = {p.region, p.parent};
  });
}
EPIK_PUBLIC int epik_trace_get_communicator(const epik_trace* trace, uint32_t number, epik_trace_communicator* to) {
  return Get(trace, "communicator", number, to, kCommunicators, [&](const epik::archive::Communicator& c) {
    *to = {c.name.c_str(), c.ranks.data(), c.ranks.size(), c.remote.data(), c.remote.size()};
  });
}
EPIK_PUBLIC int epik_trace_get_window(const epik_trace* trace, uint32_t number, epik_trace_window* to) {
  return Get(trace, "window", number, to, kWindows, [&](const epik::archive::Window& w) {
    *to = {w.name.c_str(), w.communicator};
  });
}
EPIK_PUBLIC int epik_trace_get_metric(const epik_trace* trace, uint32_t number, epik_trace_metric* to) {
  return Get(trace, "metric", number, to, kMetrics, [&](const epik::archive::MetricName& m) {
    *to = {m.name.c_str(), m.unit.c_str()};
  });
}

EPIK_PUBLIC const char* epik_trace_kind_name(uint32_t kind) { return epik::library::KindName(kind); }
EPIK_PUBLIC const char* epik_trace_field_name(uint32_t kind, uint32_t field) {
  return epik::library::FieldName(kind, field);
}
EPIK_PUBLIC const char* epik_trace_field_type(uint32_t kind, uint32_t field) {
  return epik::library::FieldType(kind, field);
}

EPIK_PUBLIC epik_trace_cursor* epik_trace_read(epik_trace* trace, const uint32_t* locations, size_t count,
                                               int64_t from_ns, int64_t to_ns) {
  return Guarded(static_cast<epik_trace_cursor*>(nullptr), [&]() -> epik_trace_cursor* {
    if (locations == nullptr && count != 0) {
      SetError("no locations: the pointer is NULL");
      return nullptr;
    }
    std::vector<uint32_t> wanted;
    for (uint32_t l = 0; count == 0 && l < epik_trace_locations(trace); ++l) wanted.push_back(l);
    for (size_t i = 0; i < count; ++i) wanted.push_back(locations[i]);
    if (trace == nullptr && !HasLocation(trace, 0)) return nullptr;
    for (const uint32_t location : wanted) {
      if (!HasLocation(trace, location)) return nullptr;
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    auto cursor = std::make_unique<epik_trace_cursor>(trace);
    cursor->merged = std::make_unique<MergedCursor>(&trace->opened, wanted, from_ns, to_ns);
    return cursor.release();
  });
}

EPIK_PUBLIC epik_trace_cursor* epik_trace_read_from(epik_trace* trace, uint32_t location, uint64_t place) {
  return Guarded(static_cast<epik_trace_cursor*>(nullptr), [&]() -> epik_trace_cursor* {
    if (!HasLocation(trace, location)) return nullptr;
    auto cursor = std::make_unique<epik_trace_cursor>(trace);
    cursor->location = std::make_unique<LocationCursor>(&trace->opened, location);
    if (place > 0) cursor->location->SeekPlace(place);
    return cursor.release();
  });
}

EPIK_PUBLIC size_t epik_trace_next(epik_trace_cursor* cursor, epik_trace_event* to, size_t most) {
  return Guarded(size_t{0}, [&]() -> size_t {
    if (cursor == nullptr || (most != 0 && !IsThere(to))) return 0;
    if (cursor->merged != nullptr) return cursor->merged->Next(to, most);
    size_t count = 0;
    while (count < most && cursor->location->Next(&to[count])) ++count;
    return count;
  });
}

EPIK_PUBLIC void epik_trace_cursor_close(epik_trace_cursor* cursor) { delete cursor; }

EPIK_PUBLIC int epik_trace_at(epik_trace* trace, uint32_t location, uint64_t place, epik_trace_event* to) {
  return Guarded(-1, [&] {
    if (!HasLocation(trace, location) || !IsThere(to)) return -1;
    return FindAt(trace, location, place, to) ? 1 : 0;
  });
}

EPIK_PUBLIC int epik_trace_find(epik_trace* trace, uint32_t location, int64_t ns, epik_trace_event* to) {
  return Guarded(-1, [&] {
    if (!HasLocation(trace, location) || !IsThere(to)) return -1;
    LocationCursor cursor(&trace->opened, location);
    cursor.SeekNs(ns);
    return cursor.Next(to) ? 1 : 0;
  });
}

EPIK_PUBLIC int64_t epik_trace_linked(epik_trace* trace, enum epik_trace_link link, uint32_t location, uint64_t place,
                                      epik_trace_ref* to, size_t most) {
  return Guarded(int64_t{-1}, [&]() -> int64_t {
    if (!HasLocation(trace, location)) return -1;
    const auto number = static_cast<unsigned>(link);
    if (number > EPIK_TRACE_LINK_THREAD) {
      SetError(("no link " + std::to_string(number)).c_str());
      return -1;
    }
    if (link != EPIK_TRACE_LINK_CALL) return Give(LinksOf(trace).Of(link, location, place), to, most);
    epik_trace_event event;
    std::vector<epik_trace_ref> partners;
    if (FindAt(trace, location, place, &event) && event.place == place) {
      if (const auto partner = BookmarksOf(trace, location).PartnerOf(event)) partners.push_back(*partner);
    }
    return Give(partners, to, most);
  });
}

EPIK_PUBLIC epik_trace_state* epik_trace_state_at(epik_trace* trace, uint32_t location, uint64_t place) {
  return Guarded(static_cast<epik_trace_state*>(nullptr), [&]() -> epik_trace_state* {
    if (!HasLocation(trace, location)) return nullptr;
    auto state = std::make_unique<epik_trace_state>();
    state->frames = BookmarksOf(trace, location).StackAt(place);
    return state.release();
  });
}

EPIK_PUBLIC size_t epik_trace_state_frames(const epik_trace_state* state, const epik_trace_frame** frames) {
  if (state == nullptr) return 0;
  if (frames != nullptr) *frames = state->frames.data();
  return state->frames.size();
}

EPIK_PUBLIC void epik_trace_state_close(epik_trace_state* state) { delete state; }

EPIK_PUBLIC int64_t epik_trace_open_messages(epik_trace* trace, uint32_t location, uint64_t place,
                                             epik_trace_message* to, size_t most) {
  return Guarded(int64_t{-1}, [&]() -> int64_t {
    if (!HasLocation(trace, location)) return -1;
    epik_trace_event event;
    if (!FindAt(trace, location, place, &event)) return 0;
    return Give(LinksOf(trace).OpenMessages(location, event.place, event.ns), to, most);
  });
}

}  // extern "C"
