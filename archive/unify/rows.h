// SPDX-License-Identifier: BSD-3-Clause
// The values of all processes, a metric at a time and in batches of call paths, to whoever writes them: no process ever
// holds more of other processes' values than one batch.
#ifndef EPIK_ARCHIVE_UNIFY_ROWS_H_
#define EPIK_ARCHIVE_UNIFY_ROWS_H_

#include <cstdint>
#include <vector>

#include "archive/parts/definitions.h"
#include "archive/parts/process_part.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// A metric as it is written: the sum of some that were measured, for these call paths.
struct OutMetric {
  epitome::Type type = epitome::Type::kUint64;
  std::vector<uint32_t> sources;
  std::vector<bool> used;  // by call path
};

// Takes rows at rank 0.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual bool BeginMetric(uint32_t metric, const std::vector<bool>& used) = 0;
  // Of every used call path, in their order; a cell for each location of the job.
  virtual bool Row(uint32_t path, const uint64_t* cells) = 0;
  virtual bool EndMetric() = 0;
};

// The processes of this one, and what their numbers became.
struct Contribution {
  const std::vector<ProcessPart>* parts;
  const std::vector<Mapping>* mappings;
};

// Which metric has a value for which call path, over all processes: [metric][path]. Complete at rank 0, which alone
// knows how many there are. Collective.
std::vector<std::vector<bool>> GatherUse(Group* group, const Contribution& mine, size_t metrics, size_t paths);

// Collective. Rank 0 says which metrics there will be and how many locations, and takes the rows: sink is null
// elsewhere. False when the sink or the group failed.
bool StreamRows(Group* group, const Contribution& mine, std::vector<OutMetric> metrics, size_t locations,
                RowSink* sink);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_ROWS_H_
