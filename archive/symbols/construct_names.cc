// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/construct_names.h"

#include <cstdio>

namespace epik::archive {

using event::Construct;

namespace {

struct Words {
  const char* name;
  const char* role;  // a role of CUBE
};

Words WordsOf(Construct construct) {
  switch (construct) {
    case Construct::kNone: break;
    case Construct::kParallel: return {"parallel", "parallel"};
    case Construct::kTeams: return {"teams", "parallel"};
    case Construct::kLoopStatic: return {"for static", "loop"};
    case Construct::kLoopDynamic: return {"for dynamic", "loop"};
    case Construct::kLoopGuided: return {"for guided", "loop"};
    case Construct::kLoopRuntime: return {"for runtime", "loop"};
    case Construct::kLoopOrdered: return {"for ordered", "loop"};
    case Construct::kLoopDoacross: return {"for doacross", "loop"};
    case Construct::kSections: return {"sections", "sections"};
    case Construct::kSingle: return {"single", "single"};
    case Construct::kCritical: return {"critical", "critical"};
    case Construct::kCriticalBlock: return {"critical block", "critical sblock"};
    case Construct::kOrdered: return {"ordered", "ordered"};
    case Construct::kOrderedBlock: return {"ordered block", "ordered sblock"};
    case Construct::kDoacrossWait: return {"ordered wait", "ordered"};
    case Construct::kAtomic: return {"atomic", "atomic"};
    case Construct::kTask: return {"task", "task"};
    case Construct::kTaskCreate: return {"task create", "task create"};
    case Construct::kTaskloop: return {"taskloop", "task create"};
    case Construct::kTaskwait: return {"taskwait", "taskwait"};
    case Construct::kTaskyield: return {"taskyield", "taskwait"};
    case Construct::kTaskgroup: return {"taskgroup", "workshare"};
    case Construct::kBarrier: return {"barrier", "barrier"};
    case Construct::kImplicitBarrier: return {"implicit barrier", "implicit barrier"};
    case Construct::kReduction: return {"reduction", "implicit barrier"};
    case Construct::kScope: return {"scope", "workshare"};
    case Construct::kMasked: return {"masked", "master"};
    case Construct::kTarget: return {"target", "workshare"};
  }
  return {"construct", "unknown"};
}

}  // namespace

bool IsCallOf(Construct construct) { return construct != Construct::kNone; }

std::string PlaceName(const ConstructPlace& place, const symbols::Symbol& symbol, uint64_t address) {
  if (place.line > 0) {
    const std::string column = place.column > 0 ? ":" + std::to_string(place.column) : "";
    return place.file.substr(place.file.find_last_of('/') + 1) + ":" + std::to_string(place.line) + column;
  }
  if (!symbol.found || address == symbol.offset) return symbol.name;
  char offset[24];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(address - symbol.offset));
  return symbol.name + offset;
}

void NameConstruct(Construct construct, const std::string& name, const std::string& where, Region* region) {
  if (construct == Construct::kNone) return;
  const Words words = WordsOf(construct);
  region->name = words.name + (name.empty() ? "" : "(" + name + ")") + " @" + where;
  region->mangled = region->name;
  region->paradigm = "openmp";
  region->role = words.role;
  if (region->description.empty()) region->description = "OMP";
  region->end_line = -1;
}

}  // namespace epik::archive
