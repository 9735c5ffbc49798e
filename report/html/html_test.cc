// SPDX-License-Identifier: BSD-3-Clause
#include "report/html/html.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "report/sample_profiles.h"

namespace epik::report {
namespace {

using archive::Along;
using archive::kNone;
using archive::Type;
using nlohmann::json;

constexpr char kPage[] = "<html><script>EPIK-DATA-HERE</script></html>";

// Decodes Base64 and zlib, and takes the content apart a second time, from docs/html.md and not from the writer.
struct Unpacked {
  json head;
  std::string bytes;

  std::vector<double> Planes(size_t offset, size_t count, size_t width) const {
    std::vector<double> out;
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = 0;
      for (size_t plane = 0; plane < width; ++plane) {
        bits |= uint64_t{static_cast<uint8_t>(bytes.at(offset + plane * count + i))} << (56 - 8 * plane);
      }
      out.push_back(width == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits >> 32)));
    }
    return out;
  }

  std::vector<double> Differences(size_t offset, size_t count, size_t row) const {
    std::vector<double> out;
    for (size_t i = 0; i < count; ++i) {
      auto byte = static_cast<uint8_t>(bytes.at(offset++));
      const bool negative = (byte & 1) != 0;
      double value = (byte & 0x7f) >> 1, scale = 64;
      for (; (byte & 0x80) != 0; scale *= 128) {
        byte = static_cast<uint8_t>(bytes.at(offset++));
        value += (byte & 0x7f) * scale;
      }
      out.push_back((i % row == 0 ? 0 : out.back()) + (negative ? -value - 1 : value));
    }
    return out;
  }

  // The levels by call path, for a metric that has rows of levels.
  std::vector<std::vector<uint8_t>> Levels(const json& m) const {
    const size_t locations = head["locations"].size(), rows = m["rows"];
    size_t at = m["cells"].get<size_t>() + 2 * rows;
    std::vector<std::vector<uint8_t>> out(head["parents"].size());
    std::vector<std::vector<uint8_t>> like(out.size());
    if (m.contains("like")) like = Levels(head["metrics"][m["like"].get<size_t>()]);
    for (size_t p = 0; p < out.size(); ++p) {
      if (bytes.at(m["kinds"].get<size_t>() + p) != 1) continue;
      for (size_t l = 0; l < locations; ++l) {
        const uint8_t other = like[p].empty() ? 0 : like[p][l];
        out[p].push_back(static_cast<uint8_t>(static_cast<uint8_t>(bytes.at(at++)) + other));
      }
    }
    return out;
  }

  std::vector<double> Shaded(const json& m) const {
    const std::vector<double> scales = Planes(m["cells"], m["rows"], 2);
    std::vector<double> out;
    size_t row = 0;
    for (const std::vector<uint8_t>& levels : Levels(m)) {
      for (const uint8_t level : levels) out.push_back(level == 64 ? NAN : level * scales[row] / 63);
      row += levels.empty() ? 0 : 1;
    }
    return out;
  }

  // The cells by call path and location; rows are empty if a call path has no cell.
  std::vector<std::vector<double>> Cells(size_t metric) const {
    const json& m = head["metrics"][metric];
    const size_t paths = head["parents"].size(), locations = head["locations"].size(), rows = m["rows"];
    const size_t width = m["width"], offset = m["cells"];
    const std::vector<double> cells = width == 0   ? Differences(offset, rows * locations, locations)
                                      : width == 1 ? Shaded(m)
                                                   : Planes(offset, rows * locations, width);
    std::vector<std::vector<double>> out(paths);
    std::vector<std::vector<double>> parent;
    size_t row = 0;
    for (size_t p = 0; p < paths; ++p) {
      const int kind = bytes.at(m["kinds"].get<size_t>() + p);
      if (kind == 2 && parent.empty()) parent = Cells(m["parent"].get<size_t>());
      if (kind == 2) out[p] = parent[p];
      if (kind == 1) {
        const auto at = cells.begin() + static_cast<long>(row++ * locations);
        out[p].assign(at, at + static_cast<long>(locations));
      }
    }
    return out;
  }
};

std::string FromBase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0, count = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    if ((count += 6) >= 8) out.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
  }
  return out;
}

std::string Html(const Sample& sample, size_t most = kHtmlMost) {
  std::string text, error;
  const HtmlExtras extras{kPage, "from,to,messages,bytes\n0,1,2,3\n", most};
  EXPECT_TRUE(WriteHtml(sample.profile, sample.manifest, extras, AppendTo(&text), &error)) << error;
  return text;
}

Unpacked Unpack(const std::string& html) {
  const std::string before = "<html><script>", after = "</script></html>";
  EXPECT_TRUE(html.starts_with(before) && html.ends_with(after));
  const std::string packed = FromBase64(html.substr(before.size(), html.size() - before.size() - after.size()));
  std::string all(64 << 20, '\0');
  uLongf size = all.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(all.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  uint32_t length = 0;
  for (int i = 0; i < 4; ++i) length |= uint32_t{static_cast<uint8_t>(all[static_cast<size_t>(i)])} << (8 * i);
  return {json::parse(all.substr(4, length)), all.substr(4 + length, size - 4 - length)};
}

TEST(Html, HasTheAdviceAndTheImbalancesOfText) {
  Sample sample = Stencil();
  sample.manifest.command = {"./a b", "$HOME"};
  const json head = Unpack(Html(sample)).head;
  EXPECT_EQ(head["command"], "'./a b' '$HOME'");
  const json advice = head["advice"];
  ASSERT_EQ(advice.size(), 3u);
  EXPECT_EQ(advice[0][0], "bad");
  EXPECT_EQ(advice[0][1], "relax is uneven");
  EXPECT_EQ(advice[0][2],
            "Rank 3 thread 0 takes 4.00 s, 1.8 times the mean of 2.19 s: up to 1.81 s of the run time could be saved.");
  EXPECT_EQ(sample.profile.regions[sample.profile.call_paths[advice[0][3]].region].name, "relax");
  EXPECT_EQ(advice[1],
            json({"warn", "Files take 800 ms", "800 ms of it MPI_File_write_at_all, most on rank 0 thread 0.", -1}));
  EXPECT_EQ(advice[2][1], "MPI takes 21 % of the time");
  EXPECT_EQ(advice[2][2],
            "Most on rank 0 thread 0, 82 % of it in MPI_Allreduce of time_step(Field&): it may be waiting for the work "
            "above.");
  const json worst = head["imbalances"][0];
  EXPECT_EQ(worst["path"], advice[0][3]);
  EXPECT_EQ(worst["whole"], false);
  EXPECT_EQ(worst["busiest"], 6);
  EXPECT_NEAR(worst["saved"], 1.81, 0.01);
  EXPECT_EQ(worst["values"].size(), 8u);
  EXPECT_NEAR(worst["values"][6], 4, 0.01);
}

TEST(Html, HasEveryValueExactly) {
  const Sample sample = Hybrid();
  const archive::Profile& p = sample.profile;
  const Unpacked unpacked = Unpack(Html(sample));
  EXPECT_EQ(unpacked.head["bits"], 52);
  EXPECT_EQ(unpacked.head["manifest"]["program"], "heat");
  EXPECT_EQ(unpacked.head["communication"], "from,to,messages,bytes\n0,1,2,3\n");
  for (uint32_t m = 0; m < p.metrics.size(); ++m) {
    const auto cells = unpacked.Cells(m);
    const Type type = p.metrics[m].type;
    const bool extreme = type == Type::kMin || type == Type::kMax;
    for (uint32_t l = 0; l < p.locations.size(); ++l) {
      const std::vector<double> truth = extreme ? std::vector<double>() : p.Exclusive(m, l);
      for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
        const double value = cells[path].empty() ? 0 : cells[path][l];
        if (!extreme) {
          EXPECT_NEAR(value, truth[path], 1e-12 * std::fabs(p.values[m].Real(path, l)) + 1e-15)
              << p.metrics[m].unique_name << " " << p.PathName(path) << " " << l;
        } else if (p.values[m].Has(path) && p.values[m].Row(path)[l] != archive::Values::EmptyBits(type)) {
          EXPECT_EQ(value, p.values[m].Real(path, l));
        } else {
          EXPECT_TRUE(cells[path].empty() || std::isnan(value));
        }
      }
    }
  }
}

TEST(Html, TheVerdictKnowsWhoWaited) {
  Sample sample;
  archive::Profile& p = sample.profile;
  p.hosts.push_back({"n"});
  p.regions.resize(2);
  p.regions[0].name = "main";
  p.regions[1].name = "MPI_Allreduce";
  p.regions[1].paradigm = "mpi";
  p.call_paths = {{0, archive::kNone}, {1, 0}};
  for (int rank = 0; rank < 2; ++rank) {
    p.processes.push_back({0, rank, "p"});
    p.locations.push_back({static_cast<uint32_t>(rank), 0, "t"});
  }
  const uint32_t time = p.AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kExclusive});
  for (uint32_t l = 0; l < 2; ++l) {
    p.values[time].Set(0, l, 2.0);
    p.values[time].Set(1, l, 8.0);
  }
  const auto verdict = [&sample] { return Unpack(Html(sample)).head["pop"]["verdict"].dump(); };
  EXPECT_NE(verdict().find("(EPK_WAITS=yes tells)"), std::string::npos) << verdict();
  const uint32_t waits = p.AddMetric({"mpi_wait_nxn", "Wait", "sec", "", Type::kDouble, Along::kExclusive});
  for (uint32_t l = 0; l < 2; ++l) p.values[waits].Set(1, l, 7.0);
  EXPECT_NE(verdict().find("the others wait for them in MPI: 88 % of the time there"), std::string::npos) << verdict();
}

TEST(Html, HasTheDefinitions) {
  const Sample sample = Hybrid();
  const json head = Unpack(Html(sample)).head;
  ASSERT_EQ(head["parents"].size(), sample.profile.call_paths.size());
  EXPECT_EQ(head["parents"][0], -1);
  for (size_t path = 1; path < head["parents"].size(); ++path) {
    EXPECT_EQ(head["parents"][path], sample.profile.call_paths[path].parent);
    EXPECT_EQ(head["regions"][head["region_of"][path].get<size_t>()][0],
              sample.profile.regions[sample.profile.call_paths[path].region].name);
  }
  EXPECT_EQ(head["locations"].size(), 4u);
  EXPECT_TRUE(head["pop"]["mpi"]);
  const double product =
      head["pop"]["whole"]["load_balance"].get<double>() * head["pop"]["whole"]["communication"].get<double>();
  EXPECT_NEAR(head["pop"]["whole"]["parallel"].get<double>(), product, 1e-12);
}

// Rows that are equal to those of the parent metric are stored once.
TEST(Html, SharesRowsAlongTheMetricTree) {
  Sample sample = Hybrid();
  archive::Profile& p = sample.profile;
  const uint32_t time = p.FindMetric("time");
  p.metrics[time].along = Along::kExclusive;
  const uint32_t child = p.AddMetric({"comp", "Computation", "sec", "", Type::kDouble, Along::kExclusive, time});
  const uint32_t grandchild = p.AddMetric({"more", "More", "sec", "", Type::kDouble, Along::kExclusive, child});
  for (uint32_t path = 2; path < 8; ++path) {
    for (uint32_t l = 0; l < 4; ++l) {
      p.values[child].Set(path, l, p.values[time].Real(path, l));
      if (path == 5) p.values[grandchild].Set(path, l, p.values[time].Real(path, l));
      if (path == 6) p.values[grandchild].Set(path, l, p.values[time].Real(path, l) / 2 + 0.1);
    }
  }
  const Unpacked unpacked = Unpack(Html(sample));
  EXPECT_EQ(unpacked.head["metrics"][child]["rows"], 0);
  EXPECT_EQ(unpacked.head["metrics"][grandchild]["rows"], 1);
  const auto cells = unpacked.Cells(grandchild);
  for (uint32_t l = 0; l < 4; ++l) {
    EXPECT_EQ(cells[5][l], p.values[time].Real(5, l));
    EXPECT_EQ(cells[6][l], p.values[time].Real(6, l) / 2 + 0.1);
  }
}

Sample Noise(uint32_t locations, uint32_t paths) {
  Sample sample;
  archive::Profile& p = sample.profile;
  p.hosts.push_back({"node"});
  for (uint32_t l = 0; l < locations; ++l) {
    p.processes.push_back({0, static_cast<int>(l), ""});
    p.locations.push_back({l, 0, ""});
  }
  p.regions.resize(2);
  p.call_paths.resize(paths);
  for (uint32_t path = 1; path < paths; ++path) p.call_paths[path] = {1, 0};
  std::mt19937 random(7);  // NOLINT: the same each time
  std::uniform_real_distribution<double> size(1e-6, 10);
  for (const char* name : {"time", "energy"}) {
    const uint32_t m = p.AddMetric({name, name, "sec", "", Type::kDouble, Along::kExclusive, kNone});
    for (uint32_t path = 0; path < paths; ++path) {
      for (uint32_t l = 0; l < locations; ++l) p.values[m].Set(path, l, size(random));
    }
  }
  return sample;
}

// When room is scarce, single locations lose digits, but sums do not.
TEST(Html, FitsIntoTheRoomThereIs) {
  const Sample sample = Noise(64, 500);
  const archive::Profile& p = sample.profile;
  const size_t most = 300'000;
  EXPECT_GT(Html(sample).size(), most);
  const std::string html = Html(sample, most);
  EXPECT_LE(html.size(), most);
  const Unpacked unpacked = Unpack(html);
  const int bits = unpacked.head["bits"];
  EXPECT_GE(bits, 8);
  EXPECT_LT(bits, 52);
  for (uint32_t m = 0; m < 2; ++m) {
    const auto cells = unpacked.Cells(m);
    const std::vector<double> sums = unpacked.Planes(unpacked.head["metrics"][m]["sums"], 500, 8);
    for (uint32_t path = 0; path < 500; ++path) {
      double sum = 0;
      for (uint32_t l = 0; l < 64; ++l) {
        const double truth = p.values[m].Real(path, l);
        sum += truth;
        EXPECT_NEAR(cells[path][l] / truth, 1, std::ldexp(1, -bits - 1) * 1.001);
      }
      EXPECT_NEAR(sums[path], sum, 1e-12 * sum);
    }
  }
}

TEST(Html, HasLevelsWhereThereIsLittleRoom) {
  Sample sample = Noise(64, 500);
  archive::Profile& p = sample.profile;
  p.values[0].Set(7, 3, 0.0);
  const Unpacked unpacked = Unpack(Html(sample, 1000));
  EXPECT_EQ(unpacked.head["bits"], 6);
  for (uint32_t m = 0; m < 2; ++m) {
    EXPECT_EQ(unpacked.head["metrics"][m]["width"], 1) << m;
    EXPECT_EQ(unpacked.head["metrics"][m].contains("like"), m > 0);
    const auto cells = unpacked.Cells(m);
    for (uint32_t path = 0; path < 500; ++path) {
      double most = 0;
      for (uint32_t l = 0; l < 64; ++l) most = std::max(most, p.values[m].Real(path, l));
      for (uint32_t l = 0; l < 64; ++l) {
        const double truth = p.values[m].Real(path, l);
        const double levels = truth < most / 126 ? 1.01 : 0.51;  // a value that is not zero is not shown as zero
        EXPECT_NEAR(cells[path][l], truth, most / 63 * levels) << m << " " << path << " " << l;
        EXPECT_EQ(cells[path][l] == 0, truth == 0);
      }
    }
  }
}

TEST(Html, SurvivesEverySample) {
  for (const Sample& sample : AllSamples()) {
    const Unpacked unpacked = Unpack(Html(sample));
    EXPECT_EQ(unpacked.head["parents"].size(), sample.profile.call_paths.size());
    for (size_t m = 0; m < unpacked.head["metrics"].size(); ++m) unpacked.Cells(m);
  }
}

// The browser's HTML parser never sees any part of the profile.
TEST(Html, DataCannotEndTheScript) {
  Sample sample = Hybrid();
  sample.profile.regions[0].name = "</script><script>alert(1)</script>";
  const std::string html = Html(sample);
  EXPECT_EQ(html.find("</script><script>"), html.npos);
  EXPECT_EQ(Unpack(html).head["regions"][0][0], sample.profile.regions[0].name);
}

TEST(Html, HasTheTopologiesOfSeveralProcesses) {
  Sample sample = Hybrid();
  sample.profile.topologies = {{"alone", {{"", 1, false}}, {0}, {0}},
                               {"ring", {{"", 1, false}, {"p", 2, true}}, {0, 1}, {0, 1, 0, 0}}};
  const json topologies = Unpack(Html(sample)).head["topologies"];
  ASSERT_EQ(topologies.size(), 1u);
  EXPECT_EQ(topologies[0]["name"], "ring");
  EXPECT_EQ(topologies[0]["dimensions"], json::parse(R"([["", 1, 0], ["p", 2, 1]])"));
  EXPECT_EQ(topologies[0]["places"], json::parse("[0, 0, 1, 1, 0, 0]"));
}

TEST(Html, HoldsTheRunItIsComparedWith) {
  const Sample sample = Hybrid(), other = Unfinished();
  std::string html, error;
  ASSERT_TRUE(WriteHtml(sample.profile, sample.manifest, {kPage, ""}, AppendTo(&html), &error,
                        {&other.profile, &other.manifest}))
      << error;
  const std::string between = "</script>\n<script id=\"epik-base\" type=\"application/zlib+base64\">";
  const size_t at = html.find(between);
  ASSERT_NE(at, html.npos);
  const std::string before = "<html><script>", after = "</script></html>";
  EXPECT_EQ(Unpack(html.substr(0, at) + after).head["manifest"]["program"], "heat");
  EXPECT_EQ(Unpack(before + html.substr(at + between.size())).head["manifest"]["program"], "climate");
}

TEST(Html, TellsWhichCallPathsOfTheOtherRunAreTheSame) {
  const Sample sample = Hybrid();
  Sample other = Hybrid();
  archive::Region fresh = other.profile.regions[0];
  fresh.name = fresh.mangled = "fresh";
  other.profile.regions.push_back(fresh);
  other.profile.call_paths.back().region = static_cast<uint32_t>(other.profile.regions.size() - 1);
  std::string html, error;
  ASSERT_TRUE(WriteHtml(sample.profile, sample.manifest, {kPage, ""}, AppendTo(&html), &error,
                        {&other.profile, &other.manifest}));
  const size_t at = html.find("epik-base"), begin = html.find('>', at) + 1;
  const json same = Unpack("<html><script>" + html.substr(begin)).head["same"];
  ASSERT_EQ(same.size(), other.profile.call_paths.size());
  for (size_t p = 0; p + 1 < same.size(); ++p) EXPECT_EQ(same[p], p);
  EXPECT_EQ(same.back(), -1);
  EXPECT_FALSE(Unpack(Html(sample)).head.contains("same"));
}

TEST(Html, RefusesAPageThatIsNotOurs) {
  const Sample sample = Hybrid();
  std::string text, error;
  EXPECT_FALSE(WriteHtml(sample.profile, sample.manifest, {"<html></html>", ""}, AppendTo(&text), &error));
  EXPECT_NE(error.find("report.html"), error.npos);
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace epik::report
