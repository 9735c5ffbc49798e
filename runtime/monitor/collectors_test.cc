// SPDX-License-Identifier: BSD-3-Clause
// Collective calls in the arena, as another process finds them.
#include "runtime/monitor/collectors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/base/arena.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/episode/untimed_hot.h"
#include "runtime/monitor/slices.h"
#include "runtime/monitor/waits.h"

namespace epik::monitor {
namespace {

using event::CollectiveEvent;
using event::RingView;

class CollectorsTest : public ::testing::Test {
 protected:
  void Open(uint64_t buffer, uint64_t groups = 1, bool waits = false) {
    base::clock_is_tsc = false;
    episode::ForgetAll();
    ASSERT_EQ(base::Arena::Create(nullptr, 64u << 20), 0);
    ASSERT_TRUE(epitome::OpenTables(64u << 20));
    episode::Options options;
    options.settings.monitor_buffer = buffer;
    options.settings.waits = options.settings.summary = waits;
    episode::adapter_options.monitor_groups = groups;
    collectors_part.start(options);
    const episode::Inside guard;
    location_ = episode::Attach(episode::Origin{}, 1);
  }
  void TearDown() override {
    if (episode::current != nullptr) episode::Detach(episode::current, ~uint64_t{0} >> 8);
    collectors_part.forget();
    base::Arena::Destroy();
    epitome::CloseTables();
    episode::ForgetAll();
  }

  // One call, from `at` on for 5 ticks.
  void Call(uint32_t sequence, uint64_t at) {
    const event::Key key = event::RegionKey(20);
    episode::Enter(location_, key, 1000, [at] { return at; });
    NoteCollective(location_, {0, at + 5, 0, 3, sequence, event::AboutCollective(2, true, false)}, nullptr);
    episode::Exit(location_, key, 1000, [at] { return at + 6; });
  }

  RingView View() const { return {{base::arena_base, event::Process()->arena.bytes}, location_}; }

  std::vector<uint32_t> Sequences(uint64_t* next, uint64_t* lost) const {
    std::vector<uint32_t> found;
    *lost += View().Read(next, [&](uint64_t, const CollectiveEvent& event) {
      found.push_back(event.sequence);
      return true;
    });
    return found;
  }

  event::Location* location_ = nullptr;
};

TEST_F(CollectorsTest, ThereIsNoRingBeforeTheFirstCallAndNoneWhenItIsOff) {
  Open(1u << 20);
  EXPECT_EQ(collects, uint32_t{event::kNoteCollectives});
  EXPECT_NE(location_->log_kinds & event::kNoteCollectives, 0u);
  EXPECT_FALSE(View().IsThere());
  Call(1, 100);
  EXPECT_TRUE(View().IsThere());
  TearDown();
  Open(0);
  EXPECT_EQ(collects, 0u);
  EXPECT_EQ(location_->log_kinds, 0u);
}

TEST_F(CollectorsTest, ACallIsNotedWithItsTimesPathAndRoot) {
  Open(1u << 20);
  Call(7, 100);
  uint64_t next = 0;
  std::vector<CollectiveEvent> events;
  EXPECT_EQ(View().Read(&next,
                        [&](uint64_t, const CollectiveEvent& event) {
                          events.push_back(event);
                          return true;
                        }),
            0u);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].entered, 100u);
  EXPECT_EQ(events[0].left, 105u);
  EXPECT_EQ(events[0].communicator, 3u);
  EXPECT_EQ(events[0].sequence, 7u);
  EXPECT_EQ(event::RootOf(events[0]), 2);
  EXPECT_TRUE(event::Gives(events[0]));
  EXPECT_FALSE(event::Gets(events[0]));
  EXPECT_EQ(event::NodeAt(events[0].node)->key, event::RegionKey(20));
  EXPECT_EQ(next, 1u);
}

TEST_F(CollectorsTest, RanksHaveNoneBelowZeroAndAllThatMpiHas) {
  for (const int32_t root : {-1, 0, 1, (1 << 27) - 2}) {
    for (const bool of_some : {false, true}) {
      const CollectiveEvent event = {0, 0, 0, 0, 0, event::AboutCollective(root, true, true, of_some)};
      EXPECT_EQ(event::RootOf(event), root);
      EXPECT_TRUE(event::Gives(event) && event::Gets(event));
      EXPECT_EQ(event::GetsOfSome(event), of_some);
    }
  }
}

TEST_F(CollectorsTest, TheOldestAreOverwrittenAndCounted) {
  constexpr uint32_t kEvents = event::kSmallestRing;
  Open(1);
  uint64_t next = 0, lost = 0;
  for (uint32_t i = 1; i <= kEvents; ++i) Call(i, 10 * i);
  // The oldest of a full ring may be in the middle of being overwritten.
  EXPECT_EQ(Sequences(&next, &lost).size(), kEvents - 1);
  EXPECT_EQ(lost, 1u);
  EXPECT_TRUE(Sequences(&next, &lost).empty());
  for (uint32_t i = kEvents + 1; i <= 4 * kEvents; ++i) Call(i, 10 * i);
  const std::vector<uint32_t> found = Sequences(&next, &lost);
  EXPECT_EQ(found.size() + lost, 4 * kEvents - (kEvents - 1));
  EXPECT_EQ(found.back(), 4 * kEvents);
  EXPECT_EQ(next, 4 * kEvents);
}

TEST_F(CollectorsTest, WhoReadsWhileItIsWrittenGetsWholeEventsOnly) {
  Open(8192);
  Call(1, 10);
  std::atomic<bool> done = false;
  uint64_t got = 0, lost = 0, torn = 0;
  const RingView view = View();
  std::thread reader([&] {
    uint64_t next = 0;
    for (bool last = false; !last;) {
      last = done;
      lost += view.Read(&next, [&](uint64_t number, const CollectiveEvent& event) {
        ++got;
        torn += event.sequence != number + 1 || event.entered != 10 * uint64_t{event.sequence} ||
                event.left != event.entered + 5;
        return true;
      });
    }
  });
  constexpr uint32_t kCalls = 200'000;
  for (uint32_t i = 2; i <= kCalls; ++i) Call(i, 10 * uint64_t{i});
  done = true;
  reader.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(got + lost, kCalls);
}

TEST_F(CollectorsTest, StepsAreNotedOnRequestAndWhoReadsCallsDoesNotSeeThem) {
  Open(1u << 20);
  EXPECT_FALSE(NotesTeams());
  TearDown();
  Open(1u << 20, 7);
  EXPECT_TRUE(NotesTeams());
  EXPECT_NE(location_->log_kinds & event::kNoteMessages, 0u);
  Call(1, 100);
  episode::Enter(location_, event::RegionKey(21), 1000, [] { return uint64_t{200}; });
  const uint32_t node = location_->node;
  CollectiveEvent sent = {};
  sent.entered = 200;
  sent.node = node;
  sent.left = 77;
  sent.sequence = 3;
  sent.about = static_cast<uint32_t>(event::Step::kSent) | event::kSynchronousStep | event::kStepBit;
  NoteStep(location_, sent, nullptr);
  NoteTeamBarrier(event::RegionKey(20), nullptr);  // it is not the innermost one
  NoteTeamBarrier(event::RegionKey(21), nullptr);
  episode::Exit(location_, event::RegionKey(21), 1000, [] { return uint64_t{300}; });
  uint64_t next = 0, lost = 0;
  EXPECT_EQ(Sequences(&next, &lost), std::vector<uint32_t>{1});
  EXPECT_EQ(next, 3u);
  std::vector<CollectiveEvent> steps;
  next = 1;
  View().ReadAll(&next, [&](uint64_t, const CollectiveEvent& step) {
    steps.push_back(step);
    return true;
  });
  ASSERT_EQ(steps.size(), 2u);
  for (const CollectiveEvent& step : steps) {
    EXPECT_TRUE(event::IsStep(step));
    EXPECT_EQ(step.entered, 200u);
    EXPECT_EQ(step.node, node);
  }
  EXPECT_EQ(event::StepOf(steps[0]), event::Step::kSent);
  EXPECT_EQ(steps[0].left, 77u);
  EXPECT_TRUE(event::Has(steps[0], event::kSynchronousStep));
  EXPECT_EQ(event::StepOf(steps[1]), event::Step::kTeamBarrier);
  EXPECT_GT(steps[1].left, 0u);
}

// Monitors must know who came last to an operation that another call completes.
TEST_F(CollectorsTest, OperationsThatHaveBegunAreAmongTheCalls) {
  Open(1u << 20);
  Call(1, 100);
  CollectiveEvent begun = {};
  begun.entered = 200;
  begun.sequence = 2;
  begun.about = static_cast<uint32_t>(event::Step::kBegun) | event::kStepBit;
  NoteStep(location_, begun, nullptr);
  CollectiveEvent ended = begun;
  ended.about = static_cast<uint32_t>(event::Step::kEnded) | event::kStepBit;
  NoteStep(location_, ended, nullptr);
  uint64_t next = 0, lost = 0;
  EXPECT_EQ(Sequences(&next, &lost), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(next, 2u) << "nobody asked for steps";
}

// Other threads of the process continue the operations of a communicator, so this thread must keep counting.
TEST_F(CollectorsTest, WhoHasNoRoomForARingIsStillAskedToCount) {
  Open(1u << 20, 1, true);
  const uint32_t kinds = location_->log_kinds;
  EXPECT_NE(kinds & event::kNoteCollectives, 0u);
  {
    const episode::Inside guard;
    const uint32_t lines = (1u << 20) / base::kLineBytes;
    while (base::Arena::Allocate(base::ChunkKind::kCollectives, 0, lines) != 0) {
    }
  }
  for (uint32_t i = 1; i <= 3; ++i) Call(i, 100 * i);
  EXPECT_FALSE(View().IsThere());
  EXPECT_FALSE(event::HasRing(location_));
  EXPECT_EQ(location_->log_kinds, kinds);
  const uint32_t node = epitome::KnownChild(event::NodeAt(location_->root), event::RegionKey(20));
  const uint32_t unknown = epitome::KnownChild(event::NodeAt(node), event::RegionKey(event::kWaitsUnknownMetric));
  ASSERT_NE(unknown, 0u);
  EXPECT_EQ(event::NodeAt(unknown)->visits, 3u);
  DoWhatIsDue(0, nullptr);
  TellLastWaits();
  SettleWaits();
}

// A filter, or a group that is off, excludes the call, and its caller is the innermost one.
TEST_F(CollectorsTest, ACallThatIsNotMeasuredHasNoFrame) {
  Open(1u << 20);
  const event::Key call = event::RegionKey(20), caller = event::RegionKey(21);
  episode::Enter(location_, caller, 2000, [] { return uint64_t{100}; });
  EXPECT_EQ(MeasuredFrame(location_, call), nullptr);
  EXPECT_NE(MeasuredFrame(location_, caller), nullptr);
  episode::PushUntimed(location_, location_->node, call, 1000, event::kUntimed | event::kOff);
  EXPECT_EQ(MeasuredFrame(location_, call), nullptr);
  episode::PopOff(location_, event::FrameAt(location_->top));
  episode::Enter(location_, call, 1000, [] { return uint64_t{150}; });
  ASSERT_NE(MeasuredFrame(location_, call), nullptr);
  EXPECT_EQ(MeasuredFrame(location_, call)->entered, 150u);
  episode::Exit(location_, call, 1000, [] { return uint64_t{200}; });
  episode::Exit(location_, caller, 2000, [] { return uint64_t{300}; });
}

TEST_F(CollectorsTest, DamageIsNoRing) {
  Open(1u << 20);
  Call(1, 10);
  auto* ring = base::LineAt<event::CollectiveRing>(location_->collectives + 1);
  for (const uint32_t capacity : {0u, 3u, 1u << 31}) {
    ring->capacity = capacity;
    EXPECT_FALSE(View().IsThere());
  }
  const uint32_t line = location_->collectives;
  location_->collectives = ~0u;
  EXPECT_FALSE(View().IsThere());
  location_->collectives = line + 1;
  EXPECT_FALSE(View().IsThere());
  location_->collectives = line;
}

TEST_F(CollectorsTest, ACallThatComesBackNowIsLeftAtTheTimeOfItsNote) {
  Open(1u << 20);
  const event::Key key = event::RegionKey(20);
  episode::Enter(location_, key, 1000, [] { return uint64_t{100}; });
  const uint64_t left = NoteCall(location_, 3, 7, event::AboutCollective(2, true, false), nullptr);
  episode::Exit(location_, key, 1000, [left] { return left; });
  EXPECT_NE(left, 0u);
  uint64_t next = 0;
  std::vector<CollectiveEvent> noted;
  RingView({base::arena_base, event::Process()->arena.bytes}, location_)
      .ReadAll(&next, [&](uint64_t, const auto& event) {
        noted.push_back(event);
        return true;
      });
  ASSERT_EQ(noted.size(), 1u);
  EXPECT_EQ(noted[0].entered, 100u);
  EXPECT_EQ(noted[0].left, left);
  EXPECT_EQ(noted[0].communicator, 3u);
  EXPECT_EQ(noted[0].sequence, 7u);
  EXPECT_EQ(event::RootOf(noted[0]), 2);
  EXPECT_TRUE(event::Gives(noted[0]) && !event::Gets(noted[0]));
  EXPECT_EQ(event::NodeAt(noted[0].node)->key, key);
}

// A thread that works at a different note than the others would make them wait.
TEST(SlicesTest, NotesAreWorkedOffAtTheSameOnesWheneverThereWasWorkBefore) {
  EXPECT_EQ(NextDue(0, 1u << 14), kNotesInBulk);
  EXPECT_EQ(NextDue(kNotesInBulk - 1, 1u << 14), kNotesInBulk);
  EXPECT_EQ(NextDue(kNotesInBulk + 5, 1u << 14), 2 * kNotesInBulk);
  EXPECT_EQ(NextDue(70, 32), 96u);  // of a small ring
  works_in_slices = true;
  EXPECT_EQ(NextDue(kNotesOfSlice, 1u << 14), 2 * kNotesOfSlice);
  works_in_slices = false;
}

}  // namespace
}  // namespace epik::monitor
