// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/trace_profile.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include "archive/files/parallel.h"
#include "archive/metrics/imbalance.h"
#include "archive/trace_profile/counters.h"
#include "archive/trace_profile/teams.h"
#include "archive/trace_profile/traffic.h"
#include "archive/unify/build_profile.h"

namespace epik::archive {

using epitome::kNone;
using event::RecordKind;

namespace {

// The sums of a node, in ticks, added up as the runtime does.
struct Sums {
  uint32_t node = 0;
  uint32_t path = kNone;
  bool called = false;
  uint64_t visits = 0;
  uint64_t exclusive = 0;
  uint64_t min = ~uint64_t{0};
  uint64_t max = 0;
  double squares = 0;
  uint64_t unfinished = 0;
  uint64_t cut_off = 0;  // visits, by the end of the trace
};

// Sums by node, found fast: nodes of a process are numbered one after the other.
class SumsByNode {
 public:
  // `path_of(node)` is asked once for each node.
  template <typename PathOf>
  Sums& At(uint32_t node, const PathOf& path_of) {
    if (all_.empty()) first_ = node - node % kChunk;
    const uint32_t near = node - first_;
    if (near < kNear && near >= near_.size()) near_.resize(std::max<size_t>(near + 1, 2 * near_.size()));
    uint32_t* place = near < kNear ? &near_[near] : &far_[node];
    if (*place == 0) {
      all_.emplace_back();
      all_.back().node = node;
      all_.back().path = path_of(node);
      *place = static_cast<uint32_t>(all_.size());
    }
    return all_[*place - 1];
  }
  // Those that were called, by node.
  std::vector<Sums> Take() {
    std::erase_if(all_, [](const Sums& sums) { return !sums.called; });
    std::sort(all_.begin(), all_.end(), [](const Sums& a, const Sums& b) { return a.node < b.node; });
    return std::move(all_);
  }

 private:
  static constexpr uint32_t kNear = 1 << 20;
  static constexpr uint32_t kChunk = 256;  // lines that a thread gets at a time: an older node may be a little before
  std::vector<Sums> all_;
  // A thread's nodes are lines of the arena, from its first chunk of nodes on. All threads before it have theirs below.
  uint32_t first_ = 0;
  std::vector<uint32_t> near_;  // node - first_ -> place in all_, from 1
  std::map<uint32_t, uint32_t> far_;
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
        if (!open_.empty() && open_.back().is_new && !IsOfRole(event.node, "artificial")) open_.back().is_new = false;
        open_.push_back({.node = event.node, .entered = event.time});
        if (back_ != 0) GoOn();
        break;
      case RecordKind::kExit:
        if (!open_.empty()) Close(event.time, false, false);
        break;
      case RecordKind::kTaskBegin:
      case RecordKind::kTaskSwitch: BeginTask(event); break;
      case RecordKind::kTaskEnd: EndTask(); break;
      case RecordKind::kFoldedBegin:
        open_.push_back({.node = static_cast<uint32_t>(event.field[0]), .entered = event.time, .is_folded = true});
        break;
      case RecordKind::kFoldedEnd:
        if (!open_.empty() && open_.back().is_folded) Close(event.time, false, false);
        break;
      case RecordKind::kStackLeft: LeaveStack(event.field[0], event.field[1]); break;
      case RecordKind::kStackBack: ComeBack(event.field[0], event.field[1]); break;
      default: break;
    }
  }

  // Values by node, in the order in which the runtime made them, as process_part.cc adds them. And at `limited_path`
  // what of the thread's idle time was `limited`. REQUIRES: all streams of the process were read.
  std::vector<Value> Finish(uint32_t limited_path, const LimitedVisits& limited) {
    const uint64_t end = std::max(archive_.processes()[process_]->map.last_ticks, last_);
    // The outermost is expected to be open; what was cut off is not the shortest, unless there is no whole visit.
    const bool in_finalize = IsInFinalize();
    while (!open_.empty()) Close(end, open_.size() > 1 && !in_finalize, true);
    for (auto& [stack, calls] : stacks_) Abandon(&calls, 0);
    for (const Resumed& task : resumed_) AddVisit(&SumsOf(task.node), task.ticks + (*parts_)[task.task]);
    std::vector<Value> values;
    for (Sums& sums : sums_.Take()) {
      const uint32_t path = sums.path;
      const bool idles = limited.visits != 0 && path == archive_.definitions().profile.call_paths[limited_path].parent;
      if (idles) sums.exclusive -= std::min(sums.exclusive, limited.ticks);
      Put(path, sums, &values);
      if (!idles) continue;
      Sums part;
      part.visits = limited.visits;
      part.exclusive = limited.ticks;
      part.min = limited.min;
      part.max = limited.max;
      part.squares = limited.squares;
      Put(limited_path, part, &values);
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
    bool is_folded = false;  // a task that counts on its creator's call path, and is no visit
    bool has_ended = false;
    uint64_t stack = 0;   // that the thread is about to leave: the call goes on later
    uint64_t before = 0;  // ticks of its parts so far
  };
  // The calls on a stack that the thread has left, outermost last.
  using Suspended = std::vector<Open>;

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

  // MPI_Finalize and the calls around it are open where the measurement of a job ends.
  bool IsInFinalize() const {
    if (open_.empty()) return false;
    const uint32_t path = archive_.CallPath(process_, open_.back().node);
    if (path == kNone) return false;
    const epitome::Profile& profile = archive_.definitions().profile;
    const epitome::Region& region = profile.regions[profile.call_paths[path].region];
    return region.name == "MPI_Finalize" && region.paradigm == "mpi";
  }

  bool IsOfRole(uint32_t node, std::string_view role) const {
    const uint32_t path = archive_.CallPath(process_, node);
    const epitome::Profile& profile = archive_.definitions().profile;
    return path != kNone && profile.regions[profile.call_paths[path].region].role == role;
  }

  Sums& SumsOf(uint32_t node) {
    return sums_.At(node, [this](uint32_t asked) { return archive_.CallPath(process_, asked); });
  }

  // Says which task the innermost call is, or that the thread is back at what a task had interrupted. Between the call
  // and its record there is only what the measurement did meanwhile.
  void BeginTask(const epilog::Event& event) {
    if (open_.empty() || open_.back().is_folded || !open_.back().is_new || !IsOfRole(open_.back().node, "task")) return;
    open_.back().task = event.field[0];
    open_.back().is_new = false;
    open_.back().is_task = true;
    open_.back().is_part = true;
    open_.back().is_resumed = event.kind == RecordKind::kTaskSwitch;
  }

  void EndTask() {
    for (size_t i = open_.size(); i-- > 0;) {
      if (open_[i].is_folded && !open_[i].has_ended) {
        open_[i].has_ended = true;
        return;
      }
      if (!open_[i].is_part) continue;
      open_[i].is_part = false;
      return;
    }
  }

  void LeaveStack(uint64_t stack, uint64_t calls) {
    back_ = 0;
    for (size_t i = open_.size(); i-- > 0 && calls-- > 0;) open_[i].stack = stack;
    if (const auto left = stacks_.find(stack); left != stacks_.end()) Abandon(&left->second, 0);
  }

  // The calls that are further in have ended, where nobody saw it.
  void ComeBack(uint64_t stack, uint64_t calls) {
    const auto left = stacks_.find(stack);
    if (left == stacks_.end()) return;
    Abandon(&left->second, calls);
    back_ = stack;
  }

  void Abandon(Suspended* suspended, uint64_t but) {
    const auto gone = suspended->begin() + static_cast<ptrdiff_t>(suspended->size() - std::min(suspended->size(), but));
    for (auto call = suspended->begin(); call != gone; ++call) AddVisit(&SumsOf(call->node), call->before);
    suspended->erase(suspended->begin(), gone);
  }

  // The call that was just entered may be one that goes on.
  void GoOn() {
    Suspended& suspended = stacks_[back_];
    if (suspended.empty() || suspended.back().node != open_.back().node) return;
    open_.back().before = suspended.back().before;
    suspended.pop_back();
    if (!suspended.empty()) return;
    stacks_.erase(back_);
    back_ = 0;
  }

  void Close(uint64_t time, bool unfinished, bool cut_off) {
    Open call = open_.back();
    open_.pop_back();
    const uint64_t ticks = time > call.entered ? time - call.entered : 0;
    if (SumsOf(call.node).path == kNone) {
      // Calls for which there was no room: their time is their caller's.
      if (!open_.empty()) open_.back().below += call.below;
      return;
    }
    if (!open_.empty()) open_.back().below += ticks;
    Sums& sums = SumsOf(call.node);
    sums.called = true;
    sums.exclusive += ticks - std::min(ticks, call.below);
    if (call.is_folded) return;
    if (!open_.empty() && !call.is_task && archive_.Folds(process_, open_.back().node, call.node)) return;
    if (call.is_part && !cut_off) {  // a visit where the task ends
      (*parts_)[call.task] += ticks;
      return;
    }
    if (call.is_resumed && !cut_off) return resumed_.push_back({call.node, call.task, ticks});
    if (call.stack != 0 && !cut_off) {
      call.before += ticks;
      stacks_[call.stack].push_back(call);
      return;
    }
    const uint64_t shortest = sums.min;
    const bool counts = !cut_off || sums.visits == sums.cut_off;
    AddVisit(&sums, cut_off ? ticks : call.before + ticks);
    if (!counts) sums.min = shortest;
    sums.cut_off += cut_off ? 1 : 0;
    sums.unfinished += unfinished ? 1 : 0;
  }

  const TraceArchive& archive_;
  uint32_t process_;
  TaskParts* parts_;
  std::vector<Open> open_;
  std::vector<Resumed> resumed_;
  std::map<uint64_t, Suspended> stacks_;
  uint64_t back_ = 0;  // of stacks_: the one that the thread is back at, until all its calls are
  SumsByNode sums_;
  uint64_t last_ = 0;
};

// What the trace of one process tells. Metrics have numbers of their own.
struct ProcessTotals {
  std::vector<std::pair<uint32_t, std::vector<Value>>> values;  // by location
  TrafficMetrics metrics;
  std::vector<std::string> problems;
};

void ReadProcess(const TraceArchive& archive, const std::vector<const TraceArchive::Stream*>& streams,
                 uint32_t limited_path, ProcessTotals* totals) {
  const uint32_t process = streams.front()->process;
  std::vector<std::vector<Value>> traffic_values(archive.definitions().profile.locations.size());
  Traffic traffic(archive, process, &totals->metrics, &traffic_values);
  std::map<uint32_t, LimitedVisits> limited;
  if (limited_path != kNone) limited = LimitedParallelism(archive, process);
  TaskParts task_parts;
  struct Read {
    const TraceArchive::Stream* stream;
    StreamProfile sums;
    CounterSums counters;
  };
  std::vector<Read> read;
  for (const TraceArchive::Stream* stream : streams) {
    epilog::LocationReader reader(&archive.processes()[process]->file, stream->number);
    auto& [which, sums, counters] =
        read.emplace_back(Read{stream, StreamProfile(archive, process, &task_parts), CounterSums(archive, process)});
    epilog::Event event;
    while (reader.Next(&event)) {
      sums.Take(event);
      counters.Take(event);
      traffic.Take(stream->location, event);
    }
    for (const epilog::Damage& damage : reader.damage()) {
      totals->problems.push_back(archive.processes()[process]->map.file + ", byte " + std::to_string(damage.offset) +
                                 ": " + damage.what);
    }
  }
  traffic.Finish();
  for (auto& [stream, sums, counters] : read) {
    std::vector<Value> values = sums.Finish(limited_path, limited[stream->number]);
    counters.Finish(&totals->metrics, &values);
    const std::vector<Value>& more = traffic_values[stream->location];
    values.insert(values.end(), more.begin(), more.end());
    totals->values.emplace_back(stream->location, std::move(values));
  }
}

}  // namespace

bool ProfileOfTrace(const TraceArchive& archive, epitome::Profile* profile, std::vector<std::string>* problems,
                    std::string* error, unsigned threads) {
  *profile = archive.definitions().profile;
  std::vector<std::vector<const TraceArchive::Stream*>> by_process;
  for (const TraceArchive::Stream& stream : archive.streams()) {
    if (stream.location == kNone) {
      problems->push_back("a thread of the trace is not defined: " + std::to_string(stream.number));
      continue;
    }
    if (by_process.empty() || by_process.back().front()->process != stream.process) by_process.emplace_back();
    by_process.back().push_back(&stream);
  }
  const uint32_t limited_path = LimitedPath(*profile);
  std::vector<ProcessTotals> totals(by_process.size());
  ForEachPart(by_process.size(), threads,
              [&](size_t p) { ReadProcess(archive, by_process[p], limited_path, &totals[p]); });
  // One part with all locations, whose definitions are those of the archive already.
  std::vector<ProcessPart> parts(1);
  ProcessPart& part = parts.front();
  part.locations.resize(profile->locations.size());
  part.facts.threads.resize(profile->locations.size());
  TrafficMetrics metrics;
  for (ProcessTotals& some : totals) {
    problems->insert(problems->end(), some.problems.begin(), some.problems.end());
    // The first metrics are those that every profile has.
    std::vector<uint32_t> number_of;
    const size_t common = CommonMetrics().size();
    for (const MetricDefinition& metric : some.metrics.all()) {
      number_of.push_back(number_of.size() < common ? static_cast<uint32_t>(number_of.size())
                                                    : metrics.NumberOf(metric));
    }
    for (auto& [location, values] : some.values) {
      for (Value& value : values) value.metric = number_of[value.metric];
      GroupByMetric(&values);
      part.locations[location] = std::move(values);
    }
    some = ProcessTotals();
  }
  part.definitions.metrics = metrics.all();
  if (FillProfile(parts, profile)) {
    AddImbalance(profile);
    return true;
  }
  *error = "the profile of the trace cannot be made";
  return false;
}

}  // namespace epik::archive
