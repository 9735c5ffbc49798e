// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/measuring_cost.h"

#include <algorithm>
#include <cmath>

#include "archive/image/process_image.h"
#include "archive/metrics/elementary.h"

namespace epik::archive {

using event::Node;

namespace {

// A processor guesses the next callee well among few, and badly among many: the limits are the bits of the choice.
constexpr double kGuessedBits = 2, kUnguessedBits = 6;
// Shares fitted to bench/cost.py. A processor that cannot guess the callee waits in the program and in the hooks,
// partly at the same time. While a call path comes from memory, the hooks mostly do other work.
constexpr double kUnguessedShare = 0.5, kFarShare = 0.25;
// The relative error of calibrated prices, and of costs that the runtime found out by looking.
constexpr double kPriceError = 0.1, kFoundError = 0.3;
// The part of a price that is in the time of the region itself: between the two readings of the clock.
constexpr double kInside = 0.5;
// Calls of MPI and OpenMP work, too, and may hide this much of a price.
constexpr double kHiddenShare = 0.5;

bool IsWaiting(Doing doing) { return doing == Doing::kWaitMpi || doing == Doing::kWaitOpenMp || doing == Doing::kWait; }

// For each node: 0 when a processor can guess which of its callees comes next, 1 when it cannot.
std::vector<double> Surprise(const std::vector<Node>& nodes, const std::vector<Doing>& doing) {
  std::vector<double> calls(nodes.size()), logs(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t parent = nodes[i].parent;
    if (parent == kNoNode || doing[i] == Doing::kNothing || nodes[i].visits == 0) continue;
    const auto visits = static_cast<double>(nodes[i].visits);
    calls[parent] += visits;
    logs[parent] += visits * Log2(visits);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const double bits = calls[i] > 0 ? Log2(calls[i]) - logs[i] / calls[i] : 0;
    calls[i] = std::clamp((bits - kGuessedBits) / (kUnguessedBits - kGuessedBits), 0.0, 1.0);
  }
  return calls;
}

// For each node, its visits and those of its callees. Callers come before their callees.
std::vector<double> VisitsInside(const std::vector<Node>& nodes, const std::vector<Doing>& doing) {
  std::vector<double> inside(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    if (doing[i] == Doing::kNothing) continue;
    inside[i] += static_cast<double>(nodes[i].visits);
    if (nodes[i].parent != kNoNode) inside[nodes[i].parent] += inside[i];
  }
  return inside;
}

// Returns the prices that the run measured (EPK_HOT=probe). They have errors of their own, so the error of calibrated
// prices is not added.
std::vector<Price> MeasuredPrices(const std::vector<SampledNode>& probed) {
  std::vector<Price> prices;
  for (size_t i = 0; i < probed.size(); ++i) {
    if (probed[i].batches == 0) continue;
    prices.resize(probed.size(), Price{-1, -1, -1});
    const double likely = probed[i].price, error = probed[i].price_error;
    prices[i] = {std::max(0.0, likely - error), likely, likely + error};
  }
  return prices;
}

void Add(const Price& price, double times, Price* sum) {
  sum->least += times * price.least;
  sum->likely += times * price.likely;
  sum->most += times * price.most;
}

}  // namespace

CallPrices PricesOf(const event::ProcessHeader& header) {
  const auto sane = [](double ticks) { return std::isfinite(ticks) && ticks > 0 && ticks < 1e9 ? ticks : 0; };
  CallPrices prices;
  const double first = sane(header.pair_cost_ticks), last = sane(header.end_pair_cost_ticks);
  // Only the first measurement contains the cost of counters; if there are counters, there is no second one.
  prices.pair = last > 0 && last > first / 2 ? (first + last) / 2 : first;
  if (prices.pair > 0 && last > first / 2) prices.spread = std::abs(first - last) / (first + last);
  prices.fan = header.fan_cost_ticks > 0 ? std::min(sane(header.fan_cost_ticks), 4 * prices.pair) : prices.pair;
  prices.untimed = sane(header.untimed_cost_ticks);
  if (sane(header.behind_least_ticks) > 0) {
    prices.behind_least = sane(header.behind_least_ticks);
    prices.behind_most = std::max(sane(header.behind_most_ticks), prices.behind_least);
  }
  return prices;
}

LocationCost CostOf(const event::Location& location, const std::vector<Node>& nodes,
                    const std::vector<SampledNode>& sampled, const std::function<EventKind(const Node&)>& kind_of,
                    const CallPrices& prices, double ticks_per_ns) {
  LocationCost cost;
  std::vector<Doing> does(nodes.size());
  std::vector<double> pairs_each(nodes.size());
  std::vector<double> own(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const EventKind kind = kind_of(nodes[i]);
    does[i] = kind.doing;
    pairs_each[i] = kind.pairs;
    if (does[i] == Doing::kNothing) continue;
    const auto ticks = static_cast<double>(nodes[i].ticks);
    own[i] += ticks;
    // Nodes that are not call paths are below a call path and have no time.
    (nodes[i].parent == kNoNode ? cost.elapsed : own[nodes[i].parent]) += nodes[i].parent == kNoNode ? ticks : -ticks;
  }
  const std::vector<double> surprise = Surprise(nodes, does), inside = VisitsInside(nodes, does);
  double waited = 0, far = 0, untimed_ticks = 0, own_region = 0;
  Price sum, probed;
  cost.queued = static_cast<double>(location.queued_ns) * ticks_per_ns;
  const double cpu = static_cast<double>(location.cpu_ns) * ticks_per_ns;
  // Functions do not work while others have the processor.
  const double running = cpu > 0 ? cpu / (cpu + cost.queued) : 1;
  cost.stretch = 1 / running;
  cost.measured = MeasuredPrices(sampled);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (does[i] == Doing::kNothing) continue;
    if (does[i] == Doing::kOwn) {
      own_region += std::max(own[i], 0.0);
      waited += std::max(own[i], 0.0);
      continue;
    }
    const auto visits = static_cast<double>(nodes[i].visits);
    const double untimed = i < sampled.size() ? std::min(static_cast<double>(sampled[i].untimed), visits) : 0;
    const bool is_measured = !cost.measured.empty() && cost.measured[i].likely >= 0;
    const double unguessed = nodes[i].parent == kNoNode ? 0 : surprise[nodes[i].parent];
    const double pair = prices.pair + unguessed * kUnguessedShare * (prices.fan - prices.pair);
    Price price{kHiddenShare * pair, pair, pair};
    if (is_measured) {
      price = cost.measured[i];
    } else if (does[i] == Doing::kCall) {
      price = PriceOf({pair, prices.behind_least, prices.behind_most}, static_cast<double>(nodes[i].ticks) * running,
                      visits, inside[i]);
    }
    const double pairs = (visits - untimed) * pairs_each[i];
    if (IsWaiting(does[i])) waited += std::max(own[i] - kInside * pairs * price.likely, 0.0);
    Add(price, pairs, is_measured ? &probed : &sum);
    if (!is_measured) far += (visits - untimed) * kFarShare * static_cast<double>(location.far_ticks);
    const double dropped = i < sampled.size() ? static_cast<double>(sampled[i].dropped_calls) : 0;
    untimed_ticks += (untimed + dropped) * prices.untimed;
  }
  cost.timed = sum.likely + probed.likely + far;
  cost.calls = cost.timed + untimed_ticks;
  cost.paths = static_cast<double>(location.cold_ticks);
  cost.total = cost.calls + cost.paths;
  const double price_error = kPriceError + prices.spread, found = far + cost.paths;
  cost.error = price_error * (sum.most + untimed_ticks) + kFoundError * found + sum.most - sum.likely + probed.most -
               probed.likely;
  cost.least = std::max(0.0, 1 - price_error) * (sum.least + untimed_ticks) + (1 - kFoundError) * found + probed.least;
  const double busy = std::max(cost.elapsed - waited, 0.0);
  // EPIK's own work may wait for a processor or a disk. Then the thread neither ran nor waited for other threads.
  const double blocked = std::max(busy + own_region - cpu - cost.queued, 0.0);
  const double own_cpu = std::max(own_region - blocked, 0.0) * running;
  // A waiting thread may keep the processor busy, and a computing thread may have no processor: take the smaller time.
  const double spent = cpu > 0 ? std::max(cpu - own_cpu, 0.0) : busy;
  cost.computed = std::min(spent, busy * running);
  // A thread that polls in MPI may hand its processor on there, and keep it elsewhere: then it computed for longer.
  cost.computed_most = std::min(spent, busy);
  // Measuring took no longer than the thread had a processor.
  if (waited > 0 && cost.computed < cost.total) cost.computed = cost.computed_most;
  return cost;
}

}  // namespace epik::archive
