// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/sampler.h"

#include <algorithm>

#include "archive/image/folded.h"
#include "archive/metrics/sampled_times.h"
#include "archive/parts/measuring_cost.h"

namespace epik::top {

using archive::kNoNode;
using archive::LocationImage;
using event::Key;
using event::Node;

namespace {

// A value that is read while it is being written may go backwards a little.
double Since(double now, double before) { return std::max(0.0, now - before); }
uint64_t Since(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

Figures InSeconds(const Figures& ticks, double seconds_per_tick) {
  return {ticks.exclusive * seconds_per_tick, ticks.inclusive * seconds_per_tick, ticks.calls};
}

std::vector<Node> Closed(std::vector<Node> nodes, const std::vector<uint64_t>& ticks,
                         const std::vector<uint64_t>& calls) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (event::IsMetric(nodes[i].key)) continue;
    nodes[i].ticks = ticks[i];
    nodes[i].visits = calls[i];
  }
  return nodes;
}

// Adds what measuring cost in the location so far, as at the end of a run (archive/parts/process_part.cc). `nodes` are
// closed; `open` has for each how many of its visits are still open.
void AddCost(const Reading& reading, const LocationImage& location, std::vector<Node> nodes,
             const std::vector<uint32_t>& open, const std::vector<uint32_t>& folded, const archive::EventKinds& kinds,
             Sample* sample) {
  const event::ProcessHeader& header = reading.image.header;
  const std::vector<archive::SampledNode> sampled =
      archive::EstimateSampled(&nodes, open, header.timed_bias_ticks, folded);
  const double ticks_per_ns = reading.seconds_per_tick > 0 ? 1e-9 / reading.seconds_per_tick : 0;
  const archive::LocationCost cost = archive::CostOf(
      location.header, nodes, sampled, [&](const Node& node) { return kinds.Of(node); }, archive::PricesOf(header),
      ticks_per_ns);
  sample->total_cost += cost.total * reading.seconds_per_tick;
  sample->total_computed += cost.computed * reading.seconds_per_tick;
}

}  // namespace

uint32_t Sampler::Child(uint32_t parent, Key key) {
  const auto [at, is_new] = known_.try_emplace({parent, key}, static_cast<uint32_t>(paths_.size()));
  if (is_new) paths_.push_back({parent, key});
  return at->second;
}

std::vector<Key> Sampler::PathKeys(uint32_t path) const {
  std::vector<Key> keys;
  for (; path != kNoPath; path = paths_[path].parent) keys.push_back(paths_[path].key);
  std::reverse(keys.begin(), keys.end());
  return keys;
}

void Sampler::AddLocation(const Reading& reading, const LocationImage& location, const archive::EventKinds& kinds,
                          std::vector<Figures>* totals, Sample* sample) {
  const size_t count = location.nodes.size();
  std::vector<uint64_t> ticks(count), calls(count);
  std::vector<uint32_t> open_visits(count);
  for (size_t i = 0; i < count; ++i) {
    if (event::IsMetric(location.nodes[i].key)) continue;
    ticks[i] = location.nodes[i].ticks;
    calls[i] = location.nodes[i].visits;
  }
  for (size_t i = 0; i < location.frames.size(); ++i) {
    const archive::OpenFrame& frame = location.frames[i];
    const uint64_t open = Since(reading.ticks, frame.entered);
    ++calls[frame.node];
    ++open_visits[frame.node];
    ticks[frame.node] += open;
    // The path that created the thread is open on it as well.
    for (uint32_t n = location.nodes[frame.node].parent; i == 0 && n != kNoNode; n = location.nodes[n].parent) {
      ticks[n] += open;
    }
  }
  ThreadLine line;
  line.number = location.header.number;
  line.thread_id = location.header.thread_id;
  line.running = location.header.state == event::LocationState::kRunning;
  const std::vector<uint32_t> folded = archive::FoldedInto(location.nodes);
  if (with_cost_) AddCost(reading, location, Closed(location.nodes, ticks, calls), open_visits, folded, kinds, sample);
  std::vector<uint32_t> mine(count, kNoPath);
  for (size_t i = 0; i < count; ++i) {
    const Node& node = location.nodes[i];
    if (event::IsMetric(node.key)) continue;
    const uint32_t above = node.parent == kNoNode ? kNoPath : mine[node.parent];
    const bool is_folded = !folded.empty() && folded[i] != kNoNode;
    mine[i] = is_folded ? mine[folded[i]] : Child(above, node.key);
    if (totals->size() < paths_.size()) totals->resize(paths_.size());
    const auto taken = static_cast<double>(ticks[i]);
    Figures& figures = (*totals)[mine[i]];
    if (!is_folded) figures.inclusive += taken;
    for (uint32_t n = node.parent; is_folded && n != folded[i] && n != kNoNode; n = location.nodes[n].parent) {
      (*totals)[mine[n]].inclusive -= taken;  // its caller, further out, has this time already
    }
    figures.exclusive += taken;
    figures.calls += calls[i];
    line.total_calls += calls[i];
    if (above != kNoPath) (*totals)[above].exclusive -= taken;
  }
  if (!location.frames.empty()) {
    const archive::OpenFrame& frame = location.frames.back();
    line.path = mine[frame.node];
    line.in_path = static_cast<double>(Since(reading.ticks, frame.entered)) * reading.seconds_per_tick;
  }
  line.total_calls += location.folded_visits;
  uint64_t& before = calls_before_[line.number];
  line.calls = Since(line.total_calls, before);
  before = line.total_calls;
  sample->calls += line.calls;
  sample->total_calls += line.total_calls;
  sample->threads.push_back(line);
}

// Subtracts ticks, not seconds: each reading knows the length of a tick better, so the same ticks give other seconds.
void Sampler::AddLines(const std::vector<Figures>& totals, double seconds_per_tick, Sample* sample) {
  before_.resize(totals.size());
  for (uint32_t path = 0; path < totals.size(); ++path) {
    Figures total = totals[path];
    total.exclusive = std::max(0.0, total.exclusive);
    const Figures now = {Since(total.exclusive, before_[path].exclusive),
                         Since(total.inclusive, before_[path].inclusive), Since(total.calls, before_[path].calls)};
    before_[path] = total;
    const PathLine line{path, InSeconds(now, seconds_per_tick), InSeconds(total, seconds_per_tick)};
    if (line.total.calls != 0 || line.total.inclusive > 0) sample->paths.push_back(line);
  }
}

Sample Sampler::Add(const Reading& reading) {
  Sample sample;
  const uint64_t start = reading.image.header.start_ticks;
  sample.total_seconds = static_cast<double>(Since(reading.ticks, start)) * reading.seconds_per_tick;
  sample.seconds = static_cast<double>(Since(reading.ticks, first_ ? start : ticks_before_)) * reading.seconds_per_tick;
  std::vector<Figures> totals(paths_.size());
  const archive::EventKinds kinds(reading.image);
  for (const LocationImage& location : reading.image.locations) {
    AddLocation(reading, location, kinds, &totals, &sample);
  }
  AddLines(totals, reading.seconds_per_tick, &sample);
  sample.cost = Since(sample.total_cost, cost_before_);
  sample.computed = Since(sample.total_computed, computed_before_);
  cost_before_ = sample.total_cost;
  computed_before_ = sample.total_computed;
  ticks_before_ = reading.ticks;
  first_ = false;
  return sample;
}

}  // namespace epik::top
