// SPDX-License-Identifier: BSD-3-Clause
// What the values of a profile belong to, before anything has a name: code by (module, address), so that processes
// agree wherever their libraries were loaded. Processes' definitions are merged pairwise until one has them all.
#ifndef EPIK_ARCHIVE_PARTS_DEFINITIONS_H_
#define EPIK_ARCHIVE_PARTS_DEFINITIONS_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/profile/absence.h"
#include "archive/profile/profile.h"
#include "runtime/abi/bytes.h"
#include "runtime/event/layout.h"

namespace epik::archive {

struct ModuleName {
  std::string path, build_id;
};

struct RegionDefinition {
  // Code: its module, and the address in that file with the construct it stands for (event::ConstructKey).
  uint32_t module = epitome::kNone;
  event::Key key = 0;
  // Otherwise what the process said it is, or, without a name, one of those that every process has (key).
  std::string name, file;
  int32_t line = -1;
  event::Role role = event::Role::kFunction;
  event::Paradigm paradigm = event::Paradigm::kUser;

  bool IsCode() const { return !event::IsRegion(key); }
};

struct MetricDefinition {
  std::string name, label, unit;
  epitome::Type type = epitome::Type::kUint64;
  std::string description = {};
  // Of counters, which one process may have and another one may not: who had it, and why not who had not.
  epitome::Ranks had = {};
  std::string missing = {};
};

// A communicator or window of MPI, for traces. `id` is the same in all processes.
struct CommunicatorEntry {
  uint64_t id = 0;
  std::string name;
  std::vector<event::RankRun> own, remote;
};
inline constexpr uint64_t kWorldId = ~uint64_t{0};
inline constexpr uint64_t kSelfId = kWorldId - 1;

struct WindowEntry {
  uint64_t id = 0;
  std::string name;
  uint32_t communicator = epitome::kNone;
};

struct Definitions {
  std::vector<ModuleName> modules;
  std::vector<RegionDefinition> regions;
  std::vector<epitome::CallPath> paths;  // parents first, siblings by first visit
  std::vector<MetricDefinition> metrics;
  std::vector<std::string> notes;  // for people, each once
  std::vector<CommunicatorEntry> communicators;
  std::vector<WindowEntry> windows;
};

// Old number -> new number.
struct Mapping {
  std::vector<uint32_t> paths, metrics, regions, communicators, windows;
};

void Pack(const Definitions& definitions, BytesOut* bytes);
// False when the bytes are not definitions whose numbers are in order.
bool Unpack(BytesIn* bytes, Definitions* definitions);

// Gives each thing its number at its first mention.
class DefinitionSet {
 public:
  explicit DefinitionSet(Definitions* definitions);
  uint32_t Module(const ModuleName& module);
  uint32_t Region(const RegionDefinition& region);
  uint32_t Path(uint32_t parent, uint32_t region);
  uint32_t Metric(const MetricDefinition& metric);
  void Note(const std::string& note);
  uint32_t Communicator(const CommunicatorEntry& communicator);
  uint32_t Window(const WindowEntry& window);

  // Adds everything `other` has; where its things are now.
  Mapping Merge(const Definitions& other);

 private:
  using Numbers = std::unordered_map<std::string, uint32_t>;
  Definitions* definitions_;
  Numbers modules_, regions_, metrics_, notes_;
  std::unordered_map<uint64_t, uint32_t> paths_, communicators_, windows_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_DEFINITIONS_H_
