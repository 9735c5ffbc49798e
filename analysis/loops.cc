// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/loops.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace epik::analysis {

using archive::kNone;
using archive::Profile;

namespace {

constexpr char kValueRole[] = "dynamic";  // role of a region that is a value of a phase or parameter: "step=3"

bool IsValue(const archive::Region& region) {
  return region.role == kValueRole && region.name.find('=') != std::string::npos;
}

std::optional<long long> NumberIn(const std::string& text) {
  long long number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void Sort(std::vector<LoopValue>* values) {
  const bool numbers = std::all_of(values->begin(), values->end(),
                                   [](const LoopValue& value) { return NumberIn(value.text).has_value(); });
  if (!numbers) return;
  std::stable_sort(values->begin(), values->end(),
                   [](const LoopValue& a, const LoopValue& b) { return NumberIn(a.text) < NumberIn(b.text); });
}

// The callers of each call path without the values among them, each list of callers with a number.
class Callers {
 public:
  explicit Callers(const Profile& profile) : profile_(profile), of_path_(profile.call_paths.size(), kNone) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
    for (uint32_t path = 0; path < of_path_.size(); ++path) {
      const archive::CallPath& call = profile.call_paths[path];
      const uint32_t around = call.parent == kNone ? kNone : of_path_[call.parent];
      if (IsValue(profile.regions[call.region])) {
        of_path_[path] = around;
        continue;
      }
      const auto [found, is_new] = numbers.try_emplace({around, call.region}, lists_.size());
      if (is_new) lists_.push_back({call.region, around});
      of_path_[path] = found->second;
    }
  }

  uint32_t Around(uint32_t path) const { return of_path_[path]; }  // REQUIRES: `path` is a value
  std::string Name(uint32_t list) const {
    std::string name;
    for (; list != kNone; list = lists_[list].parent) {
      name = profile_.regions[lists_[list].region].name + (name.empty() ? "" : " > ") + name;
    }
    return name;
  }

 private:
  const Profile& profile_;
  std::vector<uint32_t> of_path_;
  std::vector<archive::CallPath> lists_;
};

}  // namespace

std::vector<Loop> LoopsOf(const Profile& profile) {
  struct Found {
    Loop loop;
    std::map<std::string, size_t> places;  // of values
  };
  const Callers callers(profile);
  std::map<std::pair<uint32_t, std::string>, size_t> numbers;
  std::vector<Found> all;
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    const archive::Region& region = profile.regions[profile.call_paths[path].region];
    if (!IsValue(region)) continue;
    const size_t equals = region.name.find('=');
    const uint32_t around = callers.Around(path);
    const auto [number, is_new] = numbers.try_emplace({around, region.name.substr(0, equals)}, all.size());
    if (is_new) all.push_back({{callers.Name(around), number->first.second, {}}, {}});
    Found& found = all[number->second];
    const auto [place, is_first] = found.places.try_emplace(region.name.substr(equals + 1), found.loop.values.size());
    if (is_first) found.loop.values.push_back({place->first, {}});
    found.loop.values[place->second].paths.push_back(path);
  }
  std::vector<Loop> loops;
  for (Found& found : all) {
    if (found.loop.values.size() < 2) continue;
    Sort(&found.loop.values);
    loops.push_back(std::move(found.loop));
  }
  return loops;
}

uint32_t EndOfCallees(const Profile& profile, uint32_t path) {
  uint32_t end = path + 1;
  const auto is_below = [&](uint32_t other) {
    const uint32_t parent = profile.call_paths[other].parent;
    return parent != kNone && parent >= path;
  };
  while (end < profile.call_paths.size() && is_below(end)) ++end;
  return end;
}

}  // namespace epik::analysis
