// SPDX-License-Identifier: BSD-3-Clause
// Threads that come, call and go while another thread reads the arena, as `epk top` does, and while the process ends.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "archive/image/process_image.h"
#include "runtime/base/arena.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/modules.h"
#include "runtime/event/control.h"
#include "runtime/event/trace.h"

namespace epik::episode {
namespace {

using archive::LocationImage;
using archive::ProcessImage;

constexpr uint64_t kArenaBytes = 64u << 20;
constexpr uint64_t kStack = 1u << 20;

// Calls functions on the calling thread, at times of its own: one tick for each event.
class Caller {
 public:
  bool Begin() {
    Inside guard;
    return Attach(Origin{}, now_) != nullptr;
  }
  void End() {
    Inside guard;
    DetachThisThread(now_);
  }

  // Calls a function that calls `depth` others, one inside the other. False: the location was taken away.
  bool Call(uint64_t function, int depth) {
    const auto at = [this] { return ++now_; };
    for (int i = 0; i <= depth; ++i) {
      Location* location = current;
      if (location == nullptr) return false;
      Enter(location, KeyOf(function + static_cast<uint64_t>(i)), kStack - 64 * static_cast<uint64_t>(i), at);
    }
    for (int i = depth; i >= 0; --i) {
      Location* location = current;
      if (location == nullptr) return false;
      Exit(location, KeyOf(function + static_cast<uint64_t>(i)), kStack - 64 * static_cast<uint64_t>(i), at);
    }
    return true;
  }

 private:
  // Region keys: the test calls nothing that stands in a module.
  static Key KeyOf(uint64_t function) { return event::RegionKey(event::kFirstDefinedRegion + (function & 0xffff)); }

  uint64_t now_ = 1;
};

class ThreadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base::clock_is_tsc = false;
    ForgetAll();
    ForgetModules();
    epitome::path_limit = 0;
    frame_limit = 0;
    first_frames = 16;  // so that stacks have to grow, too
    thread_limit = 0;
    ASSERT_EQ(base::Arena::Create(nullptr, kArenaBytes), 0);
    ASSERT_TRUE(epitome::OpenTables(kArenaBytes));
  }
  void TearDown() override {
    ForgetAll();
    ForgetDefinitions();
    base::Arena::Destroy();
    epitome::CloseTables();
  }

  static ProcessImage Image() {
    ProcessImage image;
    std::string error;
    EXPECT_TRUE(archive::ReadProcessImage(base::arena_base, kArenaBytes, &image, &error)) << error;
    return image;
  }

  static uint64_t Visits(const ProcessImage& image) {
    uint64_t visits = 0;
    for (const LocationImage& location : image.locations) {
      visits += location.folded_visits;
      for (const event::Node& node : location.nodes) {
        const bool is_ours = event::RegionOf(node.key) >= event::kFirstDefinedRegion;
        visits += is_ours ? node.visits : 0;
      }
    }
    return visits;
  }
};

// The trace on and off, and room taken away, while threads call: their counts are exact, and their traces are nested.
TEST_F(ThreadsTest, SwitchedFromOutsideWhileAtWork) {
  constexpr int kThreads = 3;
  constexpr uint64_t kCalls = 20000;
  constexpr int kDepth = 20;
  epilog::StartTrace({0, event::kLogCommunication, 0}, {8u << 20, 1, false});
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&running] {
      Caller caller;
      ASSERT_TRUE(caller.Begin());
      for (uint64_t i = 0; i < kCalls; ++i) ASSERT_TRUE(caller.Call(i % 7 * 100, kDepth));
      caller.End();
      --running;
    });
  }
  const event::MappedArena arena = {base::arena_base, kArenaBytes};
  for (int round = 0; running != 0; ++round) {
    event::SwitchTraceOf(arena, round % 3 != 0, base::Now());
    event::PauseOf(arena, round % 2 == 0);
    event::ForEachPlace(arena, [](Location* location) { __atomic_store_n(&location->log_limit, 0, __ATOMIC_RELAXED); });
  }
  for (std::thread& thread : threads) thread.join();
  const ProcessImage image = Image();
  EXPECT_EQ(Visits(image), kThreads * kCalls * (kDepth + 1));
  for (const LocationImage& location : image.locations) {
    uint32_t depth = 0;
    for (const archive::TraceChunk& chunk : location.trace) {
      ASSERT_EQ(depth, chunk.depth);
      for (uint32_t at = 0; at < chunk.count; ++at) {
        const uint32_t code = event::CodeOf(chunk.words[at]);
        if (event::IsEnter(code)) {
          depth += event::IsCall(chunk.words[at]) ? 0 : 1;
          continue;
        }
        const auto kind = static_cast<event::RecordKind>(code);
        if (kind == event::RecordKind::kExit) {
          ASSERT_GT(depth--, 0u);
        }
        at += event::FieldsOf(kind);
      }
    }
  }
}

TEST_F(ThreadsTest, ALiveReaderSeesVisitsGrowAndNothingThatMakesNoSense) {
  constexpr int kThreads = 4;
  constexpr int kLives = 6;  // of each: threads that end and others that take their places
  constexpr uint64_t kCalls = 1000;
  constexpr int kDepth = 40;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&running] {
      for (int life = 0; life < kLives; ++life) {
        std::thread([] {
          Caller caller;
          ASSERT_TRUE(caller.Begin());
          for (uint64_t i = 0; i < kCalls; ++i) ASSERT_TRUE(caller.Call(i % 100 * 7, static_cast<int>(i % kDepth)));
          caller.End();
        }).join();
      }
      --running;
    });
  }
  uint64_t seen = 0;
  while (running != 0) {
    const ProcessImage image = Image();
    EXPECT_EQ(image.skipped, 0u);
    EXPECT_LE(image.locations.size(), size_t{kThreads});
    const uint64_t visits = Visits(image);
    EXPECT_GE(visits, seen);
    seen = visits;
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t calls = 0;
  for (uint64_t i = 0; i < kCalls; ++i) calls += 1 + i % kDepth;
  const ProcessImage image = Image();
  EXPECT_EQ(Visits(image), calls * kLives * kThreads);
  EXPECT_LE(image.locations.size(), size_t{kThreads}) << "places must be used again";
  for (const LocationImage& location : image.locations) {
    EXPECT_EQ(location.header.state, event::LocationState::kEnded);
    EXPECT_EQ(location.header.unmatched, 0u);
    EXPECT_EQ(location.header.repairs, 0u);
  }
}

TEST_F(ThreadsTest, NobodyWritesAfterFreezeAll) {
  constexpr int kThreads = 4;
  std::atomic<int> calling{0};
  std::atomic<int> stopped{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Caller caller;
      ASSERT_TRUE(caller.Begin());
      uint64_t calls = 0;
      // Ever new paths, so that the end also comes while cold functions have put the location aside.
      while (caller.Call(calls * 3, static_cast<int>(calls % 20))) calling += ++calls == 50;
      ++stopped;
      while (!done) std::this_thread::yield();
      EXPECT_EQ(static_cast<Location*>(current), nullptr);
      EXPECT_FALSE(IsAttached());
      EXPECT_FALSE(caller.Begin()) << "no location is given out after the end";
      caller.End();
    });
  }
  while (calling != kThreads) Visits(Image());
  FreezeAll();
  while (stopped != kThreads) std::this_thread::yield();
  const uint64_t visits = Visits(Image());
  EXPECT_GT(visits, 50u * kThreads);
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Visits(Image()), visits);
}

TEST_F(ThreadsTest, ThreadsThatComeAndGoDuringTheFreeze) {
  constexpr int kThreads = 4;
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&begun] {
      for (;;) {
        Caller caller;
        if (!caller.Begin()) return;
        ++begun;
        for (uint64_t i = 0; i < 20 && caller.Call(i, 3); ++i) {
        }
        caller.End();
      }
    });
  }
  while (begun < 20 * kThreads) std::this_thread::yield();
  FreezeAll();
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(Image().locations.size(), size_t{kThreads});
}

// When the process ended while a thread was closing its open frames, the thread counted its visits once, and the reader
// of open frames counted them again.
TEST_F(ThreadsTest, WhoeverEndsDuringTheFreezeIsCountedOnce) {
  constexpr int kThreads = 8;
  std::atomic<int> open{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&open, &go, t] {
      Caller caller;
      ASSERT_TRUE(caller.Begin());
      for (uint64_t i = 0; i < 900; ++i) {  // closing so many frames takes some time
        Enter(current, event::RegionKey(event::kFirstDefinedRegion + static_cast<uint32_t>(i)), kStack,
              [] { return uint64_t{1}; });
      }
      ++open;
      while (!go) std::this_thread::yield();
      for (int i = 0; i < 20 * t; ++i) std::this_thread::yield();
      caller.End();
    });
  }
  while (open != kThreads) std::this_thread::yield();
  go = true;
  FreezeAll();
  const ProcessImage image = Image();
  for (const LocationImage& location : image.locations) {
    const bool ended = location.header.state == event::LocationState::kEnded;
    EXPECT_TRUE(ended ? location.frames.empty() : location.frames.size() == 901u) << location.frames.size();
  }
  const uint64_t before = Visits(image);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Visits(Image()), before);
}

TEST_F(ThreadsTest, RegionsHaveOneNumberOnAllThreads) {
  constexpr int kThreads = 4;
  constexpr int kRegions = 300;
  std::vector<std::vector<uint32_t>> numbers(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(numbers.size());
  for (auto& mine : numbers) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < kRegions; ++i) {
        const std::string name = "region " + std::to_string(i);
        mine.push_back(DefineRegion(name.c_str(), "file.c", i, event::Role::kUser));
        EXPECT_EQ(NameOfRegion(mine.back()), name);
      }
    });
  }
  for (size_t seen = 0; seen < kRegions; seen = Image().regions.size()) EXPECT_EQ(Image().skipped, 0u);
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : numbers) EXPECT_EQ(mine, numbers[0]);
  EXPECT_EQ(Image().regions.size(), size_t{kRegions});
}

TEST_F(ThreadsTest, ModulesAndClocksAreNotedOnAllThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (uint64_t i = 0; i < 200; ++i) {
        NoteNewPath(reinterpret_cast<uint64_t>(&archive::ReadProcessImage) + i);
        NoteNewPath(16 + i);  // in no module: looks for new ones each time
        if (t == 0 && i % 50 == 0) RetireUnmappedModules();
      }
    });
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Image().skipped, 0u);
  for (std::thread& thread : threads) thread.join();
  NoteLastClockPair();
  const ProcessImage image = Image();
  EXPECT_GE(image.modules.size(), 1u);
  EXPECT_GT(image.header.pair[image.header.pair_index & 1].ns, 0u);
}

void DefineAnother(int) {
  static int number = 0;
  char name[24];
  std::snprintf(name, sizeof name, "handler's %d", number++ % 100);
  DefineRegion(name, "", -1, event::Role::kUser);
}

// Ends with 0 if the names of all regions are right.
[[noreturn]] void DefineUnderATimer() {
  struct sigaction action = {};
  action.sa_handler = DefineAnother;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "mine " + std::to_string(i % 20'000);
    const char* known = NameOfRegion(DefineRegion(name.c_str(), "", -1, event::Role::kUser));
    wrong += known == nullptr || name != known;
  }
  _exit(wrong == 0 ? 0 : 1);
}

TEST_F(ThreadsTest, AHandlerDefinesRegionsWhileItsThreadDoes) {
  const pid_t child = fork();
  if (child == 0) DefineUnderATimer();
  int status = -1;
  for (int waits = 0; waitpid(child, &status, WNOHANG) == 0; ++waits) {
    if (waits == 3000) kill(child, SIGKILL);  // it hangs
    usleep(10'000);
  }
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace epik::episode
