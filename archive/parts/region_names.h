// SPDX-License-Identifier: BSD-3-Clause
// Keys of processes become definitions, and definitions become regions with names: the same function is one region
// wherever it was mapped.
#ifndef EPIK_ARCHIVE_PARTS_REGION_NAMES_H_
#define EPIK_ARCHIVE_PARTS_REGION_NAMES_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/parts/definitions.h"
#include "archive/profile/profile.h"

namespace epik::archive {

// A key that stands for a function: which module of the process, and where in its file.
struct Place {
  const epitome::ModuleDefinition* module = nullptr;  // null: in none that is known
  uint64_t address = 0;
};
Place FindPlace(const epitome::ProcessImage& image, event::Key key);

// What a key of one process stands for, in terms that all processes share.
RegionDefinition Define(const epitome::ProcessImage& image, event::Key key, DefinitionSet* set);

// What a region that is not a function is called.
epitome::Region DefinedRegion(const epitome::ProcessImage& image, uint32_t number);

class RegionNames {
 public:
  // Resolves all regions at once; notes say which modules could not be read.
  RegionNames(const Definitions& definitions, std::vector<std::string>* notes);

  // Several definitions may be one region: a function and its clones.
  uint32_t Of(uint32_t definition) const { return of_definition_[definition]; }

  // A function that a compiler made of the inside of a construct.
  bool IsOutlined(uint32_t definition) const { return outlined_[definition]; }

  std::vector<epitome::Region> Take() { return std::move(regions_); }

  // Functions whose lines would have taken too long: `epk resolve --lines` finds them.
  uint64_t lines_left_out() const { return lines_left_out_; }

 private:
  uint32_t Intern(epitome::Region region, const std::string& identity);

  std::vector<uint32_t> of_definition_;
  std::vector<bool> outlined_;
  std::vector<epitome::Region> regions_;
  std::unordered_map<std::string, uint32_t> known_;  // identity -> region
  uint64_t lines_left_out_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_REGION_NAMES_H_
