// SPDX-License-Identifier: BSD-3-Clause
// Tests figures and names with cases.json, which the unit tests of the HTML page read, too: both show the same.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "view/name.h"
#include "view/number.h"
#include "view/text.h"

namespace epik::view {
namespace {

using nlohmann::json;

json Cases(const char* function) {
  std::ifstream file("view/cases.json");
  const json all = json::parse(file);
  EXPECT_GT(all.at(function).size(), 4u) << function;
  return all.at(function);
}

double Number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

template <class Shown>
void Check(const char* function, Shown&& shown) {
  for (const json& row : Cases(function)) EXPECT_EQ(shown(row[0]), row[1].get<std::string>()) << function << row;
}

TEST(Cases, Figures) {
  Check("seconds", [](const json& value) { return Seconds(Number(value)); });
  Check("count", [](const json& value) { return Count(value.get<uint64_t>()); });
  Check("bytes", [](const json& value) { return Bytes(Number(value)); });
  Check("share", [](const json& value) { return Share(Number(value)); });
  Check("ratio", [](const json& value) { return Ratio(Number(value)); });
  Check("amount", [](const json& value) { return Amount(Number(value[0]), value[1].get<std::string>()); });
}

TEST(Cases, Names) {
  const Terminal terminal;
  Check("printable", [](const json& value) { return Printable(value.get<std::string>()); });
  Check("short_name",
        [&](const json& value) { return ShortName(value[0].get<std::string>(), value[1].get<size_t>(), terminal); });
  Check("short_names", [&](const json& value) {
    const auto texts = value[0].get<std::vector<std::string>>();
    std::string all;
    for (const std::string& name : ShortNames({texts.begin(), texts.end()}, value[1].get<size_t>(), terminal)) {
      all += (all.empty() ? "" : " | ") + name;
    }
    return all;
  });
}

}  // namespace
}  // namespace epik::view
