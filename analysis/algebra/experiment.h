// SPDX-License-Identifier: BSD-3-Clause
// An experiment is an operand of the algebra: definitions at once, values a row at a time. A .cubex file, a profile in
// memory and the result of every operation are experiments, so results can be operands again, and no file is held in
// memory.
#ifndef EPIK_ANALYSIS_ALGEBRA_EXPERIMENT_H_
#define EPIK_ANALYSIS_ALGEBRA_EXPERIMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archive/cubex/anchor.h"
#include "archive/directory/archive.h"
#include "archive/profile/profile.h"

namespace epik::algebra {

class Experiment {
 public:
  virtual ~Experiment() = default;

  virtual const archive::Profile& definitions() const = 0;  // its values are not used
  // False: every value of the row is "no value". True: the row may have values.
  virtual bool HasRow(uint32_t metric, uint32_t path) const = 0;
  // Reads cells as in archive::Values, one for each location.
  virtual bool ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const = 0;
};

using Operand = std::shared_ptr<const Experiment>;

// Opens an archive or a .cubex file. archive and notes may be null. Returns null and sets *error ("PATH: …") when it
// cannot be read.
Operand OpenExperiment(const std::string& path, archive::Archive* archive, std::vector<std::string>* notes,
                       std::string* error);
Operand FromProfile(archive::Profile profile);

// Rows without a value are left out.
bool ToProfile(const Experiment& experiment, archive::Profile* profile, std::string* error);
bool WriteCubex(const Experiment& experiment, const std::string& path, const archive::Attributes& attributes,
                std::string* error);

// Computes the exclusive values of a row that is stored inclusive. A location without an inclusive value has no value
// of its own at this call path.
class ExclusiveRows {
 public:
  explicit ExclusiveRows(const Experiment& experiment);
  bool Read(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const;
  const archive::Profile::Links& links() const { return links_; }

 private:
  const Experiment& experiment_;
  archive::Profile::Links links_;
  mutable std::vector<uint64_t> below_;
};

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_EXPERIMENT_H_
