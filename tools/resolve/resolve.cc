// SPDX-License-Identifier: BSD-3-Clause
#include "tools/resolve/resolve.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "archive/symbols/names.h"
#include "archive/symbols/symbols.h"
#include "tools/resolve/merge.h"

namespace epik::resolve {

using archive::Region;

namespace {

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// "MODULE+0x1234" taken apart.
bool Split(const std::string& text, std::string* module, uint64_t* offset) {
  const size_t plus = text.rfind("+0x");
  if (plus == std::string::npos || plus == 0) return false;
  const char* digits = text.c_str() + plus + 1;
  char* end = nullptr;
  *offset = std::strtoull(digits, &end, 16);
  *module = text.substr(0, plus);
  return *end == '\0' && end > digits + 2;
}

bool HasNoName(const Region& region) {
  std::string module;
  uint64_t offset = 0;
  return region.mangled == region.name && Split(region.name, &module, &offset) &&
         region.name == symbols::Unresolved(module, offset);
}

// The names under which the same function may stand in the profile more than once.
std::string Identity(const Region& region) {
  return region.name + "|" + region.file + ":" + std::to_string(region.begin_line) + "|" + region.paradigm;
}

}  // namespace

Resolver::Resolver(const archive::Manifest& manifest, bool lines, archive::Profile* profile)
    : manifest_(manifest), profile_(profile) {
  FindPlaces(lines);
}

std::string Resolver::PathOfBaseName(const std::string& name) const {
  std::string path;
  for (const auto& module : manifest_.modules) {
    if (BaseName(module.path) != name || module.path == path) continue;
    if (!path.empty()) return "";  // two modules have that name
    path = module.path;
  }
  return path;
}

void Resolver::FindPlaces(bool lines) {
  for (uint32_t r = 0; r < profile_->regions.size(); ++r) {
    const Region& region = profile_->regions[r];
    const bool needs_name = HasNoName(region);
    if (!needs_name && (!lines || region.begin_line > 0)) continue;
    Place place{r, "", 0, needs_name};
    // Archives of other tools, and older archives, name the module without its folder.
    if (!Split(region.description, &place.path, &place.offset)) {
      if (!needs_name || !Split(region.name, &place.path, &place.offset)) continue;
      const std::string path = PathOfBaseName(place.path);
      if (!path.empty()) place.path = path;
    }
    places_.push_back(place);
  }
}

bool Resolver::Matches(const std::string& file, const std::string& build_id, std::vector<std::string>* paths,
                       std::string* error) const {
  std::string same_name;
  for (const auto& module : manifest_.modules) {
    const bool is_called_so = BaseName(module.path) == BaseName(file);
    if (build_id.empty() ? module.build_id.empty() && is_called_so : module.build_id == build_id) {
      paths->push_back(module.path);
    }
    if (is_called_so) {
      same_name =
          "; " + module.path + " of the run has " + (module.build_id.empty() ? std::string("none") : module.build_id);
    }
  }
  if (!paths->empty()) return true;
  *error = file + " was not part of this run: its build-id is " + (build_id.empty() ? "missing" : build_id) + same_name;
  return false;
}

bool Resolver::Use(const std::string& file, std::string* error) {
  const auto module = symbols::Module::Open(file, "", error);
  if (module == nullptr) return false;
  std::vector<std::string> paths;
  if (!Matches(file, module->build_id(), &paths, error)) return false;
  std::vector<uint64_t> offsets;
  std::vector<Place*> asked;
  for (Place& place : places_) {
    if (place.done || std::find(paths.begin(), paths.end(), place.path) == paths.end()) continue;
    asked.push_back(&place);
    offsets.push_back(place.offset);
  }
  const std::vector<symbols::Symbol> found = module->ResolveAll(offsets);
  for (size_t i = 0; i < found.size(); ++i) {
    const symbols::Symbol& symbol = found[i];
    if (!symbol.found || (!asked[i]->needs_name && symbol.line <= 0)) continue;
    Region& region = profile_->regions[asked[i]->region];
    region.name = symbol.name;
    region.mangled = symbol.mangled.empty() ? symbol.name : symbol.mangled;
    region.file = symbol.file;
    region.begin_line = symbol.line;
    region.end_line = symbol.end_line;
    // The description tells how to find the line, so it stays until the line is known.
    if (symbol.line > 0) region.description.clear();
    (asked[i]->needs_name ? count_.named : count_.lined) += 1;
    asked[i]->done = true;
  }
  return true;
}

std::vector<std::string> Resolver::Wanted() const {
  std::set<std::string> paths;
  for (const Place& place : places_) {
    if (!place.done) paths.insert(place.path);
  }
  return {paths.begin(), paths.end()};
}

Count Resolver::Finish() {
  std::vector<uint32_t> same_as(profile_->regions.size());
  std::iota(same_as.begin(), same_as.end(), 0u);
  std::map<std::string, uint32_t> first;
  for (const Place& place : places_) {
    const Region& region = profile_->regions[place.region];
    if (!place.done) {
      count_.remaining += place.needs_name;
      if (place.needs_name) ++count_.remaining_in[place.path];
      continue;
    }
    if (region.begin_line <= 0) continue;  // two static functions may have one name
    same_as[place.region] = first.try_emplace(Identity(region) + "|" + place.path, place.region).first->second;
  }
  MergeRegions(same_as, profile_);
  return count_;
}

}  // namespace epik::resolve
