// SPDX-License-Identifier: BSD-3-Clause
// Streams the values of all processes to rank 0, one metric after the other, in batches of call paths. No process holds
// more than one batch of values of others.
#ifndef EPIK_ARCHIVE_UNIFY_ROWS_H_
#define EPIK_ARCHIVE_UNIFY_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "archive/parts/definitions.h"
#include "archive/parts/process_part.h"
#include "archive/profile/profile.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// A metric of the archive: the sum of some measured metrics.
struct OutMetric {
  Type type = Type::kUint64;
  std::vector<uint32_t> sources;
  std::vector<bool> used;  // by call path
};

// Takes the rows at rank 0. After a function has returned false, none is called again.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual bool BeginMetric(uint32_t metric, const std::vector<bool>& used) = 0;
  // Called for every used call path, in their order. `cells` has one cell for each location of the job.
  virtual bool Row(uint32_t path, const uint64_t* cells) = 0;
  virtual bool EndMetric() = 0;
};

// Puts the rows into a profile, which has room for them already.
class ProfileSink : public RowSink {
 public:
  explicit ProfileSink(Profile* profile) : profile_(profile) {}
  bool BeginMetric(uint32_t metric, const std::vector<bool>&) override {
    values_ = &profile_->values[metric];
    return true;
  }
  bool Row(uint32_t path, const uint64_t* cells) override {
    std::copy_n(cells, profile_->locations.size(), values_->MutableRow(path));
    return true;
  }
  bool EndMetric() override { return true; }

 private:
  Profile* profile_;
  Values* values_ = nullptr;
};

// The parts that this process holds, and the new numbers of their definitions.
struct Contribution {
  const std::vector<ProcessPart>* parts;
  const std::vector<Mapping>* mappings;
};

// Collective. Tells for each metric and call path whether any process has a value. The result is complete at rank 0
// only, and only rank 0 knows `metrics` and `paths`.
std::vector<std::vector<bool>> GatherUse(Group* group, const Contribution& mine, size_t metrics, size_t paths);

// Collective. Rank 0 decides about metrics and the number of locations, and its sink takes the rows; on other ranks the
// sink is null. Returns false when the sink or the group failed.
bool StreamRows(Group* group, const Contribution& mine, std::vector<OutMetric> metrics, size_t locations,
                RowSink* sink);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_ROWS_H_
