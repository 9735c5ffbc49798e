// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/names.h"

#include <cstdio>
#include <vector>

#include "archive/parts/region_names.h"
#include "archive/symbols/construct_names.h"

namespace epik::top {
namespace {

symbols::Options WithoutLines() {
  symbols::Options options;
  options.lines = false;  // debug information of a large program takes seconds to read
  return options;
}

std::string Number(event::Key key) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(key));
  return text;
}

// As in reports of programs without debug information: "parallel @solve._omp_fn.0".
std::string NameOf(event::Construct construct, const symbols::Symbol& symbol, uint64_t address) {
  archive::Region region;
  region.name = symbol.name;
  archive::NameConstruct(construct, "", archive::PlaceName({}, symbol, address), &region);
  return region.name;
}

}  // namespace

Names::Names() : symbolizer_(WithoutLines()) {}

void Names::Learn(const archive::ProcessImage& image) {
  std::vector<event::Key> keys;
  std::vector<symbols::Symbolizer::Address> addresses;
  for (const auto& location : image.locations) {
    for (const event::Node& node : location.nodes) {
      if (event::IsMetric(node.key) || names_.count(node.key) != 0) continue;
      if (event::IsRegion(node.key) && !event::IsRetired(node.key)) {
        names_[node.key] = archive::DefinedRegion(image, event::RegionOf(node.key)).name;
        continue;
      }
      const archive::Place place = archive::FindPlace(image, node.key);
      const event::Construct construct = event::ConstructOf(node.key);
      symbols::Symbol unknown;
      unknown.name = Number(place.address);
      names_[node.key] = NameOf(construct, unknown, place.address);
      if (place.module == nullptr) continue;
      keys.push_back(node.key);
      addresses.push_back({symbolizer_.AddModule(place.module->path, place.module->build_id), place.address,
                           archive::IsCallOf(construct)});
    }
  }
  const std::vector<symbols::Symbol> symbols = symbolizer_.ResolveAll(addresses);
  for (size_t i = 0; i < symbols.size(); ++i) {
    names_[keys[i]] = NameOf(event::ConstructOf(keys[i]), symbols[i], addresses[i].offset);
  }
}

std::string Names::Of(event::Key key) const {
  const auto found = names_.find(key);
  return found != names_.end() ? found->second : Number(key);
}

}  // namespace epik::top
