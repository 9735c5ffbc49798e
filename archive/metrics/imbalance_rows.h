// SPDX-License-Identifier: BSD-3-Clause
// Computes imbalance while an archive is being written. The rows of computation and visits come one call path at a
// time. A file without a name keeps them until all other metrics are written, because rank 0 of a large job has no
// memory for them.
#ifndef EPIK_ARCHIVE_METRICS_IMBALANCE_ROWS_H_
#define EPIK_ARCHIVE_METRICS_IMBALANCE_ROWS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/cubex/writer.h"
#include "archive/metrics/imbalance.h"
#include "archive/profile/profile.h"

namespace epik::archive {

class ImbalanceRows {
 public:
  ~ImbalanceRows();

  // Adds the metrics to the definitions. Returns false, and adds nothing, when there is nothing to compute, or no file.
  bool Open(const std::string& folder, Profile* definitions);

  // Takes the rows of any metric and keeps those that imbalance needs. Returns false when the file cannot be written.
  bool Take(uint32_t metric, uint32_t path, const uint64_t* cells);

  // Writes the metrics. REQUIRES: the writer has got all other metrics.
  bool Write(CubexWriter* writer);

 private:
  bool Put(uint64_t slot, int half, const uint64_t* cells);
  bool Divide(uint64_t slot);  // into rows_

  int fd_ = -1;
  size_t locations_ = 0;
  uint32_t computation_ = kNone, visits_ = kNone, first_ = kNone;
  Imbalance imbalance_{Profile()};
  std::vector<uint32_t> slot_;   // by call path
  std::vector<uint32_t> paths_;  // by slot
  std::vector<uint64_t> cells_;  // for each slot: computation, then visits
  Imbalance::Rows rows_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_IMBALANCE_ROWS_H_
