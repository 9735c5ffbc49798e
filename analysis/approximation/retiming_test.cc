// SPDX-License-Identifier: BSD-3-Clause
// Events of traces written by hand get the times that the models give.
#include "analysis/approximation/retiming.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/approximation/measurement.h"
#include "analysis/approximation/transfers.h"
#include "analysis/graph/builder.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_noise.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

// A price for each visit, and no other change.
class Cheaper : public Change {
 public:
  explicit Cheaper(double ns) : ns_(ns) {}
  double SavedAtVisit(uint32_t /*location*/, uint32_t /*path*/) const override { return ns_; }

 private:
  double ns_;
};

// The times of events, by location.
using EventTimes = std::vector<std::vector<double>>;

EventTimes Retimed(const replay::World& world, std::vector<std::unique_ptr<replay::EventSource>> sources,
                   std::vector<std::unique_ptr<replay::EventSource>> again, const Change& change,
                   Rules rules = Rules()) {
  graph::Graph graph(world.locations.size());
  replay::MeasuredTime time(&world);
  graph::GraphBuilder builder(&world, &graph);
  Marks marks(world.locations.size());
  for (uint32_t l = 0; l < sources.size(); ++l) {
    sources[l] = marks.Watch(l, &world, &graph, &builder, std::move(sources[l]));
  }
  replay::Replay replay(&world, std::move(sources), &time, {&builder});
  replay.Run();
  builder.Finish();
  std::vector<uint32_t> leaders;
  for (const replay::Location& location : world.locations) {
    leaders.push_back(world.processes[location.process].locations.front());
  }
  const Times times = Forward(graph, leaders, Transfers(graph), change, rules);
  EventTimes result(world.locations.size());
  for (uint32_t l = 0; l < again.size(); ++l) {
    Retiming retiming(graph, marks, times, change, l);
    const replay::Process& process = world.processes[world.locations[l].process];
    archive::Event event;
    while (again[l]->Next(&event)) {
      const uint32_t path = event.kind == event::RecordKind::kEnter ? process.nodes.At(event.node).path : graph::kNone;
      result[l].push_back(retiming.Take(event.kind, process.clock.Ns(event.time), path));
    }
  }
  return result;
}

EventTimes Retimed(Script* script, double price, Rules rules = Rules()) {
  const replay::World& world = script->world();
  return Retimed(world, script->Sources(), script->Sources(), Cheaper(price), rules);
}

using List = std::vector<double>;

// A call of MPI_Test that ends a barrier depends on the rank that came last, even if that rank comes later than it did.
TEST(Retiming, OfATestThatCompletesAnOperation) {
  constexpr const char* kPolled =
      R"(0: 0 > m | 10 > MPI_Ibarrier | 10 collective_begin MPI_Ibarrier 7 | 11 collective_posted MPI_Ibarrier w -1 0 0 7 | 12 < | 20 > MPI_Test | 22 < | 60 > MPI_Test | 61 collective_end MPI_Ibarrier w -1 0 0 7 | 62 < | 99 <
         1: 0 > m | 10 > f | 12 < | 13 > f | 15 < | 16 > f | 18 < | 20 > f | 50 < | 50 > MPI_Ibarrier | 50 collective_begin MPI_Ibarrier 7 | 51 collective_posted MPI_Ibarrier w -1 0 0 7 | 52 < | 70 > MPI_Wait | 71 collective_end MPI_Ibarrier w -1 0 0 7 | 72 < | 99 <)";
  Script script(2);
  script.Add(kPolled);
  // Each visit takes 100 more. Rank 1 has more visits before its barrier than rank 0 has before MPI_Test finds it
  // complete.
  const EventTimes later = Retimed(&script, -100);
  ASSERT_EQ(later[0].size(), 11u);
  EXPECT_GE(later[0][8], later[1][9]);
  EXPECT_LT(later[0][5], later[1][9]);  // rank 0 asks in vain until then
  const EventTimes same = Retimed(&script, 0);
  EXPECT_EQ(same[0][8], 62);
}

// The other rank comes between two calls that ask. The loop asks again a while later, and did so in the measured run.
TEST(Retiming, OfALoopThatAsksWithNothingChanged) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Ibarrier | 10 collective_begin MPI_Ibarrier 7 | 11 collective_posted MPI_Ibarrier w -1 0 0 7 | 12 < | 20 > MPI_Test | 22 < | 30 > MPI_Test | 32 < | 40 > MPI_Test | 42 < | 55 > MPI_Test | 57 < | 70 > MPI_Test | 71 collective_end MPI_Ibarrier w -1 0 0 7 | 72 < | 99 <
         1: 0 > m | 60 > MPI_Ibarrier | 60 collective_begin MPI_Ibarrier 7 | 61 collective_posted MPI_Ibarrier w -1 0 0 7 | 62 < | 80 > MPI_Wait | 81 collective_end MPI_Ibarrier w -1 0 0 7 | 82 < | 99 <)");
  const EventTimes same = Retimed(&script, 0);
  EXPECT_EQ(same[0][same[0].size() - 2], 72);
  EXPECT_EQ(same[0].back(), 99);
}

TEST(Retiming, OfNothingChangedGivesTheMeasuredTimes) {
  Script script(2);
  script.Add(R"(0: 0 > m | 20 > f | 30 < | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 99 <)");
  const EventTimes times = Retimed(&script, 0);
  EXPECT_EQ(times[0], (List{0, 20, 30, 50, 50, 60, 99}));  // the message goes out when the call begins
  EXPECT_EQ(times[1], (List{0, 10, 62, 62, 99}));          // and comes in when the call ends
}

// Locks, joins and the like of libc: 0.1 waits for 0 (or 0 for the end of 0.1). Rank 2 gives no data to the others,
// which have left when it comes.
TEST(Retiming, OfAnOperationDoesNotWaitForWhoGivesNothing) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Allgatherv | 10 collective_begin MPI_Allgatherv 0 | 60 collective_end MPI_Allgatherv w -1 8 16 0 | 60 < | 200 <
         1: 0 > m | 50 > MPI_Allgatherv | 50 collective_begin MPI_Allgatherv 0 | 60 collective_end MPI_Allgatherv w -1 8 16 0 | 60 < | 200 <
         2: 0 > m | 80 > MPI_Allgatherv | 80 collective_begin MPI_Allgatherv 0 | 85 collective_end MPI_Allgatherv w -1 0 16 0 | 85 < | 200 <)");
  EXPECT_EQ(Retimed(&script, 0),
            (EventTimes{List{0, 10, 10, 60, 60, 200}, List{0, 50, 50, 60, 60, 200}, List{0, 80, 80, 85, 85, 200}}));
}

constexpr const char* kJoin =
    R"(0: 0 > m | 1 thread_create 1 | 5 > pthread_management | 5 join_wanted 1 | 205 join_got 1 | 206 < | 300 <
       0.1: 2 > t | 2 thread_begin 1 | 10 > f | 100 < | 110 > f | 200 < | 204 thread_end 1 | 204 <)";
constexpr const char* kMutex =
    R"(0: 0 > m | 10 > f | 50 < | 60 > f | 100 < | 300 <
       0.1: 0 > t | 20 > pthread_lock_api | 20 lock_wanted 7 0 | 110 lock_got 7 | 111 < | 300 <)";
constexpr const char* kCondition =
    R"(0: 0 > m | 10 > f | 50 < | 60 signal 5 0 | 300 <
       0.1: 0 > t | 5 > pthread_conditional | 5 signal_wanted 5 6 | 62 signal_got 5 1 | 62 < | 300 <)";
constexpr const char* kSemaphore =
    R"(0: 0 > m | 10 > f | 50 < | 60 signal 5 0 | 300 <
       0.1: 0 > t | 5 > pthread_semaphore | 5 signal_wanted 5 0 | 62 signal_got 5 1 | 62 < | 300 <)";
constexpr const char* kBarrier =
    R"(0: 0 > m | 10 > f | 90 < | 90 > pthread_barrier | 90 thread_barrier 5 2 | 92 < | 300 <
       0.1: 0 > t | 5 > pthread_barrier | 5 thread_barrier 5 2 | 92 < | 300 <)";

TEST(Retiming, OfThreadsThatWaitGivesTheMeasuredTimes) {
  for (const char* text : {kJoin, kMutex, kCondition, kSemaphore, kBarrier}) {
    Script script(1);
    script.Add(text);
    const EventTimes times = Retimed(&script, 0);
    auto sources = script.Sources();
    for (size_t l = 0; l < times.size(); ++l) {
      archive::Event event;
      for (const double time : times[l]) {
        ASSERT_TRUE(sources[l]->Next(&event));
        const bool within = event.kind != event::RecordKind::kEnter && event.kind != event::RecordKind::kExit;
        if (within) continue;
        EXPECT_EQ(time, static_cast<double>(event.time)) << text;
      }
    }
  }
}

// A thread that waits saves as much as the thread that it waits for: the distance between both events stays.
TEST(Retiming, OfThreadsThatWaitFollowsWhomTheyWaitFor) {
  struct Awaited {
    const char* text;
    size_t waiter, got;      // event
    size_t other, happened;  // event
    double measured;         // when `happened` was measured
    double after;            // distance between both events
  };
  constexpr double kPrice = 8;
  for (const Awaited& awaited : {Awaited{kJoin, 0, 4, 1, 6, 204, 1}, Awaited{kMutex, 1, 3, 0, 4, 100, 10},
                                 Awaited{kCondition, 1, 3, 0, 3, 60, 2}, Awaited{kSemaphore, 1, 3, 0, 3, 60, 2},
                                 Awaited{kBarrier, 1, 3, 0, 3, 90, 2}}) {
    Script script(1);
    script.Add(awaited.text);
    const EventTimes times = Retimed(&script, kPrice);
    const double happened = times[awaited.other][awaited.happened];
    EXPECT_LE(happened, awaited.measured - kPrice) << awaited.text;
    EXPECT_NEAR(times[awaited.waiter][awaited.got], happened + awaited.after, kPrice) << awaited.text;
  }
}

TEST(Retiming, OfALockThatIsFreeDoesNotWait) {
  Script script(1);
  script.Add(kMutex);
  Rules rules;
  rules.locks_wait = false;
  EXPECT_EQ(Retimed(&script, 0, rules)[1], (List{0, 20, 20, 20, 21, 210}));
}

// a(i) = a(i-1) + m(i) - m(i-1) - α, where a quarter of a visit's price is on each side of a time stamp. The visit of m
// itself is taken off as a whole before the location's last point.
TEST(Retiming, OfIndependentEvents) {
  Script script(1);
  script.Add("0: 0 > m | 100 > f | 200 < | 300 > f | 400 < | 500 <");
  EXPECT_EQ(Retimed(&script, 40)[0], (List{0, 80, 160, 240, 320, 380}));
}

// No more time than there is can be taken off: events stand still, and the rest is taken off later ones.
TEST(Retiming, NeverGoesBack) {
  Script script(1);
  script.Add("0: 0 > m | 10 > f | 12 < | 13 > f | 14 < | 500 <");
  const List times = Retimed(&script, 40)[0];
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times[4], 0);
  EXPECT_EQ(times[5], 380);
  EXPECT_EQ(Retimed(&script, 1e9)[0], List(6, 0.0));
}

TEST(Retiming, WaitsForASenderThatBecameFaster) {
  Script script(2);
  script.Add(R"(0: 0 > m | 100 > f | 500 < | 600 > f | 1000 < | 1100 > MPI_Send | 1101 send 1 5 w 8 | 1200 < | 2000 <
                1: 0 > m | 10 > MPI_Recv | 1150 receive 0 5 w 8 | 1160 < | 2000 <)");
  const EventTimes times = Retimed(&script, 40);
  EXPECT_LT(times[0][5], 1100 - 80);
  EXPECT_EQ(times[0][6], times[0][5]);
  EXPECT_GE(times[1][2], times[0][6]);
  EXPECT_LT(times[1][3], 1160 - 80);
}

// A call of MPI_Test that completes a message depends on its sender; one that completes nothing computes.
TEST(Retiming, OfTestsThatComplete) {
  Script script(2);
  script.Add(R"(0: 0 > m | 700 > MPI_Send | 701 send 1 5 w 8 | 800 < | 2000 <
                1: 0 > m | 10 > MPI_Irecv | 11 receive_posted 0 5 w 1 | 20 < | 30 > MPI_Test | 40 < | 50 > f | 690 <
                1: 710 > MPI_Test | 715 receive_end 0 5 w 8 1 | 720 < | 2000 <)");
  const EventTimes times = Retimed(&script, 60);
  const double sent = times[0][2], received = times[1][9];
  EXPECT_GE(received, sent);
  EXPECT_GT(sent, 600);
}

// Code that takes half of its time.
class Faster : public Change {
 public:
  explicit Faster(const Script& script) : script_(script) {}
  double SavedShare(uint32_t, uint32_t path) const override { return script_.PathName(path).ends_with("f") ? 0.5 : 0; }

 private:
  const Script& script_;
};

EventTimes WithFaster(Script* script) {
  const replay::World& world = script->world();
  return Retimed(world, script->Sources(), script->Sources(), Faster(*script));
}

// A thread that asks again and again is waiting, also when the sender is there earlier.
TEST(Retiming, OfPolling) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > f | 810 < | 820 > MPI_Send | 821 send 1 5 w 8 | 830 < | 2000 <
                1: 0 > m | 10 > MPI_Irecv | 11 receive_posted 0 5 w 1 | 20 < | 30 > MPI_Test | 300 < | 310 > MPI_Test | 600 <
                1: 610 > MPI_Test | 820 < | 825 > MPI_Test | 833 receive_end 0 5 w 8 1 | 835 < | 2005 <)");
  EXPECT_EQ(Retimed(&script, 0)[1], (List{0, 10, 10, 20, 30, 300, 310, 600, 610, 820, 825, 835, 835, 2005}));
  const EventTimes times = WithFaster(&script);
  EXPECT_NEAR(times[0][3], 420, 0.5);
  EXPECT_NEAR(times[1][12], 435, 0.5);
  EXPECT_NEAR(times[1][13], 1605, 0.5);
}

// Work between two tests is work.
TEST(Retiming, OfWorkThatAsksNowAndThen) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > f | 8010 < | 8020 > MPI_Send | 8021 send 1 5 w 8 | 8030 < | 9000 <
                1: 0 > m | 10 > MPI_Irecv | 11 receive_posted 0 5 w 1 | 20 < | 30 > MPI_Test | 40 < | 4000 > MPI_Test | 4010 <
                1: 8100 > MPI_Test | 8133 receive_end 0 5 w 8 1 | 8135 < | 9000 <)");
  EXPECT_NEAR(WithFaster(&script)[1][10], 8135, 0.5);
}

// MPI_Iprobe waits for the message that is received next.
TEST(Retiming, OfPollingForAMessage) {
  Script script(2);
  script.Add(R"(0: 0 > m | 10 > f | 810 < | 820 > MPI_Send | 821 send 1 5 w 8 | 830 < | 2000 <
                1: 0 > m | 30 > MPI_Iprobe | 400 < | 410 > MPI_Iprobe | 840 < | 845 > MPI_Recv | 850 receive 0 5 w 8 | 855 < | 2000 <)");
  const EventTimes times = WithFaster(&script);
  EXPECT_LT(times[1][7], 480);
  EXPECT_GE(times[1][7], times[0][3]);
}

// A message that came while others were missing does not take until these were there.
TEST(Retiming, OfAWaitForAMessageAndAnOperation) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Irecv | 11 receive_posted 1 5 w 1 | 20 < | 20 > MPI_Ibarrier | 20 collective_begin MPI_Ibarrier 7 | 21 collective_posted MPI_Ibarrier w -1 0 0 7 | 22 < | 30 > MPI_Waitall | 835 receive_end 1 5 w 8 1 | 835 collective_end MPI_Ibarrier w -1 0 0 7 | 840 < | 2000 <
                1: 0 > m | 40 > MPI_Send | 41 send 0 5 w 8 | 45 < | 50 > f | 810 < | 820 > MPI_Ibarrier | 820 collective_begin MPI_Ibarrier 7 | 821 collective_posted MPI_Ibarrier w -1 0 0 7 | 822 < | 830 > MPI_Wait | 835 collective_end MPI_Ibarrier w -1 0 0 7 | 835 < | 2000 <)");
  const EventTimes times = WithFaster(&script);
  EXPECT_NEAR(times[0].end()[-2], 840 - 380, 0.5);
}

// Happened-before, whatever the trace is.
void ExpectOrder(const EventTimes& times, int64_t least) {
  for (const List& events : times) {
    EXPECT_TRUE(std::is_sorted(events.begin(), events.end()));
    EXPECT_TRUE(events.empty() || events.front() >= static_cast<double>(least));
  }
}

TEST(Retiming, OfNoiseKeepsTheOrderOfEachThread) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const replay::World world = replay::AnyWorld(3, seed);
    for (const double price : {0.0, 3.0, 1e6}) {
      ExpectOrder(Retimed(world, AnySources(world, seed), AnySources(world, seed), Cheaper(price)), 0);
    }
  }
}

}  // namespace
}  // namespace epik::approximation
