// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/definitions.h"

namespace epik::archive {

namespace {

// The same file, in whatever folder. Two files without a build-id are distinguished by their names.
std::string IdentityOf(const ModuleName& module) {
  return module.build_id.empty() ? "/" + module.path : module.build_id;
}

std::string IdentityOf(const RegionDefinition& region) {
  BytesOut identity;
  identity.Put(region.module);
  identity.Put(region.key);
  if (!region.IsCode()) {
    identity.Put(region.name);
    identity.Put(region.file);
    identity.Put(region.line);
    identity.Put(region.role);
    identity.Put(region.paradigm);
  }
  return identity.Take();
}

template <class Thing>
uint32_t NumberOf(const std::string& identity, const Thing& thing, std::unordered_map<std::string, uint32_t>* numbers,
                  std::vector<Thing>* things) {
  const auto [at, is_new] = numbers->try_emplace(identity, static_cast<uint32_t>(things->size()));
  if (is_new) things->push_back(thing);
  return at->second;
}

}  // namespace

DefinitionSet::DefinitionSet(Definitions* definitions) : definitions_(definitions) {
  const auto index = [](const auto& things, Numbers* numbers, auto identity) {
    for (const auto& thing : things) numbers->try_emplace(identity(thing), static_cast<uint32_t>(numbers->size()));
  };
  index(definitions->modules, &modules_, [](const ModuleName& module) { return IdentityOf(module); });
  index(definitions->regions, &regions_, [](const RegionDefinition& region) { return IdentityOf(region); });
  index(definitions->metrics, &metrics_, [](const MetricDefinition& metric) { return metric.name; });
  index(definitions->notes, &notes_, [](const std::string& note) { return note; });
  const auto by_id = [](const auto& things, auto* numbers) {
    for (const auto& thing : things) numbers->try_emplace(thing.id, static_cast<uint32_t>(numbers->size()));
  };
  by_id(definitions->communicators, &communicators_);
  by_id(definitions->windows, &windows_);
}

uint32_t DefinitionSet::Module(const ModuleName& module) {
  return NumberOf(IdentityOf(module), module, &modules_, &definitions_->modules);
}

uint32_t DefinitionSet::Region(const RegionDefinition& region) {
  return NumberOf(IdentityOf(region), region, &regions_, &definitions_->regions);
}

uint32_t DefinitionSet::Metric(const MetricDefinition& metric) {
  const uint32_t number = NumberOf(metric.name, metric, &metrics_, &definitions_->metrics);
  MetricDefinition& known = definitions_->metrics[number];
  // A process without the counter does not know its type and unit.
  if (known.had.empty() && !metric.had.empty()) {
    known.type = metric.type;
    known.unit = metric.unit;
    known.description = metric.description;
  }
  for (const RankRange& ranks : metric.had) AddRanks(ranks, &known.had);
  if (known.missing.empty()) known.missing = metric.missing;
  return number;
}

void DefinitionSet::Note(const std::string& note) { NumberOf(note, note, &notes_, &definitions_->notes); }

uint32_t DefinitionSet::Communicator(const CommunicatorEntry& communicator) {
  const auto [at, is_new] =
      communicators_.try_emplace(communicator.id, static_cast<uint32_t>(definitions_->communicators.size()));
  if (is_new) definitions_->communicators.push_back(communicator);
  return at->second;
}

uint32_t DefinitionSet::Window(const WindowEntry& window) {
  const auto [at, is_new] = windows_.try_emplace(window.id, static_cast<uint32_t>(definitions_->windows.size()));
  if (is_new) definitions_->windows.push_back(window);
  return at->second;
}

uint32_t DefinitionSet::Path(uint32_t parent, uint32_t region) {
  return paths_.Of({region, parent}, &definitions_->paths);
}

Mapping DefinitionSet::Merge(const Definitions& other) {
  std::vector<uint32_t> module(other.modules.size()), region(other.regions.size());
  for (size_t i = 0; i < module.size(); ++i) module[i] = Module(other.modules[i]);
  for (size_t i = 0; i < region.size(); ++i) {
    RegionDefinition definition = other.regions[i];
    if (definition.module != kNone) definition.module = module[definition.module];
    region[i] = Region(definition);
  }
  Mapping mapping;
  mapping.regions = region;
  mapping.paths.reserve(other.paths.size());
  for (const CallPath& path : other.paths) {
    const uint32_t parent = path.parent == kNone ? kNone : mapping.paths[path.parent];
    mapping.paths.push_back(Path(parent, region[path.region]));
  }
  for (const MetricDefinition& metric : other.metrics) mapping.metrics.push_back(Metric(metric));
  for (const std::string& note : other.notes) Note(note);
  for (const CommunicatorEntry& entry : other.communicators) mapping.communicators.push_back(Communicator(entry));
  for (WindowEntry entry : other.windows) {
    if (entry.communicator != kNone) entry.communicator = mapping.communicators[entry.communicator];
    mapping.windows.push_back(Window(entry));
  }
  return mapping;
}

void Pack(const Definitions& definitions, BytesOut* bytes) {
  bytes->Put(static_cast<uint64_t>(definitions.modules.size()));
  for (const ModuleName& module : definitions.modules) {
    bytes->Put(module.path);
    bytes->Put(module.build_id);
  }
  bytes->Put(static_cast<uint64_t>(definitions.regions.size()));
  for (const RegionDefinition& region : definitions.regions) {
    bytes->Put(region.module);
    bytes->Put(region.key);
    if (region.IsCode()) continue;
    bytes->Put(region.name);
    bytes->Put(region.file);
    bytes->Put(region.line);
    bytes->Put(region.role);
    bytes->Put(region.paradigm);
  }
  bytes->PutAll(definitions.paths);
  bytes->Put(static_cast<uint64_t>(definitions.metrics.size()));
  for (const MetricDefinition& metric : definitions.metrics) {
    bytes->Put(metric.name);
    bytes->Put(metric.label);
    bytes->Put(metric.unit);
    bytes->Put(metric.type);
    bytes->Put(metric.description);
    bytes->PutAll(metric.had);
    bytes->Put(metric.missing);
  }
  bytes->Put(definitions.notes);
  bytes->Put(static_cast<uint64_t>(definitions.communicators.size()));
  for (const CommunicatorEntry& entry : definitions.communicators) {
    bytes->Put(entry.id);
    bytes->Put(entry.name);
    bytes->PutAll(entry.own);
    bytes->PutAll(entry.remote);
  }
  bytes->Put(static_cast<uint64_t>(definitions.windows.size()));
  for (const WindowEntry& entry : definitions.windows) {
    bytes->Put(entry.id);
    bytes->Put(entry.name);
    bytes->Put(entry.communicator);
  }
}

bool Unpack(BytesIn* bytes, Definitions* definitions) {
  constexpr size_t kText = sizeof(uint64_t);
  definitions->modules.resize(bytes->GetCount(2 * kText));
  for (ModuleName& module : definitions->modules) {
    module.path = bytes->GetText();
    module.build_id = bytes->GetText();
  }
  definitions->regions.resize(bytes->GetCount(sizeof(uint32_t) + sizeof(event::Key)));
  for (RegionDefinition& region : definitions->regions) {
    region.module = bytes->Get<uint32_t>();
    region.key = bytes->Get<event::Key>();
    if (region.module != kNone && region.module >= definitions->modules.size()) return false;
    if (region.IsCode()) continue;
    region.name = bytes->GetText();
    region.file = bytes->GetText();
    region.line = bytes->Get<int32_t>();
    region.role = bytes->Get<event::Role>();
    region.paradigm = bytes->Get<event::Paradigm>();
  }
  definitions->paths = bytes->GetAll<CallPath>();
  for (size_t i = 0; i < definitions->paths.size(); ++i) {
    const CallPath& path = definitions->paths[i];
    if (path.region >= definitions->regions.size() || (path.parent != kNone && path.parent >= i)) return false;
  }
  definitions->metrics.resize(bytes->GetCount(6 * kText));
  for (MetricDefinition& metric : definitions->metrics) {
    metric.name = bytes->GetText();
    metric.label = bytes->GetText();
    metric.unit = bytes->GetText();
    metric.type = bytes->Get<Type>();
    metric.description = bytes->GetText();
    metric.had = bytes->GetAll<RankRange>();
    metric.missing = bytes->GetText();
    if (metric.type > Type::kMax) return false;
  }
  definitions->notes = bytes->GetTexts();
  definitions->communicators.resize(bytes->GetCount(4 * kText));
  for (CommunicatorEntry& entry : definitions->communicators) {
    entry.id = bytes->Get<uint64_t>();
    entry.name = bytes->GetText();
    entry.own = bytes->GetAll<event::RankRun>();
    entry.remote = bytes->GetAll<event::RankRun>();
  }
  definitions->windows.resize(bytes->GetCount(2 * kText));
  for (WindowEntry& entry : definitions->windows) {
    entry.id = bytes->Get<uint64_t>();
    entry.name = bytes->GetText();
    entry.communicator = bytes->Get<uint32_t>();
    if (entry.communicator != kNone && entry.communicator >= definitions->communicators.size()) return false;
  }
  return bytes->good();
}

}  // namespace epik::archive
