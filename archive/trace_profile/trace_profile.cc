// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/trace_profile.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include "archive/metrics/imbalance.h"
#include "archive/trace_profile/teams.h"
#include "archive/trace_profile/traffic.h"
#include "archive/unify/build_profile.h"

namespace epik::archive {

using epitome::kNone;
using event::RecordKind;

namespace {

// The sums of a node, in ticks, added up as the runtime does.
struct Sums {
  uint64_t visits = 0;
  uint64_t exclusive = 0;
  uint64_t min = ~uint64_t{0};
  uint64_t max = 0;
  double squares = 0;
  uint64_t unfinished = 0;
  uint64_t cut_off = 0;  // visits, by the end of the trace
};

// The call path of what idle threads miss; kNone when there was none.
uint32_t LimitedPath(const epitome::Profile& profile) {
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    const epitome::Region& region = profile.regions[profile.call_paths[p].region];
    if (region.role == "artificial" && region.name == "limited parallelism") return p;
  }
  return kNone;
}

// Ticks of the parts of tasks that were given up and went on later, but for the last part, on whatever thread.
using TaskParts = std::map<uint64_t, uint64_t>;

class StreamProfile {
 public:
  StreamProfile(const TraceArchive& archive, uint32_t process, TaskParts* parts)
      : archive_(archive), process_(process), parts_(parts) {}

  void Take(const epilog::Event& event) {
    last_ = event.time;
    switch (event.kind) {
      case RecordKind::kEnter:
        if (!open_.empty() && !IsOfRole(event.node, "artificial")) open_.back().is_new = false;
        open_.push_back({.node = event.node, .entered = event.time});
        break;
      case RecordKind::kExit:
        if (!open_.empty()) Close(event.time, false, false);
        break;
      case RecordKind::kTaskBegin:
      case RecordKind::kTaskSwitch: BeginTask(event); break;
      case RecordKind::kTaskEnd: EndTask(); break;
      default: break;
    }
  }

  // Values by node, in the order in which the runtime made them, as process_part.cc adds them. And at `limited_path`
  // what of the thread's idle time was `limited`. REQUIRES: all streams of the process were read.
  std::vector<Value> Finish(uint32_t limited_path, const LimitedVisits& limited) {
    const uint64_t end = std::max(archive_.processes()[process_]->map.last_ticks, last_);
    // The outermost is expected to be open; what was cut off is not the shortest, unless there is no whole visit.
    while (!open_.empty()) Close(end, open_.size() > 1, true);
    for (const Resumed& task : resumed_) AddVisit(&sums_[task.node], task.ticks + (*parts_)[task.task]);
    std::vector<Value> values;
    for (auto& [node, sums] : sums_) {
      const uint32_t path = archive_.CallPath(process_, node);
      const bool idles = limited.visits != 0 && path == archive_.definitions().profile.call_paths[limited_path].parent;
      if (idles) sums.exclusive -= std::min(sums.exclusive, limited.ticks);
      Put(path, sums, &values);
      if (idles) Put(limited_path, {limited.visits, limited.ticks, limited.min, limited.max, limited.squares}, &values);
    }
    return values;
  }

 private:
  void Put(uint32_t path, const Sums& sums, std::vector<Value>* values) const {
    const double scale = archive_.processes()[process_]->map.clock.seconds_per_tick;
    const auto put = [&](uint32_t metric, auto value) {
      values->push_back({metric, path, std::bit_cast<uint64_t>(value)});
    };
    if (sums.visits != 0) {
      put(kVisits, sums.visits);
      put(kMinTime, static_cast<double>(sums.min) * scale);
      put(kMaxTime, static_cast<double>(sums.max) * scale);
      put(kTimeSquares, sums.squares * scale * scale);
    }
    put(kTime, static_cast<double>(sums.exclusive) * scale);
    if (sums.unfinished != 0) put(kUnfinished, sums.unfinished);
  }

  struct Open {
    uint32_t node;
    uint64_t entered;
    uint64_t below = 0;  // ticks of what it called
    uint64_t task = 0;   // that it is, or is a part of
    bool is_new = true;  // has called nothing yet
    bool is_task = false;
    bool is_part = false;  // of a task that does not end here
    bool is_resumed = false;
  };

  // The last part of a task that was given up before.
  struct Resumed {
    uint32_t node;
    uint64_t task;
    uint64_t ticks;
  };

  static void AddVisit(Sums* sums, uint64_t ticks) {
    ++sums->visits;
    sums->max = std::max(sums->max, ticks);
    sums->squares += static_cast<double>(ticks) * static_cast<double>(ticks);
    sums->min = std::min(sums->min, ticks);
  }

  bool IsOfRole(uint32_t node, std::string_view role) const {
    const uint32_t path = archive_.CallPath(process_, node);
    const epitome::Profile& profile = archive_.definitions().profile;
    return path != kNone && profile.regions[profile.call_paths[path].region].role == role;
  }

  // Says which task the innermost call is, or that the thread is back at what a task had interrupted. Between the call
  // and its record there is only what the measurement did meanwhile.
  void BeginTask(const epilog::Event& event) {
    if (open_.empty() || !open_.back().is_new || !IsOfRole(open_.back().node, "task")) return;
    open_.back().task = event.field[0];
    open_.back().is_new = false;
    open_.back().is_task = true;
    open_.back().is_part = true;
    open_.back().is_resumed = event.kind == RecordKind::kTaskSwitch;
  }

  void EndTask() {
    for (size_t i = open_.size(); i-- > 0;) {
      if (!open_[i].is_part) continue;
      open_[i].is_part = false;
      return;
    }
  }

  void Close(uint64_t time, bool unfinished, bool cut_off) {
    const Open call = open_.back();
    open_.pop_back();
    const uint64_t ticks = time > call.entered ? time - call.entered : 0;
    if (archive_.CallPath(process_, call.node) == kNone) {
      // Calls for which there was no room: their time is their caller's.
      if (!open_.empty()) open_.back().below += call.below;
      return;
    }
    if (!open_.empty()) open_.back().below += ticks;
    Sums& sums = sums_[call.node];
    sums.exclusive += ticks - std::min(ticks, call.below);
    if (!open_.empty() && !call.is_task && archive_.Folds(process_, open_.back().node, call.node)) return;
    if (call.is_part && !cut_off) {  // a visit where the task ends
      (*parts_)[call.task] += ticks;
      return;
    }
    if (call.is_resumed && !cut_off) return resumed_.push_back({call.node, call.task, ticks});
    const uint64_t shortest = sums.min;
    const bool counts = !cut_off || sums.visits == sums.cut_off;
    AddVisit(&sums, ticks);
    if (!counts) sums.min = shortest;
    sums.cut_off += cut_off ? 1 : 0;
    sums.unfinished += unfinished ? 1 : 0;
  }

  const TraceArchive& archive_;
  uint32_t process_;
  TaskParts* parts_;
  std::vector<Open> open_;
  std::vector<Resumed> resumed_;
  std::map<uint32_t, Sums> sums_;
  uint64_t last_ = 0;
};

}  // namespace

bool ProfileOfTrace(const TraceArchive& archive, epitome::Profile* profile, std::vector<std::string>* problems,
                    std::string* error) {
  *profile = archive.definitions().profile;
  // One part with all locations, whose definitions are those of the archive already.
  std::vector<ProcessPart> parts(1);
  ProcessPart& part = parts.front();
  part.locations.resize(profile->locations.size());
  part.facts.threads.resize(profile->locations.size());
  TrafficMetrics metrics;
  const uint32_t limited_path = LimitedPath(*profile);
  // These belong to the process of the current stream.
  std::unique_ptr<Traffic> traffic;
  std::map<uint32_t, LimitedVisits> limited;
  TaskParts task_parts;
  std::vector<std::pair<const TraceArchive::Stream*, StreamProfile>> read;
  const auto finish = [&] {
    for (auto& [stream, sums] : read) {
      part.locations[stream->location] = sums.Finish(limited_path, limited[stream->number]);
    }
    if (traffic != nullptr) traffic->Finish();
    read.clear();
    task_parts.clear();
  };
  uint32_t process = kNone;
  for (const TraceArchive::Stream& stream : archive.streams()) {
    if (stream.location == kNone) {
      problems->push_back("a thread of the trace is not defined: " + std::to_string(stream.number));
      continue;
    }
    if (stream.process != process) {
      finish();
      process = stream.process;
      traffic = std::make_unique<Traffic>(archive, process, &metrics, &part.locations);
      if (limited_path != kNone) limited = LimitedParallelism(archive, process);
    }
    epilog::LocationReader reader(&archive.processes()[process]->file, stream.number);
    StreamProfile& sums = read.emplace_back(&stream, StreamProfile(archive, process, &task_parts)).second;
    epilog::Event event;
    while (reader.Next(&event)) {
      sums.Take(event);
      traffic->Take(stream.location, event);
    }
    for (const epilog::Damage& damage : reader.damage()) {
      problems->push_back(archive.processes()[process]->map.file + ", byte " + std::to_string(damage.offset) + ": " +
                          damage.what);
    }
  }
  finish();
  part.definitions.metrics = metrics.all();
  if (FillProfile(parts, profile)) {
    AddImbalance(profile);
    return true;
  }
  *error = "the profile of the trace cannot be made";
  return false;
}

}  // namespace epik::archive
