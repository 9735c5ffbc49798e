// SPDX-License-Identifier: BSD-3-Clause
// CutInBlocks skips blocks and finds the same segments as CutSlices, which reads all of them.
#include "analysis/critical/blocks.h"

#include <gtest/gtest.h>

#include <random>

#include "archive/trace/test_trace.h"

namespace epik::critical {
namespace {

using graph::Slice;

constexpr uint32_t kFirst = static_cast<uint32_t>(event::RecordKind::kEnter);
constexpr uint32_t kPaths = 12;
constexpr int64_t kEnd = 60'000;

// Calls of any length. Each block has some of them.
class AnyCalls {
 public:
  explicit AnyCalls(std::mt19937* random) : random_(*random) {}

  void Write(archive::TestTrace* trace) {
    while (now_ < kEnd) {
      std::vector<uint64_t> words;
      for (unsigned i = 1 + random_() % 60; i > 0; --i) words.push_back(Word());
      trace->Add(0, words);
    }
  }

 private:
  uint64_t Word() {
    now_ += random_() % 40;
    if (random_() % 50 == 0) now_ += 1000;
    const bool enters = depth_ == 0 || (depth_ < 6 && random_() % 2 == 0);
    depth_ += enters ? 1 : -1;
    const auto time = static_cast<uint64_t>(now_ + 1);
    return enters ? archive::EnterWord(time, kFirst + random_() % kPaths) : archive::ExitWord(time);
  }

  std::mt19937& random_;
  int64_t now_ = 0;
  int depth_ = 0;
};

class AllEvents : public replay::EventSource {
 public:
  explicit AllEvents(const archive::ProcessFile& file) : reader_(&file, 0) {}
  bool Next(archive::Event* event) override { return reader_.Next(event); }

 private:
  archive::LocationReader reader_;
};

std::vector<Slice> AnySlices(std::mt19937* random) {
  std::vector<Slice> slices;
  for (int64_t at = (*random)() % 5000; at < kEnd + 500;) {
    const int64_t to = at + 1 + (*random)() % 900;
    slices.push_back({0, at, to});
    at = to + ((*random)() % 3 == 0 ? 0 : (*random)() % 20'000);
  }
  return slices;
}

replay::World OneLocation() {
  replay::World world;
  world.processes.resize(1);
  world.processes[0].locations = {0};
  std::vector<std::pair<uint32_t, replay::NodeFacts>> nodes;
  for (uint32_t p = 0; p < kPaths; ++p) nodes.push_back({kFirst + p, {p, {}}});
  world.processes[0].nodes.Assign(std::move(nodes));
  world.locations.push_back({0, 0, 0});
  world.Index();
  return world;
}

TEST(Blocks, ThatAreLeftOutChangeNothing) {
  const std::string name = testing::TempDir() + "/blocks.elg";
  const replay::World world = OneLocation();
  replay::MeasuredTime time(&world);
  size_t found = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    archive::TestTrace trace;
    AnyCalls(&random).Write(&trace);
    trace.Write(name);
    archive::ProcessFile file;
    std::string error;
    ASSERT_TRUE(file.Open(name, &error)) << error;
    const std::vector<Slice> slices = AnySlices(&random);
    for (const int64_t least_ns : {0, 1, 30, 400, 5000}) {
      AllEvents all(file);
      const std::vector<Segment> whole = CutSlices(slices, 0, world, &all, {}, &time, least_ns);
      std::vector<Segment> parts;
      ASSERT_TRUE(CutInBlocks(file, nullptr, slices, 0, world, &time, least_ns, &parts));
      ASSERT_EQ(parts.size(), whole.size()) << seed << " " << least_ns;
      for (size_t s = 0; s < whole.size(); ++s) {
        EXPECT_EQ(parts[s].from, whole[s].from);
        EXPECT_EQ(parts[s].to, whole[s].to);
        EXPECT_EQ(parts[s].path, whole[s].path);
      }
      found += whole.size();
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(Blocks, ThatAreDamagedAreTold) {
  const std::string name = testing::TempDir() + "/damaged.elg";
  const replay::World world = OneLocation();
  replay::MeasuredTime time(&world);
  std::mt19937 random(1);
  archive::TestTrace trace;
  AnyCalls(&random).Write(&trace);
  for (const size_t offset : trace.offsets()) trace.bytes()[offset + sizeof(epilog::BlockHeader)] ^= 1;
  trace.Write(name);
  archive::ProcessFile file;
  std::string error;
  ASSERT_TRUE(file.Open(name, &error)) << error;
  std::vector<Segment> segments;
  EXPECT_FALSE(CutInBlocks(file, nullptr, {{0, 100, 200}}, 0, world, &time, 10, &segments));
}

}  // namespace
}  // namespace epik::critical
