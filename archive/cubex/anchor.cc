// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/anchor.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "archive/cubex/grammar.h"
#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

struct NumberName {
  std::string_view name;
  Number number;
  Type type;
};

// Signed integers become doubles: a Profile counts without sign.
constexpr NumberName kNumbers[] = {
    {"DOUBLE", Number::kDouble, Type::kDouble},
    {"FLOAT", Number::kDouble, Type::kDouble},
    {"MINDOUBLE", Number::kDouble, Type::kMin},
    {"MAXDOUBLE", Number::kDouble, Type::kMax},
    {"UINT64", Number::kUint64, Type::kUint64},
    {"UNSIGNED INTEGER", Number::kUint64, Type::kUint64},
    {"INT64", Number::kInt64, Type::kDouble},
    {"INTEGER", Number::kInt64, Type::kDouble},
    {"SIGNED INTEGER", Number::kInt64, Type::kDouble},
    {"UINT32", Number::kUint32, Type::kUint64},
    {"UNSIGNED INT", Number::kUint32, Type::kUint64},
    {"INT32", Number::kInt32, Type::kDouble},
    {"SIGNED INT", Number::kInt32, Type::kDouble},
    {"INT", Number::kInt32, Type::kDouble},
    {"UINT16", Number::kUint16, Type::kUint64},
    {"UNSIGNED SHORT INT", Number::kUint16, Type::kUint64},
    {"INT16", Number::kInt16, Type::kDouble},
    {"SHORT INT", Number::kInt16, Type::kDouble},
    {"UINT8", Number::kUint8, Type::kUint64},
    {"UNSIGNED CHAR", Number::kUint8, Type::kUint64},
    {"INT8", Number::kInt8, Type::kDouble},
    {"CHAR", Number::kInt8, Type::kDouble},
    {"TAU_ATOMIC", Number::kTauSum, Type::kDouble},
};
constexpr NumberName kReal = {"", Number::kDouble, Type::kDouble};

// Types with cells of another width, which no profile holds.
constexpr std::string_view kCompound[] = {"RATE", "COMPLEX", "HISTOGRAM", "NDOUBLES", "SCALE_FUNC"};

std::string UpperCase(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Positions by id; false unless the ids are exactly 0..n-1.
template <class Item, class IdOf>
bool OrderById(const std::vector<Item>& items, IdOf id_of, std::vector<uint32_t>* position) {
  position->assign(items.size(), kNone);
  for (uint32_t i = 0; i < items.size(); ++i) {
    const uint32_t id = id_of(items[i]);
    if (id >= items.size() || (*position)[id] != kNone) return false;
    (*position)[id] = i;
  }
  return true;
}

class Resolver {
 public:
  Resolver(RawAnchor* raw, Anchor* anchor, std::string* error) : raw_(*raw), anchor_(*anchor), error_(error) {}

  bool Run() {
    anchor_.attributes = std::move(raw_.attributes);
    const std::pair difference(std::string(kDifferenceAttribute), std::string("yes"));
    anchor_.definitions.is_difference =
        std::find(anchor_.attributes.begin(), anchor_.attributes.end(), difference) != anchor_.attributes.end();
    NoteClusters();
    for (const std::string& element : raw_.unknown) anchor_.notes.push_back(element + " is not known and left out");
    return Metrics() && Program() && System() && Severity();
  }

 private:
  bool Fail(const std::string& what) {
    *error_ = "anchor.xml: " + what;
    return false;
  }

  // Score-P may keep few iterations of a phase, each of which represents many.
  void NoteClusters() {
    std::string count;
    bool clustered = false;
    for (const auto& [key, value] : anchor_.attributes) {
      clustered = clustered || (key == "CLUSTERING" && value == "ON");
      if (key == "CLUSTER ITERATION COUNT") count = value.substr(0, 20) + " ";
    }
    if (!clustered) return;
    anchor_.notes.push_back("its " + count +
                            "iterations are clustered: one that is shown stands for all that were like it");
  }

  // The reason why a Profile cannot hold the metric; empty when it can.
  std::string Obstacle(const RawMetric& metric, const NumberName** number) {
    if (metric.value == "VOID") return "switched off";
    if (metric.visibility == "GHOST") return "hidden";
    if (metric.along.find("DERIVED") != std::string::npos) return "computed by a formula";
    const std::string name = UpperCase(metric.number);
    for (const std::string_view compound : kCompound) {
      if (name.substr(0, compound.size()) == compound) return "of type " + metric.number.substr(0, 40);
    }
    for (const NumberName& candidate : kNumbers) {
      if (candidate.name == name) *number = &candidate;
    }
    if (*number == nullptr) {  // CUBE's own reader does the same
      *number = &kReal;
      anchor_.notes.push_back("metric " + metric.unique_name + " is taken for real numbers: its type \"" +
                              metric.number.substr(0, 40) + "\" is not known");
    }
    return "";
  }

  bool Metrics() {
    // By id if that puts parents first, as the writer of this folder does; otherwise in the order of the file.
    std::vector<uint32_t> order(raw_.metrics.size());
    std::iota(order.begin(), order.end(), 0);
    const bool by_id = std::all_of(raw_.metrics.begin(), raw_.metrics.end(), [this](const RawMetric& m) {
      return m.parent == kNone || raw_.metrics[m.parent].id < m.id;
    });
    if (by_id) {
      std::stable_sort(order.begin(), order.end(),
                       [this](uint32_t a, uint32_t b) { return raw_.metrics[a].id < raw_.metrics[b].id; });
    }
    std::vector<uint32_t> kept(raw_.metrics.size(), kNone);  // raw metric -> it, or its nearest kept ancestor
    std::unordered_set<std::string> names;
    for (const RawMetric& metric : raw_.metrics) real_names_.insert(metric.unique_name);
    std::vector<std::pair<uint32_t, std::string>> samples;
    for (const uint32_t r : order) {
      RawMetric& metric = raw_.metrics[r];
      const uint32_t parent = metric.parent == kNone ? kNone : kept[metric.parent];
      kept[r] = parent;
      if (!metric_of_id_.emplace(metric.id, kNone).second) {
        return Fail("two metrics have id " + std::to_string(metric.id));
      }
      if (metric.unique_name.empty()) return Fail("metric " + std::to_string(metric.id) + " without uniq_name");
      if (!names.insert(metric.unique_name).second) return Fail("two metrics are called " + metric.unique_name);
      const NumberName* number = nullptr;
      const std::string obstacle = Obstacle(metric, &number);
      if (!obstacle.empty()) {
        anchor_.notes.push_back("metric " + metric.unique_name + " is left out: " + obstacle);
        continue;
      }
      kept[r] = static_cast<uint32_t>(anchor_.storage.size());
      metric_of_id_[metric.id] = kept[r];
      if (number->number == Number::kTauSum) samples.push_back({metric.id, metric.unique_name});
      Keep(&metric, *number, parent);
    }
    for (const auto& [id, name] : samples) KeepSamples(id, name, names);
    return !raw_.metrics.empty() || Fail("no metric");
  }

  // The value of a sampled metric is its sum. The other parts of samples of time become metrics of their own, because
  // other files have these metrics.
  void KeepSamples(uint32_t id, const std::string& name, const std::unordered_set<std::string>& names) {
    struct Part {
      const char *name, *display, *unit;
      Number number;
      Type type;
    };
    constexpr Part kParts[] = {{"visits", "Visits", "occ", Number::kTauCount, Type::kUint64},
                               {"min_time", "Minimum time", "sec", Number::kTauLeast, Type::kMin},
                               {"max_time", "Maximum time", "sec", Number::kTauMost, Type::kMax}};
    if (name != "time") {
      anchor_.notes.push_back("metric " + name +
                              " is the sum of its samples: their number, least and most are left out");
      return;
    }
    for (const Part& part : kParts) {
      if (names.contains(part.name)) continue;
      anchor_.storage.push_back({id, part.number, false});
      anchor_.definitions.metrics.push_back(
          {part.name, part.display, part.unit, "", part.type, Along::kExclusive, kNone});
    }
  }

  void Keep(RawMetric* metric, const NumberName& number, uint32_t parent) {
    // Formulas cannot contain the names of EPIK's counters, so the display name is the real one.
    const std::string& shown = metric->display_name;
    const bool is_alias = shown != metric->unique_name && FormulaName(shown) == metric->unique_name;
    if (is_alias && real_names_.insert(shown).second) metric->unique_name = shown;
    const bool inclusive = metric->along == "INCLUSIVE" || metric->along == "SIMPLE";
    // The least value of a subtree is the least of its root and its parts: minima and maxima need no subtraction.
    const bool extreme = number.type == Type::kMin || number.type == Type::kMax;
    anchor_.storage.push_back({metric->id, number.number, inclusive});
    anchor_.definitions.metrics.push_back({std::move(metric->unique_name), std::move(metric->display_name),
                                           std::move(metric->unit), std::move(metric->description), number.type,
                                           inclusive && !extreme ? Along::kInclusive : Along::kExclusive, parent});
  }

  bool Program() {
    std::vector<uint32_t> region_of;
    if (!OrderById(
            raw_.region_ids, [](uint32_t id) { return id; }, &region_of)) {
      return Fail("the ids of regions are not 0 to " + std::to_string(raw_.regions.size()) + " less one");
    }
    Profile& profile = anchor_.definitions;
    profile.regions.reserve(raw_.regions.size());
    for (const uint32_t r : region_of) {
      if (raw_.regions[r].mangled.empty()) raw_.regions[r].mangled = raw_.regions[r].name;
      profile.regions.push_back(std::move(raw_.regions[r]));
    }
    if (!OrderById(
            raw_.call_paths, [](const RawCallPath& p) { return p.id; }, &path_of_id_)) {
      return Fail("the ids of cnodes are not 0 to " + std::to_string(raw_.call_paths.size()) + " less one");
    }
    profile.call_paths.reserve(raw_.call_paths.size());
    for (const RawCallPath& path : raw_.call_paths) {  // nested in the file, so in preorder
      if (path.callee >= profile.regions.size()) {
        return Fail("cnode " + std::to_string(path.id) + " calls region " + std::to_string(path.callee) +
                    ", which does not exist");
      }
      profile.call_paths.push_back({path.callee, path.parent});
    }
    return true;
  }

  bool System() {
    Profile& profile = anchor_.definitions;
    if (raw_.tree_nodes.empty()) return Fail("no systemtreenode");
    profile.machine = raw_.tree_nodes[0].name;
    // An inner node of the system tree that holds processes counts as a host, whatever its class.
    std::vector<bool> is_node(raw_.tree_nodes.size());
    for (size_t t = 0; t < is_node.size(); ++t) is_node[t] = raw_.tree_nodes[t].kind == "node";
    for (const RawGroup& group : raw_.groups) is_node[group.tree_node] = true;
    std::vector<uint32_t> node_of(is_node.size(), kNone);
    for (size_t t = 0; t < is_node.size(); ++t) {
      if (!is_node[t]) continue;
      node_of[t] = static_cast<uint32_t>(profile.hosts.size());
      profile.hosts.push_back({std::move(raw_.tree_nodes[t].name)});
    }
    std::vector<uint32_t> by_rank(raw_.groups.size());
    std::iota(by_rank.begin(), by_rank.end(), 0);
    std::stable_sort(by_rank.begin(), by_rank.end(),
                     [this](uint32_t a, uint32_t b) { return raw_.groups[a].rank < raw_.groups[b].rank; });
    std::vector<uint32_t> process_of(raw_.groups.size());
    for (const uint32_t g : by_rank) {
      process_of[g] = static_cast<uint32_t>(profile.processes.size());
      RawGroup& group = raw_.groups[g];
      profile.processes.push_back({node_of[group.tree_node], group.rank, std::move(group.name)});
    }
    return Locations(process_of);
  }

  bool Locations(const std::vector<uint32_t>& process_of) {
    std::vector<uint32_t> order;
    if (!OrderById(
            raw_.locations, [](const RawLocation& l) { return l.id; }, &order)) {
      return Fail("the ids of locations are not 0 to " + std::to_string(raw_.locations.size()) + " less one");
    }
    if (order.empty()) return Fail("no location");
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const RawLocation &x = raw_.locations[a], &y = raw_.locations[b];
      return std::pair(process_of[x.group], x.rank) < std::pair(process_of[y.group], y.rank);
    });
    for (const uint32_t l : order) {
      RawLocation& location = raw_.locations[l];
      anchor_.columns.push_back(location.id);
      anchor_.definitions.locations.push_back({process_of[location.group], location.rank, std::move(location.name)});
    }
    Topologies();
    return true;
  }

  void Topologies() {
    std::vector<uint32_t> location_of(anchor_.columns.size());
    for (uint32_t l = 0; l < anchor_.columns.size(); ++l) location_of[anchor_.columns[l]] = l;
    for (RawTopology& raw : raw_.topologies) {
      Topology topology;
      if (raw.problem.empty()) raw.problem = Place(raw, location_of, &topology);
      if (raw.problem.empty()) {
        topology.name = std::move(raw.name);
        topology.dimensions = std::move(raw.dimensions);
        anchor_.definitions.topologies.push_back(std::move(topology));
      } else {
        anchor_.notes.push_back("topology " + raw.name.substr(0, 40) + " is left out: " + raw.problem);
      }
    }
  }

  // Assigns coordinates to locations. If a location has several places, the first one counts. Returns the error.
  static std::string Place(const RawTopology& raw, const std::vector<uint32_t>& location_of, Topology* topology) {
    const size_t width = raw.dimensions.size();
    if (width == 0 || raw.location_ids.empty()) return "it has no dimension or no place";
    if (raw.coordinates.size() != width * raw.location_ids.size()) return "a place without coordinates";
    for (size_t c = 0; c < raw.coordinates.size(); ++c) {
      if (raw.coordinates[c] >= raw.dimensions[c % width].size) return "a place outside of it";
    }
    std::vector<std::pair<uint32_t, size_t>> order;
    for (size_t i = 0; i < raw.location_ids.size(); ++i) {
      if (raw.location_ids[i] >= location_of.size()) return "a place of no location";
      order.emplace_back(location_of[raw.location_ids[i]], i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [location, i] : order) {
      if (!topology->locations.empty() && topology->locations.back() == location) continue;
      topology->locations.push_back(location);
      for (size_t d = 0; d < width; ++d) topology->coordinates.push_back(raw.coordinates[i * width + d]);
    }
    return "";
  }

  bool Severity() {
    for (const RawSeverityRow& row : raw_.severity) {
      const auto metric = metric_of_id_.find(row.metric_id);
      if (metric == metric_of_id_.end() || row.path_id >= path_of_id_.size()) {
        return Fail("severity of metric " + std::to_string(row.metric_id) + " in cnode " + std::to_string(row.path_id) +
                    ", which do not both exist");
      }
      if (metric->second == kNone) continue;
      anchor_.severity.push_back({metric->second, path_of_id_[row.path_id], row.offset, row.length});
    }
    std::stable_sort(anchor_.severity.begin(), anchor_.severity.end(), [](const SeverityRow& a, const SeverityRow& b) {
      return std::pair(a.metric, a.path) < std::pair(b.metric, b.path);
    });
    return true;
  }

  RawAnchor& raw_;
  Anchor& anchor_;
  std::string* error_;
  std::unordered_map<uint32_t, uint32_t> metric_of_id_;
  std::unordered_set<std::string> real_names_;  // in place of aliases
  std::vector<uint32_t> path_of_id_;
};

}  // namespace

size_t Width(Number number) {
  switch (number) {
    case Number::kUint8:
    case Number::kInt8: return 1;
    case Number::kUint16:
    case Number::kInt16: return 2;
    case Number::kUint32:
    case Number::kInt32: return 4;
    case Number::kTauCount:
    case Number::kTauLeast:
    case Number::kTauMost:
    case Number::kTauSum: return 36;
    default: return 8;
  }
}

bool ParseAnchor(std::string_view text, Anchor* anchor, std::string* error) {
  return Guarded(error, [&] {
    *anchor = Anchor();
    RawAnchor raw;
    return ParseRawAnchor(text, &raw, error) && Resolver(&raw, anchor, error).Run();
  });
}

std::vector<uint32_t> RowOrder(const Profile& profile, bool children_first) {
  const Profile::Links links = profile.MakeLinks();
  std::vector<uint32_t> order, children, open;
  order.reserve(profile.call_paths.size());
  open.assign(links.roots.rbegin(), links.roots.rend());
  while (!open.empty()) {
    const uint32_t path = open.back();
    open.pop_back();
    if (!children_first || profile.call_paths[path].parent == kNone) order.push_back(path);
    children.clear();
    for (uint32_t c = links.first_child[path]; c != kNone; c = links.next_sibling[c]) children.push_back(c);
    if (children_first) order.insert(order.end(), children.begin(), children.end());
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return order;
}

}  // namespace epik::archive
