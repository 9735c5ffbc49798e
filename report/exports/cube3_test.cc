// SPDX-License-Identifier: BSD-3-Clause
// Compares the XML with the JSON report.
#include "report/exports/cube3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/exports/json.h"
#include "report/sample_profiles.h"

namespace epik::report {
namespace {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

// Exclusive rows of a profile in memory, computed cell by cell.
ExclusiveRowSource RowsOf(const Profile& profile) {
  ExclusiveRowSource rows;
  rows.has = [&profile](uint32_t m, uint32_t p) { return profile.values[m].Has(p); };
  rows.read = [&profile](uint32_t m, uint32_t p, uint64_t* cells, std::string*) {
    const Profile::Links links = profile.MakeLinks();
    for (uint32_t l = 0; l < profile.locations.size(); ++l) {
      if (profile.metrics[m].type == Type::kUint64) {
        cells[l] = profile.values[m].Integer(p, l);
        continue;
      }
      double own = profile.values[m].Real(p, l);
      for (uint32_t c = links.first_child[p]; c != kNone; c = links.next_sibling[c]) {
        if (profile.metrics[m].along == Along::kInclusive) own -= profile.values[m].Real(c, l);
      }
      std::memcpy(&cells[l], &own, sizeof own);
    }
    return true;
  };
  return rows;
}

struct Written {
  std::string xml;
  std::vector<std::string> notes;
};

Written Cube3(const Profile& profile) {
  Written written;
  std::string error;
  EXPECT_TRUE(WriteCube3(profile, RowsOf(profile), AppendTo(&written.xml), &written.notes, &error)) << error;
  return written;
}

// uniq_name -> cnode -> values, found by the fixed strings that CUBE's own reader searches.
std::map<std::string, std::map<uint32_t, std::vector<double>>> Values(const std::string& xml) {
  std::map<std::string, std::map<uint32_t, std::vector<double>>> values;
  std::map<std::string, std::string> names;
  std::istringstream lines(xml);
  std::string metric;
  for (std::string line; std::getline(lines, line);) {
    const auto between = [&](const std::string& from, const std::string& to) {
      const size_t begin = line.find(from);
      return begin == std::string::npos
                 ? std::string()
                 : line.substr(begin + from.size(), line.find(to, begin + from.size()) - begin - from.size());
    };
    if (line.starts_with("<metric id")) names[between("id=\"", "\"")] = between("<uniq_name>", "<");
    if (line.starts_with("<matrix")) metric = names.at(between("metricId=\"", "\""));
    if (!line.starts_with("<row")) continue;
    std::istringstream numbers(between("\">", "<"));
    for (double value; numbers >> value;) {
      values[metric][static_cast<uint32_t>(std::stoul(between("cnodeId=\"", "\"")))].push_back(value);
    }
  }
  return values;
}

// Sums the inclusive values of the roots, or all exclusive values.
double TotalOf(const nlohmann::json& report, const std::string& metric) {
  bool inclusive = false;
  for (const nlohmann::json& each : report.at("metrics")) {
    if (each.at("unique_name") == metric) inclusive = each.at("along") == "inclusive";
  }
  double total = 0;
  for (const nlohmann::json& values : report.at("values")) {
    if (values.at("metric") != metric) continue;
    for (size_t i = 0; i < values.at("value").size(); ++i) {
      const size_t path = values.at("callpath")[i].get<size_t>();
      if (!inclusive || report.at("callpaths")[path].at("parent").is_null()) total += values["value"][i].get<double>();
    }
  }
  return total;
}

TEST(Cube3, SumsAreThoseOfTheJsonReport) {
  for (const Sample& sample : {Hybrid(), Recursion(), Unfinished(), Wide()}) {
    std::string text;
    WriteJson(sample.profile, sample.manifest, AppendTo(&text));
    const nlohmann::json report = nlohmann::json::parse(text);
    auto values = Values(Cube3(sample.profile).xml);
    for (const char* const metric : {"time", "visits"}) {
      double sum = 0;
      for (const auto& [path, row] : values[metric]) {
        for (const double value : row) sum += value;
      }
      EXPECT_NEAR(sum, TotalOf(report, metric), 1e-9 * sum) << metric;
      EXPECT_GT(sum, 0);
    }
  }
}

TEST(Cube3, HasWhatItsReadersWant) {
  const std::string xml = Cube3(Hybrid().profile).xml;
  EXPECT_TRUE(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"3.0\">\n"));
  EXPECT_EQ(xml.find("MINDOUBLE"), std::string::npos);
  EXPECT_EQ(xml.find('\r'), std::string::npos);
  EXPECT_EQ(xml.find("<!--"), std::string::npos);
  // Only the element attr may close itself.
  for (size_t at = 0; (at = xml.find("/>", at)) != std::string::npos; ++at) {
    EXPECT_EQ(xml.substr(xml.rfind('<', at), 6), "<attr ");
  }
}

TEST(Cube3, MinimaAndMaximaAreLeftOutAndSaid) {
  const Written written = Cube3(Hybrid().profile);
  EXPECT_EQ(written.xml.find("min_time"), std::string::npos);
  EXPECT_EQ(std::count_if(written.notes.begin(), written.notes.end(),
                          [](const std::string& note) { return note.find("left out") != std::string::npos; }),
            2);
}

TEST(Cube3, ThreadsAreNumberedInTheOrderOfTheFile) {
  Profile profile = Hybrid().profile;  // 2 ranks x 2 threads; the first rank on the second node
  profile.hosts = {{"n0"}, {"n1"}, {"empty"}};
  profile.processes[0].host = 1;
  profile.processes[1].host = 0;
  const uint32_t visits = profile.FindMetric("visits");
  for (uint32_t l = 0; l < 4; ++l) profile.values[visits].Set(0, l, uint64_t{l + 1});
  const std::string xml = Cube3(profile).xml;
  EXPECT_EQ(Values(xml)["visits"][0], (std::vector<double>{3, 4, 1, 2}));
  EXPECT_LT(xml.find("<rank>1</rank>"), xml.find("<name>n1</name>"));
  EXPECT_EQ(xml.find("empty"), std::string::npos);
}

TEST(Cube3, WhatIsNoNumberBecomesNothing) {
  const Written written = Cube3(Hostile().profile);
  EXPECT_EQ(written.xml.find("nan"), std::string::npos);
  for (const auto& [metric, rows] : Values(written.xml)) {
    for (const auto& [path, row] : rows) EXPECT_EQ(row.size(), Hostile().profile.locations.size());
  }
}

TEST(Cube3, RefusesWhatCubeCannotHold) {
  std::vector<std::string> notes;
  std::string text, error;
  const Profile profile = NoLocations().profile;
  EXPECT_FALSE(WriteCube3(profile, RowsOf(profile), AppendTo(&text), &notes, &error));
  EXPECT_NE(error, "");
}

TEST(Cube3, DeepTrees) {
  const Profile profile = Deep(100000).profile;
  ExclusiveRowSource none;
  none.has = [](uint32_t, uint32_t) { return false; };
  std::vector<std::string> notes;
  std::string text, error;
  EXPECT_TRUE(WriteCube3(profile, none, AppendTo(&text), &notes, &error)) << error;
}

}  // namespace
}  // namespace epik::report
