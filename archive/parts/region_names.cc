// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/region_names.h"

#include <cstdio>

#include "archive/image/program_name.h"
#include "archive/parts/placed_constructs.h"
#include "archive/symbols/construct_names.h"
#include "archive/symbols/names.h"
#include "archive/symbols/symbols.h"
#include "config/paradigms.h"

namespace epik::archive {

using event::Key;

namespace {

// The program waits for this at its end: reading takes an eighth of a second, and as much memory.
constexpr uint64_t kMostDebugBytes = 32u << 20;

std::string NameOfProgram(const ProcessImage& image) {
  return image.program.empty() ? "program" : ProgramName(image.program, image.command);
}

}  // namespace

Place FindPlace(const ProcessImage& image, Key key) {
  if (event::IsRetired(key)) {
    const uint32_t number = event::RetiredModule(key);
    if (number >= image.modules.size()) return {nullptr, event::RetiredAddress(key)};
    return {&image.modules[number], event::RetiredAddress(key)};
  }
  // Takes the latest module that was mapped there: the modules before it were retired when they were unmapped.
  const uint64_t address = event::AddressOf(key);
  for (size_t i = image.modules.size(); i-- > 0;) {
    const event::ModuleRecord& extent = image.modules[i].extent;
    if (address >= extent.begin && address < extent.end) return {&image.modules[i], address - extent.bias};
  }
  return {nullptr, address};
}

namespace {

// The region of every process that has this number.
Region CommonRegion(const RegionDefinition& definition) {
  Region region;
  region.name = definition.name;
  region.paradigm = "measurement";
  region.role = "artificial";
  switch (event::RegionOf(definition.key)) {
    case event::kThreadRegion:
      region.name = "thread";
      region.paradigm = "pthread";
      region.role = "thread create";
      break;
    case event::kPausedRegion:
      region.name = "paused";
      region.description = "EPIK";
      break;
    case event::kMeasurementRegion:
      region.name = "measurement";
      region.description = "EPIK";
      break;
    case event::kIdleRegion:
      region.name = "idle";
      region.paradigm = "openmp";
      region.description = "OMP";
      break;
    case event::kLimitedRegion:
      region.name = "limited parallelism";
      region.paradigm = "openmp";
      region.description = "OMP";
      break;
    default: break;
  }
  return region;
}

Region NamedRegion(const RegionDefinition& definition) {
  if (event::RegionOf(definition.key) != 0) return CommonRegion(definition);
  Region region;
  region.name = definition.name;
  region.file = definition.file;
  region.begin_line = definition.line;
  region.paradigm = config::ParadigmWord(static_cast<uint16_t>(definition.paradigm));
  if (definition.role == event::Role::kPhase) region.role = "dynamic phase";
  if (definition.role == event::Role::kParameter) region.role = "dynamic";
  return region;
}

RegionDefinition DefineNamed(const ProcessImage& image, uint32_t number) {
  RegionDefinition definition;
  definition.key = event::kRegionBit;
  if (number < event::kFirstDefinedRegion) {
    definition.key = event::RegionKey(number);
    if (number == event::kProgramRegion) definition.name = NameOfProgram(image);
    return definition;
  }
  const auto found = image.regions.find(number);
  if (found == image.regions.end()) {
    definition.name = "region " + std::to_string(number);
    return definition;
  }
  definition.name = found->second.name;
  definition.file = found->second.file;
  definition.line = found->second.line;
  definition.role = found->second.role;
  definition.paradigm = found->second.paradigm;
  return definition;
}

}  // namespace

RegionDefinition Define(const ProcessImage& image, Key key, DefinitionSet* set) {
  if (event::IsRegion(key) && !event::IsRetired(key)) return DefineNamed(image, event::RegionOf(key));
  const Place place = FindPlace(image, key);
  RegionDefinition definition;
  definition.key = event::ConstructKey(event::ConstructOf(key), place.address);
  if (place.module != nullptr) definition.module = set->Module({place.module->path, place.module->build_id});
  return definition;
}

Region DefinedRegion(const ProcessImage& image, uint32_t number) {
  Region region = NamedRegion(DefineNamed(image, number));
  region.mangled = region.name;
  return region;
}

namespace {

// The name has the module without its folder, or is a symbol. The description says where to search for the missing name
// (`epk resolve`).
Region FunctionRegion(const symbols::Symbol& symbol, const ModuleName& module, uint64_t address) {
  Region region;
  region.name = symbol.name;
  region.mangled = symbol.mangled.empty() ? symbol.name : symbol.mangled;
  region.file = symbol.file;
  region.begin_line = symbol.line;
  region.end_line = symbol.end_line;
  if (symbol.line <= 0) {
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(address));
    region.description = module.path + offset;
  }
  return region;
}

// Two functions with the same identity are one region. The identity is the place of the definition or, if that is not
// known, the name that the linker uses.
std::string Identity(const ModuleName& module, const symbols::Symbol& symbol) {
  const std::string& where = module.build_id.empty() ? module.path : module.build_id;
  if (symbol.line > 0) return where + "|" + symbol.name + "|" + symbol.file + ":" + std::to_string(symbol.line);
  const bool clone = symbol.mangled.find('.') != std::string::npos;
  return where + "|" + symbol.name + "|" + (clone || !symbol.found ? "" : std::to_string(symbol.offset));
}

Region UnmappedRegion(uint64_t address) {
  char name[32];
  std::snprintf(name, sizeof name, "0x%llx", static_cast<unsigned long long>(address));
  Region region;
  region.name = name;
  return region;
}

}  // namespace

uint32_t RegionNames::Intern(Region region, const std::string& identity) {
  if (region.mangled.empty()) region.mangled = region.name;
  const auto [at, is_new] = known_.try_emplace(identity, static_cast<uint32_t>(regions_.size()));
  if (is_new) regions_.push_back(std::move(region));
  return at->second;
}

RegionNames::RegionNames(const Definitions& definitions, std::vector<std::string>* notes) {
  symbols::Options options;
  options.most_debug_bytes = kMostDebugBytes;
  options.end_lines = true;
  symbols::Symbolizer symbolizer(options);
  std::vector<symbols::Symbolizer::Address> addresses;
  for (const RegionDefinition& definition : definitions.regions) {
    if (!definition.IsCode() || definition.module == kNone) continue;
    const ModuleName& module = definitions.modules[definition.module];
    addresses.push_back({symbolizer.AddModule(module.path, module.build_id), event::AddressOf(definition.key),
                         IsCallOf(event::ConstructOf(definition.key))});
  }
  const std::vector<symbols::Symbol> symbols = symbolizer.ResolveAll(addresses);
  std::vector<const symbols::Symbol*> symbol_of(definitions.regions.size());
  size_t next = 0;
  for (size_t i = 0; i < symbol_of.size(); ++i) {
    const RegionDefinition& definition = definitions.regions[i];
    if (definition.IsCode() && definition.module != kNone) symbol_of[i] = &symbols[next++];
  }
  const std::vector<ConstructPlace> places = PlaceConstructs(definitions, symbol_of);
  // In the order of the definitions, because regions are numbered by first visit.
  for (size_t i = 0; i < symbol_of.size(); ++i) {
    const RegionDefinition& definition = definitions.regions[i];
    const uint64_t address = event::AddressOf(definition.key);
    const event::Construct construct = event::ConstructOf(definition.key);
    outlined_.push_back(false);
    if (!definition.IsCode()) {
      Region region = NamedRegion(definition);
      const std::string identity = "region|" + region.name + "|" + region.file + ":" +
                                   std::to_string(region.begin_line) + "|" + region.role + "|" + region.paradigm;
      of_definition_.push_back(Intern(std::move(region), identity));
    } else if (definition.module == kNone) {
      Region region = UnmappedRegion(address);
      NameConstruct(construct, "", region.name, &region);
      of_definition_.push_back(Intern(region, "unmapped|" + region.name));
    } else {
      const ModuleName& module = definitions.modules[definition.module];
      const symbols::Symbol& symbol = *symbol_of[i];
      lines_left_out_ += symbol.line_left_out;
      outlined_.back() = construct == event::Construct::kNone && symbols::IsOmpOutlined(symbol.mangled);
      Region region = FunctionRegion(symbol, module, address);
      std::string identity = Identity(module, symbol);
      if (construct != event::Construct::kNone) {
        const ConstructPlace& place = places[i];
        region.file = place.file;
        region.begin_line = place.line;
        NameConstruct(place.construct, place.name, PlaceName(place, symbol, address), &region);
        identity = "construct|" + region.name + "|" + region.file + "|" + std::to_string(region.begin_line);
      }
      of_definition_.push_back(Intern(std::move(region), identity));
    }
  }
  for (const std::string& error : symbolizer.errors()) notes->push_back("names: " + error);
  if (lines_left_out_ == 0) return;
  notes->push_back(
      "lines: " + std::to_string(lines_left_out_) + (lines_left_out_ == 1 ? " function was" : " functions were") +
      " left without file and line, because " + "of debug information no more than " +
      std::to_string(kMostDebugBytes >> 20) + " MB is looked into when a program ends: see `epk resolve --lines`");
}

}  // namespace epik::archive
