// SPDX-License-Identifier: BSD-3-Clause
// Keys of all processes become regions: the same function is one region wherever it was mapped.
#ifndef EPIK_RUNTIME_ARCHIVE_REGION_NAMES_H_
#define EPIK_RUNTIME_ARCHIVE_REGION_NAMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/epitome/process_image.h"
#include "runtime/epitome/profile.h"

namespace epik::archive {

// A key that stands for a function: which module of the process, and where in its file.
struct Place {
  const epitome::ModuleDefinition* module = nullptr;  // null: in none that is known
  uint64_t address = 0;
};
Place FindPlace(const epitome::ProcessImage& image, event::Key key);

// What a region that is not a function is called.
epitome::Region DefinedRegion(const epitome::ProcessImage& image, uint32_t number);

class RegionNames {
 public:
  // Resolves every key of these processes at once; notes say which modules could not be read.
  RegionNames(const std::vector<epitome::ProcessImage>& images, std::vector<std::string>* notes);

  // The region of a key of one process. REQUIRES: the key is one of a node that was given.
  uint32_t Of(size_t process, event::Key key) const { return of_key_[process].at(key); }

  std::vector<epitome::Region> Take() { return std::move(regions_); }

 private:
  uint32_t Intern(epitome::Region region, const std::string& identity);

  std::vector<std::unordered_map<event::Key, uint32_t>> of_key_;
  std::vector<epitome::Region> regions_;
  std::map<std::string, uint32_t> known_;  // identity -> region
};

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ARCHIVE_REGION_NAMES_H_
