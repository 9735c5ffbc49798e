// SPDX-License-Identifier: BSD-3-Clause
// Makes the part of one process from its arena: its definitions, its values (open frames closed, times exclusive,
// numbered by these definitions), and facts about it. Runs in every process of a job; rank 0 puts the parts together.
#ifndef EPIK_ARCHIVE_PARTS_PROCESS_PART_H_
#define EPIK_ARCHIVE_PARTS_PROCESS_PART_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/parts/definitions.h"
#include "archive/parts/measured_metrics.h"
#include "archive/parts/process_facts.h"

namespace epik::archive {

// A value of one location, as in Values. Several values of one metric and call path are added up, or their
// minimum or maximum is taken, by the type of the metric.
struct Value {
  uint32_t metric, path;
  uint64_t cell;
};

// The numbers in the trace of the process, and their definitions in its part.
struct TraceNumbers {
  std::vector<std::pair<uint32_t, uint32_t>> nodes;    // line in the arena -> path
  std::vector<std::pair<uint32_t, uint32_t>> regions;  // number in the process -> region
  std::vector<std::pair<uint32_t, uint32_t>> communicators, windows;
};

struct ProcessPart {
  Definitions definitions;
  ProcessFacts facts;
  std::vector<std::vector<Value>> locations;  // as facts.threads; each grouped by metric
  TraceNumbers trace;                         // empty without a trace
};

// Brings values of the same metric together, the metrics in their order. Beside the values, it takes time and memory
// for the metrics only, because the values may be as many as memory holds.
void GroupByMetric(std::vector<Value>* values);

// Makes the part. Frames that are still open are closed at the last known time.
ProcessPart MakePart(ProcessImage image);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_PROCESS_PART_H_
