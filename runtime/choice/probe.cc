// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/probe.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/base/log.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/filter_hot.h"
#include "runtime/choice/probe_hot.h"
#include "runtime/choice/unfiltered.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/calibrate.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/options.h"
#include "runtime/episode/untimed_hot.h"

namespace epik::choice {

using event::Key;
using event::Location;
using event::NodeAt;
using event::ProbedPath;

namespace {

constexpr uint32_t kNever = ~uint32_t{0};
// The time of a window leaves out its first visits, because the processor still predicts the branches of the window
// before.
constexpr uint32_t kWarmUp = 16, kWarmUpMore = 16;
// So many visits lie between two batches, and between two tries to begin one.
constexpr uint32_t kLeastLater = 40'000, kMostLater = 160'000, kNextTry = 512;
// The cost of timing does not matter for a function that takes this many times as long.
constexpr double kMuchWork = 40;
constexpr uint64_t kManyVisits = 500;
constexpr double kSigmaOfMad = 1.4826;
constexpr uint32_t kParts = 2 * kProbeKinds * kProbeRounds;

ProbeLimits limits;
// Calibrated with a function that does nothing: the ticks that counting a visit takes, and the ratio of that to
// counting the visit again. The compiler saves registers around the hooks, and the processor fetches more code.
double counting_alone = 1, first_to_again = 1;
// The result of probing, for a note in the archive. Several threads may write the same value.
bool has_begun = false, was_stopped = false;

size_t TableBytes() { return event::Process()->arena.bytes / base::kLineBytes * kProbeBytesOfLine; }
ProbedPath* PathAt(uint32_t line) { return base::LineAt<ProbedPath>(line); }

// The kinds take turns, and a program that becomes slower or faster meanwhile does not favour one of them.
ProbeKind KindOf(uint32_t window) { return static_cast<ProbeKind>((window + window / kProbeKinds) % kProbeKinds); }

float MedianOf(float (&values)[kProbeRounds]) {
  std::sort(values, values + kProbeRounds);
  return values[kProbeRounds / 2];
}

// Returns the line of the node's ProbedPath, or 0 if the node has no ProbedPath.
uint32_t PathBelow(uint32_t node) { return epitome::KnownChild(NodeAt(node), event::RegionKey(event::kProbedMetric)); }

// Makes the ProbedPath if the node has no ProbedPath yet. Returns 0 if there is no room for it.
uint32_t MakePathBelow(Location* location, uint32_t node) {
  if (const uint32_t known = PathBelow(node); known != 0) return known;
  const uint32_t line = episode::MakeChild(location, node, event::RegionKey(event::kProbedMetric));
  if (line == 0 || line == location->sink) return 0;
  ProbedPath* path = PathAt(line);
  path->untimed = 0;
  path->weight = path->cost = path->cost_squares = path->variance = path->counting = 0;
  path->batches = 0;
  __atomic_store_n(&has_begun, true, __ATOMIC_RELAXED);
  return line;
}

// A counted visit has no frame, so EPIK would take all events in it for events of the caller. A function can be counted
// only if it has never had any, and was visited so often that the time of one more visit is known.
bool CanBeCounted(const Location* location, uint32_t child) {
  const event::Node& node = *NodeAt(child);
  const uint32_t others = PathBelow(child) != 0 ? 1 : 0;
  return event::IsFunction(node.key) && node.children == others && node.visits >= kManyVisits &&
         node.ticks < limits.percall_ticks * node.visits && NodeAt(location->node)->key != node.key;
}

// Makes the next `visits` visits visits of this kind, including the one that begins now.
void Lay(Probe* probe, ProbeKind kind, uint32_t visits) {
  probe->kind = kind;
  probe->left = visits;
}

void Rest(Probe* probe, uint32_t visits) {
  probe->part = kParts;
  Lay(probe, ProbeKind::kTimed, visits);
}

// The ratio of counting to counting again. A function that does work hides the instructions that the compiler adds.
double FirstToAgain(double counted_visit) {
  constexpr double kNothing = 2, kMuch = 4;
  const double worked = std::clamp((counted_visit / counting_alone - kNothing) / (kMuch - kNothing), 0.0, 1.0);
  return first_to_again + (1 - first_to_again) * worked;
}

struct Middle {
  double value, error;
};

// An interruption is in one round or two, and does not move the median.
Middle MiddleOf(float (&values)[kProbeRounds]) {
  const float value = MedianOf(values);
  for (float& each : values) each = std::abs(each - value);
  return {value, kSigmaOfMad * MedianOf(values)};
}

// Sums up a batch. Counting a visit once more adds as much to the program as counting it once did: the program hides
// as much of the one as of the other.
void Conclude(Probe* probe) {
  ProbedPath* path = PathAt(probe->line);
  const Middle timing = MiddleOf(probe->timing), counting = MiddleOf(probe->counting);
  const double first = FirstToAgain(probe->counted) * counting.value;
  const double cost = timing.value + first;
  const double weight = probe->later;              // visits that it stands for: those until the next one
  constexpr double kVarianceOfMedian = 1.5707963;  // of normal values, times the variance of their mean
  path->weight += weight;
  path->cost += weight * cost;
  path->cost_squares += weight * cost * cost;
  const double squares = timing.error * timing.error + counting.error * counting.error;
  path->variance += weight * weight * kVarianceOfMedian * squares / kProbeRounds;
  path->counting += weight * first;
  ++path->batches;
}

void AddWindow(Probe* probe, float ticks) {
  const uint32_t window = probe->part / 2, round = std::min(window / kProbeKinds, kProbeRounds - 1);
  probe->took[static_cast<uint32_t>(KindOf(window))] = ticks / kProbeVisits;
  if (window % kProbeKinds != kProbeKinds - 1) return;
  const auto& [timed, counted, twice] = probe->took;
  probe->counted = std::min(probe->counted, counted);
  probe->timing[round] = timed - counted;
  probe->counting[round] = twice - counted;
}

// Ends a part of a window at `now`.
void NextPart(Probe* probe, uint64_t now) {
  if (probe->part % 2 != 0) AddWindow(probe, static_cast<float>(static_cast<int64_t>(now - probe->started)));
  if (++probe->part >= kParts) {
    Conclude(probe);
    Rest(probe, probe->later);
    probe->later = std::min(2 * probe->later, kMostLater);
    return;
  }
  const bool warms_up = probe->part % 2 == 0;
  // The clock's last digits are as good as random.
  const auto more = static_cast<uint32_t>(now % kWarmUpMore);
  Lay(probe, KindOf(probe->part / 2), warms_up ? kWarmUp + more : kProbeVisits);
  if (!warms_up) probe->started = base::Now();
}

// Begins the next batch, if there is a function for it.
void Begin(Location* location, Probe* probe, uint32_t child, uint64_t now) {
  const uint32_t line = CanBeCounted(location, child) ? MakePathBelow(location, child) : 0;
  if (line == 0) return Rest(probe, kNextTry + static_cast<uint32_t>(now % kNextTry));
  probe->parent = location->node;
  probe->node = child;
  probe->line = line;
  probe->part = 0;
  probe->counted = std::numeric_limits<float>::infinity();
  probe->again = {.open = 0, .visits = 0, .untimed = 0, .left = 0, .parent = location->node};
  Lay(probe, KindOf(0), kWarmUp);
}

// REQUIRES: no visit without a frame is open.
EPIK_COLD void Decide(Location* location, uint32_t child) {
  const uint64_t now = base::Now();
  Probe* probe = ProbeOf(location);
  if (probe->busy != 0) return Lay(probe, ProbeKind::kTimed, kNextTry);
  probe->busy = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  EPIK_ORDER();
  const bool is_new = probe->left == 0, is_it = probe->node == child && probe->parent == location->node;
  if (is_new) {
    probe->later = kLeastLater;
    Rest(probe, static_cast<uint32_t>(limits.first));
  } else if (probe->part == kParts) {
    Begin(location, probe, child, now);
  } else if (is_it) {
    NextPart(probe, now);
  } else {
    Rest(probe, kNextTry);
  }
  EPIK_ORDER();
  probe->busy = 0;
}

// Ends a window of counted visits, because some other event happens in it. The visit that is open gets its frame.
EPIK_COLD void EndWindow(Location* location, Probe* probe) {
  const uint64_t open = probe->open;
  Rest(probe, kNextTry);
  if (open == 0) return;
  probe->open = 0;
  EPIK_ORDER();
  if (!episode::HasRoomForFrame(location) && !episode::MakeRoomForFrame(location)) return;
  event::Node* node = NodeAt(probe->node);
  --node->visits;  // the end of its frame counts it
  episode::PushUntimed(location, probe->node, node->key, open);
}

struct ProbeCosts {
  double pair, empty, counted;
};

// REQUIRES: a Scratch, whose visits the probe counts.
void CalibrateCounting(Probe* probe) {
  float once[kProbeRounds], twice[kProbeRounds];
  for (uint32_t round = 0; round < kProbeRounds; ++round) {
    probe->kind = ProbeKind::kCounted;
    once[round] = static_cast<float>(episode::TicksOfHooks());
    probe->kind = ProbeKind::kTwice;
    twice[round] = static_cast<float>(episode::TicksOfHooks());
  }
  probe->kind = ProbeKind::kCounted;
  constexpr double kLeast = 1, kMost = 2.5;
  counting_alone = MedianOf(once);
  const double again = MedianOf(twice) - counting_alone;
  first_to_again = again > 0 ? std::clamp(counting_alone / again, kLeast, kMost) : kMost;
}

ProbeCosts Calibrate() {
  ProbeCosts costs;
  const episode::Scratch scratch;
  const Location* location = episode::current;
  Probe* probe = ProbeOf(location);
  Lay(probe, ProbeKind::kTimed, kNever);
  costs.pair = episode::TicksOfPair();
  const event::Node* child = NodeAt(episode::kScratchNode);
  costs.empty = static_cast<double>(child->ticks) / static_cast<double>(child->visits);
  episode::CalibrateBehindWork();
  probe->parent = location->node;
  probe->node = episode::kScratchNode;
  probe->line = episode::kScratchSpare;
  probe->kind = ProbeKind::kCounted;
  probe->again.parent = probe->parent;
  CalibrateCounting(probe);
  // The loop around the calls takes a third of that time.
  constexpr double kWithoutLoop = 0.67;
  costs.counted = kWithoutLoop * episode::TicksOfPair();
  *probe = {};
  return costs;
}

// Null: calls can be probed.
const char* ReasonNot(const config::Settings& settings) {
  if (episode::LogsCalls(settings.trace)) return "EPK_TRACE asks for calls, and each needs its times";
  if (!settings.metrics.empty()) return "EPK_METRICS asks for counters, which are read at every call";
  if (settings.budget > 0) return "EPK_BUDGET chooses what is timed";
  if (!settings.measure.always()) return "EPK_MEASURE chooses what is measured";
  if (hooks.depth_limit != 0) return "EPK_DEPTH leaves calls out";
  if (!base::clock_is_tsc) return "only the clock of the processor is short enough to be worth it";
  return nullptr;
}

void Start(const episode::Options& options) {
  if (options.settings.hot != config::Hot::kProbe) return;
  if (const char* reason = ReasonNot(options.settings); reason != nullptr) {
    return base::Say("EPK_HOT=probe is not used: %s", reason);
  }
  ProbeLimits wanted;
  if (options.settings.IsSet(config::Key::throttle_calls)) wanted.first = options.settings.throttle_calls;
  if (!StartProbes(wanted)) return base::Say("EPK_HOT=probe is not used: no memory for it");
  const ProbeCosts costs = Calibrate();
  const double counted = std::clamp(costs.counted, 1.0, std::max(costs.pair, 1.0));
  limits.percall_ticks = static_cast<uint64_t>(kMuchWork * costs.pair);
  event::ProcessHeader* process = event::Process();
  process->pair_cost_ticks = costs.pair;
  process->untimed_cost_ticks = counted;
  process->timed_bias_ticks = costs.empty - counted / 2;
}

// Another thread may get the location. It begins with a new probe.
void Closing(Location* location, uint64_t) {
  if (!HasProbes()) return;
  Probe* probe = ProbeOf(location);
  if (probe->open != 0) EndWindow(location, probe);
  *probe = {};
}

// A visit that the jump leaves gets its frame, which is closed with the others.
void Jumped(Location* location, uint64_t landing, const episode::StackRange& left, uint32_t) {
  if (!HasProbes()) return;
  Probe* probe = ProbeOf(location);
  if (probe->busy != 0 && episode::IsLeft(probe->busy, landing, left)) probe->busy = 0;
  if (probe->open == 0 || !episode::IsLeft(probe->open + episode::kHookBelowCaller, landing, left)) return;
  EndWindow(location, probe);
}

void Finish() {
  if (!HasProbes() || __atomic_load_n(&has_begun, __ATOMIC_RELAXED)) return;
  episode::Note(
      __atomic_load_n(&was_stopped, __ATOMIC_RELAXED)
          ? "EPK_HOT=probe found no price: groups that change, or stacks that the program switches, need each "
            "call's frame"
          : "EPK_HOT=probe found no price, as no small function was called again and again");
}

void Forget() {
  has_begun = was_stopped = false;
  DropWay(kProbeWay);
  if (hooks.probes != nullptr) munmap(hooks.probes, TableBytes());
  hooks.probes = nullptr;
}

}  // namespace

bool StartProbes(const ProbeLimits& wanted) {
  limits = wanted;
  limits.first = std::clamp<uint64_t>(wanted.first, 1, kNever - 1);
  void* table = mmap(nullptr, TableBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return false;
  __atomic_store_n(&hooks.probes, static_cast<char*>(table), __ATOMIC_RELEASE);
  episode::SeeEachEvent();
  AddWay(kProbeWay);
  return true;
}

const episode::Part probe_part = {
    .name = "probe", .start = Start, .finish = Finish, .forget = Forget, .closing = Closing, .jumped = Jumped};

void StopProbing() {
  if (!__atomic_load_n(&was_stopped, __ATOMIC_RELAXED)) __atomic_store_n(&was_stopped, true, __ATOMIC_RELAXED);
  Location* location = episode::current;
  if (location == nullptr) return;
  Probe* probe = ProbeOf(location);
  if (probe->kind != ProbeKind::kTimed || probe->open != 0) EndWindow(location, probe);
}

void EnterProbedSlowly(Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(IsFiltered(key))) {
    if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/true);
    return;
  }
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return EnterUnfiltered(key, stack);
  Probe* probe = ProbeOf(location);
  if (probe->kind != ProbeKind::kTimed && !IsCounted(probe, location, key)) EndWindow(location, probe);
  const uint32_t child = episode::CurrentChild(location, key);
  if (EPIK_UNLIKELY(child == 0)) return EnterUnfiltered(key, stack);
  if (probe->left < 2) {
    Decide(location, child);
  } else {
    --probe->left;
  }
  if (probe->kind != ProbeKind::kTimed) return BeginCounted(probe, NodeAt(probe->node), stack);
  if (EPIK_UNLIKELY(!episode::HasRoomForFrame(location))) return EnterUnfiltered(key, stack);
  episode::Push(location, child, key, stack, base::ReadTsc);
}

void ExitProbedSlowly(Key key, uint64_t stack) {
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return ExitUnfiltered(key, stack);
  if (EPIK_UNLIKELY(IsFiltered(key))) {
    if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/false);
    return;
  }
  Probe* probe = ProbeOf(location);
  if (probe->open != 0) EndWindow(location, probe);
  const event::Frame* frame = event::FrameAt(location->top);
  if (frame->key == key && episode::IsWhole(location, location->top) && (frame->entered & event::kUntimed) != 0) {
    return episode::CloseUntimed(location, frame, base::Now());
  }
  ExitUnfiltered(key, stack);
}

}  // namespace epik::choice
