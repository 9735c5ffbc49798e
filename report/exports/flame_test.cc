// SPDX-License-Identifier: BSD-3-Clause
// The formats for flame graph viewers: folded stacks and speedscope.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/exports/folded.h"
#include "report/exports/speedscope.h"
#include "report/sample_profiles.h"

namespace epik::report {
namespace {

std::string Folded(const Sample& sample, const std::string& metric = "time") {
  std::string text, error;
  std::vector<std::string> notes;
  EXPECT_TRUE(WriteFolded(sample.profile, metric, AppendTo(&text), &notes, &error)) << error;
  return text;
}

nlohmann::json Speedscope(const Sample& sample, const std::string& metric = "time") {
  std::string text, error;
  std::vector<std::string> notes;
  EXPECT_TRUE(WriteSpeedscope(sample.profile, sample.manifest, metric, AppendTo(&text), &notes, &error)) << error;
  EXPECT_EQ(notes, std::vector<std::string>());
  return nlohmann::json::parse(text);
}

TEST(Folded, MicrosecondsOfEachCallPath) {
  const std::string text = Folded(Unfinished());
  EXPECT_NE(text.find("climate;main;time_step_ 61000000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("climate;main;time_step_;MPI_Recv 24500000\n"), std::string::npos) << text;
}

TEST(Folded, OtherMetrics) {
  EXPECT_EQ(Folded(Hybrid(), "bytes_sent"), "heat;main;solve(Grid&);exchange;MPI_Send 1638400\n");
}

TEST(Folded, LinesAreAStackAndANumber) {
  for (const Sample& sample : AllSamples()) {
    std::stringstream lines(Folded(sample));
    for (std::string line; std::getline(lines, line);) {
      const size_t blank = line.rfind(' ');
      ASSERT_NE(blank, std::string::npos);
      EXPECT_EQ(line.find_first_not_of("0123456789", blank + 1), std::string::npos) << line;
    }
  }
}

TEST(Speedscope, ASumThatIsTooLargeIsTheLargestNumber) {
  Sample sample = Hybrid();
  archive::Metric& time = sample.profile.metrics[sample.profile.FindMetric("time")];
  time.along = archive::Along::kExclusive;
  for (uint32_t p = 0; p < sample.profile.call_paths.size(); ++p) {
    sample.profile.values[sample.profile.FindMetric("time")].Set(p, 0, 1e308);
  }
  const nlohmann::json profile = Speedscope(sample).at("profiles").at(0);
  EXPECT_EQ(profile.at("endValue").get<double>(), std::numeric_limits<double>::max());
  for (const nlohmann::json& weight : profile.at("weights")) EXPECT_EQ(weight.get<double>(), 1e308);
}

TEST(Folded, RefusesWhatCannotBeAdded) {
  std::string text, error;
  std::vector<std::string> notes;
  EXPECT_FALSE(WriteFolded(Hybrid().profile, "min_time", AppendTo(&text), &notes, &error));
  EXPECT_EQ(error, "min_time is a minimum or maximum: it cannot be added up along the call tree");
  EXPECT_FALSE(WriteFolded(NoTime().profile, "joule", AppendTo(&text), &notes, &error));
  EXPECT_EQ(error, "no metric is called joule; there are: visits time min_time max_time");
}

TEST(Folded, WhatHasNoPlaceIsNamed) {
  using Notes = std::vector<std::string>;
  const auto notes = [](double root, double main) {
    Sample sample = NoTime();
    const uint32_t metric = sample.profile.AddMetric({"joule", "Energy", "J", ""});
    sample.profile.values[metric].Set(0, 0, root);
    sample.profile.values[metric].Set(1, 0, main);
    std::string text, error;
    Notes found;
    EXPECT_TRUE(WriteFolded(sample.profile, "joule", AppendTo(&text), &found, &error)) << error;
    return found;
  };
  EXPECT_EQ(notes(1, 2), Notes());
  EXPECT_EQ(notes(0.3, 1000), Notes());  // less than a hundredth of all
  EXPECT_EQ(notes(0.3, 0.2), Notes{"left out: joule of 2 call paths, where it is less than a half"});
  EXPECT_EQ(notes(5, -3), Notes{"left out: joule of 1 call path, where it is negative, infinite or too large"});
  EXPECT_EQ(notes(0.2, -3).size(), 2u);
}

TEST(Folded, WhatIsTooDeepCountsForTheDeepestFrame) {
  const std::string text = Folded(Deep(5000));
  EXPECT_LT(text.size(), 512u * 512 * 6);
  double sum = 0;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) sum += std::stod(line.substr(line.rfind(' ')));
  EXPECT_EQ(sum, 5001e6);
}

TEST(Speedscope, WeightsSumUpToTheTimeOfTheLocation) {
  const nlohmann::json file = Speedscope(Hybrid());
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  ASSERT_EQ(file["profiles"].size(), 4u);
  for (const nlohmann::json& profile : file["profiles"]) {
    ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
    double sum = 0;
    for (const nlohmann::json& weight : profile["weights"]) sum += weight.get<double>();
    EXPECT_EQ(sum, profile["endValue"].get<double>());
    for (const nlohmann::json& stack : profile["samples"]) {
      for (const nlohmann::json& frame : stack) EXPECT_LT(frame, file["shared"]["frames"].size());
    }
  }
  EXPECT_NEAR(file["profiles"][2]["endValue"].get<double>(), 2.4822, 1e-9);
  EXPECT_EQ(file["profiles"][2]["name"], "rank 1 thread 0");
}

TEST(Speedscope, AllSamplesAreValidJson) {
  for (const Sample& sample : AllSamples()) EXPECT_TRUE(Speedscope(sample).contains("profiles"));
  const nlohmann::json deep = Speedscope(Deep(5000));
  EXPECT_EQ(deep["profiles"][0]["samples"].size(), 512u);
  EXPECT_EQ(deep["profiles"][0]["endValue"], 5001.0);
}

TEST(Speedscope, NegativeValuesAreNamed) {
  Sample sample = NoTime();
  const uint32_t metric = sample.profile.AddMetric({"joule", "Energy", "J", ""});
  sample.profile.values[metric].Set(0, 0, 5.0);
  sample.profile.values[metric].Set(1, 0, -3.0);
  std::string text, error;
  std::vector<std::string> notes;
  EXPECT_TRUE(WriteSpeedscope(sample.profile, sample.manifest, "joule", AppendTo(&text), &notes, &error)) << error;
  EXPECT_EQ(notes, std::vector<std::string>{"left out: joule of 1 call path, where it is negative"});
  EXPECT_EQ(nlohmann::json::parse(text).at("profiles").at(0).at("endValue").get<double>(), 5);
}

TEST(Speedscope, CountsHaveNoUnit) { EXPECT_EQ(Speedscope(Wide(), "visits")["profiles"][0]["unit"], "none"); }

}  // namespace
}  // namespace epik::report
