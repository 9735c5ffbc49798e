// SPDX-License-Identifier: BSD-3-Clause
// Windows in which visits are not timed, through the doors that hooks take: every visit is counted, and readers are
// told how many were not timed.
#include "runtime/choice/probe.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "runtime/choice/arena_test.h"
#include "runtime/choice/probe_hot.h"

namespace epik::choice {

using episode::current;
using event::Key;

namespace {

using archive::LocationImage;
using archive::ProcessImage;

constexpr uint32_t kFirst = 500;

// By call path, outermost first.
using Path = std::vector<Key>;
struct Seen {
  uint64_t visits = 0, untimed = 0;
};
using Truth = std::map<Path, Seen>;

class ProbeTest : public ArenaTest {
 protected:
  void SetUp() override {
    base::clock_is_tsc = true;
    ArenaTest::SetUp();
    const episode::Inside guard;
    ASSERT_TRUE(StartProbes({.first = kFirst, .percall_ticks = uint64_t{1} << 40}));
  }
  void TearDown() override {
    probe_part.forget();
    ArenaTest::TearDown();
  }

  // A visit that is timed has a frame of its own.
  void Enter(Key key) {
    path_.push_back(key);
    EnterUnusual(key, kStack - 64 * path_.size(), current);
    const event::Location* location = current;
    const event::Frame& frame = *event::FrameAt(location->top);
    Seen& seen = truth_[path_];
    ++seen.visits;
    seen.untimed += frame.key != key || frame.stack != kStack - 64 * path_.size();
  }
  void Exit() {
    ExitUnusual(path_.back(), kStack - 64 * path_.size(), current);
    path_.pop_back();
  }
  void Call(const Path& chain) {
    for (const Key key : chain) Enter(key);
    for (size_t i = 0; i < chain.size(); ++i) Exit();
  }

  template <class Body>
  static ProcessImage Run(Body body) {
    std::thread([&body] {
      {
        const episode::Inside guard;
        ASSERT_NE(episode::Attach(episode::Origin{}, base::Now()), nullptr);
      }
      body();
      const episode::Inside guard;
      episode::DetachThisThread(base::Now());
    }).join();
    ProcessImage image = Image();
    EXPECT_EQ(image.skipped, 0u);
    return image;
  }

  // Every call path has its visits, and the number of those that were not timed. Returns the batches.
  uint32_t Expect(const ProcessImage& image) const {
    Truth found;
    uint32_t batches = 0;
    for (const LocationImage& location : image.locations) {
      for (const event::Node& node : location.nodes) {
        const bool is_probe = node.key == event::RegionKey(event::kProbedMetric);
        Path path;
        for (const event::Node* at = is_probe ? &location.nodes[node.parent] : &node; event::IsFunction(at->key);
             at = &location.nodes[at->parent]) {
          path.insert(path.begin(), at->key);
        }
        if (path.empty()) continue;
        if (!is_probe) {
          found[path].visits += node.visits;
          continue;
        }
        event::ProbedPath probed;
        std::memcpy(&probed, &node, sizeof probed);
        found[path].untimed += probed.untimed;
        batches += probed.batches;
      }
    }
    EXPECT_EQ(found.size(), truth_.size());
    for (const auto& [path, seen] : truth_) {
      EXPECT_EQ(found[path].visits, seen.visits) << path.size() << " " << std::hex << path.back();
      EXPECT_EQ(found[path].untimed, seen.untimed) << path.size() << " " << std::hex << path.back();
    }
    return batches;
  }

  Path path_;
  Truth truth_;
};

TEST_F(ProbeTest, ALeafIsProbedAgainAndAgain) {
  const ProcessImage image = Run([&] {
    for (int i = 0; i < 200'000; ++i) Call({kLeaf});
  });
  EXPECT_GE(Expect(image), 3u);
  const Seen& leaf = truth_[{kLeaf}];
  EXPECT_GE(leaf.untimed, 3 * kProbeRounds * kProbeVisits);
  EXPECT_LT(leaf.untimed, leaf.visits / 10);
}

TEST_F(ProbeTest, FunctionsThatTakeTurnsAreLeftAlone) {
  const ProcessImage image = Run([&] {
    for (int i = 0; i < 40'000; ++i) {
      Call({kOuter, kInner, kLeaf});
      Call({kOuter, kLeaf});
    }
  });
  EXPECT_EQ(Expect(image), 0u);
}

TEST_F(ProbeTest, ACounterThatCallsSomethingGetsItsFrame) {
  const ProcessImage image = Run([&] {
    while (truth_[{kOuter, kLeaf}].untimed < kProbeVisits) {
      Enter(kOuter);
      for (int i = 0; i < 3000; ++i) Call({kLeaf});
      Exit();
    }
    // Now the function is in a window, and calls another function, or itself.
    for (int i = 0; i < 3000; ++i) {
      Enter(kOuter);
      for (int k = 0; k < 100; ++k) Call({kLeaf});
      Call({kLeaf, i % 2 == 0 ? kInner : kLeaf});
      Exit();
    }
  });
  Expect(image);
}

// Random programs, with long runs of one function, so that all kinds of windows end in all places.
TEST_F(ProbeTest, RandomProgramsAreCountedExactly) {
  constexpr int kKeys = 5;
  std::mt19937 random(20061);
  const auto one_of = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const ProcessImage image = Run([&] {
    for (int i = 0; i < 6000; ++i) {
      const Key key = 0x400000 + 0x100 * one_of(kKeys);
      switch (one_of(8)) {
        case 0:
          if (path_.size() < 4) Enter(key);
          break;
        case 1:
          if (!path_.empty()) Exit();
          break;
        case 2: Call({key, 0x500000 + 0x100 * one_of(kKeys)}); break;
        default:
          for (uint32_t n = one_of(2000); n > 0; --n) Call({key});
      }
    }
    while (!path_.empty()) Exit();
  });
  EXPECT_GT(Expect(image), 5u);
}

// A jump leaves functions without their exits.
TEST_F(ProbeTest, VisitsWithoutExitsAreCountedOnce) {
  const ProcessImage image = Run([&] {
    for (int i = 0; i < 60'000; ++i) {
      Call({kLeaf});
      if (i % 97 != 0) continue;
      EnterUnusual(kOuter, kStack - 64, current);
      for (int k = 0; k < 300; ++k)
        EnterUnusual(kInner, kStack - 128, current), ExitUnusual(kInner, kStack - 128, current);
      EnterUnusual(kInner, kStack - 128, current);
      ExitUnusual(kOuter, kStack - 64, current);
    }
  });
  const uint64_t rounds = (60'000 + 96) / 97;
  uint64_t outer = 0, inner = 0, leaf = 0;
  for (const event::Node& node : image.locations[0].nodes) {
    outer += node.key == kOuter ? node.visits : 0;
    inner += node.key == kInner ? node.visits : 0;
    leaf += node.key == kLeaf ? node.visits : 0;
  }
  EXPECT_EQ(outer, rounds);
  EXPECT_EQ(inner, 301 * rounds);
  EXPECT_EQ(leaf, 60'000u);
}

}  // namespace
}  // namespace epik::choice
