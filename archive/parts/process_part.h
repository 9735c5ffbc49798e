// SPDX-License-Identifier: BSD-3-Clause
// The profile of one process: its arena with open frames closed and times exclusive, numbered by its own definitions.
#ifndef EPIK_ARCHIVE_PARTS_PROCESS_PART_H_
#define EPIK_ARCHIVE_PARTS_PROCESS_PART_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/parts/definitions.h"
#include "archive/parts/process_facts.h"

namespace epik::archive {

// Every process has these metrics, by these numbers.
enum : uint32_t { kVisits, kTime, kMinTime, kMaxTime, kTimeSquares, kUnfinished, kFirstOtherMetric };

const std::vector<MetricDefinition>& CommonMetrics();

// A value of one location, as in epitome::Values. There may be several for one metric and call path: they add up as the
// metric's type says.
struct Value {
  uint32_t metric, path;
  uint64_t cell;
};

// What the numbers in the process's trace stand for, in its own definitions.
struct TraceNumbers {
  std::vector<std::pair<uint32_t, uint32_t>> nodes;    // line in the arena -> path
  std::vector<std::pair<uint32_t, uint32_t>> regions;  // number in the process -> region
  std::vector<std::pair<uint32_t, uint32_t>> communicators, windows;
};

struct ProcessPart {
  Definitions definitions;
  ProcessFacts facts;
  std::vector<std::vector<Value>> locations;  // as facts.threads
  TraceNumbers trace;                         // when there is one
};

// Frames that are still open end at the last known moment.
ProcessPart MakePart(epitome::ProcessImage image);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_PROCESS_PART_H_
