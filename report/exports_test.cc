// SPDX-License-Identifier: BSD-3-Clause
// What pprof's and Hatchet's readers would find, decoded here without our own code.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/figures.h"
#include "report/hatchet.h"
#include "report/pprof.h"
#include "report/sample_profiles.h"

namespace epik::report {
namespace {

using nlohmann::json;

struct Field {
  uint32_t number = 0;
  uint64_t value = 0;
  std::string bytes;
};

uint64_t Varint(const std::string& text, size_t* at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(text.at((*at)++));
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<Field> Fields(const std::string& text) {
  std::vector<Field> fields;
  for (size_t at = 0; at < text.size();) {
    Field field;
    const uint64_t key = Varint(text, &at);
    field.number = static_cast<uint32_t>(key >> 3);
    field.value = Varint(text, &at);
    if ((key & 7) == 2) {
      field.bytes = text.substr(at, field.value);
      EXPECT_EQ(field.bytes.size(), field.value);
      at += field.value;
    } else {
      EXPECT_EQ(key & 7, 0u);
    }
    fields.push_back(field);
  }
  return fields;
}

std::vector<uint64_t> Numbers(const std::string& packed) {
  std::vector<uint64_t> numbers;
  for (size_t at = 0; at < packed.size();) numbers.push_back(Varint(packed, &at));
  return numbers;
}

struct Decoded {
  std::vector<std::string> strings, types;
  std::map<uint64_t, std::string> functions;                    // name by id
  std::map<std::string, std::map<std::string, uint64_t>> sums;  // by "a > b", then type
  size_t samples = 0;
};

Decoded Decode(const Sample& sample) {
  std::string text;
  WritePprof(sample.profile, sample.manifest, AppendTo(&text));
  Decoded d;
  const std::vector<Field> fields = Fields(text);
  for (const Field& f : fields) {
    if (f.number == 6) d.strings.push_back(f.bytes);
  }
  for (const Field& f : fields) {
    if (f.number == 1) d.types.push_back(d.strings.at(Fields(f.bytes).at(0).value));
    if (f.number == 5) d.functions[Fields(f.bytes).at(0).value] = d.strings.at(Fields(f.bytes).at(1).value);
  }
  for (const Field& f : fields) {
    if (f.number != 2) continue;
    ++d.samples;
    const std::vector<Field> parts = Fields(f.bytes);
    std::string name;
    for (uint64_t id : Numbers(parts.at(0).bytes)) name = d.functions.at(id) + (name.empty() ? "" : " > ") + name;
    const std::vector<uint64_t> values = Numbers(parts.at(1).bytes);
    EXPECT_EQ(values.size(), d.types.size());
    for (size_t i = 0; i < values.size(); ++i) d.sums[name][d.types[i]] += values[i];
  }
  return d;
}

TEST(Pprof, SamplesAreTheProfile) {
  const Sample sample = Stencil();
  const Decoded d = Decode(sample);
  EXPECT_EQ(d.strings.at(0), "");
  EXPECT_EQ(d.types.at(0), "time");
  const Split time(sample.profile, sample.profile.FindMetric("time"));
  const std::vector<uint64_t> visits = IntegerSums(sample.profile, "visits");
  for (uint32_t path = 0; path < visits.size(); ++path) {
    const auto& sums = d.sums.at(sample.profile.PathName(path));
    EXPECT_EQ(sums.at("visits"), visits[path]);
    EXPECT_NEAR(static_cast<double>(sums.at("time")), time.ExclusiveSum(path) * 1e9, 8);
  }
  const std::string isend = "stencil > main > time_step(Field&) > halo > MPI_Isend";
  EXPECT_EQ(d.sums.at(isend).at("bytes_sent_p2p"), 4u * 2000 * 8192);
}

TEST(Pprof, DeepAndHostileProfilesStayReadable) {
  EXPECT_EQ(Decode(Deep(3000)).samples, 3001u);
  for (const Sample& sample : AllSamples()) Decode(sample);
}

// Exclusive times of a tree, and whether inclusive ones are theirs and those below.
double CheckTree(const json& node, size_t* frames) {
  ++*frames;
  double sum = node["metrics"].value("time", 0.0);
  for (const json& child : node["children"]) sum += CheckTree(child, frames);
  EXPECT_NEAR(node["metrics"].value("time (inc)", 0.0), sum, 1e-9);
  EXPECT_FALSE(node["frame"]["name"].get<std::string>().empty());
  return sum;
}

json Hatchet(const Sample& sample) {
  std::string text;
  WriteHatchet(sample.profile, AppendTo(&text));
  return json::parse(text);
}

TEST(Hatchet, IsTheCallTree) {
  for (const Sample& sample : {Hybrid(), Stencil(), Recursion(), Wide(), Templates()}) {
    const json trees = Hatchet(sample);
    const Split time(sample.profile, sample.profile.FindMetric("time"));
    size_t frames = 0;
    double sum = 0;
    for (const json& tree : trees) sum += CheckTree(tree, &frames);
    EXPECT_EQ(frames, sample.profile.call_paths.size());
    EXPECT_NEAR(sum, time.Total(), 1e-9);
  }
  const json step = Hatchet(Stencil())[0]["children"][0]["children"][1];
  EXPECT_EQ(step["frame"]["name"], "time_step(Field&)");
  EXPECT_EQ(step["metrics"]["visits"], 4000);
}

TEST(Hatchet, DeepTreesEndWhereReadersWould) {
  const json trees = Hatchet(Deep(3000));
  size_t frames = 0;
  EXPECT_NEAR(CheckTree(trees[0], &frames), 3001, 1e-6);
  EXPECT_EQ(frames, 512u);
  for (const Sample& sample : AllSamples()) Hatchet(sample);
}

}  // namespace
}  // namespace epik::report
