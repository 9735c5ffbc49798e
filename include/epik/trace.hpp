// SPDX-License-Identifier: BSD-3-Clause
// Traces of EPIK for analyses of your own, in C++20. Link with libepk_trace.so (pkg-config epik-trace, or CMake's
// epik::trace). trace.h explains places, times and numbers; docs/library.md has examples.
//
//   epik::trace::Trace trace("epik_solver_4x1_trace");
//   for (const epik::trace::Event& event : trace.Events()) ...
//
// Functions throw epik::trace::Error, whose text explains the problem. Texts are valid as long as their Trace.
#ifndef EPIK_INCLUDE_TRACE_HPP_
#define EPIK_INCLUDE_TRACE_HPP_

#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epik/trace.h"

namespace epik::trace {

inline constexpr std::uint32_t kNone = EPIK_TRACE_NONE;

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace internal {
[[noreturn]] inline void Fail() { throw Error(epik_trace_error()); }

template <typename Made>
Made* Must(Made* made) {
  if (made == nullptr) Fail();
  return made;
}
}  // namespace internal

enum class Link {
  kCall = EPIK_TRACE_LINK_CALL,              // enter and exit
  kMessage = EPIK_TRACE_LINK_MESSAGE,        // send and receive
  kCollective = EPIK_TRACE_LINK_COLLECTIVE,  // begins and ends of all members
  kRequest = EPIK_TRACE_LINK_REQUEST,        // the begin of a request, and its end
  kTeam = EPIK_TRACE_LINK_TEAM,              // fork, the parts of all threads, join
  kLock = EPIK_TRACE_LINK_LOCK,              // a release, and the next acquisition
  kTask = EPIK_TRACE_LINK_TASK,              // all events of a task
  kThread = EPIK_TRACE_LINK_THREAD           // a thread of libc: its creation, begin, end, and its join
};

// An event, identified by its place.
struct Ref {
  std::uint32_t location = 0;
  std::uint64_t place = 0;
  std::uint32_t kind = 0;

  bool operator==(const Ref&) const = default;
};

struct Event : epik_trace_event {
  bool IsEnter() const { return kind == EPIK_TRACE_ENTER; }
  bool IsExit() const { return kind == EPIK_TRACE_EXIT; }
  bool IsMadeUp() const { return (flags & EPIK_TRACE_MADE_UP) != 0; }
  Ref ref() const { return {location, place, kind}; }
  std::string_view Name() const { return epik_trace_kind_name(kind); }  // "enter", "send" …

  // Returns a field by its index in the event, as FieldOf gives it for a kind, or by name. Throws when there is no such
  // field.
  std::uint64_t Field(unsigned number) const {
    if (number >= fields) throw Error("the event has no field " + std::to_string(number));
    return field[number];
  }
  std::uint64_t Field(std::string_view name) const {
    for (unsigned i = 0; i < fields; ++i) {
      if (name == epik_trace_field_name(kind, i)) return field[i];
    }
    throw Error("an event of kind \"" + std::string(Name()) + "\" has no field \"" + std::string(name) + "\"");
  }
  std::int64_t Int(std::string_view name) const { return static_cast<std::int64_t>(Field(name)); }
  double Real(std::string_view name) const { return std::bit_cast<double>(Field(name)); }
};
static_assert(sizeof(Event) == sizeof(epik_trace_event));

using Location = epik_trace_location;
using Region = epik_trace_region;
using CallPath = epik_trace_call_path;
using Communicator = epik_trace_communicator;
using Window = epik_trace_window;
using Metric = epik_trace_metric;
using Frame = epik_trace_frame;
using Message = epik_trace_message;

// A part of a trace.
struct Part {
  std::vector<std::uint32_t> locations = {};  // none: all
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();
};

// Events that can be read once: `for (const Event& event : trace.Events())`. A reference is valid until the next step.
class EventRange {
 public:
  explicit EventRange(epik_trace_cursor* cursor) : cursor_(cursor), events_(kBatch) {}

  class Iterator {
   public:
    using value_type = Event;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(EventRange* range) : range_(range) {}
    const Event& operator*() const { return range_->events_[range_->at_]; }
    const Event* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++range_->at_ == range_->count_) range_->Fill();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return range_->count_ == 0; }

   private:
    EventRange* range_;
  };

  Iterator begin() {
    if (at_ == count_) Fill();
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

  // Returns the next events together, without a copy; empty at the end. Do not call it while an iterator is in use.
  std::span<const Event> Next() {
    Fill();
    return {events_.data(), count_};
  }

 private:
  static constexpr std::size_t kBatch = 1024;
  struct Close {
    void operator()(epik_trace_cursor* cursor) const { epik_trace_cursor_close(cursor); }
  };

  void Fill() {
    at_ = 0;
    count_ = epik_trace_next(cursor_.get(), events_.data(), events_.size());
  }

  std::unique_ptr<epik_trace_cursor, Close> cursor_;
  std::vector<Event> events_;
  std::size_t at_ = 0, count_ = 0;
};

class Trace {
 public:
  explicit Trace(const std::string& path) : trace_(internal::Must(epik_trace_open(path.c_str()))) {}

  // Sentences about data that could not be read.
  std::vector<std::string> Problems() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < epik_trace_problems(get()); ++i) all.emplace_back(epik_trace_problem(get(), i));
    return all;
  }

  std::size_t Locations() const { return epik_trace_locations(get()); }
  std::size_t Regions() const { return epik_trace_regions(get()); }
  std::size_t CallPaths() const { return epik_trace_call_paths(get()); }
  std::size_t Communicators() const { return epik_trace_communicators(get()); }
  std::size_t Windows() const { return epik_trace_windows(get()); }
  std::size_t Metrics() const { return epik_trace_metrics(get()); }

  trace::Location Location(std::uint32_t number) const { return Get(epik_trace_get_location, number); }
  trace::Region Region(std::uint32_t number) const { return Get(epik_trace_get_region, number); }
  trace::CallPath CallPath(std::uint32_t number) const { return Get(epik_trace_get_call_path, number); }
  trace::Communicator Communicator(std::uint32_t number) const { return Get(epik_trace_get_communicator, number); }
  trace::Window Window(std::uint32_t number) const { return Get(epik_trace_get_window, number); }
  trace::Metric Metric(std::uint32_t number) const { return Get(epik_trace_get_metric, number); }

  // The name of a call path's region; "?" when it is not known.
  std::string_view NameOf(std::uint32_t call_path) const {
    epik_trace_call_path path;
    epik_trace_region region;
    if (epik_trace_get_call_path(get(), call_path, &path) != 0) return "?";
    return epik_trace_get_region(get(), path.region, &region) == 0 ? region.name : "?";
  }
  // "main > solve > MPI_Send".
  std::string PathName(std::uint32_t call_path) const {
    std::string name(NameOf(call_path));
    epik_trace_call_path path;
    while (epik_trace_get_call_path(get(), call_path, &path) == 0 && path.parent < call_path) {
      call_path = path.parent;
      name = std::string(NameOf(call_path)) + " > " + name;
    }
    return name;
  }

  // All events, or those of a part, in order of time.
  EventRange Events(const Part& part = {}) const {
    return EventRange(
        internal::Must(epik_trace_read(get(), part.locations.data(), part.locations.size(), part.from_ns, part.to_ns)));
  }
  // The events of a location, from a place on.
  EventRange EventsFrom(std::uint32_t location, std::uint64_t place = 0) const {
    return EventRange(internal::Must(epik_trace_read_from(get(), location, place)));
  }

  // The event at a place, or the first one behind it.
  std::optional<Event> At(std::uint32_t location, std::uint64_t place) const {
    return One([&](Event* to) { return epik_trace_at(get(), location, place, to); });
  }
  // The first event of a location that is not before `ns`.
  std::optional<Event> Find(std::uint32_t location, std::int64_t ns) const {
    return One([&](Event* to) { return epik_trace_find(get(), location, ns, to); });
  }

  // The other events that this one is linked with.
  std::vector<Ref> Linked(const Ref& ref, Link link) const {
    const auto refs = All<epik_trace_ref>([&](epik_trace_ref* to, std::size_t most) {
      return epik_trace_linked(get(), static_cast<epik_trace_link>(link), ref.location, ref.place, to, most);
    });
    std::vector<Ref> all;
    for (const epik_trace_ref& one : refs) all.push_back({one.location, one.place, one.kind});
    return all;
  }
  std::vector<Ref> Linked(const Event& event, Link link) const { return Linked(event.ref(), link); }
  // The one event that this one is linked with; no event unless there is exactly one.
  std::optional<Event> Partner(const Event& event, Link link) const {
    const std::vector<Ref> refs = Linked(event, link);
    return refs.size() == 1 ? At(refs[0].location, refs[0].place) : std::nullopt;
  }

  // Calls that are open after an event, outermost first.
  std::vector<Frame> Stack(const Ref& ref) const {
    std::unique_ptr<epik_trace_state, void (*)(epik_trace_state*)> state(
        internal::Must(epik_trace_state_at(get(), ref.location, ref.place)), &epik_trace_state_close);
    const Frame* frames = nullptr;
    const std::size_t count = epik_trace_state_frames(state.get(), &frames);
    return {frames, frames + count};
  }
  // Messages from and to its location that are under way after an event.
  std::vector<Message> OpenMessages(const Ref& ref) const {
    return All<Message>([&](Message* to, std::size_t most) {
      return epik_trace_open_messages(get(), ref.location, ref.place, to, most);
    });
  }

 private:
  struct Close {
    void operator()(epik_trace* trace) const { epik_trace_close(trace); }
  };

  epik_trace* get() const { return trace_.get(); }

  template <typename Thing>
  Thing Get(int (*get_one)(const epik_trace*, std::uint32_t, Thing*), std::uint32_t number) const {
    Thing thing;
    if (get_one(get(), number, &thing) != 0) internal::Fail();
    return thing;
  }
  template <typename Ask>
  std::optional<Event> One(const Ask& ask) const {
    Event event;
    const int found = ask(&event);
    if (found < 0) internal::Fail();
    return found > 0 ? std::optional(event) : std::nullopt;
  }
  template <typename Thing, typename Ask>
  std::vector<Thing> All(const Ask& ask) const {
    std::vector<Thing> all(4);
    std::int64_t count = ask(all.data(), all.size());
    if (count > static_cast<std::int64_t>(all.size())) {
      all.resize(static_cast<std::size_t>(count));
      count = ask(all.data(), all.size());
    }
    if (count < 0) internal::Fail();
    all.resize(static_cast<std::size_t>(count));
    return all;
  }

  std::unique_ptr<epik_trace, Close> trace_;
};

}  // namespace epik::trace

#endif  // EPIK_INCLUDE_TRACE_HPP_
