// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>

#include "archive/image/process_image.h"
#include "runtime/episode/location.h"
#include "runtime/episode/numbers.h"
#include "runtime/monitor/collectors.h"
#include "runtime/teams/task_hot.h"
#include "runtime/teams/task_parts.h"

namespace epik::teams {

using episode::current;
using episode::Enter;
using episode::Exit;
using episode::TakeNumber;
using event::Node;

namespace {

using archive::LocationImage;
using archive::ProcessImage;
using event::Construct;
using event::ConstructKey;

constexpr Key kWork = 0x401000;
constexpr Key kOther = 0x402000;
constexpr Key kRegion = ConstructKey(Construct::kParallel, 0x403000);
constexpr Key kBarrier = ConstructKey(Construct::kImplicitBarrier, 0x403000);
constexpr Key kTask = ConstructKey(Construct::kTask, 0x404000);

class TeamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base::clock_is_tsc = false;
    episode::SeeEachEvent();
    ForgetTeams();
    episode::ForgetAll();
    ASSERT_EQ(base::Arena::Create(nullptr, 64u << 20), 0);
    ASSERT_TRUE(epitome::OpenTables(64u << 20));
    episode::Inside guard;
    episode::Attach(episode::Origin{}, base::Now());
  }
  void TearDown() override {
    if (current != nullptr) Leave();
    ForgetTeams();
    episode::ForgetAll();
    base::Arena::Destroy();
    epitome::CloseTables();
  }

  static Location* Here() { return current; }

  static void Leave() {
    episode::Inside guard;
    episode::Detach(current, base::Now());
  }

  // First a thread of the pool comes to its part.
  static void Come(uint32_t number) {
    *episode::joins_team_as = number + 1;
    {
      episode::Inside guard;
      episode::Attach(episode::Origin{}, base::Now());
    }
    *episode::joins_team_as = 0;
    FrameAt(Here()->bottom + 1)->entered = ~uint64_t{0};  // as PrepareForPart does
  }

  static void Spend(uint64_t ns) {
    const uint64_t end = base::Now() + ns;
    while (base::Now() < end) {
    }
  }

  static ProcessImage Image() {
    ProcessImage image;
    std::string error;
    EXPECT_TRUE(archive::ReadProcessImage(base::arena_base, 64u << 20, &image, &error)) << error;
    return image;
  }

  static std::map<Key, Node> ByKey(const LocationImage& location) {
    std::map<Key, Node> nodes;
    for (const Node& node : location.nodes) nodes[node.key] = node;
    return nodes;
  }

  const void* stack_ = __builtin_frame_address(0);
};

TEST_F(TeamTest, AThreadOfThePoolWaitsUntilItsLeaderSaysSo) {
  Team team;
  Enter(kWork, stack_);
  ASSERT_TRUE(Fork(&team, kRegion, stack_));
  team.size = 2;
  std::promise<void> done, seen;
  std::thread worker([&] {
    Come(1);
    EXPECT_TRUE(BeginPart(&team, 1));
    Enter(kOther, stack_);
    Spend(100'000);
    Exit(kOther, stack_);
    EndPart(&team);
    done.set_value();
    seen.get_future().wait();
    Leave();
  });
  done.get_future().wait();
  EndOwnPart(&team, stack_);
  Spend(100'000);
  Join(&team, stack_);
  Spend(100'000);

  const ProcessImage image = Image();
  ASSERT_EQ(image.locations.size(), 2u);
  EXPECT_EQ(image.locations[1].header.number, 1u);
  EXPECT_EQ(image.locations[1].header.omp_thread, 2u);
  std::map<Key, Node> nodes = ByKey(image.locations[1]);
  const std::map<Key, Node> leader = ByKey(image.locations[0]);
  EXPECT_EQ(nodes[kRegion].visits, 1u);
  EXPECT_EQ(nodes[kBarrier].visits, 1u);
  EXPECT_GE(nodes[kBarrier].ticks, 100'000u);
  EXPECT_EQ(nodes[kRegion].ticks, nodes[kRegion].max);
  EXPECT_GE(nodes[kRegion].ticks, nodes[kBarrier].ticks + nodes[kOther].ticks);
  EXPECT_LE(nodes[kRegion].ticks, leader.at(kRegion).ticks);
  // The copy of the path takes the work below it, and has no visit.
  EXPECT_EQ(nodes[kWork].visits, 0u);
  EXPECT_EQ(nodes[kWork].ticks, nodes[kRegion].ticks);
  ASSERT_EQ(image.locations[1].frames.size(), 1u);
  EXPECT_EQ(image.locations[1].frames[0].key, event::RegionKey(event::kIdleRegion));
  seen.set_value();
  worker.join();
}

TEST_F(TeamTest, BetweenTwoRegionsItIsIdle) {
  Team team;
  std::promise<void> part[2], go;
  Team* teams[2] = {&team, nullptr};
  Team second;
  teams[1] = &second;
  ASSERT_TRUE(Fork(&team, kRegion, stack_));
  team.size = 2;
  std::thread worker([&] {
    Come(1);
    EXPECT_TRUE(BeginPart(teams[0], 1));
    EndPart(teams[0]);
    part[0].set_value();
    go.get_future().wait();
    EXPECT_TRUE(BeginPart(teams[1], 1));
    EndPart(teams[1]);
    const episode::Inside guard;
    episode::LeaveThisThread();  // before its memory is freed
    part[1].set_value();
  });
  part[0].get_future().wait();
  EndOwnPart(&team, stack_);
  Join(&team, stack_);
  Spend(300'000);
  ASSERT_TRUE(Fork(&second, kRegion, stack_));
  second.size = 2;
  go.set_value();
  part[1].get_future().wait();
  EndOwnPart(&second, stack_);
  Join(&second, stack_);
  worker.join();
  std::map<Key, Node> nodes = ByKey(Image().locations[1]);
  const Node idle = nodes[event::RegionKey(event::kIdleRegion)];
  EXPECT_EQ(idle.visits, 1u);
  EXPECT_GE(idle.ticks, 300'000u);
  EXPECT_EQ(nodes[kRegion].visits, 2u);
  EXPECT_EQ(nodes[event::RegionKey(event::kProgramRegion)].ticks, idle.ticks + nodes[kRegion].ticks);
}

// A leader that comes late from its barrier does not end the wait of another leader's thread, which has the location of
// its own thread by then.
TEST_F(TeamTest, OnlyItsOwnLeaderEndsTheWaitOfAThread) {
  Team first, second;
  ASSERT_TRUE(Fork(&first, kRegion, stack_));
  first.size = 2;
  const Location* location = nullptr;
  std::promise<void> forked, is_free, waits, seen;
  std::thread other([&] {
    {
      episode::Inside guard;
      episode::Attach(episode::Origin{}, base::Now());
    }
    const void* const stack = __builtin_frame_address(0);
    EXPECT_TRUE(Fork(&second, kRegion, stack));
    second.size = 2;
    forked.set_value();
    is_free.get_future().wait();
    std::thread([&] {
      Come(1);
      EXPECT_EQ(Here(), location);
      EXPECT_TRUE(BeginPart(&second, 1));
      EndPart(&second);
      waits.set_value();
      seen.get_future().wait();
      Leave();
    }).join();
    EndOwnPart(&second, stack);
    Join(&second, stack);
    Leave();
  });
  forked.get_future().wait();
  std::thread([&] {
    Come(1);
    location = Here();
    EXPECT_TRUE(BeginPart(&first, 1));
    EndPart(&first);
    Leave();
  }).join();
  is_free.set_value();
  waits.get_future().wait();
  EndOwnPart(&first, stack_);
  const uint64_t before = base::Now();
  Join(&first, stack_);
  EXPECT_LT(location->joined, before);
  seen.set_value();
  other.join();
}

TEST_F(TeamTest, ATaskCountsWhereItWasCreated) {
  Enter(kWork, stack_);
  const uint32_t task = NodeOfTask(Here()->node, kTask);
  Exit(kWork, stack_);
  Enter(kOther, stack_);
  EnterElsewhere(task, kTask, stack_);
  Spend(200'000);
  ExitElsewhere(task, kTask, stack_);
  Exit(kOther, stack_);
  Leave();
  std::map<Key, Node> nodes = ByKey(Image().locations[0]);
  const uint64_t whole = nodes[kOther].max;
  EXPECT_EQ(nodes[kTask].visits, 1u);
  EXPECT_GE(nodes[kTask].ticks, 200'000u);
  EXPECT_EQ(nodes[kOther].ticks + nodes[kTask].ticks, whole);
  EXPECT_EQ(nodes[kWork].ticks, nodes[kWork].max + nodes[kTask].ticks);
  const Node& program = nodes[event::RegionKey(event::kProgramRegion)];
  EXPECT_EQ(program.ticks, program.max);
}

TEST_F(TeamTest, ATaskThatIsLeftOpenIsClosedWhereItBelongs) {
  Enter(kWork, stack_);
  const uint32_t task = NodeOfTask(Here()->node, kTask);
  Exit(kWork, stack_);
  Enter(kOther, stack_);
  EnterElsewhere(task, kTask, stack_);
  Spend(200'000);
  Leave();  // the thread is cancelled
  std::map<Key, Node> nodes = ByKey(Image().locations[0]);
  EXPECT_EQ(nodes[kOther].ticks + nodes[kTask].ticks, nodes[kOther].max);
  EXPECT_EQ(nodes[kWork].ticks, nodes[kWork].max + nodes[kTask].ticks);
}

TEST(Numbers, AreTheWantedOnesWhereFree) {
  episode::ForgetNumbers();
  EXPECT_EQ(TakeNumber(0), 0u);
  EXPECT_EQ(TakeNumber(3), 3u);
  EXPECT_EQ(TakeNumber(0), 1u);
  EXPECT_EQ(TakeNumber(1), 2u);
  EXPECT_EQ(TakeNumber(2), 4u);
  for (uint32_t n = 5; n < 200; ++n) EXPECT_EQ(TakeNumber(0), n);
  episode::ForgetNumbers();
}

// Two tasks in a recursive function: as many call paths for any depth, and times that still add up.
TEST_F(TeamTest, RecursiveTasksHaveOneCallPath) {
  constexpr Key kLeft = ConstructKey(Construct::kTask, 0x404000), kRight = ConstructKey(Construct::kTask, 0x405000);
  constexpr uint32_t kDepth = 9;
  uint64_t calls = 0;
  const auto recurse = [&](const auto& self, uint32_t depth) -> void {
    ++calls;
    Enter(kWork, stack_);
    Spend(1000);
    for (const Key key : {kLeft, kRight}) {
      if (depth == 0) break;
      const uint32_t node = NodeOfTask(Here()->node, key);
      EnterElsewhere(node, key, stack_);
      self(self, depth - 1);
      ExitElsewhere(node, key, stack_);
    }
    Exit(kWork, stack_);
  };
  recurse(recurse, kDepth);
  EXPECT_EQ(calls, (1u << (kDepth + 1)) - 1);
  EXPECT_LT(Here()->paths, 30u);
  Leave();
  const ProcessImage image = Image();
  uint64_t visits = 0, tasks = 0;
  for (const Node& node : image.locations[0].nodes) {
    visits += node.key == kWork ? node.visits : 0;
    tasks += node.key == kLeft || node.key == kRight ? node.visits : 0;
  }
  EXPECT_EQ(visits, calls);
  EXPECT_EQ(tasks, calls - 1);
  // A node takes at least as long as the nodes below it.
  const std::vector<Node>& nodes = image.locations[0].nodes;
  std::vector<uint64_t> below(nodes.size());
  for (const Node& node : nodes) {
    if (node.parent != archive::kNoNode && !event::IsMetric(node.key)) below[node.parent] += node.ticks;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!event::IsMetric(nodes[i].key)) {
      EXPECT_GE(nodes[i].ticks, below[i]) << i;
    }
  }
}

// The end of the measurement takes the locations of all threads away, wherever they are.
TEST_F(TeamTest, TheLocationMayBeTakenAwayAtAnyMoment) {
  episode::ThreadSlot* slot = &current;
  Location* location = Here();
  std::atomic<bool> done{false};
  std::thread end([&] {
    while (!done) {
      slot->SetOrdered(nullptr);
      slot->SetOrdered(location);
    }
  });
  for (int i = 0; i < 300'000; ++i) {
    LogWork();
    CloseInside(kRegion);
    TicksOfPart(kTask);
    monitor::NotesTeams();
    monitor::NoteTeamBarrier(kBarrier, kOnNoStack);
  }
  done = true;
  end.join();
  EXPECT_EQ(Here(), location);
}

}  // namespace
}  // namespace epik::teams
