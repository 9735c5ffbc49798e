// SPDX-License-Identifier: BSD-3-Clause
// An analysis that takes too long ends, in whichever phase it is, and nobody waits for it then.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/clocks/repair.h"
#include "analysis/critical/path.h"
#include "analysis/critical/profile.h"
#include "analysis/graph/test_graph.h"
#include "analysis/patterns/analysis.h"
#include "analysis/replay/test_script.h"
#include "archive/trace/forged_archive.h"

namespace epik::patterns {
namespace {

using archive::TimeLimit;

constexpr char kTooLong[] = "it takes too long here";

template <typename Work>
std::string Thrown(const Work& work) {
  try {
    work();
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Limit, IsAskedByEachPhase) {
  replay::Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Send | 11 send 1 5 w 8 | 20 < | 90 <
                1: 0 > m | 5 > MPI_Recv | 21 receive 0 5 w 8 | 22 < | 90 <)");
  const replay::World& world = script.world();
  replay::MeasuredTime time(&world);
  const TimeLimit over([] { return true; });
  const auto replay = [&](const std::vector<replay::Observer*>& observers, const TimeLimit& limit) {
    replay::Replay(&world, script.Sources(), &time, observers).Run(nullptr, limit);
  };
  EXPECT_EQ(Thrown([&] { replay({}, over); }), kTooLong);
  clocks::Repair repair(&world);
  replay({&repair}, {});
  EXPECT_EQ(Thrown([&] { repair.Find(over); }), kTooLong);
  const graph::Made made = graph::Make(&script);
  EXPECT_EQ(Thrown([&] { causes::FindDelays(*made.graph, {}, over); }), kTooLong);
  EXPECT_EQ(Thrown([&] { critical::FindPath(*made.graph, world, over); }), kTooLong);
  const critical::Path path = critical::FindPath(*made.graph, world);
  EXPECT_EQ(Thrown([&] { critical::ProfileOf(*made.graph, path, {}, over); }), kTooLong);
}

// Analyses the archive within so many questions for the time. Returns whether it came to the end.
bool AnalyzeWithin(const std::string& path, uint64_t questions, unsigned threads, bool has_helper) {
  std::atomic<uint64_t> asked = 0;
  const TimeLimit limit([&] { return asked++ >= questions; });
  std::vector<drivers::Link> links;
  std::thread process;
  if (has_helper) {
    auto [near, far] = drivers::Link::Pair();
    links.push_back(std::move(near));
    process = std::thread([&path, link = std::move(far)]() mutable { drivers::HelpToRead(&link, path); });
  }
  drivers::Helpers helpers(std::move(links));
  Analysis analysis;
  std::string error;
  bool done = false;
  const std::string thrown = Thrown([&] {
    done = Analyze(path, {threads, has_helper ? &helpers : nullptr, limit}, nullptr, &analysis, &error);
  });
  EXPECT_EQ(thrown, done ? "" : kTooLong) << error;
  helpers.Dismiss(0);
  if (process.joinable()) process.join();
  return done;
}

std::vector<uint8_t> BytesOf(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(2000);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST(Limit, EndsTheAnalysisWhereverItIs) {
  archive::ForgedArchive archive;
  int analysed = 0;
  for (unsigned seed = 0; analysed < 3 && seed < 100; ++seed) {
    const std::vector<uint8_t> bytes = BytesOf(seed);
    Analysis analysis;
    std::string error;
    if (!archive.Forge(bytes.data(), bytes.size())) continue;
    if (!Analyze(archive.path(), {}, nullptr, &analysis, &error)) continue;
    ++analysed;
    for (const auto& [threads, has_helper] : {std::pair(1u, false), std::pair(2u, false), std::pair(1u, true)}) {
      uint64_t questions = 0;
      while (!AnalyzeWithin(archive.path(), questions, threads, has_helper)) questions += 1 + questions / 16;
      EXPECT_GT(questions, 10u);
    }
  }
  EXPECT_EQ(analysed, 3);
}

// A helper that lives may take long for an answer, or for events.
TEST(Limit, EndsTheWaitForAHelper) {
  auto [near, far] = drivers::Link::Pair();
  std::vector<drivers::Link> links;
  links.push_back(std::move(near));
  drivers::Helpers helpers(std::move(links));
  helpers.Share({1}, 1);
  const TimeLimit over([] { return true; });
  drivers::Lanes lanes(std::vector<std::unique_ptr<replay::EventSource>>(1), 0, &helpers, over);
  helpers.Serve(&lanes);
  const auto sources = lanes.Sources();
  archive::Event event;
  EXPECT_EQ(Thrown([&] { sources[0]->Next(&event); }), kTooLong);
  EXPECT_EQ(Thrown([&] { helpers.Answer(0, over); }), kTooLong);
  helpers.Serve(nullptr);
}

}  // namespace
}  // namespace epik::patterns
