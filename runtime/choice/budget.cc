// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/budget.h"

#include <sys/single_threaded.h>
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "runtime/base/thread_memory.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/filter_hot.h"
#include "runtime/choice/hot_paths_hot.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/each_node.h"
#include "runtime/episode/location.h"
#include "runtime/epitome/call_tree_hot.h"

namespace epik::choice {

using base::LineAt;
using event::SampledPath;

namespace {

// A look costs some ticks for each call path. At least this many ticks of the location's time pass per call path
// between two looks.
constexpr uint64_t kTicksOfNode = 1000;
constexpr double kPairsBetweenLooks = 50'000;
constexpr uint32_t kMostCandidates = 64;

struct Budget {
  double share = 0;
  bool takes_out = false;
  uint64_t taken_out = 0;  // functions: every call of theirs had been dropped
  double ticks_of_ns = 1;
  HotCosts costs = {};
};
constinit Budget budget;

struct Looked {
  const Location* location;
  uint64_t at;
  double worked;    // the thread's CPU time then, in ticks
  double waited;    // in MPI and for other threads, as far as such calls had ended
  double computed;  // since the thread began, without what measuring it cost
  double spent;     // on that
};
EPIK_PER_THREAD base::PerThread<Looked> looked;

struct Candidate {
  uint32_t node;
  double calls;  // since the last look
  double cost;   // that was charged for them
  double heat;
};

// The hottest so far, hottest first.
struct Candidates {
  Candidate of[kMostCandidates];
  uint32_t count = 0;

  void Offer(const Candidate& one) {
    if (count == kMostCandidates && one.heat <= of[count - 1].heat) return;
    uint32_t at = count < kMostCandidates ? count++ : count - 1;
    for (; at > 0 && of[at - 1].heat < one.heat; --at) of[at] = of[at - 1];
    of[at] = one;
  }
};

// The cost of a timed call. A function that takes many times this cost does work of its own, which hides most of the
// cost. Shorter functions may call functions that do nothing.
double PairOf(double percall) {
  constexpr double kMuchWork = 8;
  const double behind = event::Process()->behind_most_ticks;
  const bool hides = behind > 0 && percall > kMuchWork * budget.costs.pair;
  return hides ? std::min(behind, budget.costs.pair) : budget.costs.pair;
}

double TimedShare(const HotSlot* slot) { return 1.0 / std::max(slot->interval, 1u); }

// Whether a call path calls nothing that is measured. A sampled path has its samples as a child.
bool IsLeaf(const event::Node* node) {
  const uint32_t child = node->last & epitome::kLargestNode;
  return node->table == 0 && (child == 0 || event::IsMetric(NodeAt(child)->key));
}

// The cost of a node's calls since the last look. The node becomes a candidate if it can be made cheaper. The time that
// calls of a leaf take beyond their cost is added to `computed`.
double CostOf(uint32_t line, Candidates* candidates, double* computed) {
  const event::Node* node = NodeAt(line);
  if (event::IsMetric(node->key)) return 0;
  HotSlot* slot = &hooks.hot_slots[line];
  const SampledPath* path = slot->line == 0 ? nullptr : LineAt<SampledPath>(slot->line);
  const uint64_t visits = slot->skip == kDropped ? path->covered : node->visits;
  const double calls = static_cast<double>(visits - std::min(visits, slot->seen));
  slot->seen = visits;
  if (calls == 0) return 0;
  if (slot->skip == kDropped) return 0;  // the hooks would cost the same
  const uint64_t timed = path == nullptr ? node->visits : path->visits_before + path->timed;
  const double percall = timed == 0 ? 0 : static_cast<double>(node->ticks) / static_cast<double>(timed);
  const bool is_function = event::IsFunction(node->key);
  const double pair = is_function ? PairOf(percall) : budget.costs.pair;
  if (is_function && IsLeaf(node)) *computed += calls * std::max(0.0, percall - budget.costs.pair);
  const double cost =
      path == nullptr ? pair : budget.costs.untimed + TimedShare(slot) * std::max(0.0, pair - budget.costs.untimed);
  if (CanBeSampled(node->key)) candidates->Offer({line, calls, calls * cost, calls / (percall + budget.costs.pair)});
  return calls * cost;
}

// Whether a thread in this region may be waiting, with a busy processor or without.
bool IsWaiting(Key key) {
  if (event::IsFunction(key)) return false;
  switch (event::ConstructOf(key)) {
    case event::Construct::kNone: break;
    case event::Construct::kCritical:
    case event::Construct::kTaskwait:
    case event::Construct::kBarrier:
    case event::Construct::kImplicitBarrier: return true;
    default: return false;
  }
  if (!event::IsRegion(key) || event::IsRetired(key)) return false;
  const uint32_t region = event::RegionOf(key);
  if (region == event::kIdleRegion || region == event::kLimitedRegion) return true;
  const char* name = region < event::kFirstDefinedRegion ? nullptr : episode::NameOfRegion(region);
  return episode::IsNameOfMpi(name);
}

// CPU time of the thread: time in which others have the processor does not count.
double WorkedTicks() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec)) * budget.ticks_of_ns;
}

// When every call of a function was dropped since the last look, the function can be excluded for good, and its calls
// of hooks can be patched out. Neither is safe with other threads, because they may be within the function.
void TakeOut(const Location* location, Key key) {
  if (!budget.takes_out || __libc_single_threaded == 0 || !event::IsFunction(key)) return;
  for (uint32_t i = location->bottom + 1; i <= location->top; ++i) {
    if (FrameAt(i)->key == key) return;
  }
  const episode::Inside guard;
  FilterKey(key);
  ++budget.taken_out;
}

// Takes out the functions that are dropped on all call paths from which they were called lately.
void TakeOutDropped(const Location* location, const Candidates& measured, Key entering) {
  constexpr uint32_t kMostKeys = 64;
  Key keys[kMostKeys];
  uint32_t count = 0;
  episode::ForEachNode(base::LineOf(location), [&](uint32_t line) {
    if (hooks.hot_slots[line].skip != kDropped || count == kMostKeys) return;
    const Key key = NodeAt(line)->key;
    const bool known = key == entering || std::find(keys, keys + count, key) != keys + count;
    if (!known && !IsFiltered(key)) keys[count++] = key;
  });
  for (uint32_t i = 0; i < measured.count; ++i) {
    const Key key = NodeAt(measured.of[i].node)->key;
    if (hooks.hot_slots[measured.of[i].node].skip == kDropped) continue;
    count = static_cast<uint32_t>(std::remove(keys, keys + count, key) - keys);
  }
  for (uint32_t i = 0; i < count; ++i) TakeOut(location, keys[i]);
}

// Samples hot call paths first, and drops paths only when all hot paths are sampled already.
void Save(Location* location, const Candidates& candidates, double excess, uint64_t now) {
  bool sampled = false;
  for (uint32_t i = 0; i < candidates.count && excess > 0; ++i) {
    const Candidate& one = candidates.of[i];
    const double saved = one.cost - one.calls * budget.costs.untimed;
    if (saved <= 0 || hooks.hot_slots[one.node].skip != 0 || !SamplePath(location, one.node, now)) continue;
    hooks.hot_slots[one.node].seen = NodeAt(one.node)->visits;
    excess -= saved;
    sampled = true;
  }
  if (sampled) return;
  for (uint32_t i = 0; i < candidates.count && excess > 0; ++i) {
    const Candidate& one = candidates.of[i];
    const bool may = event::IsFunction(NodeAt(one.node)->key) && !CallsItself(one.node);
    if (hooks.hot_slots[one.node].skip == kDropped || !may || !DropPath(location, one.node, now)) continue;
    hooks.hot_slots[one.node].seen = 0;
    excess -= one.cost;
  }
}

}  // namespace

void StartBudget(double of_time, double ticks_of_a_ns, bool patch) {
  budget.share = of_time;
  budget.takes_out = patch;
  budget.ticks_of_ns = ticks_of_a_ns;
}

void SetHotCosts(const HotCosts& calibrated) {
  budget.costs = calibrated;
  event::Process()->pair_cost_ticks = budget.costs.pair;
  event::Process()->untimed_cost_ticks = budget.costs.untimed;
  event::Process()->timed_bias_ticks = budget.costs.empty - budget.costs.untimed / 2;
}

void SpendLess(Location* location, uint64_t now, Key entering) {
  if (budget.share <= 0 || budget.costs.pair <= 0) return;
  if (looked->location != location) *looked = {location, now, WorkedTicks(), 0, 0, 0};
  const auto window = static_cast<double>(now - std::min(now, looked->at));
  if (window < kPairsBetweenLooks * budget.costs.pair || window < static_cast<double>(location->paths * kTicksOfNode))
    return;
  const double worked = WorkedTicks();
  Candidates candidates;
  double cost = 0, waited = 0, computed = 0;
  episode::ForEachNode(base::LineOf(location), [&](uint32_t line) {
    cost += CostOf(line, &candidates, &computed);
    if (IsWaiting(NodeAt(line)->key)) waited += static_cast<double>(NodeAt(line)->ticks);
  });
  // The cost is compared with what the program computes by itself: neither with its waiting nor with the cost. Where
  // the calibrated cost is too high, nothing would be left, but leaves have worked for sure. Without them, functions
  // that hardly cost anything would be dropped, too.
  const double running = std::max(std::min(worked - looked->worked, window - (waited - looked->waited)), 0.0);
  computed = std::max(running - cost, std::min(computed, running));
  *looked = {location, now, worked, waited, looked->computed + computed, looked->spent + cost};
  const double excess = cost - budget.share * computed;
  if (excess <= 0 || looked->spent <= budget.share * looked->computed) return;
  Save(location, candidates, excess, now);
  TakeOutDropped(location, candidates, entering);
}

namespace {

// Says how many functions are not measured any more.
void Finish() {
  if (budget.taken_out == 0) return;
  char text[240];
  std::snprintf(
      text, sizeof text,
      "%llu %s not measured any more (EPK_BUDGET); calls of hooks there that could not be patched out still take time, "
      "which is not in the figures; a build with epk instrument --filter has no such calls",
      static_cast<unsigned long long>(budget.taken_out), budget.taken_out == 1 ? "function is" : "functions are");
  episode::Note(text);
}

}  // namespace

const episode::Part budget_part = {.name = "budget", .finish = Finish};

}  // namespace epik::choice
