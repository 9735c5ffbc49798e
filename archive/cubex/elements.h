// SPDX-License-Identifier: BSD-3-Clause
// The elements of anchor.xml: which element may be within which, and which texts are kept. grammar.cc looks up every
// start tag here. An element without a row is skipped with all its content, and a note names it.
#ifndef EPIK_ARCHIVE_CUBEX_ELEMENTS_H_
#define EPIK_ARCHIVE_CUBEX_ELEMENTS_H_

#include <cstdint>
#include <string_view>

namespace epik::archive {

enum class Element : uint8_t {
  kDocument,
  kCube,
  kAttribute,
  kDoc,
  kMirrors,
  kMetrics,
  kMetric,
  kProgram,
  kRegion,
  kCallPath,
  kParameter,
  kSystem,
  kTreeNode,
  kGroup,
  kLocation,
  kTopologies,
  kTopology,
  kDimension,
  kSeverity,
  kMatrix,
  kRow,
  kText,
  kUnknown  // with all its content
};

// The texts that are kept. They belong to the element around them.
enum class Text : uint8_t {
  kIgnored,
  kName,
  kDisplayName,
  kUniqueName,
  kNumber,
  kUnit,
  kValue,
  kDescription,
  kMangled,
  kParadigm,
  kRole,
  kKind,
  kRank,
  kPlace,
  kRow
};

struct Rule {
  Element parent;
  std::string_view name;
  Element element;
  Text text = Text::kIgnored;
};

// The whole grammar. Order is not checked: nothing here depends on it, and writers differ.
inline constexpr Rule kRules[] = {
    {Element::kCallPath, "cnode", Element::kCallPath},
    {Element::kCallPath, "parameter", Element::kParameter},
    {Element::kCallPath, "attr", Element::kAttribute},
    {Element::kRegion, "name", Element::kText, Text::kName},
    {Element::kRegion, "mangled_name", Element::kText, Text::kMangled},
    {Element::kRegion, "paradigm", Element::kText, Text::kParadigm},
    {Element::kRegion, "role", Element::kText, Text::kRole},
    {Element::kRegion, "url", Element::kText},
    {Element::kRegion, "descr", Element::kText, Text::kDescription},
    {Element::kRegion, "attr", Element::kAttribute},
    {Element::kLocation, "name", Element::kText, Text::kName},
    {Element::kLocation, "rank", Element::kText, Text::kRank},
    {Element::kLocation, "type", Element::kText},
    {Element::kLocation, "attr", Element::kAttribute},
    {Element::kGroup, "location", Element::kLocation},
    {Element::kGroup, "name", Element::kText, Text::kName},
    {Element::kGroup, "rank", Element::kText, Text::kRank},
    {Element::kGroup, "type", Element::kText},
    {Element::kGroup, "attr", Element::kAttribute},
    {Element::kTreeNode, "systemtreenode", Element::kTreeNode},
    {Element::kTreeNode, "locationgroup", Element::kGroup},
    {Element::kTreeNode, "name", Element::kText, Text::kName},
    {Element::kTreeNode, "class", Element::kText, Text::kKind},
    {Element::kTreeNode, "descr", Element::kText},
    {Element::kTreeNode, "attr", Element::kAttribute},
    {Element::kMetric, "metric", Element::kMetric},
    {Element::kMetric, "disp_name", Element::kText, Text::kDisplayName},
    {Element::kMetric, "uniq_name", Element::kText, Text::kUniqueName},
    {Element::kMetric, "dtype", Element::kText, Text::kNumber},
    {Element::kMetric, "uom", Element::kText, Text::kUnit},
    {Element::kMetric, "val", Element::kText, Text::kValue},
    {Element::kMetric, "url", Element::kText},
    {Element::kMetric, "descr", Element::kText, Text::kDescription},
    {Element::kMetric, "cubepl", Element::kText},
    {Element::kMetric, "cubeplinit", Element::kText},
    {Element::kMetric, "cubeplaggr", Element::kText},
    {Element::kMetric, "attr", Element::kAttribute},
    {Element::kTopology, "dim", Element::kDimension},
    {Element::kTopology, "coord", Element::kText, Text::kPlace},
    {Element::kTopology, "attr", Element::kAttribute},
    {Element::kMatrix, "row", Element::kText, Text::kRow},
    {Element::kDocument, "cube", Element::kCube},
    {Element::kCube, "attr", Element::kAttribute},
    {Element::kCube, "doc", Element::kDoc},
    {Element::kCube, "metrics", Element::kMetrics},
    {Element::kCube, "program", Element::kProgram},
    {Element::kCube, "system", Element::kSystem},
    {Element::kCube, "severity", Element::kSeverity},
    {Element::kDoc, "mirrors", Element::kMirrors},
    {Element::kMirrors, "murl", Element::kText},
    {Element::kMetrics, "metric", Element::kMetric},
    {Element::kProgram, "region", Element::kRegion},
    {Element::kProgram, "cnode", Element::kCallPath},
    {Element::kSystem, "systemtreenode", Element::kTreeNode},
    {Element::kSystem, "topologies", Element::kTopologies},
    {Element::kTopologies, "cart", Element::kTopology},
    {Element::kSeverity, "matrix", Element::kMatrix},
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_ELEMENTS_H_
