// SPDX-License-Identifier: BSD-3-Clause
// Imbalance of a job, in an archive that is being written: the rows it is computed from pass by, a call path at a time,
// and are kept in a file without a name until all others are written.
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

  // Adds the metrics to the definitions. False, and nothing is added, where there is nothing to compute or no file.
  bool Open(const std::string& folder, epitome::Profile* definitions);

  // Rows of any metric of the definitions: those that matter are kept. False when the file is full.
  bool Take(uint32_t metric, uint32_t path, const uint64_t* cells);

  // REQUIRES: the writer has all other metrics.
  bool Write(CubexWriter* writer);

 private:
  bool Put(uint64_t slot, int half, const uint64_t* cells);
  bool Divide(uint64_t slot);  // into rows_

  int fd_ = -1;
  size_t locations_ = 0;
  uint32_t computation_ = epitome::kNone, visits_ = epitome::kNone, first_ = epitome::kNone;
  Imbalance imbalance_{epitome::Profile()};
  std::vector<uint32_t> slot_;   // by call path
  std::vector<uint32_t> paths_;  // by slot
  std::vector<uint64_t> cells_;  // of a slot: computation, then visits
  Imbalance::Rows rows_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_IMBALANCE_ROWS_H_
