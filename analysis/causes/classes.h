// SPDX-License-Identifier: BSD-3-Clause
// Lists the kinds of waiting that have causes.
#ifndef EPIK_ANALYSIS_CAUSES_CLASSES_H_
#define EPIK_ANALYSIS_CAUSES_CLASSES_H_

#include <cstdint>
#include <span>

#include "analysis/graph/graph.h"

namespace epik::causes {

enum Class : uint8_t {
#define CAUSE(Name, metric, parent, label) k##Name,
#include "analysis/causes/classes.def"
#undef CAUSE
  kClasses,
  // No wait state: a location only hands on the waits that it caused for others. Being idle before a team is made is
  // such a class.
  kHandsOn = kClasses
};

// Whether it is a wait state, not idleness.
constexpr bool IsWaiting(Class kind) { return kind != kHandsOn && kind != kIdle; }

struct ClassInfo {
  const char *metric, *parent, *label;
};
std::span<const ClassInfo> Classes();

Class ClassOf(const graph::Graph& graph, const graph::Edge& edge);

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_CLASSES_H_
