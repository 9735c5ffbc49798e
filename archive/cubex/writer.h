// SPDX-License-Identifier: BSD-3-Clause
// Writes a profile as .cubex (CUBE 4), one row at a time, so that rank 0 of a large job never holds all values.
//
//   CubexWriter writer;
//   writer.Open(path) && writer.Begin(definitions, {});
//   writer.BeginMetric(metric, used);
//   for (uint32_t path : writer.rows()) writer.AppendRow(/* cells of path, one for each location */);
//   writer.EndMetric();  …  writer.Finish();
//
// After the first failure every call returns false. The file appears under its name only with Finish.
#ifndef EPIK_ARCHIVE_CUBEX_WRITER_H_
#define EPIK_ARCHIVE_CUBEX_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/cubex/anchor.h"
#include "archive/cubex/row_packer.h"
#include "archive/cubex/tar.h"
#include "archive/profile/profile.h"

namespace epik::archive {

class CubexWriter {
 public:
  bool Open(const std::string& path);

  // Writes the definitions and copies what later calls need. Values of the profile are ignored.
  bool Begin(const Profile& definitions, const Attributes& attributes);

  // Metrics come in any order, each at most once; a metric that is left out has no values. `used` tells which call
  // paths have a row; call paths beyond its end have none. An inclusive metric also gets the ancestors of these call
  // paths.
  bool BeginMetric(uint32_t metric, const std::vector<bool>& used);
  // The call paths whose rows must follow, in this order.
  const std::vector<uint32_t>& rows() const { return rows_; }
  // Takes one cell for each location: the bits of a uint64_t or double, as in Values.
  bool AppendRow(const uint64_t* cells);
  bool EndMetric();

  bool Finish();

  const std::string& error() const { return error_; }

 private:
  enum class State : uint8_t { kNew, kOpen, kMetrics, kRows, kDone, kFailed };

  bool Expect(State state, const char* call);
  bool Fail(const std::string& what);
  bool Check(bool good);
  bool HasMembers() const;
  bool BeginData(bool packed);
  bool PutRow(const uint64_t* cells);
  bool PutPacked(const uint64_t* cells);
  bool DecidePacking();
  bool PutIndex(uint32_t metric);

  TarWriter tar_;
  State state_ = State::kNew;
  std::string path_;
  std::string error_;
  std::string anchor_;
  std::vector<std::string> names_;    // of the metrics, for messages
  std::vector<bool> children_first_;  // by metric
  std::vector<bool> is_extreme_;      // by metric: minima, maxima
  std::vector<bool> written_;         // by metric
  std::vector<uint32_t> parents_;     // of the call paths
  std::vector<uint32_t> order_[2];    // of rows: exclusive, inclusive
  size_t locations_ = 0;
  uint32_t metric_ = 0;
  std::vector<uint32_t> rows_;
  std::vector<uint32_t> positions_;  // of rows_, in order_
  size_t appended_ = 0;
  enum class Packing : uint8_t { kNo, kUndecided, kYes };
  Packing packing_ = Packing::kNo;
  RowPacker packer_;
  std::vector<uint64_t> sample_;  // the first rows, until the writer decides about packing
  std::vector<uint64_t> row_;     // a changed copy of a row
};

// Writes a whole profile at once.
bool WriteCubex(const std::string& path, const Profile& profile, const Attributes& attributes, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_WRITER_H_
