// SPDX-License-Identifier: BSD-3-Clause
#include "report/hatchet.h"

#include <cmath>
#include <string>
#include <vector>

#include "report/figures.h"
#include "report/format.h"
#include "report/json.h"
#include "report/stacks.h"
#include "runtime/archive/metric_tree.h"

namespace epik::report {

using epitome::Profile;
using epitome::Type;

namespace {

struct Column {
  std::string name;
  std::vector<double> sums;  // by call path, over all locations
};

bool IsAdditive(Type type) { return type == Type::kUint64 || type == Type::kDouble; }

std::vector<Column> Columns(const Profile& profile) {
  std::vector<Column> columns;
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    const std::string& name = profile.metrics[m].unique_name;
    if (!IsAdditive(profile.metrics[m].type) || archive::IsDerivedMetric(name)) continue;
    const Split split(profile, m);
    Column own{name, {}}, all{name + " (inc)", {}};
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      own.sums.push_back(split.ExclusiveSum(p));
      all.sums.push_back(split.InclusiveSum(p));
    }
    columns.push_back(std::move(own));
    if (name == "time") columns.push_back(std::move(all));
  }
  return columns;
}

// The frame at kDeepestStack takes the exclusive values of what lies deeper.
void Gather(const Profile& profile, std::vector<Column>* columns) {
  std::vector<uint32_t> stack;
  const auto enter = [&](uint32_t p) {
    stack.push_back(p);
    if (stack.size() <= kDeepestStack) return;
    for (Column& column : *columns) {
      if (!column.name.ends_with(" (inc)")) column.sums[stack[kDeepestStack - 1]] += column.sums[p];
    }
  };
  Walk(profile, profile.MakeLinks(), enter, [&](uint32_t) { stack.pop_back(); });
}

void WriteFrame(const Profile& profile, uint32_t path, Buffer& out) {
  const epitome::Region& region = profile.regions[profile.call_paths[path].region];
  out << "{\"frame\": {\"name\": " << JsonString(region.name.empty() ? "(unnamed)" : region.name)
      << ", \"type\": " << JsonString(region.role);
  if (!region.file.empty()) out << ", \"file\": " << JsonString(region.file);
  if (region.begin_line > 0) out << ", \"line\": " << std::to_string(region.begin_line);
  out << "}, \"metrics\": {";
}

}  // namespace

void WriteHatchet(const Profile& profile, const Sink& sink) {
  std::vector<Column> columns = Columns(profile);
  Gather(profile, &columns);
  Buffer out(sink);
  std::vector<bool> has_children = {false};  // of the list, and of every frame that is open
  const auto enter = [&](uint32_t p) {
    if (has_children.size() <= kDeepestStack) {
      out << (has_children.back() ? ",\n" : "\n");
      WriteFrame(profile, p, out);
      bool first = true;
      for (const Column& column : columns) {
        if (!std::isfinite(column.sums[p])) continue;
        out << (first ? "" : ", ") << JsonString(column.name) << ": " << RoundTrip(column.sums[p]);
        first = false;
      }
      out << "}, \"children\": [";
      has_children.back() = true;
    }
    has_children.push_back(false);
  };
  const auto leave = [&](uint32_t) {
    has_children.pop_back();
    if (has_children.size() <= kDeepestStack) out << "]}";
  };
  out << "[";
  Walk(profile, profile.MakeLinks(), enter, leave);
  out << "\n]\n";
}

}  // namespace epik::report
