// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the facts that `epk run` needs of a file before it starts it. The file is never loaded.
#ifndef EPIK_TOOLS_LAUNCH_ELF_H_
#define EPIK_TOOLS_LAUNCH_ELF_H_

#include <string>
#include <vector>

namespace epik::launch {

struct Elf {
  bool valid = false;    // an ELF program or library
  int bits = 0;          // 32 or 64
  int machine = 0;       // EM_X86_64 …
  bool dynamic = false;  // has a dynamic section: else nothing can be preloaded
  bool interpreter = false;
  std::vector<std::string> needed;
  std::string rpath;
  std::string runpath;
  bool wants_hooks = false;    // calls __cyg_profile_func_enter
  bool has_own_hooks = false;  // defines it
};

// Damaged and foreign files give valid == false.
Elf ReadElf(const std::string& path);

// The machine and word size this program was built for: those libepk.so has.
bool IsNative(const Elf& elf);

// The first line of a script without #!, or "".
std::string ScriptInterpreter(const std::string& path);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_ELF_H_
