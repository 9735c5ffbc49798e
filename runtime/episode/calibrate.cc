// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/calibrate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"

namespace epik::episode {
namespace {

// The scratch location lives in the unused rest of the file's first two pages, which no reader looks at.
constexpr uint32_t kLocationAt = kScratchLine;
constexpr uint32_t kParentAt = kScratchLine + sizeof(Location) / base::kLineBytes;
static_assert(kScratchNode == kParentAt + 1);
constexpr uint32_t kFramesAt = kParentAt + 2;
constexpr uint32_t kFrameLines = 5;
constexpr uint32_t kCalleesAt = kFramesAt + kFrameLines + 1;
static_assert(kScratchSpare == kCalleesAt);
constexpr uint32_t kCallees = 32;
constexpr uint32_t kScratchLines = kCalleesAt + kCallees - kScratchLine;
static_assert(kScratchLine + kScratchLines <= base::kFirstChunkLine);
constexpr Key kScratchKey = 4096;
constexpr int kBatches = 7;

// As expensive to call as a hook: not inlined, reached through a pointer.
__attribute__((noinline)) void EnterHook(const void* function) {
  Enter(reinterpret_cast<uint64_t>(function), __builtin_frame_address(0));
}
__attribute__((noinline)) void ExitHook(const void* function) {
  Exit(reinterpret_cast<uint64_t>(function), __builtin_frame_address(0));
}

Node* MakeNode(uint32_t line, Key key) {
  Node* node = NodeAt(line);
  node->key = key;
  node->min = ~uint64_t{0};
  node->parent = kParentAt;
  return node;
}

Location* MakeScratch() {
  std::memset(base::LineAt<char>(kScratchLine), 0, kScratchLines * base::kLineBytes);
  MakeNode(kScratchNode, kScratchKey);
  epitome::SetLast(NodeAt(kParentAt), kScratchNode, kScratchKey);
  auto* location = base::LineAt<Location>(kLocationAt);
  location->node = kParentAt;
  location->bottom = kFramesAt * 2;
  location->top = location->bottom;
  location->limit = location->bottom + 8;
  location->worth = kNeverWorth;
  return location;
}

using Hook = void (*)(const void*);
const void* AsFunction(Key key) { return reinterpret_cast<const void*>(key); }

// Ticks for one of `count` calls, in each of several batches, the fastest first.
template <class Batch>
std::array<double, kBatches> TimesOf(int count, Batch batch) {
  std::array<double, kBatches> took;
  batch();  // the first batch warms up the caches
  for (double& each : took) {
    const uint64_t start = base::Now();
    batch();
    each = static_cast<double>(base::Now() - start) / count;
  }
  std::sort(took.begin(), took.end());
  return took;
}

// Takes the median batch, so that neither an interruption nor a rare quiet moment of the machine decides for the whole
// run.
template <class Batch>
double MiddleOf(int count, Batch batch) {
  return TimesOf(count, batch)[kBatches / 2];
}

Hook enter_hook, exit_hook;

// Functions called in an order that no processor can predict.
template <uint32_t number>
__attribute__((noinline)) void Callee() {
  const void* function = AsFunction(kScratchKey + number);
  enter_hook(function);
  exit_hook(function);
}

template <uint32_t... numbers>
constexpr std::array<void (*)(), sizeof...(numbers)> CalleesOf(std::integer_sequence<uint32_t, numbers...>) {
  return {Callee<numbers>...};
}
constexpr std::array kCalleeTable = CalleesOf(std::make_integer_sequence<uint32_t, kCallees>());

double TicksOfRandom(Hook enter, Hook exit) {
  constexpr int kCalls = 400;
  enter_hook = enter;
  exit_hook = exit;
  uint32_t seed = 20061;
  return MiddleOf(kCalls, [&] {
    for (int i = 0; i < kCalls; ++i) {
      seed ^= seed << 13;
      seed ^= seed >> 17;
      seed ^= seed << 5;
      kCalleeTable[seed % kCallees]();
    }
  });
}

__attribute__((noinline)) void EmptyHook(const void*) { __asm__ volatile(""); }

__attribute__((noinline)) uint64_t Bare(uint64_t x) {
  __asm__ volatile("");
  return x + 1;
}

// A function as compilers instrument it.
__attribute__((noinline)) uint64_t Hooked(uint64_t x) {
  const void* function = AsFunction(kScratchKey);
  enter_hook(function);
  exit_hook(function);
  return x + 1;
}

// Both kinds of work take some 60 ns, longer than two clock reads. Here each step needs the step before it, also across
// visits, so most of the processor is idle.
uint32_t end_of_chain = 1;

__attribute__((noinline)) void WorkInAChain() {
  uint32_t x = end_of_chain;
  for (int i = 0; i < 64; ++i) {
    x = x * 1664525 + 1013904223;
    __asm__ volatile("" : "+r"(x));
  }
  end_of_chain = x;
}

// No step needs another step, so most of the processor is busy.
__attribute__((noinline)) void WorkSideBySide() {
  uint32_t a = 1, b = 2, c = 3, d = 4;
  for (int i = 0; i < 200; ++i) {
    a += 3, b += 5, c += 7, d += 9;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
}

// The difference of two times that are much longer than itself: the fastest batches are the least disturbed ones.
double TicksBehind(void (*work)()) {
  constexpr int kVisits = 20;
  constexpr double kKnown = 1e-3;
  volatile Hook enter = EnterHook, exit = ExitHook;
  const void* function = AsFunction(kScratchKey);
  const double with = TimesOf(kVisits, [&] {
    for (int i = 0; i < kVisits; ++i) {
      enter(function);
      work();
      exit(function);
    }
  })[0];
  const double without = TimesOf(kVisits, [&] {
    for (int i = 0; i < kVisits; ++i) work();
  })[0];
  return std::max(with - without, kKnown);
}

// Does nothing if another part has already calibrated the hooks of this measurement.
void Start(const Options&) {
  if (event::Process()->pair_cost_ticks != 0) return;
  const Scratch scratch;
  event::Process()->pair_cost_ticks = TicksOfPair();
  CalibrateBehindWork();
}

// The machine may have changed. With a filter or counters the hooks take another way, which was calibrated once.
void Finish() {
  if (IsUnusual()) return;
  const Scratch scratch;
  event::Process()->end_pair_cost_ticks = TicksOfPair();
  event::Process()->fan_cost_ticks = TicksOfFan();
}

}  // namespace

double TicksOfPair() {
  constexpr int kPairs = 200;
  volatile Hook enter = EnterHook, exit = ExitHook;
  const void* function = AsFunction(kScratchKey);
  return MiddleOf(kPairs, [&] {
    for (int i = 0; i < kPairs; ++i) {
      enter(function);
      exit(function);
    }
  });
}

double TicksOfHooks() {
  constexpr int kCalls = 100;
  enter_hook = EnterHook;
  exit_hook = ExitHook;
  const auto ticks = [](uint64_t (*function_as)(uint64_t)) {
    uint64_t (*volatile function)(uint64_t) = function_as;
    return MiddleOf(kCalls, [&] {
      uint64_t x = 0;
      for (int i = 0; i < kCalls; ++i) x = function(x);
    });
  };
  return std::max(ticks(Hooked) - ticks(Bare), 1.0);
}

void CalibrateBehindWork() {
  const double chain = TicksBehind(WorkInAChain), side_by_side = TicksBehind(WorkSideBySide);
  event::Process()->behind_least_ticks = std::min(chain, side_by_side);
  event::Process()->behind_most_ticks = std::max(chain, side_by_side);
}

double TicksOfFan() {
  // Looks like a location's own chunk of nodes, so that these nodes are found in a table like others.
  auto* chunk = base::LineAt<base::ChunkHeader>(kCalleesAt - 1);
  chunk->lines = kCallees + 1;
  Location* location = current;
  location->nodes = kCalleesAt - 1;
  NodeAt(kParentAt)->children = 1;
  for (uint32_t i = 1; i < kCallees; ++i) {
    // Calls on a call path without room take a longer way.
    if (epitome::AddChild(location, kParentAt, kScratchKey + i) == location->sink) return 0;
  }
  const double with = TicksOfRandom(EnterHook, ExitHook);
  return std::max(with - TicksOfRandom(EmptyHook, EmptyHook), 0.0);
}

Scratch::Scratch() { current = MakeScratch(); }

Scratch::~Scratch() {
  current = nullptr;
  std::memset(base::LineAt<char>(kScratchLine), 0, kScratchLines * base::kLineBytes);
}

const Part calibration_part = {.name = "calibration", .start = Start, .finish = Finish};

}  // namespace epik::episode
