// SPDX-License-Identifier: BSD-3-Clause
// Streams the values of all processes to rank 0, a metric at a time and in batches of call paths. No process ever holds
// more than one batch of the values of others.
#ifndef EPIK_ARCHIVE_UNIFY_ROWS_H_
#define EPIK_ARCHIVE_UNIFY_ROWS_H_

#include <cstdint>
#include <vector>

#include "archive/parts/definitions.h"
#include "archive/parts/process_part.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// A metric that is written: the sum of some measured metrics.
struct OutMetric {
  epitome::Type type = epitome::Type::kUint64;
  std::vector<uint32_t> sources;
  std::vector<bool> used;  // by call path
};

// Takes the rows at rank 0. After a function returned false, none is called again.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual bool BeginMetric(uint32_t metric, const std::vector<bool>& used) = 0;
  // Called for every used call path, in their order. `cells` has one cell for each location of the job.
  virtual bool Row(uint32_t path, const uint64_t* cells) = 0;
  virtual bool EndMetric() = 0;
};

// The parts that this process holds, and the new numbers of their definitions.
struct Contribution {
  const std::vector<ProcessPart>* parts;
  const std::vector<Mapping>* mappings;
};

// Collective. Tells by metric and call path whether any process has a value. Complete at rank 0 only, which alone knows
// `metrics` and `paths`.
std::vector<std::vector<bool>> GatherUse(Group* group, const Contribution& mine, size_t metrics, size_t paths);

// Collective. Rank 0 decides on metrics and the number of locations, and its sink takes the rows; elsewhere the sink is
// null. False when the sink or the group failed.
bool StreamRows(Group* group, const Contribution& mine, std::vector<OutMetric> metrics, size_t locations,
                RowSink* sink);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_ROWS_H_
