// SPDX-License-Identifier: BSD-3-Clause
// The content of anchor.xml: ids are not checked yet, and the order is that of the file. ParseAnchor (anchor.h)
// resolves the ids and builds a Profile.
#ifndef EPIK_ARCHIVE_CUBEX_GRAMMAR_H_
#define EPIK_ARCHIVE_CUBEX_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/cubex/attributes.h"
#include "archive/profile/profile.h"

namespace epik::archive {

struct RawMetric {
  uint32_t id = 0;
  uint32_t parent = kNone;  // all parents are positions in this list, before the child
  std::string along, visibility, display_name, unique_name, number, unit, value, description;
};

struct RawCallPath {
  uint32_t id = 0;
  uint32_t callee = 0;
  uint32_t parent = kNone;
};

struct RawTreeNode {
  uint32_t parent = kNone;
  std::string name, kind;
};

struct RawGroup {
  uint32_t tree_node = 0;
  int rank = 0;
  std::string name;
};

struct RawLocation {
  uint32_t id = 0;
  uint32_t group = 0;
  int rank = 0;
  std::string name;
};

struct RawTopology {
  std::string name;
  std::vector<Topology::Dimension> dimensions;
  std::vector<uint32_t> location_ids;
  std::vector<uint32_t> coordinates;
  std::string problem;  // why this topology is left out; empty: it is used
};

struct RawSeverityRow {
  uint32_t metric_id = 0, path_id = 0;
  size_t offset = 0, length = 0;
};

struct RawAnchor {
  Attributes attributes;
  std::vector<RawMetric> metrics;
  std::vector<uint32_t> region_ids;
  std::vector<Region> regions;
  std::vector<RawCallPath> call_paths;
  std::vector<RawTreeNode> tree_nodes;
  std::vector<RawGroup> groups;
  std::vector<RawLocation> locations;
  std::vector<RawTopology> topologies;
  std::vector<RawSeverityRow> severity;
  std::vector<std::string> unknown;  // "element <x> in <y>", each once
};

bool ParseRawAnchor(std::string_view text, RawAnchor* raw, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_GRAMMAR_H_
