// SPDX-License-Identifier: BSD-3-Clause
// Reads .cubex files (CUBE 4) of EPIK, Score-P and Scalasca: definitions at once, values one row at a time. The file is
// hostile input: every size is checked, and memory is bounded by a multiple of the size of the file. Reading rows does
// not change an open reader; one thread at a time may use it.
#ifndef EPIK_ARCHIVE_CUBEX_READER_H_
#define EPIK_ARCHIVE_CUBEX_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archive/cubex/anchor.h"
#include "archive/files/byte_source.h"
#include "archive/profile/profile.h"

namespace epik::archive {

// The most bytes that the definitions of a file may have (`epk --max-anchor`), however much they expand. 0: 1 GiB, and
// no more than good files expand to.
void SetLargestAnchor(uint64_t bytes);

class CubexReader {
 public:
  CubexReader();
  ~CubexReader();
  CubexReader(const CubexReader&) = delete;
  CubexReader& operator=(const CubexReader&) = delete;

  bool Open(const std::string& path, std::string* error);
  bool Open(std::unique_ptr<ByteSource> file, std::string* error);

  // All content except values. Call paths are in preorder, processes ordered by rank.
  const Profile& definitions() const { return anchor_.definitions; }
  const Attributes& attributes() const { return anchor_.attributes; }
  const std::vector<std::string>& notes() const { return anchor_.notes; }  // sentences: what a Profile cannot hold
  // Those of the notes that tell of values which are lost. The others tell of content that EPIK does not know.
  const std::vector<std::string>& damage() const { return anchor_.damage; }

  // Whether the file has a row; in a dense file every call path has one.
  bool HasRow(uint32_t metric, uint32_t path) const;
  // Gives a cell for each location, as in Values; "no value" when there is no row. Returns false when the row
  // is damaged.
  bool ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const;
  bool IsDense(uint32_t metric) const;
  uint64_t anchor_bytes() const { return anchor_bytes_; }  // size of the definitions, unpacked

 private:
  struct Table;  // where the rows of one metric are
  class Loader;

  bool FindRow(const Table& table, uint32_t metric, uint32_t path, uint64_t* row) const;
  const SeverityRow* FindSeverity(uint32_t metric, uint32_t path) const;
  bool ParseSeverity(const SeverityRow& row, uint64_t* cells) const;
  bool ReadBytes(const Table& table, uint64_t row, size_t bytes, char* to) const;

  std::unique_ptr<ByteSource> file_;
  Anchor anchor_;
  std::string anchor_text_;  // kept only when it holds values
  uint64_t anchor_bytes_ = 0;
  std::vector<uint32_t> inclusive_rank_;  // call path -> place in the children-first order; empty when not needed
  std::vector<Table> tables_;             // by metric
};

// Reads a whole profile into memory. Rows of dense files without a value are left out. `notes` may be null.
bool ReadCubex(const std::string& path, Profile* profile, std::string* error,
               std::vector<std::string>* notes = nullptr);
bool ReadCubex(std::unique_ptr<ByteSource> file, Profile* profile, std::string* error,
               std::vector<std::string>* notes = nullptr);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_READER_H_
