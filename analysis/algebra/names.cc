// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "archive/cubex/anchor.h"
#include "config/nearest.h"
#include "config/words.h"
#include "view/text.h"

namespace epik::algebra {

using archive::kNone;
using archive::Profile;

namespace {

constexpr size_t kMostSuggestions = 4;

std::string_view WithoutParameters(std::string_view name) { return name.substr(0, name.find('(')); }

// "apply" of "void grid::apply<Matrix<double>>(int)", because people type that.
std::string BareName(std::string_view name) {
  std::string bare;
  int depth = 0;
  for (const char c : WithoutParameters(name)) {
    if (c == '>' && depth > 0) {
      --depth;
    } else if (c == '<') {
      ++depth;
    } else if (depth == 0) {
      bare += c;
    }
  }
  return bare.substr(bare.find_last_of(" :") + 1);
}

// The names whose bare name has the nearest spelling.
std::vector<std::string_view> NearestBare(const std::set<std::string_view>& names, const std::string& word) {
  std::map<std::string, std::vector<std::string_view>, std::less<>> by_bare;
  for (const std::string_view name : names) by_bare[BareName(name)].push_back(name);
  std::vector<std::string_view> bare;
  for (const auto& [text, whole] : by_bare) bare.push_back(text);
  const auto found = by_bare.find(config::Nearest(BareName(word), bare));
  if (found == by_bare.end() || found->first.empty()) return {};
  std::vector<std::string_view> near = found->second;
  near.resize(std::min(near.size(), kMostSuggestions));
  return near;
}

// Returns the names that contain the word, and those that begin with its first half. If no name does, returns the name
// with the nearest spelling. If no spelling is near, ignores templates, namespaces and types, and compares again.
std::string Suggestions(const std::set<std::string_view>& names, const std::string& word) {
  const std::string lower = config::Lower(word), half = lower.substr(0, (lower.size() + 1) / 2);
  std::vector<std::string_view> near;
  for (const bool whole : {true, false}) {
    for (const std::string_view name : names) {
      const std::string other = config::Lower(name);
      const bool fits = whole ? other.find(lower) != std::string::npos : other.starts_with(half);
      const bool known = std::find(near.begin(), near.end(), name) != near.end();
      if (fits && !known && !half.empty() && near.size() < kMostSuggestions) near.push_back(name);
    }
  }
  if (near.empty()) {
    const std::string_view nearest = config::Nearest(word, {names.begin(), names.end()});
    if (!nearest.empty()) near.push_back(nearest);
  }
  if (near.empty()) near = NearestBare(names, word);
  std::string text;
  for (const std::string_view name : near) text += (text.empty() ? "; did you mean " : ", ") + view::Printable(name);
  return text.empty() ? text : text + "?";
}

std::vector<bool> RegionsInTheTree(const Profile& profile) {
  std::vector<bool> called(profile.regions.size());
  for (const archive::CallPath& path : profile.call_paths) called[path.region] = true;
  return called;
}

}  // namespace

std::string NoSuchRegion(const Profile& profile, const std::string& pattern) {
  const std::vector<bool> called = RegionsInTheTree(profile);
  std::set<std::string_view> names;
  for (size_t r = 0; r < profile.regions.size(); ++r) {
    if (called[r]) names.insert(profile.regions[r].name);
  }
  return "no region is called '" + view::Printable(pattern) + "'" + Suggestions(names, pattern);
}

bool ChooseRegions(const Profile& profile, const std::string& pattern, std::vector<bool>* chosen, std::string* error) {
  chosen->resize(profile.regions.size());
  const std::vector<bool> called = RegionsInTheTree(profile);
  for (const bool whole : {true, false}) {
    bool any = false;
    for (size_t r = 0; r < profile.regions.size(); ++r) {
      const std::string_view name = profile.regions[r].name;
      if (!called[r] || !config::GlobMatches(pattern, whole ? name : WithoutParameters(name))) continue;
      (*chosen)[r] = true;
      any = true;
    }
    if (any) return true;
  }
  *error = NoSuchRegion(profile, pattern);
  return false;
}

uint32_t ChooseMetric(const Profile& profile, const std::string& name, std::string* error) {
  const uint32_t metric = profile.FindMetric(name);
  if (metric != kNone) return metric;
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {  // formulas of CUBE call a metric so
    if (archive::FormulaName(profile.metrics[m].unique_name) == name) return m;
  }
  *error = "no metric is called '" + name + "'; there are:";
  for (const archive::Metric& known : profile.metrics) *error += " " + known.unique_name;
  return kNone;
}

}  // namespace epik::algebra
