// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/process_part.h"

#include <string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "archive/image/folded.h"
#include "archive/image/program_name.h"
#include "archive/metrics/sampled_times.h"
#include "archive/parts/event_kinds.h"
#include "archive/parts/measuring_cost.h"
#include "archive/parts/region_names.h"
#include "archive/parts/trace_end.h"

namespace epik::archive {

using event::Node;

namespace {

// A year on any clock. A larger value in one location is a damaged word, and would only make sums overflow.
constexpr uint64_t kMostTicks = uint64_t{1} << 57;
uint64_t Sane(uint64_t ticks) { return ticks <= kMostTicks ? ticks : 0; }

std::vector<uint64_t> TicksOfFolded(const std::vector<uint32_t>& into, const std::vector<Node>& nodes) {
  if (into.empty()) return {};
  std::vector<uint64_t> inner(nodes.size());
  for (size_t i = 0; i < into.size(); ++i) {
    if (into[i] != kNoNode) inner[into[i]] += Sane(nodes[i].ticks);
  }
  return inner;
}

// Raises the times of callers to at least the times of their callees. If a process was killed between the stores that
// end a visit, it has added the visit and seems to be in it still. `inner`: for each node, the ticks of folded nodes
// that belong to it; empty: no node is folded.
void RaiseCallers(const std::vector<uint64_t>& inner, std::vector<Node>* nodes) {
  std::vector<uint64_t> below(nodes->size());
  for (size_t i = nodes->size(); i-- > 0;) {
    Node& node = (*nodes)[i];
    if (event::HoldsCounters(node.key)) continue;
    const uint64_t folded = inner.empty() ? 0 : std::min(below[i], inner[i]);
    node.ticks = std::max(IsPath(node) ? Sane(node.ticks) : 0, below[i] - folded);
    if (node.parent != kNoNode) below[node.parent] += node.ticks;
  }
}

int32_t RankOf(const ProcessImage& image) { return image.header.ranks == 0 ? 0 : image.header.rank; }

class PartMaker {
 public:
  explicit PartMaker(ProcessImage image) : image_(std::move(image)), set_(&part_.definitions) {
    scale_ = image_.SecondsPerTick();
    prices_ = PricesOf(image_.header);
    for (const MetricDefinition& metric : CommonMetrics()) set_.Metric(metric);
  }

  ProcessPart Make() {
    TakeFacts();
    TakeNotes();
    for (const auto& module : image_.modules) set_.Module({module.path, module.build_id});
    TakeCounters();
    DefineWaits();
    for (LocationImage& location : image_.locations) {
      part_.facts.threads.push_back({location.header.number, location.header.omp_thread});
      AddLocation(&location);
      location.nodes = {};
    }
    TakeTrace();
    for (const auto& [rank, traffic] : peers_) part_.facts.peers.push_back({rank, 0, traffic.first, traffic.second});
    return std::move(part_);
  }

 private:
  void TakeFacts() {
    const event::ProcessHeader& header = image_.header;
    ProcessFacts::Numbers& numbers = part_.facts.numbers;
    numbers.rank = header.rank;
    numbers.ranks = header.ranks;
    numbers.pid = header.pid;
    numbers.ending = header.ending;
    numbers.ending_value = header.ending_value;
    numbers.timer = header.timer;
    numbers.start_unix_ns = header.start_unix_ns;
    const uint64_t last = image_.LastTicks();
    numbers.wall_seconds = static_cast<double>(last > header.start_ticks ? last - header.start_ticks : 0) * scale_;
    numbers.seconds_per_tick = scale_;
    numbers.pair_cost_ns = numbers.pair_alone_ns = prices_.pair * scale_ * 1e9;
    if (prices_.behind_least >= 0) {
      numbers.pair_behind_least_ns = prices_.behind_least * scale_ * 1e9;
      numbers.pair_behind_most_ns = prices_.behind_most * scale_ * 1e9;
    }
    numbers.preemptions = header.preemptions;
    numbers.untimed_cost_ns = header.untimed_cost_ticks * scale_ * 1e9;
    const ClockFacts clock = ClockOf(image_);
    numbers.clock_measurements = clock.offsets.size();
    for (const ClockFacts::Offset& offset : clock.offsets) {
      numbers.clock_error_ns = std::max(numbers.clock_error_ns, static_cast<double>(offset.error_ns));
    }
    part_.facts.topologies = std::move(image_.topologies);
    part_.facts.files = std::move(image_.files);
    numbers.dropped_events = header.dropped;
    part_.facts.host = header.host;
    part_.facts.program = ProgramName(image_.program, image_.command);
    part_.facts.command = image_.command;
    part_.facts.title = image_.title;
    part_.facts.configuration = image_.configuration;
  }

  void TakeTrace() {
    ProcessFacts::Numbers& numbers = part_.facts.numbers;
    numbers.start_ns = Clock(ClockOf(image_)).Ns(image_.header.start_ticks);
    if (!HasTrace(image_)) return;
    numbers.traced = 1;
    numbers.trace_flushes = image_.header.trace_flushes;
    for (const LocationImage& location : image_.locations) numbers.trace_lost += location.header.unlogged;
    for (const auto& [number, region] : image_.regions) {
      if (event::IsMetric(event::RegionKey(number))) continue;
      part_.trace.regions.emplace_back(number, RegionOf(event::RegionKey(number)));
    }
    std::sort(part_.trace.nodes.begin(), part_.trace.nodes.end());
    if (image_.header.ranks != 0) TakeCommunicators();
    if (image_.header.trace_error != 0) {
      set_.Note(std::string("not all of the trace could be written (") + strerror(image_.header.trace_error) +
                "): see EPK_GDIR");
    }
  }

  void TakeCommunicators() {
    std::map<uint32_t, uint32_t> known;
    std::map<uint32_t, CommunicatorDefinition> communicators = image_.communicators;
    const std::pair<uint64_t, const char*> always[] = {{kWorldId, "MPI_COMM_WORLD"}, {kSelfId, "MPI_COMM_SELF"}};
    for (uint32_t number = 0; number < std::size(always); ++number) {
      communicators[number].id = always[number].first;
      if (communicators[number].name.empty()) communicators[number].name = always[number].second;
    }
    communicators[0].own = {{0, 1, static_cast<int32_t>(image_.header.ranks)}};
    for (const auto& [number, communicator] : communicators) {
      known[number] = set_.Communicator({communicator.id, communicator.name, communicator.own, communicator.remote});
    }
    for (const auto& [number, window] : image_.windows) {
      const auto at = known.find(window.communicator);
      const uint32_t entry = set_.Window({window.id, window.name, at == known.end() ? kNone : at->second});
      part_.trace.windows.emplace_back(number, entry);
    }
    part_.trace.communicators.assign(known.begin(), known.end());
  }

  void TakeNotes() {
    for (const std::string& note : image_.notes) set_.Note(note);
    if (image_.skipped != 0) {
      set_.Note(std::to_string(image_.skipped) + " pieces of process " + std::to_string(image_.header.pid) +
                " were damaged and left out");
    }
    if (image_.header.unmeasured_threads != 0) {
      set_.Note(std::to_string(image_.header.unmeasured_threads) +
                " threads were not measured: see ESD_MAX_THREADS, EPK_MEMORY");
    }
    if (image_.header.exhausted != 0) {
      set_.Note(std::string("memory for the measurement ran out (") +
                strerror(static_cast<int>(image_.header.exhausted)) + "): see EPK_MEMORY, EPK_LDIR");
    }
  }

  void TakeCounters() {
    for (const CounterDefinition& counter : image_.counters) {
      MetricDefinition metric{NameOfOthers(counter.name, "counter"), counter.name, counter.unit, Type::kUint64};
      if (counter.kind == event::CounterKind::kPeak) {
        metric.type = Type::kMax;
      } else if (counter.scale != 1) {
        metric.type = Type::kDouble;
      }
      // A metric that reports compute has no values here either, but it is not a missing metric.
      const bool is_computed = counter.text.compare(0, kComputed.size(), kComputed) == 0;
      const bool is_missing = counter.kind == event::CounterKind::kMissing && !is_computed;
      (is_missing ? metric.missing : metric.description) = counter.text;
      const int32_t rank = RankOf(image_);
      if (counter.kind != event::CounterKind::kMissing) metric.had = {{rank, rank}};
      const uint32_t number = set_.Metric(metric);
      if (counter.kind == event::CounterKind::kMissing || counter.number >= event::kMostCounters) continue;
      if (counters_.size() <= counter.number) counters_.resize(counter.number + 1, {kNone, 1, Type::kUint64});
      counters_[counter.number] = {number, counter.scale, metric.type};
    }
  }

  // Defines all of them, even if there was no waiting: then that is known.
  void DefineWaits() {
    const auto waits = [](const LocationImage& location) { return location.waits; };
    if (std::none_of(image_.locations.begin(), image_.locations.end(), waits)) return;
    for (const event::CollectiveRole role : event::kRolesThatWait) {
      set_.Metric(WaitMetric(role));
      set_.Metric(WaitCountMetric(role));
    }
  }

  // The called function decides the wait state of a call path.
  event::CollectiveRole RoleOf(const Node& node) const {
    if (!event::IsRegion(node.key)) return event::CollectiveRole::kNone;
    const auto region = image_.regions.find(event::RegionOf(node.key));
    return region == image_.regions.end() ? event::CollectiveRole::kNone : event::RoleOfCollective(region->second.name);
  }

  void AddWait(uint32_t metric, const Node& node, uint32_t path) {
    const auto role = static_cast<event::CollectiveRole>(metric - event::WaitMetric(0));
    if (event::WaitStateOf(role) == nullptr) return;  // damage
    Put(set_.Metric(WaitMetric(role)), path, static_cast<double>(std::bit_cast<uint64_t>(node.squares)) * scale_);
    Put(set_.Metric(WaitCountMetric(role)), path, node.visits);
  }

  // Some of these calls need no other process. Only their arguments could tell, and these were not kept.
  void AddUnknownWaits(const LocationImage& location, const std::vector<uint32_t>& path) {
    for (const auto& [node, is_step] : location.unknown_waits) {
      const bool waits = is_step || RoleOf(location.nodes[node]) != event::CollectiveRole::kNone;
      if (waits && path[node] != kNone) AddBuiltIn(event::kWaitsUnknownMetric, path[node], 0, 1);
    }
  }

  void AddCounters(const Node& node, uint32_t path) {
    event::CounterNode group;
    std::memcpy(&group, &node, sizeof group);
    const uint32_t first = (event::RegionOf(node.key) & ~(event::kMetricBit | event::kCounterBit)) *
                           event::kCountersOfNode;  // a damaged number is beyond all definitions
    for (uint32_t i = 0; i < event::kCountersOfNode && first < counters_.size() && i < counters_.size() - first; ++i) {
      const CounterPlace& counter = counters_[first + i];
      const uint64_t value = group.value[i];
      if (counter.metric == kNone || value == 0) continue;
      if (counter.type == Type::kUint64) {
        Put(counter.metric, path, value);
      } else {
        Put(counter.metric, path, static_cast<double>(value) * counter.scale);
      }
    }
  }

  // Closes frames that are still open, as if they had returned at `end`; returns how many there were, by node.
  std::vector<uint32_t> CloseOpenFrames(LocationImage* location, uint64_t end, std::vector<uint32_t>* closed) {
    const event::Ending ending = image_.header.ending;
    const bool in_order = ending == event::Ending::kExit || ending == event::Ending::kMpiFinalize;
    std::vector<uint32_t> open(location->nodes.size());
    for (size_t i = 0; i < location->frames.size(); ++i) {
      const OpenFrame& frame = location->frames[i];
      Node& node = location->nodes[frame.node];
      const uint64_t ticks = end > frame.entered ? Sane(end - frame.entered) : 0;
      // A visit that was cut off is not the shortest, unless all visits were cut off.
      const bool has_whole = node.visits > (*closed)[frame.node];
      ++node.visits;
      node.ticks += ticks;
      if (!has_whole) node.min = std::min(node.min, ticks);
      node.max = std::max(node.max, ticks);
      node.squares += static_cast<double>(ticks) * static_cast<double>(ticks);
      ++(*closed)[frame.node];
      if (i == 0) {
        for (uint32_t n = node.parent; n != kNoNode; n = location->nodes[n].parent) location->nodes[n].ticks += ticks;
      }
      // The program is always open until the end, and so are the threads of a pool. The measurement of a job ends in
      // MPI_Finalize, so it and its callers are open, too.
      if ((in_order && i == 0) || IsBelowFinalize(*location)) continue;
      // Parameters and pauses have no end of their own, so an open one is not unfinished.
      if (event::IsParameter(node.key) || node.key == event::RegionKey(event::kPausedRegion)) continue;
      ++open[frame.node];
      ++part_.facts.numbers.open_frames;
    }
    return open;
  }

  // Whether the innermost open frame is that of MPI_Finalize.
  bool IsBelowFinalize(const LocationImage& location) const {
    if (image_.header.ending != event::Ending::kMpiFinalize || location.frames.empty()) return false;
    const event::Key key = location.frames.back().key;
    if (!event::IsRegion(key)) return false;
    const auto region = image_.regions.find(event::RegionOf(key));
    return region != image_.regions.end() && region->second.paradigm == event::Paradigm::kMpi;
  }

  uint32_t RegionOf(event::Key key) {
    const auto [at, is_new] = regions_.try_emplace(key, 0);
    if (is_new) at->second = set_.Region(Define(image_, key, &set_));
    return at->second;
  }

  // Several nodes of a location may be one call path: those of a function and its clones, or of a module that was
  // loaded twice.
  void AddLocation(LocationImage* location) {
    // A thread may have gone on for a moment after the end had been noted.
    std::vector<uint32_t> closed(location->nodes.size());
    const uint64_t end = std::max(image_.LastTicks(), location->header.last);
    const std::vector<uint32_t> open = CloseOpenFrames(location, end, &closed);
    const std::vector<uint32_t> folded = FoldedInto(location->nodes);
    const std::vector<SampledNode> sampled =
        EstimateSampled(&location->nodes, closed, image_.header.timed_bias_ticks, folded);
    const std::vector<uint64_t> inner = TicksOfFolded(folded, location->nodes);
    RaiseCallers(inner, &location->nodes);
    const std::vector<Node>& nodes = location->nodes;
    const std::vector<Price> prices = AddCost(location->header, end, nodes, sampled);
    std::vector<uint32_t> path(nodes.size(), kNone);
    std::vector<uint64_t> exclusive(nodes.size());
    std::vector<uint32_t> owner(nodes.size(), kNoNode);  // nearest call path at or above
    uint64_t calls = 0;
    double own_ticks = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t above = nodes[i].parent == kNoNode ? kNoNode : owner[nodes[i].parent];
      owner[i] = IsPath(nodes[i]) ? static_cast<uint32_t>(i) : above;
      const bool is_folded = !folded.empty() && folded[i] != kNoNode;
      const uint32_t caller = above == kNoNode ? kNone : path[above];
      path[i] = owner[i] != i ? caller : is_folded ? path[folded[i]] : set_.Path(caller, RegionOf(nodes[i].key));
      if (owner[i] != i) continue;
      if (HasTrace(image_)) part_.trace.nodes.emplace_back(location->lines[i], path[i]);
      if (nodes[i].key == event::RegionKey(event::kMeasurementRegion)) own_ticks += static_cast<double>(nodes[i].ticks);
      if (!is_folded) exclusive[i] = nodes[i].ticks + (inner.empty() ? 0 : inner[i]);
      if (above != kNoNode) exclusive[above] -= nodes[i].ticks;
    }
    part_.locations.emplace_back();
    ReserveTimes(nodes, owner);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (path[i] == kNone) continue;
      if (owner[i] != i) {
        AddMetric(nodes, nodes[i], path[i]);
        continue;
      }
      AddNode(nodes[i], path[i], exclusive[i], open[i]);
      if (!sampled.empty()) AddSampled(sampled[i], path[i]);
      if (!prices.empty())
        AddPrice(prices[i], nodes[i].visits - std::min(nodes[i].visits, sampled[i].untimed), path[i]);
      calls += nodes[i].visits;
    }
    AddUnknownWaits(*location, path);
    ProcessFacts::Numbers& numbers = part_.facts.numbers;
    numbers.calls += calls;
    numbers.own_seconds += own_ticks * scale_;
    numbers.chain.own = std::max(numbers.chain.own, own_ticks * scale_);
    numbers.open_frames += location->header.unfinished;
    numbers.folded_visits += location->folded_visits;
    numbers.repairs += location->header.repairs;
    numbers.unmatched_exits += location->header.unmatched;
    GroupByMetric(&part_.locations.back());
  }

  // Most values are times. Growing step by step would copy them, and needs twice the memory.
  void ReserveTimes(const std::vector<Node>& nodes, const std::vector<uint32_t>& owner) {
    constexpr size_t kValuesOfTimes = 5;  // visits, their time, the shortest and the longest visit, squares
    size_t visited = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (owner[i] == i && nodes[i].visits != 0) ++visited;
    }
    part_.locations.back().reserve(kValuesOfTimes * visited);
  }

  // Nobody has read the CPU clock of a thread that was killed, or still runs, since its latest new call path. As far as
  // anybody knows, the thread has had a processor since then whenever it did not wait.
  event::Location WithLatestCpu(event::Location location, uint64_t end) const {
    const bool is_read = image_.header.end_ticks != 0 || location.state != event::LocationState::kRunning;
    if (is_read || location.cpu_ns == 0 || end <= location.cpu_read_at) return location;
    location.cpu_ns += static_cast<uint64_t>(static_cast<double>(end - location.cpu_read_at) * scale_ * 1e9);
    return location;
  }

  // Measured prices of the nodes.
  std::vector<Price> AddCost(const event::Location& location, uint64_t end, const std::vector<Node>& nodes,
                             const std::vector<SampledNode>& sampled) {
    const double ticks_per_ns = scale_ > 0 ? 1e-9 / scale_ : 0;
    LocationCost cost = CostOf(
        WithLatestCpu(location, end), nodes, sampled, [this](const Node& node) { return kinds_.Of(node); }, prices_,
        ticks_per_ns);
    ProcessFacts::Numbers& numbers = part_.facts.numbers;
    numbers.cost_seconds += cost.total * scale_;
    numbers.cost_error_seconds += cost.error * scale_;
    numbers.cost_least_seconds += cost.least * scale_;
    numbers.timed_cost_seconds += (cost.timed + cost.paths) * scale_;
    numbers.computed_seconds += cost.computed * scale_;
    numbers.computed_most_seconds += cost.computed_most * scale_;
    numbers.ran_seconds += static_cast<double>(location.cpu_ns) * 1e-9;
    numbers.queued_seconds += cost.queued * scale_;
    const double wall = cost.stretch * scale_;  // seconds of wall time for a tick of CPU time
    numbers.chain.Join(
        {cost.computed * scale_, cost.total * wall, cost.least * wall, (cost.total + cost.error) * wall, 0});
    return std::move(cost.measured);
  }

  void AddNode(const Node& node, uint32_t path, uint64_t exclusive, uint64_t open) {
    if (node.visits == 0 && node.ticks == 0) return;
    if (node.visits != 0) {
      Put(kVisits, path, node.visits);
      Put(kMinTime, path, static_cast<double>(node.min) * scale_);
      Put(kMaxTime, path, static_cast<double>(node.max) * scale_);
      Put(kTimeSquares, path, node.squares * scale_ * scale_);
    }
    Put(kTime, path, static_cast<double>(exclusive) * scale_);
    if (open != 0) Put(kUnfinished, path, open);
    if (event::ConstructOf(node.key) == event::Construct::kTaskCreate) {
      AddBuiltIn(event::kTasksCreatedMetric, path, 0, node.visits);
    }
  }

  // `timed` is the number of visits.
  void AddPrice(const Price& price, uint64_t timed, uint32_t path) {
    if (price.likely < 0 || timed == 0) return;
    ++part_.facts.numbers.probed_paths;
    const auto visits = static_cast<double>(timed);
    Put(set_.Metric(ProbedVisitsMetric()), path, timed);
    Put(set_.Metric(ProbedCostMetric()), path, visits * price.likely * scale_);
    Put(set_.Metric(ProbedErrorMetric()), path, visits * (price.most - price.likely) * scale_);
  }

  void AddSampled(const SampledNode& sampled, uint32_t path) {
    ProcessFacts::Numbers& numbers = part_.facts.numbers;
    const auto began = [&](uint64_t ticks, double* first) {
      const uint64_t start = image_.header.start_ticks;
      const double at = static_cast<double>(ticks > start ? ticks - start : 0) * scale_;
      if (*first < 0 || at < *first) *first = at;
    };
    if (sampled.since != 0) {
      ++numbers.sampled_paths;
      began(sampled.since, &numbers.sampled_since);
    }
    if (sampled.untimed != 0) {
      numbers.untimed_calls += sampled.untimed;
      Put(set_.Metric(UntimedMetric()), path, sampled.untimed);
      Put(set_.Metric(VarianceMetric()), path, sampled.variance * scale_ * scale_);
    }
    if (!sampled.dropped) return;
    ++numbers.dropped_paths;
    numbers.dropped_calls += sampled.dropped_calls;
    began(sampled.dropped_since, &numbers.dropped_since);
    Put(set_.Metric(DroppedCallsMetric()), path, sampled.dropped_calls);
  }

  void Put(uint32_t metric, uint32_t path, uint64_t value) { part_.locations.back().push_back({metric, path, value}); }
  void Put(uint32_t metric, uint32_t path, double value) { Put(metric, path, std::bit_cast<uint64_t>(value)); }

  void AddMetric(const std::vector<Node>& nodes, const Node& node, uint32_t path) {
    if (!event::IsMetric(node.key)) return;
    const uint32_t number = event::RegionOf(node.key);
    if (event::HoldsCounters(node.key)) return AddCounters(node, path);
    if (node.visits == 0) return;
    if (!event::IsIntegerMetric(number)) return AddUserMetric(number, node, path);
    const auto sum = std::bit_cast<uint64_t>(node.squares);
    if ((number & event::kPeerBit) != 0) {
      if (node.parent == kNoNode || IsPath(nodes[node.parent])) return;  // damage
      auto& [messages, bytes] = peers_[number & (event::kPeerBit - 1)];
      messages += node.visits;
      bytes += sum;
      return;
    }
    if (event::IsWaitMetric(number)) return AddWait(number, node, path);
    if (number == event::kFortranCallsMetric) part_.facts.numbers.fortran_calls += node.visits;
    AddBuiltIn(number, path, sum, node.visits);
  }

  void AddBuiltIn(uint32_t metric, uint32_t path, uint64_t sum, uint64_t count) {
    switch (metric) {
#define METRIC(id, number, name, label, unit, count_name, count_label)    \
  case event::k##id##Metric:                                              \
    AddSum({name, label, unit, Type::kUint64}, path, sum);                \
    AddSum({count_name, count_label, "occ", Type::kUint64}, path, count); \
    break;
#include "runtime/event/metrics.def"
#undef METRIC
      default: break;
    }
  }

  void AddSum(const MetricDefinition& metric, uint32_t path, uint64_t value) {
    if (!metric.name.empty()) Put(set_.Metric(metric), path, value);
  }

  void AddUserMetric(uint32_t number, const Node& node, uint32_t path) {
    const auto found = image_.regions.find(number);
    if (found == image_.regions.end()) return;
    const std::string name = NameOfOthers(found->second.name, "user");
    Put(set_.Metric({name, name, found->second.file, Type::kDouble}), path, node.squares);
  }

  ProcessImage image_;
  const EventKinds kinds_{image_};
  ProcessPart part_;
  DefinitionSet set_;
  double scale_ = 0;
  CallPrices prices_;
  struct CounterPlace {
    uint32_t metric;
    double scale;
    Type type;
  };
  std::vector<CounterPlace> counters_;  // by number in the process
  std::unordered_map<event::Key, uint32_t> regions_;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> peers_;
};

}  // namespace

void GroupByMetric(std::vector<Value>* values) {
  std::vector<size_t> begin = {0};
  for (const Value& value : *values) {
    if (value.metric + size_t{2} > begin.size()) begin.resize(value.metric + size_t{2});
    ++begin[value.metric + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<size_t> next(begin.begin(), begin.end() - 1);  // by metric: the first place that may hold another's
  for (uint32_t metric = 0; metric < next.size(); ++metric) {
    while (next[metric] < begin[metric + 1]) {
      Value& here = (*values)[next[metric]];
      if (here.metric == metric) {
        ++next[metric];
      } else {
        std::swap(here, (*values)[next[here.metric]++]);
      }
    }
  }
}

ProcessPart MakePart(ProcessImage image) { return PartMaker(std::move(image)).Make(); }

}  // namespace epik::archive
