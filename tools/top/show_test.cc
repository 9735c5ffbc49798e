// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/show.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "view/text.h"

namespace epik::top {
namespace {

using event::Key;

class Show : public testing::Test {
 protected:
  Show() {
    reading_.ticks = 3000;
    reading_.seconds_per_tick = 1e-3;
    reading_.image.header = {};
    reading_.image.program = "/bin/solver";
    const char* names[] = {"busy", "often", "idle\033[2J"};
    for (uint32_t i = 0; i < 3; ++i) reading_.image.regions[16 + i].name = names[i];
    archive::LocationImage location{};
    location.header.state = event::LocationState::kRunning;
    location.nodes = {Make(event::kProgramRegion, archive::kNoNode, 0, 0), Make(16, 0, 1, 2000), Make(17, 0, 900, 500),
                      Make(18, 1, 2, 10)};
    location.frames = {{location.nodes[0].key, 0, 0}};
    reading_.image.locations = {location};
    names_.Learn(reading_.image);
    picture_.Add({}, sampler_.Add(reading_), sampler_, names_);
    options_.title = "solver";
  }

  static event::Node Make(uint32_t region, uint32_t parent, uint64_t visits, uint64_t ticks) {
    event::Node node{};
    node.key = event::RegionKey(region);
    node.parent = parent;
    node.visits = visits;
    node.ticks = ticks;
    return node;
  }

  std::vector<std::string> JsonNames(Sort sort) {
    options_.sort = sort;
    const auto json = nlohmann::json::parse(ShowJson(picture_, options_));
    std::vector<std::string> names;
    for (const auto& line : json["callpaths"]) names.push_back(line["callpath"]);
    return names;
  }

  Reading reading_;
  Sampler sampler_;
  Names names_;
  Picture picture_;
  ShowOptions options_;
  view::Terminal terminal_{.width = 80};
};

TEST_F(Show, SortsByEachFigure) {
  EXPECT_EQ(JsonNames(Sort::kExclusive)[0], "solver > busy");
  EXPECT_EQ(JsonNames(Sort::kInclusive)[0], "solver");
  EXPECT_EQ(JsonNames(Sort::kVisits)[0], "solver > often");
  EXPECT_EQ(JsonNames(Sort::kName)[1], "solver > busy");
  options_.top = 2;
  EXPECT_EQ(JsonNames(Sort::kName).size(), 2u);
}

TEST_F(Show, TextFitsTheScreenAndSteersNothing) {
  options_.height = 8;
  for (const View view : {View::kPaths, View::kRegions, View::kThreads}) {
    options_.view = view;
    const std::string text = ShowText(picture_, options_, terminal_);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8) << text;
    EXPECT_EQ(text.find('\033'), std::string::npos) << text;
    EXPECT_NE(text.find("solver"), std::string::npos) << text;
  }
}

TEST_F(Show, LinesFitANarrowScreen) {
  for (const size_t width : {size_t{40}, size_t{60}, size_t{80}}) {
    terminal_.width = width;
    for (const View view : {View::kPaths, View::kRegions, View::kThreads}) {
      for (const bool help : {false, true}) {
        options_.view = view;
        options_.help = help;
        const std::string text = ShowText(picture_, options_, terminal_);
        for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
          end = text.find('\n', at);
          EXPECT_LE(view::Width(text.substr(at, end - at)), width) << text;
        }
        EXPECT_NE(text.find(help ? "freeze and go on" : "solver"), std::string::npos) << text;
      }
    }
  }
}

TEST(RateText, RareCallsAreNoMetres) {
  EXPECT_EQ(RateText(0), "0/s");
  EXPECT_EQ(RateText(0.0229), "0.0229/s");
  EXPECT_EQ(RateText(0.2), "0.2/s");
  EXPECT_EQ(RateText(34.56), "34.6/s");
  EXPECT_EQ(RateText(3.29e6), "3.29 M/s");
}

TEST_F(Show, LongCallPathsKeepTheirEnd) {
  reading_.image.regions[16].name = "void apply<std::vector<" + std::string(300, 'v') + "> >(int)";
  reading_.image.regions[18].name = "MPI_Bcast";
  Sampler sampler;
  Names names;
  names.Learn(reading_.image);
  Picture picture;
  picture.Add({}, sampler.Add(reading_), sampler, names);
  EXPECT_NE(ShowText(picture, options_, terminal_).find("> MPI_Bcast"), std::string::npos);
  terminal_.width = 140;
  const std::string text = ShowText(picture, options_, terminal_);
  EXPECT_NE(text.find("solver > void apply<…>(…) > MPI_Bcast"), std::string::npos) << text;
}

TEST_F(Show, SaysWhatThreadsDo) {
  const std::string text = ShowText(picture_, options_, terminal_);
  EXPECT_NE(text.find("is in"), std::string::npos) << text;
  EXPECT_NE(text.find("1 thread"), std::string::npos) << text;
}

// The same function has another address in the other process: region 17 there is region 16 here.
TEST_F(Show, CallPathsOfAJobAreOneLineEach) {
  Reading other = reading_;
  other.image.regions[17].name = "busy";
  other.image.locations[0].nodes[1].key = event::RegionKey(17);
  other.image.locations[0].nodes[2].key = event::RegionKey(16);
  other.image.regions[16].name = "often";
  Sampler sampler;
  Names names;
  names.Learn(other.image);
  Picture job;
  Sampler first;
  job.Add({4711, 0}, first.Add(reading_), first, names_);
  job.Add({4712, 1}, sampler.Add(other), sampler, names);
  const auto json = nlohmann::json::parse(ShowJson(job, options_));
  ASSERT_EQ(json["callpaths"].size(), picture_.paths.size());
  EXPECT_EQ(json["callpaths"][0]["callpath"], "solver > busy");
  const Figures& one = picture_.paths.at("solver > busy").total;
  EXPECT_DOUBLE_EQ(json["callpaths"][0]["total"]["excl_s"], 2 * one.exclusive);
  EXPECT_EQ(json["callpaths"][0]["total"]["visits"], 2 * one.calls);
  EXPECT_EQ(json["processes"][1]["pid"], 4712);
  EXPECT_EQ(json["threads"][1]["rank"], 1);
  EXPECT_DOUBLE_EQ(json["seconds"], 3.0) << "time of the clock, not of the processes together";
  const std::string text = ShowText(job, options_, terminal_);
  EXPECT_NE(text.find("2 processes"), std::string::npos) << text;
  EXPECT_NE(text.find("1:0"), std::string::npos) << text;
}

}  // namespace
}  // namespace epik::top
