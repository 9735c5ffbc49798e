// SPDX-License-Identifier: BSD-3-Clause
#include "archive/unify/catalog.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "archive/metrics/metric_tree.h"
#include "archive/parts/path_numbers.h"
#include "archive/parts/process_part.h"
#include "archive/parts/region_names.h"
#include "archive/profile/region_class.h"

namespace epik::archive {

namespace {

// The call paths of all locations as one tree. A walk from the roots numbers them at the end.
class Tree {
 public:
  uint32_t Child(uint32_t parent, uint32_t region) { return numbers_.Of({region, parent}, &nodes_); }

  // Returns call paths in preorder, siblings by first visit; *place maps results of Child to them.
  std::vector<CallPath> Preorder(std::vector<uint32_t>* place) const {
    std::vector<uint32_t> first(nodes_.size(), kNone), next(nodes_.size(), kNone);
    uint32_t first_root = kNone;
    for (uint32_t i = static_cast<uint32_t>(nodes_.size()); i-- > 0;) {
      uint32_t& head = nodes_[i].parent == kNone ? first_root : first[nodes_[i].parent];
      next[i] = head;
      head = i;
    }
    std::vector<CallPath> paths;
    place->assign(nodes_.size(), kNone);
    std::vector<uint32_t> pending;
    if (first_root != kNone) pending.push_back(first_root);
    while (!pending.empty()) {
      const uint32_t node = pending.back();
      pending.pop_back();
      (*place)[node] = static_cast<uint32_t>(paths.size());
      paths.push_back({nodes_[node].region, nodes_[node].parent == kNone ? kNone : (*place)[nodes_[node].parent]});
      if (next[node] != kNone) pending.push_back(next[node]);
      if (first[node] != kNone) pending.push_back(first[node]);
    }
    return paths;
  }

 private:
  std::vector<CallPath> nodes_;
  PathNumbers numbers_;
};

// The order does not depend on which process had which metric first: metrics that every process has come first, then
// EPIK's in the order of their table, then those of the program.
std::vector<uint32_t> MetricOrder(const std::vector<MetricDefinition>& metrics) {
  const std::string_view ours[] = {
#define METRIC(id, number, name, label, unit, count_name, count_label) name, count_name,
#include "runtime/event/metrics.def"
#undef METRIC
  };
  const auto place = [&](uint32_t m) -> size_t {
    if (m < kFirstOtherMetric) return m;
    return kFirstOtherMetric + static_cast<size_t>(std::find(std::begin(ours), std::end(ours), metrics[m].name) - ours);
  };
  std::vector<uint32_t> order(metrics.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  return order;
}

const char* DescriptionOf(const std::string& metric) {
  if (metric == "visits") return "How often the call path was entered";
  if (metric == "time") return "Time in the call path, without what it called";
  if (metric == "min_time") return "The shortest visit";
  if (metric == "max_time") return "The longest visit";
  if (metric == "time_squares") return "Squares of the times of the visits, for a standard deviation";
  if (metric == "unfinished") return "Visits that had not returned when the measurement ended";
  return "";
}

}  // namespace

Metric MeasuredMetric(const MetricDefinition& metric, const Ranks& ranks) {
  Absence absence;
  absence.text = metric.description.empty() ? DescriptionOf(metric.name) : metric.description;
  absence.why = metric.missing;
  if (!metric.had.empty()) {
    absence.ranks = RanksWithout(ranks, metric.had);
    if (!absence.IsPartial()) absence.why.clear();
    if (absence.IsPartial() && absence.why.empty()) absence.why = "it was not requested there";
  }
  return {metric.name, metric.label, metric.unit, DescribeAbsence(absence), metric.type, Along::kExclusive, kNone};
}

Catalog MakeCatalog(const Definitions& all, const Ranks& ranks) {
  Catalog catalog;
  RegionNames names(all, &catalog.notes);
  catalog.lines_left_out = names.lines_left_out();
  Tree tree;
  std::vector<uint32_t> at;  // place in the tree, by unified path
  for (const CallPath& path : all.paths) {
    const uint32_t parent = path.parent == kNone ? kNone : at[path.parent];
    // The functions that clang outlines have hooks, those of GCC have none: they count as their construct.
    const bool is_folded = parent != kNone && names.IsOutlined(path.region);
    at.push_back(is_folded ? parent : tree.Child(parent, names.Of(path.region)));
  }
  for (uint32_t r = 0; r < all.regions.size(); ++r) catalog.numbers.regions.push_back(names.Of(r));
  // These definitions keep their numbers.
  catalog.numbers.communicators.resize(all.communicators.size());
  std::iota(catalog.numbers.communicators.begin(), catalog.numbers.communicators.end(), 0u);
  catalog.numbers.windows.resize(all.windows.size());
  std::iota(catalog.numbers.windows.begin(), catalog.numbers.windows.end(), 0u);
  std::vector<uint32_t> place;
  catalog.profile.call_paths = tree.Preorder(&place);
  for (const uint32_t node : at) catalog.numbers.paths.push_back(place[node]);
  catalog.profile.regions = names.Take();
  for (Region& region : catalog.profile.regions) CompleteRegion(&region);
  catalog.numbers.metrics.resize(all.metrics.size());
  for (const uint32_t m : MetricOrder(all.metrics)) {
    catalog.numbers.metrics[m] = static_cast<uint32_t>(catalog.profile.metrics.size());
    catalog.profile.metrics.push_back(MeasuredMetric(all.metrics[m], ranks));
  }
  return catalog;
}

std::vector<OutMetric> PlanMetrics(Profile* profile, const std::vector<std::vector<bool>>& use) {
  const std::vector<CallPath>& paths = profile->call_paths;
  std::vector<bool> used(profile->regions.size());
  for (size_t p = 0; p < paths.size(); ++p) {
    if (use[kTime][p] || use[kVisits][p]) used[paths[p].region] = true;
  }
  const MetricTree tree(profile->metrics, profile->regions, used);
  std::vector<OutMetric> metrics;
  for (uint32_t m = 0; m < tree.metrics().size(); ++m) {
    OutMetric& metric = metrics.emplace_back();
    metric.type = tree.metrics()[m].type;
    metric.sources = tree.Sources(m);
    metric.used.resize(paths.size());
    for (size_t p = 0; p < paths.size(); ++p) {
      if (!tree.Counts(m, paths[p].region)) continue;
      for (const uint32_t source : metric.sources) {
        if (use[source][p]) metric.used[p] = true;
      }
    }
  }
  profile->metrics = tree.metrics();
  return metrics;
}

}  // namespace epik::archive
