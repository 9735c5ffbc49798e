// SPDX-License-Identifier: BSD-3-Clause
// Random families of call paths, sampled like hooks do it, and read like the code that makes archives: steady callees,
// callees of two speeds or of several phases, and siblings with a long tail that share their caller. The stated error
// holds for each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "archive/metrics/sampled_times.h"
#include "runtime/choice/sampled_paths.h"

namespace epik {
namespace {

using event::Node;
using event::SampledPath;

constexpr uint64_t kLongest = 3'000'000;  // ticks: 100 times what is hot
constexpr uint32_t kBefore = 1000;        // visits until a path is sampled
constexpr double kGood = 0.004;           // relative error that paths are sampled for

using Random = std::mt19937_64;

struct Kind {
  const char* name;
  bool has_tail;
  std::function<double(uint64_t visit, Random&)> ticks;
};

double Uniform(Random& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

Kind AnyKind(Random& random) {
  const double size = std::exp(Uniform(random, std::log(30), std::log(3000)));
  switch (random() % 6) {
    case 0: return {"steady", false, [=](uint64_t, Random& r) { return size + Uniform(r, 0, 10); }};
    case 1: return {"uniform", false, [=](uint64_t, Random& r) { return Uniform(r, 0.2 * size, 1.8 * size); }};
    case 2: {
      const double ratio = Uniform(random, 2, 40), seldom = Uniform(random, 0.02, 0.6);
      return {"two speeds", false,
              [=](uint64_t, Random& r) { return Uniform(r, 0, 1) < seldom ? ratio * size : size; }};
    }
    case 3: {
      const uint64_t length = 500 + random() % 20'000;
      return {"phases", false, [=](uint64_t visit, Random& r) {
                return size * static_cast<double>(1 + 3 * (visit / length % 3)) + Uniform(r, 0, 10);
              }};
    }
    case 4: {
      const double width = Uniform(random, 1.2, 2.2);
      return {"long tail", true,
              [=](uint64_t, Random& r) { return 0.1 * size * std::lognormal_distribution<double>(0, width)(r); }};
    }
    default: {
      const double power = Uniform(random, 1.4, 2.5);
      return {"power law", true,
              [=](uint64_t, Random& r) { return 0.2 * size * std::pow(1 - Uniform(r, 0, 1), -1 / power); }};
    }
  }
}

class Path {
 public:
  Path(Kind kind, uint64_t seed) : kind_(std::move(kind)), program_(seed), ours_(seed ^ 0x5eed) {}

  void Visit() {
    const auto ticks = static_cast<uint64_t>(kind_.ticks(visits_, program_));
    truth_ += static_cast<double>(ticks);
    truth_squares_ += static_cast<double>(ticks) * static_cast<double>(ticks);
    ++visits_;
    if (visits_ <= kBefore) {
      if (visits_ == kBefore) block_ = choice::NextBlock(0, interval_, ours_());
      return Time(ticks);
    }
    if (block_.skip > 1) {
      --block_.skip;
      return;
    }
    Time(ticks);
    choice::AddSample(&path_, interval_, ticks, last_, kLongest);
    last_ = ticks;
    if (path_.timed % 16 == 0) interval_ = choice::BestInterval(path_, interval_, timed_);
    block_ = choice::NextBlock(block_.rest, interval_, ours_());
  }

  void AddTo(std::vector<Node>* nodes) {
    at_ = static_cast<uint32_t>(nodes->size());
    Node node = {};
    node.key = 0x400000 + at_;
    node.visits = visits_;
    node.ticks = static_cast<uint64_t>(timed_);
    node.max = static_cast<uint64_t>(most_);
    node.squares = squares_;
    nodes->push_back(node);
    path_.key = event::RegionKey(event::kSampledMetric);
    path_.visits_before = kBefore;
    path_.parent = at_;
    Node line;
    std::memcpy(&line, &path_, sizeof line);
    nodes->push_back(line);
  }

  // The relative standard error when every 16th visit is timed, which is the most that are.
  double LeastError() const {
    const auto visits = static_cast<double>(visits_);
    const double mean = truth_ / visits, spread = std::max(truth_squares_ / visits - mean * mean, 0.0);
    return std::sqrt(spread * (choice::kShortestInterval - 1) / visits) / mean;
  }

  const Kind& kind() const { return kind_; }
  uint32_t at() const { return at_; }
  double truth() const { return truth_; }

 private:
  void Time(uint64_t ticks) {
    const auto value = static_cast<double>(ticks);
    timed_ += value;
    squares_ += value * value;
    most_ = std::max(most_, value);
  }

  Kind kind_;
  Random program_, ours_;
  SampledPath path_ = {};
  choice::Block block_ = {};
  uint32_t interval_ = choice::kFirstInterval, at_ = 0;
  uint64_t visits_ = 0, last_ = 0;
  double truth_ = 0, truth_squares_ = 0, timed_ = 0, squares_ = 0, most_ = 0;
};

struct Tally {
  int paths = 0;
  int within = 0;       // three stated errors
  int good = 0;         // paths that can be known so well
  double farthest = 0;  // in stated errors
  double worst = 0;     // relative error of those that have many visits
};

// One family. Its paths are entered in a random order, as often as `share` says.
void RunFamily(uint64_t seed, Tally* steady, Tally* tailed) {
  Random random(seed);
  std::vector<Path> paths;
  const size_t count = 2 + random() % 4;
  for (size_t i = 0; i < count; ++i) paths.emplace_back(AnyKind(random), random());
  for (uint64_t visit = 0; visit < 200'000; ++visit) paths[random() % count].Visit();
  double truth = 0;
  for (const Path& path : paths) truth += path.truth();
  Node caller = {};
  caller.key = 0x300000;
  caller.visits = 1;
  caller.ticks = static_cast<uint64_t>(truth * (1 + Uniform(random, 0, 0.2)));
  caller.parent = ~uint32_t{0};
  std::vector<Node> nodes = {caller};
  for (Path& path : paths) path.AddTo(&nodes);
  const std::vector<uint32_t> open(nodes.size());
  const std::vector<archive::SampledNode> sampled = archive::EstimateSampled(&nodes, open, 0);
  ASSERT_EQ(sampled.size(), nodes.size());
  double sum = 0;
  for (const Path& path : paths) {
    const auto found = static_cast<double>(nodes[path.at()].ticks);
    sum += found;
    const double off = std::fabs(found - path.truth()), stated = std::sqrt(sampled[path.at()].variance);
    const double errors = off / (stated + 1e-4 * path.truth());
    Tally* tally = path.kind().has_tail ? tailed : steady;
    ++tally->paths;
    tally->within += errors <= 3 ? 1 : 0;
    tally->farthest = std::max(tally->farthest, errors);
    tally->worst = std::max(tally->worst, off / path.truth());
    if (!path.kind().has_tail) {
      EXPECT_LE(errors, 6) << "seed " << seed << ": " << path.kind().name << " is " << found << ", was " << path.truth()
                           << ", stated error " << stated;
      if (path.LeastError() > kGood) continue;
      ++tally->good;
      EXPECT_LE(off, 0.02 * path.truth()) << "seed " << seed << ": " << path.kind().name;
    }
  }
  EXPECT_LE(sum, static_cast<double>(nodes[0].ticks) * (1 + 1e-9) + 10) << "seed " << seed;
}

TEST(Estimates, StatedErrorsHoldInRandomFamilies) {
  constexpr int kSeeds = EPIK_SEEDS;
  Tally steady, tailed;
  for (int seed = 1; seed <= kSeeds; ++seed) RunFamily(static_cast<uint64_t>(seed), &steady, &tailed);
  for (const Tally* tally : {&steady, &tailed}) {
    std::printf("%s: %d of %d paths within three stated errors, the farthest %.1f of them, the worst off by %.2f %%\n",
                tally == &steady ? "without tail" : "with a tail", tally->within, tally->paths, tally->farthest,
                100 * tally->worst);
  }
  EXPECT_GE(steady.within, steady.paths * 98 / 100);
  EXPECT_GE(steady.good, steady.paths / 5) << "the generator makes too few paths that can be known well";
  EXPECT_GE(tailed.within, tailed.paths * 85 / 100);  // a tail that no sample has hit is not known
}

}  // namespace
}  // namespace epik
