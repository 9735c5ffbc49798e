// SPDX-License-Identifier: BSD-3-Clause
// Finds the functions, regions and OpenMP constructs that a setting means by their names, among those that exist and
// those that come later: EPK_FILTER, EPK_GROUPS, groups that the program switches, regions of windows.
// libepk_archive.so compares the names (runtime/abi/name_functions.h). The results are keys, which a KeySet holds for
// the hooks.
#ifndef EPIK_RUNTIME_CHOICE_SELECTOR_H_
#define EPIK_RUNTIME_CHOICE_SELECTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/abi/name_functions.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Lives as long as the process: hooks come until the very end.
class Selector {
 public:
  using Found = void (*)(event::Key key, void* context);

  // Null: there is no selector; a message says why `setting` has no effect. An empty path or list of words: not given.
  // Words: those of EPK_GROUPS, a word a line. REQUIRES: inside.
  static Selector* OfFilter(const char* setting, const std::string& path, const std::string& words);
  static Selector* OfGroups(const char* setting, const std::string& words);
  static Selector* OfPattern(const char* setting, const std::string& glob);

  // Loads the library that compares names, unless it is there. False: as above. REQUIRES: the caller holds no lock that
  // the definition of a region takes, because the loader may wait for a thread that is in a constructor of the program
  // and defines a region.
  static bool IsReady(const char* setting);

  // Calls found for each selected function of the modules that came since the last call.
  void LookAtNewModules(Found found, void* context);
  bool HasNewModules() const;
  // The module with this bias is gone: if it comes again, it is new.
  void ForgetModule(uint64_t bias);

  bool Selects(const episode::DefinedRegion& region) const;
  // Regions that the program names have a place where they begin and end. Other regions are EPIK's, or belong to a
  // library.
  static bool IsNamed(event::Role role);
  bool SelectsConstruct(const char* name) const;
  EpikConstructs Constructs() const;
  void Summarize(void (*say)(const char* line)) const;

 private:
  struct Module {
    uint64_t bias;
    std::string path;
    bool looked_at;
  };
  explicit Selector(const void* selection) : selection_(selection) {}

  const void* selection_;  // the library's
  std::vector<Module> modules_;
  uint32_t modules_seen_ = 0;  // ModuleCount() at the last look
};

// "barrier @solver.c:42"; empty when it is not known. REQUIRES: a selector.
std::string NameOfConstruct(event::Key key);

extern const episode::Part selector_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_SELECTOR_H_
