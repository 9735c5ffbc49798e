// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/show.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
    epitome::LocationImage location{};
    location.header.state = event::LocationState::kRunning;
    location.nodes = {Make(event::kProgramRegion, epitome::kNoNode, 0, 0), Make(16, 0, 1, 2000), Make(17, 0, 900, 500),
                      Make(18, 1, 2, 10)};
    location.frames = {{location.nodes[0].key, 0, 0}};
    reading_.image.locations = {location};
    names_.Learn(reading_.image);
    sample_ = sampler_.Add(reading_);
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
    const auto json = nlohmann::json::parse(ShowJson(sample_, sampler_, names_, options_));
    std::vector<std::string> names;
    for (const auto& line : json["callpaths"]) names.push_back(line["callpath"]);
    return names;
  }

  Reading reading_;
  Sampler sampler_;
  Names names_;
  Sample sample_;
  ShowOptions options_;
  epk::view::Terminal terminal_{.width = 80};
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
    const std::string text = ShowText(sample_, sampler_, names_, options_, terminal_);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8) << text;
    EXPECT_EQ(text.find('\033'), std::string::npos) << text;
    EXPECT_NE(text.find("solver"), std::string::npos) << text;
  }
}

TEST_F(Show, SaysWhatThreadsDo) {
  const std::string text = ShowText(sample_, sampler_, names_, options_, terminal_);
  EXPECT_NE(text.find("is in"), std::string::npos) << text;
  EXPECT_NE(text.find("1 thread"), std::string::npos) << text;
}

}  // namespace
}  // namespace epik::top
