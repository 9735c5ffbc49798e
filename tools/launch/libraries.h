// SPDX-License-Identifier: BSD-3-Clause
//
// The libraries a program will be started with, in the order in which the dynamic linker searches them for symbols.
#ifndef EPIK_TOOLS_LAUNCH_LIBRARIES_H_
#define EPIK_TOOLS_LAUNCH_LIBRARIES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/launch/elf.h"

namespace epik::launch {

struct Library {
  std::string name;  // the name that the program asks for
  std::string path;  // "" when not found
  Elf elf;
};

// The folders in which the dynamic linker searches, beside a file's own RPATH and RUNPATH.
struct SearchPath {
  std::vector<std::string> environment;      // LD_LIBRARY_PATH
  std::map<std::string, std::string> cache;  // name -> path, of /etc/ld.so.cache
  std::vector<std::string> defaults;
};
SearchPath SystemSearchPath();

// The entries of an ld.so.cache; none if its format is not known.
std::map<std::string, std::string> ParseLoaderCache(std::string_view bytes);

// Breadth first, each library once, without the program itself.
std::vector<Library> FindLibraries(const std::string& program, const Elf& elf, const SearchPath& search);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_LIBRARIES_H_
