// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/region_names.h"

#include <cstdio>

#include "runtime/symbols/symbols.h"

namespace epik::archive {

using epitome::ModuleDefinition;
using epitome::ProcessImage;
using epitome::Region;
using event::Key;

namespace {

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

Place FindPlace(const ProcessImage& image, Key key) {
  if (event::IsRetired(key)) {
    const uint32_t number = event::RetiredModule(key);
    if (number >= image.modules.size()) return {nullptr, event::RetiredAddress(key)};
    return {&image.modules[number], event::RetiredAddress(key)};
  }
  // The latest module that was mapped there: those before it were retired when they went.
  const uint64_t address = event::AddressOf(key);
  for (size_t i = image.modules.size(); i-- > 0;) {
    const event::ModuleRecord& extent = image.modules[i].extent;
    if (address >= extent.begin && address < extent.end) return {&image.modules[i], address - extent.bias};
  }
  return {nullptr, address};
}

Region DefinedRegion(const ProcessImage& image, uint32_t number) {
  Region region;
  region.paradigm = "user";
  switch (number) {
    case event::kProgramRegion:
      region.name = image.program.empty() ? "program" : BaseName(image.program);
      region.paradigm = "measurement";
      region.role = "artificial";
      break;
    case event::kThreadRegion:
      region.name = "thread";
      region.paradigm = "pthread";
      region.role = "thread create";
      break;
    case event::kPausedRegion:
      region.name = "paused";
      region.paradigm = "measurement";
      region.role = "artificial";
      region.description = "EPIK";
      break;
    case event::kIdleRegion:
      region.name = "idle";
      region.paradigm = "openmp";
      region.role = "artificial";
      break;
    case event::kMeasurementRegion:
      region.name = "measurement";
      region.paradigm = "measurement";
      region.role = "artificial";
      region.description = "EPIK";
      break;
    default: {
      const auto found = image.regions.find(number);
      if (found == image.regions.end()) {
        region.name = "region " + std::to_string(number);
        break;
      }
      region.name = found->second.name;
      region.file = found->second.file;
      region.begin_line = found->second.line;
      if (found->second.role == event::Role::kPhase) region.role = "dynamic phase";
      if (found->second.role == event::Role::kParameter) region.role = "dynamic";
      if (found->second.role == event::Role::kFunction) region.role = "function";
      if (found->second.paradigm == event::Paradigm::kMpi) region.paradigm = "mpi";
      if (found->second.paradigm == event::Paradigm::kOpenMp) region.paradigm = "openmp";
    }
  }
  region.mangled = region.name;
  return region;
}

namespace {

Region FunctionRegion(const symbols::Symbol& symbol, const Place& place) {
  Region region;
  region.name = symbol.name;
  region.mangled = symbol.mangled.empty() ? symbol.name : symbol.mangled;
  region.file = symbol.file;
  region.begin_line = symbol.line;
  region.end_line = symbol.end_line;
  if (symbol.line <= 0) {
    // Where to look for what is missing: `epk resolve`. The name has the module without its folder, or is a name.
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(place.address));
    region.description = place.module->path + offset;
  }
  return region;
}

// What makes two functions one: where they are defined, or, when that is not known, what the linker calls them there.
std::string Identity(const ModuleDefinition* module, const symbols::Symbol& symbol) {
  const std::string where = module == nullptr ? "" : module->build_id.empty() ? module->path : module->build_id;
  if (symbol.line > 0) return where + "|" + symbol.name + "|" + symbol.file + ":" + std::to_string(symbol.line);
  const bool clone = symbol.mangled.find('.') != std::string::npos;
  return where + "|" + symbol.name + "|" + (clone || !symbol.found ? "" : std::to_string(symbol.offset));
}

}  // namespace

uint32_t RegionNames::Intern(Region region, const std::string& identity) {
  const auto [at, is_new] = known_.try_emplace(identity, static_cast<uint32_t>(regions_.size()));
  if (is_new) regions_.push_back(std::move(region));
  return at->second;
}

RegionNames::RegionNames(const std::vector<ProcessImage>& images, std::vector<std::string>* notes)
    : of_key_(images.size()) {
  symbols::Symbolizer symbolizer;
  std::vector<symbols::Symbolizer::Address> addresses;
  struct Asked {
    size_t process;
    Key key;
    Place place;
  };
  std::vector<Asked> asked;
  for (size_t p = 0; p < images.size(); ++p) {
    for (const auto& location : images[p].locations) {
      for (const event::Node& node : location.nodes) {
        if (event::IsMetric(node.key) || !of_key_[p].try_emplace(node.key, 0).second) continue;
        if (event::IsRegion(node.key) && !event::IsRetired(node.key)) {
          Region region = DefinedRegion(images[p], event::RegionOf(node.key));
          const std::string identity =
              "region|" + region.name + "|" + region.file + ":" + std::to_string(region.begin_line) + "|" + region.role;
          of_key_[p][node.key] = Intern(std::move(region), identity);
          continue;
        }
        const Place place = FindPlace(images[p], node.key);
        if (place.module == nullptr) {
          char name[32];
          std::snprintf(name, sizeof name, "0x%llx", static_cast<unsigned long long>(place.address));
          Region region;
          region.name = region.mangled = name;
          of_key_[p][node.key] = Intern(region, std::string("unmapped|") + name);
          continue;
        }
        asked.push_back({p, node.key, place});
        addresses.push_back({symbolizer.AddModule(place.module->path, place.module->build_id), place.address});
      }
    }
  }
  const std::vector<symbols::Symbol> symbols = symbolizer.ResolveAll(addresses);
  for (size_t i = 0; i < asked.size(); ++i) {
    of_key_[asked[i].process][asked[i].key] =
        Intern(FunctionRegion(symbols[i], asked[i].place), Identity(asked[i].place.module, symbols[i]));
  }
  for (const std::string& error : symbolizer.errors()) notes->push_back("names: " + error);
}

}  // namespace epik::archive
