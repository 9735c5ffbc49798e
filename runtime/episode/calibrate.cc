// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/calibrate.h"

#include <cstring>

#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"

namespace epik::episode {
namespace {

// The scratch location lives in the unused rest of the file's first two pages, which no reader looks at.
constexpr uint32_t kLocationAt = kScratchLine;
constexpr uint32_t kParentAt = kScratchLine + sizeof(Location) / base::kLineBytes;
static_assert(kScratchNode == kParentAt + 1);
constexpr uint32_t kFramesAt = kParentAt + 2;
constexpr uint32_t kScratchLines = 16;
constexpr Key kScratchKey = 4096;

// As far from the caller as a hook is: not inlined, reached through a pointer.
__attribute__((noinline)) void EnterHook(const void* function) {
  Enter(reinterpret_cast<uint64_t>(function), __builtin_frame_address(0));
}
__attribute__((noinline)) void ExitHook(const void* function) {
  Exit(reinterpret_cast<uint64_t>(function), __builtin_frame_address(0));
}

Location* MakeScratch() {
  std::memset(base::LineAt<char>(kScratchLine), 0, kScratchLines * base::kLineBytes);
  Node* child = NodeAt(kScratchNode);
  child->key = kScratchKey;
  child->min = ~uint64_t{0};
  child->parent = kParentAt;
  epitome::SetLast(NodeAt(kParentAt), kScratchNode, kScratchKey);
  auto* location = base::LineAt<Location>(kLocationAt);
  location->node = kParentAt;
  location->bottom = kFramesAt * 2;
  location->top = location->bottom;
  location->limit = location->bottom + 8;
  location->worth = kNeverWorth;
  return location;
}

// Unless somebody has calibrated already what hooks do in this measurement.
void Start(const Options&) {
  if (event::Process()->pair_cost_ticks != 0) return;
  const Scratch scratch;
  event::Process()->pair_cost_ticks = TicksOfPair();
}

}  // namespace

double TicksOfPair() {
  constexpr int kBatches = 6;
  constexpr int kPairs = 200;
  void (*volatile enter)(const void*) = EnterHook;
  void (*volatile exit)(const void*) = ExitHook;
  const auto* function = reinterpret_cast<const void*>(kScratchKey);
  uint64_t best = ~uint64_t{0};
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t start = base::Now();
    for (int i = 0; i < kPairs; ++i) {
      enter(function);
      exit(function);
    }
    const uint64_t took = base::Now() - start;
    if (took < best) best = took;
  }
  return static_cast<double>(best) / kPairs;
}

Scratch::Scratch() { current = MakeScratch(); }

Scratch::~Scratch() {
  current = nullptr;
  std::memset(base::LineAt<char>(kScratchLine), 0, kScratchLines * base::kLineBytes);
}

const Part calibration_part = {.name = "calibration", .start = Start};

}  // namespace epik::episode
