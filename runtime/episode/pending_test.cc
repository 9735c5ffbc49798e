// SPDX-License-Identifier: BSD-3-Clause
// Calls whose every instruction raises a signal. At each of them the bytes are read as if the process had been killed
// there, or the handler brings events of its own.
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "archive/image/process_image.h"
#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace epik::episode {
namespace {

constexpr size_t kArenaBytes = 16u << 20;
constexpr Key kOne = 0x400010, kOther = 0x400020, kHandlers = 0x400030;

// The program's own counts, and the counts that were read.
struct Counts {
  uint64_t begun[2] = {0, 0}, ended[2] = {0, 0};
  uint64_t traps = 0, wrong = 0;
  std::string first_wrong;
};
Counts counts;

// Visits of a function, in nodes and open frames.
uint64_t VisitsOf(const archive::LocationImage& location, Key key) {
  uint64_t visits = 0;
  for (const event::Node& node : location.nodes) visits += node.key == key ? node.visits : 0;
  for (const archive::OpenFrame& frame : location.frames) visits += frame.key == key;
  return visits;
}

// A call that is returning may be recorded and still be open; only a call that is on its way to its node may be lost.
void LookAsAfterAKill(int) {
  ++counts.traps;
  archive::ProcessImage image;
  std::string error;
  if (!archive::ReadProcessImage(base::arena_base, kArenaBytes, &image, &error)) {
    ++counts.wrong;
    return;
  }
  for (const int which : {0, 1}) {
    const uint64_t visits = VisitsOf(image.locations.at(0), which == 0 ? kOne : kOther);
    if (visits + 1 >= counts.ended[which] && visits <= counts.begun[which] + 1) continue;
    if (counts.wrong++ == 0) {
      counts.first_wrong = std::to_string(visits) + " visits after " + std::to_string(counts.ended[which]) + " calls";
    }
  }
}

void BringEvents(int) {
  ++counts.traps;
  Enter(kHandlers, __builtin_frame_address(0));
  Exit(kHandlers, __builtin_frame_address(0));
}

#if defined(__x86_64__)
constexpr bool kCanTrap = true;
__attribute__((always_inline)) inline void TrapEach(bool on) {
  if (on) {
    __asm__ volatile("sub $128, %%rsp; pushfq; orl $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
  } else {
    __asm__ volatile("sub $128, %%rsp; pushfq; andl $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
  }
}
#else
constexpr bool kCanTrap = false;
inline void TrapEach(bool) {}
#endif

// In a small tree, visits are added to their nodes at once; in a large one, some calls later.
class PendingTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!kCanTrap) GTEST_SKIP() << "no trap flag here";
    base::clock_is_tsc = true;
    ForgetAll();
    ASSERT_EQ(base::Arena::Create(nullptr, kArenaBytes), 0);
    ASSERT_TRUE(epitome::OpenTables(kArenaBytes));
    const Inside guard;
    location_ = Attach(Origin{}, base::Now());
    ASSERT_NE(location_, nullptr);
    if (GetParam()) location_->paths = epitome::kNearPaths + 1;
    ASSERT_EQ(epitome::IsLarge(location_), GetParam());
    counts = Counts{};
    Call(0);
    Call(1);
  }
  void TearDown() override {
    if (!kCanTrap) return;
    signal(SIGTRAP, SIG_DFL);
    if (current != nullptr) Detach(current, base::Now());
    base::Arena::Destroy();
    epitome::CloseTables();
    ForgetAll();
  }

  static void Call(int which) {
    const Key key = which == 0 ? kOne : kOther;
    ++counts.begun[which];
    Enter(key, __builtin_frame_address(0));
    Exit(key, __builtin_frame_address(0));
    ++counts.ended[which];
  }

  // Runs of one function, both functions in turn, and everything between.
  static void CallAll(void (*handler)(int)) {
    signal(SIGTRAP, handler);
    for (int i = 0; i < 150; ++i) {
      const int which = i < 50 ? 0 : i < 100 ? i % 2 : i / 3 % 2;
      TrapEach(true);
      Call(which);
      TrapEach(false);
    }
    signal(SIGTRAP, SIG_IGN);
  }

  void ExpectAll() {
    archive::ProcessImage image;
    std::string error;
    ASSERT_TRUE(archive::ReadProcessImage(base::arena_base, kArenaBytes, &image, &error)) << error;
    const archive::LocationImage& location = image.locations.at(0);
    EXPECT_EQ(VisitsOf(location, kOne), counts.ended[0]);
    EXPECT_EQ(VisitsOf(location, kOther), counts.ended[1]);
    EXPECT_EQ(location.header.unmatched, 0u);
    EXPECT_EQ(location.header.repairs, 0u);
    for (const event::Node& node : location.nodes) {
      if (node.visits == 0) continue;
      EXPECT_LE(node.min, node.max);
      EXPECT_LE(node.max, node.ticks);
      EXPECT_GE(node.squares, static_cast<double>(node.max) * static_cast<double>(node.max) * 0.999);
    }
  }

  Location* location_ = nullptr;
};

TEST_P(PendingTest, KilledAtAnyInstruction) {
  CallAll(LookAsAfterAKill);
  EXPECT_GT(counts.traps, 10'000u);
  EXPECT_EQ(counts.wrong, 0u) << counts.first_wrong;
  ExpectAll();
}

TEST_P(PendingTest, AHandlerWithEventsAtAnyInstruction) {
  CallAll(BringEvents);
  EXPECT_GT(counts.traps, 10'000u);
  ExpectAll();
  archive::ProcessImage image;
  std::string error;
  ASSERT_TRUE(archive::ReadProcessImage(base::arena_base, kArenaBytes, &image, &error)) << error;
  EXPECT_EQ(VisitsOf(image.locations.at(0), kHandlers), counts.traps);
}

// An exit that a jump has left for good in the middle of its exchange: later ones exchange visits again.
TEST_P(PendingTest, AJumpEndsTheExchangeThatItLeaves) {
  constexpr StackRange kNone = {0, 0};
  const uint64_t stack = uint64_t{1} << 40;
  Enter(kOne, reinterpret_cast<void*>(stack));
  Enter(kOther, reinterpret_cast<void*>(stack - 64));
  location_->exchanging = location_->top;
  CloseLeftBehind(location_, stack - 128, kNone, base::Now());
  EXPECT_EQ(location_->exchanging, location_->top) << "the jump ended in a handler above this exit";
  CloseLeftBehind(location_, stack - 32, kNone, base::Now());
  EXPECT_EQ(location_->exchanging, 0u);
  Exit(kOne, reinterpret_cast<void*>(stack));
  EXPECT_EQ(location_->repairs, 1u);
  EXPECT_EQ(location_->top, location_->bottom + 1);
}

INSTANTIATE_TEST_SUITE_P(Trees, PendingTest, ::testing::Bool(),
                         [](const auto& tree) { return tree.param ? "large" : "small"; });

}  // namespace
}  // namespace epik::episode
