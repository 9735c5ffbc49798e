// SPDX-License-Identifier: BSD-3-Clause
// ReadCubex of reader.h: a whole profile in memory, made from the rows of CubexReader.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "archive/cubex/reader.h"
#include "archive/files/guarded.h"

namespace epik::archive {

namespace {

// Values keeps a number for each metric and call path: this bounds the memory that a small file can make us allocate.
constexpr uint64_t kLargestTable = uint64_t{1} << 28;
constexpr uint64_t kSmallTable = uint64_t{1} << 22;
constexpr uint64_t kRowsOfByte =
    64;  // times the bytes of the definitions: a file with many metrics and call paths is large

bool ReadAll(const CubexReader& reader, Profile* profile, std::string* error) {
  *profile = reader.definitions();
  const uint64_t paths = profile->call_paths.size();
  const uint64_t most = std::min(kLargestTable, std::max(kSmallTable, kRowsOfByte * reader.anchor_bytes()));
  if (profile->metrics.size() * paths > most) {
    *error = std::to_string(profile->metrics.size()) + " metrics of " + std::to_string(paths) +
             " call paths are more than can be read at once";
    return false;
  }
  std::vector<uint64_t> cells(profile->locations.size());
  for (uint32_t m = 0; m < profile->metrics.size(); ++m) {
    const Type type = profile->metrics[m].type;
    Values values(type, paths, cells.size());
    for (uint32_t p = 0; p < paths; ++p) {
      if (!reader.HasRow(m, p)) continue;
      if (!reader.ReadRow(m, p, cells.data(), error)) return false;
      const auto empty = [type](uint64_t cell) { return cell == Values::EmptyBits(type); };
      if (reader.IsDense(m) && std::all_of(cells.begin(), cells.end(), empty)) continue;
      std::copy(cells.begin(), cells.end(), values.MutableRow(p));
    }
    profile->values.push_back(std::move(values));
  }
  return true;
}

}  // namespace

bool ReadCubex(std::unique_ptr<ByteSource> file, Profile* profile, std::string* error,
               std::vector<std::string>* notes) {
  return Guarded(error, [&] {
    CubexReader reader;
    if (!reader.Open(std::move(file), error) || !ReadAll(reader, profile, error)) return false;
    if (notes != nullptr) *notes = reader.notes();
    return true;
  });
}

bool ReadCubex(const std::string& path, Profile* profile, std::string* error, std::vector<std::string>* notes) {
  return Guarded(error, [&] {
    std::unique_ptr<ByteSource> file = OpenFile(path, error);
    if (file == nullptr) return false;
    if (ReadCubex(std::move(file), profile, error, notes)) return true;
    *error = path + ": " + *error;
    return false;
  });
}

}  // namespace epik::archive
