// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/counting_cost.h"

#include <algorithm>
#include <atomic>

#include "runtime/choice/probe_hot.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/calibrate.h"

namespace epik::choice {

using event::Key;
using event::Location;

namespace {

// No thread has this location, so no signal handler counts on it, and no reader sees it.
Location* scratch = nullptr;
std::atomic<bool> is_measured = false;
std::atomic<float> found = 1;

using Hook = void (*)(Key);

// These read what a hook and its door read before they count a visit.
__attribute__((noinline)) void EnterDoor(Key key, uint64_t stack, Location* location) {
  __asm__ volatile("" ::"r"(WaysNow()));
  EnterProbed(location, key, stack);
}
__attribute__((noinline)) void ExitDoor(Key key, uint64_t stack, Location* location) {
  __asm__ volatile("" ::"r"(WaysNow()));
  ExitProbed(location, key, stack);
}
__attribute__((noinline)) void EnterHook(Key key) {
  const auto stack = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  __asm__ volatile("" ::"r"(episode::IsUnusual()));
  EnterDoor(key, stack, scratch);
}
__attribute__((noinline)) void ExitHook(Key key) {
  const auto stack = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  __asm__ volatile("" ::"r"(episode::IsUnusual()));
  ExitDoor(key, stack, scratch);
}
__attribute__((noinline)) void EmptyHook(Key) { __asm__ volatile(""); }

// Ticks of a pair in a short loop. The middle of three: one interruption does not count.
double TicksOf(Hook enter_as, Hook exit_as) {
  constexpr int kPairs = 48;
  volatile Hook enter = enter_as, exit = exit_as;
  const Key key = event::NodeAt(episode::kScratchNode)->key;
  const auto once = [&] {
    const uint64_t start = base::Now();
    for (int i = 0; i < kPairs; ++i) {
      enter(key);
      exit(key);
    }
    return static_cast<double>(static_cast<int64_t>(base::Now() - start)) / kPairs;
  };
  once();  // what is cold stays out of it
  const double first = once(), second = once(), third = once();
  return std::max(std::min(first, second), std::min(std::max(first, second), third));
}

}  // namespace

void StartCountingCost() {
  scratch = episode::MakeScratch();
  Probe* probe = ProbeOf(scratch);
  probe->kind = ProbeKind::kCounted;
  probe->parent = scratch->node;
  probe->node = episode::kScratchNode;
  probe->line = episode::kScratchSpare;
}

float CostOfCounting() {
  if (scratch == nullptr || is_measured.exchange(true, std::memory_order_acquire)) {
    return found.load(std::memory_order_relaxed);
  }
  ProbeOf(scratch)->left = ~uint32_t{0};
  const double ticks = TicksOf(EnterHook, ExitHook) - TicksOf(EmptyHook, EmptyHook);
  const auto cost = static_cast<float>(std::max(ticks, 1.0));
  found.store(cost, std::memory_order_relaxed);
  is_measured.store(false, std::memory_order_release);
  return cost;
}

void ForgetCountingCost() {
  scratch = nullptr;
  is_measured = false;
}

}  // namespace epik::choice
