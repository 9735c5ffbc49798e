// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "report/json_string.h"
#include "report/sample_profiles.h"
#include "report/views/views.h"

namespace epik::report {
namespace {

using nlohmann::json;

std::string Text(const Sample& sample) {
  std::string text;
  WriteJson(sample.profile, sample.manifest, AppendTo(&text));
  return text;
}

// The part of JSON Schema that docs/report.schema.json uses; it refuses all other parts.
class Validator {
 public:
  explicit Validator(json schema) : root_(std::move(schema)) {}

  // Returns the place of the error with its reason, or nothing.
  std::string Check(const json& value) const { return Check(root_, value, "$"); }
  // Checks a value against one of the schema's definitions.
  std::string CheckAs(const std::string& definition, const json& value) const {
    return Check(root_.at("$defs").at(definition), value, "$");
  }

 private:
  static bool HasType(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == value.type_name();
  }

  std::string Check(const json& schema, const json& value, const std::string& where) const {
    for (const auto& [key, rule] : schema.items()) {
      std::string wrong;
      if (key == "$ref") {
        wrong = Check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, where);
      } else if (key == "type") {
        bool fits = false;
        for (const json& type : rule.is_array() ? rule : json::array({rule})) fits |= HasType(value, type);
        if (!fits) wrong = where + " is not " + rule.dump();
      } else if (key == "const" || key == "enum") {
        const json allowed = key == "enum" ? rule : json::array({rule});
        if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) wrong = where + " is " + value.dump();
      } else if (key == "minimum") {
        if (value.is_number() && value < rule) wrong = where + " is below " + rule.dump();
      } else if (key == "items") {
        for (size_t i = 0; i < value.size() && wrong.empty(); ++i) {
          wrong = Check(rule, value[i], where + "[" + std::to_string(i) + "]");
        }
      } else if (key == "properties") {
        for (const auto& [name, member] : rule.items()) {
          if (wrong.empty() && value.contains(name)) wrong = Check(member, value[name], where + "." + name);
        }
      } else if (key == "required") {
        for (const json& name : rule) {
          if (!value.contains(name.get<std::string>())) wrong = where + " has no " + name.dump();
        }
      } else if (key == "additionalProperties") {
        for (const auto& [name, member] : value.items()) {
          if (!schema.at("properties").contains(name)) wrong = where + "." + name + " is not in the schema";
        }
      } else if (key != "description" && key != "title" && key != "$schema" && key != "$defs" && key != "$comment") {
        wrong = "the validator does not know " + key;
      }
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  json root_;
};

Validator Schema() {
  std::ifstream file("docs/report.schema.json");
  return Validator(json::parse(file));
}

TEST(Json, FollowsItsSchema) {
  const Validator schema = Schema();
  for (const Sample& sample : AllSamples()) {
    EXPECT_EQ(schema.Check(json::parse(Text(sample))), "") << sample.manifest.program;
  }
}

// JSON has the sentence that the text has behind `next`: when measuring cost too much, the command that helps.
TEST(Json, SaysWhatToDoNext) {
  Sample sample = AllSamples().front();
  sample.manifest.cost_percent = 30;
  sample.manifest.cost_seconds = 1;
  const json much = json::parse(Text(sample));
  ASSERT_FALSE(much["advice"].empty());
  EXPECT_NE(much["advice"][0].get<std::string>().find("epk score --suggest"), std::string::npos);
  sample.manifest.cost_percent = 1;
  const json little = json::parse(Text(sample));
  for (const json& sentence : little["advice"]) {
    EXPECT_EQ(sentence.get<std::string>().find("epk score"), std::string::npos);
  }
}

TEST(Json, ViewsFollowIt) {
  const Validator schema = Schema();
  const std::vector<Traffic> traffic = StencilTraffic(4);
  size_t checked = 0;
  for (const Sample& sample : AllSamples()) {
    for (const View& view : Views()) {
      if (!view.Is(kTyped)) continue;
      const std::string name(view.name);
      ViewOptions options;
      options.view = name;
      options.traffic = &traffic;
      options.manifest = &sample.manifest;
      ViewData data;
      std::string error, text;
      if (!MakeView(Figures(sample.profile), options, &data, &error)) continue;  // the profile has no data for the view
      if (sample.profile.locations.empty()) continue;
      WriteViewJson(data, AppendTo(&text));
      EXPECT_EQ(schema.CheckAs(name, json::parse(text)), "") << name << " of " << sample.manifest.program;
      ++checked;
    }
  }
  EXPECT_GT(checked, AllSamples().size());
}

TEST(Json, ScalesFollowIt) {
  const Validator schema = Schema();
  const Sample small = Stencil(), large = Hybrid();
  for (const auto problem : {analysis::Problem::kSame, analysis::Problem::kGrows}) {
    ViewData data;
    std::string text;
    MakeScaling({&large.profile, &small.profile}, {"large", "small"}, problem, {}, &data);
    WriteViewJson(data, AppendTo(&text));
    const json view = json::parse(text);
    EXPECT_EQ(schema.CheckAs("scaling", view), "");
    EXPECT_EQ(view["scales"].size(), 2u);
    EXPECT_LE(view["scales"][0]["threads"], view["scales"][1]["threads"]);
    EXPECT_NE(data.text.find("Global efficiency"), std::string::npos);
  }
}

TEST(Json, TheValidatorNoticesErrors) {
  const Validator schema = Schema();
  const json good = json::parse(Text(Hybrid()));
  json bad = good;
  bad["regions"][3].erase("name");
  EXPECT_EQ(schema.Check(bad), "$.regions[3] has no \"name\"");
  bad = good;
  bad["callpaths"][1]["parent"] = -1;
  EXPECT_EQ(schema.Check(bad), "$.callpaths[1].parent is below 0");
  bad = good;
  bad["metrics"][0]["type"] = "float";
  EXPECT_EQ(schema.Check(bad), "$.metrics[0].type is \"float\"");
  bad = good;
  bad["surprise"] = 1;
  EXPECT_EQ(schema.Check(bad), "$.surprise is not in the schema");
}

TEST(Json, EveryValueReadsBackExactly) {
  for (const Sample& sample : AllSamples()) {
    const archive::Profile& p = sample.profile;
    const json report = json::parse(Text(sample));
    ASSERT_EQ(report["callpaths"].size(), p.call_paths.size());
    ASSERT_EQ(report["values"].size(), p.metrics.size());
    for (size_t m = 0; m < p.metrics.size(); ++m) {
      const json& columns = report["values"][m];
      archive::Values read(p.metrics[m].type, p.call_paths.size(), p.locations.size());
      for (size_t i = 0; i < columns["value"].size(); ++i) {
        const uint32_t path = columns["callpath"][i], location = columns["location"][i];
        if (columns["value"][i].is_null()) {
          EXPECT_FALSE(std::isfinite(p.values[m].Real(path, location)));
          continue;
        }
        if (read.type() == archive::Type::kUint64) {
          read.Set(path, location, columns["value"][i].get<uint64_t>());
        } else {
          read.Set(path, location, columns["value"][i].get<double>());
        }
      }
      for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
        for (uint32_t l = 0; l < p.locations.size(); ++l) {
          if (read.type() == archive::Type::kUint64) {
            EXPECT_EQ(read.Integer(path, l), p.values[m].Integer(path, l));
          } else if (std::isfinite(p.values[m].Real(path, l))) {
            EXPECT_EQ(read.Real(path, l), p.values[m].Real(path, l));
          }
        }
      }
    }
  }
}

TEST(Json, WhatSomeLocationsCouldNotHaveIsNoZero) {
  Sample sample = Stencil();
  sample.profile.AddMetric({"some", "", "occ", "n/a on ranks 1-2: no PMU; cycles"});
  sample.profile.AddMetric({"none", "", "occ", "n/a: no PMU"});
  const json report = json::parse(Text(sample));
  EXPECT_EQ(Schema().Check(report), "");
  const json& metrics = report["metrics"];
  const json& some = metrics[metrics.size() - 2];
  EXPECT_EQ(some["missing"], "no PMU");
  std::vector<int> ranks;
  for (const json& l : some["missing_at"]) ranks.push_back(report["locations"][l.get<size_t>()]["rank"]);
  EXPECT_EQ(ranks, (std::vector<int>{1, 1, 2, 2}));
  EXPECT_EQ(metrics.back()["missing"], "no PMU");
  EXPECT_FALSE(metrics.back().contains("missing_at"));
}

// A reader takes a cell that is not there for 0.
TEST(Json, AValueThatIsNoNumberIsNull) {
  const json report = json::parse(Text(Hostile()));
  EXPECT_EQ(Schema().Check(report), "");
  const json& columns = report["values"].back();
  EXPECT_EQ(columns["metric"], "a,\"b\"");
  EXPECT_EQ(columns["callpath"], json::parse("[0, 1]"));
  EXPECT_EQ(columns["value"], json::parse("[0.1, null]"));
}

TEST(Json, StringsAreAlwaysValid) {
  EXPECT_EQ(JsonString("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(json::parse(JsonString("x\xffy")).get<std::string>(), "x\xef\xbf\xbdy");
}

TEST(Json, NoNumberIsNotANumber) {
  for (const Sample& sample : AllSamples()) {
    const std::string text = Text(sample);
    for (const char* word : {":nan", ",nan", "[nan", ":inf", ",inf", "[inf", "-nan", "-inf"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << word;
    }
  }
}

}  // namespace
}  // namespace epik::report
