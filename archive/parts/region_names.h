// SPDX-License-Identifier: BSD-3-Clause
// Turns the keys of a process into definitions that all processes share, and merged definitions into regions with
// names. A function is one region wherever its module was mapped.
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

// The place of a key's code: a module of the process, and an address in its file.
struct Place {
  const ModuleDefinition* module = nullptr;  // null when no known module has it
  uint64_t address = 0;
};
Place FindPlace(const ProcessImage& image, event::Key key);

// Defines a key in terms that all processes share.
RegionDefinition Define(const ProcessImage& image, event::Key key, DefinitionSet* set);

// The region of a number that is not a function: the process has named it, or every process has it.
Region DefinedRegion(const ProcessImage& image, uint32_t number);

class RegionNames {
 public:
  // Looks up the names of all regions at once. `notes` gets a sentence for each module that could not be read.
  RegionNames(const Definitions& definitions, std::vector<std::string>* notes);

  // Several definitions may be one region: a function and its clones.
  uint32_t Of(uint32_t definition) const { return of_definition_[definition]; }

  // Whether the definition is a function that the compiler made from an OpenMP construct.
  bool IsOutlined(uint32_t definition) const { return outlined_[definition]; }

  std::vector<Region> Take() { return std::move(regions_); }

  // The number of functions whose lines would take too long to find; `epk resolve --lines` finds them later.
  uint64_t lines_left_out() const { return lines_left_out_; }

 private:
  uint32_t Intern(Region region, const std::string& identity);

  std::vector<uint32_t> of_definition_;
  std::vector<bool> outlined_;
  std::vector<Region> regions_;
  std::unordered_map<std::string, uint32_t> known_;  // identity -> region
  uint64_t lines_left_out_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_REGION_NAMES_H_
