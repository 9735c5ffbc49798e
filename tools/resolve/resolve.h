// SPDX-License-Identifier: BSD-3-Clause
// Gives names to regions that are known by module and address, from a file with the same build-id.
#ifndef EPIK_TOOLS_RESOLVE_RESOLVE_H_
#define EPIK_TOOLS_RESOLVE_RESOLVE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::resolve {

struct Count {
  uint64_t named = 0;                            // regions that have a name now
  uint64_t lined = 0;                            // regions that had a name, and have a file and line now
  uint64_t remaining = 0;                        // still without a name
  std::map<std::string, uint64_t> remaining_in;  // module -> how many
};

class Resolver {
 public:
  // `lines`: also regions that lack only file and line.
  Resolver(const archive::Manifest& manifest, bool lines, archive::Profile* profile);

  // Takes names and lines from the file. False, with the reason in *error, when it cannot be read or is of another
  // build.
  bool Use(const std::string& file, std::string* error);

  // The files that the regions without names are from, under their names during the run.
  std::vector<std::string> Wanted() const;

  // Merges regions that have become the same. Call no other function after it.
  Count Finish();

 private:
  struct Place {
    uint32_t region;
    std::string path;  // of the module
    uint64_t offset;
    bool needs_name;
    bool done = false;
  };

  void FindPlaces(bool lines);
  std::string PathOfBaseName(const std::string& name) const;
  // The paths of the modules that this file belongs to; false when it belongs to none.
  bool Matches(const std::string& file, const std::string& build_id, std::vector<std::string>* paths,
               std::string* error) const;

  const archive::Manifest& manifest_;
  archive::Profile* profile_;
  std::vector<Place> places_;
  Count count_;
};

}  // namespace epik::resolve

#endif  // EPIK_TOOLS_RESOLVE_RESOLVE_H_
