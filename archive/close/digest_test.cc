// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/digest.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include "runtime/abi/runner.h"

namespace epik::archive {
namespace {

class DigestOf : public testing::Test {
 protected:
  DigestOf() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", kAnalysedByRunner}) unsetenv(name);
  }
  // All lines as one text; a region and a call path for each time.
  std::string Text(const std::vector<double>& times = {1}) {
    profile_.regions.clear();
    profile_.call_paths.clear();
    for (uint32_t r = 0; r < times.size(); ++r) {
      profile_.regions.emplace_back().name = std::string(1, static_cast<char>('a' + r));
      profile_.call_paths.push_back({r, r == 0 ? kNone : 0});
    }
    std::string text;
    for (const std::string& line : Digest("/data/epik_x", profile_, times, manifest_, true, 0)) text += line + "\n";
    return text;
  }
  bool Says(const std::string& words, const std::vector<double>& times = {1}) {
    return Text(times).find(words) != std::string::npos;
  }

  Profile profile_;
  Manifest manifest_;
};

TEST_F(DigestOf, NamesThreeRegionsAtMostAndNoTrifle) {
  EXPECT_TRUE(Says("most time in: b 40.0 %, d 30.0 %, a 20.0 %\n", {20, 40, 4, 30, 6})) << Text({20, 40, 4, 30, 6});
  EXPECT_TRUE(Says("most time in: b 99.5 %\n", {0.5, 99.5}));
  EXPECT_FALSE(Says("most time", {0, 0}));
}

TEST_F(DigestOf, EndsInWords) {
  for (const auto& [ended, detail, words] : {std::tuple("signal", "SIGSEGV", ", ended by SIGSEGV\n"),
                                             {"abort", "", ", aborted\n"},
                                             {"exec", "", ", replaced by exec\n"},
                                             {"running", "", ", still running\n"},
                                             {"killed", "without a last word", ", killed without a last word\n"},
                                             {"_exit", "status 3", ", ended by _exit with status 3\n"}}) {
    manifest_.ended = ended;
    manifest_.ended_detail = detail;
    EXPECT_TRUE(Says(words)) << Text();
  }
  manifest_.ended = "exit";
  manifest_.ended_detail = "status 0";
  EXPECT_FALSE(Says("ended")) << Text();
}

// Records of communication are events of the trace alone, so a few events more than the calls have are no loss.
TEST_F(DigestOf, CountsEventsThatTheTraceLeavesOut) {
  manifest_.trace.there = true;
  manifest_.trace.events = 1000;
  manifest_.trace.lost = 200;
  manifest_.events = 1200 + 12 + 2;
  EXPECT_FALSE(Says("left out")) << Text();
  EXPECT_TRUE(Says(", 200 events lost\n")) << Text();
  ++manifest_.events;
  EXPECT_TRUE(Says(", about 15 events left out by EPK_TRACE, 200 events lost\n")) << Text();
}

TEST_F(DigestOf, LongListsOfRanksAreCutAtAComma) {
  Metric& metric = profile_.metrics.emplace_back();
  metric.unique_name = "cycles";
  metric.description = "n/a on ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,200: no PMU";  // 40 characters
  EXPECT_TRUE(Says("cycles is n/a on ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,200: no PMU\n")) << Text();
  metric.description = "n/a on ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,2000: no PMU";
  EXPECT_TRUE(Says("cycles is n/a on ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,...: no PMU\n")) << Text();
  metric.description = "n/a: no PMU";  // the job said so when it began
  EXPECT_FALSE(Says("cycles")) << Text();
}

TEST_F(DigestOf, TellsWhyEachProcessOfAJobIsAlone) {
  manifest_.modules = {{"/usr/lib/libmpi.so.40", ""}};
  EXPECT_FALSE(Says("archive of its own")) << Text();
  setenv("PMI_SIZE", "4", 1);
  EXPECT_TRUE(Says("one of 4 processes, each with an archive of its own: EPIK's library for MPI was not")) << Text();
  manifest_.mpi_calls = 3;
  manifest_.ended_detail = "status 0";
  EXPECT_TRUE(Says("it ended without MPI_Finalize")) << Text();
  manifest_.ended_detail = "MPI_Finalize";
  EXPECT_TRUE(Says("each was alone to MPI")) << Text();
  manifest_.ranks = 2;
  EXPECT_FALSE(Says("archive of its own")) << Text();
}

TEST_F(DigestOf, AnalysesWhatCanTellWhoWaits) {
  manifest_.trace.there = true;
  manifest_.trace.events = 10;
  EXPECT_TRUE(Says("next: epk report /data/epik_x\n")) << "one thread waits for nobody";
  manifest_.threads = 2;
  EXPECT_TRUE(Says("epk analyze /data/epik_x\n")) << Text();
  manifest_.trace.format = "otf2";
  EXPECT_FALSE(Says("epk analyze")) << Text();
}

}  // namespace
}  // namespace epik::archive
