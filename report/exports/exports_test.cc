// SPDX-License-Identifier: BSD-3-Clause
// Reads files for other tools without the code that wrote them, and compares them with the profile.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "report/exports/hatchet.h"
#include "report/exports/markdown.h"
#include "report/exports/pprof.h"
#include "report/sample_profiles.h"
#include "report/text/text.h"

namespace epik::report {
namespace {

std::string Unzip(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string plain;
  int status = Z_OK;
  while (status == Z_OK) {
    char buffer[4096];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = inflate(&stream, Z_NO_FLUSH);
    plain.append(buffer, sizeof buffer - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return plain;
}

// A protocol buffer message: the values of each field, in order; numbers unchanged, byte strings as text.
struct Message {
  std::map<uint64_t, std::vector<uint64_t>> numbers;
  std::map<uint64_t, std::vector<std::string>> pieces;

  uint64_t Number(uint64_t field) const { return numbers.count(field) != 0 ? numbers.at(field)[0] : 0; }
};

uint64_t Varint(const std::string& bytes, size_t* at) {
  uint64_t value = 0;
  for (int shift = 0; *at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[(*at)++]);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  ADD_FAILURE() << "cut off";
  return 0;
}

Message Parse(const std::string& bytes) {
  Message message;
  for (size_t at = 0; at < bytes.size();) {
    const uint64_t tag = Varint(bytes, &at);
    EXPECT_TRUE(tag % 8 == 0 || tag % 8 == 2);
    const uint64_t value = Varint(bytes, &at);
    if (tag % 8 == 0) {
      message.numbers[tag / 8].push_back(value);
      continue;
    }
    EXPECT_LE(value, bytes.size() - at);
    message.pieces[tag / 8].push_back(bytes.substr(at, value));
    at += value;
  }
  return message;
}

std::vector<uint64_t> Packed(const std::string& bytes) {
  std::vector<uint64_t> values;
  for (size_t at = 0; at < bytes.size();) values.push_back(Varint(bytes, &at));
  return values;
}

// Sums a metric over all call paths and locations.
double TotalOf(const Sample& sample, const std::string& metric) {
  double total = 0;
  for (uint32_t l = 0; l < sample.profile.locations.size(); ++l) {
    for (const double v : sample.profile.Exclusive(sample.profile.FindMetric(metric), l)) total += v;
  }
  return total;
}

class Pprof {
 public:
  explicit Pprof(const Sample& sample) {
    std::string text;
    WritePprof(sample.profile, sample.manifest, AppendTo(&text));
    file_ = Parse(Unzip(text));
    strings_ = file_.pieces[6];
    for (const std::string& bytes : file_.pieces[5]) {
      const Message function = Parse(bytes);
      functions_[function.Number(1)] = strings_.at(function.Number(2));
    }
    for (const std::string& bytes : file_.pieces[4]) {
      const Message place = Parse(bytes);
      places_[place.Number(1)] = functions_.at(Parse(place.pieces.at(4)[0]).Number(1));
    }
    for (const std::string& bytes : file_.pieces[1]) types_.push_back(strings_.at(Parse(bytes).Number(1)));
  }

  // "main > solve" -> the sum over all samples.
  std::map<std::string, double> Stacks(const std::string& metric) {
    const auto type = static_cast<size_t>(std::find(types_.begin(), types_.end(), metric) - types_.begin());
    std::map<std::string, double> stacks;
    for (const std::string& bytes : file_.pieces[2]) {
      const Message sample = Parse(bytes);
      std::string name;
      for (const uint64_t place : Packed(sample.pieces.at(1)[0])) {
        name = places_.at(place) + (name.empty() ? "" : " > " + name);
      }
      const std::vector<uint64_t> values = Packed(sample.pieces.at(2)[0]);
      EXPECT_EQ(values.size(), types_.size());
      EXPECT_EQ(sample.pieces.at(3).size(), 2u);
      stacks[name] += static_cast<double>(static_cast<int64_t>(values.at(type)));
    }
    return stacks;
  }

  const std::vector<std::string>& strings() const { return strings_; }
  const Message& file() const { return file_; }

 private:
  Message file_;
  std::vector<std::string> strings_, types_;
  std::map<uint64_t, std::string> functions_, places_;
};

TEST(Pprof, TimesOfCallPaths) {
  const Sample sample = Unfinished();
  Pprof file(sample);
  EXPECT_EQ(file.strings()[0], "");
  EXPECT_EQ(file.strings()[file.file().Number(14)], "time");
  const auto times = file.Stacks("time");
  EXPECT_NEAR(times.at("climate > main > time_step_"), 61e9, 10);
  EXPECT_NEAR(times.at("climate > main > time_step_ > MPI_Recv"), 24.5e9, 10);
}

TEST(Pprof, SumsAreThoseOfTheProfile) {
  for (const Sample& sample : {Hybrid(), Recursion(), Wide(), DeepChain()}) {
    Pprof file(sample);
    for (const std::string metric : {"time", "visits"}) {
      double sum = 0;
      for (const auto& [stack, value] : file.Stacks(metric)) sum += value;
      const double total = TotalOf(sample, metric) * (metric == "time" ? 1e9 : 1);
      EXPECT_NEAR(sum, total, 1e-9 * total + 100);
    }
  }
}

TEST(Pprof, RatiosAreMillionthsAndNotZero) {
  Sample sample = Unfinished();
  archive::Metric ratio;
  ratio.unique_name = "share";
  ratio.type = archive::Type::kDouble;
  sample.profile.AddMetric(ratio);
  archive::Values values(archive::Type::kDouble, sample.profile.call_paths.size(), sample.profile.locations.size());
  values.Set(0, 0, 0.25);
  sample.profile.values.back() = values;
  double sum = 0;
  for (const auto& [stack, value] : Pprof(sample).Stacks("share")) sum += value;
  EXPECT_EQ(sum, 250000);
}

TEST(Pprof, StandsWhateverTheProfile) {
  for (const Sample& sample : AllSamples()) EXPECT_FALSE(Pprof(sample).strings().empty());
  double sum = 0;
  for (const auto& [stack, value] : Pprof(Deep(2000)).Stacks("time")) sum += value;
  EXPECT_EQ(sum, 2001e9);
}

nlohmann::json Hatchet(const Sample& sample) {
  std::string text;
  WriteHatchet(sample.profile, AppendTo(&text));
  return nlohmann::json::parse(text);
}

// Goes through the nodes as from_literal does. Returns the sum over the nodes and all nodes below.
double SumOf(const nlohmann::json& nodes, const std::string& metric, std::set<std::string>* names) {
  double inclusive = 0;
  for (const nlohmann::json& node : nodes) {
    names->insert(node.at("frame").at("name").get<std::string>());
    EXPECT_TRUE(node.at("frame").contains("type"));
    const double below = SumOf(node.at("children"), metric, names);
    const double whole = node.at("metrics").at(metric + " (inc)").get<double>();
    EXPECT_NEAR(whole, node.at("metrics").at(metric).get<double>() + below, 1e-6);
    inclusive += whole;
  }
  return inclusive;
}

TEST(Hatchet, SumsAreThoseOfTheProfile) {
  for (const Sample& sample : {Hybrid(), Recursion(), Wide(), DeepChain(), Unfinished()}) {
    std::set<std::string> names;
    EXPECT_NEAR(SumOf(Hatchet(sample), "time", &names), TotalOf(sample, "time"), 1e-6);
    for (const archive::CallPath& path : sample.profile.call_paths) {
      EXPECT_EQ(names.count(sample.profile.regions[path.region].name), 1u);
    }
  }
}

TEST(Hatchet, DeepCallsCountForTheDeepestFrame) {
  nlohmann::json nodes = Hatchet(Deep(2000));
  int depth = 0;
  double sum = 0;
  for (nlohmann::json at = nodes; !at.empty(); at = nlohmann::json(at[0]["children"])) {
    ++depth;
    sum += at[0]["metrics"]["time"].get<double>();
  }
  EXPECT_EQ(depth, 512);
  EXPECT_EQ(sum, 2001);
}

TEST(Hatchet, ASumThatIsTooLargeIsNull) {
  Sample sample = Hybrid();
  const uint32_t time = sample.profile.FindMetric("time");
  for (uint32_t p = 0; p < sample.profile.call_paths.size(); ++p) {
    for (uint32_t l = 0; l < 2; ++l) sample.profile.values[time].Set(p, l, 1e308);
  }
  EXPECT_TRUE(Hatchet(sample)[0].at("metrics").at("time (inc)").is_null());
}

TEST(Hatchet, AllSamplesAreValid) {
  for (const Sample& sample : AllSamples()) EXPECT_TRUE(Hatchet(sample).is_array());
}

TEST(Markdown, TablesHaveTheirColumns) {
  for (const Sample& sample : AllSamples()) {
    std::string text;
    WriteMarkdown(sample.profile, sample.manifest, 10, AppendTo(&text));
    std::stringstream lines(text);
    size_t columns = 0;
    for (std::string line; std::getline(lines, line);) {
      size_t bars = 0;
      for (size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
      if (line.empty() || line[0] != '|') {
        columns = 0;
        continue;
      }
      if (columns == 0) columns = bars;
      EXPECT_EQ(bars, columns) << line;
    }
  }
}

TEST(Markdown, HottestFirst) {
  std::string text;
  const Sample sample = Unfinished();
  WriteMarkdown(sample.profile, sample.manifest, 1, AppendTo(&text));
  EXPECT_NE(text.find("`climate > main > time_step_` |"), std::string::npos) << text;
  EXPECT_EQ(text.find("MPI_Recv"), std::string::npos) << text;
}

TEST(Markdown, NotAllUnlessAskedFor) {
  std::string some, all;
  const Sample sample = Wide();
  WriteMarkdown(sample.profile, sample.manifest, ViewOptions::kDefaultTop, AppendTo(&some));
  WriteMarkdown(sample.profile, sample.manifest, 0, AppendTo(&all));
  EXPECT_LT(std::count(some.begin(), some.end(), '\n'), 55);
  EXPECT_GT(std::count(all.begin(), all.end(), '\n'), 300);
}

TEST(Markdown, CodeHoldsAnything) {
  EXPECT_EQ(MarkdownCode("a > b"), "`a > b`");
  EXPECT_EQ(MarkdownCode("operator|"), "`operator\\|`");
  EXPECT_EQ(MarkdownCode("a`b"), "``a`b``");
  EXPECT_EQ(MarkdownCode("`"), "`` ` ``");
}

}  // namespace
}  // namespace epik::report
